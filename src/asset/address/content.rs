//! The content of a member in a file of which all bytes are available.

use std::borrow::Cow;
use std::ops::{Deref, Range};

use super::follow::Place;
use crate::asset::container::{Checksum, Member};
use crate::base::error::Result;
use crate::budget::{Budget, Held};
use crate::ranges::Data;

/// The bytes of a member. They are a view of the outer file if every archive on the path stores them in place, else a
/// view of the innermost member that had to be decoded.
#[derive(Debug)]
pub struct Content<'a> {
    whole: Cow<'a, [u8]>,
    range: Range<usize>,
    budget: Budget,
    /// Memory taken on the path, innermost first.
    held: Vec<Held>,
    /// The checksum of these bytes, if decoding has not compared it.
    pub(super) unchecked: Option<Checksum>,
}

impl<'a> Content<'a> {
    pub(super) fn new(whole: &'a [u8], budget: &Budget) -> Self {
        let range = 0..whole.len();
        Self { whole: whole.into(), range, budget: budget.clone(), held: Vec::new(), unchecked: None }
    }

    /// Compares the checksum of a member that its zip stores in place. That of any other member was compared when it was
    /// decoded. Archives around the member are not checked.
    ///
    /// # Errors
    /// Returns an error if the checksum differs, or if the budget is spent.
    pub fn check(&self) -> Result<()> {
        match self.unchecked {
            Some(checksum) => checksum.check(self, &self.budget),
            None => Ok(()),
        }
    }

    /// Returns true if nothing had to be decoded.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.whole, Cow::Borrowed(_))
    }

    /// Returns the budget for parts of this content.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns where bytes are in the whole, if they are a part of it.
    fn range_of(&self, inside: &[u8]) -> Option<Range<usize>> {
        let start = inside.as_ptr().addr().checked_sub(self.whole.as_ptr().addr())?;
        let end = start.checked_add(inside.len())?;
        if end <= self.whole.len() { Some(start..end) } else { None }
    }
}

impl Deref for Content<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }
}

/// A smaller view of the same bytes, or new memory that replaces them.
pub(super) enum Part {
    Here(Range<usize>, Option<Checksum>),
    Decoded(Vec<u8>),
}

impl Place for Content<'_> {
    type Part = Part;

    fn data(&self) -> Data<'_> {
        Data::Whole(self)
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn part(&self, member: &Member<'_>) -> Result<(Part, Held)> {
        let (bytes, held) = member.view(&self.budget)?.into_parts();
        let part = match bytes {
            Cow::Borrowed(inside) => match self.range_of(inside) {
                Some(range) => Part::Here(range, member.unchecked()),
                None => Part::Decoded(member.decode(&self.budget)?.to_vec()),
            },
            Cow::Owned(bytes) => Part::Decoded(bytes),
        };
        Ok((part, held))
    }

    fn inside(mut self, (part, held): (Part, Held)) -> Self {
        self.budget = held.budget().clone();
        self.held.insert(0, held);
        match part {
            Part::Here(range, unchecked) => Self { range, unchecked, ..self },
            Part::Decoded(bytes) => Self { range: 0..bytes.len(), whole: bytes.into(), unchecked: None, ..self },
        }
    }
}
