//! Numbers and values of fields as JSON.

use serde::ser::{Serialize, Serializer};

use super::longest::LONGEST_TEXT;
use crate::base::text::Name;
use crate::outline::{Text, Value};

/// A float as the shortest decimal that denotes it, or as a string if it is not finite, which JSON numbers cannot be.
struct Float(f32);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() { serializer.serialize_f32(self.0) } else { serializer.collect_str(&self.0) }
    }
}

/// Returns true if a text of the value has to be escaped.
pub(super) fn is_lossy(value: &Value<'_>) -> bool {
    match value {
        Value::Text(text) => name(text).lossy,
        Value::Texts(texts) => texts.iter().any(|text| name(text).lossy),
        _ => false,
    }
}

fn name(text: &Text<'_>) -> Name {
    Name::from(text.cut(LONGEST_TEXT))
}

/// Texts are cut after [`LONGEST_TEXT`].
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Bool(value) => value.serialize(serializer),
            Value::Uint(value) => value.serialize(serializer),
            Value::Int(value) | Value::Coded(value, _) => value.serialize(serializer),
            Value::Float(value) => Float(*value).serialize(serializer),
            Value::Floats(values) => serializer.collect_seq(values.iter().copied().map(Float)),
            Value::Ints(values) => values.serialize(serializer),
            Value::Text(text) => name(text).text.serialize(serializer),
            Value::Texts(texts) => serializer.collect_seq(texts.iter().map(|text| name(text).text)),
            Value::Opaque(span) => span.serialize(serializer),
            Value::Absent => serializer.serialize_unit(),
        }
    }
}
