//! Outcomes of the program.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::limits::with_flag;
use crate::visible::shown;

/// The result of a verb.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// The exit status: 0 if nothing failed, 2 if everything did, else 1.
pub(crate) fn status(done: u64, failed: u64) -> ExitCode {
    match (done, failed) {
        (_, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(2),
        _ => ExitCode::from(1),
    }
}

/// The failure of a whole verb.
#[derive(Debug)]
pub(crate) enum Failure {
    Message(String),
    /// The result was made, and is not what it should be: status 1, and nothing of it is kept.
    Wrong(String),
    /// The reader of the results has closed the pipe, which is not a failure of ours.
    ClosedPipe,
}

impl Failure {
    /// A message about this file.
    pub(crate) fn at(path: &Path, message: impl Display) -> Self {
        Self::Message(format!("{}: {message}", shown(path)))
    }

    /// An error of the operating system for this file.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::from(meshpeek::Error::from(error).in_file(path))
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self::Message(message.to_owned())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::Message(error.to_string()) }
    }
}

impl From<meshpeek::Error> for Failure {
    fn from(error: meshpeek::Error) -> Self {
        match error.kind() {
            meshpeek::ErrorKind::Io(io) if io.kind() == io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Message(text_of(&error)),
        }
    }
}

/// For functions of the library that call back; it is turned back into the same failure.
impl From<Failure> for meshpeek::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Message(text) | Failure::Wrong(text) => io::Error::other(text).into(),
            Failure::ClosedPipe => io::Error::from(io::ErrorKind::BrokenPipe).into(),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            other => Self::Message(format!("{other:?}")),
        }
    }
}

/// The text of an error, and the flag that raises the limit if it is about one.
pub(crate) fn text_of(error: &meshpeek::Error) -> String {
    with_flag(&error.to_string(), error.code())
}

/// The text of an error without its file and offset, and the flag that raises the limit if it is about one.
pub(crate) fn message_of(error: &meshpeek::Error) -> String {
    with_flag(&error.message(), error.code())
}

/// The error in a member, without the name of the member: the address before the message has it.
pub(crate) fn without_name(error: &meshpeek::Error, name: impl Display) -> String {
    let name = format!(": {name}: ");
    text_of(error).replacen(&name, ": ", 1)
}
