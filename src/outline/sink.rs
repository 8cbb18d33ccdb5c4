//! The receiver of the fields that a walk over a record reads.

use super::schema::Rule;
use super::visitor::Outline;
use crate::base::sealed::Sealed;

/// Receives the fields that a walk over a record reads: an [`Outline`], or [`Silent`].
pub trait Sink: Sealed {
    /// True if the walk describes what it reads.
    const DESCRIBES: bool;

    /// Calls `describe` with the outline. Does nothing without one.
    fn describe(&mut self, describe: impl FnOnce(&mut Outline<'_>));

    /// Announces a rule that the next field must follow.
    fn rule(&mut self, rule: Rule);
}

/// Ignores all fields. A walk with this sink only reads, at no extra cost.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Sealed for Silent {}

impl Sink for Silent {
    const DESCRIBES: bool = false;

    #[inline(always)]
    fn describe(&mut self, _: impl FnOnce(&mut Outline<'_>)) {}

    #[inline(always)]
    fn rule(&mut self, _: Rule) {}
}

impl Sealed for Outline<'_> {}

impl Sink for Outline<'_> {
    const DESCRIBES: bool = true;

    fn describe(&mut self, describe: impl FnOnce(&mut Outline<'_>)) {
        describe(self);
    }

    fn rule(&mut self, rule: Rule) {
        if rule != Rule::Sound {
            self.visitor.rule(rule);
        }
    }
}
