//! Texts in a code page that the file does not specify.

use std::fmt;
use std::ops::Deref;

use super::borrowed::ByteStr;
use super::name::Name;
use crate::base::impl_fmt::impl_fmt;

/// A borrowed text in the code page of its writer. It is displayed as decoded by [`to_text`].
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnsiStr<'a>(ByteStr<'a>);

impl<'a> AnsiStr<'a> {
    /// Creates a text from these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(ByteStr::new(bytes))
    }

    /// Returns the text as its writer most likely saw it; see [`to_text`]. Allocates.
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

/// Escapes characters that could move a terminal's cursor.
impl fmt::Display for AnsiStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteStr::from(self.decode().as_str()).fmt(f)
    }
}

impl_fmt!([] Debug for AnsiStr<'_>, |text| "\"{text}\"");

/// Compares the bytes.
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

/// Nothing is lost, because windows-1251 has a character for each byte.
impl From<AnsiStr<'_>> for Name {
    fn from(text: AnsiStr<'_>) -> Self {
        Self { text: text.decode(), lossy: false }
    }
}

/// Decodes a text as its writer most likely saw it: as UTF-8 if it is valid, else as windows-1251, the code page of the
/// format's home country. Byte 0x98, which is undefined in windows-1251, becomes U+0098. Allocates.
///
/// ```
/// # use meshpeek::{lodka, view::ByteStr};
/// assert_eq!(lodka::to_text(ByteStr::new(b"\xca\xf3\xe1")), "\u{41a}\u{443}\u{431}");
/// ```
pub fn to_text<'a>(text: impl Into<ByteStr<'a>>) -> String {
    let text = text.into();
    text.to_text().unwrap_or_else(|| to_cp1251(text))
}

/// Decodes a text as windows-1251, even if it is valid UTF-8. Allocates.
pub fn to_cp1251<'a>(text: impl Into<ByteStr<'a>>) -> String {
    text.into().as_bytes().iter().map(|&byte| from_cp1251(byte)).collect()
}

/// Returns the character of a byte in windows-1251. The bytes from 0xc0 are the letters from U+0410.
fn from_cp1251(byte: u8) -> char {
    /// The characters of bytes 0x80 to 0xbf. Those below are ASCII, and those above are the alphabet in order.
    const OTHERS: [char; 64] = [
        '\u{402}', '\u{403}', '\u{201a}', '\u{453}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{20ac}',
        '\u{2030}', '\u{409}', '\u{2039}', '\u{40a}', '\u{40c}', '\u{40b}', '\u{40f}', '\u{452}', '\u{2018}',
        '\u{2019}', '\u{201c}', '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{98}', '\u{2122}', '\u{459}',
        '\u{203a}', '\u{45a}', '\u{45c}', '\u{45b}', '\u{45f}', '\u{a0}', '\u{40e}', '\u{45e}', '\u{408}', '\u{a4}',
        '\u{490}', '\u{a6}', '\u{a7}', '\u{401}', '\u{a9}', '\u{404}', '\u{ab}', '\u{ac}', '\u{ad}', '\u{ae}',
        '\u{407}', '\u{b0}', '\u{b1}', '\u{406}', '\u{456}', '\u{491}', '\u{b5}', '\u{b6}', '\u{b7}', '\u{451}',
        '\u{2116}', '\u{454}', '\u{bb}', '\u{458}', '\u{405}', '\u{455}', '\u{457}',
    ];
    let other = match byte {
        ..0x80 => return byte.into(),
        0x80..0xc0 => OTHERS.get(usize::from(byte & 0x3f)).copied(),
        0xc0.. => char::from_u32(u32::from(byte & 0x3f).saturating_add(0x410)),
    };
    other.unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_character() {
        let all: Vec<u8> = (0..=255).collect();
        let text = to_cp1251(ByteStr::new(&all));
        assert!(text.chars().zip(0..128).all(|(letter, byte)| letter as u32 == byte));
        let rest: String = text.chars().skip(128).collect();
        let expected = "\
            ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏ\
            ђ‘’“”•–—\u{98}™љ›њќћџ\
            \u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї\
            °±Ііґµ¶·ё№є»јЅѕї\
            АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
            абвгдежзийклмнопрстуфхцчшщъыьэюя";
        assert_eq!(rest, expected);
    }
}
