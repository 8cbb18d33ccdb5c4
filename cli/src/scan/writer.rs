//! The forms of a scan's results.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::Error;
use meshpeek::scan::Record;

use super::csv::CsvMaker;
use super::table::Table;
use crate::args::{Common, Inputs, RecordFormat, ScanArgs};
use crate::failure::Failure;
use crate::forms::{End, Form, RecordRows};
use crate::info::rows::RowMaker;
use crate::output::{Line, Output};
use crate::output_file::is_folder;
use crate::since::{self, Old};
use crate::sorted::Sorted;
use crate::table_args::{ARE_BUILT_IN, NO_TABLES, is_table};
use crate::tables::Tables;

/// The requested format; Parquet for a folder.
pub(super) fn format(args: &ScanArgs, common: &Common) -> Result<Option<RecordFormat>, Failure> {
    let is_folder = common.output.as_deref().is_some_and(is_folder);
    match args.format {
        None if is_folder && !ARE_BUILT_IN => Err(NO_TABLES.into()),
        None if is_folder => Ok(Some(RecordFormat::Parquet)),
        Some(format) if is_folder && !is_table(&format) => {
            Err("a folder takes tables: --format parquet or arrow, no other".into())
        }
        asked => Ok(asked),
    }
}

/// A result of a scan.
enum Scanned<'r> {
    Record {
        record: &'r Record,
        /// Its row, if the thread that found it made one.
        row: Option<Line>,
    },
    /// A line of an earlier scan, about a file that has not changed since.
    Copied { path: &'r Path, member: Option<&'r str>, line: &'r [u8] },
}

/// Writes records in one of the forms.
pub(super) struct Writer {
    form: Box<dyn for<'r> Form<Scanned<'r>>>,
    /// The tables, if the results are tables.
    pub(super) tables: Option<Arc<Tables>>,
    /// The maker of rows with some keys.
    pub(super) row_maker: Option<RowMaker>,
    /// True if each record is a line of JSON.
    pub(super) is_ndjson: bool,
}

impl Writer {
    pub(super) fn new(inputs: &Inputs, args: &ScanArgs, is_stream: bool, common: &Common) -> Result<Self, Failure> {
        let sorted = Sorted::if_asked(inputs, args.top, common);
        let asked = format(args, common)?;
        if args.csv_safe && asked != Some(RecordFormat::Csv) {
            return Err("--csv-safe needs --format csv".into());
        }
        if let Some(format) = asked
            && is_table(&format)
            && args.columns.is_empty()
        {
            let tables = Tables::of_scan(args, format, sorted, common)?;
            return Ok(Self { tables: Some(tables.clone()), ..Self::of(RecordTables(tables)) });
        }
        if !args.tables.is_empty() || args.partition.is_some() {
            return Err("--tables and --partition need --format parquet or arrow, or -o FOLDER/".into());
        }
        if !args.columns.is_empty() {
            let is_csv = match asked {
                None | Some(RecordFormat::Ndjson) => false,
                Some(RecordFormat::Csv) => true,
                Some(_) => return Err("--columns needs --format csv or ndjson".into()),
            };
            let maker = RowMaker::new(&args.columns, is_csv, common);
            let mut out = Output::data(common)?;
            out.write_all(&maker.header()?)?;
            let rows = RecordRows::new(out, sorted);
            return Ok(Self { row_maker: Some(maker.clone()), ..Self::of(ScannedKeys { maker, rows }) });
        }
        let text = Output::text(common)?;
        let usual = if text.is_terminal && !is_stream { RecordFormat::Table } else { RecordFormat::Ndjson };
        match asked.unwrap_or(usual) {
            RecordFormat::Table => {
                let rows = sorted.unwrap_or_else(|| Sorted::new(inputs, None, common));
                Ok(Self::of(Table::new(rows, text)))
            }
            RecordFormat::Csv => {
                let mut maker = CsvMaker::new(args.csv_safe);
                let mut out = Output::data(common)?;
                out.write_all(&maker.header()?)?;
                Ok(Self::of(CsvRows { maker, rows: RecordRows::new(out, sorted) }))
            }
            _ => {
                let lines = Lines {
                    rows: RecordRows::new(Output::data(common)?, sorted),
                    at_once: inputs.paths_from.is_some(),
                    named: if args.events { Some(inputs.paths.clone()) } else { None },
                };
                Ok(Self { is_ndjson: true, ..Self::of(lines) })
            }
        }
    }

