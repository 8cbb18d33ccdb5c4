//! The three kinds of arrays, and the context needed to read them.

use super::version::Version;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::blocks::{Block, Filled};
use crate::bytes::{Cursor, Element, Table};
use crate::codec::Codec;
use crate::outline::{Outline, Sink, Type};
use crate::record::parser::{Grammar as _, Length as _, framing, le_u8, le_u32, map_res};
use crate::record::{Read, Stored};

/// The context for reading the parts of a LOD: the version, and the limits for decoding.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub(super) version: Version,
    pub(super) limits: Limits,
    pub(super) reading: Reading,
    /// The point count of the LOD whose arrays are being described; `None` if it is unknown, and while they are read.
    pub(super) points: Option<u64>,
}

/// For the parsers of records that depend only on the version.
impl From<Layout> for Version {
    fn from(layout: Layout) -> Self {
        layout.version
    }
}

impl Layout {
    /// Creates the layout of a file of this version. Its blocks decode to at most what these limits allow.
    pub fn new(version: Version, limits: &Limits) -> Self {
        Self { version, limits: *limits, reading: Reading::Common, points: None }
    }
}

/// The interpretations of layouts on which readers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Materials of kind 11 and later have an extra byte in every stage. Kinds 7 and 8 have as many transforms as
    /// stages.
    Common,
    /// Kind 11 has its extra byte only in the thermal stage. Kinds 7 and 8 have no transforms.
    OtherMaterials,
    /// Frames end with four extra numbers, as in the document from version 47 on.
    LongFrames,
}

/// A count and a block of that many elements.
impl<'a, T: Element> Read<'a, Layout> for Block<'a, T> {
    #[inline]
    fn walk(cursor: &mut Cursor<'a>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let count = le_u32().count(cursor, name, sink)?;
        let start = *cursor;
        let block = block(cursor, count, layout)?;
        if let Some(mut out) = sink.outline() {
            describe_marks(start, block.offset(), name, &mut out);
            out.array(name, &block);
        }
        sink.block(block.storage(), block.decoded_byte_len());
        Ok(block)
    }
}

impl<T: Element> Stored for Block<'_, T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 4);
    const SHOWS_ABSENCE: bool = false;
}

/// A count, and either a single value for all elements or a block.
impl<'a, T: Element> Read<'a, Layout> for Filled<'a, T> {
    /// Describes an array whose count differs from the point count as a problem, because it could claim any number of
    /// rows. Only a dissection shows such an array, or one of a LOD whose point count is unknown.
    #[inline]
    fn walk(cursor: &mut Cursor<'a>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let count = le_u32().count(cursor, name, sink)?;
        let start = *cursor;
        let filled = filled(cursor, count, layout)?;
        if let Some(mut out) = sink.outline() {
            describe_marks(start, filled.storage().offset, name, &mut out);
            let is_sound = layout.points.is_some_and(|points| out.ok(check_count(&filled, points)).is_some());
            if is_sound || out.dissects() {
                out.array(name, &filled);
            }
        }
        if let Some(block) = filled.block() {
            sink.block(block.storage(), block.decoded_byte_len());
        }
        Ok(filled)
    }
}

impl<T: Element> Stored for Filled<'_, T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 5);
    const SHOWS_ABSENCE: bool = false;
}

/// Describes the bytes from `start` to the array at offset `end`: they say how the array is stored.
fn describe_marks(mut start: Cursor<'_>, end: u64, name: &'static str, out: &mut Outline<'_>) {
    while start.offset() < end {
        // Does not fail: the array behind these bytes was read.
        if framing(le_u8()).walk(&mut start, name, out).is_err() {
            break;
        }
    }
}

/// The size from which every block up to version 63 is a compressed stream, even if that is longer.
const PACKED_FROM: u64 = 1024;

/// Reads a block of `count` elements. Its size, or from version 64 on a flag, decides whether it is compressed. An
/// empty block has no flag.
#[inline]
fn block<'a, T: Element>(cursor: &mut Cursor<'a>, count: u64, layout: Layout) -> Result<Block<'a, T>> {
    let codec = match count.saturating_mul(size_of::<T>() as u64) {
        0 => Codec::Raw,
        _ if layout.version.has_block_flags() => flagged_codec(cursor)?,
        1..PACKED_FROM => Codec::Raw,
        _ if layout.version.has_lzo() => Codec::Lzo,
        _ => Codec::Lzss,
    };
    Block::parse(cursor, count, codec, &layout.limits)
}

/// Reads an array of `count` elements after the byte that says how it is stored: 0 for a block, otherwise a single
/// value for all elements.
#[inline]
fn filled<'a, T: Element>(cursor: &mut Cursor<'a>, count: u64, layout: Layout) -> Result<Filled<'a, T>> {
    match cursor.parse(le_u8())? {
        0 => block(cursor, count, layout).map(Filled::from),
        _ => Filled::parse_fill(cursor, count, &layout.limits),
    }
}

/// Reads the flag before a block. Returns the codec that it stands for.
// A separate function, because `block` is compiled for every type of element, and only some versions have a flag.
#[inline(never)]
fn flagged_codec(cursor: &mut Cursor<'_>) -> Result<Codec> {
    cursor.parse(map_res(le_u8(), |flag| match flag {
        0 => Ok(Codec::Raw),
        2 => Ok(Codec::Lzo),
        flag => Err(Error::malformed(format!("block with flag {flag}, not 0 or 2"))),
    }))
}

/// Returns an error at the array's offset if it does not have `points` elements.
pub(super) fn check_count(array: &dyn Table, points: u64) -> Result<()> {
    if array.rows() == points {
        return Ok(());
    }
    let message = format!("{} elements for {points} points", array.rows());
    Err(Error::malformed(message).at(array.storage().offset))
}
