//! Records exactly as stored.

use nom::Parser as _;
use zerocopy::little_endian::U32;

use super::codes::{EntryKind, ValueType};
use super::value::{Array, Number, Value, array, number, value};
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::record::parser::{cond, framing, le_u8, le_u32, text_to_nul, verify};
use crate::record::{Framing, grammar, wire};

wire! {
    /// The start of a file.
    FileHeader = 16 {
        /// `\0raP`.
        signature: Framing<[u8; 4]>,
        /// 0. Configs of Operation Flashpoint have their version here.
        zero: U32,
        /// 8.
        version: U32,
        /// The address of the enums, right after the last class.
        enum_address: U32,
    }
}

grammar! {
    /// The start of a class's body. After it come the entries, then the address after the class and all its inner
    /// classes.
    ClassHead<'a> {
        /// The name of the class that it inherits from; empty for none.
        parent: ByteStr<'a> = text_to_nul(),
        /// The number of entries.
        entry_count: Number = framing(number),
    }
}

grammar! {
    /// `class Name { .. };`.
    ClassEntry<'a> named name {
        /// 0.
        kind: EntryKind = le_u8().map(EntryKind),
        /// The name.
        name: ByteStr<'a> = text_to_nul(),
        /// The address of the body.
        address: u32,
    }
}

grammar! {
    /// `name = value;`.
    ValueEntry<'a> named name {
        /// 1.
        kind: EntryKind = le_u8().map(EntryKind),
        /// The type of the value: any except an array.
        value_type: ValueType = verify(le_u8().map(ValueType), no_array),
        /// The name.
        name: ByteStr<'a> = text_to_nul(),
        /// The value.
        value: Value<'a> = value(value_type),
    }
}

grammar! {
    /// `name[] = { .. };` or `name[] += { .. };`.
    ArrayEntry<'a> named name {
        /// 2 or 5.
        kind: EntryKind = le_u8().map(EntryKind),
        /// 1 in all known files.
        flag: Option<u32> = cond(kind.0 == 5, le_u32()),
        /// The name.
        name: ByteStr<'a> = text_to_nul(),
        /// A count and the items, each with its type.
        items: Array<'a> = array,
    }
}

grammar! {
    /// `class Name;`, which names a class in another file, or `delete Name;`.
    NamedEntry<'a> named name {
        /// 3 or 4.
        kind: EntryKind = le_u8().map(EntryKind),
        /// The name.
        name: ByteStr<'a> = text_to_nul(),
    }
}

grammar! {
    /// A constant.
    Enum<'a> named name {
        /// The name.
        name: ByteStr<'a> = text_to_nul(),
        /// The value.
        value: u32,
    }
}

/// Returns an error for the type of an array: an array has an entry of its own kind.
fn no_array(kind: &ValueType) -> Result<()> {
    if *kind == ValueType::ARRAY { Err(Error::malformed("an array as value")) } else { Ok(()) }
}
