//! Forms in which a file has a value that is handed out as another.

use super::{Fixed, Read, Stored, form};
use crate::base::error::Result;
use crate::base::span::Span;
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::Cursor;
use crate::outline::{Outline, Type, Value};

/// Reads a count that is told as one: outlines show the length of what it counts.
pub(crate) fn tell_count(cursor: &mut Cursor<'_>, name: &'static str, out: &mut Outline<'_>) -> Result<u32> {
    Framing::<u32>::tell(cursor, (), name, out).map(|count| count.0)
}

/// A field that holds the file together, such as a signature, a count or a length: outlines leave it out, for they tell
/// it otherwise.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::KnownLayout,
    zerocopy::Immutable,
    zerocopy::Unaligned,
)]
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
    const FRAMING: bool = true;

    fn value(&self) -> Option<Value<'_>> {
        self.0.value()
    }

    fn tell_absent(_: &'static str, _: &mut Outline<'_>) {}
}

impl<'a, T: Read<'a, C>, C> Read<'a, C> for Framing<T> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self> {
        T::read(cursor, context).map(Self)
    }
}

/// The form of a record in place whose fields belong to the record around it.
#[derive(Debug)]
pub struct Flat<'a, T>(&'a T);

impl<T: Fixed> Stored for Flat<'_, T> {
    const TYPE: Type = Type::Record(T::SCHEMA);

    fn tell_absent(_: &'static str, _: &mut Outline<'_>) {}
}

impl<'a, T: Fixed> Read<'a> for Flat<'a, T> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.read().map(Self)
    }

    fn tell(cursor: &mut Cursor<'a>, (): (), _: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let offset = cursor.offset();
        let record = cursor.read::<T>()?;
        record.tell_fields(offset, out);
        Ok(Self(record))
    }
}

form!(['a, T] Flat<'a, T> => &'a T);

/// The form of a field that was read elsewhere, such as a count in a header: takes no bytes.
#[derive(Debug)]
pub struct Known<T>(T);

impl<T: Stored> Stored for Known<T> {
    const TYPE: Type = Type::Times(&T::TYPE, 0);
}

impl<'a, T: Stored> Read<'a, T> for Known<T> {
    #[inline]
    fn read(_: &mut Cursor<'a>, known: T) -> Result<Self> {
        Ok(Self(known))
    }

    fn tell(_: &mut Cursor<'a>, known: T, name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        out.field(name, known.value());
        Ok(Self(known))
    }
}

form!([T] Known<T> => T);

/// The form of a field that outlines tell elsewhere.
#[derive(Debug)]
pub struct Apart<T>(T);

impl<T: Stored> Stored for Apart<T> {
    const TYPE: Type = T::TYPE;
    const GIVEN: Type = T::GIVEN;
}

impl<'a, T: Read<'a, C>, C> Read<'a, C> for Apart<T> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self> {
        T::read(cursor, context).map(Self)
    }
}

form!([T] Apart<T> => T);

/// The form of an array that takes all that is left of its part.
#[derive(Debug)]
pub struct Rest<'a, T>(LeArray<'a, T>);

impl<T: Element> Stored for Rest<'_, T> {
    const TYPE: Type = LeArray::<T>::GIVEN;

    fn tell_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, &self.0);
    }
}

impl<'a, T: Element> Read<'a> for Rest<'a, T> {
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let array = LeArray::new(cursor.rest(), cursor.offset())?;
        cursor.skip(cursor.left())?;
        Ok(Self(array))
    }
}

form!(['a, T] Rest<'a, T> => LeArray<'a, T>);
