//! Reads and compares the rows of arrays that differ.

use std::collections::HashMap;

use super::lists::Link;
use super::tree::{Array, read_arrays};
use super::{Fact, Options, Row, Rows};
use crate::asset::Asset;
use crate::base::error::{Error, ErrorKind, Result};
use crate::budget::{Budget, Held};
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
    let mut results: Vec<Option<Rows>> = wanted.iter().map(|wanted| Some(Rows::of(wanted.arrays))).collect();
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
    read_arrays(a, is_archive, &mut |id, table| match of_a.get_mut(&id) {
        Some(bytes) => unless_stopped(read(table, held.budget(), bytes)).map(drop),
        None => Ok(()),
    })?;
    read_arrays(b, is_archive, &mut |id, table| {
        let Some(&place) = by_b.get(&id) else { return Ok(()) };
        let (Some(wanted), Some(result)) = (wanted.get(place), results.get_mut(place)) else { return Ok(()) };
        let [array, other] = wanted.arrays;
        let held: Result<Held> = budget_b.hold(other.byte_len());
        let mut bytes = Vec::new();
        let rows = held.and_then(|held| read(table, held.budget(), &mut bytes).map(|()| held));
        let (Some(_held), Some(one)) = (unless_stopped(rows)?, of_a.remove(&array.id)) else { return Ok(()) };
        // If there are fewer bytes, reading ended early.
        if one.len() as u64 == array.byte_len() && bytes.len() as u64 == other.byte_len() {
            budget_b.work(bytes.len() as u64)?;
            let is_same = result.as_mut().is_none_or(|rows| look_into(wanted, &one, &bytes, options, rows));
            if is_same {
                *result = None;
            }
        }
        Ok(())
    })?;
    Ok(results)
}

/// Returns `None` for data that cannot be read, but passes on errors that stop the work.
fn unless_stopped<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => Err(error),
        Err(_) => Ok(None),
    }
}

fn read(table: &dyn Table, budget: &Budget, bytes: &mut Vec<u8>) -> Result<(), Error> {
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

/// Compares row by row. Returns true if both mean the same.
fn look_into(wanted: &Wanted<'_>, a: &[u8], b: &[u8], options: &Options, rows: &mut Rows) -> bool {
    let mut size = 0_usize;
    let column = |(place, &column): (usize, &Column)| {
        let link = wanted.links.iter().find(|(linked, _)| *linked == place).map(|(_, link)| link);
        let start = size;
        size = size.saturating_add(column.scalar.byte_len());
        At { column, start, link }
    };
    let columns: Vec<At<'_, '_>> = wanted.arrays[0].columns.iter().enumerate().map(column).collect();
    let mut differs = vec![false; columns.len()];
    let mut differing = 0_u64;
    if size == 0 {
        return false;
    }
    for (place, one) in a.chunks_exact(size).enumerate() {
        let other = match &wanted.rows {
            Some(link) => link.matched.other(place),
            None => Some(place),
        };
        let start = other.map(|other| other.saturating_mul(size));
        let Some(two) = start.and_then(|start| b.get(start..)?.get(..size)) else { continue };
        if wanted.links.is_empty() && one == two {
            continue;
        }
        let mut is_same = true;
        for (column, differs) in columns.iter().zip(&mut differs) {
            if !column.is_same(one, two, options, &mut rows.largest) {
                (is_same, *differs) = (false, true);
            }
        }
        if !is_same {
            differing = differing.saturating_add(1);
            rows.first.get_or_insert_with(|| {
                let label = wanted.rows.as_ref().and_then(|link| {
                    let number = i64::try_from(place).ok()?;
                    link.lists[0].as_ref()?.name(number, None)
                });
                let facts = columns.iter().map(|column| column.facts(one, two)).map(|[one, two]| (one, two));
                let values = facts.unzip::<_, _, Vec<_>, Vec<_>>().into();
                Row { rows: [place as u64, other.unwrap_or(place) as u64], label, values }
            });
        }
    }
    rows.differing = Some(differing);
    let names = columns.iter().zip(&differs).filter(|(_, differs)| **differs);
    rows.differing_columns = names.map(|(at, _)| at.column.name).collect();
    differing == 0 && (rows.counts[0] == rows.counts[1] || wanted.rows.is_some())
}

/// A column and its offset in a row.
struct At<'w, 't> {
    column: Column,
    start: usize,
    link: Option<&'w Link<'t>>,
}

impl At<'_, '_> {
    fn bytes<'r>(&self, row: &'r [u8]) -> &'r [u8] {
        row.get(self.start..).and_then(|row| row.get(..self.column.scalar.byte_len())).unwrap_or_default()
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
            *largest = Some(largest.map_or(distance, |largest| largest.max(distance)));
        }
        is_near
    }
}
