//! Converts errors to exceptions.

use std::fmt;
use std::io;
use std::path::Path;

use meshpeek::ErrorKind;
use meshpeek::summary::Class;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::limits;

create_exception!(
    meshpeek,
    Error,
    PyValueError,
    "Bytes that cannot be read as their format says. Each of these is None if it is unknown: `path` is the address of the \
     asset, `offset` the byte in it, `code` the kind of the problem as in records, `limit` the number of the limit that \
     was reached, `option` its name in `limits`, and `errno` the number of the system's error."
);
create_exception!(
    meshpeek,
    Unsupported,
    Error,
    "A format, version or packing that is not read, or bytes that are encrypted."
);
create_exception!(
    meshpeek,
    LimitError,
    Error,
    "More than the limits for hostile files allow, or than the system has memory for."
);

/// The exception for an error: `OSError` for an error of the operating system other than missing memory, else one of the
/// three above.
pub(crate) fn exception(py: Python<'_>, error: &meshpeek::Error) -> PyErr {
    if let Some(raised) = Raised::of(error) {
        return raised.exception.clone_ref(py);
    }
    let text = error.to_string();
    let mut limit = None;
    let mut option = None;
    let raised = match error.kind() {
        // The system has no memory left.
        ErrorKind::Io(_) if error.code().class() == Class::Limit => LimitError::new_err(text),
        ErrorKind::Io(io) => match io.raw_os_error().or_else(|| number(py, io.kind())) {
            // Python chooses the class by the number.
            Some(code) => PyOSError::new_err((code, io_text(io), error.path().map(|path| path.as_os_str().to_owned()))),
            None => io::Error::new(io.kind(), text).into(),
        },
        ErrorKind::Limit { limit: most, .. } => {
            limit = Some(*most);
            option = limits::name(error.code());
            LimitError::new_err(limit_text(text, option))
        }
        _ => match error.code().class() {
            Class::Unsupported | Class::Encrypted | Class::Other => Unsupported::new_err(text),
            Class::Limit => LimitError::new_err(text),
            Class::Damaged | Class::Suspicious | Class::Lint | Class::Io | Class::Cancelled => Error::new_err(text),
        },
    };
    match describe(py, &raised, error, limit, option) {
        Ok(()) => raised,
        Err(failure) => failure,
    }
}

/// Returns the number of the system for an error that the library found itself, such as a folder instead of a file.
fn number(py: Python<'_>, kind: io::ErrorKind) -> Option<i32> {
    let name = match kind {
        io::ErrorKind::IsADirectory => "EISDIR",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        _ => return None,
    };
    py.import("errno").ok()?.getattr(name).ok()?.extract().ok()
}

/// Sets the attributes of an exception.
fn describe(
    py: Python<'_>,
    raised: &PyErr,
    error: &meshpeek::Error,
    limit: Option<u64>,
    option: Option<&str>,
) -> PyResult<()> {
    let value = raised.value(py);
    value.setattr("path", error.path().map(Path::as_os_str))?;
    value.setattr("offset", error.offset())?;
    value.setattr("limit", limit)?;
    value.setattr("option", option)?;
    value.setattr("code", error.code().name())?;
    match error.kind() {
        // It is no `OSError`, for which Python sets the number.
        ErrorKind::Io(io) if error.code().class() == Class::Limit => value.setattr("errno", io.raw_os_error()),
        ErrorKind::Io(_) => Ok(()),
        _ => value.setattr("errno", py.None()),
    }
}

/// The text of an error of a limit, with the argument that raises it.
fn limit_text(text: String, option: Option<&str>) -> String {
    match option {
        Some(name) => format!("{text}; limits={{\"{name}\": ...}} raises it"),
        None => text,
    }
}

/// The error for an answer that cannot be written as JSON.
pub(crate) fn json_error(error: serde_json::Error) -> meshpeek::Error {
    io::Error::from(error).into()
}

/// Returns the value, or raises the error as an exception.
pub(crate) fn or_raise<T>(py: Python<'_>, result: Result<T, meshpeek::Error>) -> PyResult<T> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => Err(exception(py, &error)),
    }
}

/// An exception of a Python object that is read from. What is known about it can be asked without Python's lock: engines
/// ask for rows without it.
#[derive(Debug)]
pub(crate) struct Raised {
    exception: PyErr,
    text: String,
    /// True for `KeyboardInterrupt`, `SystemExit` and others that ask for the program's end and are not errors of a file.
    pub(crate) is_exit: bool,
    /// True for `KeyboardInterrupt`.
    pub(crate) is_interrupt: bool,
}

impl Raised {
    pub(crate) fn new(py: Python<'_>, exception: PyErr) -> Self {
        Self {
            text: exception.to_string(),
            is_exit: !exception.is_instance_of::<PyException>(py),
            is_interrupt: exception.is_instance_of::<PyKeyboardInterrupt>(py),
            exception,
        }
    }

    pub(crate) fn of(error: &meshpeek::Error) -> Option<&Self> {
        let ErrorKind::Io(io) = error.kind() else { return None };
        io.get_ref()?.downcast_ref()
    }

    /// Converts the exception to the error of a reader.
    pub(crate) fn into_io(self, py: Python<'_>) -> io::Error {
        io::Error::new(io::Error::from(self.exception.clone_ref(py)).kind(), self)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Raised {}

/// Returns true if a Python object that is read from asked for the program's end.
pub(crate) fn is_exit(error: &meshpeek::Error) -> bool {
    match Raised::of(error) {
        Some(raised) => raised.is_exit,
        None => false,
    }
}

/// The text of the system's error, without the number that Python adds itself.
fn io_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
