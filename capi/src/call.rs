//! The frame around every call: statuses, panics, texts of the caller.

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::NonNull;

use meshpeek_core::Error;
use meshpeek_core::summary::{Class, Code};

use crate::error::meshpeek_error;

/// The result of a call.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum meshpeek_status {
    /// Success.
    Ok = 0,
    /// The file cannot be read, has changed, or not all of its bytes are there. A missing file is NotFound.
    Io = 1,
    /// The file ends too early.
    Truncated = 2,
    /// The bytes contradict their format.
    Malformed = 3,
    /// The format, its version or a kind of compression is not supported.
    Unsupported = 4,
    /// The bytes are encrypted.
    Encrypted = 5,
    /// The answer exceeds a limit of meshpeek_limits, or the system has no more memory.
    Limit = 6,
    /// The bytes are in no known format.
    Unrecognized = 7,
    /// Nothing has this path, index, name or selector.
    NotFound = 8,
    /// An argument is NULL, out of range, or a text that is not UTF-8. Paths and names of members may have any bytes.
    Argument = 9,
    /// A callback or the caller stopped the call.
    Stopped = 10,
    /// A fault in meshpeek. Please report it.
    Internal = 11,
}

/// The reason that a call fails.
pub(crate) enum Failure {
    Library(Error),
    NotFound(String),
    Argument(&'static str),
    Stopped,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl Failure {
    /// Sets the file of an error, unless it is already known.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Library(error) => Self::Library(error.in_file(path)),
            other => other,
        }
    }

    pub(crate) fn status(&self) -> meshpeek_status {
        match self {
            Self::NotFound(_) => meshpeek_status::NotFound,
            Self::Argument(_) => meshpeek_status::Argument,
            Self::Stopped => meshpeek_status::Stopped,
            Self::Library(error) => status_of(error.code()),
        }
    }
}

/// The status of a code. Python and the test `codes` know each code too.
fn status_of(code: Code) -> meshpeek_status {
    match code {
        Code::NotFound => meshpeek_status::NotFound,
        Code::Truncated => meshpeek_status::Truncated,
        code => match code.class() {
            Class::Damaged | Class::Suspicious | Class::Lint => meshpeek_status::Malformed,
            Class::Unsupported => meshpeek_status::Unsupported,
            Class::Encrypted => meshpeek_status::Encrypted,
            Class::Limit => meshpeek_status::Limit,
            Class::Io => meshpeek_status::Io,
            Class::Cancelled => meshpeek_status::Stopped,
            Class::Other => meshpeek_status::Unrecognized,
        },
    }
}

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
