//! Stored forms that are read as another type.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{Fixed, Read, Stored, form, walk_field};
use crate::base::error::Result;
use crate::base::span::Span;
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::Cursor;
use crate::outline::{Outline, Rule, Sink, Type, Value};

/// Reads a count. It is framing: outlines show the length of the counted list instead.
#[inline(always)]
pub(crate) fn walk_count(cursor: &mut Cursor<'_>, name: &'static str, sink: &mut impl Sink) -> Result<u32> {
    Framing::<u32>::walk(cursor, (), name, sink).map(|count| count.0)
}

/// Describes a count at `offset` that was read before.
pub(crate) fn describe_count(name: &'static str, count: u64, offset: u64, out: &mut Outline<'_>) {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Framing(count).describe_at(name, Span { offset, bytes: 4 }, out);
}

/// A framing field, such as a signature, a count or a length. Outlines omit it, because they show its information in
/// other ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Framing<T>(pub T);

impl<T> std::ops::Deref for Framing<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

form!([T] Framing<T> => T);

impl<T: Stored> Stored for Framing<T> {
    const TYPE: Type = T::TYPE;
    const RULE: Rule = T::RULE;
    const CODES: &'static [(i64, &'static str)] = T::CODES;
    const FRAMING: bool = true;
    const SHOWS_ABSENCE: bool = false;

    fn value(&self) -> Option<Value<'_>> {
        self.0.value()
    }
}

impl<'a, T: Read<'a, C>, C> Read<'a, C> for Framing<T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, context: C, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| T::read(cursor, context).map(Self))
    }
}

/// The form of a record in place whose fields are shown as fields of the surrounding record.
#[derive(Debug)]
pub struct Inline<'a, T>(&'a T);

impl<T: Fixed> Stored for Inline<'_, T> {
    const TYPE: Type = Type::Record(T::SCHEMA);
    const SHOWS_ABSENCE: bool = false;
}

impl<'a, T: Fixed> Read<'a> for Inline<'a, T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), _: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let offset = cursor.offset();
        let record = cursor.read::<T>()?;
        sink.describe(|out| record.describe_fields(offset, out));
        Ok(Self(record))
    }
}

form!(['a, T] Inline<'a, T> => &'a T);

/// The form of a value whose length is stored elsewhere.
#[derive(Debug)]
pub(crate) struct Given<T>(pub(crate) T);

impl<T: Stored> Stored for Given<T> {
    const TYPE: Type = T::GIVEN;

    fn value(&self) -> Option<Value<'_>> {
        self.0.value()
    }
}

/// As many bytes as the context says.
impl<'a, T: Read<'a, u64>> Read<'a, u64> for Given<T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, bytes: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        T::walk(cursor, bytes, name, sink).map(Self)
    }
}

form!([T] Given<T> => T);

/// The form of a field whose value is stored elsewhere, such as a count in a header. Takes no bytes.
#[derive(Debug)]
pub struct Known<T>(T);

impl<T: Stored> Stored for Known<T> {
    const TYPE: Type = Type::Derived(&T::TYPE);
}

impl<'a, T: Stored> Read<'a, T> for Known<T> {
    #[inline(always)]
    fn walk(_: &mut Cursor<'a>, known: T, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        sink.describe(|out| out.field(name, known.value()));
        Ok(Self(known))
    }
}

form!([T] Known<T> => T);

/// The form of a field that outlines show elsewhere.
#[derive(Debug)]
pub struct External<T>(T);

impl<T: Stored> Stored for External<T> {
    const TYPE: Type = T::TYPE;
    const GIVEN: Type = T::GIVEN;
}

impl<'a, T: Read<'a, C>, C> Read<'a, C> for External<T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, context: C, _: &'static str, _: &mut impl Sink) -> Result<Self> {
        T::read(cursor, context).map(Self)
    }
}

form!([T] External<T> => T);

/// The form of an array that takes the rest of its part.
#[derive(Debug)]
pub struct Rest<'a, T>(LeArray<'a, T>);

impl<T: Element> Stored for Rest<'_, T> {
    const TYPE: Type = LeArray::<T>::GIVEN;

    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, &self.0);
    }
}

impl<'a, T: Element> Read<'a> for Rest<'a, T> {
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| {
            let array = LeArray::new(cursor.rest(), cursor.offset())?;
            cursor.skip(cursor.left())?;
            Ok(Self(array))
        })
    }
}

form!(['a, T] Rest<'a, T> => LeArray<'a, T>);
