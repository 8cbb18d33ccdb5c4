//! A text in any encoding.

use std::fmt;

use super::ansi::AnsiStr;
use super::borrowed::{ByteStr, Utf32Str};
use super::name::Name;

/// A text as stored, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text<'a> {
    /// Bytes in an encoding that the file does not specify.
    Bytes(ByteStr<'a>),
    /// UTF-32 code points.
    Utf32(Utf32Str<'a>),
    /// Bytes in the ANSI code page of the system that wrote them. The file does not specify it, but the format makes
    /// one likely.
    Ansi(AnsiStr<'a>),
}

impl Text<'_> {
    /// Returns true if the text is empty.
    pub fn is_empty(&self) -> bool {
        self.stored_byte_len() == 0
    }

    /// Returns the number of bytes that the text takes in the file.
    pub fn stored_byte_len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Returns the bytes as stored. UTF-32 has four bytes for each code point, little-endian.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(text) => text.as_bytes(),
            Self::Utf32(text) => text.as_bytes(),
            Self::Ansi(text) => text.as_bytes(),
        }
    }

    /// Returns the stored bytes, with those that are not UTF-8 written as `\xNN`. Returns `None` if `Display` already
    /// shows them so: it decodes only an [`Ansi`](Self::Ansi) text that is not UTF-8 in another way. Allocates.
    pub fn to_raw(&self) -> Option<String> {
        match self {
            Self::Ansi(text) => {
                let (raw, lossy) = text.to_text_or_lossy();
                if lossy { Some(raw) } else { None }
            }
            _ => None,
        }
    }

    /// Returns the text, or only its start if it takes more than `most_bytes`. Cuts between characters if the encoding
    /// allows.
    #[must_use]
    pub fn cut(self, most_bytes: usize) -> Self {
        match self {
            Self::Bytes(text) => Self::Bytes(ByteStr::new(cut(text.as_bytes(), most_bytes))),
            Self::Utf32(text) => match text.as_units().get(..most_bytes.checked_div(4).unwrap_or(0)) {
                Some(head) => Self::Utf32(Utf32Str::new(head)),
                None => self,
            },
            Self::Ansi(text) => Self::Ansi(AnsiStr::new(cut(text.as_bytes(), most_bytes))),
        }
    }
}

/// Returns the text, or its first `most` bytes without a character of UTF-8 that ends after them.
fn cut(text: &[u8], most: usize) -> &[u8] {
    let Some((head, after)) = text.split_at_checked(most) else { return text };
    if !after.first().is_some_and(continues_character) {
        return head;
    }
    // The cut is inside a character: up to three continuation bytes and the first byte belong to it. Without a first
    // byte, this is not UTF-8.
    let Some(skipped) = head.iter().rev().take(4).position(|byte| !continues_character(byte)) else { return head };
    let end = head.len().saturating_sub(skipped).saturating_sub(1);
    head.get(..end).unwrap_or(head)
}

/// Returns true if the byte is not the first of a character of UTF-8.
fn continues_character(byte: &u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Escapes characters that could move a terminal's cursor, as the string types themselves do.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(text) => text.fmt(f),
            Self::Utf32(text) => text.fmt(f),
            Self::Ansi(text) => text.fmt(f),
        }
    }
}

impl<'a> From<ByteStr<'a>> for Text<'a> {
    fn from(text: ByteStr<'a>) -> Self {
        Self::Bytes(text)
    }
}

impl<'a> From<AnsiStr<'a>> for Text<'a> {
    fn from(text: AnsiStr<'a>) -> Self {
        Self::Ansi(text)
    }
}

impl<'a> From<Utf32Str<'a>> for Text<'a> {
    fn from(text: Utf32Str<'a>) -> Self {
        Self::Utf32(text)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<Text<'_>> for Name {
    fn from(text: Text<'_>) -> Self {
        match text {
            Text::Bytes(text) => text.into(),
            Text::Utf32(text) => text.into(),
            Text::Ansi(text) => text.into(),
        }
    }
}
