//! Other readers, applied to the same bytes.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result of other code, or `None` if it panics.
pub fn quietly<T>(ask: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(ask)).ok()
}
