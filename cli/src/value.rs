//! Formats values of fields as words and JSON.

use std::fmt;

use meshpeek::inspect::Value;
use meshpeek::json::{Float, Floats, LONGEST_TEXT};
use meshpeek::summary::Name;
use serde::ser::{Serialize, Serializer};

use crate::wrap::held;

/// A value in JSON.
pub(crate) struct AsJson<'v>(pub(crate) &'v Value<'v>);

impl AsJson<'_> {
    /// Returns true if its text had to be escaped.
    pub(crate) fn is_lossy(&self) -> bool {
        matches!(self.0, Value::Text(text) if Name::from(text.cut(LONGEST_TEXT)).lossy)
    }
}

impl Serialize for AsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Bool(value) => value.serialize(serializer),
            Value::Uint(value) => value.serialize(serializer),
            Value::Int(value) | Value::Coded(value, _) => value.serialize(serializer),
            Value::Float(value) => Float(*value).serialize(serializer),
            Value::Floats(values) => Floats(values).serialize(serializer),
            Value::Ints(values) => values.serialize(serializer),
            Value::Text(text) => Name::from(text.cut(LONGEST_TEXT)).text.serialize(serializer),
            Value::Opaque(span) => span.serialize(serializer),
            _ => serializer.serialize_unit(),
        }
    }
}

/// A number for people: the shortest decimal, with an exponent if it would otherwise be mostly zeros.
pub(crate) struct Short(pub(crate) f32);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            size if size >= 1e16 || size > 0.0 && size < 1e-5 => write!(f, "{:e}", self.0),
            _ => self.0.fmt(f),
        }
    }
}

/// A value in one line, safe to show on a terminal.
pub(crate) struct InWords<'v>(pub(crate) &'v Value<'v>);

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Absent => f.write_str("absent"),
            Value::Bool(value) => value.fmt(f),
            Value::Uint(value) => value.fmt(f),
            Value::Int(value) | Value::Coded(value, None) => value.fmt(f),
            Value::Coded(value, Some(meaning)) => write!(f, "{value} {meaning}"),
            Value::Float(value) => Short(*value).fmt(f),
            Value::Floats(values) => each(values.iter().copied().map(Short), f),
            Value::Ints(values) => each(values.iter(), f),
            Value::Text(text) => write!(f, "{}", held(&format!("\"{}\"", text.cut(LONGEST_TEXT)))),
            Value::Opaque(span) => write!(f, "{} bytes at {:#x}", span.bytes, span.offset),
            _ => Ok(()),
        }
    }
}

fn each(values: impl Iterator<Item = impl fmt::Display>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, value) in values.enumerate() {
        write!(f, "{}{value}", if index > 0 { " " } else { "" })?;
    }
    Ok(())
}
