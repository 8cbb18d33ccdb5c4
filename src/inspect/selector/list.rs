//! Lists the selectors of an asset's arrays.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::iter::zip;
use std::ops::ControlFlow;

use super::path::Path;
use super::steps::{Selector, is_number, words};
use crate::base::error::Error;
use crate::bytes::{Packing, Table};
use crate::inspect::{Inspect, bound_of, outline_within_limits};
use crate::outline::{Outline, Part, PartArray, Visitor, Wants};

/// Passes every array with its selector to `take`, in the order of the outline. Arrays that only a
/// [dissection](Inspect::dissect) has follow.
pub fn each(asset: &dyn Inspect, take: &mut dyn FnMut(&str, &dyn Table)) {
    each_until(asset, &mut |selector, table| {
        take(selector, table);
        ControlFlow::Continue(())
    });
}

/// Like [`each`], until `take` breaks.
pub fn each_until(asset: &dyn Inspect, take: &mut dyn FnMut(&str, &dyn Table) -> ControlFlow<()>) {
    let mut receiver = Receiver { take, hash: RandomState::new(), known: HashSet::new() };
    let mut of_outline = |selector: &str, table: &dyn Table| receiver.pass(selector, table);
    let mut lister = Lister::new(asset, false, &mut of_outline);
    outline_within_limits(asset, &mut lister);
    if !lister.is_done {
        dissected(asset, &mut |selector, table| receiver.pass_new(selector, table));
    }
}

/// Receives the arrays of an outline, then those that only a dissection has.
struct Receiver<'t> {
    /// The caller, which breaks if it wants no more.
    take: &'t mut dyn FnMut(&str, &dyn Table) -> ControlFlow<()>,
    hash: RandomState,
    /// The hashes of the selectors so far.
    known: HashSet<u64>,
}

impl Receiver<'_> {
    /// Passes an array to the caller. Returns true if it wants no more.
    fn pass(&mut self, selector: &str, table: &dyn Table) -> bool {
        self.known.insert(self.hash.hash_one(selector));
        (self.take)(selector, table).is_break()
    }

    /// Like `pass`, but ignores an array whose selector was passed before.
    fn pass_new(&mut self, selector: &str, table: &dyn Table) -> bool {
        let is_new = self.known.insert(self.hash.hash_one(selector));
        is_new && (self.take)(selector, table).is_break()
    }
}

/// Receives arrays with their selectors until it returns true.
type Take<'s> = dyn FnMut(&str, &dyn Table) -> bool + 's;

/// Passes the arrays of a dissection to `take` until it returns true. If the work ends before, returns its error.
pub(super) fn dissected(asset: &dyn Inspect, take: &mut Take<'_>) -> Option<Error> {
    let mut lister = Lister::new(asset, true, take);
    asset.dissect(&mut Outline::within(&bound_of(asset), &mut lister));
    lister.spent
}

/// Keeps the error if it ends the work and is the first that does.
pub(super) fn keep_spent(spent: &mut Option<Error>, error: &Error) {
    if spent.is_none() && error.is_spent() {
        *spent = Some(error.clone());
    }
}

/// The bytes that a similar selector shares with the text.
const LEAST_SHARED: usize = 3;

/// Returns the selector of the array most similar to this text, if any is similar. Ignores selectors that differ only
/// in indices, because they select other data.
pub fn nearest(asset: &dyn Inspect, selector: &str) -> Option<String> {
    let mut nearest = Nearest { sought: selector, shared: 0, selector: None };
    each(asset, &mut |known, _| nearest.compare(known));
    if nearest.shared >= LEAST_SHARED { nearest.selector } else { None }
}

/// The selector most similar to a text so far.
struct Nearest<'s> {
    sought: &'s str,
    /// The bytes that it shares with the text, at the start and at the end.
    shared: usize,
    selector: Option<String>,
}

impl Nearest<'_> {
    /// Keeps this selector if it is more similar than those before.
    fn compare(&mut self, known: &str) {
        if is_item_beside(known, self.sought) {
            return;
        }
        let at_start = count_same(known.bytes(), self.sought.bytes());
        let at_end = count_same(known.bytes().rev(), self.sought.bytes().rev());
        let shared = at_start.saturating_add(at_end);
        if shared > self.shared {
            self.shared = shared;
            self.selector = Some(known.to_owned());
        }
    }
}

