//! The parsers of a grammar: values, counts, conditions, lists.
//!
//! All are parsers of nom, and each is a [`Grammar`]: it can describe what it reads. Those that share a name with a parser
//! of nom have its form, and differ in what nom's cannot do: name an absent field, keep the message of an error with its
//! offset, read arrays in place, find lists without memory. nom's own `map` is one, and so is every function
//! `fn(Cursor) -> IResult<Cursor, T, Error>` if `T` can be described.

use std::marker::PhantomData;

use nom::{IResult, OutputMode, PResult, Parser};

use super::fixed::Fixed;
use super::interleaved::{Interleaved, Layout};
use super::list::{Entries, Item, List, left_over};
pub(crate) use super::read::Of;
pub(crate) use super::read::of;
use super::read::{Read, Stored};
use crate::base::error::{Context as _, Error, Result};
use crate::base::span::Span;
use crate::base::text::{ByteStr, Utf32Str};
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::{Cursor, Wire};
use crate::bytes::parser::{ReadFn, Reading, outcome, reading};
use crate::outline::{Outline, Rule, Silent, Sink, StoredAt, Type, Value};

pub(crate) use crate::bytes::parser::in_place;

/// A parser that can describe what it reads.
pub(crate) trait Grammar<'a>: Parser<Cursor<'a>, Error = Error> {
    /// The type of what it reads.
    const TYPE: Type;

    /// The rule for the values, if the field has no other.
    const RULE: Rule = Rule::Sound;

    /// The numbers with a meaning and their names, if it reads a code.
    const CODES: &'static [(i64, &'static str)] = &[];

    /// True if outlines show that a file lacks this field.
    const SHOWS_ABSENCE: bool = true;

    /// Reads the value at the cursor, moves the cursor after it, and describes it to the sink as the field `name`.
    ///
    /// # Errors
    /// Returns an error if the value exceeds the bytes left or breaks a rule of the format. The fields before the error
    /// may have been described.
    #[doc(hidden)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<Self::Output>;

    /// Reads the value at the cursor, and moves the cursor after it, as [`Cursor::parse`] does. It is faster, because nom
    /// copies results.
    ///
    /// # Errors
    /// Returns the errors of [`walk`](Self::walk).
    #[doc(hidden)]
    #[inline(always)]
    fn read(&mut self, cursor: &mut Cursor<'a>) -> Result<Self::Output> {
        self.walk(cursor, "", &mut Silent)
    }
}

/// Makes parsers of nom of these: they read as they walk with a silent sink.
macro_rules! parsers {
    ($([$($generics:tt)*] $parser:ty => $output:ty;)*) => {$(
        impl<$($generics)*> nom::Parser<$crate::bytes::Cursor<'a>> for $parser {
            type Output = $output;
            type Error = $crate::base::error::Error;

            #[inline(always)]
            fn process<M: nom::OutputMode>(
                &mut self,
                mut input: $crate::bytes::Cursor<'a>,
            ) -> nom::PResult<M, $crate::bytes::Cursor<'a>, Self::Output, Self::Error> {
                let read = $crate::record::parser::Grammar::walk(self, &mut input, "", &mut $crate::outline::Silent);
                $crate::bytes::parser::outcome::<M, Self::Output>(input, read)
            }
        }
    )*};
}
pub(crate) use parsers;

