//! The header: entries of members, products with their properties, and the end.

use super::wire::{Fields, Method};
use crate::error::{Context, Error, Result};
use crate::view::{ByteStr, Cursor};

/// The longest name that is taken for one; the longest real one seen has 83 bytes.
const NAME_LIMIT: usize = 4096;

/// One entry of the header, as it lies there.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub(super) offset: u64,
    pub(super) name: ByteStr<'a>,
    pub(super) fields: &'a Fields,
    pub(super) properties: Cursor<'a>,
}

/// What an [`Entry`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// The archive has properties, which follow.
    Product,
    /// The archive has a member.
    Member,
    /// The header ends.
    End,
}

impl EntryKind {
    /// The word for it in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Member => "member",
            Self::End => "end",
        }
    }
}

impl<'a> Entry<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let offset = cursor.offset();
        let mut behind = *cursor;
        let name = behind.cstr()?;
        let fields = behind.read::<Fields>()?;
        if name.len() > NAME_LIMIT {
            return Err(Error::malformed(format!("name of more than {NAME_LIMIT} bytes")).at(offset));
        }
        let mut entry = Self { offset, name, fields, properties: Cursor::with_offset(&[], behind.offset()) };
        if entry.kind() == EntryKind::Product {
            let mut start = behind;
            while Property::read(&mut behind).within("properties")?.is_some() {}
            entry.properties = start.split(behind.offset().saturating_sub(start.offset()))?;
        }
        *cursor = behind;
        Ok(entry)
    }

    /// What it says. A name, even with a product's method, makes a member; no name, even with a size, the end.
    pub fn kind(&self) -> EntryKind {
        match (self.name.is_empty(), self.fields.method) {
            (false, _) => EntryKind::Member,
            (true, Method::PRODUCT) => EntryKind::Product,
            (true, _) => EntryKind::End,
        }
    }

    /// The name, empty for all but members.
    pub fn name(&self) -> ByteStr<'a> {
        self.name
    }

    /// The fields behind the name.
    pub fn fields(&self) -> &'a Fields {
        self.fields
    }

    /// The properties behind a product's fields; none for others.
    pub fn properties(&self) -> Properties<'a> {
        Properties(self.properties)
    }

    /// Where it starts.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes it takes, properties included.
    pub fn bytes(&self) -> u64 {
        [1, size_of::<Fields>() as u64, self.properties.left()]
            .into_iter()
            .fold(self.name.len() as u64, u64::saturating_add)
    }
}

/// All entries of a header, the end included; ends after that or the first error.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    ended: bool,
}

impl<'a> Entries<'a> {
    pub(super) fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, ended: false }
    }

    /// Where the next entry starts: behind the last one, where the members' bytes start.
    pub(super) fn offset(&self) -> u64 {
        self.cursor.offset()
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let entry = Entry::read(&mut self.cursor);
        self.ended = entry.as_ref().map_or(true, |entry| entry.kind() == EntryKind::End);
        Some(entry)
    }
}

/// A fact about the whole archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property<'a> {
    /// What it is called, in any case: `prefix`, `version`, `git`, ...
    pub key: ByteStr<'a>,
    /// What it says.
    pub value: ByteStr<'a>,
    /// Where the key starts.
    pub offset: u64,
}

impl<'a> Property<'a> {
    /// The pair at the cursor, which moves behind it; `None` at the empty key that ends the pairs.
    fn read(cursor: &mut Cursor<'a>) -> Result<Option<Self>> {
        let offset = cursor.offset();
        let key = cursor.cstr()?;
        if key.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { key, value: cursor.cstr()?, offset }))
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        (self.key.len() as u64).saturating_add(self.value.len() as u64).saturating_add(2)
    }
}

/// The properties of one product entry in order, repeated keys included.
#[derive(Clone, Debug)]
pub struct Properties<'a>(Cursor<'a>);

impl<'a> Iterator for Properties<'a> {
    type Item = Property<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        // The pairs were read once to find the entry's end, so they can be read.
        Property::read(&mut self.0).ok().flatten()
    }
}
