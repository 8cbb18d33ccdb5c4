//! Tags: named data before the palette and the mips.

use std::fmt;

use nom::bytes::complete::tag;
use zerocopy::little_endian::U32;

use super::wire::{Color, Swizzle};
use crate::base::error::{Context as _, Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::ByteStr;
use crate::bytes::parser::is_ahead;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Outline, Sink, Text, Type, Value};
use crate::record::list::{Item, List};
use crate::record::{Framing, Read, Stored, form, plain, record, walk_field};

pub(super) const SIGNATURE: &[u8; 4] = b"GGAT";

record! {
    /// Named data before the mips.
    Tag<'a> named name {
        /// `GGAT`.
        signature: Framing<[u8; 4]>,
        /// Its name. The last letter is stored first.
        name: TagName<'a>,
        /// Number of bytes of its data.
        byte_len: Framing<u32>,
        /// Its data. Its type depends on the name.
        data: TagData<'a> [(name, byte_len.0)],
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
        let [d, c, b, a] = *self.0;
        ByteStr::new(&[a, b, c, d]).fmt(f)
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

impl<'a> Read<'a> for TagName<'a> {
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| cursor.read().map(Self))
    }
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

impl<'a> Read<'a, (TagName<'a>, u32)> for TagData<'a> {
    fn walk(
        cursor: &mut Cursor<'a>,
        (tag, bytes): (TagName<'a>, u32),
        name: &'static str,
        sink: &mut impl Sink,
    ) -> Result<Self> {
        Ok(match (tag.known(), bytes) {
            (Some("AVGC" | "MAXC"), 4) => Self::Color(Read::walk(cursor, (), name, sink)?),
            (Some("FLAG"), 4) => Self::Flags(Read::walk(cursor, (), name, sink)?),
            (Some("SWIZ"), 4) => Self::Swizzle(Read::walk(cursor, (), name, sink)?),
            (Some("OFFS"), _) if bytes.is_multiple_of(4) => {
                Self::Offsets(Read::walk(cursor, u64::from(bytes / 4), name, sink)?)
            }
            (Some("PROC"), _) => Self::Text(Read::walk(cursor, u64::from(bytes), name, sink)?),
            _ => Self::Other(Read::walk(cursor, u64::from(bytes), name, sink)?),
        })
    }
}

/// Reads tags as long as the next bytes are the signature of a tag.
pub(super) struct Tags<'a>(List<'a, Tag<'a>>);

impl Stored for Tags<'_> {
    const TYPE: Type = List::<Tag<'_>>::GIVEN;

    fn describe_at(&self, name: &'static str, _: crate::base::span::Span, out: &mut Outline<'_>) {
        Tag::describe_items(&self.0, name, out);
    }
}

impl<'a> Read<'a> for Tags<'a> {
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| {
            let (mut ahead, mut count) = (*cursor, 0_u32);
            while is_ahead(ahead, tag(&SIGNATURE[..])) {
                ahead.parse(Tag::parser(())).within_index(count as usize)?;
                count = count.saturating_add(1);
            }
            List::of(cursor, count, ()).map(Self)
        })
    }
}

form!(['a] Tags<'a> => List<'a, Tag<'a>>);

/// Checks the length of a tag with a known meaning.
pub(super) fn check_length(tag: &Tag<'_>) -> Result<()> {
    let expected = match (tag.name.known(), &tag.data) {
        (Some("OFFS"), TagData::Other(_)) => "not a multiple of 4",
        (Some(_), TagData::Other(_)) => "not 4",
        _ => return Ok(()),
    };
    Err(Error::malformed(format!("{} of {} bytes, {expected}", tag.name, *tag.byte_len)))
}
