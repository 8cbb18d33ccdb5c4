//! The frame around every call: panics, and arguments of the caller.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};

/// Runs a call. A failure is stored at `error`, unless that is null.
///
/// # Safety
/// `error` is null or valid for a write.
pub(crate) unsafe fn call(
    error: *mut *mut meshpeek_error,
    work: impl FnOnce() -> Result<(), Failure>,
) -> meshpeek_status {
    // Whatever a panic leaves behind is dropped here: handles are written only on success.
    let failed = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return meshpeek_status::Ok,
        Ok(Err(failure)) => meshpeek_error::new(&failure),
        Err(panic) => meshpeek_error::internal(&message(&*panic)),
    };
    let status = failed.status;
    if !error.is_null() {
        // SAFETY: as promised.
        unsafe { error.write(Box::into_raw(Box::new(failed))) };
    }
    status
}

fn message(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_owned();
    }
    if let Some(text) = panic.downcast_ref::<String>() {
        return text.clone();
    }
    "a panic".to_owned()
}

/// Borrows a handle.
///
/// # Safety
/// The pointer is null or that of a live value.
pub(crate) unsafe fn borrow<'h, T>(handle: *const T) -> Result<&'h T, Failure> {
    // SAFETY: as promised.
    unsafe { handle.as_ref() }.ok_or(Failure::Argument("a handle is NULL"))
}

/// Borrows a text of the caller.
///
/// # Safety
/// The pointer is null or that of a text with a final NUL.
pub(crate) unsafe fn text<'t>(text: *const c_char) -> Result<&'t str, Failure> {
    // SAFETY: as promised.
    unsafe { optional_text(text) }?.ok_or(Failure::Argument("a text is NULL"))
}

/// Like [`text`], for texts that may be null.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'t>(text: *const c_char) -> Result<Option<&'t str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as promised.
    let text = unsafe { CStr::from_ptr(text) };
    match text.to_str() {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(Failure::Argument("a text is not UTF-8")),
    }
}

/// Borrows a path of the caller. On Unix it may have any bytes.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn path<'t>(path: *const c_char) -> Result<&'t Path, Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: as promised.
        let bytes = unsafe { bytes(path) }?;
        Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as promised.
        unsafe { text(path) }.map(Path::new)
    }
}

/// Borrows the bytes of a name of the caller, without the final NUL.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn bytes<'t>(name: *const c_char) -> Result<&'t [u8], Failure> {
    if name.is_null() {
        return Err(Failure::Argument("a text is NULL"));
    }
    // SAFETY: as promised.
    Ok(unsafe { CStr::from_ptr(name) }.to_bytes())
}
