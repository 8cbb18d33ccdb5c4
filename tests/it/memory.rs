//! An allocator that counts, for tests of memory bounds. Counts are kept for each thread, so tests do not disturb each
//! other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The number of allocations.
    pub allocations: u64,
    /// The total number of bytes allocated.
    pub total: u64,
    /// The maximum number of bytes held at once.
    pub peak: i64,
    held: i64,
}

thread_local! {
    static USAGE: Cell<Usage> = const { Cell::new(Usage { allocations: 0, total: 0, peak: 0, held: 0 }) };
}

fn note(got: usize, given_back: usize) {
    // A thread that is ending no longer has a counter.
    let _ = USAGE.try_with(|usage| {
        let mut now = usage.get();
        now.held += got as i64 - given_back as i64;
        now.peak = now.peak.max(now.held);
        now.total += got as u64;
        now.allocations += u64::from(got > 0);
        usage.set(now);
    });
}

// SAFETY: every call goes to the system's allocator unchanged; counting only touches a thread-local cell.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size());
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns this thread's allocations while `work` runs.
pub fn usage_of<T>(work: impl FnOnce() -> T) -> (T, Usage) {
    USAGE.set(Usage::default());
    let result = work();
    (result, USAGE.get())
}
