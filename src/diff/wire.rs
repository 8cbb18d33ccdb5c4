//! Differences as JSON.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::difference::{Difference, Row, Rows};
use super::fact::Fact;
use crate::base::text::Name;
use crate::outline::Value;

impl Serialize for Difference {
    /// Writes `{change, path, member, place, to, label, a, b, rows}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { change, path, member, place, to, label, values, rows } = self;
        let (a, b) = match values {
            Some([a, b]) => (Some(a), Some(b)),
            None => (None, None),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("change", change.name())?;
        map.serialize_entry("path", &text(path))?;
        map.serialize_entry("member", &text(member))?;
        map.serialize_entry("place", place)?;
        map.serialize_entry("to", to)?;
        map.serialize_entry("label", &text(label))?;
        map.serialize_entry("a", &a)?;
        map.serialize_entry("b", &b)?;
        map.serialize_entry("rows", rows)?;
        map.end()
    }
}

fn text(name: &Option<Arc<Name>>) -> Option<&str> {
    name.as_ref().map(|name| name.text.as_str())
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(name) => serializer.serialize_str(&name.text),
            Self::Texts(names) => serializer.collect_seq(names.iter().map(|name| &name.text)),
            Self::Value(Value::Bool(value)) => serializer.serialize_bool(*value),
            Self::Value(Value::Uint(value)) => serializer.serialize_u64(*value),
            Self::Value(Value::Int(value) | Value::Coded(value, _)) => serializer.serialize_i64(*value),
            Self::Value(Value::Float(value)) => Number(*value).serialize(serializer),
            Self::Value(Value::Floats(values)) => serializer.collect_seq(values.iter().copied().map(Number)),
            Self::Value(Value::Ints(values)) => serializer.collect_seq(values.iter()),
            Self::Value(Value::Opaque(span)) => span.serialize(serializer),
            Self::Value(_) => serializer.serialize_none(),
        }
    }
}

/// A number as its shortest decimal. JSON has no infinities or NaN, so those become text.
struct Number(f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const MOST: f32 = 1e7;
        let Self(value) = *self;
        let text = value.to_string();
        let is_whole = value.fract() == 0.0 && value.abs() < MOST && (value != 0.0 || value.is_sign_positive());
        match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) if is_whole => serializer.serialize_i64(whole),
            (_, Ok(number)) if number.is_finite() => serializer.serialize_f64(number),
            _ => serializer.serialize_str(&text),
        }
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { counts: [a, b], columns: [columns, _], differing, differing_columns, largest, first } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("a", a)?;
        map.serialize_entry("b", b)?;
        map.serialize_entry("differing", differing)?;
        map.serialize_entry("first", first)?;
        map.serialize_entry("columns", columns)?;
        map.serialize_entry("differing_columns", differing_columns)?;
        map.serialize_entry("largest", &largest.map(Number))?;
        map.end()
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { rows: [row, other], label, values: [a, b] } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("row", row)?;
        map.serialize_entry("to_row", other)?;
        map.serialize_entry("label", label)?;
        map.serialize_entry("a", a)?;
        map.serialize_entry("b", b)?;
        map.end()
    }
}
