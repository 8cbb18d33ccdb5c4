//! Rows of bytes as hexadecimal digits.

use std::fmt::Write as _;
use std::io::{Result, Write};

use anstyle::Style;

use crate::output::Output;

/// The widths of the bytes of a row, without and with their characters.
const BYTES: usize = 35;
const WIDE_BYTES: usize = 65;
/// The column of the characters of a wide row.
const CHARACTERS: usize = 49;

/// Writes rows. All of them use the same memory: files have millions of rows.
pub(super) struct Rows {
    /// True if bytes are separated and shown with their characters.
    is_wide: bool,
    /// The row that is written.
    row: String,
}

impl Rows {
    pub(super) fn new(is_wide: bool) -> Self {
        Self { is_wide, row: String::new() }
    }

    /// The width of the bytes of a row.
    pub(super) fn width(&self) -> usize {
        if self.is_wide { WIDE_BYTES } else { BYTES }
    }

    /// Writes a row: its offset, its bytes in this style, and this text.
    pub(super) fn write(
        &mut self,
        offset: u64,
        bytes: &[u8],
        style: Style,
        text: &str,
        out: &mut Output,
    ) -> Result<()> {
        self.row.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.row, "{offset:08x}  ");
        // Most rows have no style, and formatting one takes long.
        if !style.is_plain() {
            let _ = write!(self.row, "{style}");
        }
        let first = self.row.len();
        self.add_bytes(bytes);
        if self.is_wide {
            self.add_spaces(first + CHARACTERS);
            self.row.push_str(&characters(bytes));
        }
        if text.is_empty() {
            let end = self.row.trim_end().len();
            self.row.truncate(end.max(first));
        } else {
            self.add_spaces(first + self.width());
        }
        if !style.is_plain() {
            let _ = write!(self.row, "{style:#}");
        }
        if !text.is_empty() {
            self.row.push_str("  ");
            self.row.push_str(text);
        }
        self.row.push('\n');
        out.write_all(self.row.as_bytes())
    }

    /// Adds bytes in hexadecimal digits, in groups.
    fn add_bytes(&mut self, bytes: &[u8]) {
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 && (self.is_wide || index % 4 == 0) {
                self.row.push(' ');
            }
            self.row.push(digit(byte >> 4));
            self.row.push(digit(byte & 15));
        }
    }

    /// Adds spaces until the row has this many bytes.
    fn add_spaces(&mut self, end: usize) {
        while self.row.len() < end {
            self.row.push(' ');
        }
    }
}

/// The hexadecimal digit of a number below 16.
fn digit(number: u8) -> char {
    match number {
        0..=9 => char::from(b'0' + number),
        _ => char::from(b'a' + (number & 15) - 10),
    }
}

/// The bytes as characters, with a dot for each that is not a printable one of ASCII.
pub(super) fn characters(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| if matches!(byte, b' '..=b'~') { char::from(byte) } else { '.' }).collect()
}
