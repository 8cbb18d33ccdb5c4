//! What people read beside the results, on standard error.

use std::fmt::Display;
use std::io::{self, Write};

use meshpeek::view::ByteStr;

use crate::args::Common;

/// How much is said.
#[derive(Clone, Copy)]
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

    /// Something that went wrong; said even when quiet.
    pub(crate) fn error(self, message: impl Display) {
        line(format_args!("meshpeek: {message}"));
    }

    /// What a person would want to know.
    pub(crate) fn say(self, message: impl Display) {
        if !self.quiet {
            line(message);
        }
    }

    /// What only a curious person would.
    pub(crate) fn detail(self, message: impl Display) {
        if self.verbose {
            self.say(message);
        }
    }
}

/// One line, whatever the names in it hold.
fn line(message: impl Display) {
    let text = message.to_string();
    // A closed standard error leaves nobody to tell.
    let _ = writeln!(io::stderr(), "{}", ByteStr::from(text.as_str()));
}
