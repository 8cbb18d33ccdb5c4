//! The rows of an array, found again and compared.

use half::f16;

use super::Rows;
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::budget::{Budget, Held};
use crate::bytes::batch::to_the_end;
use crate::bytes::{Column, Scalar, Table};
use crate::inspect::Inspect;
use crate::outline::{Outline, Part, Visitor};

/// An array's rows, decoded, and what they are made of.
pub(super) struct Found {
    bytes: Vec<u8>,
    columns: Vec<Column>,
    _held: Held,
}

/// Looks for one array; descends only on the way to it.
struct Finder<'f> {
    steps: &'f [(&'static str, Option<usize>)],
    array: (&'static str, Option<usize>),
    depth: usize,
    budget: &'f Budget,
    found: Option<Found>,
}

/// The rows of the array that these steps and its own lead to; `None` where they cannot be had.
pub(super) fn find(
    asset: &Asset<'_>,
    steps: &[(&'static str, Option<usize>)],
    array: (&'static str, Option<usize>),
    budget: &Budget,
) -> Option<Found> {
    let mut finder = Finder { steps, array, depth: 0, budget, found: None };
    asset.outline(&mut Outline::new(&mut finder));
    finder.found
}

impl Visitor for Finder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_next = self.found.is_none() && self.steps.get(self.depth) == Some(&(part.name, part.index));
        self.depth = self.depth.saturating_add(is_next.into());
        is_next
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if self.depth == self.steps.len() && (name, index) == self.array && self.found.is_none() {
            self.found = rows(table, self.budget).ok();
        }
    }

    fn problem(&mut self, _: &Error) {}
}

/// All rows of a table, at the budget's expense.
fn rows(table: &dyn Table, budget: &Budget) -> Result<Found> {
    let columns = table.columns();
    let row: usize = columns.iter().map(|column| column.scalar.byte_len()).sum();
    let held = budget.hold(table.rows().saturating_mul(row as u64))?;
    let mut bytes = Vec::new();
    held.budget().read(table, &mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(Found { bytes, columns, _held: held })
}

/// Counts the rows that differ, and keeps the first.
pub(super) fn compare(a: &Found, b: &Found, rows: &mut Rows) {
    let size = |found: &Found| found.columns.iter().map(|column| column.scalar.byte_len()).sum::<usize>();
    if a.columns != b.columns || size(a) == 0 {
        return;
    }
    let both = a.bytes.chunks_exact(size(a)).zip(b.bytes.chunks_exact(size(b)));
    let mut differing = (0_u64..).zip(both).filter(|(_, (a, b))| a != b).peekable();
    rows.first = differing.peek().map(|&(row, (one, two))| (row, [numbers(&a.columns, one), numbers(&b.columns, two)]));
    rows.differing = Some(differing.count() as u64);
}

/// The numbers of one row as text.
fn numbers(columns: &[Column], mut row: &[u8]) -> Vec<String> {
    let number = |column: &Column| {
        let (bytes, behind) = row.split_at_checked(column.scalar.byte_len())?;
        row = behind;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let [a, b, c, d, ..] = wide;
        Some(match column.scalar {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => u64::from_le_bytes(wide).to_string(),
            Scalar::I8 => i8::from_le_bytes([a]).to_string(),
            Scalar::I16 => i16::from_le_bytes([a, b]).to_string(),
            Scalar::I32 => i32::from_le_bytes([a, b, c, d]).to_string(),
            Scalar::F16 => f16::from_le_bytes([a, b]).to_string(),
            Scalar::F32 => f32::from_le_bytes([a, b, c, d]).to_string(),
        })
    };
    columns.iter().map_while(number).collect()
}
