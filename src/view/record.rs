//! Records described once.
//!
//! A description lists a record's fields in the order of the file. From it follow the struct, its reader, the places
//! that its errors name, the fewest bytes it can take, what outlines tell of it, and its [`Schema`]:
//!
//! ```text
//! record! {
//!     /// One texture of a material.
//!     Stage<'a>(form: StageForm) named texture {
//!         /// How the texture is sampled.
//!         filter: Filter = "TextureFilter",
//!         /// The texture file.
//!         texture: ByteStr<'a> = "PaaTexture",
//!         /// The textures of all ways to look at it.
//!         others: List<'a, Other<'a>, Form> = "Others" [form.other()],
//!         /// Which of the material's transforms.
//!         transform: u32 = "TransformIndex" where form.has_transforms,
//!     }
//! }
//! ```
//!
//! Behind the type stand, each where there is one: `as` and the form in which the file has it, where that is another;
//! the document's own name; in brackets what else it takes to read the field; the condition on which it is there, and
//! the field then is an `Option`; behind `=>` the rule that its value is held to. The last three may name what the
//! record is read with and the fields before. `named` says by which field a record goes among its like, `also` what outlines tell of
//! it that is not stored. There is nothing else: what needs a loop or a choice is a type of its own that implements
//! [`Read`].
//!
//! A record that borrows nothing is described without a lifetime.
//!
//! `wire!` describes records that are read in place, all of whose fields have a fixed size.
//!
//! This is a macro by example and not a derive: it needs no crate of its own, and the description has room for what an
//! attribute would have to put into a string. Telling reads the record once more, field by field, so that no record
//! keeps where its fields lie.

use std::fmt;

use zerocopy::little_endian::{F32, I16, I32, U16, U32, U64};

use super::array::{Column, Element, LeArray};
use super::cursor::{Cursor, Wire};
use super::math::{Color, Quat, Vec2, Vec3};
use super::text::{ByteStr, Utf32Str};
use crate::error::{Context as _, Result};
use crate::inspect::{Outline, Part, Span, StoredField, Text, Value};

