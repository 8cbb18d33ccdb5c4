//! Stored texts, with their length before them or elsewhere.

use super::fields::Length;
use crate::base::error::Result;
use crate::base::text::AnsiStr;
use crate::bytes::Cursor;
use crate::outline::{Sink, Type, Value};
use crate::record::{Form, Framing, Given, Read, Stored, walk_field};

impl Stored for AnsiStr<'_> {
    const TYPE: Type = Type::Varying("text with i32 length", 4);
    const GIVEN: Type = Type::Varying("text", 0);

    fn value(&self) -> Option<Value<'_>> {
        Some((*self).into())
    }
}

/// Reads the length, then the text.
impl<'a> Read<'a> for AnsiStr<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| {
            let Length(length) = Length::read(cursor, ())?;
            cursor.bytes(length).map(Self::new)
        })
    }
}

impl<'a> Form<AnsiStr<'a>> for Framing<Given<AnsiStr<'a>>> {
    fn into_value(self) -> AnsiStr<'a> {
        self.0.0
    }
}

/// Reads as many bytes as the context says.
impl<'a> Read<'a, u64> for AnsiStr<'a> {
    fn walk(cursor: &mut Cursor<'a>, bytes: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let read = |cursor: &mut Cursor<'a>| cursor.bytes(bytes).map(|bytes| Given(Self::new(bytes)));
        walk_field(cursor, name, sink, read).map(Form::into_value)
    }
}
