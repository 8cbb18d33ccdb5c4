//! Results that the caller frees: handles and texts.

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::failure::Failure;

/// The place of a result. It is checked before the result is made, so that nothing is done in vain.
pub(crate) struct Place<T>(NonNull<T>);

impl<T> Place<T> {
    /// # Safety
    /// The pointer is null, or valid for a write until the call ends.
    pub(crate) unsafe fn new(out: *mut T) -> Result<Self, Failure> {
        match NonNull::new(out) {
            Some(place) => Ok(Self(place)),
            None => Err(Failure::Argument("the place of the result is NULL")),
        }
    }

    /// Writes the result.
    pub(crate) fn put(self, value: T) {
        // SAFETY: as promised to `new`.
        unsafe { self.0.write(value) };
    }
}

impl<T> Place<*mut T> {
    /// Writes a new handle.
    pub(crate) fn put_handle(self, value: T) {
        self.put(Box::into_raw(Box::new(value)));
    }
}

/// Frees a handle.
///
/// # Safety
/// The pointer is null or from [`Place::put_handle`], and not used afterwards.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if handle.is_null() {
        return;
    }
    // SAFETY: as promised. A panic must not reach the caller.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(handle) })));
}

/// A text with a final NUL. NULs inside are written as `\x00`, as names of files are.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\x00")).unwrap_or_default()
}