/// What a stored value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// A number, or a code or flag in one, and its bytes.
    Number(&'static str, u64),
    /// Something of varying length, such as a text, and the fewest bytes it takes.
    Varying(&'static str, u64),
    /// So many of one type.
    Times(&'static Type, u64),
    /// A record.
    Record(&'static Schema),
    /// Rows of these columns behind a count of so many bytes; 0 where the count stands elsewhere.
    Array(&'static [Column], u64),
    /// Items of this type behind a count of so many bytes; 0 where the count stands elsewhere.
    List(&'static Type, u64),
}

impl Type {
    /// The fewest bytes that it can take.
    pub const fn min(&self) -> u64 {
        match self {
            Self::Number(_, bytes) | Self::Varying(_, bytes) | Self::Array(_, bytes) | Self::List(_, bytes) => *bytes,
            Self::Times(one, count) => one.min().saturating_mul(*count),
            Self::Record(schema) => schema.min(),
        }
    }

    /// Its bytes, where these are always as many.
    pub const fn byte_len(&self) -> Option<u64> {
        match self {
            Self::Number(_, bytes) => Some(*bytes),
            Self::Times(one, count) => match one.byte_len() {
                Some(bytes) => Some(bytes.saturating_mul(*count)),
                None => None,
            },
            Self::Record(schema) => schema.byte_len(),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(name, _) | Self::Varying(name, _) => f.write_str(name),
            Self::Times(one, count) => write!(f, "{one}[{count}]"),
            Self::Record(schema) => f.write_str(schema.name),
            Self::Array([only], _) => write!(f, "{}[]", only.scalar.name()),
            Self::Array(columns, _) => {
                f.write_str("{")?;
                for (index, column) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{} {}", column.name, column.scalar.name())?;
                }
                f.write_str("}[]")
            }
            Self::List(one, _) => write!(f, "{one}[]"),
        }
    }
}

/// The description of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Schema {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
    /// Its fields in the order of the file.
    pub fields: &'static [FieldInfo],
}

impl Schema {
    /// The fewest bytes that it can take: those of the fields that are always there.
    pub const fn min(&self) -> u64 {
        let (mut sum, mut fields) = (0_u64, self.fields);
        while let [field, rest @ ..] = fields {
            if field.gate.is_none() {
                sum = sum.saturating_add(field.kind.min());
            }
            fields = rest;
        }
        sum
    }

    /// Its bytes, where these are always as many.
    pub const fn byte_len(&self) -> Option<u64> {
        let (mut sum, mut fields) = (0_u64, self.fields);
        while let [field, rest @ ..] = fields {
            match (field.gate, field.kind.byte_len()) {
                (None, Some(bytes)) => sum = sum.saturating_add(bytes),
                _ => return None,
            }
            fields = rest;
        }
        Some(sum)
    }
}

/// The description of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldInfo {
    /// Its name in outlines, errors and in the struct.
    pub name: &'static str,
    /// Its name in the format's document, where that has one.
    pub spec: Option<&'static str>,
    /// What it is made of.
    pub kind: Type,
    /// The condition on which it is there, in the words of the source.
    pub gate: Option<&'static str>,
    /// What it means.
    pub doc: &'static str,
}

/// A value with a place in a file.
pub trait Stored {
    /// What it is made of, where it is read with nothing but itself.
    const TYPE: Type;

    /// What it is made of, where it is read with knowledge from elsewhere, such as its count.
    const GIVEN: Type = Self::TYPE;

    /// Whether it only holds the file together: signatures, counts and lengths, which outlines tell otherwise.
    const FRAMING: bool = false;

    /// What outlines show of it, where it is one field by itself.
    fn value(&self) -> Option<Value<'_>> {
        None
    }

    /// The value, where it is a code without a meaning.
    fn unknown_code(&self) -> Option<i64> {
        None
    }

    /// The first of its numbers that is infinite or none.
    fn not_finite(&self) -> Option<f32> {
        match self.value()? {
            Value::Float(number) => Some(number).filter(|number| !number.is_finite()),
            Value::Floats(numbers) => numbers.iter().copied().find(|number| !number.is_finite()),
            _ => None,
        }
    }

    /// Tells it as the field of this name in this place. What is no field by itself tells nothing where it does not say
    /// otherwise.
    fn tell_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        if let Some(value) = self.value() {
            out.stored(&StoredField { name, kind: Self::TYPE, span, framing: Self::FRAMING }, value);
        }
    }

    /// Tells that this file has no such field.
    fn tell_absent(name: &'static str, out: &mut Outline<'_>) {
        out.field(name, Value::Absent);
    }
}

/// A value that can be read where it lies, with the knowledge `C`.
pub trait Read<'a, C = ()>: Stored + Sized {
    /// Reads the value at the cursor, which moves behind it.
    ///
    /// # Errors
    /// Where it does not fit what is left, or breaks a rule of the format.
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self>;

    /// The same, telling it on the way as the field of this name.
    ///
    /// # Errors
    /// As [`read`](Self::read). What lies before the trouble may have been told.
    fn tell(cursor: &mut Cursor<'a>, context: C, name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let offset = cursor.offset();
        let value = Self::read(cursor, context)?;
        value.tell_at(name, Span { offset, bytes: cursor.offset().saturating_sub(offset) }, out);
        Ok(value)
    }
}

/// A record, described by a [`Schema`].
pub trait Record<'a, C = ()>: Read<'a, C> {
    /// Its description.
    const SCHEMA: &'static Schema;

    /// Its own name, by which it is found among its like.
    fn label(&self) -> Option<Text<'a>>;

    /// Reads the record at the cursor and tells its fields as those of the part opened last.
    ///
    /// # Errors
    /// As [`Read::read`]. The fields before the trouble have been told.
    fn tell_fields(cursor: &mut Cursor<'a>, context: C, out: &mut Outline<'_>) -> Result<Self>;
}

