//! Records of fixed size, read in place.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::Stored;
use crate::base::span::Span;
use crate::bytes::cursor::{Cursor, Wire};
use crate::outline::{Outline, Part, Rule, Schema, StoredAt, Type, Value};

/// A record that is read in place.
#[doc(hidden)]
pub trait Fixed: Wire {
    /// The record's description.
    const SCHEMA: &'static Schema;

    /// Describes the fields as those of the part opened last. The first field is at `offset`.
    fn describe_fields(&self, offset: u64, out: &mut Outline<'_>);
}

impl<T: Fixed> Stored for &T {
    const TYPE: Type = Type::Record(T::SCHEMA);

    fn describe_at(&self, name: &'static str, Span { offset, bytes }: Span, out: &mut Outline<'_>) {
        out.part(Part::one(name).spanning(offset, bytes), |out| self.describe_fields(offset, out));
    }
}

/// Describes the fields of the record in place at the cursor, and moves the cursor after it.
pub(crate) fn describe_fixed<T: Fixed>(cursor: &mut Cursor<'_>, out: &mut Outline<'_>) {
    let offset = cursor.offset();
    if let Some(record) = out.ok(cursor.read::<T>()) {
        record.describe_fields(offset, out);
    }
}

/// Describes bytes of a structure that the format does not specify.
pub(crate) fn describe_opaque(name: &'static str, span: Span, out: &mut Outline<'_>) {
    out.stored(name, StoredAt::new(Type::Varying("bytes", 0), span), Value::Opaque(span));
}

/// An array of records as one field, described as a list of parts.
impl<T: Fixed, const N: usize> Stored for [T; N] {
    const TYPE: Type = Type::Times(&Type::Record(T::SCHEMA), N as u64);

    fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        describe_rows(name, self, span.offset, out);
    }
}

/// Describes consecutive records as parts of the list `name`. The first record is at `offset`.
pub(crate) fn describe_rows<T: Fixed>(name: &'static str, rows: &[T], mut offset: u64, out: &mut Outline<'_>) {
    out.list(name);
    for (index, record) in rows.iter().enumerate() {
        if out.is_done() {
            break;
        }
        let bytes = size_of::<T>() as u64;
        out.part(Part::item(name, index).spanning(offset, bytes), |out| record.describe_fields(offset, out));
        offset = offset.saturating_add(bytes);
    }
}

/// Describes a count of four bytes at `offset` that was read before.
pub(crate) fn describe_count(name: &'static str, count: u64, offset: u64, out: &mut Outline<'_>) {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Framing(count).describe_at(name, Span { offset, bytes: 4 }, out);
}

/// A field of a record in place that is framing: a signature, a count or a length. Outlines omit it, because they show
/// its information in other ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Framing<T>(pub T);

impl<T> std::ops::Deref for Framing<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

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

/// Defines records that are read in place: see [the module](super).
///
/// ```text
/// wire! {
///     /// A name.
///     Name = 12 {
///         /// The meaning of the field.
///         #[label("NameInTheDocument")]
///         field: U32,
///     }
/// }
/// ```
///
/// `#[codes(Codes)]` before a field, which is stored as a plain number, says what its numbers mean.
///
/// With `rows` after its size, it also implements `Element` for arrays, with its fields as columns.
macro_rules! wire {
    (@rule $type:ty []) => { <$type as $crate::record::Stored>::RULE };
    (@rule $type:ty [$rule:ident $($bounds:tt)?]) => { $crate::outline::Rule::$rule $($bounds)? };
    (@codes $type:ty []) => { <$type as $crate::record::Stored>::CODES };
    (@codes $type:ty [$codes:ty]) => { <$codes>::KNOWN };
    (@[] $($described:tt)*) => {};
    (@[rows] $name:ident $size:literal [$($field:ident: $type:ty,)*]) => {
        impl $crate::base::sealed::Sealed for $name {}

        impl $crate::bytes::Element for $name {
            type Native = [u8; $size];
            const COLUMNS: &'static [$crate::bytes::Column] = {
                use crate::bytes::columns;
                const FIELDS: &[columns::Field] =
                    &[$((stringify!($field), <$type as $crate::bytes::Element>::COLUMNS)),*];
                const NAMES: [columns::Named; columns::count(FIELDS)] = columns::names(FIELDS);
                &columns::columns(&NAMES)
            };
        }
    };
    ($(
        $(#[doc = $about:literal])*
        $name:ident = $size:literal $($rows:ident)? {
            $(
                $(#[doc = $doc:literal])*
                $(#[rule($rule:ident $($bounds:tt)?)])?
                $(#[codes($codes:ty)])?
                $(#[label($spec:literal)])?
                $field:ident: $type:ty,
            )*
        }
    )*) => {$(
        $crate::record::wire!(@[$($rows)?] $name $size [$($field: $type,)*]);
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

        impl $crate::record::Fixed for $name {
            const SCHEMA: &'static $crate::outline::Schema = &$crate::outline::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::outline::FieldInfo {
                    name: stringify!($field),
                    spec: $crate::record::optional!($($spec)?),
                    kind: <$type as $crate::record::Stored>::TYPE,
                    gate: None,
                    rule: $crate::record::wire!(@rule $type [$($rule $($bounds)?)?]),
                    codes: $crate::record::wire!(@codes $type [$($codes)?]),
                    doc: concat!($($doc),*),
                }),*],
            };

            #[allow(unused_variables, unused_mut, unused_assignments)]
            fn describe_fields(&self, mut offset: u64, out: &mut $crate::outline::Outline<'_>) {
                $(
                    let bytes = size_of::<$type>() as u64;
                    let span = $crate::base::span::Span { offset, bytes };
                    $crate::outline::Sink::rule(out, $crate::record::wire!(@rule $type [$($rule $($bounds)?)?]));
                    $crate::record::Stored::describe_at(&self.$field, stringify!($field), span, out);
                    offset = offset.saturating_add(bytes);
                )*
            }
        }
    )*};
}
pub(crate) use wire;
