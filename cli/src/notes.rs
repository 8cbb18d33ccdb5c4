//! Messages on standard error.

use std::fmt::Display;
use std::io::{self, Write};

use meshpeek::view::ByteStr;

use crate::args::Common;
use crate::wrap::wrapped;

/// How many messages are wanted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Notes {
    quiet: bool,
    verbose: bool,
}

impl Notes {
    pub(crate) fn new(common: &Common) -> Self {
        Self { quiet: common.quiet, verbose: common.verbose }
    }

    pub(crate) fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Something that went wrong; printed even when quiet.
    pub(crate) fn error(self, message: impl Display) {
        line(format_args!("meshpeek: {message}"));
    }

    /// Something that most users want to know.
    pub(crate) fn say(self, message: impl Display) {
        if !self.quiet {
            line(message);
        }
    }

    /// Something for `--verbose`.
    pub(crate) fn detail(self, message: impl Display) {
        if self.verbose {
            self.say(message);
        }
    }
}

/// One line, whatever the names in it hold; wrapped on a terminal.
fn line(message: impl Display) {
    let text = ByteStr::from(message.to_string().as_str()).to_string();
    let columns = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
    // A closed standard error leaves nobody to tell.
    let _ = writeln!(io::stderr(), "{}", wrapped(&text, columns.filter(|&columns| columns > 0)));
}
