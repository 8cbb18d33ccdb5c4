//! Stored texts, with their length before them or elsewhere.

use super::fields::length;
use crate::base::text::AnsiStr;
use crate::bytes::Cursor;
use crate::bytes::parser::reading;
use crate::outline::{Type, Value};
use crate::record::Stored;
use crate::record::parser::{Grammar, stored_as};

impl Stored for AnsiStr<'_> {
    const TYPE: Type = Type::Varying("text", 0);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// The stored form of a text after its length.
enum AfterLength {}

impl Stored for AfterLength {
    const TYPE: Type = Type::Varying("text with i32 length", 4);
}

/// Returns a parser of a text after its length, which is an `i32`.
#[inline(always)]
pub(super) fn text_with_length<'a>() -> impl Grammar<'a, Output = AnsiStr<'a>> {
    stored_as::<AfterLength, _>(reading(|cursor: &mut Cursor<'a>| {
        let count = length().read(cursor)?;
        text(count).read(cursor)
    }))
}

/// Returns a parser of a text of this many bytes.
#[inline(always)]
pub(super) fn text<'a>(count: u64) -> impl Grammar<'a, Output = AnsiStr<'a>> {
    reading(move |cursor: &mut Cursor<'a>| cursor.bytes(count).map(AnsiStr::new))
}
