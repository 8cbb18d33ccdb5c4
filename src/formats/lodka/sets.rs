//! Values for each set of texture coordinates of a mesh. A mesh has one or two sets.

use std::iter::zip;

use super::fields::length;
use super::text::text;
use crate::base::error::{Context, Result};
use crate::base::text::AnsiStr;
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::{Cursor, Table};
use crate::outline::{Sink, StoredAt, Type};
use crate::record::Stored as _;
use crate::record::parser::{Grammar, Length as _, parsers};

/// A value for each set of texture coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sets<T>([Option<T>; 2]);

impl<T: Copy> Sets<T> {
    /// Returns the value of the set at `index`, or `None` after the last set.
    pub(crate) fn get(&self, index: usize) -> Option<T> {
        *self.0.get(index)?
    }

    /// Returns an iterator over the values of all sets.
    pub(crate) fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(*self, self.len())
    }

    /// Returns the number of sets: 1 or 2.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Converts the value of each set. Returns `None` in the place of a set that does not exist.
    pub(super) fn map<U>(self, make: impl Fn(T) -> U) -> [Option<U>; 2] {
        self.0.map(|one| one.map(&make))
    }
}

impl<T: Copy> Indexed for Sets<T> {
    type Item = T;

    /// See [`get`](Sets::get).
    fn item(&self, index: usize) -> Option<T> {
        self.get(index)
    }
}

/// The context for reading an array for each set: the context of each set, and whether each count is directly before
/// its array instead of all counts before all arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerSet<C> {
    pub(super) sets: [Option<C>; 2],
    pub(super) apart: bool,
}

/// See [`per_set`].
pub(super) struct Arrays<C, F> {
    per: PerSet<C>,
    array: F,
}

/// Returns a parser of a count and an array for each set. The function makes the parser of an array of its count.
pub(super) fn per_set<'a, C, P, F>(per: PerSet<C>, array: F) -> Arrays<C, F>
where
    P: Grammar<'a>,
    F: Fn(u64, C) -> P,
{
    Arrays { per, array }
}

parsers! { ['a, C: Copy, P: Grammar<'a, Output: Table>, F: Fn(u64, C) -> P] Arrays<C, F> => Sets<P::Output>; }

impl<'a, C: Copy, P: Grammar<'a, Output: Table>, F: Fn(u64, C) -> P> Grammar<'a> for Arrays<C, F> {
    const TYPE: Type = Type::List(&P::TYPE, 4);

    /// Reads the counts and arrays in stored order, and describes each array as an item of the field `name`.
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<Sets<P::Output>> {
        // If the counts are apart, `read_array` reads them.
        let mut counts = [None; 2];
        if !self.per.apart {
            counts = lengths(self.per.sets, cursor, name, sink)?;
        }
        let mut arrays = [const { None }; 2];
        for (index, (array, context)) in zip(&mut arrays, &self.per.sets).enumerate() {
            if let Some(context) = context {
                let count = counts.get(index).copied().flatten();
                *array = Some(self.read_array(index, count, *context, cursor, name, sink).within_index(index)?);
            }
        }
        Ok(Sets(arrays))
    }
}

impl<C: Copy, F> Arrays<C, F> {
    /// Reads and describes the array of the set at `index`. If its count is `None`, reads that first.
    #[inline(always)]
    fn read_array<'a, P: Grammar<'a, Output: Table>>(
        &self,
        index: usize,
        count: Option<u64>,
        context: C,
        cursor: &mut Cursor<'a>,
        name: &'static str,
        sink: &mut impl Sink,
    ) -> Result<P::Output>
    where
        F: Fn(u64, C) -> P,
    {
        let count = match count {
            Some(count) => count,
            None => length().count(cursor, name, sink)?,
        };
        let array = (self.array)(count, context).read(cursor)?;
        if let Some(mut out) = sink.outline() {
            out.array_item(name, index, &array);
        }
        Ok(array)
    }
}

/// Reads a length for each set that exists.
#[inline(always)]
fn lengths<C>(
    sets: [Option<C>; 2],
    cursor: &mut Cursor<'_>,
    name: &'static str,
    sink: &mut impl Sink,
) -> Result<[Option<u64>; 2]> {
    let mut lengths = [None; 2];
    for (index, (one, set)) in zip(&mut lengths, &sets).enumerate() {
        if set.is_some() {
            *one = Some(length().count(cursor, name, sink).within_index(index)?);
        }
    }
    Ok(lengths)
}

/// A parser of a text for each set: the lengths of all, then the texts, which are described as one field.
pub(super) struct Names<C>(pub(super) [Option<C>; 2]);

parsers! { ['a, C: Copy] Names<C> => Sets<AnsiStr<'a>>; }

impl<'a, C: Copy> Grammar<'a> for Names<C> {
    const TYPE: Type = Type::List(&AnsiStr::TYPE, 4);

    /// Reads the lengths, then the texts. Describes the texts as one field of their bytes alone.
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<Sets<AnsiStr<'a>>> {
        let lengths = lengths(self.0, cursor, name, sink)?;
        let offset = cursor.offset();
        let mut all = [None; 2];
        for (index, (one, length)) in zip(&mut all, &lengths).enumerate() {
            if let Some(length) = length {
                *one = Some(text(*length).read(cursor).within_index(index)?);
            }
        }
        let span = cursor.since(offset);
        if let Some(mut out) = sink.outline() {
            let stored = StoredAt::new(Type::List(&AnsiStr::TYPE, 0), span);
            out.stored_texts(name, stored, all.into_iter().flatten());
        }
        Ok(Sets(all))
    }
}

impl<T> crate::base::sealed::Sealed for Sets<T> {}
