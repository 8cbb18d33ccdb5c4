//! The receiver of the fields that a walk over a record reads.

use super::schema::Rule;
use super::visitor::Outline;
use crate::base::sealed::Sealed;

/// Receives the fields that a walk over a record reads: an [`Outline`], or [`Silent`].
pub trait Sink: Sealed {
    /// True if the walk describes what it reads.
    const DESCRIBES: bool;

    /// Returns the outline, if there is one.
    fn outline(&mut self) -> Option<Outline<'_>>;

    /// Sets the rule of the next field.
    fn rule(&mut self, rule: Rule);
}

/// Ignores all fields. A walk with this sink only reads, at no extra cost.
#[derive(Clone, Copy, Debug)]
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
