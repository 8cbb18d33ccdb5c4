//! Arrays found by selector, with their bytes in place or decoded.

use std::ops::Range;

use super::asset::Inspect;
use super::selector::Selector;
use crate::base::error::Result;
use crate::budget::Budget;
use crate::bytes::array::{room_for_all, row_byte_len};
use crate::bytes::batch::to_the_end;
use crate::bytes::{Column, Storage, Table};

/// An array of an asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Array {
    /// The columns of a row, in order and without padding.
    pub columns: Vec<Column>,
    /// The number of rows.
    pub rows: u64,
    /// The location and packing in the file.
    pub storage: Storage,
    /// Its bytes.
    pub content: Content,
}

/// The bytes of an array.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content {
    /// A range of the asset's own bytes.
    Here {
        /// From the first byte of the first row to the last byte of the last row.
        range: Range<usize>,
        /// The distance from one row to the next in bytes.
        stride: usize,
    },
    /// Rows that had to be decoded or assembled, one after another without padding.
    Decoded(Vec<u8>),
}

impl Array {
    /// Returns the selected array of an asset in `data`, or `None` if the asset has no such array. An array that is not
    /// stored in place is decoded into new memory, charged to the budget during the call. The memory of the returned
    /// array is not charged.
    /// ```
    /// use meshpeek::inspect::{Array, array::Content};
    /// # use meshpeek::{Asset, Budget, Limits};
    /// # let bytes = std::fs::read("corpus/b3d/triangle.b3d").unwrap();
    /// let asset = Asset::parse(&bytes)?;
    /// let budget = Budget::new(bytes.len() as u64, &Limits::default());
    /// let positions = Array::find(&asset, &bytes, &"meshes/0/positions".parse()?, &budget)?.expect("an array");
    /// assert!(matches!(positions.content, Content::Here { stride: 12, .. }));
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the array does not decode, or exceeds the budget. Also fails, as [`Selector::find`] does, if an error may
    /// hide it.
    pub fn find(asset: &dyn Inspect, data: &[u8], selector: &Selector, budget: &Budget) -> Result<Option<Self>> {
        let mut found = None;
        selector.find(asset, &mut |table| found = Some(Self::of(table, data, budget)))?;
        found.transpose()
    }

    /// Creates the array of this table. Its bytes are in `data`, or are decoded.
    fn of(table: &dyn Table, data: &[u8], budget: &Budget) -> Result<Self> {
        let columns = table.columns();
        let rows = table.rows();
        let storage = table.storage();
        if let Some(here) = table.in_place()
            && let Some(range) = place(here.bytes, data)
        {
            return Ok(Self { columns, rows, storage, content: Content::Here { range, stride: here.stride } });
        }
        let bytes = rows.saturating_mul(row_byte_len(&columns) as u64);
        let _held = budget.hold(bytes).map_err(|error| error.at(storage.offset))?;
        let content = Content::Decoded(decoded(table, budget)?);
        Ok(Self { columns, rows, storage, content })
    }

    /// Returns the size of a row in bytes, without padding.
    pub fn row_byte_len(&self) -> usize {
        row_byte_len(&self.columns)
    }
}

/// Returns the range of `bytes` inside `data`, or `None` if they are in other memory.
fn place(bytes: &[u8], data: &[u8]) -> Option<Range<usize>> {
    let start = if bytes.is_empty() { 0 } else { bytes.as_ptr().addr().checked_sub(data.as_ptr().addr())? };
    let range = start..start.checked_add(bytes.len())?;
    if range.end <= data.len() { Some(range) } else { None }
}

/// Returns all rows of a table, decoded.
fn decoded(table: &dyn Table, budget: &Budget) -> Result<Vec<u8>> {
    let mut bytes = room_for_all(table)?;
    budget.read(table, &mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(bytes)
}
