//! The walk over an asset and everything inside it.
//!
//! A [`Visitor`] takes each asset, and visits the members of an archive: one after another, or on several threads. The
//! bytes are all of a file, or [ranges](crate::ranges) of it: then missing ones are noted, and the walk is repeated when
//! they are there.

use std::ops::{ControlFlow, Range};

use super::members::{Reading, Rest, read};
use crate::asset::container::{Container, Content, Member};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Held};
use crate::ranges::Data;

/// Whether a walk goes on, and with what.
pub(crate) type Flow<T = ()> = ControlFlow<(), T>;

/// Takes the assets that a walk reaches.
pub(crate) trait Visitor {
    /// The place of an asset in the file.
    type Place<'p>;

    /// Looks at the bytes at a place. Returns the archive in them if the walk enters one.
    fn look<'a>(&mut self, place: &Self::Place<'_>, bytes: Bytes<'_, 'a>) -> Flow<Option<Archive<'a>>>;

    /// Visits the members of the archive at a place, each by [`enter`].
    fn members(&mut self, place: &Self::Place<'_>, archive: &Archive<'_>, around: &Budget) -> Flow;

    /// Returns true if the name at this place says that there is an asset.
    fn is_promised(&self, place: &Self::Place<'_>) -> bool;

    /// Charges for a member before its beginning is read, unless all members were charged when the walk entered their
    /// archive.
    fn charge(&self, _member: &Member<'_>, _budget: &Budget) -> Result<()> {
        Ok(())
    }

    /// Returns the content of a member whose beginning indicates this format, or `None` to read no further.
    fn content<'a>(
        &mut self,
        member: &Member<'a>,
        _format: Option<Format>,
        budget: &Budget,
    ) -> Result<Option<Content<'a>>> {
        member.content(budget).map(Some)
    }

    /// Returns true if the checksums of members that are stored in place are checked.
    fn checks(&self) -> bool {
        false
    }

    /// Takes a member that should be an asset but cannot be read.
    fn unread(&mut self, place: &Self::Place<'_>, unread: Unread<'_>) -> Flow;
}

/// Bytes that a walk has reached.
pub(crate) struct Bytes<'b, 'a> {
    pub(crate) data: Data<'a>,
    pub(crate) budget: &'b Budget,
    /// The wrong checksum of the member that has them. Only a scan checks them.
    #[cfg_attr(not(feature = "scan"), expect(dead_code))]
    pub(crate) fault: Option<Error>,
}

/// An archive that a walk enters, and the members to visit, which have been charged.
pub(crate) struct Archive<'a> {
    /// Its bytes. Only a scan of whole files uses them: it reads ahead, and measures its progress.
    #[cfg_attr(not(feature = "scan"), expect(dead_code))]
    pub(crate) data: Data<'a>,
    pub(crate) container: Container<'a>,
    pub(crate) members: Range<usize>,
    /// The memory that is charged until the walk leaves the archive.
    pub(crate) held: Option<Held>,
}

impl<'a> Archive<'a> {
    /// Returns the members to visit.
    pub(crate) fn rest(&self, around: &Budget) -> Rest<'a> {
        Rest::new(&self.container, self.members.clone(), around)
    }
}

/// A member that cannot be read. Only a scan makes a record of it; a visit passes the error on.
#[cfg_attr(not(feature = "scan"), expect(dead_code))]
pub(crate) struct Unread<'u> {
    /// The format that its beginning indicates.
    pub(crate) format: Option<Format>,
    /// Its decoded size, as stated by the archive.
    pub(crate) byte_len: u64,
    pub(crate) error: Error,
    pub(crate) budget: &'u Budget,
}

/// Visits these bytes and everything inside them, until the visitor breaks.
pub(crate) fn walk<V: Visitor>(visitor: &mut V, place: &V::Place<'_>, bytes: Bytes<'_, '_>) -> Flow {
    let around = bytes.budget;
    let Some(archive) = visitor.look(place, bytes)? else { return Flow::Continue(()) };
    visitor.members(place, &archive, around)?;
    drop(archive.held);
    Flow::Continue(())
}

/// Visits a member and everything inside it.
pub(crate) fn enter<V: Visitor>(visitor: &mut V, place: &V::Place<'_>, member: &Member<'_>, budget: &Budget) -> Flow {
    let is_promised = visitor.is_promised(place);
    let byte_len = member.decoded_byte_len_hint();
    if let Err(error) = visitor.charge(member, budget) {
        if is_promised {
            visitor.unread(place, Unread { format: None, byte_len, error, budget })?;
        }
        return Flow::Continue(());
    }
    match read(member, is_promised, budget, |format| visitor.content(member, format, budget)) {
        Reading::Other => Flow::Continue(()),
        Reading::Content(content) => {
            let fault = if visitor.checks() { member.check(budget).err() } else { None };
            walk(visitor, place, Bytes { data: content.data(), budget: content.budget(), fault })
        }
        Reading::Unread { format, error } => visitor.unread(place, Unread { format, byte_len, error, budget }),
    }
}
