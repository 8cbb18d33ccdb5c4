//! Values for each set of texture coordinates of a mesh. A mesh has one or two sets.

use super::fields::{Length, count};
use super::indices::{Indices, Width};
use crate::base::error::{Context, Result};
use crate::base::span::Span;
use crate::base::text::AnsiStr;
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::{Cursor, LeArray, Vec2};
use crate::outline::{Outline, Sink, StoredField, Type};
use crate::record::{Framing, Read, Stored};

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

/// The context for reading a value for each set: the context of each set, and whether each count is directly before its
/// items instead of all counts before all items.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerSet<C> {
    pub(super) sets: [Option<C>; 2],
    pub(super) apart: bool,
}

/// A value for each set, after a count.
pub(super) trait PerSetItem<'a, C>: Stored + Copy {
    /// Reads the value of one set.
    fn read(cursor: &mut Cursor<'a>, count: u64, context: C) -> Result<Self>;

    /// Describes the values of all sets. The first is at `offset`.
    fn describe(sets: &Sets<Self>, name: &'static str, offset: u64, out: &mut Outline<'_>);
}

impl<T: Stored> Stored for Sets<T> {
    const TYPE: Type = Type::List(&T::GIVEN, 4);
    const GIVEN: Type = Self::TYPE;
}

impl<'a, T: PerSetItem<'a, C>, C: Copy> Read<'a, PerSet<C>> for Sets<T> {
    fn walk(cursor: &mut Cursor<'a>, per: PerSet<C>, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let start = *cursor;
        let mut counts = [None; 2];
        if !per.apart {
            for (index, known) in counts.iter_mut().take(per.sets.iter().flatten().count()).enumerate() {
                *known = Some(count(cursor).within_index(index)?);
            }
        }
        let mut one = |index: usize, known: Option<u64>, set: Option<C>| {
            let Some(context) = set else { return Ok(None) };
            let count = known.map_or_else(|| count(cursor), Ok);
            count.and_then(|count| T::read(cursor, count, context)).within_index(index).map(Some)
        };
        let ([first, second], [first_count, second_count]) = (per.sets, counts);
        let all = Self([one(0, first_count, first)?, one(1, second_count, second)?]);
        sink.describe(|out| {
            let described = all.describe(start, per, name, out);
            out.ok(described);
        });
        Ok(all)
    }
}

impl<T: Copy> Sets<T> {
    /// Describes the counts and their items in stored order, from the cursor on.
    fn describe<'a, C>(
        &self,
        mut start: Cursor<'a>,
        per: PerSet<C>,
        name: &'static str,
        out: &mut Outline<'_>,
    ) -> Result<()>
    where
        T: PerSetItem<'a, C>,
    {
        if !per.apart {
            for _ in self.iter() {
                Framing::<Length>::walk(&mut start, (), name, out)?;
            }
            T::describe(self, name, start.offset(), out);
            return Ok(());
        }
        for (index, context) in per.sets.into_iter().enumerate().filter_map(|(index, set)| Some((index, set?))) {
            let Framing(Length(count)) = Framing::walk(&mut start, (), name, out)?;
            let (offset, one) = (start.offset(), T::read(&mut start, count, context)?);
            T::describe(&Self(if index == 0 { [Some(one), None] } else { [None, Some(one)] }), name, offset, out);
        }
        Ok(())
    }
}

/// Texture coordinates.
impl<'a> PerSetItem<'a, ()> for LeArray<'a, Vec2> {
    fn read(cursor: &mut Cursor<'a>, count: u64, (): ()) -> Result<Self> {
        cursor.array(count)
    }

    fn describe(sets: &Sets<Self>, name: &'static str, _: u64, out: &mut Outline<'_>) {
        for (index, uvs) in sets.0.iter().enumerate() {
            uvs.iter().for_each(|uvs| out.array_item(name, index, uvs));
        }
    }
}

/// Indices of texture coordinates.
impl<'a> PerSetItem<'a, Width> for Indices<'a> {
    fn read(cursor: &mut Cursor<'a>, count: u64, width: Width) -> Result<Self> {
        Self::of(cursor, count, width)
    }

    fn describe(sets: &Sets<Self>, name: &'static str, _: u64, out: &mut Outline<'_>) {
        for (index, indices) in sets.0.iter().enumerate() {
            indices.iter().for_each(|indices| out.array_item(name, index, indices));
        }
    }
}

/// Names of materials, described as one field.
impl<'a> PerSetItem<'a, ()> for AnsiStr<'a> {
    fn read(cursor: &mut Cursor<'a>, count: u64, (): ()) -> Result<Self> {
        cursor.bytes(count).map(Self::new)
    }

    fn describe(sets: &Sets<Self>, name: &'static str, offset: u64, out: &mut Outline<'_>) {
        let texts = || sets.0.iter().flatten().copied();
        let bytes = texts().map(|text| text.len() as u64).fold(0, u64::saturating_add);
        let (kind, span) = (Type::List(&Self::GIVEN, 0), Span { offset, bytes });
        out.stored_texts(&StoredField { name, kind, span, framing: false }, texts());
    }
}

impl<T> crate::base::sealed::Sealed for Sets<T> {}
