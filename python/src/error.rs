//! Converts errors to exceptions.

use std::path::Path;

use meshpeek::ErrorKind;
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
create_exception!(meshpeek, LimitError, Error, "More than the limits for hostile files allow.");

/// The exception for an error: `OSError` for an error of the operating system, else one of the three above.
pub(crate) fn exception(py: Python<'_>, error: &meshpeek::Error) -> PyErr {
    let text = error.to_string();
    let (mut limit, mut option) = (None, None);
    if let Some(raised) = raised_by_source(error) {
        return raised.clone_ref(py);
    }
    let raised = match error.kind() {
        ErrorKind::Io(io) => match io.raw_os_error() {
            // Python chooses the class by the number.
            Some(code) => PyOSError::new_err((code, io_text(io), error.path().map(|path| path.as_os_str().to_owned()))),
            None => std::io::Error::new(io.kind(), text).into(),
        },
        ErrorKind::Limit { limit: most, flag, .. } => {
            limit = Some(*most);
            option = flag.and_then(limits::name);
            LimitError::new_err(match flag.zip(option) {
                Some((flag, name)) => text.replace(flag, &format!("limits={{\"{name}\": ...}}")),
                None => text,
            })
        }
        ErrorKind::Unsupported(_) | ErrorKind::Encrypted(_) | ErrorKind::Unrecognized(_) => Unsupported::new_err(text),
        _ => Error::new_err(text),
    };
    let describe = || {
        let value = raised.value(py);
        value.setattr("path", error.path().map(Path::as_os_str))?;
        value.setattr("offset", error.offset())?;
        value.setattr("limit", limit)?;
        value.setattr("option", option)?;
        if let ErrorKind::Io(_) = error.kind() {
            return value.setattr("code", py.None());
        }
        value.setattr("errno", py.None())?;
        value.setattr("code", error.code().name())
    };
    match describe() {
        Ok(()) => raised,
        Err(error) => error,
    }
}

/// The error of a Python object that is read from.
fn raised_by_source(error: &meshpeek::Error) -> Option<&PyErr> {
    let ErrorKind::Io(io) = error.kind() else { return None };
    io.get_ref()?.downcast_ref()
}

/// Returns true if a Python object that is read from asks for the program's end, as `KeyboardInterrupt` and `SystemExit`
/// do. These are not errors of a file.
pub(crate) fn is_exit(error: &meshpeek::Error) -> bool {
    let Some(raised) = raised_by_source(error) else { return false };
    Python::attach(|py| !raised.is_instance_of::<PyException>(py))
}

/// Returns true for `KeyboardInterrupt`.
pub(crate) fn is_interrupt(error: &meshpeek::Error) -> bool {
    let Some(raised) = raised_by_source(error) else { return false };
    Python::attach(|py| raised.is_instance_of::<PyKeyboardInterrupt>(py))
}

/// The text of the system's error, without the number that Python adds itself.
fn io_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
