//! Columns that are being filled.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Float32Builder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Fields};

use super::schema::item;

/// A number as a table has it; one that does not fit is unknown.
pub(super) fn fitting(number: u64) -> Option<i64> {
    i64::try_from(number).ok()
}

/// The same where there is no null: the largest number stands for what is larger.
pub(super) fn clamped(number: u64) -> i64 {
    fitting(number).unwrap_or(i64::MAX)
}

/// A column that gives up its cells.
pub(super) trait Cells {
    /// Has so many cells at least: those that are missing are null.
    fn pad(&mut self, rows: usize);

    fn take(&mut self) -> ArrayRef;
}

macro_rules! cells {
    ($($builder:ty),*) => {$(
        impl Cells for $builder {
            fn pad(&mut self, rows: usize) {
                self.append_nulls(rows.saturating_sub(self.len()));
            }

            fn take(&mut self) -> ArrayRef {
                Arc::new(self.finish())
            }
        }
    )*};
}

cells!(BooleanBuilder, Float32Builder, Int32Builder, Int64Builder, StringBuilder);

/// Which cells of a column of structs are null.
pub(super) struct Present(NullBufferBuilder);

impl Default for Present {
    fn default() -> Self {
        Self(NullBufferBuilder::new(0))
    }
}

impl Present {
    pub(super) fn add(&mut self, is_there: bool) {
        self.0.append(is_there);
    }

    pub(super) fn take(&mut self) -> Option<NullBuffer> {
        self.0.finish()
    }
}

/// Structs of these columns.
pub(super) fn structs(
    fields: Fields,
    columns: Vec<ArrayRef>,
    present: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(StructArray::try_new(fields, columns, present)?))
}

/// Where each list ends among the items of all.
#[derive(Default)]
pub(super) struct Ends(Vec<i32>);

impl Ends {
    /// A list ends behind so many items of the column. The bytes of a batch are bounded, and with them its items.
    pub(super) fn add(&mut self, items: usize) {
        self.0.push(i32::try_from(items).unwrap_or(i32::MAX));
    }

    pub(super) fn take(&mut self, items: ArrayRef) -> Result<ArrayRef, ArrowError> {
        let offsets: Vec<i32> = std::iter::once(0).chain(self.0.drain(..)).collect();
        let field = item(items.data_type().clone());
        Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::new(ScalarBuffer::from(offsets)), items, None)?))
    }
}
