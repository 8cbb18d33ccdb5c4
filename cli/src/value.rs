//! Formats values of fields as words.

use std::fmt;

use meshpeek::inspect::{Text, Value};
use meshpeek::json::LONGEST_TEXT;

use crate::wrap::held;

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
            Value::Text(text) => quoted(text).fmt(f),
            Value::Texts(texts) => f.write_str(&texts.iter().map(quoted).collect::<Vec<_>>().join(", ")),
            Value::Opaque(span) => write!(f, "{} bytes at {:#x}", span.bytes, span.offset),
            _ => Ok(()),
        }
    }
}

fn quoted(text: &Text<'_>) -> String {
    held(&format!("\"{}\"", text.cut(LONGEST_TEXT)))
}

fn each(values: impl Iterator<Item = impl fmt::Display>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, value) in values.enumerate() {
        write!(f, "{}{value}", if index > 0 { " " } else { "" })?;
    }
    Ok(())
}
