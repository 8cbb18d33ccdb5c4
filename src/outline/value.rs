//! The values of fields.

use std::borrow::Cow;
use std::fmt;

use crate::base::span::Span;
use crate::base::text::{AnsiStr, ByteStr, Text, Utf32Str};
#[cfg(any(feature = "rtm", feature = "scan"))]
use crate::bytes::Scalar;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// The format has the field, but this file does not.
    Absent,
    /// A boolean.
    Bool(bool),
    /// An unsigned number.
    Uint(u64),
    /// A signed number.
    Int(i64),
    /// A floating-point number.
    Float(f32),
    /// A vector, quaternion, color or matrix.
    Floats(Cow<'a, [f32]>),
    /// Several integers.
    Ints(Cow<'a, [i64]>),
    /// A text.
    Text(Text<'a>),
    /// Several texts.
    Texts(Vec<Text<'a>>),
    /// A number, and its meaning if the format defines one for it.
    Coded(i64, Option<Cow<'static, str>>),
    /// Bytes of a structure that the format does not specify, given by their location.
    Opaque(Span),
}

/// Displays the value on one line: numbers separated by spaces, texts quoted with control characters escaped.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("absent"),
            Self::Bool(value) => value.fmt(f),
            Self::Uint(value) => value.fmt(f),
            Self::Int(value) | Self::Coded(value, None) => value.fmt(f),
            Self::Coded(value, Some(meaning)) => write!(f, "{value} {meaning}"),
            Self::Float(value) => value.fmt(f),
            Self::Floats(values) => each(values.iter(), f),
            Self::Ints(values) => each(values.iter(), f),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Texts(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| format!("\"{text}\"")).collect();
                f.write_str(&texts.join(", "))
            }
            Self::Opaque(span) => write!(f, "{} bytes at {:#x}", span.bytes, span.offset),
        }
    }
}

/// Writes the values, separated by spaces.
fn each(values: impl Iterator<Item = impl fmt::Display>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, value) in values.enumerate() {
        write!(f, "{}{value}", if index > 0 { " " } else { "" })?;
    }
    Ok(())
}

impl Value<'static> {
    /// Creates the number of this type that is stored in these bytes, in little-endian order.
    #[cfg(any(feature = "rtm", feature = "scan"))]
    pub fn number(scalar: Scalar, bytes: &[u8]) -> Self {
        let mut wide = [0; 8];
        for (wide, byte) in std::iter::zip(&mut wide, bytes) {
            *wide = *byte;
        }
        let [a, b, c, d, ..] = wide;
        match scalar {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Self::Uint(u64::from_le_bytes(wide)),
            Scalar::I8 => Self::Int(i8::from_le_bytes([a]).into()),
            Scalar::I16 => Self::Int(i16::from_le_bytes([a, b]).into()),
            Scalar::I32 => Self::Int(i32::from_le_bytes([a, b, c, d]).into()),
            Scalar::F16 => Self::Float(half::f16::from_le_bytes([a, b]).to_f32()),
            Scalar::F32 => Self::Float(f32::from_le_bytes([a, b, c, d])),
        }
    }
}

/// Implements the conversion of each of these types to a variant of [`Value`].
macro_rules! value_from {
    ($($variant:ident: $($source:ty),*;)*) => {$($(
        impl<'a> From<$source> for Value<'a> {
            fn from(value: $source) -> Self {
                Self::$variant(value.into())
            }
        }
    )*)*};
}

value_from! {
    Bool: bool;
    Uint: u8, u16, u32, u64;
    Int: i8, i16, i32, i64;
    Float: f32;
    Text: ByteStr<'a>, Utf32Str<'a>, AnsiStr<'a>, &'a str;
    Floats: Vec<f32>;
    Ints: Vec<i64>;
}

impl From<usize> for Value<'_> {
    fn from(value: usize) -> Self {
        Self::Uint(value as u64)
    }
}

impl<const N: usize> From<[f32; N]> for Value<'_> {
    fn from(values: [f32; N]) -> Self {
        Self::Floats(values.to_vec().into())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        match value {
            Some(value) => value.into(),
            None => Self::Absent,
        }
    }
}
