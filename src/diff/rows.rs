//! Reads and compares the rows of arrays that differ.

use std::collections::HashMap;

use super::difference::{Row, Rows};
use super::fact::Fact;
use super::lists::Link;
use super::options::Options;
use super::tree::{Array, ArrayReader, read_arrays};
use crate::asset::Asset;
use crate::base::error::{Error, ErrorKind, Result};
use crate::budget::{Budget, Held};
use crate::bytes::array::room_for_all;
use crate::bytes::batch::to_the_end;
use crate::bytes::{Column, Table};
use crate::outline::Value;

/// The most bytes of one asset's rows kept for comparison. Arrays beyond that are only reported as different.
const MOST_KEPT: u64 = 96 << 20;

/// An array of both assets whose rows are to be compared.
pub(super) struct Wanted<'t> {
    pub(super) arrays: [&'t Array; 2],
    /// The columns with numbers of items.
    pub(super) links: Vec<(usize, Link<'t>)>,
    /// The lists whose items the rows describe, if they differ.
    pub(super) rows: Option<Link<'t>>,
}

/// Compares the rows of arrays, in the order of the arrays. Reads each asset once and holds the rows of one array of
/// the second at a time. `None` if they turn out to mean the same.
pub(super) fn compare(
    wanted: &[Wanted<'_>],
    assets: [&Asset<'_>; 2],
    is_archive: bool,
    budgets: [&Budget; 2],
    options: &Options,
) -> Result<Vec<Option<Rows>>> {
    let results: Vec<Option<Rows>> = wanted.iter().map(|wanted| Some(Rows::of(wanted.arrays))).collect();
    let mut kept = 0_u64;
    let mut of_a: HashMap<usize, Vec<u8>> = HashMap::new();
    // Both by the numbers of arrays in each outline.
    let mut by_b: HashMap<usize, usize> = HashMap::new();
    for (place, Wanted { arrays: [a, b], .. }) in wanted.iter().enumerate() {
        let more = kept.saturating_add(a.byte_len());
        if a.columns == b.columns && more <= MOST_KEPT && b.byte_len() <= MOST_KEPT {
            kept = more;
            of_a.insert(a.id, Vec::new());
            by_b.insert(b.id, place);
        }
    }
    if by_b.is_empty() {
        return Ok(results);
    }
    let [a, b] = assets;
    let [budget_a, budget_b] = budgets;
    let Some(held) = unless_stopped(budget_a.hold(kept))? else { return Ok(results) };
    let mut first = First { rows: of_a, held };
    read_arrays(a, is_archive, &mut first)?;
    let mut second = Second { wanted, places: by_b, first: first.rows, budget: budget_b, options, results };
    read_arrays(b, is_archive, &mut second)?;
    Ok(second.results)
}

/// The rows of the first asset, which are kept until those of the second are read.
struct First {
    /// By the numbers of the arrays.
    rows: HashMap<usize, Vec<u8>>,
    held: Held,
}

impl ArrayReader for First {
    fn array(&mut self, id: usize, table: &dyn Table) -> Result<()> {
        if let Some(bytes) = self.rows.get_mut(&id) {
            unless_stopped(read(table, self.held.budget(), bytes))?;
        }
        Ok(())
    }
}

/// Compares each array of the second asset with that of the first.
struct Second<'w, 't> {
    wanted: &'w [Wanted<'t>],
    /// The places of the wanted arrays by their numbers in the second asset.
    places: HashMap<usize, usize>,
    /// The rows of the first asset by the numbers of the arrays.
    first: HashMap<usize, Vec<u8>>,
    budget: &'w Budget,
    options: &'w Options,
    results: Vec<Option<Rows>>,
}

impl ArrayReader for Second<'_, '_> {
    fn array(&mut self, id: usize, table: &dyn Table) -> Result<()> {
        let Some(&place) = self.places.get(&id) else { return Ok(()) };
        let Some(wanted) = self.wanted.get(place) else { return Ok(()) };
        let [array, other] = wanted.arrays;
        let Some(one) = self.first.remove(&array.id) else { return Ok(()) };
        let Some(held) = unless_stopped(self.budget.hold(other.byte_len()))? else { return Ok(()) };
        let mut two = Vec::new();
        if unless_stopped(read(table, held.budget(), &mut two))?.is_none() {
            return Ok(());
        }
        // If there are fewer bytes, reading ended early.
        let is_whole = one.len() as u64 == array.byte_len() && two.len() as u64 == other.byte_len();
        if !is_whole {
            return Ok(());
        }
        self.budget.charge_work(two.len() as u64)?;
        if let Some(result) = self.results.get_mut(place)
            && let Some(rows) = result
            && look_into(wanted, &one, &two, self.options, rows)
        {
            *result = None;
        }
        Ok(())
    }
}

/// Returns `None` for data that cannot be read, but passes on errors that stop the work.
fn unless_stopped<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::Io(_) | ErrorKind::Cancelled) => Err(error),
        Err(_) => Ok(None),
    }
}

