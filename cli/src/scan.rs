//! `meshpeek scan`: one record for each asset.

mod csv;
mod others;
pub(crate) mod table;

use std::cell::OnceCell;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::scan::{Found, Record, Sighting, Views};

use crate::args::{Common, Inputs, RecordFormat, ScanArgs};
#[cfg(feature = "parquet")]
use crate::args::{TABLES, table_form};
#[cfg(not(feature = "parquet"))]
use crate::command::NO_TABLES;
use crate::condition::{Noticed, Verdict};
use crate::failure::{Failure, Outcome};
use crate::info::rows::{self, RowMaker, Rows};
use crate::input::Tally;
use crate::keys::Needs;
use crate::notes::Notes;
use crate::output::{Line, Output};
use crate::output_file::is_folder;
use crate::since::{self, Old};
use crate::sorted::Sorted;
#[cfg(feature = "parquet")]
use crate::tables::{OldTables, Table, Tables};
use crate::thumbnails::Thumbnails;
use crate::{input, report, wrap};
use others::Others;

pub(crate) fn run(inputs: &Inputs, args: &ScanArgs, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common)?;
    scan.digests = args.digests;
    scan.depth = args.depth;
    let since = args.since.as_deref();
    #[cfg(feature = "parquet")]
    let old_tables = since.map(OldTables::at).transpose()?.flatten();
    #[cfg(feature = "parquet")]
    let since = since.filter(|_| old_tables.is_none());
    let old = since.map(|path| Old::open(path, common)).transpose()?;
    scan.known = old.as_ref().map(Old::known);
    let is_stream = args.events || old.is_some();
    if is_stream && !matches!(format(args, common)?, None | Some(RecordFormat::Ndjson)) {
        return Err("--events and --since need --format ndjson, or --since older tables".into());
    }
    // The records of unchanged files are copied from the old stream, without a look at their numbers.
    if old.is_some() && (args.top.is_some() || inputs.sort.as_ref().is_some_and(|by| by.name != "path")) {
        return Err("--since goes with --sort path only, and not with --top".into());
    }
    let mut writer = Writer::new(inputs, args, is_stream, common)?;
    #[cfg(feature = "parquet")]
    let tables = writer.tables();
    scan.beginnings = true;
    #[cfg(feature = "parquet")]
    if let Some(tables) = &tables {
        scan.selection.except.extend(tables.files.ids());
        // Views need all bytes.
        scan.beginnings = false;
        scan.views = tables.views();
    }
    #[cfg(feature = "parquet")]
    if let Some(old) = &old_tables {
        match &tables {
            Some(tables) if tables.has(Table::Assets) && inputs.sort.is_none() => {
                scan.known = Some(old.known(tables, Notes::new(common))?.into());
            }
            _ => return Err("--since older tables is for tables with the assets, without --sort".into()),
        }
    }
    #[cfg(feature = "parquet")]
    let mut unchanged = std::collections::HashSet::new();
    let folder = args.thumbnails.as_deref();
    let thumbnails = folder.map(|folder| Thumbnails::new(folder, args, &scan, &common.results)).transpose()?;
    if thumbnails.is_some() {
        scan.beginnings = false;
        scan.views = scan.views.max(Views::Outlines);
    }
    // Of the first records alone, few lines are needed.
    let is_lines = matches!(writer.form, Form::Ndjson { .. }) && args.top.is_none();
    let sort = inputs.sort.as_ref().map(|sort| sort.name.as_str()).filter(|name| !["path", "bytes"].contains(name));
    let noticed = Noticed::new(args.condition.as_deref(), sort);
    let maker = writer.row_maker();
    let of_asset = noticed.needs == Needs::Asset;
    let rows_of_asset = maker.as_ref().is_some_and(RowMaker::needs_assets);
    if of_asset || rows_of_asset {
        scan.beginnings = false;
        scan.views = scan.views.max(Views::Outlines);
    }
    let look = |record: &Record, asset: Option<&Asset<'_>>| {
        // The record as JSON is made once for all keys that need it.
        let json = OnceCell::new();
        let value = |key: &str| rows::value(key, record, asset, &json);
        noticed.look(record, &value)
    };
    let view = |seen: &Sighting<'_, '_>| {
        let verdict = look(seen.record, seen.asset.filter(|_| of_asset));
        let mut result = Seen { verdict, line: None };
        if !result.verdict.is_chosen {
            return result;
        }
        #[cfg(feature = "parquet")]
        if let Some(tables) = &tables {
            tables.see(seen);
        }
        if let Some(thumbnails) = &thumbnails {
            thumbnails.draw(seen);
        }
        result.line = match &maker {
            Some(maker) if rows_of_asset => Some(Line(maker.row(seen.record, seen.asset))),
            _ => Line::of(seen.record, is_lines),
        };
        result
    };
    let mut others = Others::new(!common.quiet);
    let mut copied = Tally::default();
    let mut tally = input::each_result(&scan, inputs, common, view, |found, seen| match found {
        Found::Asset(record) => {
            let seen = seen.unwrap_or_else(|| Seen { verdict: look(&record, None), line: None });
            noticed.count(&record, &seen.verdict);
            if seen.verdict.is_chosen { writer.record(&record, seen.line) } else { Ok(()) }
        }
        #[cfg(feature = "parquet")]
        Found::Unchanged(path) if old_tables.is_some() => {
            unchanged.insert(path);
            Ok(())
        }
        Found::Unchanged(path) => {
            let Some(old) = &old else { return Ok(()) };
            copied.add_copied(old.counts(&path));
            writer.lines(&path, old)
        }
        Found::NoAsset(path) => {
            others.add(&path);
            if args.others {
                let record = others::record(&scan, &path, common)?;
                let verdict = look(&record, None);
                noticed.count(&record, &verdict);
                return if verdict.is_chosen { writer.record(&record, None) } else { Ok(()) };
            }
            #[cfg(feature = "parquet")]
            if let Some(tables) = &tables
                && args.condition.is_none()
            {
                return tables.add(|rows| rows.other(&path));
            }
            Ok(())
        }
        #[cfg(feature = "parquet")]
        Found::Unreadable(error) if tables.is_some() => {
            tables.as_ref().map_or(Ok(()), |tables| tables.unreadable(&error))
        }
        Found::Unreadable(error) => match writer.stream() {
            Some(out) if args.events => Ok(writeln!(out, "{}", since::unreadable(&error, &inputs.paths))?),
            _ => Ok(()),
        },
        _ => Ok(()),
    })?;
    tally.add_copied(copied);
    writer.write_sorted()?;
    if let Some(out) = writer.stream().filter(|_| args.events) {
        since::finish(&scan, &tally, common.requests(), out)?;
    }
    #[cfg(feature = "parquet")]
    if let Some((tables, old)) = tables.as_ref().zip(old_tables.as_ref()) {
        tables.copy(old, &unchanged)?;
    }
    // A later scan may take rows of these tables, unless some are missing.
    let is_whole = !tally.interrupted && args.condition.is_none() && args.top.is_none() && inputs.units_from.is_none();
    writer.finish(is_whole)?;
    let undrawn = thumbnails.map_or(Ok(0), |thumbnails| thumbnails.finish(Notes::new(common)))?;
    let progress = &scan.progress;
    Notes::new(common).say(format_args!(
        "{} in {}, {}, {} damaged{}{}",
        report::count(tally.assets, "assets"),
        report::count(progress.files(), "files"),
        report::count(progress.bytes(), "bytes"),
        report::grouped(tally.damaged),
        tally.rest(),
        fetched(common)
    ));
    others.say(args.others, Notes::new(common));
    noticed.say(Notes::new(common));
    let mut code = tally.status();
    if code == ExitCode::SUCCESS && undrawn > 0 {
        code = ExitCode::from(1);
    }
    #[cfg(feature = "parquet")]
    if let Some(tables) = tables.filter(|_| [ExitCode::SUCCESS, ExitCode::from(1)].contains(&code)) {
        tables.files.keep()?;
    }
    Ok(code)
}

