//! What goes through the scan in one go: members that one thread takes, finds that it hands over.

use super::Found;
use crate::container::Member;
use crate::summary::Name;

/// So much is taken at once: enough that threads seldom wait for each other, little enough that none is left without.
const MOST: usize = 8;
const MOST_BYTES: u64 = 64 << 10;

/// A member and its name.
pub(super) type Named<'a> = (Name, Member<'a>);

/// Small members together, larger ones alone.
pub(super) fn together<'a>(mut members: impl Iterator<Item = Named<'a>>) -> impl Iterator<Item = Vec<Named<'a>>> {
    std::iter::from_fn(move || {
        let (mut some, mut bytes) = (Vec::new(), 0_u64);
        while some.len() < MOST
            && bytes < MOST_BYTES
            && let Some(named) = members.next()
        {
            let (name, member) = &named;
            let size =
                member.stored_byte_len().max(member.decoded_byte_len_hint()).saturating_add(name.text.len() as u64);
            bytes = bytes.saturating_add(size);
            some.push(named);
        }
        Some(some).filter(|some| !some.is_empty())
    })
}

/// What a thread has found and not handed over yet.
pub(super) struct Finds<T> {
    found: Vec<(Found, Option<T>)>,
    bytes: u64,
}

impl<T> Default for Finds<T> {
    fn default() -> Self {
        Self { found: Vec::new(), bytes: 0 }
    }
}

impl<T> Finds<T> {
    pub(super) fn of(found: Found, seen: Option<T>) -> Self {
        Self { found: vec![(found, seen)], bytes: 0 }
    }

    /// Adds one of so many bytes; whether it is time to hand them over.
    pub(super) fn add(&mut self, found: Found, seen: Option<T>, bytes: u64) -> bool {
        self.found.push((found, seen));
        self.bytes = self.bytes.saturating_add(bytes);
        self.found.len() >= MOST || self.bytes >= MOST_BYTES
    }

    pub(super) fn take(&mut self) -> impl Iterator<Item = (Found, Option<T>)> + use<'_, T> {
        self.bytes = 0;
        self.found.drain(..)
    }
}
