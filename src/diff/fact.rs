//! The values of fields.

use super::options::Options;
use crate::base::text::Name;
use crate::outline::Value;

/// The owned value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// Any value except a text.
    Value(Value<'static>),
    /// A text.
    Text(Name),
    /// Several texts.
    Texts(Vec<Name>),
}

impl Fact {
    pub(crate) const ABSENT: Self = Self::Value(Value::Absent);

    pub(super) fn of(value: Value<'_>) -> Self {
        Self::Value(match value {
            Value::Absent => Value::Absent,
            Value::Bool(value) => Value::Bool(value),
            Value::Uint(value) => Value::Uint(value),
            Value::Int(value) => Value::Int(value),
            Value::Float(value) => Value::Float(value),
            Value::Floats(values) => Value::Floats(values.into_owned().into()),
            Value::Ints(values) => Value::Ints(values.into_owned().into()),
            Value::Text(text) => return Self::Text(text.into()),
            Value::Texts(texts) => return Self::Texts(texts.into_iter().map(Into::into).collect()),
            Value::Coded(value, meaning) => Value::Coded(value, meaning),
            Value::Opaque(span) => Value::Opaque(span),
        })
    }

    /// Returns true if both are equal, or within the tolerance of the options.
    pub(super) fn is_same(&self, other: &Self, options: &Options) -> bool {
        match (self, other) {
            (Self::Value(Value::Float(a)), Self::Value(Value::Float(b))) => options.is_near_or_nan(*a, *b),
            (Self::Value(Value::Floats(a)), Self::Value(Value::Floats(b))) => {
                a.len() == b.len() && std::iter::zip(&**a, &**b).all(|(a, b)| options.is_near_or_nan(*a, *b))
            }
            _ => self == other || self.number().is_some_and(|number| other.number() == Some(number)),
        }
    }

    /// Returns its value as a whole number.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Self::Value(Value::Uint(number)) => i64::try_from(*number).ok(),
            Self::Value(Value::Int(number) | Value::Coded(number, _)) => Some(*number),
            _ => None,
        }
    }
}
