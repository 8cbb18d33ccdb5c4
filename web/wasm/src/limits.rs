//! What the program's words about a file need of its limits.

use meshpeek::summary::Code;

/// The message: the program adds the flag that raises a limit, and the page has no flags.
pub(crate) fn with_flag(message: &str, _code: Code) -> String {
    message.to_owned()
}
