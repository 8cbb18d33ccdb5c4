//! Texts from a file, for people and indexes.

use super::borrowed::{ByteStr, Utf32Str};

/// A text from a file, for people and indexes: UTF-8, each invalid byte as `\xNN`, each invalid code point as
/// `\u{NNNN}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Whether something had to be written in one of these ways.
    pub lossy: bool,
}

impl From<ByteStr<'_>> for Name {
    fn from(text: ByteStr<'_>) -> Self {
        let (text, lossy) = text.to_text_or_lossy();
        Self { text, lossy }
    }
}

impl From<Utf32Str<'_>> for Name {
    /// Each number that is no character is written as `\u{d800}`.
    fn from(text: Utf32Str<'_>) -> Self {
        Self { lossy: text.chars().any(|c| c.is_err()), text: text.to_text_lossy() }
    }
}

/// A text as stored, which a [`Name`] can be made of.
pub trait StoredText: Into<Name> {
    /// Its bytes.
    fn stored(&self) -> &[u8];
}

impl StoredText for ByteStr<'_> {
    fn stored(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl StoredText for Utf32Str<'_> {
    fn stored(&self) -> &[u8] {
        self.as_bytes()
    }
}
