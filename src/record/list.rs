//! Lists of items of variable length.

use std::iter::FusedIterator;
use std::marker::PhantomData;

use crate::base::amount::Amount;
use crate::base::error::{Context as _, Error, Result};
use crate::base::span::Span;
use crate::base::stop;
use crate::base::text::{ByteStr, Text, Utf32Str};
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::Cursor;
use crate::outline::{Outline, Part, Silent, Sink, StoredAt, Type};
use crate::record::{Read, Record, describe_count, describe_fields};

/// A list of items of variable length, borrowed. Reading an item needs the context `C`.
///
/// Each item was read once when the surrounding part was parsed, so reading it again cannot fail. Finding an item means
/// skipping those before it.
#[derive(Clone, Copy, Debug)]
pub struct List<'a, T, C = ()> {
    items: Cursor<'a>,
    count: u32,
    context: C,
    item: PhantomData<T>,
}

impl<'a, T: Read<'a, C>, C: Copy> List<'a, T, C> {
    /// Reads a list of `count` items and moves the cursor after them. An error names the item by its index in this list.
    #[inline]
    pub(crate) fn of(cursor: &mut Cursor<'a>, count: u32, context: C) -> Result<Self> {
        Self::numbered(cursor, 0, count, context)
    }

    /// Reads a list of `count` items and moves the cursor after them. An error names the first one by the index `first`.
    #[inline]
    pub(crate) fn numbered(cursor: &mut Cursor<'a>, first: usize, count: u32, context: C) -> Result<Self> {
        Self::walk_items(cursor, first, count, context, &mut Silent)
    }

    /// Does the work of [`numbered`](Self::numbered), and shows all items to the sink.
    #[inline]
    pub(crate) fn walk_items(
        cursor: &mut Cursor<'a>,
        first: usize,
        count: u32,
        context: C,
        sink: &mut impl Sink,
    ) -> Result<Self> {
        // Reports an impossible count as an error of the count, not of its last readable item.
        cursor.clone().skip(u64::from(count).saturating_mul(const { T::TYPE.min() }))?;
        let mut start = *cursor;
        for index in 0..count {
            T::walk(cursor, context, "", sink).within_index(first.saturating_add(index as usize))?;
        }
        let items = start.split(cursor.offset().saturating_sub(start.offset()))?;
        Ok(Self { items, count, context, item: PhantomData })
    }

    /// Reads a list of the items up to and including the last one, which `is_last` identifies.
    #[inline]
    pub(crate) fn up_to(cursor: &mut Cursor<'a>, context: C, is_last: impl Fn(&T) -> bool) -> Result<Self> {
        let mut start = *cursor;
        let mut count = Amount(0_u32);
        let mut ended = false;
        while !ended {
            ended = is_last(&T::read(cursor, context).within_index(count.0 as usize)?);
            count += 1;
        }
        let items = start.split(cursor.offset().saturating_sub(start.offset()))?;
        Ok(Self { items, count: count.0, context, item: PhantomData })
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the item at `index`. Skips those before it, in linear time.
    pub fn get(&self, index: usize) -> Option<T> {
        self.iter().nth(index)
    }

    /// Returns an iterator over all items.
    pub fn iter(&self) -> Iter<'a, T, C> {
        Iter { items: self.items, left: self.count, context: self.context, item: PhantomData }
    }

    /// Returns an iterator over all items with their byte ranges.
    pub fn spanned(&self) -> impl Iterator<Item = (T, Span)> + use<'a, T, C> {
        self.located().map(|(_, span, item)| (item, span))
    }

    /// Returns an iterator over all items with their byte ranges, and cursors at their start.
    pub(crate) fn located(&self) -> impl Iterator<Item = (Cursor<'a>, Span, T)> + use<'a, T, C> {
        located(self.iter(), |items| items.items)
    }

    /// Returns the offset of the first item, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// Returns the number of bytes that all items take.
    pub fn byte_len(&self) -> u64 {
        self.items.left()
    }
}

impl<'a, T: Item<'a, C>, C: Copy> List<'a, T, C> {
    /// Describes the items as `name`, and the count directly before them.
    pub(crate) fn describe_counted(&self, name: &'static str, out: &mut Outline<'_>) {
        self.describe_own_count(name, out);
        T::describe_items(self, name, out);
    }

    /// Describes the count directly before the items, a `u32`.
    pub(crate) fn describe_own_count(&self, name: &'static str, out: &mut Outline<'_>) {
        describe_count(name, self.count.into(), self.offset().saturating_sub(4), out);
    }
}

impl<'a, T: Read<'a, C>, C: Copy> IntoIterator for &List<'a, T, C> {
    type Item = T;
    type IntoIter = Iter<'a, T, C>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An iterator over the items of a [`List`].
#[derive(Clone, Debug)]
pub struct Iter<'a, T, C = ()> {
    items: Cursor<'a>,
    left: u32,
    context: C,
    item: PhantomData<T>,
}

impl<'a, T: Read<'a, C>, C: Copy> Iterator for Iter<'a, T, C> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        T::read(&mut self.items, self.context).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

/// The length is exact because each item was read before.
impl<'a, T: Read<'a, C>, C: Copy> ExactSizeIterator for Iter<'a, T, C> {}

impl<'a, T: Read<'a, C>, C: Copy> FusedIterator for Iter<'a, T, C> {}

/// A type of [`List`] items that can be a field of a record.
#[doc(hidden)]
pub trait Item<'a, C: Copy = ()>: Read<'a, C> {
    /// True if all items of a list together are one field.
    const IS_FIELD: bool = false;

    /// Describes all items of a list named `name`.
    fn describe_items(list: &List<'a, Self, C>, name: &'static str, out: &mut Outline<'_>);
}

/// A list of texts is one field.
impl<'a> Item<'a> for ByteStr<'a> {
    const IS_FIELD: bool = true;

