//! The error type that the program's code for reports expects.

/// The text of an error without its file and offset.
pub(crate) fn message_of(error: &meshpeek::Error) -> String {
    error.message()
}

/// The error type that the program's own source expects.
pub(crate) type Failure = meshpeek::Error;