/// The requests and bytes of URLs, for the end of a summary line. Empty if there were none.
fn fetched(common: &Common) -> String {
    common.requests().map_or_else(String::new, |[requests, fetched, present]| {
        let (requests, present) = (report::count(requests, "requests"), report::count(present, "bytes"));
        format!(", {requests} for {} of {present}", report::grouped(fetched))
    })
}

/// The requested format; Parquet for a folder.
fn format(args: &ScanArgs, common: &Common) -> Result<Option<RecordFormat>, Failure> {
    let path = common.output.as_deref();
    let is_folder = path.is_some_and(is_folder);
    match args.format {
        #[cfg(feature = "parquet")]
        None if is_folder => Ok(Some(RecordFormat::Parquet)),
        #[cfg(not(feature = "parquet"))]
        None if is_folder => Err(NO_TABLES.into()),
        #[cfg(feature = "parquet")]
        Some(format) if table_form(&format).is_some() => Ok(args.format),
        Some(_) if is_folder => Err("a folder takes tables: --format parquet or arrow, no other".into()),
        asked => Ok(asked),
    }
}

/// The tables to write.
#[cfg(feature = "parquet")]
fn chosen_tables(args: &ScanArgs, common: &Common) -> Vec<Table> {
    let is_folder = common.output.as_deref().is_some_and(is_folder);
    match (args.tables.as_slice(), is_folder) {
        ([], true) => Table::OF_SCAN.to_vec(),
        ([], false) => vec![Table::Assets],
        (names, _) => TABLES.iter().copied().filter(|table| names.iter().any(|name| name == table.name())).collect(),
    }
}

