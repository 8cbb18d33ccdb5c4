//! `meshpeek verify`: lists every problem on its own line.

use std::io::Write;
use std::process::ExitCode;

use meshpeek::scan::{Depth, Found, Record, Sighting};
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs, ReportFormat};
use crate::failure::Outcome;
use crate::notes::Notes;
use crate::output::{Line, Output};
use crate::sorted::Sorted;
#[cfg(feature = "parquet")]
use crate::tables::{Table, Tables};
use crate::{input, report};

pub(crate) fn run(inputs: &Inputs, format: ReportFormat, strict: bool, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common)?;
    scan.depth = Depth::Verify;
    let notes = Notes::new(common);
    #[cfg(feature = "parquet")]
    let tables = Tables::of(Table::Problems, &format, Sorted::if_asked(inputs, None, common), common)?;
    let mut out = Output::of(common, format == ReportFormat::Text)?;
    let (mut errors, mut warnings) = (0_u64, 0_u64);
    let is_lines = format == ReportFormat::Ndjson;
    let mut sorted = match format {
        ReportFormat::Text => Some(Sorted::new(inputs, None, common)),
        _ => Sorted::if_asked(inputs, None, common),
    };
    let view = |seen: &Sighting<'_, '_>| Line::of(seen.record, is_lines);
    let tally = input::each_result(&scan, inputs, None, common, view, |found, line| {
        #[cfg(feature = "parquet")]
        if let (Found::Unreadable(error), Some(tables)) = (&found, &tables) {
            return tables.unreadable(error);
        }
        let Found::Asset(record) = found else { return Ok(()) };
        #[cfg(feature = "parquet")]
        if let Some(tables) = &tables {
            tables.record(&record)?;
        }
        for problem in &record.summary.problems {
            match problem.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
        }
        let row = match format {
            ReportFormat::Ndjson => Line::bytes(&record, line)?,
            ReportFormat::Text if !record.summary.problems.is_empty() => text(&record, out.is_terminal).into_bytes(),
            _ => return Ok(()),
        };
        match &mut sorted {
            Some(sorted) => sorted.push(&record, &row)?,
            None => out.write_all(&row)?,
        }
        Ok(())
    })?;
    if let Some(mut sorted) = sorted {
        while let Some(row) = sorted.next()? {
            out.write_all(row)?;
        }
    }
    out.flush()?;
    #[cfg(feature = "parquet")]
    if let Some(tables) = tables {
        tables.finish(false)?;
    }
    notes.say(format_args!(
        "{}, {}, {}{}",
        report::count(tally.assets, "assets"),
        report::count(errors, "errors"),
        report::count(warnings, "warnings"),
        tally.rest()
    ));
    let found = errors > 0 || strict && warnings > 0;
    let status = tally.status();
    Ok(if found && status == ExitCode::SUCCESS { ExitCode::from(1) } else { status })
}

/// The problems of an asset, with its address before each line, or once above all.
fn text(record: &Record, above: bool) -> String {
    let place = report::place(record);
    let (mut text, before) = if above { (place + "\n", "  ".to_owned()) } else { (String::new(), place + ": ") };
    for problem in &record.summary.problems {
        text += &format!("{before}{}\n", report::problem(problem));
    }
    text
}
