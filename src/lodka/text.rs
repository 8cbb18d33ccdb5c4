//! Texts, whose code page no file tells.

use std::borrow::Cow;

use crate::view::ByteStr;

/// A text as its writer most likely saw it: UTF-8 where it is that, else windows-1251, the code page of the format's
/// home. Byte 0x98, which windows-1251 leaves undefined, becomes U+0098. Allocates unless the text is UTF-8.
///
/// ```
/// # use meshpeek::{lodka, view::ByteStr};
/// assert_eq!(lodka::to_text(ByteStr::new(b"\xca\xf3\xe1")), "\u{41a}\u{443}\u{431}");
/// ```
pub fn to_text(text: ByteStr<'_>) -> Cow<'_, str> {
    text.to_str().map_or_else(|| to_cp1251(text), Cow::Borrowed)
}

/// A text read as windows-1251, whatever it looks like. Allocates unless the text is ASCII.
pub fn to_cp1251(text: ByteStr<'_>) -> Cow<'_, str> {
    encoding_rs::WINDOWS_1251.decode_without_bom_handling(text.as_bytes()).0
}
