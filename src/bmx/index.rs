//! `index.bm`: the version, and a name and place for every record of the other tables.

use std::marker::PhantomData;

use super::Map;
use super::table::{Kind, Table, TableId};
use crate::error::{Context, Error, ErrorKind, Result};
use crate::view::{Cursor, Utf32Str};

/// One entry of `index.bm`.
#[derive(Clone, Copy, Debug)]
pub struct IndexEntry<'m> {
    /// The name (NAME). The specification wants it unique in its kind; programs write equal and empty ones all the same.
    pub name: Utf32Str<'m>,
    /// What it describes (TYPE).
    pub kind: Kind,
    /// Where the record starts in the table of its kind (OFFSET).
    pub record_offset: u64,
    /// Where this entry lies in `index.bm`.
    pub offset: u64,
}

impl<'m> IndexEntry<'m> {
    fn read(cursor: &mut Cursor<'m>, version: u32) -> Result<Self> {
        let offset = cursor.offset();
        let name = cursor.utf32()?;
        let kind = if version == 10 { cursor.u32()? } else { cursor.u8()?.into() };
        Ok(Self { name, kind: Kind(kind), record_offset: cursor.u64()?, offset })
    }
}

/// Where each entry of `index.bm` lies, by kind.
pub(super) struct Index {
    pub(super) version: u32,
    lists: [Vec<u32>; 4],
    /// Of kinds that are not known.
    unknown: Vec<u32>,
    /// Why the entries end before the table does.
    pub(super) broken: Option<Error>,
}

impl Index {
    pub(super) fn read(table: &Table<'_>) -> Result<Self> {
        let mut cursor = Cursor::new(table.bytes);
        let version = cursor.u32()?;
        if !(10..=14).contains(&version) {
            return Err(Error::unsupported(format!("map of version {version}; 10 to 14 are known"))
                .at(0)
                .of_version(version));
        }
        let mut index = Self { version, lists: Default::default(), unknown: Vec::new(), broken: None };
        for entry in (Entries { cursor, version }) {
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
        let [objects, meshes, materials, textures] = &mut self.lists;
        let list = match entry.kind {
            Kind::OBJECT => objects,
            Kind::MESH => meshes,
            Kind::MATERIAL => materials,
            Kind::TEXTURE => textures,
            _ => &mut self.unknown,
        };
        list.try_reserve(1).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
        list.push(position);
        Ok(())
    }

    fn of(&self, kind: Kind) -> &[u32] {
        let [objects, meshes, materials, textures] = &self.lists;
        match kind {
            Kind::OBJECT => objects,
            Kind::MESH => meshes,
            Kind::MATERIAL => materials,
            Kind::TEXTURE => textures,
            _ => &self.unknown,
        }
    }
}

/// The entries of `index.bm` in the order of the file; ends after an error.
#[derive(Clone, Debug)]
pub(super) struct Entries<'m> {
    cursor: Cursor<'m>,
    version: u32,
}

impl<'m> Entries<'m> {
    pub(super) fn new(table: &Table<'m>, version: u32) -> Self {
        Self { cursor: table.cursor(4).unwrap_or(Cursor::new(&[])), version }
    }
}

impl<'m> Iterator for Entries<'m> {
    type Item = Result<IndexEntry<'m>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() {
            return None;
        }
        let entry = IndexEntry::read(&mut self.cursor, self.version);
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
pub trait Record<'m>: Sized {
    #[doc(hidden)]
    const KIND: Kind;
    #[doc(hidden)]
    const LIST: &'static str;
    #[doc(hidden)]
    const TABLE: Tabled;
    #[doc(hidden)]
    fn read(map: &'m Map<'m>, at: At<'m>) -> Result<Self>;
    /// Where it lies.
    #[doc(hidden)]
    fn at(&self) -> &At<'m>;
    /// Where it starts in its table.
    #[doc(hidden)]
    fn start(&self) -> u64 {
        self.at().entry.record_offset
    }
    /// Where it ends in its table.
    #[doc(hidden)]
    fn end(&self) -> Result<u64>;
}

/// The table of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Tabled(pub(super) TableId);

/// Where a record lies.
#[derive(Clone, Copy, Debug)]
pub struct At<'m> {
    pub(super) table: Table<'m>,
    pub(super) entry: IndexEntry<'m>,
    pub(super) index: usize,
    pub(super) version: u32,
}

impl<'m> At<'m> {
    /// The bytes from the record's start to the end of its table.
    pub(super) fn cursor(&self) -> Cursor<'m> {
        self.table.cursor(self.entry.record_offset).unwrap_or(Cursor::new(&[]))
    }

    /// An error in the record: its place in table, file and list.
    pub(super) fn locate(&self, error: Error, list: &'static str) -> Error {
        self.table.locate(error).within_item(list, self.index)
    }
}

impl<'m, T: Record<'m>> List<'m, T> {
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
        IndexEntry::read(&mut cursor, self.version).ok()
    }

    /// The record at `index`; an error where its table is missing or does not unpack, or the record does not fit in.
    pub fn get(&self, index: usize) -> Option<Result<T>> {
        Some(self.read(self.entry(index)?, index))
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = Result<T>> + use<'m, T> {
        let list = Self { record: PhantomData, ..*self };
        (0..self.len()).map_while(move |index| list.get(index))
    }

    /// All records in order, as long as they do not share bytes without measure: ends in an error where many entries of
    /// the index name the same large record. For work that grows with what is in a record.
    pub fn walk(&self) -> impl Iterator<Item = Result<T>> + use<'m, T> {
        let list = Self { record: PhantomData, ..*self };
        // A list without records needs no table, so its size is asked for with the first.
        let mut budget = None;
        let mut spent = false;
        (0..self.len()).map_while(move |index| {
            let record = list.get(index).filter(|_| !spent)?;
            let paid = budget.get_or_insert_with(|| Budget::new(list.map, T::TABLE.0)).pay(&record);
            spent = paid.is_err();
            Some(paid.and(record))
        })
    }

    fn read(&self, entry: IndexEntry<'m>, index: usize) -> Result<T> {
        let table = self.map.table(T::TABLE.0)?;
        if entry.record_offset >= table.len() {
            let (offset, name, len) = (entry.record_offset, T::TABLE.0.file_name(), table.len());
            let error = Error::malformed(format!("OFFSET {offset} lies outside the {len} bytes of {name}"));
            return Err(self.table.locate(error.at(entry.offset)).within_item(T::LIST, index));
        }
        let at = At { table, entry, index, version: self.version };
        T::read(self.map, at).map_err(|error| at.locate(error, T::LIST))
    }
}

/// How many bytes of a table may be looked at record by record. Records lie apart in real maps; where many entries of
/// the index name the same large one, this is what keeps the work in proportion to the file.
pub(super) struct Budget {
    table: u64,
    limit: u64,
    left: u64,
}

impl Budget {
    pub(super) fn new(map: &Map<'_>, table: TableId) -> Self {
        let table = map.table(table).map_or(0, |table| table.len());
        let limit = table.saturating_mul(64).saturating_add(1 << 16);
        Self { table, limit, left: limit }
    }

    /// Takes the bytes of a record off; of one without an end, all that follow.
    pub(super) fn pay<'m, T: Record<'m>>(&mut self, record: &Result<T>) -> Result<()> {
        self.check()?;
        if let Ok(record) = record {
            self.spend(record.end().unwrap_or(self.table).saturating_sub(record.start()));
        }
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

impl<T> std::fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "List({})", self.positions.len())
    }
}
