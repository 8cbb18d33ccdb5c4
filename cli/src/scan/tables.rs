//! Writes records, members, parts and arrays as tables of Parquet.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use meshpeek::scan::{FileId, Record, Sighting};
use meshpeek::{Error, ErrorKind};
use meshpeek_tables::parquet::Writer;
use meshpeek_tables::{Batches, Table};

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::output_file::OutputFile;

/// Rows collected before they are compressed.
const ROWS: usize = 8192;

type Take =
    Box<dyn Fn(Table, meshpeek_tables::arrow_array::RecordBatch) -> meshpeek::Result<ControlFlow<()>> + Send + Sync>;

/// The tables being written.
pub(super) struct Tables {
    batches: Batches<Take>,
    writers: Arc<Writers>,
    /// The files, if the output is a folder.
    files: Mutex<Vec<OutputFile>>,
}

type OfTable = (Table, Mutex<Option<Writer<Output>>>);
type Writers = Vec<OfTable>;

impl Tables {
    /// Creates all four tables in the folder of `-o`, or else the assets alone in the stream for results.
    pub(super) fn new(common: &Common) -> Result<Arc<Self>, Failure> {
        let (mut writers, mut files) = (Writers::new(), Vec::new());
        match common.output.as_deref().filter(|path| super::is_folder(path)) {
            Some(folder) => {
                std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
                for &table in Table::ALL {
                    let file = OutputFile::open(&in_folder(folder, table), &[])?;
                    writers.push(writer(Output::to_file(&file, common)?, table)?);
                    files.push(file);
                }
            }
            None => {
                let out = Output::data(common)?;
                if out.is_terminal() {
                    let told = "parquet is binary: redirect it or use -o";
                    return Err(Failure::Told(told.to_owned()));
                }
                writers.push(writer(out, Table::Assets)?);
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

    /// The files of the folder, which are not inputs.
    pub(super) fn ids(&self) -> Vec<FileId> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().flat_map(|file| file.ids.clone()).collect()
    }

    pub(super) fn see(&self, seen: &Sighting<'_, '_>) {
        // An error of writing is reported with the next record, or at the end.
        let _ = self.batches.see(seen);
    }

    pub(super) fn record(&self, record: &Record) -> Result<(), Failure> {
        match self.batches.record(record) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => self.batches.finish().map_err(failure),
        }
    }

    /// Writes the ends of the files.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        self.batches.finish().map_err(failure)?;
        for (_, writer) in self.writers.iter() {
            if let Some(writer) = writer.lock().unwrap_or_else(PoisonError::into_inner).take() {
                std::io::Write::flush(&mut writer.finish().map_err(failure)?)?;
            }
        }
        Ok(())
    }

    /// Replaces older files of the folder by the new ones.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        let files = std::mem::take(&mut *self.files.lock().unwrap_or_else(PoisonError::into_inner));
        files.into_iter().try_for_each(OutputFile::finish)
    }
}

fn in_folder(folder: &Path, table: Table) -> std::path::PathBuf {
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