/// Reads the record at the cursor and tells it as this part, with its name and place.
///
/// # Errors
/// As [`Read::read`].
pub(crate) fn tell_part<'a, T: Record<'a, C>, C: Copy>(
    cursor: &mut Cursor<'a>,
    context: C,
    part: Part<'_>,
    out: &mut Outline<'_>,
) -> Result<T> {
    let mut end = *cursor;
    let record = T::read(&mut end, context)?;
    let part = Part { label: record.label(), ..part };
    out.part(part.spanning(cursor.offset(), end.offset().saturating_sub(cursor.offset())), |out| {
        // It was read right before.
        let again = T::tell_fields(&mut cursor.clone(), context, out);
        out.ok(again);
    });
    *cursor = end;
    Ok(record)
}

/// The form in which a file has a value.
pub trait Form<T> {
    /// The value itself.
    fn into_value(self) -> T;
}

impl<T> Form<T> for T {
    #[inline]
    fn into_value(self) -> T {
        self
    }
}

/// Holds a field to a rule of its format.
#[inline]
pub(crate) fn check<T>(rule: impl FnOnce(&T) -> Result<()>, value: &T, offset: u64, name: &'static str) -> Result<()> {
    rule(value).map_err(|error| error.at(offset).within(name))
}

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

impl<T> Form<T> for Framing<T> {
    #[inline]
    fn into_value(self) -> T {
        self.0
    }
}

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

/// Values that are one field each: what they are called and take, what outlines show, and how they are read where that
/// takes nothing else.
macro_rules! plain {
    ($($kind:ty: $type:expr => |$value:ident| $shown:expr $(, |$cursor:ident| $read:expr)?;)*) => {$(
        impl $crate::view::record::Stored for $kind {
            const TYPE: $crate::view::record::Type = {
                #[allow(unused_imports)]
                use $crate::view::record::Type::{Number, Times, Varying};
                $type
            };

            fn value(&self) -> Option<$crate::inspect::Value<'_>> {
                let $value = self;
                Some($crate::inspect::Value::from($shown))
            }
        }

        $(impl<'a> $crate::view::record::Read<'a> for $kind {
            #[inline]
            fn read($cursor: &mut $crate::view::Cursor<'a>, (): ()) -> $crate::error::Result<Self> {
                $read
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
    Color: Number("f32[4]", 16) => |value| value.to_array(), |cursor| cursor.read().copied();
}

/// The same of arrays of a fixed length.
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
            #[inline]
            fn read($cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
                $read
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

/// Up to its NUL.
impl<'a> Read<'a> for ByteStr<'a> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.cstr()
    }
}

/// So many bytes.
impl<'a> Read<'a, u64> for ByteStr<'a> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, bytes: u64) -> Result<Self> {
        cursor.take(bytes).map(ByteStr::new)
    }
}

impl Stored for Utf32Str<'_> {
    const TYPE: Type = Type::Varying("UTF-32 text with count", 4);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// A count and so many code points.
impl<'a> Read<'a> for Utf32Str<'a> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.utf32()
    }
}

impl<T: Element> Stored for LeArray<'_, T> {
    const TYPE: Type = Type::Array(T::COLUMNS, 4);
    const GIVEN: Type = Type::Array(T::COLUMNS, 0);

    fn tell_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, self);
    }

    fn tell_absent(_: &'static str, _: &mut Outline<'_>) {}
}

/// A count and so many elements.
impl<'a, T: Element> Read<'a> for LeArray<'a, T> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let count = cursor.u32()?;
        cursor.array(count.into())
    }

    fn tell(cursor: &mut Cursor<'a>, (): (), name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let count = tell_count(cursor, name, out)?;
        Self::tell(cursor, u64::from(count), name, out)
    }
}