parsers! {
    ['a, T: Read<'a, C>, C: Copy] Of<T, C> => T;
    ['a, P: Grammar<'a>] Cond<P> => Option<P::Output>;
    ['a, P: Grammar<'a>, F: FnMut(&P::Output) -> Result<()>] Verify<P, F> => P::Output;
    ['a, P: Grammar<'a>] Ruled<P> => P::Output;
    ['a, P: Grammar<'a, Output: Stored>] Framed<P> => P::Output;
    ['a, P: Grammar<'a>, F: Fn(&P::Output, &'static str, Span, &mut Outline<'_>)] Described<P, F> => P::Output;
    ['a, P: Parser<Cursor<'a>, Output = &'a T, Error = Error>, T: Fixed] Inline<P> => &'a T;
    ['a, T: Stored + Copy] Success<T> => T;
    ['a, T: Element] Array<T> => LeArray<'a, T>;
    ['a, L: Length<'a>, P: Grammar<'a>, F: FnMut(u64) -> P] Counted<L, F> => P::Output;
    ['a, S: Stored, P: Grammar<'a, Output: Stored>] StoredAs<S, P> => P::Output;
    ['a, T: Element] RestArray<T> => LeArray<'a, T>;
    ['a, T: Item<'a, C>, C: Copy] Count<T, C> => List<'a, T, C>;
    ['a, F: FnMut(Cursor<'a>) -> bool, T: Item<'a, C>, C: Copy] ManyWhile<F, T, C> => List<'a, T, C>;
    ['a, T: Item<'a, C>, C: Copy, F: Fn(&T) -> bool] ManyTill<T, C, F> => List<'a, T, C>;
    ['a, T: Read<'a, C>, C: Copy] RestCount<T, C> => Entries<'a, T, C>;
}

/// Walks a value that is a single field, with the function that reads it.
#[inline(always)]
pub(crate) fn field<'a, T: Stored>(
    cursor: &mut Cursor<'a>,
    name: &'static str,
    sink: &mut impl Sink,
    read: impl FnOnce(&mut Cursor<'a>) -> Result<T>,
) -> Result<T> {
    let start = cursor.offset();
    let value = read(cursor)?;
    let span = cursor.since(start);
    if let Some(mut out) = sink.outline() {
        value.describe_at(name, span, &mut out);
    }
    Ok(value)
}

impl<'a, F, O> Grammar<'a> for Reading<F>
where
    F: FnMut(&mut Cursor<'a>) -> Result<O>,
    O: Stored,
{
    const TYPE: Type = O::TYPE;
    const RULE: Rule = O::RULE;
    const CODES: &'static [(i64, &'static str)] = O::CODES;
    const SHOWS_ABSENCE: bool = O::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<O> {
        field(cursor, name, sink, |cursor| (self.0)(cursor))
    }
}

impl<'a, F, O> Grammar<'a> for F
where
    F: FnMut(Cursor<'a>) -> IResult<Cursor<'a>, O, Error>,
    O: Stored,
{
    const TYPE: Type = O::TYPE;
    const RULE: Rule = O::RULE;
    const CODES: &'static [(i64, &'static str)] = O::CODES;
    const SHOWS_ABSENCE: bool = O::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<O> {
        field(cursor, name, sink, |cursor| cursor.run(self))
    }
}

/// The parser that nom's `map` makes. The described value is the one after the map.
impl<'a, P, G, O> Grammar<'a> for nom::Map<P, G>
where
    P: Parser<Cursor<'a>, Error = Error>,
    G: FnMut(P::Output) -> O,
    O: Stored,
{
    const TYPE: Type = O::TYPE;
    const RULE: Rule = O::RULE;
    const CODES: &'static [(i64, &'static str)] = O::CODES;
    const SHOWS_ABSENCE: bool = O::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<O> {
        field(cursor, name, sink, |cursor| cursor.run(self))
    }
}

impl<'a, T: Read<'a, C>, C: Copy> Grammar<'a> for Of<T, C> {
    const TYPE: Type = T::TYPE;
    const RULE: Rule = T::RULE;
    const CODES: &'static [(i64, &'static str)] = T::CODES;
    const SHOWS_ABSENCE: bool = T::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<T> {
        T::walk(cursor, self.context, name, sink)
    }
}

/// Parsers of little-endian numbers, named as those of nom. They load a number at once, at any alignment.
macro_rules! numbers {
    ($($name:ident: $number:ident = |$cursor:ident| $read:expr;)*) => {$(
        #[allow(dead_code)]
        #[inline(always)]
        pub(crate) const fn $name() -> Of<$number> {
            of(())
        }

        impl<'a> Read<'a> for $number {
            #[inline(always)]
            fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
                field(cursor, name, sink, |$cursor| $read)
            }
        }
    )*};
}

