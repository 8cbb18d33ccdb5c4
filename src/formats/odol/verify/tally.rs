//! Counts the blocks of a LOD while it is read.

use crate::base::sealed::Sealed;
use crate::bytes::Storage;
use crate::outline::{Outline, Rule, Sink};
use crate::summary::Blocks;

/// Counts the blocks that a walk reads, so that the lists around them need not be read again for that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) blocks: Blocks,
    /// True if a block has another number of elements than the block that it belongs to.
    pub(super) has_uneven: bool,
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
    fn counts_blocks(&self) -> bool {
        true
    }

    #[inline(always)]
    fn block(&mut self, storage: Storage, decoded_bytes: u64) {
        self.blocks.add(storage, decoded_bytes);
    }

    #[inline(always)]
    fn uneven_blocks(&mut self) {
        self.has_uneven = true;
    }
}
