//! The records of a map by kind, and their places.

use std::marker::PhantomData;
use std::ops::{Deref, Range};

use super::index::{IndexEntry, Layout, read};
use super::map::Map;
use super::table::{Kind, Table, TableId};
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, ErrorKind, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::place::Locate;
use crate::bytes::Cursor;
use crate::bytes::by_index::Indexed;
use crate::record::Record;

/// The records of one kind, in the order of the index. Indices in the file refer to this order.
///
/// Creating one decompresses `index.bm`. Reading a record decompresses its table. Each is decompressed once for a map.
#[derive(Clone, Copy)]
pub(crate) struct List<'m, T> {
    map: &'m Map<'m>,
    /// `index.bm`.
    index_table: Table<'m>,
    version: u32,
    /// The offset of each record's entry in `index.bm`.
    positions: &'m [u32],
    record: PhantomData<T>,
}

/// A type of record in a [`List`].
pub(crate) trait Listed<'m>: Record<'m, Layout> {
    const KIND: Kind;
    const LIST: &'static str;
    const TABLE: TableId;

    /// Returns the context for reading the records of this list, which are in this table.
    fn layout(version: u32, _: &Table<'_>, _: &List<'m, Self>) -> Layout {
        Layout { version, has_switches: false }
    }
}

/// A record of a map, with its entry in the index and its position in its list.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'m, T> {
    record: T,
    pub(super) map: &'m Map<'m>,
    /// Its index entry, with name and offset.
    pub entry: IndexEntry<'m>,
    /// Its position among the records of its kind.
    pub index: usize,
    /// The table that it is in.
    pub(super) table: Table<'m>,
    pub(super) layout: Layout,
    /// The end of the record in its table.
    pub(super) end: u64,
}

impl<'m, T> Placed<'m, T> {
    /// Returns the number of bytes it takes in its table.
    pub(crate) fn record_byte_len(&self) -> u64 {
        self.end.saturating_sub(self.entry.record_offset)
    }

    /// Returns a cursor at its start.
    pub(super) fn cursor(&self) -> Cursor<'m> {
        // The offset is inside the table, because the record was read there.
        self.table.cursor(self.entry.record_offset).unwrap_or(Cursor::new(&[]))
    }
}

/// The position in table, file and list.
impl<'m, T: Listed<'m>> Locate for Placed<'m, T> {
    fn locate(&self, error: Error) -> Error {
        self.table.locate(error).within_item(T::LIST, self.index)
    }
}

impl<T> Deref for Placed<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

