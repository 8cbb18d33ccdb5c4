//! The kinds of entries, and the types of values.

use crate::record::codes::codes;

codes! {
    /// The kind of a class's entry.
    EntryKind(u8) { 0 "class", 1 "value", 2 "array", 3 "extern", 4 "delete", 5 "append" }

    /// The type of a value.
    ValueType(u8) { 0 "text", 1 "float", 2 "int", 3 "array", 4 "expression", 6 "long" }
}

impl ValueType {
    /// A nested array.
    pub const ARRAY: Self = Self(3);
}
