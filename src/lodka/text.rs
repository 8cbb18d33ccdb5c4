//! Texts, whose code page no file tells.

use crate::view::ByteStr;

/// A text as its writer most likely saw it: UTF-8 where it is that, else windows-1251, the code page of the format's
/// home. Byte 0x98, which windows-1251 leaves undefined, becomes U+0098. Allocates.
///
/// ```
/// # use meshpeek::{lodka, view::ByteStr};
/// assert_eq!(lodka::to_text(ByteStr::new(b"\xca\xf3\xe1")), "\u{41a}\u{443}\u{431}");
/// ```
pub fn to_text(text: ByteStr<'_>) -> String {
    text.to_text().unwrap_or_else(|| to_cp1251(text))
}

/// A text read as windows-1251, whatever it looks like. Allocates.
pub fn to_cp1251(text: ByteStr<'_>) -> String {
    // Of a copy: where the bytes are ASCII, encoding_rs makes a `str` of them where they lie.
    let copy = text.as_bytes().to_vec();
    encoding_rs::WINDOWS_1251.decode_without_bom_handling(&copy).0.into_owned()
}
