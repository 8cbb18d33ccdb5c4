//! Asking the system to read pages of a map ahead of their use, to take back those that were used, and for large pages.

#[cfg(all(feature = "scan", feature = "mmap", unix))]
use std::mem::MaybeUninit;
#[cfg(all(feature = "mmap", unix, any(feature = "scan", target_os = "linux")))]
use std::ops::Range;

#[cfg(all(feature = "scan", feature = "mmap", unix))]
use super::guard;

/// Asks the system to read these bytes, which may be mapped, before their use. Does not wait for it.
#[cfg(all(feature = "scan", feature = "mmap", unix))]
pub(crate) fn will_need(bytes: &[u8]) {
    let page = guard::page_size();
    let Range { start, end } = bytes.as_ptr_range();
    // The call takes whole pages.
    let before = start.addr().checked_rem(page).unwrap_or(0);
    let mut start = start.wrapping_sub(before).cast_mut();
    // Linux may process only this much of one call.
    const PIECE: usize = 128 << 10;
    while start.addr() < end.addr() {
        let length = end.addr().saturating_sub(start.addr()).min(PIECE);
        // SAFETY: the pages are those of borrowed bytes. The advice changes none of them, and may be refused.
        unsafe { libc::madvise(start.cast(), length, libc::MADV_WILLNEED) };
        start = start.wrapping_add(PIECE);
    }
}

/// Releases the pages of a mapped file that were read, because an archive may be larger than the memory.
///
/// Works in ascending order: what is read out of order stays in memory. Another thread may still read a long member whose
/// pages are released. They are then mapped again, with the same content.
#[cfg(feature = "scan")]
pub(crate) struct Release<'a> {
    data: &'a [u8],
    /// The end of the released bytes, or the first offset. `None` before the first call.
    released_to: Option<usize>,
}

#[cfg(feature = "scan")]
impl<'a> Release<'a> {
    /// How many bytes before the offset are not released, because other threads may still read them.
    const KEPT: usize = 4 << 20;
    /// At least this many bytes are released at once.
    const STEP: usize = 2 << 20;

    /// Starts before any of these bytes were read.
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { data, released_to: None }
    }

    /// Call this when reading continues at an offset. Releases what is more than [`KEPT`](Self::KEPT) before it.
    pub(crate) fn read_on_at(&mut self, offset: u64) {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.data.len());
        let start = *self.released_to.get_or_insert(offset);
        let end = offset.saturating_sub(Self::KEPT);
        if end < start.saturating_add(Self::STEP) {
            return;
        }
        if let Some(part) = self.data.get(start..end) {
            release(part);
        }
        self.released_to = Some(end);
    }
}

/// Unmaps the pages of these bytes, if they are in a map of a file. They stay in the page cache, and are mapped again when
/// they are read.
#[cfg(all(feature = "scan", feature = "mmap", target_os = "linux"))]
fn release(bytes: &[u8]) {
    let page = guard::page_size();
    let Range { start, end } = bytes.as_ptr_range();
    // Whole pages only: bytes around these may be in use.
    let Some(first) = start.addr().checked_next_multiple_of(page) else { return };
    let last = end.addr().saturating_sub(end.addr().checked_rem(page).unwrap_or(0));
    let length = last.saturating_sub(first);
    if length == 0 || !guard::are_mapped(bytes) {
        return;
    }
    let start = start.wrapping_add(first.wrapping_sub(start.addr())).cast_mut();
    // SAFETY: the pages are those of a file, mapped for reading, whose map outlives the borrow. The next access maps the same
    // content again. Where the guard has put zeros, the next access finds zeros again.
    unsafe { libc::madvise(start.cast(), length, libc::MADV_DONTNEED) };
}

/// Does nothing: these bytes are not mapped, or on this system the advice may mean something else.
#[cfg(all(feature = "scan", not(all(feature = "mmap", target_os = "linux"))))]
fn release(_: &[u8]) {}

/// Asks the system for large pages for memory that is about to be written from its start. For a file or a member of
/// 100 MB, that is 50 faults instead of 25,000.
#[cfg(all(feature = "mmap", target_os = "linux"))]
pub(crate) fn large<T>(memory: &mut [T]) {
    const PAGE: usize = 2 << 20;
    let Range { start, end } = memory.as_mut_ptr_range();
    // Whole large pages only, so that no other memory is affected.
    let first = start.addr().checked_next_multiple_of(PAGE).unwrap_or(usize::MAX);
    let length = (end.addr() & !PAGE.wrapping_sub(1)).saturating_sub(first);
    if length > PAGE {
        let start = start.cast::<u8>().wrapping_add(first.wrapping_sub(start.addr()));
        // SAFETY: the pages are those of borrowed memory. The advice changes no bytes, and may be refused.
        unsafe { libc::madvise(start.cast(), length, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing: only Linux takes such advice.
#[cfg(not(all(feature = "mmap", target_os = "linux")))]
pub(crate) fn large<T>(_: &mut [T]) {}

/// Returns how often this process has waited for pages to be read, or `None` if that is unknown.
#[cfg(all(feature = "scan", feature = "mmap", unix))]
pub(crate) fn waits_for_pages() -> Option<u64> {
    let mut usage = MaybeUninit::uninit();
    // SAFETY: there is room for the answer, and it is complete if the call returns 0.
    let usage: libc::rusage = unsafe {
        if libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    u64::try_from(usage.ru_majflt).ok()
}

/// Does nothing: these bytes are not mapped, or the system takes no such advice.
#[cfg(all(feature = "scan", not(all(feature = "mmap", unix))))]
pub(crate) fn will_need(_: &[u8]) {}

/// Returns `None`: the number is unknown here.
#[cfg(all(feature = "scan", not(all(feature = "mmap", unix))))]
pub(crate) fn waits_for_pages() -> Option<u64> {
    None
}
