//! The members of an archive that a walk visits: their names and order, their cost, and which of them are assets.

use std::ops::Range;

use crate::asset::address::Names;
use crate::asset::container::{Container, Form, Member, Members};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::Name;
use crate::budget::{Budget, Held};

/// The memory per member for detecting repeated names and members that share bytes.
const MEMBER_BYTES: u64 = 48;

/// The cost of a member for its entry alone, in bytes of [work](Budget::charge_work).
pub(crate) const ENTRY_WORK: u64 = 256;
/// The cost of a member whose beginning is decoded to recognise its format.
const BEGINNING_WORK: u64 = 2048;

/// Returns the cost of visiting a member, in bytes of [work](Budget::charge_work), without that of its content.
pub(crate) fn cost(member: &Member<'_>) -> u64 {
    if member.form() == Form::InPlace { ENTRY_WORK } else { BEGINNING_WORK }
}

/// A member and its name.
pub(crate) type Named<'a> = (Name, Member<'a>);

/// The members of an archive that remain to be visited, in order and with their names.
pub(crate) struct Rest<'a> {
    pub(crate) members: Members<'a>,
    /// The number of the next member, and where to end.
    pub(crate) reached: usize,
    pub(crate) end: usize,
    names: Names,
    /// The members that are not read because they share bytes with another.
    shared: Vec<usize>,
    held: Option<Held>,
}

impl<'a> Rest<'a> {
    pub(crate) fn new(container: &Container<'a>, Range { start, end }: Range<usize>, budget: &Budget) -> Self {
        let names_bytes = (end.saturating_sub(start) as u64).saturating_mul(MEMBER_BYTES);
        let held = budget.hold(names_bytes.min(budget.room())).ok();
        let (names, shared) = (Names::among(container, end), container.overlapping());
        let mut rest = Self { members: container.members(), reached: 0, end, names, shared, held };
        rest.skip_to(start);
        rest
    }

    /// Returns the budget for the members, within this one.
    pub(crate) fn budget(&self, around: &Budget) -> Budget {
        self.held.as_ref().map_or(around, Held::budget).clone()
    }

    pub(crate) fn skip_to(&mut self, start: usize) {
        while self.reached < start && self.step().is_some() {}
    }

    fn step(&mut self) -> Option<Named<'a>> {
        let member = self.members.next()?.ok()?;
        self.reached = self.reached.saturating_add(1);
        Some((self.names.next(member.name()), member))
    }
}

impl<'a> Iterator for Rest<'a> {
    type Item = Named<'a>;

    fn next(&mut self) -> Option<Named<'a>> {
        if self.reached >= self.end {
            return None;
        }
        let index = self.reached;
        let (name, member) = self.step()?;
        let is_shared = self.shared.binary_search(&index).is_ok();
        Some((name, if is_shared { member.shared() } else { member }))
    }
}

/// The result of reading a member.
pub(crate) enum Reading<C> {
    /// It is not an asset, neither by its content nor by its name.
    Other,
    /// Its content, which may be an asset.
    Content(C),
    /// It should be an asset, but cannot be read.
    Unread {
        /// The format that its beginning indicates.
        format: Option<Format>,
        error: Error,
    },
}

/// Decodes a member only if it may be an asset, in the way that `decode` does from the format of its beginning; always
/// if its name says that it is `expected`. `decode` may return that it is none.
pub(crate) fn read<C>(
    member: &Member<'_>,
    is_expected: bool,
    budget: &Budget,
    decode: impl FnOnce(Option<Format>) -> Result<Option<C>>,
) -> Reading<C> {
    if member.is_link() {
        if !is_expected {
            return Reading::Other;
        }
        return Reading::Unread { format: None, error: member.link_error(budget) };
    }
    let format = match member.sniff() {
        Ok(format) => format,
        Err(_) if !is_expected => return Reading::Other,
        Err(error) => return Reading::Unread { format: None, error },
    };
    if format.is_none() && !is_expected && !member.hides_beginning() {
        return Reading::Other;
    }
    match decode(format) {
        Ok(Some(content)) => Reading::Content(content),
        Err(error) if format.is_some() || is_expected => Reading::Unread { format, error },
        Ok(None) | Err(_) => Reading::Other,
    }
}