/// So many elements.
impl<'a, T: Element> Read<'a, u64> for LeArray<'a, T> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, count: u64) -> Result<Self> {
        cursor.array(count)
    }
}

/// A record that is read in place.
pub trait Fixed: Wire {
    /// Its description.
    const SCHEMA: &'static Schema;

    /// Tells its fields, the first of which lies at this offset, as those of the part opened last.
    fn tell_fields(&self, offset: u64, out: &mut Outline<'_>);

    /// Reports each code without a meaning, by the name of its field.
    fn unknown_codes(&self, report: &mut dyn FnMut(&'static str, i64));

    /// Reports each field with a number that is infinite or none, and the first of these.
    fn not_finite(&self, report: &mut dyn FnMut(&'static str, f32));
}

impl<T: Fixed> Stored for &T {
    const TYPE: Type = Type::Record(T::SCHEMA);
}

/// Tells the fields of the record in place at the cursor, which moves behind it.
pub(crate) fn tell_fixed<T: Fixed>(cursor: &mut Cursor<'_>, out: &mut Outline<'_>) {
    let offset = cursor.offset();
    if let Some(record) = out.ok(cursor.read::<T>()) {
        record.tell_fields(offset, out);
    }
}

/// Tells bytes of a form that the format leaves open.
pub(crate) fn tell_opaque(name: &'static str, span: Span, out: &mut Outline<'_>) {
    out.stored(&StoredField { name, kind: Type::Varying("bytes", 0), span, framing: false }, Value::Opaque(span));
}

/// In place.
impl<'a, T: Fixed> Read<'a> for &'a T {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.read::<T>()
    }

    fn tell(cursor: &mut Cursor<'a>, (): (), name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let offset = cursor.offset();
        let record = cursor.read::<T>()?;
        out.part(Part::one(name).spanning(offset, size_of::<T>() as u64), |out| record.tell_fields(offset, out));
        Ok(record)
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

impl<'a, T> Form<&'a T> for Flat<'a, T> {
    fn into_value(self) -> &'a T {
        self.0
    }
}

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

impl<T> Form<T> for Known<T> {
    #[inline]
    fn into_value(self) -> T {
        self.0
    }
}

/// The form of a field that outlines tell elsewhere.
#[derive(Debug)]
pub struct Apart<T>(T);

impl<T: Stored> Stored for Apart<T> {
    const TYPE: Type = T::TYPE;
    const GIVEN: Type = T::GIVEN;

    fn tell_absent(_: &'static str, _: &mut Outline<'_>) {}
}

impl<'a, T: Read<'a, C>, C> Read<'a, C> for Apart<T> {
    #[inline]
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self> {
        T::read(cursor, context).map(Self)
    }
}

impl<T> Form<T> for Apart<T> {
    #[inline]
    fn into_value(self) -> T {
        self.0
    }
}

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

impl<'a, T> Form<LeArray<'a, T>> for Rest<'a, T> {
    fn into_value(self) -> LeArray<'a, T> {
        self.0
    }
}

/// Some records that are one field of another: told as a list of parts.
impl<T: Fixed, const N: usize> Stored for [T; N] {
    const TYPE: Type = Type::Times(&Type::Record(T::SCHEMA), N as u64);

    fn tell_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        tell_rows(name, self, span.offset, out);
    }
}

/// Tells records in a row, the first of which lies at this offset, as parts of the list of this name.
pub(crate) fn tell_rows<T: Fixed>(name: &'static str, rows: &[T], mut offset: u64, out: &mut Outline<'_>) {
    for (index, record) in rows.iter().enumerate() {
        let bytes = size_of::<T>() as u64;
        out.part(Part::item(name, index).spanning(offset, bytes), |out| record.tell_fields(offset, out));
        offset = offset.saturating_add(bytes);
    }
}

