//! The list of maps that the handler examines.
//!
//! The list only grows, up to the maximum number of simultaneous maps. The version of each slot shows whether it was
//! read consistently.
//!
//! A faulting access keeps its own map alive. Before the handler examines the maps of other threads, it pins their
//! slots. A pinned map is not unmapped, and its file not closed, until the handler is done with it.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering, fence};

/// A place for one map in the list.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// True while a map uses the slot.
    taken: AtomicBool,
    /// Odd while the range is being changed.
    version: AtomicUsize,
    start: AtomicUsize,
    end: AtomicUsize,
    /// True once a part of the map was lost.
    pub(super) torn: AtomicBool,
    /// The file, open as long as there is a range.
    pub(super) file: AtomicI32,
    /// The number of handlers that currently examine the map.
    pins: AtomicUsize,
    /// The start of the zeros placed in the map.
    pub(super) zeros: AtomicUsize,
    next: OnceLock<&'static Slot>,
}

static FIRST: OnceLock<&'static Slot> = OnceLock::new();

/// Returns an iterator over all slots, used or not.
pub(super) fn places() -> impl Iterator<Item = &'static Slot> {
    std::iter::successors(FIRST.get().copied(), |place| place.next.get().copied())
}

impl Slot {
    /// Takes the first slot that is free. Adds one to the list if none is.
    fn take() -> &'static Self {
        let mut link = &FIRST;
        loop {
            let place = *link.get_or_init(|| Box::leak(Box::default()));
            if !place.taken.swap(true, Ordering::Acquire) {
                return place;
            }
            link = &place.next;
        }
    }

    /// Sets the range of the map, an empty one if it ends. Call only on a taken slot.
    fn set(&self, range: Range<usize>) {
        self.version.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(range.start, Ordering::Relaxed);
        self.end.store(range.end, Ordering::Relaxed);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Returns the range, or `None` while it is being changed. The map of a running access is never being changed.
    pub(super) fn range(&self) -> Option<Range<usize>> {
        let before = self.version.load(Ordering::Acquire);
        let range = self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let after = self.version.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2)).then_some(range)
    }

    /// Calls `work` with the range of the map, which stays alive during the call, and returns its result. Returns false
    /// if there is no range.
    pub(super) fn pinned(&self, work: impl FnOnce(Range<usize>) -> bool) -> bool {
        self.pins.fetch_add(1, Ordering::SeqCst);
        // Either this thread sees that the range is gone, or the thread that removes it sees the pin.
        fence(Ordering::SeqCst);
        let is_done = self.range().filter(|range| !range.is_empty()).is_some_and(work);
        self.pins.fetch_sub(1, Ordering::Release);
        is_done
    }

    /// Waits until no handler examines the map, whose range is gone. A handler never waits, so this is short.
    fn wait_for_handlers(&self) {
        fence(Ordering::SeqCst);
        while self.pins.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
    }
}

/// A map in the list.
#[derive(Debug)]
pub(crate) struct Watched(&'static Slot);

impl Watched {
    /// Adds the map of `file` with these bytes to the list. The file must stay open until this is dropped.
    pub(crate) fn new(bytes: &[u8], file: &std::fs::File) -> Self {
        let place = Slot::take();
        place.torn.store(false, Ordering::Relaxed);
        let Range { start, end } = bytes.as_ptr_range();
        place.file.store(std::os::fd::AsRawFd::as_raw_fd(file), Ordering::Relaxed);
        // No zeros yet.
        place.zeros.store(end.addr(), Ordering::Relaxed);
        place.set(start.addr()..end.addr());
        Self(place)
    }

    /// Returns true if a part of the map was lost.
    pub(crate) fn is_torn(&self) -> bool {
        self.0.torn.load(Ordering::Relaxed)
    }
}

/// Returns true if these bytes begin in a map of this crate. All of them are in it then, because a slice is in one allocation.
/// The list forgets a map before it is unmapped.
#[cfg(all(feature = "scan", target_os = "linux"))]
pub(crate) fn are_mapped(bytes: &[u8]) -> bool {
    let start = bytes.as_ptr().addr();
    for place in places() {
        if let Some(range) = place.range()
            && range.contains(&start)
        {
            return true;
        }
    }
    false
}

/// Returns true if these bytes are in a map of which a part was lost.
pub(crate) fn is_torn(bytes: &[u8]) -> bool {
    let start = bytes.as_ptr().addr();
    for place in places() {
        if place.torn.load(Ordering::Relaxed)
            && let Some(range) = place.range()
            && range.contains(&start)
        {
            return true;
        }
    }
    false
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.set(0..0);
        self.0.wait_for_handlers();
        self.0.taken.store(false, Ordering::Release);
    }
}
