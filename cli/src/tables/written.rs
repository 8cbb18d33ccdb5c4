//! Files of Parquet or Arrow.

mod files;
mod sorted;
mod take;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use clap::ValueEnum;
use meshpeek::answers::dupes::{Copy, Group};
use meshpeek::answers::refs::Link;
use meshpeek::diff::Difference;
use meshpeek::scan::{FileId, Known, Record, Sighting, Views};
use meshpeek::{Error, Format};
pub(crate) use meshpeek_tables::Table;
use meshpeek_tables::{Batches, Form, parquet, since};

use self::files::{Files, Found};
use self::sorted::SortedRows;
use self::take::{ROWS, Take};
use crate::args::{Common, RecordFormat, ScanArgs};
use crate::failure::Failure;
use crate::lock::lock;
use crate::notes::Notes;
use crate::output_file::is_folder;
use crate::sorted::Sorted;
use crate::table_args::{Partition, is_table};
use crate::visible::shown;

pub(crate) struct Tables {
    /// The rows of all tables. If the files are divided by format, those of assets of each format follow.
    rows: Vec<(Option<Format>, OnceLock<Batches<Take>>)>,
    files: Arc<Files>,
    /// The rows of records, if they are sorted.
    sorted: Mutex<Option<SortedRows>>,
}

impl Tables {
    /// Creates these tables in the folder of `-o`, with the rows of records in order if they are to be `sorted`. A stream
    /// or file for results takes only one.
    fn new(
        tables: &[Table],
        form: Form,
        common: &Common,
        partition: Option<Partition>,
        sorted: Option<Sorted>,
    ) -> Result<Arc<Self>, Failure> {
        let files = match (&common.output, tables) {
            (Some(folder), _) if is_folder(folder) => Files::in_folder(folder, tables, form, common, partition)?,
            _ if partition.is_some() => return Err("--partition needs a folder: -o FOLDER/".into()),
            (_, &[table]) => Files::stream(table, form, common)?,
            _ => return Err("several tables need a folder: -o FOLDER/".into()),
        };
        // Rows without a format are those of what is not divided.
        let mut rows = vec![(None, OnceLock::new())];
        if partition == Some(Partition::Format) {
            for &format in Format::ALL {
                rows.push((Some(format), OnceLock::new()));
            }
        }
        let sorted = match sorted {
            Some(sorted) => Some(SortedRows::new(sorted, tables)?),
            None => None,
        };
        Ok(Arc::new(Self { rows, files: Arc::new(files), sorted: Mutex::new(sorted) }))
    }

    /// Creates this table alone, if the format is one of tables.
    pub(crate) fn of(
        table: Table,
        format: &impl ValueEnum,
        sorted: Option<Sorted>,
        common: &Common,
    ) -> Result<Option<Arc<Self>>, Failure> {
        let Some(form) = form_of(format) else { return Ok(None) };
        Ok(Some(Self::new(&[table], form, common, None, sorted)?))
    }

    /// Creates the tables that a scan is to write, in a format of tables.
    pub(crate) fn of_scan(
        args: &ScanArgs,
        format: RecordFormat,
        sorted: Option<Sorted>,
        common: &Common,
    ) -> Result<Arc<Self>, Failure> {
        let form = form_of(&format).unwrap_or(Form::Parquet);
        let is_folder = common.output.as_deref().is_some_and(is_folder);
        let tables = match (args.tables.as_slice(), is_folder) {
            ([], true) => Table::OF_SCAN.to_vec(),
            ([], false) => vec![Table::Assets],
            (names, _) => {
                SCAN_TABLES.into_iter().filter(|table| names.iter().any(|name| name == table.name())).collect()
            }
        };
        Self::new(&tables, form, common, args.partition, sorted)
    }

    /// The rows of assets of this format.
    fn rows(&self, wanted: Option<Format>) -> &Batches<Take> {
        // Without a row for this format, all are together. The list is never empty.
        let (format, rows) = self.rows.iter().find(|(format, _)| *format == wanted).unwrap_or(&self.rows[0]);
        rows.get_or_init(|| self.batches(*format))
    }

    fn batches(&self, format: Option<Format>) -> Batches<Take> {
        let files = self.files.clone();
        let take: Take = Box::new(move |table, batch| match files.write(table, format, &batch) {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(failure) => Err(failure.into()),
        });
        Batches::new(&self.files.tables(), ROWS, take)
    }

    /// How much the rows read.
    pub(crate) fn views(&self) -> Views {
        self.files.tables().into_iter().map(Table::views).max().unwrap_or_default()
    }

    pub(crate) fn has(&self, table: Table) -> bool {
        self.files.tables().contains(&table)
    }

    pub(crate) fn see(&self, seen: &Sighting<'_, '_>) {
        // An error of writing is reported with the next record, or at the end.
        let _ = self.rows(seen.record.summary.format).see(seen);
    }

    pub(crate) fn record(&self, record: &Record) -> Result<(), Failure> {
        if let Some(sorted) = &mut *lock(&self.sorted) {
            return sorted.add(record);
        }
        let rows = self.rows(record.summary.format);
        result_of(rows, rows.record(record))
    }

    /// A path that cannot be read.
    pub(crate) fn unreadable(&self, error: &Error) -> Result<(), Failure> {
        // The assets have rows of records alone, as the other forms of output.
        let has_row = self.has(Table::Problems) || self.has(Table::Files);
        if !has_row {
            return Ok(());
        }
        let rows = self.rows(None);
        result_of(rows, rows.unreadable_aside(error))
    }