/// What was found out about an asset while it was open.
struct Seen {
    verdict: Verdict,
    line: Option<Line>,
}

struct Writer {
    form: Form,
    /// The rows of `--sort`, of forms that do not sort themselves.
    sorted: Option<Sorted>,
}

enum Form {
    Table(Box<table::Table>, Output),
    Ndjson {
        out: Output,
        /// True if a reader may wait for each record before it sends the next path.
        at_once: bool,
    },
    Csv(Box<csv::Writer>),
    /// Some keys of each record.
    Rows(Rows),
    #[cfg(feature = "parquet")]
    Tables(std::sync::Arc<Tables>),
}

impl Writer {
    fn new(inputs: &Inputs, args: &ScanArgs, is_stream: bool, common: &Common) -> Result<Self, Failure> {
        let sorted = Sorted::if_asked(inputs, args.top, common);
        #[cfg(feature = "parquet")]
        if args.columns.is_empty()
            && let Some(form) = format(args, common)?.as_ref().and_then(table_form)
        {
            let tables = Tables::new(&chosen_tables(args, common), form, common, args.partition, sorted)?;
            return Ok(Self { form: Form::Tables(tables), sorted: None });
        }
        #[cfg(feature = "parquet")]
        if !args.tables.is_empty() || args.partition.is_some() {
            return Err("--tables and --partition need --format parquet or arrow, or -o FOLDER/".into());
        }
        if !args.columns.is_empty() {
            let is_csv = match format(args, common)? {
                None | Some(RecordFormat::Ndjson) => false,
                Some(RecordFormat::Csv) => true,
                Some(_) => return Err("--columns needs --format csv or ndjson".into()),
            };
            return Ok(Self { form: Form::Rows(Rows::new(&args.columns, is_csv, common)?), sorted });
        }
        let text = Output::text(common)?;
        let is_table = text.is_terminal && !is_stream;
        let format = format(args, common)?.unwrap_or(if is_table { RecordFormat::Table } else { RecordFormat::Ndjson });
        if args.csv_safe && format != RecordFormat::Csv {
            return Err("--csv-safe needs --format csv".into());
        }
        Ok(match format {
            RecordFormat::Table => {
                let rows = sorted.unwrap_or_else(|| Sorted::new(inputs, None, common));
                Self { form: Form::Table(Box::new(table::Table::new(rows)), text), sorted: None }
            }
            RecordFormat::Csv => {
                let csv = csv::Writer::new(Output::data(common)?, args.csv_safe)?;
                Self { form: Form::Csv(Box::new(csv)), sorted }
            }
            _ => {
                let form = Form::Ndjson { out: Output::data(common)?, at_once: inputs.paths_from.is_some() };
                Self { form, sorted }
            }
        })
    }

