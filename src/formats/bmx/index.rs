//! `index.bm`: the version, and a name and place for every record of the other tables.

use std::marker::PhantomData;
use std::ops::Deref;

use nom::Parser as _;

use super::Map;
use super::table::{Kind, Table, TableId};
use super::wire::{FlagSize, IndexStart};
use crate::base::error::{Context, Error, ErrorKind, Result};
use crate::base::shown::shown;
use crate::base::text::Utf32Str;
use crate::bytes::Cursor;
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::parser::in_place;
use crate::outline::{Sink, Type, Value};
use crate::record::{Known, Read, Record, Stored, record, walk_field};

/// What it takes to read a record.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub(super) version: u32,
    /// Whether materials have their four switches.
    pub(super) has_switches: bool,
}

impl Layout {
    /// Of a map of this version; materials have four switches in some maps of version 14.
    pub fn new(version: u32, has_switches: bool) -> Self {
        Self { version, has_switches }
    }

    pub(super) fn flags(&self) -> FlagSize {
        if self.version == 10 { FlagSize::Four } else { FlagSize::Byte }
    }
}

/// What it takes to read an entry of the index: the version, and where it lies.
#[derive(Clone, Copy, Debug)]
pub struct IndexPlace {
    version: u32,
    offset: u64,
}

impl IndexPlace {
    /// Of an entry at this offset of the index of a map of this version.
    pub fn new(version: u32, offset: u64) -> Self {
        Self { version, offset }
    }
}

record! {
    /// One entry of `index.bm`.
    IndexEntry<'m>(place: IndexPlace) named name {
        /// The name. The specification wants it unique in its kind; programs write equal and empty ones all the same.
        name: Utf32Str<'m> = "NAME",
        /// What it describes.
        kind: Kind = "TYPE" [place.version],
        /// Where the record starts in the table of its kind.
        record_offset: u64 = "OFFSET",
        /// Where this entry lies in `index.bm`.
        offset: u64 as Known<u64> [place.offset],
    }
}

fn read<'m>(cursor: &mut Cursor<'m>, version: u32) -> Result<IndexEntry<'m>> {
    let offset = cursor.offset();
    IndexEntry::read(cursor, IndexPlace { version, offset })
}

impl Stored for Kind {
    const TYPE: Type = Type::Varying("u8", 1);

    fn value(&self) -> Option<Value<'_>> {
        Some(Value::Coded(self.0.into(), self.name().map(Into::into)))
    }
}

/// A byte; in version 10 four.
impl<'a> Read<'a, u32> for Kind {
    fn walk(cursor: &mut Cursor<'a>, version: u32, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| match version {
            10 => cursor.u32().map(Self),
            _ => cursor.u8().map(|byte| Self(byte.into())),
        })
    }
}

fn known_version(start: &IndexStart) -> Result<u32> {
    match start.version.get() {
        version @ 10..=14 => Ok(version),
        version => Err(Error::unsupported(format!("map of version {version}; 10 to 14 are known")).of_version(version)),
    }
}

/// Where each entry of `index.bm` lies, by kind.
pub(super) struct Index {
    pub(super) version: u32,
    /// Of the kinds that are known, which are numbered from 0.
    lists: [Vec<u32>; 4],
    /// Why the entries end before the table does.
    pub(super) broken: Option<Error>,
}

impl Index {
    pub(super) fn read(table: &Table<'_>) -> Result<Self> {
        let mut cursor = Cursor::new(table.bytes);
        let version = cursor.parse(in_place().map_res(known_version))?;
        let mut index = Self { version, lists: Default::default(), broken: None };
        for entry in (Entries { cursor, version, index: 0 }) {
            match entry.and_then(|entry| index.add(&entry)) {
                Ok(()) => {}
                Err(error) => {
                    index.broken = Some(table.locate(error));
                    break;
                }
            }
        }
        Ok(index)
    }

