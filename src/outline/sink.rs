//! Where the walk over a record describes what it reads.

use super::Outline;
use crate::base::sealed::Sealed;

/// Takes in what a walk over a record reads: an [`Outline`], or nothing at all.
pub trait Sink: Sealed {
    /// Whether anything is described.
    const DESCRIBES: bool;

    /// Describes something. Without an outline this does nothing.
    fn describe(&mut self, describe: impl FnOnce(&mut Outline<'_>));

    /// Whether the outline's visitor [dissects](super::Visitor::dissects).
    fn dissects(&self) -> bool;
}

/// Describes nothing: a walk with it only reads, at no cost.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Sealed for Silent {}

impl Sink for Silent {
    const DESCRIBES: bool = false;

    #[inline(always)]
    fn describe(&mut self, _: impl FnOnce(&mut Outline<'_>)) {}

    #[inline(always)]
    fn dissects(&self) -> bool {
        false
    }
}

impl Sealed for Outline<'_> {}

impl Sink for Outline<'_> {
    const DESCRIBES: bool = true;

    fn describe(&mut self, describe: impl FnOnce(&mut Outline<'_>)) {
        describe(self);
    }

    fn dissects(&self) -> bool {
        self.dissects()
    }
}
