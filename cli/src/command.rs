//! The complete command line: verbs in groups, limits in a separate help topic, and formats by the extension of `-o`.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use meshpeek::address::Address;

use crate::args::Common;
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::output_file::ending;
use crate::remote;
use crate::verbs::Cli;
use crate::wrap::{HANG, width, wrapped};

/// The verbs as `--help` groups them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Look", &["ls", "info", "tree", "hex", "dump", "schema"]),
    ("Scan", &["scan", "plan"]),
    ("Check", &["verify", "explain", "refs", "fit"]),
    ("Compare", &["diff", "dupes"]),
    ("Extract", &["cat", "extract", "export"]),
    ("Other", &["completions", "man", "limits"]),
];

/// All verbs and flags. Only `help limits` shows the limits.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let mut limits = Vec::new();
    for arg in command.get_arguments() {
        if arg.is_hide_set() {
            limits.push(arg.clone().hide(false).global(false));
        }
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}",
        groups(&command)
    );
    command.mut_subcommand("limits", |verb| verb.args(limits)).help_template(template)
}

fn groups(command: &Command) -> String {
    let columns = width(true);
    let mut text = String::new();
    for (title, verbs) in GROUPS {
        text += &format!("{title}:\n");
        for verb in verbs {
            let line = format!("  {verb:<11}  {HANG}{}", about(command, verb));
            text += &wrapped(&line, Some(columns));
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// The line that describes a verb.
fn about(command: &Command, verb: &str) -> String {
    match command.find_subcommand(verb).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        None => String::new(),
    }
}

/// The help of `-h`, which fits a screen of 24 lines.
fn short_help(command: &Command) -> String {
    let name = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{name}\nUsage: meshpeek PATH, or meshpeek VERB [OPTIONS]\n");
    for (title, verbs) in GROUPS {
        if title == "Other" {
            text += &format!("{title:<8}{}\n", verbs.join(", "));
            continue;
        }
        for (place, verb) in verbs.iter().enumerate() {
            let title = if place == 0 { title } else { "" };
            text += &format!("{title:<8}{verb:<8}{}\n", about(command, verb));
        }
    }
    text + "Options -o FILE, --color WHEN, -q, -v, -V; those of a verb: meshpeek VERB -h\n\
            `meshpeek --help` and `meshpeek VERB --help` have examples and say more.\n"
}

pub(crate) fn limits(common: &Common) -> Outcome {
    let mut command = command();
    command.build();
    let mut out = Output::text(common)?;
    if let Some(verb) = command.find_subcommand_mut("limits") {
        write!(out, "{}", verb.render_help())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Parses the arguments of this run. On Windows, where shells do not, it expands `*` and `?` in them. The extension of
/// `-o` is the default of `--format`.
///
/// # Errors
/// Returns an error if the verb cannot write the format of the extension.
pub(crate) fn parse() -> Result<Cli, Failure> {
    let command = command();
    let args = with_verb(wild::args_os().collect(), &command);
    if args.len() == 2 && args.get(1).is_some_and(|arg| arg == "-h") {
        // Help goes to standard output, whose reader may be gone.
        let _ = std::io::stdout().write_all(short_help(&command).as_bytes());
        std::process::exit(0);
    }
    let matches = command.get_matches_from(&args);
    let matches = match chosen_format(&matches)? {
        Some((verb, format)) => {
            let command = self::command();
            let command = command.mut_subcommand(verb, |it| it.mut_arg("format", |arg| arg.default_value(format)));
            command.get_matches_from(&args)
        }
        None => matches,
    };
    Ok(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
}

/// Adds the verb that paths alone mean: `info` of files, `scan` of folders.
fn with_verb(mut args: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let Some((_, given)) = args.split_first() else { return args };
    let Some(first) = given.first() else { return args };
    let is_verb = first.to_str().is_some_and(|first| command.find_subcommand(first).is_some());
    if is_verb || !is_there(first) {
        return args;
    }
    let has_folder = given.iter().any(|arg| Path::new(arg).is_dir() || arg.as_encoded_bytes().ends_with(b"/"));
    args.insert(1, if has_folder { "scan" } else { "info" }.into());
    args
}

/// Returns true for the path or address of something that exists, and for a URL.
fn is_there(arg: &OsStr) -> bool {
    let path = Path::new(arg);
    remote::is_url(path) || Address::parse(path).file.exists()
}

/// The verb, and the format that the extension of `-o` selects for it.
fn chosen_format(matches: &ArgMatches) -> Result<Option<(&str, &'static str)>, Failure> {
    let output = matches.get_one::<PathBuf>("output");
    let (Some((verb, args)), Some(path)) = (matches.subcommand(), output) else { return Ok(None) };
    let Some(ending) = ending(path) else { return Ok(None) };
    let formats = formats_of(verb);
    let is_rows = verb == "info" && args.contains_id("select");
    let mut writes = Vec::new();
    match (verb, &formats) {
        // `cat` and `extract` write bytes unchanged, and `export` selects its own format.
        ("cat" | "extract" | "export", _) => return Ok(None),
        // `info` looks at the ending itself.
        ("info", _) => {
            if args.get_flag("json") || args.value_source("format") == Some(ValueSource::CommandLine) {
                return Ok(None);
            }
            let own = if is_rows { ["csv", "ndjson"] } else { ["text", "json"] };
            if own.contains(&ending) {
                return Ok(None);
            }
            writes.extend(own);
        }
        (_, Some(formats)) => {
            if args.value_source("format") == Some(ValueSource::CommandLine) {
                return Ok(None);
            }
            for format in formats {
                if !format.is_hide_set() {
                    writes.push(format.get_name());
                } else if format.get_name() == ending {
                    // What this build does not write has an error of its own.
                    return Ok(Some((verb, ending)));
                }
            }
        }
        ("plan", _) => writes.push("ndjson"),
        _ => writes.push("text"),
    }
    if writes.contains(&ending) {
        return Ok(if formats.is_some() { Some((verb, ending)) } else { None });
    }
    let writes = writes.join(", ");
    let verb = if is_rows { "info --select" } else { verb };
    Err(Failure::at(path, format_args!("{verb} does not write .{ending} files; it writes {writes}")))
}

/// The values of `--format` of a verb, if it has this flag.
fn formats_of(verb: &str) -> Option<Vec<PossibleValue>> {
    let command = command();
    let format = command.find_subcommand(verb)?.get_arguments().find(|arg| arg.get_id() == "format")?;
    Some(format.get_possible_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_a_group_and_every_line_in_80_columns() {
        let mut command = command();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        let mut verbs: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert!(verbs.iter().all(|verb| grouped.contains(verb)), "{verbs:?}");
        verbs.retain(|verb| grouped.contains(verb));
        assert_eq!(verbs.len(), grouped.len());
        for line in groups(&command).lines() {
            assert!(line.len() <= 80, "{line}");
        }
        let short = short_help(&command);
        assert!(short.lines().count() <= 24 && short.lines().all(|line| line.len() <= 80), "{short}");
        for verb in GROUPS.iter().flat_map(|(_, verbs)| verbs.iter()) {
            assert!(short.contains(verb), "{verb}: {short}");
        }
        let help = command.render_help().to_string();
        assert!(help.contains("\nCheck:\n  verify ") && !help.contains("--max-"), "{help}");
    }
}
