//! The arrays of BMTR files: frame times and frames.

use zerocopy::little_endian::F32;

use super::wire::Transform;
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::base::word_enum::word_enum;
use crate::blocks::Block;
use crate::bytes::parser::part;
use crate::bytes::{Cursor, Element};
use crate::codec::Codec;
use crate::outline::{FieldInfo, Outline, Schema, Type, Value};
use crate::record::parser::{Grammar as _, cond, le_u8, le_u32, verify};
use crate::record::{Fixed as _, Stored, describe_count};

word_enum! {
    /// How a BMTR file marks packed arrays.
    pub enum PackingMark {
        /// No mark: arrays from 1024 bytes on are packed. Version 3, and perhaps 4.
        Size = "by size",
        /// By a byte before the elements, 0 for raw. Version 5, and perhaps 4.
        Flag = "by a flag",
        /// By a byte before the elements, which empty arrays do not have. Readers differ; no known file has empty
        /// arrays.
        FlagUnlessEmpty = "by a flag unless empty",
    }
}

impl PackingMark {
    /// Returns true if arrays of this size have a flag.
    fn has_flag(self, bytes: u64) -> bool {
        match self {
            Self::Size => false,
            Self::Flag => true,
            Self::FlagUnlessEmpty => bytes > 0,
        }
    }
}

/// An array of a BMTR file: its count, a flag in some versions, its elements.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FlaggedBlock<'a, T> {
    /// The offset of its count.
    pub offset: u64,
    /// The flag for packing: 0 no, 2 yes. Other values, which no known file has, count as yes. `None` if the size
    /// decides.
    pub flag: Option<u8>,
    /// Its elements.
    pub block: Block<'a, T>,
}

impl<'a, T: Element> FlaggedBlock<'a, T> {
    /// Reads the array at the cursor, which must have `count` elements. Walks a packed one to find its end.
    pub(super) fn read(cursor: &mut Cursor<'a>, count: u32, rule: PackingMark, limits: &Limits) -> Result<Self> {
        let (offset, flag, codec) = Self::read_start(cursor, count, rule)?;
        Ok(Self { offset, flag, block: Block::parse(cursor, count.into(), codec, limits)? })
    }

    /// Creates the array that fills a part, which was read before, so that it is not walked again.
    fn exactly(mut part: Cursor<'a>, count: u32, rule: PackingMark, limits: &Limits) -> Result<Self> {
        let (offset, flag, codec) = Self::read_start(&mut part, count, rule)?;
        Ok(Self { offset, flag, block: Block::exactly(part, count.into(), codec, limits)? })
    }

    /// Reads what precedes the elements: the count, and the flag if arrays are marked by one. Returns the offset of the
    /// count, the flag, and the codec of the elements.
    #[inline(always)]
    fn read_start(cursor: &mut Cursor<'_>, count: u32, rule: PackingMark) -> Result<(u64, Option<u8>, Codec)> {
        let offset = cursor.offset();
        let bytes = u64::from(count).saturating_mul(size_of::<T>() as u64);
        verify(le_u32(), equals(count)).read(cursor)?;
        let flag = cond(rule.has_flag(bytes), le_u8()).read(cursor)?;
        let is_packed = match flag {
            Some(flag) => flag != 0,
            None => bytes >= PACKED_FROM,
        };
        Ok((offset, flag, if is_packed { Codec::Lzo } else { Codec::Raw }))
    }

    /// Describes the array as `name`, with its count, and its flag as `flag_name`.
    pub(super) fn describe(&self, name: &'static str, flag_name: &'static str, out: &mut Outline<'_>) {
        describe_count(name, self.block.count(), self.offset, out);
        match self.flag {
            // The flag follows the count.
            Some(flag) => flag.describe_at(flag_name, Span { offset: self.offset.saturating_add(4), bytes: 1 }, out),
            None => out.field(flag_name, Value::Absent),
        }
        out.array(name, &self.block);
    }

    /// Returns the number of bytes it takes, including count and flag.
    pub fn byte_len(&self) -> u64 {
        (Amount(self.block.offset()) - self.offset + self.block.stored_byte_len()).0
    }
}

/// Returns a function that checks that a stored count equals `count`, the count in the header.
fn equals(count: u32) -> impl Fn(&u32) -> Result<()> {
    move |stored| {
        if *stored == count { Ok(()) } else { Err(Error::malformed(format!("has {stored} elements, not {count}"))) }
    }
}

/// The flag of an array, and when a file has one.
const PACKED: FieldInfo = FieldInfo {
    codes: &[(0, "raw"), (2, "one LZO1X stream")],
    ..FieldInfo::new(
        "flag",
        Some("compressed"),
        u8::TYPE,
        Some("version >= 5"),
        " How the elements are stored. Without a flag, arrays of 1024 bytes and more are packed. In version 4, the \
         rule that ends exactly at the end of the file applies.",
    )
};

/// The type of the transforms of a frame.
const TRANSFORMS: Type = Type::List(&Type::Record(Transform::SCHEMA), 0);

/// Describes a field that every version has. `spec` is its name in the document.
const fn field(name: &'static str, spec: &'static str, kind: Type, doc: &'static str) -> FieldInfo {
    FieldInfo::new(name, Some(spec), kind, None, doc)
}

/// The stored form of the frame times.
pub(super) const TIMES: &Schema = &Schema {
    name: "FrameTimes",
    doc: " The time of each frame. Follows the texts.",
    fields: &[
        field("times", "nFrameTimes, elementCount", u32::TYPE, " Number of times: that of the frames."),
        FieldInfo { name: "times_flag", ..PACKED },
        field(
            "times",
            "FrameTimes",
            Type::Array(F32::COLUMNS, 0),
            " The times, in ascending order. Most real files start at 0 and end at 1. A single pose may have any time. Each frame holds for the duration of its time.",
        ),
    ],
};

