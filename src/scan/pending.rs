//! Batches of members that a thread takes, and of results that it hands over.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::found::{Found, Sighting};
use super::progress::Progress;
use super::target::is_archive;
use crate::asset::address;
use crate::asset::container::Form;
use crate::base::amount::Amount;
use crate::base::format::Format;
use crate::visit::members::Named;

/// Batch size: large enough that threads seldom wait for each other, small enough that no thread is left without work.
const MOST: usize = 16;
pub(super) const MOST_BYTES: u64 = 64 << 10;

/// Groups small members together. Larger ones stay alone.
pub(super) struct Together<I>(pub(super) I);

impl<'a, I: Iterator<Item = Named<'a>>> Iterator for Together<I> {
    type Item = Vec<Named<'a>>;

    fn next(&mut self) -> Option<Vec<Named<'a>>> {
        let mut some = Vec::with_capacity(MOST);
        let mut bytes = Amount(0_u64);
        while some.len() < MOST
            && bytes.0 < MOST_BYTES
            && let Some(named) = self.0.next()
        {
            let (name, member) = &named;
            bytes += member.stored_byte_len().max(member.decoded_byte_len_hint());
            bytes += name.text.len() as u64;
            some.push(named);
        }
        if some.is_empty() { None } else { Some(some) }
    }
}

/// The caller of a scan. The scan is not generic over it, so that it is compiled once, with the library.
pub(super) trait Caller: Sync {
    /// Creates an empty list of values.
    fn values(&self) -> Box<dyn Values + '_>;
}

/// The values that the caller's view returned for results, in their order.
pub(super) trait Values: Send {
    /// Adds the value for the next result: none without a sighting.
    fn see(&mut self, sighting: Option<&Sighting<'_, '_>>);

    /// Calls the caller's callback with each result and its value, until it breaks.
    fn hand_over(&mut self, found: &mut Vec<Found>, progress: &Progress);
}

/// A caller's functions.
pub(super) struct Callbacks<T, V, F> {
    view: V,
    callback: Mutex<F>,
    values: PhantomData<fn() -> T>,
}

impl<T, V, F> Callbacks<T, V, F> {
    pub(super) fn new(view: V, callback: F) -> Self {
        Self { view, callback: Mutex::new(callback), values: PhantomData }
    }
}

impl<T, V, F> Caller for Callbacks<T, V, F>
where
    T: Send,
    V: Fn(&Sighting<'_, '_>) -> T + Sync,
    F: FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
{
    fn values(&self) -> Box<dyn Values + '_> {
        Box::new(Seen { callbacks: self, values: Vec::new() })
    }
}

struct Seen<'c, T, V, F> {
    callbacks: &'c Callbacks<T, V, F>,
    values: Vec<Option<T>>,
}

impl<T, V, F> Values for Seen<'_, T, V, F>
where
    T: Send,
    V: Fn(&Sighting<'_, '_>) -> T + Sync,
    F: FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
{
    fn see(&mut self, sighting: Option<&Sighting<'_, '_>>) {
        self.values.push(sighting.map(&self.callbacks.view));
    }

    fn hand_over(&mut self, found: &mut Vec<Found>, progress: &Progress) {
        // A callback that panicked has ended its thread's work. The panic continues when the threads are joined.
        let mut callback = self.callbacks.callback.lock().unwrap_or_else(PoisonError::into_inner);
        for (found, value) in found.drain(..).zip(self.values.drain(..)) {
            if !progress.is_stopped() && callback(found, value).is_break() {
                progress.stop();
            }
        }
    }
}

/// Results of a thread that have not been handed over yet.
pub(super) struct Pending<'c> {
    found: Vec<Found>,
    values: Box<dyn Values + 'c>,
    bytes: u64,
    /// True if these results must wait until others are handed over.
    waits: bool,
}

impl<'c> Pending<'c> {
    pub(super) fn new(caller: &'c dyn Caller) -> Self {
        Self { found: Vec::new(), values: caller.values(), bytes: 0, waits: false }
    }

    /// Makes these results wait until others are handed over.
    pub(super) fn waiting(self, waits: bool) -> Self {
        Self { waits, ..self }
    }

