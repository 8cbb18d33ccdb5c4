//! The header: entries of members, products with their properties, and the end.

use nom::combinator::{cut, peek, verify};
use nom::multi::many0_count;
use nom::sequence::{preceded, terminated};

use super::wire::{Fields, Method};
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::base::word_enum::word_enum;
use crate::bytes::Cursor;
use crate::bytes::parser::cstr;
use crate::outline::{Sink, Type};
use crate::record::{Inline, List, LongText, Read, Stored, form, record};

/// The maximum length of a name. The longest known real one has 83 bytes.
const NAME_LIMIT: usize = 4096;

record! {
    /// One entry of the header.
    HeaderEntry<'a> named name {
        /// The name; empty for all entries except members.
        name: ByteStr<'a> as LongText<'a> => |name| not_too_long(name),
        /// The fields after the name.
        fields: &'a Fields as Inline<'a, Fields>,
        /// The properties of the archive.
        properties: List<'a, Property<'a>> as Properties<'a> where name.is_empty() && fields.method == Method::PRODUCT,
    }
}

record! {
    /// A property of the archive as a whole.
    Property<'a> named key {
        /// Key, in any case: `prefix`, `version`, `git`, ...
        key: ByteStr<'a>,
        /// Value.
        value: ByteStr<'a>,
    }
}

fn not_too_long(name: &ByteStr<'_>) -> Result<()> {
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
    // Inlined for the same reason as `Entries::next`.
    #[inline(always)]
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let mut after = *cursor;
        let record = HeaderEntry::read(&mut after, ())?;
        let offset = std::mem::replace(cursor, after).offset();
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
        let properties = self.properties().map_or(0, |list| list.byte_len().saturating_add(1));
        let head = (self.name().len() as u64).saturating_add(1).saturating_add(size_of::<Fields>() as u64);
        head.saturating_add(properties)
    }
}

/// An iterator over all entries of a header, including the end. It ends after that or after the first error.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    ended: bool,
}

impl<'a> Entries<'a> {
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

/// Pairs up to an empty key, and the key.
struct Properties<'a>(List<'a, Property<'a>>);

impl Stored for Properties<'_> {
    const TYPE: Type = Type::Varying("properties up to an empty key", 1);
}

impl<'a> Read<'a> for Properties<'a> {
    #[inline(always)]
    fn walk(cursor: &mut Cursor<'a>, (): (), _: &'static str, _: &mut impl Sink) -> Result<Self> {
        let (properties, after) = pairs(*cursor)?;
        *cursor = after;
        Ok(Self(properties))
    }
}

form!(['a] Properties<'a> => List<'a, Property<'a>>);

/// Reads the properties at the cursor. Returns the cursor after them, too.
// Only one entry of an archive has properties, so this is a separate function to keep the others fast. It takes a copy: a
// reference would keep the cursor of all entries in memory.
#[inline(never)]
fn pairs(mut cursor: Cursor<'_>) -> Result<(List<'_, Property<'_>>, Cursor<'_>)> {
    let mut after = cursor;
    // An unterminated key ends the properties; a property with an unterminated value is an error.
    let key = verify(peek(cstr), |key: &ByteStr<'_>| !key.is_empty());
    let count = after.parse(terminated(many0_count(preceded(key, cut(Property::parser(())))), cstr))?;
    let properties = List::of(&mut cursor, u32::try_from(count).unwrap_or(u32::MAX), ())?;
    Ok((properties, after))
}
