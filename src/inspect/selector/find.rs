//! Finds the array that a selector selects.

use std::iter::zip;

use super::list::{dissected, keep_spent};
use super::path;
use super::steps::{Item, Selector, Step};
use super::unread::first_error;
use crate::base::error::{Error, Result};
use crate::bytes::Table;
use crate::inspect::{Inspect, bound_of, outline_within_limits};
use crate::outline::{Outline, Part, PartArray, Text, Visitor, Wants};

impl Selector {
    /// Passes the selected array to `take`. Returns true if the asset has it. Visits only the parts on the path to it.
    /// If none of these has the array, visits a whole [dissection](Inspect::dissect), which has the tables that
    /// outlines split. If that does not have it either, looks for errors in the whole outline and the
    /// [summary](Inspect::summarize).
    ///
    /// # Errors
    /// Fails if the array is not found and an error may be the reason. Returns the first such error. It is in the deepest
    /// part found on the path, in a part around that, or in no part. If no part on the path is found, every error
    /// counts. In a Blitz3D scene, an error of a node, mesh or bone counts for all of them, because they are one tree.
    ///
    /// Also fails if the work is stopped, or exceeds [`Limits::work`](crate::Limits::work).
    pub fn find(&self, asset: &dyn Inspect, take: &mut dyn FnMut(&dyn Table)) -> Result<bool> {
        let mut finder = Finder::new(&self.steps, Some(&mut *take));
        outline_within_limits(asset, &mut finder);
        if finder.is_found {
            return Ok(true);
        }
        let reached = finder.reached();
        let mut spent = finder.spent;
        if let Some(numbered) = self.numbered_unless_spent(asset)? {
            let sought = numbered.to_string();
            let mut is_found = false;
            let spent_there = dissected(asset, &mut |selector, table| {
                if selector == sought {
                    take(table);
                    is_found = true;
                }
                is_found
            });
            if is_found {
                return Ok(true);
            }
            spent = spent.or(spent_there);
        }
        if let Some(error) = spent {
            return Err(error);
        }
        match first_error(asset, &reached) {
            Some(error) => Err(error),
            None => Ok(false),
        }
    }

    /// Returns the selector with indices instead of names, or `None` if no readable item has one of the names. Visits only
    /// the parts on the path.
    pub fn numbered(&self, asset: &dyn Inspect) -> Option<Self> {
        self.numbered_unless_spent(asset).unwrap_or_default()
    }

    /// Like [`numbered`](Self::numbered). Fails if the work ends before an item with each name is found.
    fn numbered_unless_spent(&self, asset: &dyn Inspect) -> Result<Option<Self>> {
        let mut numbered = self.clone();
        let Some(last) = self.steps.iter().rposition(|step| matches!(step.item, Some(Item::Name(..)))) else {
            return Ok(Some(numbered));
        };
        let named = self.steps.get(..=last).unwrap_or_default();
        let mut finder = Finder::new(named, None);
        outline_within_limits(asset, &mut finder);
        if finder.numbers.len() < named.len() {
            // Lists that an outline leaves out, such as the entries of a header, have names only in a dissection.
            let spent = finder.spent;
            finder = Finder { spent, ..Finder::new(named, None) };
            asset.dissect(&mut Outline::within(&bound_of(asset), &mut finder));
        }
        if finder.numbers.len() < named.len() {
            return match finder.spent {
                Some(error) => Err(error),
                None => Ok(None),
            };
        }
        for (step, number) in zip(&mut numbered.steps, finder.numbers) {
            step.item = number.map(Item::Number);
        }
        Ok(Some(numbered))
    }
}

/// Receives the selected array.
type Take<'s> = &'s mut dyn FnMut(&dyn Table);

/// Follows the steps of a selector to an array, or to a part if nobody takes an array.
struct Finder<'s> {
    steps: &'s [Step],
    take: Option<Take<'s>>,
    /// The index of each part on the path so far.
    numbers: Vec<Option<usize>>,
    /// The number of items with the wanted name passed so far.
    namesakes: usize,
    /// True once nothing more can match: the array or part was found, or the last matching part has ended.
    passed: bool,
    /// True once an array was taken.
    is_found: bool,
    /// The error that has ended the work.
    spent: Option<Error>,
}

impl<'s> Finder<'s> {
    /// Creates a finder for the array that these steps lead to, or, without `take`, for the part.
    fn new(steps: &'s [Step], take: Option<Take<'s>>) -> Self {
        Self { steps, take, numbers: Vec::new(), namesakes: 0, passed: false, is_found: false, spent: None }
    }

    /// Returns true if the next step is the last.
    fn is_at_last(&self) -> bool {
        self.numbers.len().saturating_add(1) == self.steps.len()
    }

    /// Returns the selector of the last part on the path, or an empty one if the asset has none of the parts.
    fn reached(&self) -> String {
        let mut reached = String::new();
        for (step, number) in zip(self.steps, &self.numbers) {
            path::push(&mut reached, &step.name, *number);
        }
        reached
    }

    /// Returns true if the part matches the next step. Counts it if the step selects its item by name and this has that
    /// name, because the step also says how many earlier items of that name to pass.
    fn meets(&mut self, part: &Part<'_>) -> bool {
        let Some(step) = self.steps.get(self.numbers.len()) else { return false };
        if self.passed || step.name != part.name {
            return false;
        }
        match (&step.item, part.index) {
            (None, None) => true,
            (Some(Item::Number(number)), Some(index)) => *number == index,
            (Some(Item::Name(bytes, namesake)), Some(_)) if is_called(part, bytes) => {
                let before = self.namesakes;
                self.namesakes = before.saturating_add(1);
                before == *namesake
            }
            _ => false,
        }
    }
}

/// Returns true if this is the part's name in the file, or the one that reports show.
fn is_called(part: &Part<'_>, name: &[u8]) -> bool {
    let is_label = match part.label {
        Some(Text::Bytes(text)) => text.as_bytes() == name,
        Some(Text::Utf32(text)) => std::str::from_utf8(name).is_ok_and(|name| text == *name),
        Some(Text::Ansi(text)) => text.as_bytes() == name || text.decode().as_bytes() == name,
        None => false,
    };
    is_label || part.title.is_some_and(|title| title.as_bytes() == name)
}

impl Visitor for Finder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_last = self.is_at_last();
        // With someone to take it, the last step is an array, not a part.
        if is_last && self.take.is_some() || !self.meets(part) {
            return false;
        }
        self.numbers.push(part.index);
        self.namesakes = 0;
        self.passed = is_last;
        !is_last
    }

    fn close(&mut self) {
        self.passed = true;
    }

    fn wants(&self) -> Wants {
        // To find a part by name, the lists that only a dissection has are needed too.
        Wants { dissection: self.take.is_none(), ..Wants::default() }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        if self.is_at_last()
            && self.take.is_some()
            && self.meets(&Part { index: array.index, ..Part::one(array.name) })
            && let Some(take) = &mut self.take
        {
            self.passed = true;
            self.is_found = true;
            take(array.table);
        }
    }

    fn problem(&mut self, error: &Error) {
        keep_spent(&mut self.spent, error);
    }
}
