//! Writes and reads Parquet files.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::{SCHEMA, Table};
use meshpeek::{Error, Result};

/// The key of the metadata of whole sets: "true", or the number of files.
pub(super) const WHOLE: &str = "meshpeek.whole";
/// The key of the run that wrote a set of files.
pub(super) const RUN: &str = "meshpeek.run";

/// Rows per group.
const GROUP_ROWS: usize = 131_072;
/// A group ends early if it takes this much memory.
const GROUP_BYTES: usize = 64 << 20;

/// Values of a column that are encoded at once.
const STEP_VALUES: usize = 8192;

/// Begins a file, which is written group by group. A group has 131,072 rows, or fewer if they take 64 MiB.
pub(super) fn begin<W: Write + Send>(out: W, table: Table) -> Result<ArrowWriter<W>> {
    let about = vec![
        KeyValue::new("meshpeek.schema".to_owned(), SCHEMA.to_string()),
        KeyValue::new("meshpeek.table".to_owned(), table.name().to_owned()),
    ];
    let mut properties = WriterProperties::builder();
    for name in various(table) {
        let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        let column = ColumnPath::from(parts);
        properties = properties.set_column_dictionary_enabled(column.clone(), false);
        if table != Table::Geometry {
            continue;
        }
        // Nobody looks for the largest coordinate of a page.
        properties = properties.set_column_statistics_enabled(column.clone(), EnabledStatistics::None);
        if name.starts_with("triangles.") {
            // Their numbers are close to each other.
            properties = properties.set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
        }
    }
    let properties = properties
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).map_err(parquet_error)?))
        .set_created_by(concat!("meshpeek ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(about))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_write_batch_size(STEP_VALUES)
        .build();
    ArrowWriter::try_new(out, table.schema(), Some(properties)).map_err(parquet_error)
}

pub(super) fn write<W: Write + Send>(file: &mut ArrowWriter<W>, batch: &RecordBatch) -> Result<()> {
    file.write(batch).map_err(parquet_error)?;
    if file.memory_size() >= GROUP_BYTES {
        file.flush().map_err(parquet_error)?;
    }
    Ok(())
}

/// Returns true if these are all files of a set that a [`Writer`](super::Writer) wrote and [marked](super::Writer::mark_whole) as whole, with the
/// columns that the table has now.
///
/// # Errors
/// Returns an error if a file cannot be opened, or is not a Parquet file.
pub fn is_whole(paths: &[PathBuf], table: Table) -> Result<bool> {
    let mut runs = Vec::new();
    let mut whole = None;
    for path in paths {
        let builder = open(path)?;
        if builder.schema().fields() != table.schema().fields() {
            return Ok(false);
        }
        if let Some(mark) = value(&builder, WHOLE) {
            whole = Some(mark);
        }
        runs.push(value(&builder, RUN));
    }
    let Some(whole) = whole else { return Ok(false) };
    let is_whole = whole == paths.len().to_string() || whole == "true" && paths.len() == 1;
    Ok(is_whole && runs.windows(2).all(|pair| pair.first() == pair.last()))
}

type Builder = ParquetRecordBatchReaderBuilder<File>;

/// A value of the file's metadata.
fn value(file: &Builder, key: &str) -> Option<String> {
    let entries = file.metadata().file_metadata().key_value_metadata()?;
    entries.iter().find(|entry| entry.key == key)?.value.clone()
}

fn open(path: &Path) -> Result<Builder> {
    try_open(path).map_err(|error| error.in_file(path))
}

fn try_open(path: &Path) -> Result<Builder> {
    Builder::try_new(File::open(path)?).map_err(parquet_error)
}

/// Reads the batches of a file, whole or not.
///
/// # Errors
/// Returns an error if the file cannot be opened, or is not a Parquet file.
pub fn batches(path: PathBuf) -> Result<impl Iterator<Item = Result<RecordBatch>>> {
    let builder = open(&path)?.with_batch_size(BATCH_ROWS);
    let reader: ParquetRecordBatchReader = builder.build().map_err(|error| parquet_error(error).in_file(&path))?;
    Ok(reader.map(move |batch| batch.map_err(|error| Error::from(std::io::Error::other(error)).in_file(&path))))
}

/// The table of a file, if a writer wrote it.
pub(super) fn table(path: &Path) -> Option<String> {
    open(path).ok()?.schema().metadata().get("meshpeek.table").cloned()
}

/// The rows of a batch that is read.
const BATCH_ROWS: usize = 8192;

/// The columns with mostly distinct cells, for which a dictionary is useless.
fn various(table: Table) -> &'static [&'static str] {
    match table {
        Table::Assets => &["member", "digests.file", "digests.positions", "stored.offset", "stamp"],
        Table::Members => &["name", "offset", "crc32"],
        Table::Parts => &["offset"],
        Table::Arrays | Table::Problems => &["offset"],
        Table::Files => &["path"],
        Table::Geometry => &[
            "positions.list.element.list.element",
            "normals.list.element.list.element",
            "uvs.list.element.list.element",
            "triangles.list.element.list.element",
        ],
        Table::Lods | Table::Refs | Table::Dupes | Table::Diff => &[],
    }
}

/// The error of the underlying writer unchanged, or Parquet's own.
pub(super) fn parquet_error(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) => (*error).into(),
            Err(error) => std::io::Error::other(error).into(),
        },
        error => std::io::Error::other(error).into(),
    }
}
