//! Converts errors to exceptions.

use meshpeek::ErrorKind;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    meshpeek,
    Error,
    PyValueError,
    "Bytes that cannot be read as their format says. `offset` is the byte in the asset, or None."
);
create_exception!(
    meshpeek,
    Unsupported,
    Error,
    "A format, version or packing that is not read, or bytes that are encrypted."
);
create_exception!(meshpeek, LimitError, Error, "More than the limits for hostile files allow.");

/// The exception for an error: `OSError` for an error of the operating system, else one of the three above.
pub(crate) fn exception(py: Python<'_>, error: &meshpeek::Error) -> PyErr {
    let text = error.to_string();
    let raised = match error.kind() {
        ErrorKind::Io(io) => {
            let path = error.path().map(|path| path.as_os_str().to_owned());
            return match io.raw_os_error() {
                // Python chooses the class by the number.
                Some(code) => PyOSError::new_err((code, io_text(io), path)),
                None => std::io::Error::new(io.kind(), text).into(),
            };
        }
        ErrorKind::Limit { .. } => LimitError::new_err(text),
        ErrorKind::Unsupported(_) | ErrorKind::Encrypted(_) | ErrorKind::Unrecognized(_) => Unsupported::new_err(text),
        _ => Error::new_err(text),
    };
    match raised.value(py).setattr("offset", error.offset()) {
        Ok(()) => raised,
        Err(error) => error,
    }
}

/// The text of the system's error, without the number that Python adds itself.
fn io_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
