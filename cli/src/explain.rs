//! `meshpeek explain`: what the code of a problem means.
//!
//! The texts are those of `PROBLEMS.md`, which is a page of the site too.

use std::io::{Result, Write};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use meshpeek::summary::Code;
use serde::Serialize;

use crate::args::{Common, LineFormat};
use crate::failure::Outcome;
use crate::output::Output;
use crate::report::HEADING;
use crate::wrap::HANG;

const PROBLEMS: &str = include_str!("../PROBLEMS.md");

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The code, such as `damaged.range`
    #[arg(value_parser = code_parser())]
    code: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

/// Accepts the codes of all problems.
pub(crate) fn code_parser() -> PossibleValuesParser {
    Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>().into()
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut out = Output::of(common, args.format == LineFormat::Text)?;
    for &code in Code::ALL {
        if args.code.as_ref().is_some_and(|asked| asked != code.name()) {
            continue;
        }
        let explanation = Explanation::of(code);
        match (args.format, &args.code) {
            (LineFormat::Ndjson, _) => out.json_line(&explanation)?,
            (LineFormat::Text, Some(_)) => explanation.write(&mut out)?,
            (LineFormat::Text, None) => writeln!(out, "{:25}  {}", code.name(), explanation.means)?,
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A section of the page.
#[derive(Serialize)]
pub(crate) struct Explanation {
    pub(crate) code: Code,
    /// What it means, in one sentence.
    pub(crate) means: String,
    why: String,
    /// What other programs do.
    others: String,
    pub(crate) repair: String,
}

impl Explanation {
    pub(crate) fn of(code: Code) -> Self {
        let heading = format!("\n## `{}`\n", code.name());
        let (_, after) = PROBLEMS.split_once(&heading).unwrap_or_default();
        let (section, _) = after.split_once("\n## ").unwrap_or((after, ""));
        let (means, _) = section.split_once("\n- ").unwrap_or((section, ""));
        Self {
            code,
            means: in_one_line(means),
            why: item(section, "Why"),
            others: item(section, "Other programs"),
            repair: item(section, "Repair"),
        }
    }

    fn write(&self, out: &mut Output) -> Result<()> {
        writeln!(out, "{HEADING}{}{HEADING:#}", self.code)?;
        writeln!(out, "  {}\n", self.means)?;
        for (name, text) in [("why", &self.why), ("other programs", &self.others), ("to repair", &self.repair)] {
            writeln!(out, "  {name:14}{HANG}  {text}")?;
        }
        Ok(())
    }
}

/// The item of a section with this name.
fn item(section: &str, name: &str) -> String {
    let (_, after) = section.split_once(&format!("\n- {name}: ")).unwrap_or_default();
    let (item, _) = after.split_once("\n- ").unwrap_or((after, ""));
    in_one_line(item)
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_explained_and_nothing_else_is() {
        for &code in Code::ALL {
            let explanation = Explanation::of(code);
            for text in [&explanation.means, &explanation.why, &explanation.others, &explanation.repair] {
                assert!(text.ends_with('.') && text.len() > 10, "{code}: {text:?}");
            }
        }
        assert_eq!(PROBLEMS.matches("\n## ").count(), Code::ALL.len());
    }
}
