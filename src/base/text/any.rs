//! A text in whatever form a format stores it.

use std::fmt;

#[cfg(feature = "lodka")]
use super::ansi::AnsiStr;
use super::borrowed::{ByteStr, Utf32Str};
use super::name::Name;

/// A text as it is stored, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text<'a> {
    /// Bytes of an encoding that the file does not tell.
    Bytes(ByteStr<'a>),
    /// UTF-32 code points.
    Utf32(Utf32Str<'a>),
    /// Bytes in the code page of their writer, which the file does not tell but the format makes likely.
    #[cfg(feature = "lodka")]
    Ansi(AnsiStr<'a>),
}

impl Text<'_> {
    /// Whether it has no character.
    pub fn is_empty(&self) -> bool {
        self.stored_byte_len() == 0
    }

    /// The bytes it takes where it is stored.
    pub fn stored_byte_len(&self) -> usize {
        match self {
            Self::Bytes(text) => text.len(),
            Self::Utf32(text) => text.as_bytes().len(),
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => text.len(),
        }
    }

    /// The bytes as stored, those that are not UTF-8 written as `\xNN`, where the text is shown in another reading of
    /// them. Allocates.
    pub fn to_raw(&self) -> Option<String> {
        match self {
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => {
                let (raw, lossy) = text.to_text_or_lossy();
                lossy.then_some(raw)
            }
            _ => None,
        }
    }

    /// Its beginning, if it takes more than so many bytes. Cuts between characters where there are any.
    #[must_use]
    pub fn cut(self, most_bytes: usize) -> Self {
        match self {
            Self::Bytes(text) => match text.as_bytes().split_at_checked(most_bytes) {
                None => self,
                Some((head, behind)) => {
                    // Up to three bytes that go on with a character begun before.
                    let inside = behind.first().is_some_and(|byte| byte & 0xc0 == 0x80);
                    let start = head.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80).filter(|_| inside);
                    let end = start.map_or(head.len(), |start| head.len().saturating_sub(start).saturating_sub(1));
                    Self::Bytes(ByteStr::new(head.get(..end).unwrap_or(head)))
                }
            },
            Self::Utf32(text) => match text.as_units().get(..most_bytes.checked_div(4).unwrap_or(0)) {
                Some(head) => Self::Utf32(Utf32Str::new(head)),
                None => self,
            },
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => match Text::Bytes(text.into()).cut(most_bytes) {
                Self::Bytes(text) => Self::Ansi(AnsiStr::new(text.as_bytes())),
                other => other,
            },
        }
    }
}

/// Escapes what could move a terminal's cursor, as its two kinds do.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(text) => text.fmt(f),
            Self::Utf32(text) => text.fmt(f),
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => text.fmt(f),
        }
    }
}

impl<'a> From<ByteStr<'a>> for Text<'a> {
    fn from(text: ByteStr<'a>) -> Self {
        Self::Bytes(text)
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
            #[cfg(feature = "lodka")]
            Text::Ansi(text) => text.into(),
        }
    }
}
