//! Counted items of different lengths, and the three kinds of arrays: spec section 2.

use std::marker::PhantomData;

use zerocopy::little_endian::U32;

use super::version::Version;
use crate::codec::Codec;
use crate::error::{Context as _, Error, Result};
use crate::inspect::Span;
use crate::limits::Limits;
use crate::view::{Block, ByteStr, Cursor, Element, Filled, LeArray};

/// What has to be known to read on.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub(super) version: Version,
    pub(super) limits: Limits,
    pub(super) materials: MaterialForm,
}

/// How the types of materials are read on which readers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaterialForm {
    /// Types from 11 on have an extra byte in every stage, types 7 and 8 as many transforms as stages.
    Common,
    /// Type 11 has its extra byte in the thermal stage alone, types 7 and 8 have no transforms.
    Other,
}

/// One item of a [`List`], which takes the knowledge `C` to read.
pub trait Item<'a, C: Copy = ()>: Sized {
    /// The fewest bytes that one can take.
    const LEAST: u64;

    /// Reads the item at the cursor, which moves behind it.
    ///
    /// # Errors
    /// Where it does not fit what is left or breaks a rule of the format.
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self>;
}

/// Items of different lengths, one behind the other, borrowed.
///
/// Each was read once when the part around it was, so that reading it again cannot fail. Where an item lies is only
/// known by stepping over those before it.
#[derive(Debug)]
pub struct List<'a, T, C = ()> {
    items: Cursor<'a>,
    count: u32,
    context: C,
    item: PhantomData<T>,
}

impl<'a, T: Item<'a, C>, C: Copy> List<'a, T, C> {
    /// Reads the count and steps over the items; `name` is what an error calls them.
    pub(super) fn read(cursor: &mut Cursor<'a>, name: &'static str, context: C) -> Result<Self> {
        let mut ahead = *cursor;
        let count = ahead.u32().within(name)?;
        let list = Self::read_items(&mut ahead, count, name, context)?;
        *cursor = ahead;
        Ok(list)
    }

    /// Steps over this many items.
    pub(super) fn read_items(cursor: &mut Cursor<'a>, count: u32, name: &'static str, context: C) -> Result<Self> {
        // A count that cannot be true is told as such, not as whatever its last readable item runs into.
        Cursor::skip(&mut cursor.clone(), u64::from(count).saturating_mul(T::LEAST)).within(name)?;
        let mut start = *cursor;
        for index in 0..count {
            T::read(cursor, context).within_item(name, index as usize)?;
        }
        let items = start.split(cursor.offset().saturating_sub(start.offset()))?;
        Ok(Self { items, count, context, item: PhantomData })
    }

    /// How many items.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The item at `index`. Steps over those before it.
    pub fn get(&self, index: usize) -> Option<T> {
        self.iter().nth(index)
    }

    /// All items in order.
    pub fn iter(&self) -> ListIter<'a, T, C> {
        ListIter { items: self.items, left: self.count, context: self.context, item: PhantomData }
    }

    /// All items in order, each with its place in the file.
    pub fn placed(&self) -> impl Iterator<Item = (T, Span)> + use<'a, T, C> {
        let mut items = self.iter();
        std::iter::from_fn(move || {
            let offset = items.items.offset();
            let item = items.next()?;
            Some((item, Span { offset, bytes: items.items.offset().saturating_sub(offset) }))
        })
    }

    /// Where the first item lies, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// The bytes that all items take.
    pub fn bytes(&self) -> u64 {
        self.items.left()
    }
}

impl<T, C: Copy> Clone for List<'_, T, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, C: Copy> Copy for List<'_, T, C> {}

impl<'a, T: Item<'a, C>, C: Copy> IntoIterator for &List<'a, T, C> {
    type Item = T;
    type IntoIter = ListIter<'a, T, C>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The items of a [`List`] in order.
#[derive(Clone, Debug)]
pub struct ListIter<'a, T, C = ()> {
    items: Cursor<'a>,
    left: u32,
    context: C,
    item: PhantomData<T>,
}

impl<'a, T: Item<'a, C>, C: Copy> Iterator for ListIter<'a, T, C> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        T::read(&mut self.items, self.context).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

impl<'a> Item<'a> for ByteStr<'a> {
    const LEAST: u64 = 1;

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.cstr()
    }
}

impl<'a> Item<'a> for LeArray<'a, U32> {
    const LEAST: u64 = 4;

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        plain(cursor)
    }
}

impl<'a, T: Item<'a, C>, C: Copy> Item<'a, C> for List<'a, T, C> {
    const LEAST: u64 = 4;

    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self> {
        Self::read(cursor, "items", context)
    }
}

/// A count and so many elements in place, never compressed.
pub(super) fn plain<'a, T: Element>(cursor: &mut Cursor<'a>) -> Result<LeArray<'a, T>> {
    let count = cursor.u32()?;
    cursor.array(count.into())
}

/// A count and a block of so many elements.
#[inline]
pub(super) fn packed<'a, T: Element>(cursor: &mut Cursor<'a>, context: Context) -> Result<Block<'a, T>> {
    let count = cursor.u32()?;
    block(cursor, count, context)
}

/// A count, and either one element that stands for all or a block.
pub(super) fn condensed<'a, T: Element>(cursor: &mut Cursor<'a>, context: Context) -> Result<Filled<'a, T>> {
    let count = cursor.u32()?;
    match cursor.u8()? {
        0 => block(cursor, count, context).map(Filled::from),
        _ => Filled::parse_fill(cursor, count.into(), &context.limits),
    }
}

/// From this size on every block up to version 63 is one stream, even where that is longer.
const PACKED_FROM: u64 = 1024;

#[inline]
fn block<'a, T: Element>(cursor: &mut Cursor<'a>, count: u32, context: Context) -> Result<Block<'a, T>> {
    let count = u64::from(count);
    let codec = match count.saturating_mul(size_of::<T>() as u64) {
        0 => Codec::Raw,
        _ if context.version.has_block_flags() => flagged(cursor)?,
        1..PACKED_FROM => Codec::Raw,
        _ if context.version.has_lzo() => Codec::Lzo,
        _ => Codec::Lzss,
    };
    Block::parse(cursor, count, codec, &context.limits)
}

/// What the flag before a block says of it.
#[inline(never)]
fn flagged(cursor: &mut Cursor<'_>) -> Result<Codec> {
    let offset = cursor.offset();
    match cursor.u8()? {
        0 => Ok(Codec::Raw),
        2 => Ok(Codec::Lzo),
        flag => Err(Error::malformed(format!("block with flag {flag}, not 0 or 2")).at(offset)),
    }
}
