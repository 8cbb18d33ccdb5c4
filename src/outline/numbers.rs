//! Numbers items as they are found.

use super::part::Part;

/// Numbers the items of lists that are not found one list after another.
#[derive(Default)]
pub(crate) struct Numbers(Vec<(&'static str, usize)>);

impl Numbers {
    /// Returns the index of the next item of this list, starting at 0.
    fn next(&mut self, list: &'static str) -> usize {
        match self.0.iter_mut().find(|(known, _)| *known == list) {
            Some((_, count)) => next(count),
            None => {
                self.0.push((list, 1));
                0
            }
        }
    }

    /// Creates the part of the next item of this list.
    pub(crate) fn item(&mut self, list: &'static str) -> Part<'static> {
        Part::item(list, self.next(list))
    }

    /// Creates a part that should exist once. Each further one is an item of the list `more`.
    pub(crate) fn once(&mut self, name: &'static str, more: &'static str) -> Part<'static> {
        if self.next(name) == 0 { Part::one(name) } else { self.item(more) }
    }
}

/// Returns the index of the next item of a list with `count` items, and counts it.
pub(crate) fn next(count: &mut usize) -> usize {
    std::mem::replace(count, count.saturating_add(1))
}
