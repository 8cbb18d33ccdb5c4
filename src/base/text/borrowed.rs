//! Texts in the encoding of the file's writer, which is unknown.

use std::fmt::{self, Write};
use std::str::Utf8Chunks;

use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use crate::base::impl_fmt::impl_fmt;

/// A text in an unknown encoding: borrowed bytes.
///
/// A `&str` is only ever created from a copy. Another process may change mapped bytes, and a `&str` that stops being
/// UTF-8 is undefined behaviour. Comparison with a `str` compares bytes and does not copy.
///
/// `Display` and `Debug` escape control characters, characters that change the text direction, and invalid UTF-8. So a
/// hostile name cannot move a terminal's cursor or imitate another name.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteStr<'a>(&'a [u8]);

impl<'a> ByteStr<'a> {
    /// Creates a text from these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes as stored, without a terminating NUL.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the text if it is UTF-8. Allocates.
    pub fn to_text(&self) -> Option<String> {
        String::from_utf8(self.0.to_vec()).ok()
    }

    /// Returns the text with each byte that is not UTF-8 written as `\xNN`. Allocates.
    pub fn to_text_lossy(&self) -> String {
        self.to_text_or_lossy().0
    }

    /// Returns the lossy text, and true if a byte was not UTF-8.
    pub(crate) fn to_text_or_lossy(self) -> (String, bool) {
        match String::from_utf8(self.0.to_vec()) {
            Ok(text) => (text, false),
            Err(error) => {
                let mut out = String::with_capacity(self.0.len());
                // Writing to a String cannot fail.
                let _ = write_chunks(error.as_bytes().utf8_chunks(), &mut out, false);
                (out, true)
            }
        }
    }

    /// Returns the length in bytes.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the length is 0.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// True for characters that a terminal acts on instead of displaying: C0, DEL, C1, and characters that change the text
/// direction.
fn is_unsafe_to_show(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The number of bytes copied at a time for display.
const CHUNK: usize = 512;

impl fmt::Display for ByteStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.width().is_some() || f.precision().is_some() {
            let mut escaped = String::with_capacity(self.0.len());
            self.escape(&mut escaped)?;
            return f.pad(&escaped);
        }
        self.escape(f)
    }
}

impl ByteStr<'_> {
    /// Returns it as a message shows it: escaped, and cut if it is long.
    pub(crate) fn in_message(self) -> String {
        const LONGEST: usize = 200;
        match self.0.split_at_checked(LONGEST) {
            Some((start, [_, ..])) => format!("{}...", ByteStr::new(start)),
            _ => self.to_string(),
        }
    }

    /// Writes the text for display: unsafe characters and invalid bytes are escaped. Works on a small copy at a time,
    /// because another process may change mapped bytes.
    fn escape(self, out: &mut impl Write) -> fmt::Result {
        let mut rest = self.0;
        let mut copy = [0; CHUNK];
        while !rest.is_empty() {
            let len = rest.len().min(CHUNK);
            let (Some(copy), Some(next)) = (copy.get_mut(..len), rest.get(..len)) else { break };
            copy.copy_from_slice(next);
            let whole = if len < rest.len() { without_partial_character(copy) } else { copy };
            write_chunks(whole.utf8_chunks(), out, true)?;
            rest = rest.get(whole.len()..).unwrap_or_default();
        }
        Ok(())
    }
}

/// Returns the bytes without a character at the end that more bytes would complete.
fn without_partial_character(bytes: &[u8]) -> &[u8] {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let goes_on = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    let end = bytes.len().saturating_sub(if goes_on { last.len() } else { 0 });
    bytes.get(..end).unwrap_or(bytes)
}