numbers! {
    le_u8: u8 = |cursor| cursor.u8();
    le_u16: u16 = |cursor| cursor.u16();
    le_u32: u32 = |cursor| cursor.u32();
    le_u64: u64 = |cursor| cursor.u64();
    le_i8: i8 = |cursor| Ok(cursor.u8()?.cast_signed());
    le_i16: i16 = |cursor| cursor.i16();
    le_i32: i32 = |cursor| cursor.i32();
    le_i64: i64 = |cursor| Ok(cursor.u64()?.cast_signed());
    le_f32: f32 = |cursor| cursor.f32();
    le_bool: bool = |cursor| Ok(cursor.u8()? != 0);
}

/// Returns a parser of as many of these numbers as the type of the field has. The argument only gives the type of one.
#[inline(always)]
pub(crate) const fn times<T, const N: usize>(_: Of<T>) -> Of<[T; N]> {
    of(())
}

/// Returns a parser of a text up to the next NUL, and of the NUL.
#[inline(always)]
pub(crate) const fn text_to_nul<'a>() -> Of<ByteStr<'a>> {
    of(())
}

/// Returns a parser of a text up to the next NUL, and of the NUL. It is faster for texts that are often longer than 24
/// bytes, such as paths.
#[inline(always)]
pub(crate) fn long_text_to_nul<'a>() -> Reading<impl ReadFn<'a, ByteStr<'a>>> {
    reading(Cursor::long_cstr)
}

/// Returns a parser of a count and that many code points of UTF-32.
#[inline(always)]
pub(crate) const fn utf32_with_count<'a>() -> Of<Utf32Str<'a>> {
    of(())
}

/// Returns a parser of a value of fixed size that is copied, such as a color.
#[inline(always)]
pub(crate) fn by_value<'a, T: Wire>() -> Reading<impl ReadFn<'a, T> + Copy> {
    reading(|cursor: &mut Cursor<'a>| cursor.read().copied())
}

/// The stored form of a text whose length is elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TextOfLength {}

impl Stored for TextOfLength {
    const TYPE: Type = Type::Varying("text", 0);
}

/// Returns a parser of a text of this many bytes.
#[inline(always)]
pub(crate) fn text<'a>(bytes: impl Into<u64>) -> StoredAs<TextOfLength, Reading<impl ReadFn<'a, ByteStr<'a>>>> {
    let bytes = bytes.into();
    stored_as(reading(move |cursor: &mut Cursor<'a>| cursor.bytes(bytes).map(ByteStr::new)))
}

/// See [`array`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<T> {
    count: u64,
    element: PhantomData<T>,
}

/// Returns a parser of this many elements in place.
#[inline(always)]
pub(crate) fn array<T>(count: impl Into<u64>) -> Array<T> {
    Array { count: count.into(), element: PhantomData }
}

impl<'a, T: Element> Grammar<'a> for Array<T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 0);
    const SHOWS_ABSENCE: bool = false;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<LeArray<'a, T>> {
        let array = cursor.array(self.count)?;
        if let Some(mut out) = sink.outline() {
            out.array(name, &array);
        }
        Ok(array)
    }
}

/// A parser of a length or count.
pub(crate) trait Length<'a>: Grammar<'a, Output: Stored + Copy + Into<u64>> + Sized {
    /// Walks it as framing of the field `name`, because outlines show the number of items instead. Returns its value.
    #[doc(hidden)]
    #[inline(always)]
    fn count(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<u64> {
        walk_framing(self, cursor, name, sink).map(Into::into)
    }
}

impl<'a, P: Grammar<'a, Output: Stored + Copy + Into<u64>>> Length<'a> for P {}

/// See [`counted`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<L, F> {
    length: L,
    items: F,
}

/// Returns a parser of a count and of what the function makes of it. nom's `flat_map` cannot say that one is framing.
#[inline(always)]
pub(crate) fn counted<'a, L, P, F>(length: L, items: F) -> Counted<L, F>
where
    L: Length<'a>,
    P: Grammar<'a>,
    F: FnMut(u64) -> P,
{
    Counted { length, items }
}

