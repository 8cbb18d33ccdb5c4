//! Point and face numbers, whose width depends on the version.

use std::borrow::Cow;
use std::ops::ControlFlow;

use zerocopy::IntoBytes;
use zerocopy::little_endian::{U16, U32};

use super::array::Layout;
use crate::base::delegate::delegate;
use crate::base::error::Result;
use crate::base::sealed::Sealed;
use crate::blocks::Block;
use crate::bytes::by_index::Indexed;
use crate::bytes::{ByIndex, Column, Cursor, InPlace, Storage, Table, to_native};
use crate::outline::{Sink, Type};
use crate::record::{Read, Stored};

/// Point or face numbers: 16-bit up to version 68, 32-bit from 69 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices<N, W> {
    /// Up to version 68, and in DayZ's files.
    U16(N),
    /// From version 69 on.
    U32(W),
}

/// Point numbers in place: the corners of a face.
pub type Corners<'a> = Indices<&'a [U16], &'a [U32]>;
/// Point or face numbers that may be compressed.
pub type IndexBlock<'a> = Indices<Block<'a, U16>, Block<'a, U32>>;
/// Point or face numbers, borrowed or decoded.
pub type Decoded<'a> = Indices<Cow<'a, [U16]>, Cow<'a, [U32]>>;

impl<N: AsRef<[U16]>, W: AsRef<[U32]>> Indices<N, W> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::U16(narrow) => narrow.as_ref().len(),
            Self::U32(wide) => wide.as_ref().len(),
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number at `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<u32> {
        match self {
            Self::U16(narrow) => narrow.as_ref().get(index).map(|number| number.get().into()),
            Self::U32(wide) => wide.as_ref().get(index).map(|number| number.get()),
        }
    }

    /// Returns an iterator over all numbers.
    #[inline]
    pub fn iter(&self) -> ByIndex<&Self> {
        ByIndex::new(self, self.len())
    }

    /// Returns all numbers as native `u32`. Borrows them if they are 32-bit and aligned and the machine is
    /// little-endian; otherwise copies them.
    pub fn to_native(&self) -> Cow<'_, [u32]> {
        match self {
            Self::U16(_) => self.iter().collect(),
            Self::U32(wide) => to_native(wide.as_ref()),
        }
    }

    /// Returns the bytes as stored.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::U16(narrow) => narrow.as_ref().as_bytes(),
            Self::U32(wide) => wide.as_ref().as_bytes(),
        }
    }
}

impl<N: AsRef<[U16]>, W: AsRef<[U32]>> Indexed for &Indices<N, W> {
    type Item = u32;

    #[inline]
    fn item(&self, index: usize) -> Option<u32> {
        self.get(index)
    }
}

impl<N, W> Sealed for &Indices<N, W> {}

impl<N: Table, W: Table> Indices<N, W> {
    /// Returns the numbers as a table of their width.
    fn as_table(&self) -> &dyn Table {
        match self {
            Self::U16(narrow) => narrow,
            Self::U32(wide) => wide,
        }
    }
}

impl<N: Table, W: Table> Table for Indices<N, W> {
    delegate! {
        as_table:
        fn rows(&self) -> u64;
        fn columns(&self) -> Vec<Column>;
        fn storage(&self) -> Storage;
        fn in_place(&self) -> Option<InPlace<'_>>;
        fn read_memory(&self) -> u64;
        fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()>;
    }
}

impl Stored for IndexBlock<'_> {
    const TYPE: Type = Type::Varying("u16[] or, from version 69 on, u32[]", 4);
}

impl<'a> Read<'a, Layout> for IndexBlock<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        match layout.version.has_wide_indices() {
            false => Block::walk(cursor, layout, name, sink).map(Self::U16),
            true => Self::walk_wide(cursor, layout, name, sink),
        }
    }
}

impl<'a> IndexBlock<'a> {
    /// A separate function, to keep the reading of 16-bit numbers fast.
    #[inline(never)]
    fn walk_wide(cursor: &mut Cursor<'a>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        Block::walk(cursor, layout, name, sink).map(Self::U32)
    }

    /// Returns the number of items.
    pub fn count(&self) -> u64 {
        self.rows()
    }

    /// Returns the offset of the first byte, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.storage().offset
    }

    /// Returns the numbers: borrowed if they are in place, else decoded into new memory.
    ///
    /// # Errors
    /// Returns the errors of [`Block::decode`].
    pub fn decode(&self) -> Result<Decoded<'a>> {
        Ok(match self {
            Self::U16(block) => Indices::U16(block.decode()?),
            Self::U32(block) => Indices::U32(block.decode()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_are_iterated_alike() {
        let narrow: Decoded<'_> = Indices::U16(Cow::Owned(vec![U16::new(1), U16::new(2), U16::new(3)]));
        let wide: Decoded<'_> = Indices::U32(Cow::Owned(vec![U32::new(1), U32::new(2), U32::new(3)]));
        for indices in [narrow, wide] {
            let mut all = indices.iter();
            assert_eq!((all.len(), all.next(), all.next_back(), all.len()), (3, Some(1), Some(3), 1));
            assert_eq!((*indices.to_native()).to_vec(), [1, 2, 3]);
            assert!(indices.iter().rev().eq([3, 2, 1]));
        }
    }
}
