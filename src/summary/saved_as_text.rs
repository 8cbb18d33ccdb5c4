//! Binary files that a program saved as text, which destroys them.

use std::borrow::Cow;

use super::{Problem, Severity, Summary};
use crate::base::amount::Amount;
use crate::base::code::{Class, Code};
use crate::base::format::Format;

/// Returns true if a file may hold whole texts: the members of archives, and the values of configs.
fn may_hold_texts(format: Format) -> bool {
    matches!(format, Format::Zip | Format::Pbo | Format::Bmx | Format::Rap)
}

/// What became of a binary file that was saved as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Bytes above 0x7F became the replacement character, so they are lost.
    Replaced { characters: usize, first: usize },
    /// Bytes above 0x7F became two bytes each: Latin-1 was written as UTF-8.
    Widened { characters: usize, first: usize },
    /// Each line feed got a carriage return before it.
    LineEnds { lines: usize, first: usize },
}

impl Summary {
    /// The number of bytes that are examined.
    pub(crate) const TEXT_HEAD: u64 = 1 << 16;

    /// Returns true if a problem says that the asset is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.problems.iter().any(|problem| problem.code.class() == Class::Damaged)
    }

    /// Replaces all problems of a damaged asset by one, and takes the bounds back, if it was saved as text. Its numbers
    /// are then wrong wherever they seem right. `head` is its first bytes.
    pub(crate) fn recognize_text(&mut self, head: &[u8]) {
        let Some(format) = self.format else { return };
        let Some(change) = Change::of(format, head) else { return };
        let (offset, message) = change.describe();
        let problem = Problem {
            severity: Severity::Error,
            code: Code::SavedAsText,
            offset: Some(offset as u64),
            message: Cow::Owned(message),
        };
        // All others, limits too, follow from wrong numbers.
        self.problems = vec![problem];
        self.bounds = None;
    }
}

impl Change {
    /// Returns the change that the first bytes of a file show, if any.
    fn of(format: Format, head: &[u8]) -> Option<Self> {
        match Self::of_characters(format, head) {
            Some(change) => Some(change),
            None => Self::of_lines(format, head),
        }
    }

    /// Returns the change of bytes to characters, if the head shows one. Binary data is UTF-8 only if a program made it
    /// so.
    fn of_characters(format: Format, head: &[u8]) -> Option<Self> {
        /// A few characters may be names.
        const FEWEST_REPLACED: usize = 8;
        const FEWEST_WIDENED: usize = 32;
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            // The head may end inside a character.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(head.get(..error.valid_up_to())?).unwrap_or_default()
            }
            Err(_) => return None,
        };
        let replaced = text.matches(char::REPLACEMENT_CHARACTER).count();
        if replaced >= FEWEST_REPLACED {
            let first = text.find(char::REPLACEMENT_CHARACTER)?;
            return Some(Self::Replaced { characters: replaced, first });
        }
        if may_hold_texts(format) {
            return None;
        }
        let mut widened = Amount(0);
        let mut first = None;
        for (place, character) in text.char_indices() {
            // Not a character of Latin-1, so the text was not one before.
            if character > '\u{ff}' {
                return None;
            }
            if !character.is_ascii() {
                first = first.or(Some(place));
                widened += 1;
            }
        }
        if widened.0 < FEWEST_WIDENED {
            return None;
        }
        Some(Self::Widened { characters: widened.0, first: first? })
    }

    /// Returns the change of line feeds, if every one follows a carriage return. In binary data, one of 256 does by
    /// chance.
    fn of_lines(format: Format, head: &[u8]) -> Option<Self> {
        /// A few may follow one by chance.
        const FEWEST: usize = 8;
        if may_hold_texts(format) {
            return None;
        }
        let first = memchr::memmem::find(head, b"\r\n")?;
        let mut lines = Amount(0);
        for place in memchr::memchr_iter(b'\n', head) {
            let before = head.get(..place).unwrap_or_default();
            if !before.ends_with(b"\r") {
                return None;
            }
            lines += 1;
        }
        if lines.0 < FEWEST {
            return None;
        }
        Some(Self::LineEnds { lines: lines.0, first })
    }

    /// Returns the offset of the first change, and a message.
    fn describe(self) -> (usize, String) {
        match self {
            Self::Replaced { characters, first } => {
                let what = "bytes above 0x7f became U+FFFD and are lost";
                (first, format!("saved as text: {what}, {characters} times in the first 64 KiB"))
            }
            Self::Widened { characters, first } => {
                let what = "bytes above 0x7f became two bytes each";
                (first, format!("saved as text: {what}, {characters} times in the first 64 KiB"))
            }
            Self::LineEnds { lines, first } => {
                let what = "each line feed follows a carriage return";
                (first, format!("saved as text: {what}, {lines} times in the first 64 KiB"))
            }
        }
    }
}
