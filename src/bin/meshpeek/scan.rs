//! `meshpeek scan`: one record for each asset.

mod csv;
mod table;

use std::io::Write;

use meshpeek::scan::Record;
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs, ScanArgs, ScanFormat};
use crate::notes::Notes;
use crate::output::{Failure, Outcome, Output};
use crate::{input, report};

pub(crate) fn run(inputs: &Inputs, args: &ScanArgs, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common);
    scan.digests = args.digests;
    let mut writer = Writer::new(inputs, args, common)?;
    let mut damaged = 0_u64;
    let tally = input::each_asset(&scan, inputs, common, |record| {
        damaged += u64::from(record.summary.problems.iter().any(|problem| problem.severity == Severity::Error));
        writer.record(record)
    })?;
    writer.finish()?;
    let progress = &scan.progress;
    Notes::new(common).say(format_args!(
        "{} in {}, {}, {damaged} damaged",
        report::count(tally.assets, "asset"),
        report::count(progress.files(), "file"),
        report::count(progress.bytes(), "byte")
    ));
    Ok(tally.looked_at())
}

enum Writer<'i> {
    Table(table::Table<'i>, Output),
    Ndjson {
        out: Output,
        /// Whether somebody may wait for each record before giving the next path.
        at_once: bool,
    },
    Csv(Box<csv::Writer>),
}

impl<'i> Writer<'i> {
    fn new(inputs: &'i Inputs, args: &ScanArgs, common: &Common) -> Result<Self, Failure> {
        let text = Output::text(common)?;
        let format = args.format.unwrap_or(if text.is_terminal() { ScanFormat::Table } else { ScanFormat::Ndjson });
        if args.csv_safe && format != ScanFormat::Csv {
            return Err(Failure::Told("--csv-safe goes with --format csv".to_owned()));
        }
        Ok(match format {
            ScanFormat::Table => Self::Table(table::Table::new(inputs), text),
            ScanFormat::Ndjson => Self::Ndjson { out: Output::data(common)?, at_once: inputs.paths_from.is_some() },
            ScanFormat::Csv => Self::Csv(Box::new(csv::Writer::new(Output::data(common)?, args.csv_safe)?)),
        })
    }

    fn record(&mut self, record: &Record) -> Result<(), Failure> {
        match self {
            Self::Table(table, _) => table.add(record),
            Self::Ndjson { out, at_once } => {
                serde_json::to_writer(&mut *out, record)?;
                writeln!(out)?;
                if *at_once {
                    out.flush()?;
                }
            }
            Self::Csv(csv) => csv.write(record)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Table(table, mut out) => {
                let width = table::width(out.is_terminal());
                table.write(width, &mut out)?;
                out.flush()?;
            }
            Self::Ndjson { mut out, .. } => out.flush()?,
            Self::Csv(csv) => csv.finish()?,
        }
        Ok(())
    }
}
