//! Other readers, applied to the same bytes.

use std::panic::{self, AssertUnwindSafe};

/// Returns the result of other code, or `None` if it panics. No panic hook runs meanwhile.
pub fn quietly<T>(ask: impl FnOnce() -> T) -> Option<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let answer = panic::catch_unwind(AssertUnwindSafe(ask));
    panic::set_hook(hook);
    answer.ok()
}
