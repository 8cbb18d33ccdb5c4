//! Classes and their entries.

use nom::combinator::peek;
use nom::error::context;

use super::value::{Array, Number};
use super::wire::{ArrayEntry, ClassEntry, ClassHead, NamedEntry, ValueEntry};
use crate::base::amount::Amount;
use crate::base::error::{Context as _, Result};
use crate::base::span::Span;
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::bytes;
use crate::outline::{Outline, Part, Silent, Sink};
use crate::record::parser::{le_u8, le_u32};
use crate::record::{Framing, Stored as _, describe_fields, walk_part};

/// A class: its body, without the bodies of its inner classes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Class<'a> {
    /// The name; empty for the root class.
    pub name: ByteStr<'a>,
    /// The name of the class that it inherits from; empty for none.
    pub parent: ByteStr<'a>,
    /// The address after the class and all its inner classes. `None` if the file has no such addresses: the packer armake2
    /// writes none.
    pub end: Option<u32>,
    count: u32,
    /// The number of inner classes among the entries.
    inner_count: u32,
    /// The bytes of the body.
    body: Cursor<'a>,
    /// The bytes of the entries in it.
    entries: Cursor<'a>,
}

impl<'a> Class<'a> {
    /// Reads the body of the root class at the cursor. If the file has addresses of ends, this class has one.
    pub(super) fn read_root(mut cursor: Cursor<'a>, enum_address: u32) -> Result<Self> {
        let body = cursor;
        let mut class = Self::read_entries(&mut cursor, ByteStr::new(b""))?;
        // In a file without addresses of ends, the first inner class follows the entries, or else the enums.
        let mut next = enum_address;
        // A class without inner classes need not be read again.
        if class.inner_count > 0
            && let Some(address) = class.entries().find_map(|entry| entry.class_address())
        {
            next = address;
        }
        if u64::from(next) != cursor.offset() {
            class.read_end(body, &mut cursor)?;
        }
        Ok(class)
    }

    /// Reads the body at the cursor, which ends with an address if `has_end`.
    pub(super) fn read(mut cursor: Cursor<'a>, name: ByteStr<'a>, has_end: bool) -> Result<Self> {
        let body = cursor;
        let mut class = Self::read_entries(&mut cursor, name)?;
        if has_end {
            class.read_end(body, &mut cursor)?;
        }
        Ok(class)
    }