impl<'a, L: Length<'a>, P: Grammar<'a>, F: FnMut(u64) -> P> Grammar<'a> for Counted<L, F> {
    const TYPE: Type = P::TYPE.after(L::TYPE.min());
    const SHOWS_ABSENCE: bool = P::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        let count = self.length.count(cursor, name, sink)?;
        (self.items)(count).walk(cursor, name, sink)
    }
}

/// Returns a parser of a count and that many elements in place.
#[inline(always)]
pub(crate) fn length_array<L, T>(length: L) -> Counted<L, impl Fn(u64) -> Array<T> + Copy> {
    Counted { length, items: |count: u64| array(count) }
}

/// See [`stored_as`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredAs<S, P> {
    parser: P,
    stored: PhantomData<S>,
}

/// Returns a parser of a value that is stored as this type, for example of an unsigned number that is stored signed.
#[inline(always)]
pub(crate) fn stored_as<S, P>(parser: P) -> StoredAs<S, P> {
    StoredAs { parser, stored: PhantomData }
}

impl<'a, S: Stored, P: Grammar<'a, Output: Stored>> Grammar<'a> for StoredAs<S, P> {
    const TYPE: Type = S::TYPE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        let start = cursor.offset();
        let value = self.parser.read(cursor)?;
        let span = cursor.since(start);
        if let Some(mut out) = sink.outline() {
            out.stored(name, StoredAt::new(S::TYPE, span), value.value());
        }
        Ok(value)
    }
}

/// Returns a parser of a count and that many elements in place, as an item of a list.
pub(crate) const fn counted_array<'a, T: Element>() -> Of<LeArray<'a, T>> {
    of(())
}

/// See [`rest_array`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestArray<T>(PhantomData<T>);

/// Returns a parser of an array that takes the rest of its part.
#[inline(always)]
pub(crate) const fn rest_array<T>() -> RestArray<T> {
    RestArray(PhantomData)
}

impl<'a, T: Element> Grammar<'a> for RestArray<T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 0);

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<LeArray<'a, T>> {
        let array = LeArray::new(cursor.rest(), cursor.offset())?;
        cursor.skip(cursor.left())?;
        if let Some(mut out) = sink.outline() {
            out.array(name, &array);
        }
        Ok(array)
    }
}

/// Returns a parser of records in columns that take the rest of their part.
#[inline(always)]
pub(crate) fn interleaved<'a, L: Layout>(layout: L) -> Reading<impl ReadFn<'a, Interleaved<'a, L>>> {
    reading(move |cursor: &mut Cursor<'a>| Interleaved::rest(cursor, layout))
}

/// Returns a parser that fails if bytes are left after the last field. nom's `all_consuming` does not say how many.
#[inline(always)]
pub(crate) fn all_consuming<'a, P: Grammar<'a>>(mut parser: P) -> Reading<impl ReadFn<'a, P::Output>> {
    reading(move |cursor: &mut Cursor<'a>| {
        let value = parser.walk(cursor, "", &mut Silent)?;
        if cursor.is_empty() { Ok(value) } else { Err(left_over(*cursor)) }
    })
}

/// See [`count`].
pub(crate) struct Count<T, C> {
    item: Of<T, C>,
    count: u32,
}

/// Returns a parser of this many items. They are found once and read again when they are asked for.
#[inline(always)]
pub(crate) fn count<T, C>(item: Of<T, C>, count: u32) -> Count<T, C> {
    Count { item, count }
}

impl<'a, T: Item<'a, C>, C: Copy> Grammar<'a> for Count<T, C> {
    const TYPE: Type = Type::List(&T::TYPE, 0);
    const SHOWS_ABSENCE: bool = T::IS_FIELD;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<List<'a, T, C>> {
        let list = if sink.counts_blocks() {
            List::walk_items(cursor, 0, self.count, self.item.context, sink)?
        } else {
            List::of(cursor, self.count, self.item.context)?
        };
        if let Some(mut out) = sink.outline() {
            T::describe_items(&list, name, &mut out);
        }
        Ok(list)
    }
}

