//! Values of fields, in words and in JSON.

use std::fmt;

use meshpeek::inspect::Value;
use meshpeek::json::{Float, Floats, LONGEST_TEXT};
use meshpeek::summary::Name;
use serde::ser::{Serialize, Serializer};

/// A value as one word of JSON.
pub(crate) struct AsJson<'v>(pub(crate) &'v Value<'v>);

impl AsJson<'_> {
    /// Whether its text had to be written in another way.
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

/// A value in one line, safe to show on a terminal.
pub(crate) struct InWords<'v>(pub(crate) &'v Value<'v>);

impl fmt::Display for InWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            // A text may be as long as the file.
            Value::Text(text) => write!(f, "\"{}\"", text.cut(LONGEST_TEXT)),
            value => value.fmt(f),
        }
    }
}
