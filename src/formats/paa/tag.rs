//! Tags: named data before the palette and the mips.

use std::fmt;

use nom::Parser as _;
use nom::bytes::complete::tag;
use zerocopy::little_endian::U32;

use super::wire::{Color, Swizzle};
use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::ByteStr;
use crate::bytes::parser::is_ahead;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Sink, Text, Type, Value};
use crate::record::parser::{Grammar, array, by_value, framing, in_place, le_u32, many_while, parsers, text};
use crate::record::{List, Stored, grammar, plain};

pub(super) const SIGNATURE: &[u8; 4] = b"GGAT";

grammar! {
    /// Named data before the mips.
    Tag<'a> named name {
        /// `GGAT`.
        signature: [u8; 4] = framing(by_value()),
        /// Its name. The last letter is stored first.
        name: TagName<'a> = in_place().map(TagName),
        /// Number of bytes of its data.
        byte_len: u32 = framing(le_u32()),
        /// Its data. Its type depends on the name.
        data: TagData<'a> = tag_data(name, byte_len),
    }
}

/// The name of a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagName<'a>(&'a [u8; 4]);

impl<'a> TagName<'a> {
    /// Returns the name if it has a known meaning: `AVGC`, `MAXC`, `FLAG`, `SWIZ`, `OFFS`, `PROC`.
    pub const fn known(self) -> Option<&'static str> {
        Some(match self.0 {
            b"CGVA" => "AVGC",
            b"CXAM" => "MAXC",
            b"GALF" => "FLAG",
            b"ZIWS" => "SWIZ",
            b"SFFO" => "OFFS",
            b"CORP" => "PROC",
            _ => return None,
        })
    }

    /// Returns the four bytes as stored, the last letter first.
    pub const fn as_bytes(self) -> &'a [u8; 4] {
        self.0
    }
}

/// Displays the letters in reading order.
impl fmt::Display for TagName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = *self.0;
        letters.reverse();
        ByteStr::new(&letters).fmt(f)
    }
}

impl_fmt!([] Debug for TagName<'_>, |name| "TagName({name})");

/// A name without a known meaning is displayed as stored, that is, in reverse.
impl<'a> From<TagName<'a>> for Text<'a> {
    fn from(name: TagName<'a>) -> Self {
        match name.known() {
            Some(known) => known.into(),
            None => ByteStr::new(name.0).into(),
        }
    }
}

plain! {
    TagName<'_>: <[u8; 4]>::TYPE => |name| Value::Text((*name).into());
}

/// The data of a tag.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TagData<'a> {
    /// `AVGC`, the average color of the source image, and `MAXC`, its largest color.
    Color(&'a Color),
    /// `FLAG`: bit 0 means blended alpha, bit 1 means alpha that is on or off.
    Flags(u32),
    /// `SWIZ`.
    Swizzle(&'a Swizzle),
    /// `OFFS`: the offset of each mip, followed by zeros.
    Offsets(LeArray<'a, U32>),
    /// `PROC`: the text of a procedural texture.
    Text(ByteStr<'a>),
    /// Any other tag, and tags whose length does not match their name.
    Other(LeArray<'a, u8>),
}

impl Stored for TagData<'_> {
    const TYPE: Type = Type::Varying("data by name", 0);
}

/// A parser of the data of a tag with this name and length.
struct DataOf<'a> {
    tag: TagName<'a>,
    bytes: u32,
}

/// Returns a parser of the data of a tag with this name, in this many bytes.
fn tag_data(tag: TagName<'_>, bytes: u32) -> DataOf<'_> {
    DataOf { tag, bytes }
}

parsers! { ['a] DataOf<'a> => TagData<'a>; }

impl<'a> Grammar<'a> for DataOf<'a> {
    const TYPE: Type = TagData::TYPE;

    /// Reads and describes the data as the name says. If the length does not fit the name, or the name is unknown,
    /// takes the bytes as they are.
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<TagData<'a>> {
        let bytes = self.bytes;
        Ok(match (self.tag.known(), bytes) {
            (Some("AVGC" | "MAXC"), 4) => TagData::Color(in_place().walk(cursor, name, sink)?),
            (Some("FLAG"), 4) => TagData::Flags(le_u32().walk(cursor, name, sink)?),
            (Some("SWIZ"), 4) => TagData::Swizzle(in_place().walk(cursor, name, sink)?),
            (Some("OFFS"), _) if bytes.is_multiple_of(4) => {
                TagData::Offsets(array(bytes / 4).walk(cursor, name, sink)?)
            }
            (Some("PROC"), _) => TagData::Text(text(bytes).walk(cursor, name, sink)?),
            _ => TagData::Other(array(bytes).walk(cursor, name, sink)?),
        })
    }
}

/// Returns a parser of tags, as long as the next bytes are the signature of one.
pub(super) fn tags<'a>() -> impl Grammar<'a, Output = List<'a, Tag<'a>>> {
    many_while(|input| is_ahead(input, tag(&SIGNATURE[..])), Tag::parser())
}

/// Checks the length of a tag with a known meaning. If it does not fit, the data was read as [`TagData::Other`].
pub(super) fn check_length(tag: &Tag<'_>) -> Result<()> {
    let expected = match (tag.name.known(), &tag.data) {
        (Some("OFFS"), TagData::Other(_)) => "not a multiple of 4",
        (Some(_), TagData::Other(_)) => "not 4",
        _ => return Ok(()),
    };
    Err(Error::malformed(format!("{} of {} bytes, {expected}", tag.name, tag.byte_len)))
}