/// Returns a parser of a count and that many items. They are found once and read again when they are asked for.
#[inline(always)]
pub(crate) fn length_count<L, T, C: Copy>(length: L, item: Of<T, C>) -> Counted<L, impl Fn(u64) -> Count<T, C>> {
    // A list counts its items in 32 bits.
    Counted { length, items: move |length: u64| count(item, u32::try_from(length).unwrap_or(u32::MAX)) }
}

/// See [`many_while`].
pub(crate) struct ManyWhile<F, T, C> {
    is_next: F,
    item: Of<T, C>,
}

/// Returns a parser of items as long as the function says that one is next.
#[inline(always)]
pub(crate) fn many_while<'a, F: FnMut(Cursor<'a>) -> bool, T, C>(is_next: F, item: Of<T, C>) -> ManyWhile<F, T, C> {
    ManyWhile { is_next, item }
}

impl<'a, F: FnMut(Cursor<'a>) -> bool, T: Item<'a, C>, C: Copy> Grammar<'a> for ManyWhile<F, T, C> {
    const TYPE: Type = Type::List(&T::TYPE, 0);
    const SHOWS_ABSENCE: bool = T::IS_FIELD;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<List<'a, T, C>> {
        // Counts the items first, then reads them as those of a list with a count.
        let mut ahead = *cursor;
        let mut number = 0_u32;
        while (self.is_next)(ahead) {
            T::read(&mut ahead, self.item.context).within_index(number as usize)?;
            number = number.saturating_add(1);
        }
        count(self.item, number).walk(cursor, name, sink)
    }
}

/// See [`many_till`].
pub(crate) struct ManyTill<T, C, F> {
    item: Of<T, C>,
    is_last: F,
}

/// Returns a parser of items up to and including the one that the function calls the last.
#[inline(always)]
pub(crate) fn many_till<T, C, F: Fn(&T) -> bool>(item: Of<T, C>, is_last: F) -> ManyTill<T, C, F> {
    ManyTill { item, is_last }
}

impl<'a, T: Item<'a, C>, C: Copy, F: Fn(&T) -> bool> Grammar<'a> for ManyTill<T, C, F> {
    const TYPE: Type = Type::List(&T::TYPE, 0);
    const SHOWS_ABSENCE: bool = T::IS_FIELD;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<List<'a, T, C>> {
        let list = List::up_to(cursor, self.item.context, &self.is_last)?;
        if let Some(mut out) = sink.outline() {
            T::describe_items(&list, name, &mut out);
        }
        Ok(list)
    }
}

/// See [`rest_count`].
pub(crate) struct RestCount<T, C> {
    name: &'static str,
    item: Of<T, C>,
    count: u64,
}

/// Returns a parser of this many items that take the rest of their part. None is read until it is asked for, so none
/// is described. Errors call the items `name`.
#[inline(always)]
pub(crate) fn rest_count<T, C>(name: &'static str, item: Of<T, C>, count: impl Into<u64>) -> RestCount<T, C> {
    RestCount { name, item, count: count.into() }
}

impl<'a, T: Read<'a, C>, C: Copy> Grammar<'a> for RestCount<T, C> {
    const TYPE: Type = Type::List(&T::TYPE, 0);

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, _: &'static str, _: &mut impl Sink) -> Result<Entries<'a, T, C>> {
        let items = cursor.split(cursor.left())?;
        Ok(Entries::all(self.name, items, self.count, self.item.context))
    }
}

/// See [`cond`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cond<P> {
    holds: bool,
    parser: P,
}

/// Returns a parser of a value that only some files have, as the condition says. nom's `cond` cannot name an absent one.
#[inline(always)]
pub(crate) fn cond<P>(holds: bool, parser: P) -> Cond<P> {
    Cond { holds, parser }
}

impl<'a, P: Grammar<'a>> Grammar<'a> for Cond<P> {
    const TYPE: Type = P::TYPE;
    const RULE: Rule = P::RULE;
    const CODES: &'static [(i64, &'static str)] = P::CODES;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<Option<P::Output>> {
        if !self.holds {
            describe_absence::<P>(name, sink);
            return Ok(None);
        }
        self.parser.walk(cursor, name, sink).map(Some)
    }
}