/// The stored form of a frame.
pub(super) const FRAME: &Schema = &Schema {
    name: "Frame",
    doc: " The transforms of all bones in one frame. Frames follow the frame times without gaps.",
    fields: &[
        field("transforms", "ThisFrameNoOfBones, elementCount", u32::TYPE, " Number of transforms: that of the bones."),
        PACKED,
        field("transforms", "CompressedFrames", TRANSFORMS, " The transform of each bone."),
    ],
};

/// The bytes from which on an array without a flag is packed.
const PACKED_FROM: u64 = 1024;

/// The frames of a BMTR file. Each has a transform for every bone, in the order of the bones.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    start: Cursor<'a>,
    count: u32,
    bones: u32,
    rule: PackingMark,
    limits: Limits,
}

impl<'a> Frames<'a> {
    /// Creates the `count` frames from `start` on, with `bones` transforms each.
    pub(super) fn new(start: Cursor<'a>, count: u32, bones: u32, rule: PackingMark, limits: &Limits) -> Self {
        Self { start, count, bones, rule, limits: *limits }
    }

    /// Returns the number of frames that the header claims.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if there are no frames.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the distance between frames in bytes, if it is known to be constant: if the size decides on packing, and
    /// frames are too small for it.
    pub fn stride(&self) -> Option<u64> {
        let bytes = u64::from(self.bones).saturating_mul(size_of::<Transform>() as u64);
        // The count before the transforms takes four bytes.
        if self.rule == PackingMark::Size && bytes < PACKED_FROM { Some(bytes.saturating_add(4)) } else { None }
    }

    /// Returns the frame at `index`. Takes O(1) time with a [`stride`](Self::stride). Otherwise walks the frames before
    /// it without decoding: see [`to_table`](Self::to_table) for random access to many frames.
    ///
    /// # Errors
    /// Returns an error if the frame is cut short or has another bone count than the file, or if one before it cannot
    /// be walked.
    pub fn get(&self, index: usize) -> Result<Option<FlaggedBlock<'a, Transform>>> {
        if index >= self.len() {
            return Ok(None);
        }
        match self.stride() {
            Some(stride) => {
                let mut cursor = self.start;
                cursor.skip(stride.saturating_mul(index as u64)).within_item("frames", index)?;
                self.read(&mut cursor).within_item("frames", index).map(Some)
            }
            None => self.iter().nth(index).transpose(),
        }
    }

    /// Reads the frame at the cursor.
    fn read(&self, cursor: &mut Cursor<'a>) -> Result<FlaggedBlock<'a, Transform>> {
        FlaggedBlock::read(cursor, self.bones, self.rule, &self.limits)
    }

    /// Returns an iterator over all frames. It ends after the first error.
    pub fn iter(&self) -> FrameIter<'a> {
        FrameIter { frames: *self, cursor: self.start, index: 0 }
    }

    /// Returns the location of each frame, for random access. Walks all frames once; takes 8 bytes for each.
    ///
    /// # Errors
    /// Returns the error of the first frame that cannot be walked.
    pub fn to_table(&self) -> Result<FrameTable<'a>> {
        let mut starts = Vec::new();
        let mut all = self.iter();
        for frame in all.by_ref() {
            starts.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            starts.push(frame?.offset);
        }
        Ok(FrameTable { frames: *self, starts, end: all.cursor.offset() })
    }

    /// Returns a cursor after the last frame. Walks all frames.
    pub(super) fn end(&self) -> Result<Cursor<'a>> {
        let mut all = self.iter();
        for frame in all.by_ref() {
            frame?;
        }
        Ok(all.cursor)
    }

    /// Returns the offset of the first frame.
    pub fn offset(&self) -> u64 {
        self.start.offset()
    }
}

/// An iterator over the frames of a BMTR file. It finds each frame by walking the one before.
#[derive(Clone, Debug)]
pub struct FrameIter<'a> {
    frames: Frames<'a>,
    /// The start of the next frame.
    cursor: Cursor<'a>,
    /// The index of the next frame.
    index: u32,
}

impl<'a> FrameIter<'a> {
    /// Returns a cursor after the last frame returned.
    pub(super) fn cursor(&self) -> Cursor<'a> {
        self.cursor
    }
}

impl<'a> Iterator for FrameIter<'a> {
    type Item = Result<FlaggedBlock<'a, Transform>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.index >= self.frames.count {
            return None;
        }
        let frame = self.frames.read(&mut self.cursor).within_item("frames", self.index as usize);
        // Nothing follows an error.
        self.index = if frame.is_ok() { self.index.saturating_add(1) } else { u32::MAX };
        Some(frame)
    }
}

impl std::iter::FusedIterator for FrameIter<'_> {}

/// The location of each frame of a BMTR file.
#[derive(Clone, Debug)]
pub struct FrameTable<'a> {
    frames: Frames<'a>,
    /// The offset of each frame.
    starts: Vec<u64>,
    /// The end of the last frame.
    end: u64,
}

impl<'a> FrameTable<'a> {
    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns true if there are no frames.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the frame at `index`. Takes O(1) time, without walking.
    pub fn get(&self, index: usize) -> Option<FlaggedBlock<'a, Transform>> {
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index.saturating_add(1)).copied().unwrap_or(self.end);
        let Frames { start: mut cursor, bones, rule, limits, .. } = self.frames;
        cursor.skip(start.checked_sub(cursor.offset())?).ok()?;
        let part = cursor.parse(part(end.checked_sub(start)?)).ok()?;
        // It was read before, when the table was created.
        FlaggedBlock::exactly(part, bones, rule, &limits).ok()
    }
}