    fn describe_items(list: &List<'a, Self>, name: &'static str, out: &mut Outline<'_>) {
        describe_texts(list, name, out);
    }
}

impl<'a> Item<'a> for Utf32Str<'a> {
    const IS_FIELD: bool = true;

    fn describe_items(list: &List<'a, Self>, name: &'static str, out: &mut Outline<'_>) {
        describe_texts(list, name, out);
    }
}

/// Describes a list of texts as one field.
fn describe_texts<'a, T>(list: &List<'a, T>, name: &'static str, out: &mut Outline<'_>)
where
    T: Read<'a, ()> + Into<Text<'a>>,
{
    let span = Span { offset: list.offset(), bytes: list.byte_len() };
    let kind = Type::List(&T::TYPE, 0);
    out.stored_texts(name, StoredAt::new(kind, span), list);
}

/// Each array is described with its index.
impl<'a, T: Element> Item<'a> for LeArray<'a, T> {
    fn describe_items(list: &List<'a, Self>, name: &'static str, out: &mut Outline<'_>) {
        out.list(name);
        for (index, (array, Span { offset, .. })) in list.spanned().enumerate() {
            describe_count(name, array.len() as u64, offset, out);
            out.array_item(name, index, &array);
        }
    }
}

/// Records are described as a list of parts.
impl<'a, T: Record<'a, C>, C: Copy> Item<'a, C> for T {
    fn describe_items(list: &List<'a, Self, C>, name: &'static str, out: &mut Outline<'_>) {
        Entries::<T, C>::new(name, list.items, list.count.into(), list.context).describe_from(0, out);
    }
}

/// An iterator that reads items one by one. It ends after the first error, because later items cannot be found.
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a, T, C = ()> {
    name: &'static str,
    items: Cursor<'a>,
    index: usize,
    left: u64,
    context: C,
    /// True if bytes after the last item are an error.
    is_all: bool,
    item: PhantomData<T>,
}

impl<'a, T: Read<'a, C>, C: Copy> Entries<'a, T, C> {
    /// Creates an iterator over `count` items at the cursor. Errors call the items `name`.
    pub(crate) fn new(name: &'static str, items: Cursor<'a>, count: u64, context: C) -> Self {
        Self { name, items, index: 0, left: count, context, is_all: false, item: PhantomData }
    }

    /// Creates an iterator over items that take the rest of a part. Bytes after the last item are an error.
    pub(crate) fn all(name: &'static str, items: Cursor<'a>, count: u64, context: C) -> Self {
        Self { is_all: true, ..Self::new(name, items, count, context) }
    }

    /// Returns the number of items left, as claimed by the file.
    pub fn count_hint(&self) -> u64 {
        self.left
    }

    /// Returns the offset of the next item, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// Returns an iterator over the items with their byte ranges.
    pub fn spanned(self) -> impl Iterator<Item = (Result<T>, Span)> + use<'a, T, C> {
        self.located().map(|(_, span, item)| (item, span))
    }

    /// Returns an iterator over the items with their byte ranges, and cursors at their start.
    pub(crate) fn located(self) -> impl Iterator<Item = (Cursor<'a>, Span, Result<T>)> + use<'a, T, C> {
        located(self, |items| items.items)
    }
}

/// Returns an iterator over items that are read at a cursor, with cursors at their start and their byte ranges.
#[inline]
fn located<'a, I: Iterator>(
    mut items: I,
    cursor: impl Fn(&I) -> Cursor<'a>,
) -> impl Iterator<Item = (Cursor<'a>, Span, I::Item)> {
    std::iter::from_fn(move || {
        let start = cursor(&items);
        let item = items.next()?;
        let bytes = cursor(&items).offset().saturating_sub(start.offset());
        Some((start, Span { offset: start.offset(), bytes }, item))
    })
}

impl<'a, T: Record<'a, C>, C: Copy> Entries<'a, T, C> {
    /// Describes each item as a part of its list, with indices from `first` on. Reports an error that ends the list
    /// early.
    pub(crate) fn describe_from(self, first: usize, out: &mut Outline<'_>) {
        let name = self.name;
        let context = self.context;
        let first = first.saturating_add(self.index);
        out.list(name);
        for (index, (start, Span { offset, bytes }, item)) in self.located().enumerate() {
            if out.is_done() {
                break;
            }
            let Some(item) = out.ok(item) else { continue };
            let part = Part { label: item.label(), ..Part::item(name, first.saturating_add(index)) };
            out.part(part.spanning(offset, bytes), |out| describe_fields::<T, C>(start, context, out));
        }
    }
}

impl<'a, T: Read<'a, C>, C: Copy> Iterator for Entries<'a, T, C> {
    type Item = Result<T>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let Some(left) = self.left.checked_sub(1) else {
            // Bytes after the last item are reported once.
            let is_all = std::mem::replace(&mut self.is_all, false);
            return (is_all && !self.items.is_empty()).then(|| Err(left_over(self.items)));
        };
        let start = self.items.offset();
        let item = T::read(&mut self.items, self.context).within_item(self.name, self.index);
        if item.is_err() || (stop::is_due(start, self.items.offset()) && stop::is_set()) {
            // The iterator ends after this error.
            (self.left, self.is_all) = (0, false);
            return Some(item.and_then(|_| Err(stop::error())));
        }
        self.left = left;
        self.index = self.index.saturating_add(1);
        Some(item)
    }
}

/// Returns the error for bytes after the last field of a part.
// Takes a copy: a reference would keep the cursor in memory.
#[cold]
pub(crate) fn left_over(cursor: Cursor<'_>) -> Error {
    cursor.error(format!("{} bytes left over after the last field", cursor.left()))
}
