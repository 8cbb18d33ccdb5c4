//! Statuses, and the reasons for them.

use std::path::Path;

use meshpeek_core::Error;
use meshpeek_core::summary::{Class, Code};

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
