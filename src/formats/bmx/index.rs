//! `index.bm`: the version, and the name and offset of every record of the other tables.

use nom::Parser as _;

use super::table::{Kind, Table};
use super::wire::{IndexStart, small};
use crate::base::error::{Context, Error, Result};
use crate::base::place::Locate;
use crate::base::text::Utf32Str;
use crate::bytes::Cursor;
use crate::bytes::parser::in_place;
use crate::outline::{Type, Value, next};
use crate::record::parser::utf32_with_count;
use crate::record::{Stored, grammar};

/// The context for reading a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The version of the map.
    pub version: u32,
    /// True if materials have their four switches, as in some maps of version 14.
    pub has_switches: bool,
}

/// The context for reading an index entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexPlace {
    /// The version of the map.
    pub version: u32,
    /// The offset of the entry in the index.
    pub offset: u64,
}

grammar! {
    /// One entry of `index.bm`.
    crate IndexEntry<'m>(place: IndexPlace) named name {
        /// The name. The specification requires it to be unique among records of its kind, but programs write equal and
        /// empty ones.
        #[label("NAME")] name: Utf32Str<'m> = utf32_with_count(),
        /// The kind of record.
        #[label("TYPE")] kind: Kind = small(place.version).map(Kind),
        /// Offset of the record in the table of its kind.
        #[label("OFFSET")] record_offset: u64,
        /// Offset of this entry in `index.bm`.
        let offset: u64 = place.offset;
    }
}

/// Reads the entry at the cursor, and moves the cursor after it.
pub(super) fn read<'m>(cursor: &mut Cursor<'m>, version: u32) -> Result<IndexEntry<'m>> {
    let offset = cursor.offset();
    cursor.parse(IndexEntry::parser(IndexPlace { version, offset }))
}

impl Stored for Kind {
    const TYPE: Type = Type::Varying("u8; u32 in version 10", 1);
    const CODES: &'static [(i64, &'static str)] = Self::KNOWN;

    fn value(&self) -> Option<Value<'_>> {
        Some(Value::Coded(self.0.into(), self.name().map(Into::into)))
    }
}

/// Returns the version of an index, or an error if it is not one of those that the format has.
fn known_version(start: &IndexStart) -> Result<u32> {
    match start.version.get() {
        version @ 10..=14 => Ok(version),
        version => Err(Error::unsupported(format!("map of version {version}; 10 to 14 are known")).of_version(version)),
    }
}

/// The offset of each entry of `index.bm`, by kind.
pub(super) struct Index {
    pub(super) version: u32,
    /// The offsets of the entries of each known kind. The kinds are numbered from 0.
    lists: [Vec<u32>; 4],
    /// The number of entries that can be read, of any kind.
    pub(super) entries: usize,
    /// The error that ends the entries before the end of the table.
    pub(super) broken: Option<Error>,
}

impl Index {
    /// Reads the version, and finds the offset of each entry up to the first broken one, whose error is kept.
    pub(super) fn read(table: &Table<'_>) -> Result<Self> {
        let mut cursor = Cursor::new(table.bytes);
        let version = cursor.parse(in_place().map_res(known_version))?;
        let mut index = Self { version, lists: Default::default(), entries: 0, broken: None };
        for entry in entries(cursor, version) {
            let added = match entry {
                Ok(entry) => index.add(&entry),
                Err(error) => Err(error),
            };
            if let Err(error) = added {
                index.broken = Some(table.locate(error));
                break;
            }
        }
        Ok(index)
    }

    /// Adds the offset of an entry. Passes over an entry of an unknown kind.
    fn add(&mut self, entry: &IndexEntry<'_>) -> Result<()> {
        self.entries = self.entries.saturating_add(1);
        let position = u32::try_from(entry.offset).map_err(|_| Error::unsupported("4 GB of index").at(entry.offset))?;
        if let Some(list) = self.lists.get_mut(entry.kind.0 as usize) {
            list.try_reserve(1).map_err(|_| Error::out_of_memory())?;
            list.push(position);
        }
        Ok(())
    }

    /// Returns the offsets of the entries of this kind in stored order. There are none of an unknown kind.
    pub(super) fn of(&self, kind: Kind) -> &[u32] {
        match self.lists.get(kind.0 as usize) {
            Some(list) => list,
            None => &[],
        }
    }

    /// Returns the number of records of this kind, or `None` if the index is broken, because it does not show how many
    /// there should be.
    pub(super) fn count(&self, kind: Kind) -> Option<u64> {
        if self.broken.is_some() {
            return None;
        }
        Some(self.of(kind).len() as u64)
    }
}

/// Returns an iterator over the entries from the cursor to the end of `index.bm`. It ends after an error.
pub(super) fn entries(cursor: Cursor<'_>, version: u32) -> impl Iterator<Item = Result<IndexEntry<'_>>> {
    Entries { cursor, version, index: 0 }
}

/// The entries that are left.
struct Entries<'a> {
    cursor: Cursor<'a>,
    version: u32,
    index: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<IndexEntry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() {
            return None;
        }
        let entry = read(&mut self.cursor, self.version).within_item("index_entries", next(&mut self.index));
        if entry.is_err() {
            self.cursor = Cursor::new(&[]);
        }
        Some(entry)
    }
}
