//! Indices of different widths.

use std::borrow::Cow;

use zerocopy::little_endian::{U16, U32};

use super::fields::walk_length;
use crate::base::error::Result;
use crate::bytes::Cursor;
use crate::bytes::shapes::shapes;
use crate::outline::{Sink, Type};
use crate::record::{Read, Stored, form};

shapes! {
    /// Indices in place, of 1, 2 or 4 bytes each; read as `u32`.
    pub enum Indices<'a> of u32 {
        /// One byte each.
        U8(u8) = |index| (*index).into(),
        /// Two bytes each.
        U16(U16) = |index| index.get().into(),
        /// Four bytes each.
        U32(U32) = |index| index.get(),
    }
}

/// The width of stored indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Width {
    U8,
    U16,
    U32,
}

impl Width {
    /// Returns the width of indices into an array of `target` elements. If `spare` is set, the highest index of a width
    /// is reserved, as face groups of the older layout do.
    pub(super) fn of(target: usize, spare: bool) -> Self {
        match target.saturating_add(spare.into()) {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            _ => Self::U32,
        }
    }

    /// Returns the width of indices of `count` bones.
    pub(super) fn of_bones(count: u32) -> Self {
        if count < 255 { Self::U8 } else { Self::U16 }
    }
}

impl Stored for Indices<'_> {
    const TYPE: Type = Type::List(&Type::Varying("u8|u16|u32", 1), 4);
    const GIVEN: Type = Self::TYPE;
}

/// Reads the count, then the indices.
impl<'a> Read<'a, Width> for Indices<'a> {
    fn walk(cursor: &mut Cursor<'a>, width: Width, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let count = walk_length(cursor, name, sink)?;
        let indices = Self::of(cursor, count, width)?;
        sink.describe(|out| out.array(name, &indices));
        Ok(indices)
    }
}

/// The form of bone numbers, which have at most two bytes.
pub(super) struct BoneIds<'a>(Indices<'a>);

impl Stored for BoneIds<'_> {
    const TYPE: Type = Type::List(&Type::Varying("u8|u16", 1), 4);
    const GIVEN: Type = Self::TYPE;
}

impl<'a> Read<'a, Width> for BoneIds<'a> {
    fn walk(cursor: &mut Cursor<'a>, width: Width, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        Indices::walk(cursor, width, name, sink).map(Self)
    }
}

form!(['a] BoneIds<'a> => Indices<'a>);

impl<'a> Indices<'a> {
    /// Reads `count` indices of this width.
    pub(super) fn of(cursor: &mut Cursor<'a>, count: u64, width: Width) -> Result<Self> {
        match width {
            Width::U8 => cursor.array(count).map(Self::U8),
            Width::U16 => cursor.array(count).map(Self::U16),
            Width::U32 => cursor.array(count).map(Self::U32),
        }
    }

    /// Returns all indices as native `u32`. Borrows them if they are stored with four bytes and aligned and the machine
    /// is little-endian; otherwise copies them.
    pub fn to_native(&self) -> Cow<'a, [u32]> {
        match self {
            Self::U32(array) => array.to_native(),
            _ => self.iter().collect(),
        }
    }

    /// Returns the size of each index in bytes: 1, 2 or 4.
    pub fn width(&self) -> usize {
        match self {
            Self::U8(_) => 1,
            Self::U16(_) => 2,
            Self::U32(_) => 4,
        }
    }
}

impl crate::base::sealed::Sealed for Indices<'_> {}

#[cfg(test)]
mod tests {
    use super::Indices;
    use crate::bytes::LeArray;

    #[test]
    fn from_both_ends_and_exact_in_number() {
        let indices = Indices::U8(LeArray::new(&[5, 6, 7, 8], 0).unwrap());
        let mut all = indices.iter();
        assert_eq!((all.len(), all.next(), all.next_back(), all.len()), (4, Some(5), Some(8), 2));
        assert_eq!((all.nth(1), all.len(), all.next_back()), (Some(7), 0, None));
        assert_eq!(*indices.to_native(), [5, 6, 7, 8]);
    }
}