fn read(table: &dyn Table, budget: &Budget, bytes: &mut Vec<u8>) -> Result<(), Error> {
    *bytes = room_for_all(table)?;
    budget.read(table, &mut to_the_end(|rows| bytes.extend_from_slice(rows)))
}

impl Rows {
    pub(super) fn of(arrays: [&Array; 2]) -> Self {
        Self {
            counts: arrays.map(|array| array.rows),
            columns: arrays.map(|array| array.columns.iter().map(|column| column.name).collect()),
            differing: None,
            differing_columns: Vec::new(),
            largest: None,
            first: None,
        }
    }
}

impl<'t> Wanted<'t> {
    /// Returns the columns and the size of a row.
    fn columns(&self) -> (Vec<At<'_, 't>>, usize) {
        let mut columns = Vec::new();
        let mut size = 0_usize;
        for (place, &column) in self.arrays[0].columns.iter().enumerate() {
            columns.push(At { column, start: size, link: self.link(place), differs: false });
            size = size.saturating_add(column.scalar.byte_len());
        }
        (columns, size)
    }

    /// Returns the link of the column at this place, if it has numbers of items.
    fn link(&self, place: usize) -> Option<&Link<'t>> {
        let (_, link) = self.links.iter().find(|(linked, _)| *linked == place)?;
        Some(link)
    }

    /// Returns the row of the second array that describes the same item as this row of the first.
    fn other_row(&self, place: usize) -> Option<usize> {
        match &self.rows {
            Some(link) => link.matched.other(place),
            None => Some(place),
        }
    }

    /// Returns the name of the item that a row describes.
    fn label(&self, place: usize) -> Option<String> {
        let number = i64::try_from(place).ok()?;
        self.rows.as_ref()?.lists[0].as_ref()?.name(number, None)
    }
}

/// Compares row by row. Returns true if both mean the same.
fn look_into(wanted: &Wanted<'_>, a: &[u8], b: &[u8], options: &Options, rows: &mut Rows) -> bool {
    let (mut columns, size) = wanted.columns();
    if size == 0 {
        return false;
    }
    let mut differing = 0_u64;
    for (place, one) in a.chunks_exact(size).enumerate() {
        let Some(other) = wanted.other_row(place) else { continue };
        let Some(two) = row_at(b, other, size) else { continue };
        if wanted.links.is_empty() && one == two {
            continue;
        }
        let mut is_same = true;
        for column in &mut columns {
            if !column.is_same(one, two, options, &mut rows.largest) {
                is_same = false;
                column.differs = true;
            }
        }
        if is_same {
            continue;
        }
        differing = differing.saturating_add(1);
        if rows.first.is_none() {
            let mut values = [Vec::new(), Vec::new()];
            for column in &columns {
                let [fact, other_fact] = column.facts(one, two);
                values[0].push(fact);
                values[1].push(other_fact);
            }
            rows.first = Some(Row { rows: [place as u64, other as u64], label: wanted.label(place), values });
        }
    }
    rows.differing = Some(differing);
    rows.differing_columns = columns.iter().filter(|at| at.differs).map(|at| at.column.name).collect();
    differing == 0 && (rows.counts[0] == rows.counts[1] || wanted.rows.is_some())
}

fn row_at(rows: &[u8], place: usize, size: usize) -> Option<&[u8]> {
    rows.get(place.saturating_mul(size)..)?.get(..size)
}

/// A column and its offset in a row.
struct At<'w, 't> {
    column: Column,
    start: usize,
    link: Option<&'w Link<'t>>,
    /// True if a row differs here.
    differs: bool,
}

impl At<'_, '_> {
    fn bytes<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        let Some(bytes) = row.get(self.start..) else { return &[] };
        bytes.get(..self.column.scalar.byte_len()).unwrap_or_default()
    }

    fn fact(&self, row: &[u8]) -> Fact {
        Fact::Value(Value::number(self.column.scalar, self.bytes(row)))
    }

    /// Returns the numbers of items in both rows, if the column has some, and what they refer to.
    fn items(&self, one: &[u8], two: &[u8]) -> Option<(&Link<'_>, i64, i64)> {
        Some((self.link?, self.fact(one).number()?, self.fact(two).number()?))
    }

    fn facts(&self, one: &[u8], two: &[u8]) -> [Fact; 2] {
        match self.items(one, two) {
            Some((link, a, b)) => link.facts(a, b),
            None => [self.fact(one), self.fact(two)],
        }
    }

    /// Returns true if both rows are equal here. Updates the largest distance of two numbers.
    fn is_same(&self, one: &[u8], two: &[u8], options: &Options, largest: &mut Option<f32>) -> bool {
        if let Some((link, a, b)) = self.items(one, two) {
            return link.is_same(a, b);
        }
        if self.bytes(one) == self.bytes(two) {
            return true;
        }
        let (Fact::Value(Value::Float(a)), Fact::Value(Value::Float(b))) = (self.fact(one), self.fact(two)) else {
            return false;
        };
        let is_near = options.is_near(a, b);
        let distance = (a - b).abs();
        if !is_near && distance.is_finite() {
            *largest = match *largest {
                Some(largest) => Some(largest.max(distance)),
                None => Some(distance),
            };
        }
        is_near
    }
}