/// Returns how many bytes are the same before the first that differ.
fn count_same(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    zip(one, other).take_while(|(a, b)| a == b).count()
}

/// Returns true if the asset has an array with this selector except for the indices.
pub fn exists_at_other_indices(asset: &dyn Inspect, selector: &str) -> bool {
    let mut found = false;
    each(asset, &mut |known, _| found |= is_item_beside(known, selector));
    found
}

/// Returns true if two selectors are equal or differ only in indices. `other` may be written as in a problem:
/// `meshes[0].positions`.
fn is_item_beside(one: &str, other: &str) -> bool {
    let mut one = one.split('/');
    let mut other = other.split('/').flat_map(words);
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || is_number(a) && is_number(b) => {}
            _ => return false,
        }
    }
}

/// The most names that [`names`] returns.
const MOST_NAMES: usize = 100_000;

/// Returns the names of the items of a list, such as `lods` or `lods/0/selections`: those in the file, and those that
/// reports show. At most 100,000. Linear in the parts of the asset.
pub fn names(asset: &dyn Inspect, list: &str) -> Vec<String> {
    let (around, name) = list.rsplit_once('/').unwrap_or(("", list));
    let mut around = around.to_owned();
    if !around.is_empty() {
        let numbered = match around.parse::<Selector>() {
            Ok(selector) => selector.numbered(asset),
            Err(_) => None,
        };
        let Some(numbered) = numbered else { return Vec::new() };
        around = numbered.to_string();
    }
    let mut names = Names { around, name, path: Path::default(), found: Vec::new() };
    outline_within_limits(asset, &mut names);
    names.found
}

/// Collects the names of the items of a list.
struct Names<'n> {
    /// The selector of the part around the list.
    around: String,
    name: &'n str,
    path: Path,
    found: Vec<String>,
}

impl Visitor for Names<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let around = if part.root { "" } else { self.path.as_str() };
        if around == self.around && part.name == self.name {
            self.found.extend(part.label.map(|label| label.to_string()));
            self.found.extend(part.title.map(str::to_owned));
        }
        self.path.open(part);
        true
    }

    fn close(&mut self) {
        self.path.close();
    }

    fn wants(&self) -> Wants {
        Wants { arrays: false, more: self.found.len() < MOST_NAMES, ..Wants::default() }
    }

    fn problem(&mut self, _: &Error) {}
}

/// Walks over the arrays of an outline or a dissection.
struct Lister<'s> {
    /// True for a dissection.
    dissects: bool,
    /// The size of the asset.
    bytes: u64,
    path: Path,
    take: &'s mut Take<'s>,
    /// True once `take` wants no more.
    is_done: bool,
    /// The error that has ended the work.
    spent: Option<Error>,
}

impl<'s> Lister<'s> {
    /// Creates a walk over the outline of the asset, or over its dissection if `dissects` is set.
    fn new(asset: &dyn Inspect, dissects: bool, take: &'s mut Take<'s>) -> Self {
        Self { dissects, bytes: asset.size(), path: Path::default(), take, is_done: false, spent: None }
    }
}

impl Visitor for Lister<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        if !self.is_done {
            self.path.open(part);
        }
        !self.is_done
    }

    fn close(&mut self) {
        self.path.close();
    }

    fn wants(&self) -> Wants {
        Wants { dissection: self.dissects, more: !self.is_done, ..Wants::default() }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        if self.is_done {
            return;
        }
        // One value may claim to fill any number of rows. An outline checks it against the other arrays.
        let is_fill = array.table.storage().packing == Packing::Fill;
        if self.dissects && is_fill && array.table.rows() > self.bytes {
            return;
        }
        self.is_done = self.path.with(array.name, array.index, |selector| (self.take)(selector, array.table));
    }

    fn problem(&mut self, error: &Error) {
        keep_spent(&mut self.spent, error);
    }
}