/// Shows that this file lacks the field `name`, if outlines show that for the parser's type.
#[inline(always)]
fn describe_absence<'a, P: Grammar<'a>>(name: &'static str, sink: &mut impl Sink) {
    if P::SHOWS_ABSENCE
        && let Some(mut out) = sink.outline()
    {
        out.field(name, Value::Absent);
    }
}

/// Returns the value of the field `name` that this file lacks, and describes that. The function, which is never called,
/// returns the parser that reads it.
#[inline(always)]
pub(crate) fn absent<'a, P, F>(_: &F, name: &'static str, sink: &mut impl Sink) -> Option<P::Output>
where
    P: Grammar<'a>,
    F: Fn() -> Result<P>,
{
    describe_absence::<P>(name, sink);
    None
}

/// See [`verify`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verify<P, F> {
    parser: P,
    check: F,
}

/// Returns a parser that fails if the check fails. nom's `verify` has no message of its own for that.
#[inline(always)]
pub(crate) fn verify<'a, P: Grammar<'a>, F: FnMut(&P::Output) -> Result<()>>(parser: P, check: F) -> Verify<P, F> {
    Verify { parser, check }
}

impl<'a, P: Grammar<'a>, F: FnMut(&P::Output) -> Result<()>> Grammar<'a> for Verify<P, F> {
    const TYPE: Type = P::TYPE;
    const RULE: Rule = P::RULE;
    const CODES: &'static [(i64, &'static str)] = P::CODES;
    const SHOWS_ABSENCE: bool = P::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        let offset = cursor.offset();
        let value = self.parser.walk(cursor, name, sink)?;
        match (self.check)(&value) {
            Ok(()) => Ok(value),
            Err(error) => Err(error.at(offset)),
        }
    }
}

/// See [`map_res`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapRes<P, F> {
    parser: P,
    map: F,
}

/// Returns a parser of what the function makes of the value. nom's `map_res` is not inlined.
#[inline(always)]
pub(crate) fn map_res<P, F>(parser: P, map: F) -> MapRes<P, F> {
    MapRes { parser, map }
}

impl<P, F> MapRes<P, F> {
    /// Reads the value and converts it. An error of the conversion is at the offset of the value.
    #[inline(always)]
    fn read_from<'a, O>(&mut self, cursor: &mut Cursor<'a>) -> Result<O>
    where
        P: Grammar<'a>,
        F: FnMut(P::Output) -> Result<O>,
    {
        let offset = cursor.offset();
        match (self.map)(self.parser.read(cursor)?) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at(offset)),
        }
    }
}

impl<'a, P: Grammar<'a>, F: FnMut(P::Output) -> Result<O>, O> Parser<Cursor<'a>> for MapRes<P, F> {
    type Output = O;
    type Error = Error;

    #[inline(always)]
    fn process<M: OutputMode>(&mut self, mut input: Cursor<'a>) -> PResult<M, Cursor<'a>, O, Error> {
        let result = self.read_from(&mut input);
        outcome::<M, O>(input, result)
    }
}

impl<'a, P: Grammar<'a>, F: FnMut(P::Output) -> Result<O>, O: Stored> Grammar<'a> for MapRes<P, F> {
    const TYPE: Type = O::TYPE;
    const RULE: Rule = O::RULE;
    const CODES: &'static [(i64, &'static str)] = O::CODES;
    const SHOWS_ABSENCE: bool = O::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<O> {
        field(cursor, name, sink, |cursor| self.read_from(cursor))
    }
}

/// A parser of a field with a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruled<P> {
    rule: Option<Rule>,
    parser: P,
}

/// Returns a parser that announces the rule of a field. Without one, it announces the parser's own.
#[inline(always)]
pub(crate) fn ruled<P>(rule: Option<Rule>, parser: P) -> Ruled<P> {
    Ruled { rule, parser }
}

impl<'a, P: Grammar<'a>> Grammar<'a> for Ruled<P> {
    const TYPE: Type = P::TYPE;
    const SHOWS_ABSENCE: bool = P::SHOWS_ABSENCE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        sink.rule(self.rule.unwrap_or(P::RULE));
        self.parser.walk(cursor, name, sink)
    }
}

