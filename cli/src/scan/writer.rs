//! The forms of output of a scan.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use meshpeek::scan::Record;

use super::csv;
use super::table::Table;
use crate::args::{Common, Inputs, RecordFormat, ScanArgs};
use crate::failure::Failure;
use crate::info::rows::{RowMaker, Rows};
use crate::output::{Line, Output};
use crate::output_file::is_folder;
use crate::since::Old;
use crate::sorted::Sorted;
use crate::table_args::{ARE_BUILT_IN, NO_TABLES, is_table};
use crate::tables::Tables;
use crate::wrap;

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

/// Writes records in one of the forms.
pub(super) struct Writer {
    form: Form,
    /// The rows of `--sort`, of forms that do not sort themselves.
    sorted: Option<Sorted>,
}

enum Form {
    Table(Box<Table>, Output),
    Ndjson {
        out: Output,
        /// True if a reader may wait for each record before it sends the next path.
        at_once: bool,
    },
    Csv(Box<csv::Writer>),
    /// Some keys of each record.
    Rows(Rows),
    Tables(Arc<Tables>),
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
            return Ok(Self { form: Form::Tables(tables), sorted: None });
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
            return Ok(Self { form: Form::Rows(Rows::new(&args.columns, is_csv, common)?), sorted });
        }
        let text = Output::text(common)?;
        let usual = if text.is_terminal && !is_stream { RecordFormat::Table } else { RecordFormat::Ndjson };
        let format = asked.unwrap_or(usual);
        Ok(match format {
            RecordFormat::Table => {
                let rows = sorted.unwrap_or_else(|| Sorted::new(inputs, None, common));
                Self { form: Form::Table(Box::new(Table::new(rows)), text), sorted: None }
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

    pub(super) fn record(&mut self, record: &Record, line: Option<Line>) -> Result<(), Failure> {
        if self.sorted.as_ref().is_some_and(|sorted| !sorted.wants(record)) {
            return Ok(());
        }
        let row = match &mut self.form {
            Form::Table(table, _) => return Ok(table.add(record)?),
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
    pub(super) fn lines(&mut self, path: &Path, old: &Old) -> Result<(), Failure> {
        for (member, line) in old.lines(path) {
            match &mut self.sorted {
                Some(sorted) => sorted.push_line(path, member, line)?,
                None => self.form.put(line)?,
            }
        }
        Ok(())
    }

    /// The maker of rows with some keys.
    pub(super) fn row_maker(&self) -> Option<RowMaker> {
        match &self.form {
            Form::Rows(rows) => Some(rows.maker.clone()),
            _ => None,
        }
    }

    /// The tables, if the results are tables.
    pub(super) fn tables(&self) -> Option<Arc<Tables>> {
        match &self.form {
            Form::Tables(tables) => Some(tables.clone()),
            _ => None,
        }
    }

    /// Returns true if each record is a line of JSON.
    pub(super) fn is_ndjson(&self) -> bool {
        matches!(self.form, Form::Ndjson { .. })
    }

    /// The stream for lines that are not records.
    pub(super) fn stream(&mut self) -> Option<&mut Output> {
        match &mut self.form {
            Form::Ndjson { out, .. } => Some(out),
            _ => None,
        }
    }

    /// Writes the records that waited for an order.
    pub(super) fn write_sorted(&mut self) -> Result<(), Failure> {
        let Some(sorted) = &mut self.sorted else { return Ok(()) };
        while let Some(row) = sorted.next()? {
            self.form.put(row)?;
        }
        Ok(())
    }

    /// Writes the end. With `is_whole`, a later scan may use the rows of tables again.
    pub(super) fn finish(self, is_whole: bool) -> Result<(), Failure> {
        match self.form {
            Form::Table(table, mut out) => {
                let width = wrap::width(out.is_terminal);
                table.write(width, &mut out)?;
                out.flush()?;
            }
            Form::Ndjson { mut out, .. } => out.flush()?,
            Form::Csv(mut csv) => csv.out.flush()?,
            Form::Rows(mut rows) => rows.flush()?,
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
