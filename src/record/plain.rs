//! Values that are one field each: numbers, texts and arrays.

use zerocopy::little_endian::{F32, I16, I32, U16, U32, U64};

use super::parser::{Grammar as _, Length as _, array, field, le_u32};
use super::{Read, Stored};
use crate::base::error::Result;
use crate::base::span::Span;
use crate::base::text::{ByteStr, Utf32Str};
use crate::bytes::array::{Element, LeArray};
use crate::bytes::cursor::Cursor;
use crate::bytes::math::{Color, Quat, Rotation, Vec2, Vec3};
use crate::outline::{Outline, Sink, Type, Value};

/// Implements values that are a single field: their type name, size, and outline value.
macro_rules! plain {
    ($($(#[$($generics:tt)*])? $kind:ty: $type:expr => |$value:ident| $shown:expr;)*) => {$(
        impl $(<$($generics)*>)? $crate::record::Stored for $kind {
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
    )*};
}
pub(crate) use plain;

/// Implements numbers: their type name, and how to get the value that is shown.
macro_rules! numbers {
    ($($kind:ty: $name:literal $($get:ident)?;)*) => {
        plain! {$(
            $kind: Number($name, size_of::<$kind>() as u64) => |value| (*value) $(.$get())?;
        )*}
    };
}

numbers! {
    u8: "u8";
    u16: "u16";
    u32: "u32";
    u64: "u64";
    i8: "i8";
    i16: "i16";
    i32: "i32";
    i64: "i64";
    f32: "f32";
    bool: "bool";
    U16: "u16" get;
    U32: "u32" get;
    U64: "u64" get;
    I16: "i16" get;
    I32: "i32" get;
    F32: "f32" get;
    Vec2: "f32[2]" to_array;
    Vec3: "f32[3]" to_array;
    Quat: "f32[4]" to_array;
    Rotation: "f32[4]" to_array;
    Color: "f32[4]" to_array;
}

plain! {
    #[const N: usize] [u8; N]: Times(&u8::TYPE, N as u64) => |bytes| ByteStr::new(bytes);
    #[const N: usize] [f32; N]: Times(&f32::TYPE, N as u64) => |values| Value::Floats(values.as_slice().into());
    #[const N: usize] [F32; N]: Times(&F32::TYPE, N as u64) => |values| values.map(F32::get);
    #[const N: usize] [Vec3; N]: Times(&Vec3::TYPE, N as u64)
        => |values| values.iter().flat_map(Vec3::to_array).collect::<Vec<_>>();
    #[const N: usize] [[f32; 3]; N]: Times(&<[f32; 3]>::TYPE, N as u64)
        => |values| Value::Floats(values.as_flattened().into());
    #[const N: usize] [I32; N]: Times(&I32::TYPE, N as u64) => |values| ints(values.map(I32::get));
    #[const N: usize] [I16; N]: Times(&I16::TYPE, N as u64) => |values| ints(values.map(I16::get));
    #[const N: usize] [U16; N]: Times(&U16::TYPE, N as u64) => |values| ints(values.map(U16::get));
    #[const N: usize] [U32; N]: Times(&U32::TYPE, N as u64) => |values| ints(values.map(U32::get));
}

/// Converts integers to those that outlines show.
fn ints<const N: usize>(values: [impl Into<i64>; N]) -> Vec<i64> {
    values.map(Into::into).into()
}

/// Reads all numbers at once.
impl<'a, const N: usize> Read<'a> for [f32; N] {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        field(cursor, name, sink, |cursor| Ok(cursor.read::<[F32; N]>()?.map(F32::get)))
    }
}

/// Reads all numbers at once.
impl<'a, const N: usize> Read<'a> for [[f32; 3]; N] {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        field(cursor, name, sink, |cursor| Ok(cursor.read::<[Vec3; N]>()?.map(|vector| vector.to_array())))
    }
}

impl Stored for ByteStr<'_> {
    const TYPE: Type = Type::Varying("text up to NUL", 1);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// Reads up to the NUL.
impl<'a> Read<'a> for ByteStr<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        field(cursor, name, sink, Cursor::cstr)
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
        field(cursor, name, sink, Cursor::utf32)
    }
}

impl<T: Element> Stored for LeArray<'_, T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 4);
    const SHOWS_ABSENCE: bool = false;

    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, self);
    }
}

/// Reads a count and that many elements.
impl<'a, T: Element> Read<'a> for LeArray<'a, T> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let count = le_u32().count(cursor, name, sink)?;
        array(count).walk(cursor, name, sink)
    }
}
