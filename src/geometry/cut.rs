//! The primitives of files that are cut.

use super::primitive::Primitive;
use crate::base::error::{Error, Result};

/// The primitives of a part that may be cut. If it is, and none of them is an error, the last item is the error: what is
/// cut off may have triangles.
pub(super) struct ToTheCut<I> {
    readable: I,
    cut: Option<Error>,
}

impl<I> ToTheCut<I> {
    /// Creates the iterator. `cut` is the error of the cut, if there is one.
    pub(super) fn new(readable: I, cut: Option<Error>) -> Self {
        Self { readable, cut }
    }
}

impl<'a, I: Iterator<Item = Result<Primitive<'a>>>> Iterator for ToTheCut<I> {
    type Item = Result<Primitive<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(next) = self.readable.next() else { return self.cut.take().map(Err) };
        if next.is_err() {
            self.cut = None;
        }
        Some(next)
    }
}
