//! Texts, whose code page no file tells.

use std::fmt;
use std::ops::Deref;

use crate::error::Result;
use crate::inspect::{Sink, Text, Value};
use crate::shown::shown;
use crate::summary::{Name, StoredText};
use crate::view::record::{Read, Stored, Type, walk_field};
use crate::view::{ByteStr, Cursor};

/// A text in the code page of its writer, as bytes, borrowed; shown as [`to_text`] reads it.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnsiStr<'a>(ByteStr<'a>);

impl<'a> AnsiStr<'a> {
    /// These bytes as a text.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(ByteStr::new(bytes))
    }

    /// The text as its writer most likely saw it: see [`to_text`]. Allocates.
    pub fn decode(&self) -> String {
        to_text(self.0)
    }
}

impl<'a> Deref for AnsiStr<'a> {
    type Target = ByteStr<'a>;

    fn deref(&self) -> &ByteStr<'a> {
        &self.0
    }
}

/// Escapes what could move a terminal's cursor.
impl fmt::Display for AnsiStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteStr::from(self.decode().as_str()).fmt(f)
    }
}

shown!([] Debug for AnsiStr<'_>, |text| "\"{text}\"");

/// By bytes.
impl PartialEq<&str> for AnsiStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl<'a> From<&'a str> for AnsiStr<'a> {
    fn from(text: &'a str) -> Self {
        Self(text.into())
    }
}

impl<'a> From<AnsiStr<'a>> for ByteStr<'a> {
    fn from(text: AnsiStr<'a>) -> Self {
        text.0
    }
}

impl<'a> From<AnsiStr<'a>> for Text<'a> {
    fn from(text: AnsiStr<'a>) -> Self {
        Self::Ansi(text)
    }
}

impl<'a> From<AnsiStr<'a>> for Value<'a> {
    fn from(text: AnsiStr<'a>) -> Self {
        Self::Text(text.into())
    }
}

impl From<AnsiStr<'_>> for Name {
    fn from(text: AnsiStr<'_>) -> Self {
        Self { text: text.decode(), lossy: false }
    }
}

impl StoredText for AnsiStr<'_> {
    fn stored(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Stored for AnsiStr<'_> {
    const TYPE: Type = Type::Varying("text with i32 length", 4);
    const GIVEN: Type = Type::Varying("text", 0);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// Behind its length.
impl<'a> Read<'a> for AnsiStr<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| {
            let length = super::fields::count(cursor)?;
            cursor.bytes(length).map(Self::new)
        })
    }
}

/// So many bytes.
impl<'a> Read<'a, u64> for AnsiStr<'a> {
    fn walk(cursor: &mut Cursor<'a>, bytes: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| cursor.bytes(bytes).map(Self::new))
    }
}

/// A text as its writer most likely saw it: UTF-8 where it is that, else windows-1251, the code page of the format's
/// home. Byte 0x98, which windows-1251 leaves undefined, becomes U+0098. Allocates.
///
/// ```
/// # use meshpeek::{lodka, view::ByteStr};
/// assert_eq!(lodka::to_text(ByteStr::new(b"\xca\xf3\xe1")), "\u{41a}\u{443}\u{431}");
/// ```
pub fn to_text<'a>(text: impl Into<ByteStr<'a>>) -> String {
    let text = text.into();
    text.to_text().unwrap_or_else(|| to_cp1251(text))
}

/// A text read as windows-1251, whatever it looks like. Allocates.
pub fn to_cp1251<'a>(text: impl Into<ByteStr<'a>>) -> String {
    // Of a copy: where the bytes are ASCII, encoding_rs makes a `str` of them where they lie.
    let copy = text.into().as_bytes().to_vec();
    encoding_rs::WINDOWS_1251.decode_without_bom_handling(&copy).0.into_owned()
}