/// Describes records that are read in place: see [the module](self).
///
/// ```text
/// wire! {
///     /// What it is.
///     Name = 12 {
///         /// What it means.
///         field: U32 = "NameInTheDocument",
///     }
/// }
/// ```
///
/// With `rows` behind its size it is an [`Element`] of arrays too, whose columns are those of its fields.
macro_rules! wire {
    (@[] $($described:tt)*) => {};
    (@[rows] $name:ident $size:literal [$($field:ident: $type:ty,)*]) => {
        impl $crate::sealed::Sealed for $name {}

        impl $crate::view::Element for $name {
            type Native = [u8; $size];
            const COLUMNS: &'static [$crate::view::Column] = {
                use $crate::view::columns;
                const FIELDS: &[columns::Field] =
                    &[$((stringify!($field), <$type as $crate::view::Element>::COLUMNS)),*];
                const NAMES: [u8; columns::bytes(FIELDS)] = columns::names(FIELDS);
                const ALL: [$crate::view::Column; columns::count(FIELDS)] = columns::cut(FIELDS, &NAMES);
                &ALL
            };
        }
    };
    ($(
        $(#[doc = $about:literal])*
        $name:ident = $size:literal $($rows:ident)? {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty $(= $spec:literal)?,)*
        }
    )*) => {$(
        $crate::view::record::wire!(@[$($rows)?] $name $size [$($field: $type,)*]);
        $(#[doc = $about])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            zerocopy::FromBytes,
            zerocopy::IntoBytes,
            zerocopy::KnownLayout,
            zerocopy::Immutable,
            zerocopy::Unaligned,
        )]
        #[repr(C)]
        pub struct $name {
            $($(#[doc = $doc])* $(#[doc = concat!("(`", $spec, "`)")])? pub $field: $type,)*
        }

        const _: () = assert!(size_of::<$name>() == $size);

        impl $crate::view::record::Fixed for $name {
            const SCHEMA: &'static $crate::view::record::Schema = &$crate::view::record::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::view::record::FieldInfo {
                    name: stringify!($field),
                    spec: $crate::view::record::optional!($($spec)?),
                    kind: <$type as $crate::view::record::Stored>::TYPE,
                    gate: None,
                    doc: concat!($($doc),*),
                }),*],
            };

            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn tell_fields(&self, mut offset: u64, out: &mut $crate::inspect::Outline<'_>) {
                $(
                    let bytes = size_of::<$type>() as u64;
                    let span = $crate::inspect::Span { offset, bytes };
                    $crate::view::record::Stored::tell_at(&self.$field, stringify!($field), span, out);
                    offset = offset.saturating_add(bytes);
                )*
            }

            fn unknown_codes(&self, report: &mut dyn FnMut(&'static str, i64)) {
                $(if let Some(code) = $crate::view::record::Stored::unknown_code(&self.$field) {
                    report(stringify!($field), code);
                })*
            }

            fn not_finite(&self, report: &mut dyn FnMut(&'static str, f32)) {
                $(if let Some(number) = $crate::view::record::Stored::not_finite(&self.$field) {
                    report(stringify!($field), number);
                })*
            }
        }
    )*};
}
pub(crate) use wire;

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}
pub(crate) use optional;

