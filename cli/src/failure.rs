//! How a program ends.

use std::io;
use std::path::Path;
use std::process::ExitCode;

/// What a verb ends with.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// Nothing could be done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Said in these words.
    Told(String),
    /// The reader of the results has left, which is no failure of ours.
    ClosedPipe,
}

impl Failure {
    /// What the operating system says of this file.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::from(meshpeek::Error::from(error).in_file(path))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::Told(error.to_string()) }
    }
}

impl From<meshpeek::Error> for Failure {
    fn from(error: meshpeek::Error) -> Self {
        Self::Told(error.to_string())
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
            other => Self::Told(format!("{other:?}")),
        }
    }
}
