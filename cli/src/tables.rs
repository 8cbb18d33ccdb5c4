//! Writes the results of verbs as tables of Parquet.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use meshpeek::diff::Difference;
use meshpeek::scan::dupes::Group;
use meshpeek::scan::refs::Link;
use meshpeek::scan::{FileId, Known, Record, Sighting};
use meshpeek::{Error, ErrorKind};
use meshpeek_tables::arrow_array::RecordBatch;
use meshpeek_tables::parquet::{self, Writer};
use meshpeek_tables::{Batches, Table, since};

use crate::args::Common;
use crate::failure::Failure;
use crate::notes::Notes;
use crate::output::Output;
use crate::output_file::OutputFile;
use crate::visible::shown;

/// Rows collected before they are compressed.
const ROWS: usize = 8192;

type Take = Box<dyn Fn(Table, RecordBatch) -> meshpeek::Result<ControlFlow<()>> + Send + Sync>;

/// The tables being written.
pub(crate) struct Tables {
    batches: Batches<Take>,
    writers: Arc<Writers>,
    /// The files, if the output is a folder.
    files: Mutex<Vec<OutputFile>>,
}

type OfTable = (Table, Mutex<Option<Writer<Output>>>);
type Writers = Vec<OfTable>;

impl Tables {
    /// Creates these tables in the folder of `-o`. A stream or file for results takes only one.
    pub(crate) fn new(tables: &[Table], common: &Common) -> Result<Arc<Self>, Failure> {
        let (mut writers, mut files) = (Writers::new(), Vec::new());
        match common.output.as_deref().filter(|path| crate::output_file::is_folder(path)) {
            Some(folder) => {
                std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
                for &table in tables {
                    let file = OutputFile::open(&in_folder(folder, table), &[])?;
                    writers.push(writer(Output::to_file(&file, common)?, table)?);
                    files.push(file);
                }
            }
            None => {
                let &[table] = tables else {
                    return Err(Failure::Told("several tables need a folder: -o FOLDER/".to_owned()));
                };
                let out = Output::data(common)?;
                if out.is_terminal() {
                    let told = "parquet is binary: redirect it or use -o";
                    return Err(Failure::Told(told.to_owned()));
                }
                writers.push(writer(out, table)?);
            }
        }
        let tables: Vec<Table> = writers.iter().map(|(table, _)| *table).collect();
        let writers = Arc::new(writers);
        let written = writers.clone();
        let take: Take = Box::new(move |table, batch| {
            for (_, writer) in written.iter().filter(|(known, _)| *known == table) {
                if let Some(writer) = writer.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                    writer.write(&batch)?;
                }
            }
            Ok(ControlFlow::Continue(()))
        });
        Ok(Arc::new(Self { batches: Batches::new(&tables, ROWS, take), writers, files: Mutex::new(files) }))
    }

    pub(crate) fn has(&self, table: Table) -> bool {
        self.writers.iter().any(|(known, _)| *known == table)
    }

    /// The files of the folder, which are not inputs.
    pub(crate) fn ids(&self) -> Vec<FileId> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().flat_map(|file| file.ids.clone()).collect()
    }

    pub(crate) fn see(&self, seen: &Sighting<'_, '_>) {
        // An error of writing is reported with the next record, or at the end.
        let _ = self.batches.see(seen);
    }

    pub(crate) fn record(&self, record: &Record) -> Result<(), Failure> {
        self.told(self.batches.record(record))
    }

    /// A path that cannot be read.
    pub(crate) fn unreadable(&self, error: &Error) -> Result<(), Failure> {
        // The assets have rows of records alone, as the other forms of output.
        let has_row = self.writers.iter().any(|(table, _)| matches!(table, Table::Problems | Table::Files));
        if has_row { self.told(self.batches.unreadable_aside(error)) } else { Ok(()) }
    }

    /// A file that is not an asset.
    pub(crate) fn other(&self, path: &Path) -> Result<(), Failure> {
        self.told(self.batches.other(path))
    }

    pub(crate) fn link(&self, link: &Link<'_>) -> Result<(), Failure> {
        self.told(self.batches.link(link))
    }

    pub(crate) fn group(&self, number: usize, group: &Group) -> Result<(), Failure> {
        self.told(self.batches.group(number, group))
    }

    pub(crate) fn difference(&self, difference: &Difference) -> Result<(), Failure> {
        self.told(self.batches.difference(difference))
    }

    fn told(&self, flow: ControlFlow<()>) -> Result<(), Failure> {
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => self.batches.finish().map_err(failure),
        }
    }

    /// Adds the rows that these files have in older tables.
    pub(crate) fn copy(&self, old: &OldTables, files: &HashSet<PathBuf>) -> Result<(), Failure> {
        // The rows of this scan come first.
        self.batches.finish().map_err(failure)?;
        for (table, writer) in self.writers.iter().filter(|_| !files.is_empty()) {
            for batch in old.batches(*table)? {
                let rows = since::rows_of(&batch?, &|path| files.contains(Path::new(path)))?;
                if let Some(writer) = writer.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                    writer.write(&rows).map_err(failure)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the ends of the files. With `is_whole`, a later scan may use their rows again.
    pub(crate) fn finish(&self, is_whole: bool) -> Result<(), Failure> {
        self.batches.finish().map_err(failure)?;
        for (_, writer) in self.writers.iter() {
            if let Some(mut writer) = writer.lock().unwrap_or_else(PoisonError::into_inner).take() {
                if is_whole {
                    writer.mark_whole();
                }
                std::io::Write::flush(&mut writer.finish().map_err(failure)?)?;
            }
        }
        Ok(())
    }

    /// Replaces older files of the folder by the new ones.
    pub(crate) fn keep(&self) -> Result<(), Failure> {
        let files = std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner));
        files.into_iter().try_for_each(OutputFile::finish)
    }
}

/// The tables of an earlier scan.
pub(crate) struct OldTables(PathBuf);

impl OldTables {
    /// The tables at this path: a folder, or one file.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let is_file = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
        (is_file || path.is_dir()).then(|| Self(path.to_owned()))
    }

    /// The files whose rows they have. Empty, with a note, if the tables for this scan are not all there and whole.
    pub(crate) fn known(&self, tables: &Tables, notes: Notes) -> Result<Known, Failure> {
        let mut known = Known::default();
        for (table, _) in tables.writers.iter() {
            if parquet::read(&self.file(*table), *table)?.is_none() {
                let file = self.file(*table);
                notes.error(format_args!("{}: not a whole table of this version; all files are read", shown(&file)));
                return Ok(known);
            }
        }
        for batch in self.batches(Table::Assets)? {
            since::know(&batch?, &mut known);
        }
        Ok(known)
    }

    fn file(&self, table: Table) -> PathBuf {
        if self.0.is_dir() { in_folder(&self.0, table) } else { self.0.clone() }
    }

    fn batches(&self, table: Table) -> Result<impl Iterator<Item = meshpeek::Result<RecordBatch>>, Failure> {
        Ok(parquet::read(&self.file(table), table)?.into_iter().flatten())
    }
}

fn in_folder(folder: &Path, table: Table) -> PathBuf {
    folder.join(table.name()).with_extension("parquet")
}

fn writer(out: Output, table: Table) -> Result<OfTable, Failure> {
    Ok((table, Mutex::new(Some(Writer::new(out, table).map_err(failure)?))))
}

fn failure(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => error.into(),
    }
}
