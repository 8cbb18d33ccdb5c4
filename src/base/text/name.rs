//! Texts from a file, for display and indexes.

use std::path::Path;

use super::borrowed::{ByteStr, Utf32Str};

/// A text from a file, for display and indexes. It is UTF-8, with each invalid byte written as `\xNN` and each invalid
/// code point as `\u{NNNN}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Name {
    /// The text.
    pub text: String,
    /// True if a byte or code point was written this way.
    pub lossy: bool,
}

impl Name {
    /// Creates the name of a text that is valid Unicode.
    pub const fn new(text: String) -> Self {
        Self { text, lossy: false }
    }
}

impl From<ByteStr<'_>> for Name {
    fn from(text: ByteStr<'_>) -> Self {
        let (text, lossy) = text.to_text_or_lossy();
        Self { text, lossy }
    }
}

impl From<&Path> for Name {
    fn from(path: &Path) -> Self {
        ByteStr::new(path.as_os_str().as_encoded_bytes()).into()
    }
}

impl From<Utf32Str<'_>> for Name {
    /// Writes each invalid code point as `\u{d800}`.
    fn from(text: Utf32Str<'_>) -> Self {
        Self { lossy: text.chars().any(|c| c.is_err()), text: text.to_text_lossy() }
    }
}
