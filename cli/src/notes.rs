//! Messages on standard error.

use std::fmt::Display;
use std::io::{self, Write};

use meshpeek::view::ByteStr;

use crate::wrap::wrapped;

/// Which messages are printed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

impl Notes {
    /// Prints an error, even when quiet.
    pub(crate) fn error(self, message: impl Display) {
        line(format_args!("meshpeek: {message}"));
    }

    /// Prints a message for most users.
    pub(crate) fn say(self, message: impl Display) {
        if !self.quiet {
            line(message);
        }
    }

    /// Prints a message for `--verbose`.
    pub(crate) fn detail(self, message: impl Display) {
        if self.verbose {
            self.say(message);
        }
    }
}

/// Prints one line, whatever the names in it contain. Wrapped on a terminal.
fn line(message: impl Display) {
    let text = ByteStr::from(message.to_string().as_str()).to_string();
    let columns = match terminal_size::terminal_size_of(io::stderr()) {
        Some((width, _)) if width.0 > 0 => Some(usize::from(width.0)),
        _ => None,
    };
    // If standard error is closed, nobody can read the message.
    let _ = writeln!(io::stderr(), "{}", wrapped(&text, columns));
}
