//! Descriptions of records and fields, available at run time.

use std::fmt;

use crate::bytes::array::Column;

/// The type of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// A number, or a code or flag stored as one, and its size in bytes.
    Number(&'static str, u64),
    /// A value of variable length, such as a text, and its minimum size in bytes.
    Varying(&'static str, u64),
    /// A fixed number of values of one type.
    Times(&'static Type, u64),
    /// A record.
    Record(&'static Schema),
    /// An array of these columns after a count of this size in bytes. The size is 0 if the count is stored elsewhere.
    Array(&'static [Column], u64),
    /// A list of items of this type after a count of this size in bytes. The size is 0 if the count is stored
    /// elsewhere.
    List(&'static Type, u64),
    /// A value of this type that takes no bytes, because it follows from others.
    Derived(&'static Type),
    /// One of two types, as the version says. The second is not smaller.
    Either(&'static Type, &'static Type),
}

impl FieldInfo {
    /// Creates the description of a field that no macro describes.
    pub(crate) const fn new(
        name: &'static str,
        spec: Option<&'static str>,
        kind: Type,
        gate: Option<&'static str>,
        doc: &'static str,
    ) -> Self {
        Self { name, spec, kind, gate, rule: Rule::Sound, codes: &[], doc }
    }

    /// Creates the description of a column: an always present field with a name in the format's document.
    pub(crate) const fn column(name: &'static str, spec: &'static str, kind: Type, doc: &'static str) -> Self {
        Self::new(name, Some(spec), kind, None, doc)
    }

    /// Adds the condition for the field to be present.
    pub(crate) const fn when(self, gate: &'static str) -> Self {
        Self { gate: Some(gate), ..self }
    }

    /// Adds the rule for its values.
    pub(crate) const fn ruled(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// Returns the rule and the codes as text: `from 0 to 128`, `0 none, 1 loop`. Empty if the field has neither.
    pub fn values(&self) -> String {
        let mut words = Vec::new();
        let rule = self.rule.to_string();
        // Bits are listed only with their names.
        if !rule.is_empty() && !matches!(self.rule, Rule::Bits(_)) {
            words.push(rule);
        }
        for (number, name) in self.codes {
            words.push(format!("{number} {name}"));
        }
        words.join(", ")
    }
}

impl Type {
    /// Returns the type of the same items after a count of this size in bytes.
    pub(crate) const fn after(self, count: u64) -> Self {
        match self {
            Self::Varying(name, min) => Self::Varying(name, min.saturating_add(count)),
            Self::Array(columns, _) => Self::Array(columns, count),
            Self::List(item, _) => Self::List(item, count),
            other => other,
        }
    }

    /// Returns the minimum size in bytes.
    pub const fn min(&self) -> u64 {
        match self {
            Self::Number(_, bytes) | Self::Varying(_, bytes) | Self::Array(_, bytes) | Self::List(_, bytes) => *bytes,
            Self::Times(one, count) => one.min().saturating_mul(*count),
            Self::Record(schema) => schema.min(),
            Self::Derived(_) => 0,
            Self::Either(one, _) => one.min(),
        }
    }

    /// Returns the size in bytes if it is fixed.
    pub const fn byte_len(&self) -> Option<u64> {
        match self {
            Self::Number(_, bytes) => Some(*bytes),
            Self::Times(one, count) => match one.byte_len() {
                Some(bytes) => Some(bytes.saturating_mul(*count)),
                None => None,
            },
            Self::Record(schema) => schema.byte_len(),
            Self::Derived(_) => Some(0),
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(name, _) | Self::Varying(name, _) => f.write_str(name),
            Self::Times(one, count) => write!(f, "{one}[{count}]"),
            Self::Record(schema) => f.write_str(schema.name),
            Self::Array(columns, _) => f.write_str(&rows_of(columns)),
            Self::List(one, _) => write!(f, "{one}[]"),
            Self::Derived(one) => write!(f, "derived {one}"),
            Self::Either(one, other) => write!(f, "{one} or {other}"),
        }
    }
}

/// Returns the type of an array of these columns in words: `u16[]`, `{x f32, y f32}[]`.
pub(crate) fn rows_of(columns: &[Column]) -> String {
    if let [only] = columns {
        return format!("{}[]", only.scalar.name());
    }
    let columns: Vec<_> = columns.iter().map(|column| format!("{} {}", column.name, column.scalar.name())).collect();
    format!("{{{}}}[]", columns.join(", "))
}

/// The description of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Schema {
    /// The record's name.
    pub name: &'static str,
    /// The record's documentation.
    pub doc: &'static str,
    /// The fields in file order.
    pub fields: &'static [FieldInfo],
}

impl Schema {
    /// Returns the minimum size in bytes: that of the fields that are always present.
    pub const fn min(&self) -> u64 {
        let mut sum = 0_u64;
        let mut fields = self.fields;
        while let [field, rest @ ..] = fields {
            if field.gate.is_none() {
                sum = sum.saturating_add(field.kind.min());
            }
            fields = rest;
        }
        sum
    }

    /// Returns the size in bytes if it is fixed.
    pub const fn byte_len(&self) -> Option<u64> {
        let mut sum = 0_u64;
        let mut fields = self.fields;
        while let [field, rest @ ..] = fields {
            match (field.gate, field.kind.byte_len()) {
                (None, Some(bytes)) => sum = sum.saturating_add(bytes),
                _ => return None,
            }
            fields = rest;
        }
        Some(sum)
    }
}

/// The description of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldInfo {
    /// The field's name in outlines, in errors and in the struct.
    pub name: &'static str,
    /// The field's name in the format's documentation, if it has one.
    pub spec: Option<&'static str>,
    /// The type of the field.
    pub kind: Type,
    /// The condition under which the field is present, as written in the source.
    pub gate: Option<&'static str>,
    /// The values that the field has in a valid file.
    pub rule: Rule,
    /// The numbers with a meaning and their names; for flags, the bits. Empty if the field is not a code.
    pub codes: &'static [(i64, &'static str)],
    /// The documentation of the field.
    pub doc: &'static str,
}

/// The values that a field has in a valid file. `verify` reports a field that breaks its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Floats are finite, and codes have a meaning. The rule of fields without another rule.
    Sound,
    /// Any value; floats may be infinite or NaN.
    Any,
    /// Numbers between these two, inclusive.
    Range(i64, i64),
    /// Numbers greater than or equal to this.
    Least(i64),
    /// One of these numbers.
    OneOf(&'static [i64]),
    /// Only these bits may be set.
    Bits(u32),
    /// A vector or quaternion of length 1.
    Unit,
}

/// Completes the sentence "the value is ...". Empty for [`Sound`](Rule::Sound).
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound => Ok(()),
            Self::Any => f.write_str("any value"),
            Self::Range(least, most) => write!(f, "from {least} to {most}"),
            Self::Least(least) => write!(f, "at least {least}"),
            Self::OneOf(numbers) => {
                for (index, number) in numbers.iter().enumerate() {
                    write!(f, "{}{number}", if index == 0 { "" } else { " or " })?;
                }
                Ok(())
            }
            Self::Bits(bits) => write!(f, "of the bits {bits:#x}"),
            Self::Unit => f.write_str("of length 1"),
        }
    }
}
