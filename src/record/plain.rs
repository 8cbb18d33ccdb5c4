//! Values that are one field each: numbers, texts and arrays.

use zerocopy::little_endian::{F32, I16, I32, U16, U32, U64};

use super::{Form, Given, Read, Stored, walk_count, walk_field};
use crate::base::error::Result;
use crate::base::span::Span;
use crate::base::text::{ByteStr, Utf32Str};
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::Cursor;
use crate::bytes::math::{Color, Quat, Rotation, Vec2, Vec3};
use crate::outline::{Outline, Sink, Type, Value};

/// Implements values that are a single field: their type name, size, outline value, and reader if they need no context.
macro_rules! plain {
    ($($kind:ty: $type:expr => |$value:ident| $shown:expr $(, |$cursor:ident| $read:expr)?;)*) => {$(
        impl $crate::record::Stored for $kind {
            const TYPE: $crate::outline::Type = {
                #[allow(unused_imports)]
                use crate::outline::Type::{Number, Times, Varying};
                $type
            };

            fn value(&self) -> Option<$crate::outline::Value<'_>> {
                let $value = self;
                Some($crate::outline::Value::from($shown))
            }
        }

        $(impl<'a> $crate::record::Read<'a> for $kind {
            #[inline(always)]
            fn walk(
                cursor: &mut $crate::bytes::Cursor<'a>,
                (): (),
                name: &'static str,
                sink: &mut impl $crate::outline::Sink,
            ) -> $crate::base::error::Result<Self> {
                $crate::record::walk_field(cursor, name, sink, |$cursor| $read)
            }
        })?
    )*};
}
pub(crate) use plain;

plain! {
    u8: Number("u8", 1) => |value| *value, |cursor| cursor.u8();
    u16: Number("u16", 2) => |value| *value, |cursor| cursor.u16();
    u32: Number("u32", 4) => |value| *value, |cursor| cursor.u32();
    u64: Number("u64", 8) => |value| *value, |cursor| cursor.u64();
    i8: Number("i8", 1) => |value| *value, |cursor| Ok(cursor.u8()?.cast_signed());
    i16: Number("i16", 2) => |value| *value, |cursor| cursor.i16();
    i32: Number("i32", 4) => |value| *value, |cursor| cursor.i32();
    i64: Number("i64", 8) => |value| *value, |cursor| Ok(cursor.u64()?.cast_signed());
    f32: Number("f32", 4) => |value| *value, |cursor| cursor.f32();
    bool: Number("bool", 1) => |value| *value, |cursor| Ok(cursor.u8()? != 0);
    U16: Number("u16", 2) => |value| value.get();
    U32: Number("u32", 4) => |value| value.get();
    U64: Number("u64", 8) => |value| value.get();
    I16: Number("i16", 2) => |value| value.get();
    I32: Number("i32", 4) => |value| value.get();
    F32: Number("f32", 4) => |value| value.get();
    Vec2: Number("f32[2]", 8) => |value| value.to_array();
    Vec3: Number("f32[3]", 12) => |value| value.to_array();
    Quat: Number("f32[4]", 16) => |value| value.to_array();
    Rotation: Number("f32[4]", 16) => |value| value.to_array();
    Color: Number("f32[4]", 16) => |value| value.to_array(), |cursor| cursor.read().copied();
}

/// Implements fixed-size arrays of such values.
macro_rules! plain_arrays {
    ($($one:ty: |$values:ident| $shown:expr $(, |$cursor:ident| $read:expr)?;)*) => {$(
        impl<const N: usize> Stored for [$one; N] {
            const TYPE: Type = Type::Times(&<$one>::TYPE, N as u64);

            fn value(&self) -> Option<Value<'_>> {
                let $values = self;
                Some(Value::from($shown))
            }
        }

        $(impl<'a, const N: usize> Read<'a> for [$one; N] {
            #[inline(always)]
            fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
                walk_field(cursor, name, sink, |$cursor| $read)
            }
        })?
    )*};
}

plain_arrays! {
    u8: |bytes| ByteStr::new(bytes), |cursor| cursor.read().copied();
    f32: |values| Value::Floats(values.as_slice().into()), |cursor| Ok(cursor.read::<[F32; N]>()?.map(F32::get));
    F32: |values| values.map(F32::get);
    Vec3: |values| values.iter().flat_map(Vec3::to_array).collect::<Vec<_>>();
    [f32; 3]: |values| Value::Floats(values.as_flattened().into()),
        |cursor| Ok(cursor.read::<[Vec3; N]>()?.map(|vector| vector.to_array()));
    I32: |values| ints(values.map(I32::get));
    I16: |values| ints(values.map(I16::get));
    U16: |values| ints(values.map(U16::get));
    U32: |values| ints(values.map(U32::get)), |cursor| cursor.read().copied();
}

fn ints<const N: usize>(values: [impl Into<i64>; N]) -> Vec<i64> {
    values.map(Into::into).into()
}

impl Stored for ByteStr<'_> {
    const TYPE: Type = Type::Varying("text up to NUL", 1);
    const GIVEN: Type = Type::Varying("text", 0);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// Reads up to the NUL.
impl<'a> Read<'a> for ByteStr<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, Cursor::cstr)
    }
}

/// Reads as many bytes as the context says.
impl<'a> Read<'a, u64> for ByteStr<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, bytes: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let read = |cursor: &mut Cursor<'a>| cursor.bytes(bytes).map(|bytes| Given(Self::new(bytes)));
        walk_field(cursor, name, sink, read).map(Form::into_value)
    }
}

impl Stored for Utf32Str<'_> {
    const TYPE: Type = Type::Varying("UTF-32 text with count", 4);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// Reads a count and that many code points.
impl<'a> Read<'a> for Utf32Str<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, Cursor::utf32)
    }
}

impl<T: Element> Stored for LeArray<'_, T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 4);
    const GIVEN: Type = Type::Array(T::COLUMNS, 0);
    const SHOWS_ABSENCE: bool = false;

    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, self);
    }
}

/// Reads a count and that many elements.
impl<'a, T: Element> Read<'a> for LeArray<'a, T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let count = walk_count(cursor, name, sink)?;
        Self::walk(cursor, u64::from(count), name, sink)
    }
}

/// Reads as many elements as the context says.
impl<'a, T: Element> Read<'a, u64> for LeArray<'a, T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, count: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| cursor.array(count))
    }
}
