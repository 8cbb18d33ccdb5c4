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
            Value::Float(value) => Short(*value).fmt(f),
            Value::Floats(values) => {
                let values: Vec<_> = values.iter().map(|value| Short(*value).to_string()).collect();
                f.write_str(&values.join(" "))
            }
            Value::Text(text) => quoted(text).fmt(f),
            Value::Texts(texts) => f.write_str(&texts.iter().map(quoted).collect::<Vec<_>>().join(", ")),
            other => other.fmt(f),
        }
    }
}

fn quoted(text: &Text<'_>) -> String {
    held(&format!("\"{}\"", text.cut(LONGEST_TEXT)))
}