/// Writes the text with each invalid byte as `\xNN`. With `escape_controls`, also escapes the characters that are
/// unsafe to show.
fn write_chunks(chunks: Utf8Chunks<'_>, out: &mut impl Write, escape_controls: bool) -> fmt::Result {
    for chunk in chunks {
        let mut rest = chunk.valid();
        while let Some((at, control)) = rest.char_indices().find(|(_, c)| escape_controls && is_unsafe_to_show(*c)) {
            let (plain, after) = rest.split_at(at);
            write!(out, "{plain}{}", control.escape_default())?;
            rest = after.get(control.len_utf8()..).unwrap_or_default();
        }
        out.write_str(rest)?;
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}

impl_fmt!([] Debug for ByteStr<'_>, |text| "\"{text}\"");

impl<'a> From<&'a str> for ByteStr<'a> {
    fn from(text: &'a str) -> Self {
        Self(text.as_bytes())
    }
}

impl PartialEq<str> for ByteStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for ByteStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

/// A text of little-endian UTF-32 code points as stored: borrowed, at any alignment.
///
/// Comparison with a `str` does not copy. `Display` and `Debug` write an invalid code point (a surrogate, or one above
/// 10FFFF) as `\u{d800}`, and escape control characters.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Utf32Str<'a>(&'a [U32]);

impl<'a> Utf32Str<'a> {
    /// Creates a text from these code points.
    pub const fn new(units: &'a [U32]) -> Self {
        Self(units)
    }

    /// Returns the code points, unchecked.
    pub const fn as_units(&self) -> &'a [U32] {
        self.0
    }

    /// Returns the bytes as stored, four for each code point.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0.as_bytes()
    }

    /// Returns an iterator over the characters. An invalid code point is an `Err`.
    pub fn chars(&self) -> impl Iterator<Item = Result<char, u32>> + Clone + use<'a> {
        self.0.iter().map(|unit| char::from_u32(unit.get()).ok_or(unit.get()))
    }

    /// Returns the text if every code point is valid. Allocates.
    pub fn to_text(&self) -> Option<String> {
        self.chars().map(Result::ok).collect()
    }

    /// Returns the text with each invalid code point written as `\u{d800}`. Allocates.
    pub fn to_text_lossy(&self) -> String {
        let mut out = String::with_capacity(self.0.len());
        for c in self.chars() {
            match c {
                Ok(c) => out.push(c),
                // Writing to a String cannot fail.
                Err(unit) => drop(write!(out, "\\u{{{unit:x}}}")),
            }
        }
        out
    }

    /// Returns the number of code points.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Utf32Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteStr::from(self.to_text_lossy().as_str()).fmt(f)
    }
}

impl_fmt!([] Debug for Utf32Str<'_>, |text| "\"{text}\"");

impl PartialEq<str> for Utf32Str<'_> {
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars().map(Ok))
    }
}

impl PartialEq<&str> for Utf32Str<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_points_compare_convert_and_print_as_text() {
        let units = ['A', '\u{1f600}', '板'].map(|c| U32::new(c.into()));
        let name = Utf32Str::new(&units);
        assert_eq!(name, "A\u{1f600}板");
        assert_ne!(name, "A\u{1f600}");
        assert_eq!(name.to_text().as_deref(), Some("A\u{1f600}板"));
        assert_eq!(format!("[{name:<4}]"), "[A\u{1f600}板 ]");
        assert_eq!((name.len(), name.as_bytes().len()), (3, 12));
    }

    #[test]
    fn numbers_that_are_no_characters_are_kept_and_shown() {
        let units = [0x41, 0xd800, 0x11_0000, 0x1b].map(U32::new);
        let name = Utf32Str::new(&units);
        assert_eq!(name.chars().collect::<Vec<_>>(), [Ok('A'), Err(0xd800), Err(0x11_0000), Ok('\x1b')]);
        assert_eq!(name.to_text(), None);
        assert_eq!(name.to_string(), "A\\u{d800}\\u{110000}\\u{1b}");
        assert_ne!(name, "A");
    }

    #[test]
    fn nothing_is_dropped_and_nothing_reaches_the_terminal() {
        let name = ByteStr::new(b"\xcf\xf0 a\x1b[2J\n");
        assert_eq!(name.to_text(), None);
        assert_eq!(name.to_text_lossy(), "\\xcf\\xf0 a\x1b[2J\n");
        assert_eq!(name.to_string(), "\\xcf\\xf0 a\\u{1b}[2J\\n");
        assert_eq!(ByteStr::new("\u{7f}\u{9b}31m".as_bytes()).to_string(), "\\u{7f}\\u{9b}31m");
        let turned = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}";
        assert!(ByteStr::from(turned).to_string().is_ascii());
        // The joiner of emoji, and spaces near the escaped characters, are text.
        assert_eq!(ByteStr::from("\u{200d}\u{2009}\u{206a}").to_string(), "\u{200d}\u{2009}\u{206a}");
        assert_eq!(format!("{:?}", ByteStr::from("ok")), "\"ok\"");
        assert_eq!(format!("[{:<4}]", ByteStr::from("ok")), "[ok  ]");
    }

    #[test]
    fn a_text_is_shown_the_same_however_it_falls_into_chunks() {
        for before in CHUNK - 5..CHUNK + 2 {
            let text = [&vec![b'a'; before][..], "板\u{1f600}\n".as_bytes(), b"\xf0\x9f\x98", &[b'b'; CHUNK], b"\xe6"];
            let text = text.concat();
            let shown = format!("{}板\u{1f600}\\n\\xf0\\x9f\\x98{}\\xe6", "a".repeat(before), "b".repeat(CHUNK));
            assert_eq!(ByteStr::new(&text).to_string(), shown);
            assert_eq!(format!("{:1}", ByteStr::new(&text)), shown);
        }
    }
}