    /// Reads the address after the entries, and adds it to the body.
    fn read_end(&mut self, body: Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<()> {
        self.end = Some(cursor.parse(context("end", le_u32()))?);
        self.body = body.up_to(*cursor);
        Ok(())
    }

    /// Reads a body without the address at its end, and moves the cursor after the entries.
    fn read_entries(cursor: &mut Cursor<'a>, name: ByteStr<'a>) -> Result<Self> {
        let body = *cursor;
        let head = cursor.parse(ClassHead::parser())?;
        let Number(count) = head.entry_count;
        // An entry takes at least two bytes, so a count that cannot fit is an error before any entry is read.
        cursor.parse(context("entry_count", peek(bytes(u64::from(count).saturating_mul(2)))))?;
        let entries = *cursor;
        let mut inner_count = Amount(0);
        for index in 0..count {
            let start = cursor.offset();
            let entry = Entry::read(cursor).within_item("entries", index as usize)?;
            if let Entry::Class(_) = entry {
                inner_count += 1;
            }
            if stop::is_due(start, cursor.offset()) && stop::is_set() {
                return Err(stop::error());
            }
        }
        let entries = entries.up_to(*cursor);
        let body = body.up_to(*cursor);
        Ok(Self { name, parent: head.parent, end: None, count, inner_count: inner_count.0, body, entries })
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if it has no entries.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of inner classes.
    pub(super) fn inner_count(&self) -> u32 {
        self.inner_count
    }

    /// Returns an iterator over all entries in order.
    pub fn entries(&self) -> Entries<'a> {
        Entries { cursor: self.entries, left: self.count }
    }

    /// Returns the offset of the body.
    pub fn offset(&self) -> u64 {
        self.body.offset()
    }

    /// Returns the size of the body in bytes.
    pub fn byte_len(&self) -> u64 {
        self.body.left()
    }

    /// Returns the offset after the body.
    pub(super) fn body_end(&self) -> u64 {
        self.offset().saturating_add(self.byte_len())
    }

    /// Describes its fields as those of the part opened last.
    pub(super) fn describe(&self, out: &mut Outline<'_>) {
        describe_fields::<ClassHead<'_>, ()>(self.body, (), out);
        let mut cursor = self.entries;
        out.list("entries");
        for index in 0..self.len() {
            if out.is_done() {
                return;
            }
            let part = Part::item("entries", index);
            let walked = Entry::walk(&mut cursor, part, out);
            out.ok(walked);
        }
        if let Some(end) = self.end {
            Framing(end).describe_at("end", Span { offset: cursor.offset(), bytes: 4 }, out);
        }
    }
}

/// An entry of a class.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Entry<'a> {
    /// An inner class.
    Class(ClassEntry<'a>),
    /// A value.
    Value(ValueEntry<'a>),
    /// An array.
    Array(ArrayEntry<'a>),
    /// The name of a class in another file.
    Extern(NamedEntry<'a>),
    /// The name of a class to delete.
    Delete(NamedEntry<'a>),
    /// Items to append to an inherited array.
    Append(ArrayEntry<'a>),
}

impl<'a> Entry<'a> {
    /// Reads the entry at the cursor.
    // With `inline` alone, inlining depends on unrelated code; without inlining, `verify` takes 7 % more instructions.
    #[inline(always)]
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        Self::walk(cursor, Part::one(""), &mut Silent)
    }

    /// Reads the entry at the cursor, and describes it to the sink as this part. The first byte is its
    /// [kind](super::EntryKind).
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, part: Part<'_>, sink: &mut impl Sink) -> Result<Self> {
        Ok(match cursor.parse(peek(le_u8()))? {
            0 => Self::Class(walk_part(cursor, (), part, sink)?),
            1 => Self::Value(walk_part(cursor, (), part, sink)?),
            2 => Self::Array(walk_part(cursor, (), part, sink)?),
            3 => Self::Extern(walk_part(cursor, (), part, sink)?),
            4 => Self::Delete(walk_part(cursor, (), part, sink)?),
            5 => Self::Append(walk_part(cursor, (), part, sink)?),
            other => return Err(cursor.error(format!("entry of unknown kind {other}")).within("kind")),
        })
    }

    /// Returns the name.
    pub fn name(&self) -> ByteStr<'a> {
        match self {
            Self::Class(entry) => entry.name,
            Self::Value(entry) => entry.name,
            Self::Array(entry) | Self::Append(entry) => entry.name,
            Self::Extern(entry) | Self::Delete(entry) => entry.name,
        }
    }

    /// Returns the address of the body, if the entry is an inner class.
    fn class_address(&self) -> Option<u32> {
        match self {
            Self::Class(entry) => Some(entry.address),
            _ => None,
        }
    }

    /// Returns the array that the entry sets or appends.
    pub fn array(&self) -> Option<Array<'a>> {
        match self {
            Self::Array(entry) | Self::Append(entry) => Some(entry.items),
            _ => None,
        }
    }

    /// Returns an iterator over all texts of a value or array, in order.
    pub fn texts(&self) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
        let own = match self {
            Self::Value(entry) => entry.value.text(),
            _ => None,
        };
        let items = self.array().map(|array| array.items());
        let item_texts = items.into_iter().flatten().filter_map(|item| item.value.text());
        own.into_iter().chain(item_texts)
    }
}

/// An iterator over the entries of a [`Class`].
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    left: u32,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    /// All entries were read before, with the class, so none fails here.
    // As for `Entry::read`.
    #[inline(always)]
    fn next(&mut self) -> Option<Entry<'a>> {
        self.left = self.left.checked_sub(1)?;
        Entry::read(&mut self.cursor).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl Entries<'_> {
    /// Returns the offset of the next entry.
    pub fn offset(&self) -> u64 {
        self.cursor.offset()
    }
}
