//! An array by its selector, for programs that hand arrays on.

use std::ops::{ControlFlow, Range};

use super::{Inspect, Selector};
use crate::base::error::{Error, Result};
use crate::budget::Budget;
use crate::bytes::{Column, Storage, Table};

/// An array of an asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Array {
    /// What each row's bytes are, in order and without gaps.
    pub columns: Vec<Column>,
    /// How many rows.
    pub rows: u64,
    /// Where it lies and how.
    pub storage: Storage,
    /// Its bytes.
    pub content: Content,
}

/// The bytes of an array.
#[derive(Clone, Debug)]
pub enum Content {
    /// They lie in the asset's own bytes.
    Here {
        /// From the first byte of the first row to the last of the last.
        range: Range<usize>,
        /// From one row to the next, in bytes.
        stride: usize,
    },
    /// They had to be decoded or put together: row after row.
    Decoded(Vec<u8>),
}

impl Array {
    /// The array of an asset in these bytes; `None` where it has no such array. What does not lie there as it is, is
    /// decoded into new memory at the budget's expense; once it is handed over, nobody counts that memory.
    ///
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
    /// Where it does not decode, or the budget does not allow it.
    pub fn find(asset: &dyn Inspect, data: &[u8], selector: &Selector, budget: &Budget) -> Result<Option<Self>> {
        let mut found = None;
        selector.find(asset, &mut |table| found = Some(Self::of(table, data, budget)));
        found.transpose()
    }

    fn of(table: &dyn Table, data: &[u8], budget: &Budget) -> Result<Self> {
        let (columns, rows, storage) = (table.columns(), table.rows(), table.storage());
        let here = table.in_place().and_then(|rows| Some((place(rows.bytes, data)?, rows.stride)));
        let content = match here {
            Some((range, stride)) => Content::Here { range, stride },
            None => {
                let row = columns.iter().fold(0_u64, |sum, column| sum.saturating_add(column.scalar.byte_len() as u64));
                let _held = budget.hold(rows.saturating_mul(row)).map_err(|error| error.at(storage.offset))?;
                Content::Decoded(decoded(table, budget)?)
            }
        };
        Ok(Self { columns, rows, storage, content })
    }

    /// The bytes that one row takes where nothing lies between rows.
    pub fn row_byte_len(&self) -> usize {
        self.columns.iter().fold(0, |sum, column| sum.saturating_add(column.scalar.byte_len()))
    }
}

/// Where these bytes lie among the others.
fn place(bytes: &[u8], data: &[u8]) -> Option<Range<usize>> {
    let start = if bytes.is_empty() { 0 } else { bytes.as_ptr().addr().checked_sub(data.as_ptr().addr())? };
    let range = start..start.checked_add(bytes.len())?;
    data.get(range.clone()).map(|_| range)
}

fn decoded(table: &dyn Table, budget: &Budget) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut is_full = false;
    budget.read(table, &mut |rows| {
        is_full = bytes.try_reserve(rows.len()).is_err();
        if is_full {
            return ControlFlow::Break(());
        }
        bytes.extend_from_slice(rows);
        ControlFlow::Continue(())
    })?;
    match is_full {
        true => Err(Error::from(std::io::Error::from(std::io::ErrorKind::OutOfMemory))),
        false => Ok(bytes),
    }
}
