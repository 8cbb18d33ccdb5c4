//! Writes tables as files.

use std::fs::File;
use std::io::{Read as _, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::writer::TrackedWrite;

use super::parquet::{RUN, WHOLE, begin, parquet_error, write};
use super::{Table, arrow_error};
use meshpeek::Result;

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Parquet, compressed with zstd: small files that every engine reads.
    Parquet,
    /// Arrow (IPC file, also called Feather), not compressed. The arrays of batches are written unchanged, and programs
    /// can map the file and read them in place. For `geometry`, a scan takes 0.4 of the time of one to Parquet.
    Arrow,
}

impl Form {
    /// All forms.
    pub const ALL: &[Self] = &[Self::Parquet, Self::Arrow];

    /// Its name, which is also the ending of such files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

/// Writes a table as a file. Holds one group of rows (Parquet), or none (Arrow).
pub struct Writer<W: Write + Send>(Open<W>);

enum Open<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<FileWriter<TrackedWrite<W>>>),
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Returns the error of `out`.
    pub fn new(out: W, table: Table, form: Form) -> Result<Self> {
        let open = match form {
            Form::Parquet => Open::Parquet(Box::new(begin(out, table)?)),
            Form::Arrow => {
                let file = FileWriter::try_new(TrackedWrite::new(out), &table.schema()).map_err(error)?;
                Open::Arrow(Box::new(file))
            }
        };
        Ok(Self(open))
    }

    /// Adds the rows of a batch of the table.
    ///
    /// # Errors
    /// Returns the error of the underlying writer, or an error if the batch is from another table.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.0 {
            Open::Parquet(file) => write(file, batch),
            Open::Arrow(file) => file.write(batch).map_err(error),
        }
    }

    /// Returns about how many bytes the file has so far.
    pub fn byte_len(&self) -> u64 {
        match &self.0 {
            Open::Parquet(file) => file.bytes_written().saturating_add(file.in_progress_size()) as u64,
            Open::Arrow(file) => file.get_ref().bytes_written() as u64,
        }
    }

    fn mark(&mut self, key: &str, value: String) {
        match &mut self.0 {
            Open::Parquet(file) => file.append_key_value_metadata(KeyValue::new(key.to_owned(), value)),
            Open::Arrow(file) => file.write_metadata(key, value),
        }
    }

    /// Marks the file as one of a set. All files of a set have the same name of the run that wrote them.
    pub fn mark_part(&mut self, run: &str) {
        self.mark(RUN, run.to_owned());
    }

    /// Marks the set as whole: it has this many files, with every row of its scan, so that a later scan may copy
    /// them. A set of one file needs no [other mark](Self::mark_part).
    pub fn mark_whole(&mut self, files: usize) {
        self.mark(WHOLE, if files == 1 { "true".to_owned() } else { files.to_string() });
    }

    /// Writes the remaining rows and the end of the file.
    ///
    /// # Errors
    /// Returns the error of the underlying writer.
    pub fn finish(self) -> Result<W> {
        let out = match self.0 {
            Open::Parquet(file) => file.into_inner(),
            Open::Arrow(file) => file.into_inner().map_err(error)?.into_inner(),
        };
        out.map_err(parquet_error)
    }
}

/// Returns true if a [`Writer`] of this table wrote the file, in this form.
pub fn is_of(path: &Path, table: Table, form: Form) -> bool {
    let name = match form {
        Form::Parquet => super::parquet::table(path),
        Form::Arrow => arrow_table(path),
    };
    name.as_deref() == Some(table.name())
}

/// More than the schema of any table takes.
const SCHEMA_BYTES: u64 = 1 << 18;

/// Returns the table of an Arrow file, from the schema at its beginning. [`FileReader`](arrow_ipc::reader::FileReader)
/// would also read what the end of the file states, of any length.
fn arrow_table(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(SCHEMA_BYTES).read_to_end(&mut start).ok()?;
    let padding = start.strip_prefix(b"ARROW1")?;
    let padding_bytes = padding.iter().position(|byte| *byte != 0)?;
    let message = padding.get(padding_bytes..)?.strip_prefix(&[0xff; 4])?;
    let (length, message) = message.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let message = message.get(..length)?;
    let schema = arrow_ipc::root_as_message(message).ok()?.header_as_schema()?;
    let entry = schema.custom_metadata()?.iter().find(|entry| entry.key() == Some("meshpeek.table"))?;
    entry.value().map(str::to_owned)
}

/// The error of the underlying writer unchanged, or Arrow's own.
fn error(error: ArrowError) -> meshpeek::Error {
    match error {
        ArrowError::IoError(_, error) => error.into(),
        error => arrow_error(error),
    }
}