    /// Calls the caller's view for the result that is added next.
    pub(super) fn see(&mut self, sighting: Option<&Sighting<'_, '_>>) {
        self.values.see(sighting);
    }

    /// Adds one result of this size. Returns true if it is time to hand them over.
    pub(super) fn add(&mut self, found: Found, bytes: u64) -> bool {
        self.found.push(found);
        self.bytes = self.bytes.saturating_add(bytes);
        !self.waits && (self.found.len() >= MOST || self.bytes >= MOST_BYTES)
    }

    pub(super) fn assets(&self) -> u64 {
        let mut assets = 0_u64;
        for found in &self.found {
            if let Found::Asset(record) = found
                && record.summary.is_asset()
            {
                assets = assets.saturating_add(1);
            }
        }
        assets
    }

    /// Hands over one result at a time, until the callback breaks.
    pub(super) fn hand_over(&mut self, progress: &Progress) {
        self.bytes = 0;
        self.values.hand_over(&mut self.found, progress);
    }
}

/// Results from an archive's first members, found before the archive's own record is ready. Stops at the first member
/// that has members itself.
#[derive(Default)]
pub(super) struct Early<'c> {
    kept: Mutex<Kept<'c>>,
    members: AtomicUsize,
    is_over: AtomicBool,
}

#[derive(Default)]
struct Kept<'c> {
    batches: Vec<Pending<'c>>,
    results: usize,
    bytes: u64,
}

/// The most results that wait for the archive's record, and their bytes.
const MOST_EARLY: usize = 8192;
const MOST_EARLY_BYTES: u64 = 16 << 20;

impl<'c> Early<'c> {
    /// Returns true if this next member is processed now: any member, unless they are processed early.
    pub(super) fn takes_if(early: Option<&Self>, named: &Named<'_>) -> bool {
        match early {
            Some(early) => early.takes(named),
            None => true,
        }
    }

    /// Returns true if this next member is processed early.
    fn takes(&self, (name, member): &Named<'_>) -> bool {
        let promised = Format::from_extension(Path::new(address::unnumbered(&name.text)));
        // A packed member of a PBO shows what it is only when all of it is decoded.
        let shows_format = member.form() == Form::InPlace || !member.hides_beginning();
        let takes = !self.is_over.load(Ordering::Relaxed)
            && shows_format
            && !is_archive(promised)
            && !member.sniff().is_ok_and(is_archive);
        self.members.fetch_add(takes.into(), Ordering::Relaxed);
        takes
    }

    /// Keeps a batch. One without results would take memory that no limit counts.
    pub(super) fn keep(&self, pending: Pending<'c>) {
        if pending.found.is_empty() {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.results = kept.results.saturating_add(pending.found.len());
        kept.bytes = kept.bytes.saturating_add(pending.bytes);
        kept.batches.push(pending);
        if kept.results >= MOST_EARLY || kept.bytes >= MOST_EARLY_BYTES {
            self.end();
        }
    }

    /// Ends early processing: the archive's own record is ready, or too many results wait for it.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Returns the results, and the number of members they are from.
    pub(super) fn into_parts(self) -> (Vec<Pending<'c>>, usize) {
        (self.kept.into_inner().unwrap_or_else(PoisonError::into_inner).batches, self.members.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn batches_are_kept_with_their_values_if_they_have_results() {
        let found = Mutex::new(Vec::new());
        let caller = Callbacks::new(
            |_: &Sighting<'_, '_>| (),
            |result, value: Option<()>| {
                found.lock().unwrap().push((matches!(result, Found::NoAsset(_)), value));
                ControlFlow::Continue(())
            },
        );
        let early = Early::default();
        for number in 0..100 {
            let mut pending = Pending::new(&caller).waiting(true);
            if number % 50 == 0 {
                pending.see(None);
                assert!(!pending.add(Found::NoAsset(PathBuf::new()), MOST_BYTES));
            }
            early.keep(pending);
        }
        let (kept, members) = early.into_parts();
        assert_eq!((kept.len(), members), (2, 0));
        for mut pending in kept {
            pending.hand_over(&Progress::default());
        }
        assert_eq!(*found.lock().unwrap(), [(true, None); 2]);
    }
}