    /// A file that is no asset.
    pub(crate) fn other(&self, path: &Path) -> Result<(), Failure> {
        let rows = self.rows(None);
        result_of(rows, rows.other(path))
    }

    pub(crate) fn link(&self, link: &Link<'_>) -> Result<(), Failure> {
        let rows = self.rows(None);
        result_of(rows, rows.link(link))
    }

    pub(crate) fn difference(&self, difference: &Difference) -> Result<(), Failure> {
        let rows = self.rows(None);
        result_of(rows, rows.difference(difference))
    }

    /// The copies of the group with this number.
    pub(crate) fn group(&self, number: u64, group: &Group) -> Result<(), Failure> {
        let rows = self.rows(None);
        result_of(rows, rows.group(usize::try_from(number).unwrap_or(usize::MAX), group))
    }

    /// An asset in no group that could not all be read.
    pub(crate) fn unread_copy(&self, copy: &Copy) -> Result<(), Failure> {
        let rows = self.rows(None);
        result_of(rows, rows.unread_copy(copy))
    }

    fn flush(&self) -> Result<(), Failure> {
        for (_, rows) in &self.rows {
            if let Some(rows) = rows.get() {
                rows.finish()?;
            }
        }
        Ok(())
    }

    /// Adds the rows that these files have in older tables.
    pub(crate) fn copy(&self, old: &OldTables, files: &HashSet<PathBuf>) -> Result<(), Failure> {
        // The rows of this scan come first.
        self.flush()?;
        if files.is_empty() {
            return Ok(());
        }
        for table in self.files.tables() {
            for Found { path, format } in old.files_of(table) {
                for batch in parquet::batches(path)? {
                    let rows = since::rows_of(&batch?, &|path| files.contains(Path::new(path)))?;
                    self.files.write(table, format.flatten(), &rows)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the ends of the files. With `is_whole`, a later scan may use their rows again.
    pub(crate) fn finish(&self, is_whole: bool) -> Result<(), Failure> {
        self.flush()?;
        if let Some(sorted) = lock(&self.sorted).take() {
            sorted.write(&self.files)?;
        }
        self.files.finish(is_whole)
    }

    /// The files of this folder, which are not inputs.
    pub(crate) fn ids(&self) -> Vec<FileId> {
        self.files.ids()
    }

    /// Replaces the files of earlier runs by those of this one.
    pub(crate) fn keep(&self) -> Result<(), Failure> {
        self.files.keep()
    }
}

/// Adding ends only at an error, which the rows keep.
fn result_of(rows: &Batches<Take>, added: ControlFlow<()>) -> Result<(), Failure> {
    if added.is_break() {
        rows.finish()?;
    }
    Ok(())
}

/// The tables that a scan can write.
const SCAN_TABLES: [Table; 8] = [
    Table::Assets,
    Table::Members,
    Table::Parts,
    Table::Arrays,
    Table::Lods,
    Table::Problems,
    Table::Files,
    Table::Geometry,
];

/// The form of files of this format, if it is one of tables.
fn form_of(format: &impl ValueEnum) -> Option<Form> {
    if !is_table(format) {
        return None;
    }
    let value = format.to_possible_value()?;
    Form::ALL.iter().copied().find(|form| form.name() == value.get_name())
}

/// The tables of an earlier scan.
pub(crate) struct OldTables(PathBuf);

impl OldTables {
    /// The tables at this path: a folder, or one file.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>, Failure> {
        if is_file_of(path, Form::Arrow) {
            return Err(Failure::at(path, "--since reads tables of Parquet, not Arrow"));
        }
        if is_file_of(path, Form::Parquet) || path.is_dir() {
            return Ok(Some(Self(path.to_owned())));
        }
        Ok(None)
    }

    /// The files whose rows they have. Empty, with a note, if the tables for this scan are not all there and whole.
    pub(crate) fn known(&self, tables: &Tables, notes: Notes) -> Result<Known, Failure> {
        let mut known = Known::default();
        for table in tables.files.tables() {
            let found = self.files_of(table);
            let paths: Vec<PathBuf> = found.iter().map(|found| found.path.clone()).collect();
            if !tables.files.are_divided_like(&found) || !parquet::is_whole(&paths, table)? {
                let place = paths.first().unwrap_or(&self.0);
                let name = table.name();
                let message = "not a whole table of this version, divided as now; all files are read";
                notes.error(format_args!("{}: {name}: {message}", shown(place)));
                return Ok(known);
            }
        }
        for Found { path, .. } in self.files_of(Table::Assets) {
            for batch in parquet::batches(path)? {
                since::know(&batch?, &mut known);
            }
        }
        Ok(known)
    }

    fn files_of(&self, table: Table) -> Vec<Found> {
        if self.0.is_dir() {
            files::find(&self.0, table, Form::Parquet)
        } else {
            vec![Found { path: self.0.clone(), format: None }]
        }
    }
}

/// Returns true if the path has the extension of a form.
fn is_file_of(path: &Path, form: Form) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(form.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_args::NAMES;

    #[test]
    fn the_command_line_knows_the_tables_of_a_scan() {
        assert_eq!(SCAN_TABLES.map(Table::name), NAMES);
    }
}