    fn of(form: impl for<'r> Form<Scanned<'r>> + 'static) -> Self {
        Self { form: Box::new(form), tables: None, row_maker: None, is_ndjson: false }
    }

    pub(super) fn record(&mut self, record: &Record, row: Option<Line>) -> Result<(), Failure> {
        self.form.add(Scanned::Record { record, row })
    }

    /// Writes the lines of a file again.
    pub(super) fn lines(&mut self, path: &Path, old: &Old) -> Result<(), Failure> {
        for (member, line) in old.lines(path) {
            self.form.add(Scanned::Copied { path, member, line })?;
        }
        Ok(())
    }

    pub(super) fn unreadable(&mut self, error: &Error) -> Result<(), Failure> {
        self.form.unreadable(error)
    }

    /// Writes what is left, and the last events. With `is_reusable`, a later scan may use the rows of tables again.
    pub(super) fn finish(self, is_reusable: bool, events: &str) -> Result<(), Failure> {
        self.form.finish(End { is_reusable, events, ..End::default() })
    }
}

/// Records, and events, as lines of JSON.
struct Lines {
    rows: RecordRows<Output>,
    /// True if a reader may wait for each record before it sends the next path.
    at_once: bool,
    /// With events, the paths that the user named.
    named: Option<Vec<PathBuf>>,
}

impl Form<Scanned<'_>> for Lines {
    fn add(&mut self, result: Scanned<'_>) -> Result<(), Failure> {
        match result {
            Scanned::Record { record, row } => {
                if !self.rows.wants(record) {
                    return Ok(());
                }
                self.rows.add(record, &Line::bytes(record, row)?)?;
            }
            Scanned::Copied { path, member, line } => self.rows.add_line(path, member, line)?,
        }
        if self.at_once {
            self.rows.flush()?;
        }
        Ok(())
    }

    fn unreadable(&mut self, error: &Error) -> Result<(), Failure> {
        if let Some(named) = &self.named {
            writeln!(self.rows.out, "{}", since::unreadable(error, named))?;
            if self.at_once {
                self.rows.out.flush()?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        let mut out = self.rows.finish()?;
        out.write_all(end.events.as_bytes())?;
        Ok(out.flush()?)
    }
}

/// All keys of each record as CSV.
struct CsvRows {
    maker: CsvMaker,
    rows: RecordRows<Output>,
}

impl Form<Scanned<'_>> for CsvRows {
    fn add(&mut self, result: Scanned<'_>) -> Result<(), Failure> {
        match result {
            Scanned::Record { record, .. } if self.rows.wants(record) => {
                Ok(self.rows.add(record, &self.maker.row(record)?)?)
            }
            Scanned::Record { .. } => Ok(()),
            Scanned::Copied { path, member, line } => Ok(self.rows.add_line(path, member, line)?),
        }
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.rows.end()
    }
}

/// Some keys of each record, as CSV or lines of JSON.
struct ScannedKeys {
    maker: RowMaker,
    rows: RecordRows<Output>,
}

impl Form<Scanned<'_>> for ScannedKeys {
    fn add(&mut self, result: Scanned<'_>) -> Result<(), Failure> {
        let (record, row) = match result {
            Scanned::Record { record, row } => (record, row),
            Scanned::Copied { path, member, line } => return Ok(self.rows.add_line(path, member, line)?),
        };
        if !self.rows.wants(record) {
            return Ok(());
        }
        let row = match row {
            Some(row) => row.0?,
            None => self.maker.row(record, None)?,
        };
        Ok(self.rows.add(record, &row)?)
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.rows.end()
    }
}

/// Tables, which sort their rows themselves.
struct RecordTables(Arc<Tables>);

impl Form<Scanned<'_>> for RecordTables {
    fn add(&mut self, result: Scanned<'_>) -> Result<(), Failure> {
        match result {
            Scanned::Record { record, .. } => self.0.record(record),
            // The rows of unchanged files are copied from older tables.
            Scanned::Copied { .. } => Ok(()),
        }
    }

    fn unreadable(&mut self, error: &Error) -> Result<(), Failure> {
        self.0.unreadable(error)
    }

    fn finish(self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        self.0.finish(end.is_reusable)
    }
}

/// The rows of a table for people are written when all widths are known.
impl Form<Scanned<'_>> for Table {
    fn add(&mut self, result: Scanned<'_>) -> Result<(), Failure> {
        match result {
            Scanned::Record { record, .. } => Ok(self.add_record(record)?),
            // `--since` never goes with this form.
            Scanned::Copied { .. } => Ok(()),
        }
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.write()?)
    }
}
