//! What the program's words about a file need of its errors.

/// The text of an error without its file and offset.
pub(crate) fn message_of(error: &meshpeek::Error) -> String {
    error.message()
}

/// What the program's own source calls an error.
pub(crate) type Failure = meshpeek::Error;
