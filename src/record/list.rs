//! Items of different lengths, one behind the other.

use std::iter::FusedIterator;
use std::marker::PhantomData;

use crate::base::error::{Context as _, Error, Result};
use crate::base::span::Span;
use crate::base::text::{ByteStr, Utf32Str};
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::Cursor;
use crate::outline::{Outline, Part, StoredField, Type, Value};
use crate::record::{Framing, Read, Record, Stored, tell_count, tell_part};

/// Items of different lengths, one behind the other, borrowed; reading one takes the knowledge `C`.
///
/// Each was read once when the part around it was, so that reading it again cannot fail. Where an item lies is only
/// known by stepping over those before it.
#[derive(Clone, Copy, Debug)]
pub struct List<'a, T, C = ()> {
    items: Cursor<'a>,
    count: u32,
    context: C,
    item: PhantomData<T>,
}

impl<'a, T: Read<'a, C>, C: Copy> List<'a, T, C> {
    /// Steps over this many items. An error names the item by its place in the list alone.
    #[inline]
    pub(crate) fn of(cursor: &mut Cursor<'a>, count: u32, context: C) -> Result<Self> {
        Self::numbered(cursor, 0, count, context)
    }

    /// The same, the first item of which errors call by this place.
    #[inline]
    pub(crate) fn numbered(cursor: &mut Cursor<'a>, first: usize, count: u32, context: C) -> Result<Self> {
        // A count that cannot be true is told as such, not as whatever its last readable item runs into.
        cursor.clone().skip(u64::from(count).saturating_mul(const { T::TYPE.min() }))?;
        let mut start = *cursor;
        for index in 0..count {
            T::read(cursor, context).within_index(first.saturating_add(index as usize))?;
        }
        let items = start.split(cursor.offset().saturating_sub(start.offset()))?;
        Ok(Self { items, count, context, item: PhantomData })
    }

    /// Steps over items up to the one that is the last.
    #[inline]
    pub(crate) fn up_to(cursor: &mut Cursor<'a>, context: C, is_last: impl Fn(&T) -> bool) -> Result<Self> {
        let mut start = *cursor;
        let mut count = 0_u32;
        let mut ended = false;
        while !ended {
            ended = is_last(&T::read(cursor, context).within_index(count as usize)?);
            count = count.saturating_add(1);
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
    pub fn iter(&self) -> Iter<'a, T, C> {
        Iter { items: self.items, left: self.count, context: self.context, item: PhantomData }
    }

    /// All items in order, each with its place in the file.
    pub fn spanned(&self) -> impl Iterator<Item = (T, Span)> + use<'a, T, C> {
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
    pub fn byte_len(&self) -> u64 {
        self.items.left()
    }
}

impl<'a, T: Item<'a, C>, C: Copy> List<'a, T, C> {
    /// Tells the items, and the count that stands right before them, by this name.
    pub(crate) fn tell_counted(&self, name: &'static str, out: &mut Outline<'_>) {
        let offset = self.offset().saturating_sub(4);
        Framing(self.count).tell_at(name, Span { offset, bytes: 4 }, out);
        T::tell_items(self, name, out);
    }
}

impl<'a, T: Read<'a, C>, C: Copy> IntoIterator for &List<'a, T, C> {
    type Item = T;
    type IntoIter = Iter<'a, T, C>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The items of a [`List`] in order.
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

/// Each item was read before.
impl<'a, T: Read<'a, C>, C: Copy> ExactSizeIterator for Iter<'a, T, C> {}

impl<'a, T: Read<'a, C>, C: Copy> FusedIterator for Iter<'a, T, C> {}

/// A count, and what else it takes to read the items.
#[derive(Clone, Copy, Debug)]
pub struct Count<C = ()>(pub u32, pub C);

impl<'a, T: Item<'a, C>, C: Copy> Stored for List<'a, T, C> {
    const TYPE: Type = Type::List(&T::TYPE, 4);
    const GIVEN: Type = Type::List(&T::TYPE, 0);

    fn tell_absent(name: &'static str, out: &mut Outline<'_>) {
        T::tell_no_items(name, out);
    }
}

/// A count and so many items.
impl<'a, T: Item<'a, C>, C: Copy> Read<'a, C> for List<'a, T, C> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self> {
        let count = cursor.u32()?;
        Self::of(cursor, count, context)
    }

    fn tell(cursor: &mut Cursor<'a>, context: C, name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let count = tell_count(cursor, name, out)?;
        Self::tell(cursor, Count(count, context), name, out)
    }
}

/// So many items.
impl<'a, T: Item<'a, C>, C: Copy> Read<'a, Count<C>> for List<'a, T, C> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, Count(count, context): Count<C>) -> Result<Self> {
        Self::of(cursor, count, context)
    }

    fn tell(cursor: &mut Cursor<'a>, context: Count<C>, name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let list = Self::read(cursor, context)?;
        T::tell_items(&list, name, out);
        Ok(list)
    }
}

