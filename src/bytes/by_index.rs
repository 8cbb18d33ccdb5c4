//! Iteration over views that return items by index.

use std::iter::FusedIterator;
use std::ops::Range;

use crate::base::sealed::Sealed;

/// A view of this crate that returns each item in constant time.
pub trait Indexed: Sealed {
    /// The type of the items.
    type Item;

    /// Returns the item at `index`, or `None` after the last.
    #[doc(hidden)]
    fn item(&self, index: usize) -> Option<Self::Item>;
}

/// A double-ended iterator of exact length over the items of a view.
#[derive(Clone, Debug)]
pub struct ByIndex<V> {
    view: V,
    range: Range<usize>,
}

impl<V> ByIndex<V> {
    /// Creates an iterator over the first `len` items.
    pub(crate) fn new(view: V, len: usize) -> Self {
        Self { view, range: 0..len }
    }
}

impl<V: Indexed> Iterator for ByIndex<V> {
    type Item = V::Item;

    #[inline]
    fn next(&mut self) -> Option<V::Item> {
        self.view.item(self.range.next()?)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    #[inline]
    fn nth(&mut self, index: usize) -> Option<V::Item> {
        self.view.item(self.range.nth(index)?)
    }
}

impl<V: Indexed> DoubleEndedIterator for ByIndex<V> {
    #[inline]
    fn next_back(&mut self) -> Option<V::Item> {
        self.view.item(self.range.next_back()?)
    }
}

impl<V: Indexed> ExactSizeIterator for ByIndex<V> {}

impl<V: Indexed> FusedIterator for ByIndex<V> {}
