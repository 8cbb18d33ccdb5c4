//! An earlier table of assets, whose rows of unchanged files are used again.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, RecordBatch, StringArray};
use arrow_select::filter::filter_record_batch;

use super::arrow_error;
use meshpeek::Result;
use meshpeek::scan::Known;

fn texts<'b>(batch: &'b RecordBatch, name: &str) -> Option<&'b StringArray> {
    batch.column_by_name(name)?.as_string_opt()
}

fn flags<'b>(batch: &'b RecordBatch, name: &str) -> Option<&'b BooleanArray> {
    batch.column_by_name(name)?.as_boolean_opt()
}

/// Adds the files of a batch of [assets](super::Table::Assets) to the known ones, by their stamps. A file whose name is
/// not UTF-8 stays unknown. Adds nothing if the batch lacks the columns.
///
/// The caller makes sure that the table has the rows of all members: an archive counts as known if its own row is there.
pub fn know(batch: &RecordBatch, known: &mut Known) {
    let Some(paths) = texts(batch, "path") else { return };
    let Some(members) = texts(batch, "member") else { return };
    let Some(stamps) = texts(batch, "stamp") else { return };
    let Some(lossy) = flags(batch, "lossy") else { return };
    for row in 0..batch.num_rows() {
        if members.is_null(row) && stamps.is_valid(row) && !lossy.value(row) {
            known.add(PathBuf::from(paths.value(row)), stamps.value(row).to_owned());
        }
    }
}

/// Returns the rows of a batch whose `path` is one of these. Returns none if it has no such column.
///
/// # Errors
/// Returns an error of Arrow, which occurs only if memory for the rows cannot be made.
pub fn rows_of(batch: &RecordBatch, is_one: &dyn Fn(&str) -> bool) -> Result<RecordBatch> {
    let Some(paths) = texts(batch, "path") else { return Ok(batch.slice(0, 0)) };
    let chosen: BooleanArray = paths.iter().map(|path| Some(path.is_some_and(is_one))).collect();
    filter_record_batch(batch, &chosen).map_err(arrow_error)
}
