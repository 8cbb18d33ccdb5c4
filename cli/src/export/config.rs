//! Writes a config in its other form.

use std::io::Write as _;
use std::process::ExitCode;

use meshpeek::Format;

use super::Args;
use crate::args::Common;
use crate::config::{self, Readable};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::source::Source;

/// The extensions of configs as text.
const TEXTS: [&str; 6] = ["bisurf", "cfg", "cpp", "hpp", "rvmat", "sqm"];

/// A form of a config.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Binary,
}

impl Form {
    /// The form that the extension of the output asks for, if it is that of a config.
    pub(super) fn of_output(common: &Common) -> Option<Self> {
        let ending = common.output.as_deref()?.extension()?;
        if ending.eq_ignore_ascii_case("bin") {
            return Some(Self::Binary);
        }
        let is_text = TEXTS.into_iter().any(|known| ending.eq_ignore_ascii_case(known));
        if is_text { Some(Self::Text) } else { None }
    }
}

/// Writes a config in this form.
pub(super) fn run(form: Form, args: &Args, common: &Common) -> Outcome {
    let source = Source::open_all(&args.file, common)?;
    let content = source.checked_content(common)?;
    let mut status = ExitCode::SUCCESS;
    let is_binary = Format::sniff(&content) == Some(Format::Rap);
    match form {
        Form::Text if is_binary => {
            let mut out = Output::data(common)?;
            config::write_text(&args.file, &content, &mut out)?;
            out.flush()?;
        }
        Form::Binary if config::is_text(&content) => {
            let readable = Readable::of(&source, &content, common)?;
            common.results.read(readable.bytes().len() as u64);
            let mut out = Output::data(common)?;
            out.write_all(readable.bytes())?;
            out.flush()?;
            status = readable.status();
        }
        Form::Text if config::is_text(&content) => return Err(Failure::at(&args.file, "is text already")),
        Form::Binary if is_binary => return Err(Failure::at(&args.file, "is a binary config already")),
        Form::Text | Form::Binary => return Err(Failure::at(&args.file, "not a config")),
    }
    source.unchanged()?;
    Ok(status)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::verbs::Cli;

    #[test]
    fn the_ending_of_the_output_is_the_form_of_a_config() {
        let form = |name: Option<&str>| {
            let mut arguments = vec!["meshpeek", "limits"];
            arguments.extend(name.into_iter().flat_map(|name| ["-o", name]));
            Form::of_output(&Cli::try_parse_from(arguments).unwrap().common)
        };
        for (ending, is_text) in [
            ("bin", Some(false)),
            ("bisurf", Some(true)),
            ("cfg", Some(true)),
            ("cpp", Some(true)),
            ("hpp", Some(true)),
            ("rvmat", Some(true)),
            ("sqm", Some(true)),
            ("h", None),
            ("txt", None),
            ("glb", None),
            ("cppx", None),
            ("", None),
        ] {
            for name in [format!("x.{ending}"), format!("X.{}", ending.to_uppercase()), format!("a.bin.d/x.{ending}")] {
                let found = form(Some(&name)).map(|form| form == Form::Text);
                assert_eq!(found, is_text, "{name}");
            }
            // A name alone has no ending.
            assert!(form(Some(&format!("{ending}x"))).is_none() && form(Some(&format!(".{ending}"))).is_none());
        }
        assert!(form(None).is_none());
    }
}
