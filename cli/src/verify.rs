//! `meshpeek verify`: everything that is wrong, a line each.

use std::io::Write;
use std::process::ExitCode;

use meshpeek::scan::{Depth, Record, Sighting};
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs, LineFormat};
use crate::failure::{Failure, Outcome};
use crate::input::Told;
use crate::notes::Notes;
use crate::output::{Line, Output};
use crate::{input, report};

pub(crate) fn run(inputs: &Inputs, format: LineFormat, strict: bool, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common);
    scan.depth = Depth::Verify;
    let notes = Notes::new(common);
    let mut out = format.output(common)?;
    let (mut errors, mut warnings) = (0_u64, 0_u64);
    let is_lines = matches!(format, LineFormat::Ndjson) && inputs.sort.is_none();
    let view = |seen: &Sighting<'_, '_>| Line::of(seen.record, is_lines);
    let tally = input::each_told(&scan, inputs, common, view, |told| {
        let Told::Record(record, line) = told else { return Ok(()) };
        for problem in &record.summary.problems {
            match problem.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
        }
        write(record, line.flatten(), format, &mut out)
    })?;
    out.flush()?;
    notes.say(format_args!(
        "{}, {}, {}{}",
        report::count(tally.assets, "asset"),
        report::count(errors, "error"),
        report::count(warnings, "warning"),
        tally.rest()
    ));
    let found = errors > 0 || strict && warnings > 0;
    let status = tally.status();
    Ok(if found && status == ExitCode::SUCCESS { ExitCode::from(1) } else { status })
}

fn write(record: &Record, line: Option<Line>, format: LineFormat, out: &mut Output) -> Result<(), Failure> {
    match format {
        LineFormat::Ndjson => out.line_of(record, line)?,
        LineFormat::Text => {
            for problem in &record.summary.problems {
                let (word, style) = report::severity(problem.severity);
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