    fn add(&mut self, entry: &IndexEntry<'_>) -> Result<()> {
        let position = u32::try_from(entry.offset).map_err(|_| Error::unsupported("4 GB of index").at(entry.offset))?;
        if let Some(list) = self.lists.get_mut(entry.kind.0 as usize) {
            list.try_reserve(1).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
            list.push(position);
        }
        Ok(())
    }

    fn of(&self, kind: Kind) -> &[u32] {
        self.lists.get(kind.0 as usize).map_or(&[], Vec::as_slice)
    }
}

/// The entries of `index.bm` in the order of the file; ends after an error.
#[derive(Clone, Debug)]
pub(super) struct Entries<'m> {
    cursor: Cursor<'m>,
    version: u32,
    index: usize,
}

impl<'m> Entries<'m> {
    pub(super) fn new(table: &Table<'m>, version: u32) -> Self {
        Self { cursor: table.cursor(4).unwrap_or(Cursor::new(&[])), version, index: 0 }
    }
}

impl<'m> Iterator for Entries<'m> {
    type Item = Result<IndexEntry<'m>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() {
            return None;
        }
        let entry = read(&mut self.cursor, self.version).within_item("index_entries", self.index);
        self.index = self.index.saturating_add(1);
        if entry.is_err() {
            self.cursor = Cursor::new(&[]);
        }
        Some(entry)
    }
}

/// The records of one kind, in the order of the index: what an index in the file counts.
///
/// Making one unpacks `index.bm`, reading a record the table that it lies in; each once for a map.
#[derive(Clone, Copy)]
pub struct List<'m, T> {
    map: &'m Map<'m>,
    table: Table<'m>,
    version: u32,
    positions: &'m [u32],
    record: PhantomData<T>,
}

/// What a [`List`] is made of.
pub trait Listed<'m>: Record<'m, Layout> {
    #[doc(hidden)]
    const KIND: Kind;
    #[doc(hidden)]
    const LIST: &'static str;
    #[doc(hidden)]
    const TABLE: TableId;

    #[doc(hidden)]
    fn layout(version: u32, _: &Table<'_>, _: &List<'m, Self>) -> Layout {
        Layout { version, has_switches: false }
    }
}

/// A record of a map, with its entry in the index and its place among its like.
#[derive(Clone, Copy)]
pub struct Placed<'m, T> {
    record: T,
    map: &'m Map<'m>,
    entry: IndexEntry<'m>,
    index: usize,
    pub(super) table: Table<'m>,
    pub(super) layout: Layout,
    /// Where it ends in its table.
    pub(super) end: u64,
}

impl<'m, T> Placed<'m, T> {
    /// The index's entry: its name and place.
    pub fn entry(&self) -> &IndexEntry<'m> {
        &self.entry
    }

    /// Its place among the records of its kind.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many bytes it takes in its table.
    pub fn record_byte_len(&self) -> u64 {
        self.end.saturating_sub(self.start())
    }

    pub(super) fn map(&self) -> &'m Map<'m> {
        self.map
    }

    /// Where it starts in its table.
    pub(super) fn start(&self) -> u64 {
        self.entry.record_offset
    }

    /// At its start.
    pub(super) fn cursor(&self) -> Cursor<'m> {
        self.table.cursor(self.start()).unwrap_or(Cursor::new(&[]))
    }
}

impl<'m, T: Listed<'m>> Placed<'m, T> {
    /// An error in the record: its place in table, file and list.
    pub(super) fn locate(&self, error: Error) -> Error {
        self.table.locate(error).within_item(T::LIST, self.index)
    }
}

impl<T> Deref for Placed<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