/// See [`framing`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framed<P>(P);

/// Returns a parser of a signature, a count or a length. Outlines omit it, because they show its information in other
/// ways.
#[inline(always)]
pub(crate) fn framing<P>(parser: P) -> Framed<P> {
    Framed(parser)
}

impl<'a, P: Grammar<'a, Output: Stored>> Grammar<'a> for Framed<P> {
    const TYPE: Type = P::TYPE;
    const RULE: Rule = P::RULE;
    const CODES: &'static [(i64, &'static str)] = P::CODES;
    const SHOWS_ABSENCE: bool = false;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        walk_framing(&mut self.0, cursor, name, sink)
    }
}

/// Reads the value without a description, then shows it as framing to those who want that.
#[inline(always)]
fn walk_framing<'a, P: Grammar<'a, Output: Stored>>(
    parser: &mut P,
    cursor: &mut Cursor<'a>,
    name: &'static str,
    sink: &mut impl Sink,
) -> Result<P::Output> {
    let start = cursor.offset();
    let value = parser.walk(cursor, name, &mut Silent)?;
    let span = cursor.since(start);
    if let Some(mut out) = sink.outline()
        && let Some(value) = value.value()
    {
        out.stored(name, StoredAt::framing(P::TYPE, span), value);
    }
    Ok(value)
}

/// See [`described`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described<P, F> {
    parser: P,
    describe: F,
}

/// Returns a parser of a field that outlines show as this function describes it.
#[inline(always)]
pub(crate) fn described<'a, P, F>(parser: P, describe: F) -> Described<P, F>
where
    P: Grammar<'a>,
    F: Fn(&P::Output, &'static str, Span, &mut Outline<'_>),
{
    Described { parser, describe }
}

impl<'a, P: Grammar<'a>, F> Grammar<'a> for Described<P, F>
where
    F: Fn(&P::Output, &'static str, Span, &mut Outline<'_>),
{
    const TYPE: Type = P::TYPE;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        let start = cursor.offset();
        let value = self.parser.walk(cursor, name, &mut Silent)?;
        let span = cursor.since(start);
        if let Some(mut out) = sink.outline() {
            (self.describe)(&value, name, span, &mut out);
        }
        Ok(value)
    }
}

/// Returns a parser of a field that outlines show elsewhere.
#[inline(always)]
pub(crate) fn external<'a, P: Grammar<'a>>(
    parser: P,
) -> Described<P, impl Fn(&P::Output, &'static str, Span, &mut Outline<'_>)> {
    described(parser, |_: &P::Output, _, _, _: &mut Outline<'_>| {})
}

/// See [`inline`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inline<P>(P);

/// Returns a parser of a record in place whose fields are shown as fields of the surrounding record.
#[inline(always)]
pub(crate) fn inline<P>(parser: P) -> Inline<P> {
    Inline(parser)
}

impl<'a, P: Parser<Cursor<'a>, Output = &'a T, Error = Error>, T: Fixed> Grammar<'a> for Inline<P> {
    const TYPE: Type = Type::Record(T::SCHEMA);
    const SHOWS_ABSENCE: bool = false;

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, _: &'static str, sink: &mut impl Sink) -> Result<&'a T> {
        let offset = cursor.offset();
        let record = cursor.run(&mut self.0)?;
        if let Some(mut out) = sink.outline() {
            record.describe_fields(offset, &mut out);
        }
        Ok(record)
    }
}

/// See [`success`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Success<T>(T);

/// Returns a parser of a value that takes no bytes, such as a count in a header.
#[inline(always)]
pub(crate) fn success<T>(value: T) -> Success<T> {
    Success(value)
}

impl<'a, T: Stored + Copy> Grammar<'a> for Success<T> {
    const TYPE: Type = Type::Derived(&T::TYPE);

    #[inline(always)]
    fn walk(&mut self, _: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<T> {
        if let Some(mut out) = sink.outline() {
            out.field(name, self.0.value());
        }
        Ok(self.0)
    }
}
