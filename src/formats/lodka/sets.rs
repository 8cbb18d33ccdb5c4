//! Values for each set of texture coordinates of a mesh. A mesh has one or two sets.

use super::fields::walk_length;
use super::indices::{Indices, Width};
use crate::base::error::{Context, Result};
use crate::base::span::Span;
use crate::base::text::AnsiStr;
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::{Cursor, LeArray, Table, Vec2};
use crate::outline::{Sink, StoredField, Type};
use crate::record::{Read, Stored};

/// A value for each set of texture coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Sets<T>([Option<T>; 2]);

impl<T: Copy> Sets<T> {
    /// Returns the value of the set at `index`, or `None` after the last set.
    pub fn get(&self, index: usize) -> Option<T> {
        *self.0.get(index)?
    }

    /// Returns an iterator over the values of all sets.
    pub fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(*self, self.len())
    }

    /// Returns the number of sets: 1 or 2.
    pub fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Returns true if there is no set, which is never the case in a file.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Converts the value of each set.
    pub(super) fn map<U>(self, make: impl Fn(T) -> U) -> [Option<U>; 2] {
        self.0.map(|one| one.map(&make))
    }
}

impl<T: Copy> Indexed for Sets<T> {
    type Item = T;

    fn item(&self, index: usize) -> Option<T> {
        self.get(index)
    }
}

/// The context for reading an array for each set: the context of each set, and whether each count is directly before its
/// array instead of all counts before all arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerSet<C> {
    pub(super) sets: [Option<C>; 2],
    pub(super) apart: bool,
}

/// An array for each set, after its count.
pub(super) trait PerSetArray<'a, C>: Stored + Copy + Table {
    /// Reads the array of one set.
    fn of(cursor: &mut Cursor<'a>, count: u64, context: C) -> Result<Self>;
}

/// Texture coordinates.
impl<'a> PerSetArray<'a, ()> for LeArray<'a, Vec2> {
    fn of(cursor: &mut Cursor<'a>, count: u64, (): ()) -> Result<Self> {
        cursor.array(count)
    }
}

/// Indices of texture coordinates.
impl<'a> PerSetArray<'a, Width> for Indices<'a> {
    fn of(cursor: &mut Cursor<'a>, count: u64, width: Width) -> Result<Self> {
        Indices::of(cursor, count, width)
    }
}

impl<T: Stored> Stored for Sets<T> {
    const TYPE: Type = Type::List(&T::GIVEN, 4);
    const GIVEN: Type = Self::TYPE;
}

/// Reads something for each set, with its index.
#[inline(always)]
fn for_each<T, U>(
    [first, second]: [Option<T>; 2],
    mut read: impl FnMut(usize, T) -> Result<U>,
) -> Result<[Option<U>; 2]> {
    let mut one = |index, set: Option<T>| set.map(|set| read(index, set).within_index(index)).transpose();
    Ok([one(0, first)?, one(1, second)?])
}

impl<'a, T: PerSetArray<'a, C>, C: Copy> Read<'a, PerSet<C>> for Sets<T> {
    fn walk(cursor: &mut Cursor<'a>, per: PerSet<C>, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let before = if per.apart { [None; 2] } else { per.sets };
        let counts = for_each(before, |_, _| walk_length(cursor, name, sink))?;
        let read = |index: usize, context| {
            let count = counts.get(index).copied().flatten();
            let count = count.map_or_else(|| walk_length(cursor, name, sink), Ok)?;
            let array = T::of(cursor, count, context)?;
            sink.describe(|out| out.array_item(name, index, &array));
            Ok(array)
        };
        for_each(per.sets, read).map(Self)
    }
}

/// Names of materials: the lengths of all, then the texts, which are described as one field.
impl<'a> Read<'a, [Option<()>; 2]> for Sets<AnsiStr<'a>> {
    fn walk(cursor: &mut Cursor<'a>, sets: [Option<()>; 2], name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let lengths = for_each(sets, |_, ()| walk_length(cursor, name, sink))?;
        let offset = cursor.offset();
        let all = for_each(lengths, |_, length| cursor.bytes(length).map(AnsiStr::new))?;
        let span = Span { offset, bytes: cursor.offset().saturating_sub(offset) };
        sink.describe(|out| {
            let field = StoredField { name, kind: Type::List(&AnsiStr::GIVEN, 0), span, framing: false };
            out.stored_texts(&field, all.into_iter().flatten());
        });
        Ok(Self(all))
    }
}

impl<T> crate::base::sealed::Sealed for Sets<T> {}