shown!([T: std::fmt::Debug] Debug for Placed<'_, T>, |placed| "{:?} = {:?}", placed.entry.name, placed.record);

impl<'m, T: Listed<'m>> List<'m, T> {
    pub(super) fn new(map: &'m Map<'m>) -> Result<Self> {
        let index = map.positions()?;
        let table = map.table(TableId::Index)?;
        Ok(Self { map, table, version: index.version, positions: index.of(T::KIND), record: PhantomData })
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The index's entry for the record at `index`: its name and place. Unpacks nothing.
    pub fn entry(&self, index: usize) -> Option<IndexEntry<'m>> {
        let mut cursor = self.table.cursor((*self.positions.get(index)?).into())?;
        read(&mut cursor, self.version).ok()
    }

    /// The record at `index`; `None` behind the last.
    ///
    /// # Errors
    /// Where its table is missing or does not unpack, or the record does not fit in.
    pub fn get(&self, index: usize) -> Result<Option<Placed<'m, T>>> {
        self.at(index).transpose()
    }

    /// All records in order.
    pub fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(Self { record: PhantomData, ..*self }, self.len())
    }

    /// All records in order, as long as they do not share bytes without measure: ends in an error where many entries of
    /// the index name the same large record. For work that grows with what is in a record.
    pub fn walk(&self) -> impl Iterator<Item = Result<Placed<'m, T>>> + use<'m, T> {
        let list = Self { record: PhantomData, ..*self };
        // A list without records needs no table, so its size is asked for with the first.
        let mut budget = None;
        let mut spent = false;
        (0..self.len()).map_while(move |index| {
            let record = list.at(index).filter(|_| !spent)?;
            let paid = budget.get_or_insert_with(|| OverlapBudget::new(list.map, T::TABLE)).pay(&record);
            spent = paid.is_err();
            Some(paid.and(record))
        })
    }

    /// The record at `index`, if there is one.
    pub(super) fn at(&self, index: usize) -> Option<Result<Placed<'m, T>>> {
        Some(self.read(self.entry(index)?, index))
    }

    fn read(&self, entry: IndexEntry<'m>, index: usize) -> Result<Placed<'m, T>> {
        let table = self.map.table(T::TABLE)?;
        let Some(mut cursor) = table.cursor(entry.record_offset).filter(|cursor| !cursor.is_empty()) else {
            let (offset, name, len) = (entry.record_offset, T::TABLE.name(), table.len());
            let error = Error::malformed(format!("OFFSET {offset} lies outside the {len} bytes of {name}"));
            return Err(self.table.locate(error.at(entry.offset)).within_item(T::LIST, index));
        };
        let layout = T::layout(self.version, &table, self);
        match T::read(&mut cursor, layout) {
            Ok(record) => Ok(Placed { record, map: self.map, entry, index, table, layout, end: cursor.offset() }),
            Err(error) => Err(table.locate(error).within_item(T::LIST, index)),
        }
    }
}

impl<'m, T: Listed<'m>> Indexed for List<'m, T> {
    type Item = Result<Placed<'m, T>>;

    fn item(&self, index: usize) -> Option<Self::Item> {
        self.at(index)
    }
}

/// How many bytes of a table may be looked at record by record. Records lie apart in real maps; where many entries of
/// the index name the same large one, this is what keeps the work in proportion to the file.
pub(super) struct OverlapBudget {
    table: u64,
    limit: u64,
    left: u64,
}

impl OverlapBudget {
    pub(super) fn new(map: &Map<'_>, table: TableId) -> Self {
        let table = map.table(table).map_or(0, |table| table.len());
        let limit = table.saturating_mul(64).saturating_add(1 << 16);
        Self { table, limit, left: limit }
    }

    /// Takes the bytes of a record off; of one without an end, all that follow.
    pub(super) fn pay<T>(&mut self, record: &Result<Placed<'_, T>>) -> Result<()> {
        self.check()?;
        self.spend(record.as_ref().map_or(self.table, |record| record.record_byte_len()));
        Ok(())
    }

    pub(super) fn spend(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.left > 0 {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Limit { what: "bytes in records that overlap", limit: self.limit, flag: None }))
    }
}

shown!([T] Debug for List<'_, T>, |list| "List({})", list.positions.len());

impl<T> crate::base::sealed::Sealed for List<'_, T> {}
