//! The receiver of the fields that a walk over a record reads.

use super::schema::Rule;
use super::visitor::Outline;
use crate::base::sealed::Sealed;
use crate::blocks::Block;
use crate::bytes::{Element, Table as _};
use crate::summary::Blocks;

/// Receives the fields that a walk over a record reads: an [`Outline`], a [`Tally`], or [`Silent`].
pub trait Sink: Sealed {
    /// True if the walk describes what it reads.
    const DESCRIBES: bool;

    /// Returns the outline, if there is one.
    fn outline(&mut self) -> Option<Outline<'_>>;

    /// Sets the rule of the next field.
    fn rule(&mut self, rule: Rule);

    /// Returns the counts of blocks, if the walk counts them. It counts those of lists with the blocks around them.
    #[inline(always)]
    fn tally(&mut self) -> Option<&mut Tally> {
        None
    }
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

/// Counts the blocks that a walk reads, so that the lists around them need not be read again for that.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(feature = "odol"), allow(dead_code, reason = "only ODOL has lists with blocks"))]
pub struct Tally {
    pub(crate) blocks: Blocks,
    /// True if a block has another number of elements than the block that it belongs to.
    pub(crate) has_uneven: bool,
}

impl Tally {
    #[inline(always)]
    #[cfg_attr(not(feature = "odol"), allow(dead_code, reason = "only ODOL has lists with blocks"))]
    pub(crate) fn add<T: Element>(&mut self, block: &Block<'_, T>) {
        self.blocks.add(block.storage(), block.decoded_byte_len());
    }
}

impl Sealed for Tally {}

impl Sink for Tally {
    const DESCRIBES: bool = false;

    #[inline(always)]
    fn outline(&mut self) -> Option<Outline<'_>> {
        None
    }

    #[inline(always)]
    fn rule(&mut self, _: Rule) {}

    #[inline(always)]
    fn tally(&mut self) -> Option<&mut Tally> {
        Some(self)
    }
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