/// What can stand in a [`List`] that is a field of a record.
pub trait Item<'a, C: Copy = ()>: Read<'a, C> {
    /// Tells all items of a list of this name.
    fn tell_items(list: &List<'a, Self, C>, name: &'static str, out: &mut Outline<'_>);

    /// Tells that this file has no such list.
    fn tell_no_items(_: &'static str, _: &mut Outline<'_>) {}
}

/// Texts are one field, whatever their number.
macro_rules! texts {
    ($($text:ident)*) => {$(
        impl<'a> Item<'a> for $text<'a> {
            fn tell_items(list: &List<'a, Self>, name: &'static str, out: &mut Outline<'_>) {
                let span = Span { offset: list.offset(), bytes: list.byte_len() };
                let kind = Type::List(&Self::TYPE, 0);
                out.stored_texts(&StoredField { name, kind, span, framing: false }, list);
            }

            fn tell_no_items(name: &'static str, out: &mut Outline<'_>) {
                out.field(name, Value::Absent);
            }
        }
    )*};
}

texts! { ByteStr Utf32Str }

/// Arrays have a number each.
impl<'a, T: Element> Item<'a> for LeArray<'a, T> {
    fn tell_items(list: &List<'a, Self>, name: &'static str, out: &mut Outline<'_>) {
        for (index, (array, Span { offset, .. })) in list.spanned().enumerate() {
            // Behind its own count.
            let count = u32::try_from(array.len()).unwrap_or(u32::MAX);
            Framing(count).tell_at(name, Span { offset, bytes: 4 }, out);
            out.array_item(name, index, &array);
        }
    }
}

/// Records are told as a list of parts.
impl<'a, T: Record<'a, C>, C: Copy> Item<'a, C> for T {
    fn tell_items(list: &List<'a, Self, C>, name: &'static str, out: &mut Outline<'_>) {
        let mut items = list.items;
        for index in 0..list.len() {
            // Each was read before.
            if out.is_done() || tell_part::<T, C>(&mut items, list.context, Part::item(name, index), out).is_err() {
                break;
            }
        }
    }
}

/// Items read one by one, of which one may be broken: ends after the first error, behind which none can be found.
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a, T, C = ()> {
    name: &'static str,
    items: Cursor<'a>,
    index: usize,
    left: u64,
    context: C,
    /// Whether bytes behind the last item are an error.
    is_all: bool,
    item: PhantomData<T>,
}

impl<'a, T: Read<'a, C>, C: Copy> Entries<'a, T, C> {
    /// So many items from the cursor on; `name` is what an error calls them.
    pub(crate) fn new(name: &'static str, items: Cursor<'a>, count: u64, context: C) -> Self {
        Self { name, items, index: 0, left: count, context, is_all: false, item: PhantomData }
    }

    /// The same where the items take all that is left of a part: bytes behind the last are an error.
    pub(crate) fn all(name: &'static str, items: Cursor<'a>, count: u64, context: C) -> Self {
        Self { is_all: true, ..Self::new(name, items, count, context) }
    }

    /// How many are left, by the file's own word.
    pub fn count_hint(&self) -> u64 {
        self.left
    }

    /// Where the next item lies, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// The items, each with its place in the file.
    pub fn spanned(self) -> impl Iterator<Item = (Result<T>, Span)> + use<'a, T, C> {
        self.located().map(|(_, span, item)| (item, span))
    }

    /// The same with cursors at where each starts.
    pub(crate) fn located(mut self) -> impl Iterator<Item = (Cursor<'a>, Span, Result<T>)> + use<'a, T, C> {
        std::iter::from_fn(move || {
            let start = self.items;
            let item = self.next()?;
            let bytes = self.offset().saturating_sub(start.offset());
            Some((start, Span { offset: start.offset(), bytes }, item))
        })
    }
}

impl<'a, T: Record<'a, C>, C: Copy> Entries<'a, T, C> {
    /// Tells each item as a part of its list, counted from this index on, and what is wrong where they end early.
    pub(crate) fn tell_from(mut self, first: usize, out: &mut Outline<'_>) {
        while !out.is_done() {
            let mut cursor = self.items;
            let index = first.saturating_add(self.index);
            match self.next() {
                None => break,
                Some(item) => {
                    if out.ok(item).is_some() {
                        // It was read right before.
                        let _ = tell_part::<T, C>(&mut cursor, self.context, Part::item(self.name, index), out);
                    }
                }
            }
        }
    }
}

impl<'a, T: Read<'a, C>, C: Copy> Iterator for Entries<'a, T, C> {
    type Item = Result<T>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            let is_all = std::mem::replace(&mut self.is_all, false);
            return (is_all && !self.items.is_empty()).then(|| Err(left_over(&self.items)));
        }
        let item = T::read(&mut self.items, self.context).within_item(self.name, self.index);
        self.left = self.left.saturating_sub(1);
        self.index = self.index.saturating_add(1);
        if item.is_err() {
            (self.left, self.is_all) = (0, false);
        }
        Some(item)
    }
}

/// The error that a part has bytes behind its last field.
#[cold]
pub(crate) fn left_over(cursor: &Cursor<'_>) -> Error {
    cursor.error(format!("{} bytes left over after the last field", cursor.left()))
}

/// The name and count of [`Entries`] that take all that is left of a part, and what else it takes to read one.
#[derive(Clone, Copy, Debug)]
pub struct All<C = ()>(pub &'static str, pub u64, pub C);

impl<'a, T: Read<'a, C>, C: Copy> Stored for Entries<'a, T, C> {
    const TYPE: Type = Type::List(&T::TYPE, 0);
}

impl<'a, T: Read<'a, C>, C: Copy> Read<'a, All<C>> for Entries<'a, T, C> {
    fn read(cursor: &mut Cursor<'a>, All(name, count, context): All<C>) -> Result<Self> {
        let items = cursor.split(cursor.left())?;
        Ok(Self::all(name, items, count, context))
    }
}
