//! `meshpeek scan`: one record for each asset.

mod csv;
pub(crate) mod table;
#[cfg(feature = "parquet")]
mod tables;

use std::io::Write;
use std::path::Path;
#[cfg(feature = "parquet")]
use std::process::ExitCode;

use meshpeek::scan::{Depth, Record, Sighting};

use crate::args::{Common, Inputs, RecordFormat, ScanArgs, ScanDepth, Stream};
use crate::failure::{Failure, Outcome};
use crate::info::rows::Rows;
use crate::input::{Tally, Told};
use crate::notes::Notes;
use crate::output::{Line, Output};
use crate::since::{self, Old};
use crate::thumbnails::Thumbnails;
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
    if is_stream && !matches!(format(args, common)?, None | Some(RecordFormat::Ndjson)) {
        return Err(Failure::Told("--events and --since need --format ndjson".to_owned()));
    }
    // The records of unchanged files are copied from the old stream, without a look at their numbers.
    if old.is_some() && (args.top.is_some() || inputs.sort.as_ref().is_some_and(|by| by.name != "path")) {
        return Err(Failure::Told("--since goes with --sort path only, and not with --top".to_owned()));
    }
    let mut writer = Writer::new(inputs, args, is_stream, common)?;
    #[cfg(feature = "parquet")]
    let tables = writer.tables();
    #[cfg(feature = "parquet")]
    if let Some(tables) = &tables {
        scan.selection.except.extend(tables.ids());
    }
    let folder = args.thumbnails.as_deref();
    let thumbnails = folder.map(|folder| Thumbnails::new(folder, args, &scan, &common.results)).transpose()?;
    let is_lines = matches!(writer, Writer::Ndjson { .. }) && inputs.sort.is_none();
    let view = |seen: &Sighting<'_, '_>| {
        #[cfg(feature = "parquet")]
        if let Some(tables) = &tables {
            tables.see(seen);
        }
        if let Some(thumbnails) = &thumbnails {
            thumbnails.draw(seen);
        }
        Line::of(seen.record, is_lines)
    };
    let mut copied = Tally::default();
    let mut tally = input::each_told(&scan, inputs, args.top, common, view, |told| match told {
        Told::Record(record, line) => writer.record(record, line.flatten()),
        Told::Unchanged(path) => {
            let Some((old, out)) = old.as_ref().zip(writer.stream()) else { return Ok(()) };
            copied.add_copied(old.copy(path, out)?);
            Ok(())
        }
        Told::Unreadable(error) => match writer.stream() {
            Some(out) if stream.events => Ok(writeln!(out, "{}", since::unreadable(error, &inputs.paths))?),
            _ => Ok(()),
        },
    })?;
    tally.add_copied(copied);
    if let Some(out) = writer.stream().filter(|_| stream.events) {
        since::finish(&scan, &tally, out)?;
    }
    writer.finish()?;
    if let Some(thumbnails) = thumbnails {
        thumbnails.finish(Notes::new(common))?;
    }
    let progress = &scan.progress;
    Notes::new(common).say(format_args!(
        "{} in {}, {}, {} damaged{}",
        report::count(tally.assets, "asset"),
        report::count(progress.files(), "file"),
        report::count(progress.bytes(), "byte"),
        report::grouped(tally.damaged),
        tally.rest()
    ));
    let code = tally.status();
    #[cfg(feature = "parquet")]
    if let Some(tables) = tables.filter(|_| [ExitCode::SUCCESS, ExitCode::from(1)].contains(&code)) {
        tables.keep()?;
    }
    Ok(code)
}

/// Returns true if this is the name of a folder to write tables into.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
}

/// The requested format; Parquet for a folder.
fn format(args: &ScanArgs, common: &Common) -> Result<Option<RecordFormat>, Failure> {
    let path = common.output.as_deref();
    let is_folder = path.is_some_and(is_folder);
    match args.format {
        None if is_folder => parquet().map(Some),
        #[cfg(feature = "parquet")]
        Some(RecordFormat::Parquet) => Ok(args.format),
        Some(_) if is_folder => Err(Failure::Told("a folder takes Parquet tables, no other format".to_owned())),
        asked => Ok(asked),
    }
}

#[cfg(feature = "parquet")]
fn parquet() -> Result<RecordFormat, Failure> {
    Ok(RecordFormat::Parquet)
}

#[cfg(not(feature = "parquet"))]
fn parquet() -> Result<RecordFormat, Failure> {
    Err(Failure::Told("this build writes no Parquet: it was made without that feature".to_owned()))
}

enum Writer<'i> {
    Table(table::Table<'i>, Output),
    Ndjson {
        out: Output,
        /// True if a reader may wait for each record before it sends the next path.
        at_once: bool,
    },
    Csv(Box<csv::Writer>),
    /// Some keys of each record.
    Rows(Rows),
    #[cfg(feature = "parquet")]
    Tables(std::sync::Arc<tables::Tables>),
}

impl<'i> Writer<'i> {
    fn new(inputs: &'i Inputs, args: &ScanArgs, is_stream: bool, common: &Common) -> Result<Self, Failure> {
        #[cfg(feature = "parquet")]
        if args.columns.is_empty() && format(args, common)? == Some(RecordFormat::Parquet) {
            return Ok(Self::Tables(tables::Tables::new(common)?));
        }
        if !args.columns.is_empty() {
            return match format(args, common)? {
                None | Some(RecordFormat::Ndjson) => Ok(Self::Rows(Rows::new(&args.columns, false, common)?)),
                Some(RecordFormat::Csv) => Ok(Self::Rows(Rows::new(&args.columns, true, common)?)),
                Some(_) => Err(Failure::Told("--columns needs --format csv or ndjson".to_owned())),
            };
        }
        let text = Output::text(common)?;
        let is_table = text.is_terminal() && !is_stream;
        let format = format(args, common)?.unwrap_or(if is_table { RecordFormat::Table } else { RecordFormat::Ndjson });
        if args.csv_safe && format != RecordFormat::Csv {
            return Err(Failure::Told("--csv-safe needs --format csv".to_owned()));
        }
        Ok(match format {
            RecordFormat::Table => Self::Table(table::Table::new(inputs), text),
            RecordFormat::Ndjson => Self::Ndjson { out: Output::data(common)?, at_once: inputs.paths_from.is_some() },
            #[cfg(feature = "parquet")]
            RecordFormat::Parquet => Self::Tables(tables::Tables::new(common)?),
            RecordFormat::Csv => Self::Csv(Box::new(csv::Writer::new(Output::data(common)?, args.csv_safe)?)),
        })
    }

    fn record(&mut self, record: &Record, line: Option<Line>) -> Result<(), Failure> {
        match self {
            Self::Table(table, _) => table.add(record),
            Self::Ndjson { out, at_once } => {
                out.line_of(record, line)?;
                if *at_once {
                    out.flush()?;
                }
            }
            Self::Csv(csv) => csv.write(record)?,
            Self::Rows(rows) => rows.add(record, None)?,
            #[cfg(feature = "parquet")]
            Self::Tables(tables) => tables.record(record)?,
        }
        Ok(())
    }

    #[cfg(feature = "parquet")]
    fn tables(&self) -> Option<std::sync::Arc<tables::Tables>> {
        match self {
            Self::Tables(tables) => Some(tables.clone()),
            _ => None,
        }
    }

    /// The stream for lines that are not records.
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
            Self::Rows(mut rows) => rows.flush()?,
            #[cfg(feature = "parquet")]
            Self::Tables(tables) => tables.finish()?,
        }
        Ok(())
    }
}