/// Describes a record: see [the module](self).
macro_rules! record {
    (
        $(#[doc = $about:literal])*
        $name:ident $(<$own:lifetime>)? for $life:lifetime ($context:ident: $knowledge:ty) $(named $label:ident)? {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty $(as $form:ty)? $(= $spec:literal)? $([$given:expr])? $(where $gate:expr)? $(=> $check:expr)?,
            )*
        }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub struct $name $(<$own>)? {
            $(
                $(#[doc = $doc])*
                $(#[doc = concat!("(`", $spec, "`)")])?
                $(#[doc = concat!("\n\nThere where `", stringify!($gate), "`.")])?
                pub $field: $crate::view::record::record!(@type $type $(, $gate)?),
            )*
        }

        impl $(<$own>)? $name $(<$own>)? {
            /// Its description.
            pub const SCHEMA: &'static $crate::view::record::Schema = &$crate::view::record::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::view::record::FieldInfo {
                    name: stringify!($field),
                    spec: $crate::view::record::optional!($($spec)?),
                    kind: $crate::view::record::record!(@kind [$type $(, $form)?] [$($given)?]),
                    gate: $crate::view::record::optional!($(stringify!($gate))?),
                    doc: concat!($($doc),*),
                }),*],
            };
        }

        impl $(<$own>)? $crate::view::record::Stored for $name $(<$own>)? {
            const TYPE: $crate::view::record::Type = $crate::view::record::Type::Record(Self::SCHEMA);

            fn tell_absent(_: &'static str, _: &mut $crate::inspect::Outline<'_>) {}
        }

        #[allow(unused_variables)]
        impl<$life> $crate::view::record::Read<$life, $knowledge> for $name $(<$own>)? {
            // Left to the compiler, small records are read in loops by calls in one build and not in the next.
            #[inline(always)]
            fn read(
                cursor: &mut $crate::view::Cursor<$life>,
                $context: $knowledge,
            ) -> $crate::error::Result<Self> {
                $(let $field: $crate::view::record::record!(@type $type $(, $gate)?) = $crate::view::record::record!(
                    @read cursor $field [$type $(, $form)?] [$($given)?] [$($check)?] [$($gate)?]
                );)*
                Ok(Self { $($field),* })
            }

            fn tell(
                cursor: &mut $crate::view::Cursor<$life>,
                $context: $knowledge,
                name: &'static str,
                out: &mut $crate::inspect::Outline<'_>,
            ) -> $crate::error::Result<Self> {
                $crate::view::record::tell_part(cursor, $context, $crate::inspect::Part::one(name), out)
            }
        }

        #[allow(unused_variables)]
        impl<$life> $crate::view::record::Record<$life, $knowledge> for $name $(<$own>)? {
            const SCHEMA: &'static $crate::view::record::Schema = Self::SCHEMA;

            fn label(&self) -> Option<$crate::inspect::Text<$life>> {
                $crate::view::record::optional!($(self.$label.into())?)
            }

            fn tell_fields(
                cursor: &mut $crate::view::Cursor<$life>,
                $context: $knowledge,
                out: &mut $crate::inspect::Outline<'_>,
            ) -> $crate::error::Result<Self> {
                $(let $field: $crate::view::record::record!(@type $type $(, $gate)?) = $crate::view::record::record!(
                    @tell cursor out $field [$type $(, $form)?] [$($given)?] [$($check)?] [$($gate)?]
                );)*
                let record = Self { $($field),* };
                $(
                    let ($this, $out) = (&record, out);
                    $also;
                )?
                Ok(record)
            }
        }
    };
    (@type $type:ty) => { $type };
    (@type $type:ty, $gate:expr) => { Option<$type> };
    (@value [$type:ty $(, $form:ty)?]) => { $type };
    (@form [$type:ty]) => { $type };
    (@form [$type:ty, $form:ty]) => { $form };
    (@kind $form:tt []) => {
        <$crate::view::record::record!(@form $form) as $crate::view::record::Stored>::TYPE
    };
    (@kind $form:tt [$given:expr]) => {
        <$crate::view::record::record!(@form $form) as $crate::view::record::Stored>::GIVEN
    };
    (@given []) => { () };
    (@given [$given:expr]) => { $given };
    (@checked $cursor:ident $field:ident $form:tt [$($check:expr)?] $read:expr) => {{
        let offset = $cursor.offset();
        match $read {
            Ok(value) => {
                let value: $crate::view::record::record!(@value $form) =
                    $crate::view::record::Form::into_value(value);
                $($crate::view::record::check($check, &value, offset, stringify!($field))?;)?
                value
            }
            Err(error) => return Err($crate::error::Context::within(error, stringify!($field))),
        }
    }};
    (@read $cursor:ident $field:ident $form:tt $given:tt $check:tt []) => {
        $crate::view::record::record!(
            @checked $cursor $field $form $check
            <$crate::view::record::record!(@form $form) as $crate::view::record::Read<'_, _>>::read(
                $cursor,
                $crate::view::record::record!(@given $given),
            )
        )
    };
    (@read $cursor:ident $field:ident $form:tt $given:tt $check:tt [$gate:expr]) => {
        if $gate {
            Some($crate::view::record::record!(@read $cursor $field $form $given $check []))
        } else {
            None
        }
    };
    (@tell $cursor:ident $out:ident $field:ident $form:tt $given:tt $check:tt []) => {
        $crate::view::record::record!(
            @checked $cursor $field $form $check
            <$crate::view::record::record!(@form $form) as $crate::view::record::Read<'_, _>>::tell(
                $cursor,
                $crate::view::record::record!(@given $given),
                stringify!($field),
                $out,
            )
        )
    };
    (@tell $cursor:ident $out:ident $field:ident $form:tt $given:tt $check:tt [$gate:expr]) => {
        if $gate {
            Some($crate::view::record::record!(@tell $cursor $out $field $form $given $check []))
        } else {
            <$crate::view::record::record!(@form $form) as $crate::view::record::Stored>::tell_absent(
                stringify!($field),
                $out,
            );
            None
        }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime>($($context:tt)*) $($rest:tt)*) => {
        $crate::view::record::record! { $(#[$($attribute)*])* $name<$life> for $life ($($context)*) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime> $($rest:tt)*) => {
        $crate::view::record::record! { $(#[$($attribute)*])* $name<$life> for $life (nothing: ()) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident($($context:tt)*) $($rest:tt)*) => {
        $crate::view::record::record! { $(#[$($attribute)*])* $name for 'a ($($context)*) $($rest)* }
    };
}
pub(crate) use record;

#[cfg(test)]
#[allow(unreachable_pub)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::inspect::Visitor;
    use crate::view::{List, Table};

    record! {
        /// A toy.
        Toy<'a>(version: u32) named name {
            /// Its name.
            name: ByteStr<'a> = "ToyName",
            /// How many wheels.
            wheels: u8 = "nWheels" => |&wheels: &u8| at_most_four(wheels),
            /// Its wheels.
            sizes: LeArray<'a, U16> [u64::from(wheels)],
            /// Where it stands.
            place: [f32; 3] where version >= 2,
            /// What it holds.
            parts: List<'a, ByteStr<'a>> = "Parts" where version >= 2 && wheels > 0,
        }
        also |toy, out| out.field("length", toy.name.len())
    }

    fn at_most_four(wheels: u8) -> Result<()> {
        if wheels <= 4 { Ok(()) } else { Err(Error::malformed(format!("{wheels} wheels"))) }
    }

    const SMALL: &[u8] = b"car\0\x02\x05\0\x06\0";
    const LARGE: &[u8] = b"car\0\x01\x05\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\x02\0\0\0a\0bc\0";

    #[test]
    fn fields_are_read_in_order_and_gates_name_what_came_before() {
        let small = Toy::read(&mut Cursor::new(SMALL), 1).unwrap();
        assert_eq!((small.name, small.wheels, small.sizes.len()), ("car".into(), 2, 2));
        assert_eq!((small.place, small.parts.is_none()), (None, true));
        let mut cursor = Cursor::new(LARGE);
        let large = Toy::read(&mut cursor, 2).unwrap();
        assert!(cursor.is_empty());
        assert_eq!((large.place, large.parts.unwrap().len()), (Some([1.0, 2.0, 3.0]), 2));
    }

    #[test]
    fn errors_name_the_field_and_the_item() {
        let error = |bytes: &[u8], version| Toy::read(&mut Cursor::new(bytes), version).unwrap_err().to_string();
        assert_eq!(error(b"car\0\x05", 1), "wheels at 0x4: 5 wheels");
        assert_eq!(error(b"car\0\x03\0\0", 1), "sizes at 0x5: needs 6 bytes, 2 left");
        assert_eq!(error(&LARGE[..LARGE.len() - 1], 2), "parts[1] at 0x19: text without its closing NUL");
        let many = [&LARGE[..19], b"\xff\0\0\0a\0"].concat();
        assert_eq!(error(&many, 2), "parts at 0x17: needs 255 bytes, 2 left");
    }

    #[test]
    fn the_schema_says_what_the_source_does() {
        let schema = Toy::SCHEMA;
        assert_eq!((schema.name, schema.doc), ("Toy", " A toy."));
        let fields: Vec<_> = schema
            .fields
            .iter()
            .map(|field| (field.name, field.spec, field.kind.to_string(), field.kind.min(), field.gate))
            .collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            fields,
            [
                ("name", Some("ToyName"), text("text up to NUL"), 1, None),
                ("wheels", Some("nWheels"), text("u8"), 1, None),
                ("sizes", None, text("u16[]"), 0, None),
                ("place", None, text("f32[3]"), 12, Some("version >= 2")),
                ("parts", Some("Parts"), text("text up to NUL[]"), 4, Some("version >= 2 && wheels > 0")),
            ]
        );
        assert_eq!((schema.min(), schema.byte_len()), (2, None));
    }

    /// Takes down what is told with a place.
    #[derive(Default)]
    struct Told(Vec<(String, Option<Span>)>);

    impl Visitor for Told {
        fn open(&mut self, part: &Part<'_>) -> bool {
            self.0.push((format!("{}: {}", part.name, part.label.unwrap()), part.span));
            true
        }

        fn close(&mut self) {}

        fn field(&mut self, name: &'static str, _: Value<'_>) {
            self.0.push((name.to_owned(), None));
        }

        fn stored(&mut self, field: &StoredField, _: Value<'_>) {
            let framing = if field.framing { " (framing)" } else { "" };
            self.0.push((format!("{}{framing}", field.name), Some(field.span)));
        }

        fn texts<'t>(&mut self, name: &'static str, _: &mut dyn Iterator<Item = Text<'t>>) {
            self.0.push((name.to_owned(), None));
        }

        fn stored_texts<'t>(&mut self, field: &StoredField, _: &mut dyn Iterator<Item = Text<'t>>) {
            self.0.push((field.name.to_owned(), Some(field.span)));
        }

        fn array(&mut self, name: &'static str, _: Option<usize>, table: &dyn Table) {
            let storage = table.storage();
            self.0.push((name.to_owned(), Some(Span { offset: storage.offset, bytes: storage.bytes })));
        }

        fn problem(&mut self, error: &Error) {
            panic!("{error}");
        }
    }

    #[test]
    fn every_field_is_told_where_it_lies() {
        let mut told = Told::default();
        let mut cursor = Cursor::with_offset(LARGE, 0x10);
        Toy::tell(&mut cursor, 2, "toy", &mut Outline::new(&mut told)).unwrap();
        let at = |offset, bytes| Some(Span { offset, bytes });
        let lines: Vec<_> = told.0.iter().map(|(name, span)| (name.as_str(), *span)).collect();
        let expected = [
            ("toy: car", at(0x10, 28)),
            ("name", at(0x10, 4)),
            ("wheels", at(0x14, 1)),
            ("sizes", at(0x15, 2)),
            ("place", at(0x17, 12)),
            ("parts (framing)", at(0x23, 4)),
            ("parts", at(0x27, 5)),
            ("length", None),
        ];
        assert_eq!(lines, expected);
        let mut told = Told::default();
        Toy::tell(&mut Cursor::new(SMALL), 1, "toy", &mut Outline::new(&mut told)).unwrap();
        let names: Vec<_> = told.0.iter().map(|(name, _)| name.as_str()).collect();
        // A list of texts that is not there is told as absent, as a number is.
        assert_eq!(names, ["toy: car", "name", "wheels", "sizes", "place", "parts", "length"]);
    }
}
