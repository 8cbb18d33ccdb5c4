//! Finds the array that a selector selects.

use std::cell::Cell;

use super::list::dissected;
use super::{Item, Selector, Step};
use crate::base::error::Error;
use crate::bytes::Table;
use crate::inspect::{Inspect, bound_of, outline_within_limits};
use crate::outline::{Outline, Part, Text, Visitor};

impl Selector {
    /// Passes the selected array to `take`. Returns true if the asset has it. Visits only the parts on the path to it.
    /// If none of these has the array, visits a whole [dissection](Inspect::dissect), which has the tables that
    /// outlines split.
    pub fn find(&self, asset: &dyn Inspect, take: &mut dyn FnMut(&dyn Table)) -> bool {
        let found = Cell::new(false);
        let mut take = |table: &dyn Table| {
            found.set(true);
            take(table);
        };
        outline_within_limits(asset, &mut Finder::new(&self.steps, Some(&mut take)));
        if found.get() {
            return true;
        }
        let Some(sought) = self.numbered(asset).map(|selector| selector.to_string()) else { return false };
        dissected(asset, &mut |selector, table| {
            let is_it = selector == sought;
            if is_it {
                take(table);
            }
            is_it
        });
        found.get()
    }

    /// Returns the selector with indices instead of names, or `None` if no item has one of the names. Visits only the
    /// parts on the path.
    pub fn numbered(&self, asset: &dyn Inspect) -> Option<Self> {
        let named = self.steps.iter().rposition(|step| matches!(step.item, Some(Item::Name(..))));
        let Some(steps) = named.and_then(|last| self.steps.get(..=last)) else { return Some(self.clone()) };
        let numbers = |describe: &dyn Fn(&mut Outline<'_>)| {
            let mut finder = Finder::new(steps, None);
            describe(&mut Outline::within(&bound_of(asset), &mut finder));
            (finder.numbers.len() == steps.len()).then_some(finder.numbers)
        };
        // Lists that an outline leaves out, such as the entries of a header, have names only in a dissection.
        let numbers = numbers(&|out| asset.outline(out)).or_else(|| numbers(&|out| asset.dissect(out)))?;
        let mut numbered = self.clone();
        for (step, number) in numbered.steps.iter_mut().zip(numbers) {
            step.item = number.map(Item::Number);
        }
        Some(numbered)
    }
}

type Take<'s> = &'s mut dyn FnMut(&dyn Table);

/// Follows the steps of a selector to an array, or to a part if nobody takes an array.
struct Finder<'s> {
    steps: &'s [Step],
    take: Option<Take<'s>>,
    /// The index of each part on the path so far.
    numbers: Vec<Option<usize>>,
    /// The number of items with the wanted name passed so far.
    namesakes: usize,
    /// True once the last matching part has ended, so that nothing more can match.
    passed: bool,
}

impl<'s> Finder<'s> {
    fn new(steps: &'s [Step], take: Option<Take<'s>>) -> Self {
        Self { steps, take, numbers: Vec::new(), namesakes: 0, passed: false }
    }

    fn is_at_last(&self) -> bool {
        self.numbers.len().saturating_add(1) == self.steps.len()
    }

    /// Returns true if the part matches the next step.
    fn meets(&mut self, part: &Part<'_>) -> bool {
        let (Some(step), false) = (self.steps.get(self.numbers.len()), self.passed) else { return false };
        if step.name != part.name {
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

fn is_called(part: &Part<'_>, name: &[u8]) -> bool {
    let is_label = part.label.is_some_and(|label| match label {
        Text::Bytes(text) => text.as_bytes() == name,
        Text::Utf32(text) => std::str::from_utf8(name).is_ok_and(|name| text == *name),
        Text::Ansi(text) => text.as_bytes() == name || text.decode().as_bytes() == name,
    });
    is_label || part.title.is_some_and(|title| title.as_bytes() == name)
}

impl Visitor for Finder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_last = self.is_at_last();
        if is_last && self.take.is_some() || !self.meets(part) {
            return false;
        }
        self.numbers.push(part.index);
        (self.namesakes, self.passed) = (0, is_last);
        !is_last
    }

    fn close(&mut self) {
        self.passed = true;
    }

    fn dissects(&self) -> bool {
        self.take.is_none()
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if self.is_at_last()
            && self.take.is_some()
            && self.meets(&Part { index, ..Part::one(name) })
            && let Some(take) = &mut self.take
        {
            self.passed = true;
            take(table);
        }
    }

    fn problem(&mut self, _: &Error) {}
}
