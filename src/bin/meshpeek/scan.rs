//! `meshpeek scan`: one record for each asset.

mod csv;
pub(crate) mod table;

use std::io::Write;

use meshpeek::scan::{Depth, Record};
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs, ScanArgs, ScanDepth, ScanFormat, Stream};
use crate::input::Told;
use crate::notes::Notes;
use crate::output::{Failure, Outcome, Output};
use crate::since::{self, Old};
use crate::{input, report};

pub(crate) fn run(inputs: &Inputs, args: &ScanArgs, stream: &Stream, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common);
    scan.digests = args.digests;
    scan.depth = match args.depth {
        ScanDepth::Header => Depth::Header,
        ScanDepth::Summary => Depth::Summary,
    };
    let old = stream.since.as_deref().map(|path| Old::open(path, common)).transpose()?;
    scan.known = old.as_ref().map(Old::known);
    let is_stream = stream.events || old.is_some();
    if is_stream && !matches!(args.format, None | Some(ScanFormat::Ndjson)) {
        return Err(Failure::Told("--events and --since go with --format ndjson".to_owned()));
    }
    let mut writer = Writer::new(inputs, args, is_stream, common)?;
    let mut damaged = 0_u64;
    let mut copied = 0;
    let mut tally = input::each_told(&scan, inputs, common, |told| match told {
        Told::Record(record) => {
            damaged += u64::from(record.summary.problems.iter().any(|problem| problem.severity == Severity::Error));
            writer.record(record)
        }
        Told::Unchanged(path) => {
            let Some((old, out)) = old.as_ref().zip(writer.stream()) else { return Ok(()) };
            let (records, faults) = old.copy(path, out)?;
            (copied, damaged) = (copied + records, damaged + faults);
            Ok(())
        }
        Told::Unreadable(error) => match writer.stream() {
            Some(out) if stream.events => Ok(writeln!(out, "{}", since::unreadable(error, &inputs.paths))?),
            _ => Ok(()),
        },
    })?;
    tally.assets += copied;
    if let Some(out) = writer.stream().filter(|_| stream.events) {
        since::finish(&scan, &tally, damaged, out)?;
    }
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
    fn new(inputs: &'i Inputs, args: &ScanArgs, is_stream: bool, common: &Common) -> Result<Self, Failure> {
        let text = Output::text(common)?;
        let is_table = text.is_terminal() && !is_stream;
        let format = args.format.unwrap_or(if is_table { ScanFormat::Table } else { ScanFormat::Ndjson });
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
                out.json_line(record)?;
                if *at_once {
                    out.flush()?;
                }
            }
            Self::Csv(csv) => csv.write(record)?,
        }
        Ok(())
    }

    /// Where lines that are no records can go.
    fn stream(&mut self) -> Option<&mut Output> {
        match self {
            Self::Ndjson { out, .. } => Some(out),
            _ => None,
        }
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
