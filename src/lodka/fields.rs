//! The small fields that every chunk is made of: counts, texts, layout codes, tables of names.

use zerocopy::little_endian::I32;

use super::chunk::Node;
use crate::error::{Context, Error, Result};
use crate::view::{ByteStr, Cursor, LeArray};

/// A length or count that is stored signed and must not be negative.
pub(crate) fn count(cursor: &mut Cursor<'_>) -> Result<u64> {
    let start = *cursor;
    let count = cursor.i32()?;
    not_negative(count).map_err(|error| error.at(start.offset()))
}

/// The number, unless it is negative.
pub(crate) fn not_negative(count: i32) -> Result<u64> {
    u64::try_from(count).map_err(|_| Error::malformed(format!("{count} is negative")))
}

/// A length and that many bytes.
pub(crate) fn string<'a>(cursor: &mut Cursor<'a>) -> Result<ByteStr<'a>> {
    let length = count(cursor)?;
    cursor.take(length).map(ByteStr::new)
}

/// The part must be used up.
pub(crate) fn end(cursor: &Cursor<'_>) -> Result<()> {
    match cursor.left() {
        0 => Ok(()),
        left => Err(cursor.error(format!("{left} bytes left over behind the last field"))),
    }
}

/// Names behind one another, cut by a table of their lengths.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    lengths: LeArray<'a, I32>,
    bytes: &'a [u8],
}

impl<'a> Names<'a> {
    /// `count` lengths, then as many bytes as they add up to.
    pub(crate) fn read(cursor: &mut Cursor<'a>, count: u64) -> Result<Self> {
        let lengths = cursor.array::<I32>(count).within("name_lengths")?;
        let sum = total(lengths.iter().map(|length| length.get())).map_err(|error| error.at(lengths.offset()));
        let bytes = cursor.take(sum.within("name_lengths")?).within("names")?;
        Ok(Self { lengths, bytes })
    }

    /// The name at `index`. Adds up the lengths before it.
    pub fn get(&self, index: usize) -> Option<ByteStr<'a>> {
        self.iter().nth(index)
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
        let mut rest = self.bytes;
        self.lengths.iter().map_while(move |length| {
            let (name, behind) = rest.split_at_checked(usize::try_from(length.get()).ok()?)?;
            rest = behind;
            Some(ByteStr::new(name))
        })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }
}

/// The sum of lengths or counts, none of which may be negative.
pub(crate) fn total(lengths: impl Iterator<Item = i32>) -> Result<u64> {
    lengths.map(not_negative).try_fold(0_u64, |sum, length| Ok(sum.saturating_add(length?)))
}

/// What the chunk's header counts, which must not be negative.
pub(crate) fn header_count(node: &Node<'_>) -> Result<u64> {
    not_negative(node.count_hint()).map_err(|error| error.at(node.chunk.offset().saturating_add(8))).within("count")
}

/// The byte that names a layout, if it is one of the known.
pub(crate) fn known(cursor: &mut Cursor<'_>, kinds: &[u8]) -> Result<u8> {
    let start = *cursor;
    match cursor.u8()? {
        kind if kinds.contains(&kind) => Ok(kind),
        kind => Err(start.error(format!("{kind} is no known layout"))),
    }
}

/// The same in 32 bits.
pub(crate) fn known_i32(cursor: &mut Cursor<'_>, kinds: &[i32]) -> Result<i32> {
    let start = *cursor;
    match cursor.i32()? {
        kind if kinds.contains(&kind) => Ok(kind),
        kind => Err(start.error(format!("{kind} is no known layout"))),
    }
}
