//! Finds the array that a selector selects.

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
        let mut finder = Finder { way: Way::new(&self.steps), found: false, take };
        outline_within_limits(asset, &mut finder);
        if finder.found {
            return true;
        }
        let Some(sought) = self.numbered(asset).map(|selector| selector.to_string()) else { return false };
        let mut found = false;
        dissected(asset, &mut |selector, table| {
            found |= selector == sought;
            if found {
                take(table);
            }
            found
        });
        found
    }

    /// Returns the selector with indices instead of names, or `None` if no item has one of the names. Visits only the
    /// parts on the path.
    pub fn numbered(&self, asset: &dyn Inspect) -> Option<Self> {
        let named = self.steps.iter().rposition(|step| matches!(step.item, Some(Item::Name(..))));
        let Some(steps) = named.and_then(|last| self.steps.get(..=last)) else { return Some(self.clone()) };
        let numbers = |describe: &dyn Fn(&mut Outline<'_>)| {
            let mut numberer = Numberer { way: Way::new(steps), numbers: Vec::new() };
            let bound = bound_of(asset);
            describe(&mut Outline::within(&bound, &mut numberer));
            (numberer.numbers.len() == steps.len()).then_some(numberer.numbers)
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

/// The progress of a visit along a selector.
struct Way<'s> {
    steps: &'s [Step],
    /// The number of steps matched by the open parts.
    met: usize,
    /// The number of items with the wanted name passed so far.
    namesakes: usize,
    /// True once the last matching part has ended, so that nothing more can match.
    passed: bool,
}

impl<'s> Way<'s> {
    fn new(steps: &'s [Step]) -> Self {
        Self { steps, met: 0, namesakes: 0, passed: false }
    }

    fn is_at_last(&self) -> bool {
        self.met.saturating_add(1) == self.steps.len()
    }

    /// Returns true if the part matches the next step.
    fn meets(&mut self, part: &Part<'_>) -> bool {
        let (Some(step), false) = (self.steps.get(self.met), self.passed) else { return false };
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

    /// Starts the part that matched the next step.
    fn enter(&mut self) {
        self.met = self.met.saturating_add(1);
        self.namesakes = 0;
    }
}

struct Finder<'s> {
    way: Way<'s>,
    found: bool,
    take: &'s mut dyn FnMut(&dyn Table),
}

/// Finds the index of each part on the path, up to the last step with a name.
struct Numberer<'s> {
    way: Way<'s>,
    numbers: Vec<Option<usize>>,
}

impl Visitor for Numberer<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_last = self.way.is_at_last();
        if !self.way.meets(part) {
            return false;
        }
        self.numbers.push(part.index);
        self.way.enter();
        self.way.passed = is_last;
        !is_last
    }

    fn close(&mut self) {
        self.way.passed = true;
    }

    fn dissects(&self) -> bool {
        true
    }

    fn problem(&mut self, _: &Error) {}
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
        let meets = !self.way.is_at_last() && self.way.meets(part);
        if meets {
            self.way.enter();
        }
        meets
    }

    fn close(&mut self) {
        self.way.passed = true;
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if self.way.is_at_last() && self.way.meets(&Part { index, ..Part::one(name) }) {
            (self.way.passed, self.found) = (true, true);
            (self.take)(table);
        }
    }

    fn problem(&mut self, _: &Error) {}
}
