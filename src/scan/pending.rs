//! Batches of members that a thread takes, and of results that it hands over.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Found;
use super::in_ranges::is_archive;
use crate::asset::address;
use crate::asset::container::{Form, Member};
use crate::base::format::Format;
use crate::base::text::Name;

/// Batch size: large enough that threads seldom wait for each other, small enough that no thread is left without work.
const MOST: usize = 16;
pub(super) const MOST_BYTES: u64 = 64 << 10;

/// A member and its name.
pub(super) type Named<'a> = (Name, Member<'a>);

/// Groups small members together. Larger ones stay alone.
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

/// Results of a thread that have not been handed over yet.
pub(super) struct Pending<T> {
    found: Vec<(Found, Option<T>)>,
    bytes: u64,
    /// True if these results must wait until others are handed over.
    waits: bool,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self { found: Vec::new(), bytes: 0, waits: false }
    }
}

impl<T> Pending<T> {
    pub(super) fn of(found: Found, seen: Option<T>) -> Self {
        Self { found: vec![(found, seen)], ..Self::default() }
    }

    /// Adds one result of this size. Returns true if it is time to hand them over.
    pub(super) fn add(&mut self, found: Found, seen: Option<T>, bytes: u64) -> bool {
        self.found.push((found, seen));
        self.bytes = self.bytes.saturating_add(bytes);
        !self.waits && (self.found.len() >= MOST || self.bytes >= MOST_BYTES)
    }

    pub(super) fn assets(&self) -> u64 {
        self.found
            .iter()
            .filter(|(found, _)| matches!(found, Found::Asset(record) if record.summary.is_asset()))
            .count() as u64
    }

    pub(super) fn take(&mut self) -> impl Iterator<Item = (Found, Option<T>)> + use<'_, T> {
        self.bytes = 0;
        self.found.drain(..)
    }
}

/// Results from an archive's first members, found before the archive's own record is ready. Stops at the first member
/// that has members itself.
pub(super) struct Early<T> {
    pending: Mutex<Pending<T>>,
    members: AtomicUsize,
    is_over: AtomicBool,
}

/// The most results that wait for the archive's record, and their bytes.
const MOST_EARLY: usize = 8192;
const MOST_EARLY_BYTES: u64 = 16 << 20;

impl<T> Default for Early<T> {
    fn default() -> Self {
        Self { pending: Mutex::default(), members: AtomicUsize::new(0), is_over: AtomicBool::new(false) }
    }
}

impl<T> Early<T> {
    /// Returns true if this next member is processed early.
    pub(super) fn takes(&self, (name, member): &Named<'_>) -> bool {
        let promised = Format::from_extension(Path::new(address::unnumbered(&name.text)));
        let takes = !self.is_over.load(Ordering::Relaxed)
            && member.form() == Form::InPlace
            && !is_archive(promised)
            && !member.sniff().is_ok_and(is_archive);
        self.members.fetch_add(takes.into(), Ordering::Relaxed);
        takes
    }

    /// Creates a batch to be kept here.
    pub(super) fn pending(&self) -> Pending<T> {
        Pending { waits: true, ..Pending::default() }
    }

    pub(super) fn keep(&self, mut pending: Pending<T>) {
        let mut kept = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        kept.found.append(&mut pending.found);
        kept.bytes = kept.bytes.saturating_add(pending.bytes);
        if kept.found.len() >= MOST_EARLY || kept.bytes >= MOST_EARLY_BYTES {
            self.end();
        }
    }

    /// Ends early processing: the archive's own record is ready, or too many results wait for it.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns the results, and the number of members they are from.
    pub(super) fn into_parts(self) -> (Pending<T>, usize) {
        (self.pending.into_inner().unwrap_or_else(PoisonError::into_inner), self.members.into_inner())
    }
}
