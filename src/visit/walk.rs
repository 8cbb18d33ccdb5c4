//! The walk over an asset and everything inside it, one asset after another.
//!
//! A [`Visitor`] says which members the walk enters, and takes each asset. The bytes are all of a file, or
//! [ranges](crate::ranges) of it: then missing ones are noted, and the walk is repeated when they are there.

use std::ops::{ControlFlow, Range};

use super::members::{Reading, Rest, read};
use crate::asset::container::{Container, Member};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::Name;
use crate::budget::{Budget, Held};
use crate::ranges::Data;

/// Takes the assets that a walk reaches.
pub(crate) trait Visitor {
    /// The place of an asset in the file.
    type Place;

    /// Returns the place of a member of the archive at a place, or `None` to pass it over.
    fn inside(&self, around: &Self::Place, name: Name, member: &Member<'_>) -> Option<Self::Place>;

    /// Returns true if the name at this place says that there is an asset.
    fn is_promised(&self, place: &Self::Place) -> bool;

    /// Returns true if a member whose beginning indicates this format is read further.
    fn takes(&mut self, _format: Option<Format>) -> bool {
        true
    }

    /// Returns true if the checksums of members that are stored in place are checked.
    fn checks(&self) -> bool {
        false
    }

    /// Charges for a member before its beginning is read, unless all members were charged when the walk entered their
    /// archive.
    fn charge(&self, _member: &Member<'_>, _budget: &Budget) -> Result<()> {
        Ok(())
    }

    /// Looks at the bytes at a place. Returns the archive in them if the walk enters one.
    fn look<'a>(&mut self, place: &Self::Place, bytes: Bytes<'_, 'a>) -> ControlFlow<(), Option<Archive<'a>>>;

    /// Takes a member that should be an asset but cannot be read.
    fn unread(&mut self, place: &Self::Place, unread: Unread<'_>) -> ControlFlow<()>;
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
    pub(crate) container: Container<'a>,
    pub(crate) members: Range<usize>,
    /// The memory that is charged until the walk leaves the archive.
    pub(crate) held: Vec<Held>,
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
pub(crate) fn walk<V: Visitor>(visitor: &mut V, place: &V::Place, bytes: Bytes<'_, '_>) -> ControlFlow<()> {
    let around = bytes.budget;
    let Some(archive) = visitor.look(place, bytes)? else { return ControlFlow::Continue(()) };
    let Archive { container, members, held } = archive;
    let mut rest = Rest::new(&container, members, around);
    let budget = rest.budget(around);
    for (name, member) in rest.by_ref() {
        if let Some(inner) = visitor.inside(place, name, &member) {
            enter(visitor, &inner, &member, &budget)?;
        }
    }
    drop(held);
    ControlFlow::Continue(())
}

/// Visits a member and everything inside it.
pub(crate) fn enter<V: Visitor>(
    visitor: &mut V,
    place: &V::Place,
    member: &Member<'_>,
    budget: &Budget,
) -> ControlFlow<()> {
    let is_promised = visitor.is_promised(place);
    let byte_len = member.decoded_byte_len_hint();
    if let Err(error) = visitor.charge(member, budget) {
        if is_promised {
            visitor.unread(place, Unread { format: None, byte_len, error, budget })?;
        }
        return ControlFlow::Continue(());
    }
    let decode = |format| match visitor.takes(format) {
        true => member.content(budget).map(Some),
        false => Ok(None),
    };
    match read(member, is_promised, budget, decode) {
        Reading::Other => ControlFlow::Continue(()),
        Reading::Content(content) => {
            let fault = if visitor.checks() { member.check(budget).err() } else { None };
            walk(visitor, place, Bytes { data: content.data(), budget: content.budget(), fault })
        }
        Reading::Unread { format, error } => visitor.unread(place, Unread { format, byte_len, error, budget }),
    }
}
