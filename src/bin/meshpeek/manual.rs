//! Shell completions and the manual page, from the same definitions as the arguments.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Cli, Common};
use crate::output::{Outcome, Output};

pub(crate) fn completions(shell: clap_complete::Shell, common: &Common) -> Outcome {
    // The generator takes a write that fails for a bug, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "meshpeek", &mut script);
    write(&script, common)
}

/// One page: the program, then each verb with its flags.
pub(crate) fn page(common: &Common) -> Outcome {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let man = clap_mangen::Man::new(verb.clone());
        writeln!(page, ".SH \"MESHPEEK {}\"", verb.get_name().to_uppercase())?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    write(&page, common)
}

fn write(bytes: &[u8], common: &Common) -> Outcome {
    let mut out = Output::data(common)?;
    out.write_all(bytes)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
