//! Errors.

use std::ffi::{CString, c_char};

use crate::failure::{Failure, meshpeek_status};
use crate::handle::{c_text, free};

/// The reason that a call failed.
pub struct meshpeek_error {
    pub(crate) status: meshpeek_status,
    message: CString,
    code: CString,
    offset: Option<u64>,
}

impl meshpeek_error {
    pub(crate) fn new(failure: &Failure) -> Self {
        let status = failure.status();
        let (message, code, offset) = match failure {
            Failure::Library(error) => (error.to_string(), error.code().name(), error.offset()),
            Failure::NotFound(what) => (what.clone(), "", None),
            Failure::Argument(what) => ((*what).to_owned(), "", None),
            Failure::Stopped => ("stopped by a callback".to_owned(), "", None),
        };
        Self { status, message: c_text(&message), code: c_text(code), offset }
    }

    pub(crate) fn internal(message: &str) -> Self {
        let message = c_text(&format!("a fault in meshpeek: {message}"));
        Self { status: meshpeek_status::Internal, message, code: CString::default(), offset: None }
    }
}

/// Returns the error in words, with file, place and offset. Valid until the error is freed.
///
/// # Safety
/// `error` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_error_message(error: *const meshpeek_error) -> *const c_char {
    // SAFETY: as promised.
    let Some(error) = (unsafe { error.as_ref() }) else { return c"".as_ptr() };
    error.message.as_ptr()
}

/// Returns the code of the problem, as records and `verify` name it, such as "damaged.truncated" or "io.not_found".
/// Empty if the call itself was wrong. Valid until the error is freed.
///
/// # Safety
/// `error` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_error_code(error: *const meshpeek_error) -> *const c_char {
    // SAFETY: as promised.
    let Some(error) = (unsafe { error.as_ref() }) else { return c"".as_ptr() };
    error.code.as_ptr()
}

/// Stores the offset in the asset at which the problem is, and returns true, if it is known.
///
/// # Safety
/// `error` is NULL or a live handle; `offset` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_error_offset(error: *const meshpeek_error, offset: *mut u64) -> bool {
    // SAFETY: as promised.
    let Some(error) = (unsafe { error.as_ref() }) else { return false };
    let Some(at) = error.offset else { return false };
    if !offset.is_null() {
        // SAFETY: as promised.
        unsafe { offset.write(at) };
    }
    true
}

/// Frees an error.
///
/// # Safety
/// `error` is NULL or a live handle, not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_error_free(error: *mut meshpeek_error) {
    // SAFETY: as promised.
    unsafe { free(error) }
}
