//! `meshpeek verify`: everything that is wrong, a line each.

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use meshpeek::scan::{Depth, Found, Record};
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs, VerifyFormat};
use crate::output::{Failure, Notes, Outcome, Output};
use crate::{input, report};

#[derive(Default)]
struct Tally {
    assets: u64,
    errors: u64,
    warnings: u64,
    unreadable: u64,
}

pub(crate) fn run(inputs: &Inputs, format: VerifyFormat, strict: bool, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common)?;
    scan.depth = Depth::Verify;
    let notes = Notes::new(common);
    let mut out = Output::text(common)?;
    let mut tally = Tally::default();
    let mut failure = None;
    scan.run(|found| {
        let told = match found {
            Found::Asset(record) => asset(&record, format, &mut tally, &mut out),
            Found::NoAsset(path) => {
                notes.say(format_args!("{}: no asset of a known format", path.display()));
                Ok(())
            }
            Found::Unreadable(error) => {
                tally.unreadable += 1;
                notes.error(error);
                Ok(())
            }
            _ => Ok(()),
        };
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    out.flush()?;
    let Tally { assets, errors, warnings, unreadable } = tally;
    notes.say(format_args!(
        "{}, {}, {}",
        report::count(assets, "asset"),
        report::count(errors, "error"),
        report::count(warnings, "warning")
    ));
    let failed = errors > 0 || unreadable > 0 || strict && warnings > 0;
    if assets == 0 && unreadable > 0 {
        return Ok(ExitCode::from(2));
    }
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn asset(record: &Record, format: VerifyFormat, tally: &mut Tally, out: &mut Output) -> Result<(), Failure> {
    tally.assets += 1;
    for problem in &record.summary.problems {
        match problem.severity {
            Severity::Error => tally.errors += 1,
            Severity::Warning => tally.warnings += 1,
        }
    }
    match format {
        VerifyFormat::Ndjson => {
            serde_json::to_writer(&mut *out, record)?;
            writeln!(out)?;
        }
        VerifyFormat::Text => {
            for problem in &record.summary.problems {
                let (word, style) = match problem.severity {
                    Severity::Error => ("error", Style::new().bold().fg_color(Some(AnsiColor::Red.into()))),
                    Severity::Warning => ("warning", Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()))),
                };
                write!(out, "{}: {style}{word}{style:#}", report::place(record))?;
                if let Some(offset) = problem.offset {
                    write!(out, " at {offset:#x}")?;
                }
                writeln!(out, ": {}", report::escape(&problem.message))?;
            }
        }
    }
    Ok(())
}