    fn record(&mut self, record: &Record, line: Option<Line>) -> Result<(), Failure> {
        if self.sorted.as_ref().is_some_and(|sorted| !sorted.wants(record)) {
            return Ok(());
        }
        let row = match &mut self.form {
            Form::Table(table, _) => return Ok(table.add(record)?),
            #[cfg(feature = "parquet")]
            Form::Tables(tables) => return tables.record(record),
            Form::Ndjson { .. } => Line::bytes(record, line)?,
            Form::Csv(csv) => csv.row(record)?,
            Form::Rows(rows) => match line {
                Some(line) => line.0?,
                None => rows.maker.row(record, None)?,
            },
        };
        match &mut self.sorted {
            Some(sorted) => Ok(sorted.push(record, &row)?),
            None => self.form.put(&row),
        }
    }

    /// Writes the lines of a file again.
    fn lines(&mut self, path: &Path, old: &Old) -> Result<(), Failure> {
        for (member, line) in old.lines(path) {
            match &mut self.sorted {
                Some(sorted) => sorted.push_line(path, member, line)?,
                None => self.form.put(line)?,
            }
        }
        Ok(())
    }

    /// The maker of rows with some keys.
    fn row_maker(&self) -> Option<RowMaker> {
        match &self.form {
            Form::Rows(rows) => Some(rows.maker.clone()),
            _ => None,
        }
    }

    #[cfg(feature = "parquet")]
    fn tables(&self) -> Option<std::sync::Arc<Tables>> {
        match &self.form {
            Form::Tables(tables) => Some(tables.clone()),
            _ => None,
        }
    }

    /// The stream for lines that are not records.
    fn stream(&mut self) -> Option<&mut Output> {
        match &mut self.form {
            Form::Ndjson { out, .. } => Some(out),
            _ => None,
        }
    }

    /// Writes the records that waited for an order.
    fn write_sorted(&mut self) -> Result<(), Failure> {
        let Some(sorted) = &mut self.sorted else { return Ok(()) };
        while let Some(row) = sorted.next()? {
            self.form.put(row)?;
        }
        Ok(())
    }

    fn finish(self, is_whole: bool) -> Result<(), Failure> {
        // Other forms do not say so.
        let _ = is_whole;
        match self.form {
            Form::Table(table, mut out) => {
                let width = wrap::width(out.is_terminal);
                table.write(width, &mut out)?;
                out.flush()?;
            }
            Form::Ndjson { mut out, .. } => out.flush()?,
            Form::Csv(mut csv) => csv.out.flush()?,
            Form::Rows(mut rows) => rows.flush()?,
            #[cfg(feature = "parquet")]
            Form::Tables(tables) => tables.finish(is_whole)?,
        }
        Ok(())
    }
}

impl Form {
    /// Writes a row of a form that has rows of bytes.
    fn put(&mut self, row: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Ndjson { out, at_once } => {
                out.write_all(row)?;
                if *at_once {
                    out.flush()?;
                }
            }
            Self::Csv(csv) => csv.out.write_all(row)?,
            Self::Rows(rows) => rows.put(row)?,
            _ => {}
        }
        Ok(())
    }
}
