//! The receiver of the fields that a walk over a record reads.

use super::schema::Rule;
use super::visitor::Outline;
use crate::base::sealed::Sealed;
use crate::bytes::Storage;

/// Receives what a walk over a record reads: the fields ([`Outline`]), the blocks, or nothing ([`Silent`]).
pub trait Sink: Sealed {
    /// True if the walk describes what it reads.
    const DESCRIBES: bool;

    /// Returns the outline, if there is one.
    fn outline(&mut self) -> Option<Outline<'_>>;

    /// Sets the rule of the next field.
    fn rule(&mut self, rule: Rule);

    /// Returns true if the walk counts blocks. Then the items of lists are shown to it, too.
    #[inline(always)]
    fn counts_blocks(&self) -> bool {
        false
    }

    /// Receives the location of a block, and its decoded size.
    #[inline(always)]
    fn block(&mut self, _: Storage, _: u64) {}

    /// Notes that a block has another number of elements than the block that it belongs to.
    #[inline(always)]
    fn uneven_blocks(&mut self) {}
}

/// Ignores all fields. A walk with this sink only reads, at no extra cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Silent;

impl Sealed for Silent {}

impl Sink for Silent {
    const DESCRIBES: bool = false;

    #[inline(always)]
    fn outline(&mut self) -> Option<Outline<'_>> {
        None
    }

    #[inline(always)]
    fn rule(&mut self, _: Rule) {}
}

impl Sealed for Outline<'_> {}

impl Sink for Outline<'_> {
    const DESCRIBES: bool = true;

    fn outline(&mut self) -> Option<Outline<'_>> {
        Some(self.reborrow())
    }

    fn rule(&mut self, rule: Rule) {
        Outline::rule(self, rule);
    }
}
