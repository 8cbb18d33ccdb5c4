//! Counts of the streams that were walked and decoded.

use std::cell::Cell;

/// Counters of codec work on one thread since the thread started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The number of streams walked to find their end.
    pub walks: u64,
    /// The number of streams decoded.
    pub decodes: u64,
    /// The number of DEFLATE streams inflated, each a whole table or file.
    pub inflations: u64,
    /// The total size that was requested of the streams decoded and inflated.
    pub bytes: u64,
}

thread_local! {
    static ACTIVITY: Cell<Activity> = const { Cell::new(Activity { walks: 0, decodes: 0, inflations: 0, bytes: 0 }) };
}

/// Returns the work done on this thread so far. The difference of two calls is the cost of the code between them.
pub fn activity() -> Activity {
    ACTIVITY.get()
}

/// Counts a stream that was walked without decoding.
pub(super) fn count_walk() {
    let mut done = ACTIVITY.get();
    done.walks = done.walks.wrapping_add(1);
    ACTIVITY.set(done);
}

/// Counts a stream that is decoded to this many bytes.
pub(super) fn count_decode(bytes: u64) {
    let mut done = ACTIVITY.get();
    done.decodes = done.decodes.wrapping_add(1);
    done.bytes = done.bytes.wrapping_add(bytes);
    ACTIVITY.set(done);
}

/// Counts a DEFLATE stream that is inflated to at most this many bytes.
pub(super) fn count_inflation(bytes: usize) {
    let mut done = ACTIVITY.get();
    done.inflations = done.inflations.wrapping_add(1);
    done.bytes = done.bytes.wrapping_add(bytes as u64);
    ACTIVITY.set(done);
}