impl_fmt!([T: std::fmt::Debug] Debug for Placed<'_, T>, |placed| "{:?} = {:?}", placed.entry.name, placed.record);

impl<'m, T: Listed<'m>> List<'m, T> {
    /// Creates the list. Decompresses `index.bm` on first access.
    pub(super) fn new(map: &'m Map<'m>) -> Result<Self> {
        let index = map.positions()?;
        let index_table = map.source.table(TableId::Index)?;
        Ok(Self { map, index_table, version: index.version, positions: index.of(T::KIND), record: PhantomData })
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns true if there are no records.
    pub(crate) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the index entry of the record at `index`, with name and offset, or `None` after the last. Decompresses
    /// nothing.
    pub(crate) fn entry(&self, index: usize) -> Option<IndexEntry<'m>> {
        let mut cursor = self.index_table.cursor((*self.positions.get(index)?).into())?;
        read(&mut cursor, self.version).ok()
    }

    /// Returns the record at `index`, or `None` after the last.
    ///
    /// # Errors
    /// Returns an error if its table is missing or does not decompress, or if the record exceeds the table.
    pub(crate) fn get(&self, index: usize) -> Result<Option<Placed<'m, T>>> {
        self.at(index).transpose()
    }

    /// Returns an iterator over all records that ends with an error if they share too many bytes, that is, if many
    /// index entries refer to the same large record. Use it for work that grows with the content of records.
    pub(crate) fn walk(&self) -> impl Iterator<Item = Result<Placed<'m, T>>> + use<'m, T> {
        Walk { list: Self { record: PhantomData, ..*self }, indices: 0..self.len(), budget: None, is_spent: false }
    }

    /// Returns the record at `index`, or `None` after the last, and charges the budget for it. Returns an error instead
    /// if the budget is spent.
    pub(super) fn paid(&self, index: usize, budget: &mut OverlapBudget) -> Option<Result<Placed<'m, T>>> {
        if let Err(error) = budget.check() {
            return Some(Err(error));
        }
        let record = self.at(index)?;
        budget.pay(&record);
        Some(record)
    }

    /// Returns the record at `index`, or `None` after the last.
    pub(super) fn at(&self, index: usize) -> Option<Result<Placed<'m, T>>> {
        Some(self.read(self.entry(index)?, index))
    }

    /// Reads the record of this entry, which is at `index` in the list.
    fn read(&self, entry: IndexEntry<'m>, index: usize) -> Result<Placed<'m, T>> {
        let table = self.map.source.table(T::TABLE)?;
        let Some(mut cursor) = table.cursor(entry.record_offset).filter(|cursor| !cursor.is_empty()) else {
            let offset = entry.record_offset;
            let name = T::TABLE.name();
            let len = table.len();
            let error = Error::malformed(format!("OFFSET {offset} lies outside the {len} bytes of {name}"));
            return Err(self.index_table.locate(error.at(entry.offset)).within_item(T::LIST, index));
        };
        let layout = T::layout(self.version, &table, self);
        match cursor.parse(T::parser(layout)) {
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

/// Bounds the number of bytes of a table that are read record by record. Records do not overlap in real maps. If many
/// index entries refer to the same large record, this keeps the work proportional to the file.
pub(super) struct OverlapBudget {
    /// The size of the table in bytes.
    table: u64,
    /// The number of bytes that may be read.
    limit: u64,
    /// The number of bytes that may still be read.
    left: Amount<u64>,
}

/// The bytes of a small table that may be read, however often its records overlap.
const SMALL_OVERLAP: u64 = 64 << 20;

impl OverlapBudget {
    /// Creates the budget for reading all records of a table: twice its bytes, and [`SMALL_OVERLAP`].
    pub(super) fn new(map: &Map<'_>, table: TableId) -> Self {
        let table = match map.source.table(table) {
            Ok(table) => table.len(),
            // Reading the first record reports the error.
            Err(_) => 0,
        };
        let limit = Amount(table) * 2 + SMALL_OVERLAP;
        Self { table, limit: limit.0, left: limit }
    }

    /// Charges for the bytes of a record, or for the whole table if the record cannot be read, as its size is unknown.
    fn pay<T>(&mut self, record: &Result<Placed<'_, T>>) {
        match record {
            Ok(record) => self.spend(record.record_byte_len()),
            Err(_) => self.spend(self.table),
        }
    }

    /// Charges for this number of bytes.
    pub(super) fn spend(&mut self, bytes: u64) {
        self.left -= bytes;
    }

    /// Returns an error if no bytes are left.
    pub(super) fn check(&self) -> Result<()> {
        if self.left.0 > 0 {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Limit { what: "bytes in records that overlap", limit: self.limit }))
    }
}

impl_fmt!([T] Debug for List<'_, T>, |list| "List({})", list.positions.len());

impl<T> crate::base::sealed::Sealed for List<'_, T> {}

/// The records that are left, until they share too many bytes.
struct Walk<'m, T> {
    list: List<'m, T>,
    indices: Range<usize>,
    /// An empty list needs no table, so the table's size is read with the first record.
    budget: Option<OverlapBudget>,
    /// True after the error about the spent budget.
    is_spent: bool,
}

impl<'m, T: Listed<'m>> Iterator for Walk<'m, T> {
    type Item = Result<Placed<'m, T>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_spent {
            return None;
        }
        let index = self.indices.next()?;
        let budget = self.budget.get_or_insert_with(|| OverlapBudget::new(self.list.map, T::TABLE));
        // A spent budget is the last item, as an error.
        self.is_spent = budget.check().is_err();
        self.list.paid(index, budget)
    }
}
