//! The header: entries of members, products with their properties, and the end.

use nom::combinator::{cut, peek};
use nom::multi::many0_count;
use nom::sequence::{preceded, terminated};

use super::wire::{Fields, Method};
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::base::word_enum::word_enum;
use crate::bytes::Cursor;
use crate::bytes::parser::cstr;
use crate::outline::{Sink, Type};
use crate::record::parser::{Grammar, cond, count, in_place, inline, long_text_to_nul, parsers, text_to_nul, verify};
use crate::record::{List, Read as _, grammar};

/// The maximum length of a name. The longest known real one has 83 bytes.
const NAME_LIMIT: usize = 4096;

grammar! {
    /// One entry of the header.
    HeaderEntry<'a> named name {
        /// The name; empty for all entries except members.
        name: ByteStr<'a> = verify(long_text_to_nul(), check_length),
        /// The fields after the name.
        fields: &'a Fields = inline(in_place()),
        /// The properties of the archive.
        properties: Option<List<'a, Property<'a>>> = cond(name.is_empty() && fields.method == Method::PRODUCT, Properties),
    }
}

grammar! {
    /// A property of the archive as a whole.
    Property<'a> named key {
        /// Key, in any case: `prefix`, `version`, `git`, ...
        key: ByteStr<'a> = text_to_nul(),
        /// Value.
        value: ByteStr<'a> = text_to_nul(),
    }
}

/// Returns an error if a name is longer than [`NAME_LIMIT`].
fn check_length(name: &ByteStr<'_>) -> Result<()> {
    if name.len() <= NAME_LIMIT {
        return Ok(());
    }
    Err(Error::malformed(format!("name of more than {NAME_LIMIT} bytes")))
}

/// One entry of the header, and its location.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub(super) record: HeaderEntry<'a>,
    /// Its offset.
    pub offset: u64,
}

word_enum! {
    /// The kind of an [`Entry`].
    pub enum EntryKind {
        /// A product: the properties of the archive follow.
        Product = "product",
        /// A member of the archive.
        Member = "member",
        /// The end of the header.
        End = "end",
    }
}

impl<'a> Entry<'a> {
    /// Reads the entry at the cursor, which does not move on an error.
    // Inlined for the same reason as `Entries::next`.
    #[inline(always)]
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let mut after = *cursor;
        let record = HeaderEntry::read(&mut after, ())?;
        let offset = cursor.offset();
        *cursor = after;
        Ok(Self { record, offset })
    }

    /// Returns the kind. A name, even with a product's method, makes a member. No name, even with a size, makes the
    /// end.
    pub fn kind(&self) -> EntryKind {
        match (self.name().is_empty(), self.fields().method) {
            (false, _) => EntryKind::Member,
            (true, Method::PRODUCT) => EntryKind::Product,
            (true, _) => EntryKind::End,
        }
    }

    /// Returns the name, empty for all but members.
    pub fn name(&self) -> ByteStr<'a> {
        self.record.name
    }

    /// Returns the fields after the name.
    pub fn fields(&self) -> &'a Fields {
        self.record.fields
    }

    /// Returns the properties after a product's fields; `None` for others.
    pub fn properties(&self) -> Option<List<'a, Property<'a>>> {
        self.record.properties
    }

    /// Returns the number of bytes it takes, including properties.
    pub fn byte_len(&self) -> u64 {
        // An empty key ends the properties; a NUL ends the name.
        let properties = self.properties().map_or(0, |list| list.byte_len().saturating_add(1));
        (Amount(self.name().len() as u64) + 1 + size_of::<Fields>() as u64 + properties).0
    }
}

/// An iterator over all entries of a header, including the end. It ends after that or after the first error.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    /// True after the end or an error.
    ended: bool,
}

impl<'a> Entries<'a> {
    /// Creates an iterator over the entries from the cursor on.
    pub(super) fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, ended: false }
    }

    /// Returns the offset of the next entry. After the last one, this is where the members' bytes start.
    pub(super) fn offset(&self) -> u64 {
        self.cursor.offset()
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>>;

    // Without the attribute, inlining depends on unrelated code; without inlining, members take a seventh more
    // instructions.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let entry = Entry::read(&mut self.cursor);
        self.ended = entry.as_ref().map_or(true, |entry| entry.kind() == EntryKind::End);
        Some(entry)
    }
}

/// A parser of pairs up to an empty key, and of the key.
#[derive(Clone, Copy)]
struct Properties;

parsers! { ['a] Properties => List<'a, Property<'a>>; }

impl<'a> Grammar<'a> for Properties {
    const TYPE: Type = Type::Varying("properties up to an empty key", 1);

    #[inline(always)]
    fn walk(&mut self, cursor: &mut Cursor<'a>, _: &'static str, _: &mut impl Sink) -> Result<List<'a, Property<'a>>> {
        let (properties, bytes) = properties_at(cursor.rest(), cursor.offset())?;
        cursor.skip(bytes)?;
        Ok(properties)
    }
}

/// Reads the properties at the start of these bytes, which are at this offset. Returns them, and the number of bytes
/// that they and the empty key after them take.
// Only one entry of an archive has properties, so this is a separate function to keep the others fast. It takes no cursor,
// which would keep that of all entries in memory.
#[inline(never)]
fn properties_at(bytes: &[u8], offset: u64) -> Result<(List<'_, Property<'_>>, u64)> {
    let mut cursor = Cursor::with_offset(bytes, offset);
    let mut after = cursor;
    // An unterminated key ends the properties; a property with an unterminated value is an error.
    let key = nom::combinator::verify(peek(cstr), |key: &ByteStr<'_>| !key.is_empty());
    // The first pass counts the properties and finds their end, the second makes a list of that many.
    let number = after.parse(terminated(many0_count(preceded(key, cut(Property::parser()))), cstr))?;
    let properties = cursor.parse(count(Property::parser(), u32::try_from(number).unwrap_or(u32::MAX)))?;
    Ok((properties, after.offset().saturating_sub(offset)))
}
