//! Zeros in place of the lost part of a map. All of this runs in the handler, except for [`prepare`].

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::slots::{Slot, places};

/// The size of a memory page, for the handler.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Makes what the handler needs. Call it before the first handler is installed.
pub(super) fn prepare() {
    PAGE.store(page_size(), Ordering::Relaxed);
    keep_spare_map();
}

/// Returns the size of a memory page in bytes.
pub(crate) fn page_size() -> usize {
    // SAFETY: the call only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Replaces a map with zeros, from the page of this address on. Returns true if the address is in a map and it
/// succeeded.
pub(super) fn mend(address: usize) -> bool {
    for place in places() {
        if let Some(range) = place.range()
            && range.contains(&address)
        {
            return mend_place(place, range, address);
        }
    }
    false
}

/// Replaces the map in this range with zeros, from the page of the address to the end. Returns true if it succeeded.
fn mend_place(place: &Slot, range: Range<usize>, address: usize) -> bool {
    place.torn.store(true, Ordering::Relaxed);
    let page = PAGE.load(Ordering::Relaxed);
    // The size of a page is a power of two.
    let start = address & !page.saturating_sub(1);
    place.zeros.fetch_min(start, Ordering::Relaxed);
    if map_zeros(start..range.end) {
        return true;
    }
    // A process at its maximum number of maps gets no further one, not even in place of another. With one less, it
    // may replace any number, but cannot split one in two.
    give_up_spare_map();
    map_zeros(range)
}

/// Replaces everything that files have lost with zeros. Returns true if there was any. Python's `faulthandler`, for
/// example, may be installed over these handlers. It dumps its output and then raises the signal again, and the new
/// signal no longer has the address of the fault.
pub(super) fn mend_cut_files() -> bool {
    let page = PAGE.load(Ordering::Relaxed);
    let mut is_any_mended = false;
    for place in places() {
        is_any_mended |= place.pinned(|range| mend_if_cut(place, range, page));
    }
    is_any_mended
}

/// Replaces the pages of a map that are after the end of its file with zeros. Returns true if there were any, and it
/// succeeded.
fn mend_if_cut(place: &Slot, range: Range<usize>, page: usize) -> bool {
    let mut facts = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: allowed in a handler. The facts are written to the given place, unless the call fails.
    let size = unsafe {
        if libc::fstat(place.file.load(Ordering::Relaxed), facts.as_mut_ptr()) != 0 {
            return false;
        }
        facts.assume_init().st_size
    };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    #[cfg(test)]
    super::tests::pause();
    let Some(whole_pages) = size.checked_next_multiple_of(page) else { return false };
    let Some(lost) = range.start.checked_add(whole_pages) else { return false };
    // From here on, the pages are already zeros.
    let end = place.zeros.load(Ordering::Relaxed).min(range.end);
    lost < end && mend_place(place, range, lost)
}

/// A map that exists to be given up. 0 if it is gone.
static SPARE: AtomicUsize = AtomicUsize::new(0);

/// Makes a map of one page, to be given up when the process has no further map.
fn keep_spare_map() {
    // Shared, so that the system does not merge it with another.
    let protection = libc::PROT_NONE;
    let flags = libc::MAP_SHARED | libc::MAP_ANON;
    // SAFETY: new pages that belong to nothing else.
    let start = unsafe { libc::mmap(ptr::null_mut(), page_size(), protection, flags, -1, 0) };
    if start != libc::MAP_FAILED {
        SPARE.store(start.expose_provenance(), Ordering::Relaxed);
    }
}

/// Unmaps the spare map, if it is still there.
fn give_up_spare_map() {
    let start = SPARE.swap(0, Ordering::Relaxed);
    if start != 0 {
        // SAFETY: nothing else knows the page.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), PAGE.load(Ordering::Relaxed)) };
    }
}

/// Replaces pages of a map with zeros. Returns true if it succeeded.
fn map_zeros(range: Range<usize>) -> bool {
    let protection = libc::PROT_READ;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED;
    let start = ptr::with_exposed_provenance_mut(range.start);
    let len = range.end.saturating_sub(range.start);
    // SAFETY: the pages belong to a map of this crate, kept alive by the interrupted access or a pin. They stay
    // readable.
    unsafe { libc::mmap(start, len, protection, flags, -1, 0) != libc::MAP_FAILED }
}
