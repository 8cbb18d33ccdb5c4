//! What can be read in place, and described.

use std::marker::PhantomData;

use crate::base::error::Result;
use crate::base::span::Span;
use crate::bytes::cursor::Cursor;
use crate::outline::{Outline, Part, Rule, Schema, Silent, Sink, StoredAt, Text, Type, Value};

/// The parser of a type that has one of its own, such as a record.
#[derive(Debug)]
pub struct Of<T, C = ()> {
    pub(crate) context: C,
    pub(super) of: PhantomData<T>,
}

impl<T, C: Copy> Clone for Of<T, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, C: Copy> Copy for Of<T, C> {}

/// Returns the type's own parser.
#[inline(always)]
pub(crate) const fn of<T, C>(context: C) -> Of<T, C> {
    Of { context, of: PhantomData }
}

/// A value with a location in a file.
#[doc(hidden)]
pub trait Stored {
    /// Its type.
    const TYPE: Type;

    /// True for signatures, counts and lengths, whose information outlines show in other ways.
    const FRAMING: bool = false;

    /// The rule for its values, if the field has no other.
    const RULE: Rule = Rule::Sound;

    /// The numbers with a meaning and their names, if it is a code.
    const CODES: &'static [(i64, &'static str)] = &[];

    /// Returns the value that outlines show, if it is a single field.
    fn value(&self) -> Option<Value<'_>> {
        None
    }

    /// True if outlines show that a file lacks this field.
    const SHOWS_ABSENCE: bool = true;

    /// Describes the value as the field `name` at this location. By default, a value that is not a single field is
    /// omitted.
    fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        if let Some(value) = self.value() {
            out.stored(name, StoredAt { kind: Self::TYPE, span, framing: Self::FRAMING }, value);
        }
    }
}

/// A value that can be read in place, with the context `C`.
pub trait Read<'a, C = ()>: Stored + Sized {
    /// Reads the value at the cursor, moves the cursor after it, and describes it to the sink as the field `name`.
    ///
    /// # Errors
    /// Returns an error if the value exceeds the bytes left or breaks a rule of the format. The fields before the error
    /// may have been described.
    #[doc(hidden)]
    fn walk(cursor: &mut Cursor<'a>, context: C, name: &'static str, sink: &mut impl Sink) -> Result<Self>;

    /// Reads the value at the cursor, and moves the cursor after it.
    ///
    /// # Errors
    /// Returns the errors of [`walk`](Self::walk).
    #[doc(hidden)]
    // Without `inline`, whether small records are read by calls in loops differs from build to build.
    #[inline(always)]
    fn read(cursor: &mut Cursor<'a>, context: C) -> Result<Self> {
        Self::walk(cursor, context, "", &mut Silent)
    }

    /// Returns a [parser](crate::grammar) that reads the value.
    fn parser(context: C) -> Of<Self, C> {
        of(context)
    }
}

/// A record with a [`Schema`].
#[doc(hidden)]
pub trait Record<'a, C = ()>: Read<'a, C> {
    /// The record's description.
    const SCHEMA: &'static Schema;

    /// Returns the record's own name, which identifies it in a list.
    fn label(&self) -> Option<Text<'a>>;

    /// Reads the record at the cursor and describes its fields as those of the part opened last.
    ///
    /// # Errors
    /// Returns the errors of [`Read::walk`].
    #[doc(hidden)]
    fn walk_fields(cursor: &mut Cursor<'a>, context: C, sink: &mut impl Sink) -> Result<Self>;
}

/// Walks the record at the cursor as this part, with its label and location.
///
/// # Errors
/// Returns the errors of [`Read::walk`].
#[inline(always)]
pub(crate) fn walk_part<'a, T: Record<'a, C>, C: Copy, S: Sink>(
    cursor: &mut Cursor<'a>,
    context: C,
    part: Part<'_>,
    sink: &mut S,
) -> Result<T> {
    if !S::DESCRIBES {
        return T::walk_fields(cursor, context, sink);
    }
    // Opening a part needs its label and length, so the record is read first.
    let start = *cursor;
    let record = T::walk_fields(cursor, context, &mut Silent)?;
    let part = Part { label: record.label(), ..part };
    let part = part.spanning(start.offset(), cursor.offset().saturating_sub(start.offset()));
    if let Some(mut out) = sink.outline() {
        out.part(part, |out| describe_fields::<T, C>(start, context, out));
    }
    Ok(record)
}

/// Describes the fields of the record at the cursor as those of the part opened last, and the error if one ends them
/// early.
pub(crate) fn describe_fields<'a, T: Record<'a, C>, C>(mut cursor: Cursor<'a>, context: C, out: &mut Outline<'_>) {
    let record = T::walk_fields(&mut cursor, context, out);
    out.ok(record);
}
