//! Shell completions and the manual page, generated from the definitions of the arguments.

use std::io::Write;
use std::process::ExitCode;

use clap_mangen::Man;

use crate::args::Common;
use crate::command::command;
use crate::failure::Outcome;
use crate::output::Output;

pub(crate) fn completions(shell: clap_complete::Shell, common: &Common) -> Outcome {
    // The generator panics if a write fails, so it writes into memory.
    let mut script = Vec::new();
    let mut command = command().mut_args(|arg| arg.hide(false));
    clap_complete::generate(shell, &mut command, "meshpeek", &mut script);
    write(&script, common)
}

/// Writes one page: the program, then each verb with its own flags.
pub(crate) fn page(common: &Common) -> Outcome {
    let mut command = command();
    command.build();
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    for verb in command.get_subcommands() {
        if verb.get_name() == "help" {
            continue;
        }
        // Options of all verbs have been described.
        let own = verb.clone().mut_args(|arg| {
            let is_common = arg.is_global_set() || arg.get_id() == "help";
            arg.hide(is_common)
        });
        let man = Man::new(own);
        let mut sections = Vec::new();
        man.render_synopsis_section(&mut sections)?;
        man.render_description_section(&mut sections)?;
        man.render_options_section(&mut sections)?;
        writeln!(page, ".SH \"MESHPEEK {}\"", verb.get_name().to_uppercase())?;
        page.write_all(String::from_utf8_lossy(&sections).replace(".SH ", ".SS ").as_bytes())?;
        examples(verb, ".SS", &mut page)?;
    }
    examples(&command, ".SH", &mut page)?;
    man.render_version_section(&mut page)?;
    write(&page, common)
}

/// Writes the examples at the end of the help, under a heading of their own.
fn examples(verb: &clap::Command, heading: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let text = help.strip_prefix("Examples:\n").unwrap_or(&help).replace('\\', "\\e").replace('-', "\\-");
    writeln!(page, "{heading} EXAMPLES\n{text}")
}

fn write(bytes: &[u8], common: &Common) -> Outcome {
    let mut out = Output::data(common)?;
    out.write_all(bytes)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
