//! The five tables: their source, and the memory for their decompressed bytes.

use std::ops::Range;
use std::sync::OnceLock;

use super::archive::{Archive, Entry};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::place::Locate;
use crate::base::span::Span;
use crate::base::stop;
use crate::base::word_enum::word_enum;
use crate::bytes::Cursor;
use crate::codec::deflate::Unpacked;
use crate::ranges::Data;

/// The kind of record that an index entry describes (TYPE), which determines its table. Readers skip other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Kind(pub u32);

impl Kind {
    /// An object, in `object.bm`.
    pub(crate) const OBJECT: Self = Self(0);
    /// A mesh, in `mesh.bm`.
    pub(crate) const MESH: Self = Self(1);
    /// A material, in `material.bm`.
    pub(crate) const MATERIAL: Self = Self(2);
    /// A texture, in `texture.bm`.
    pub(crate) const TEXTURE: Self = Self(3);
    /// The known kinds and their names.
    pub(super) const KNOWN: &'static [(i64, &'static str)] =
        &[(0, "object"), (1, "mesh"), (2, "material"), (3, "texture")];

    /// Returns its name, if it is known.
    pub(crate) fn name(self) -> Option<&'static str> {
        Self::KNOWN.get(self.0 as usize).map(|(_, name)| *name)
    }
}

/// The five tables of a map, already decompressed: for maps in a folder or in another archive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tables<'a> {
    /// `index.bm`.
    pub index: &'a [u8],
    /// `object.bm`.
    pub objects: &'a [u8],
    /// `mesh.bm`.
    pub meshes: &'a [u8],
    /// `material.bm`.
    pub materials: &'a [u8],
    /// `texture.bm`.
    pub textures: &'a [u8],
}

/// The source of the tables. Compressed ones are decompressed on first access, and kept.
pub(super) enum Source<'a> {
    /// The tables in the order of [`TableId::VARIANTS`].
    Tables([&'a [u8]; 5]),
    Zip(Box<Zip<'a>>),
}

impl Source<'_> {
    /// Returns true if a part of the mapped file was lost.
    pub(super) fn is_torn(&self) -> bool {
        match self {
            Self::Tables(tables) => tables.iter().any(|table| Data::Whole(table).is_torn()),
            Self::Zip(zip) => zip.archive.directory.data.is_torn(),
        }
    }
}

/// A map's zip, and its tables that were decompressed so far.
pub(super) struct Zip<'a> {
    archive: Archive<'a>,
    /// The tables in the order of [`TableId::VARIANTS`]. Each record that is read asks for its table, so the entry is
    /// looked up once.
    tables: [OnceLock<Result<ZipTable>>; 5],
}

/// A table of a zip.
struct ZipTable {
    /// The range of the data in the file.
    range: Range<u64>,
    /// The decompressed bytes, or `None` if it is stored uncompressed.
    unpacked: Option<Unpacked<u32>>,
}

impl<'a> Source<'a> {
    /// Creates the source of a map in a zip. Decompresses nothing.
    pub(super) fn zip(archive: Archive<'a>) -> Self {
        Self::Zip(Box::new(Zip { archive, tables: Default::default() }))
    }

    /// Returns the zip, if the tables come from one.
    pub(super) fn archive(&self) -> Option<&Archive<'a>> {
        match self {
            Self::Zip(zip) => Some(&zip.archive),
            Self::Tables(_) => None,
        }
    }

    /// Returns a table. Decompresses it on first access if it is compressed.
    pub(super) fn table(&self, id: TableId) -> Result<Table<'_>> {
        let zip = match self {
            Self::Tables(tables) => {
                return Ok(Table { id, bytes: id.of::<&[u8]>(tables), place: TableLocation::Nowhere });
            }
            Self::Zip(zip) => zip,
        };
        let ZipTable { range, unpacked } = zip.table(id)?;
        match unpacked {
            Some(unpacked) => {
                let place = TableLocation::Packed(range.start);
                Ok(Table { id, bytes: unpacked.as_bytes(), place })
            }
            None => {
                let bytes = zip.archive.directory.data.get(range.clone())?;
                Ok(Table { id, bytes, place: TableLocation::Stored(range.start) })
            }
        }
    }

    /// Returns the number of bytes after the DEFLATE stream of a table, or `None` if it is not compressed or cannot be
    /// decompressed.
    pub(super) fn trailing(&self, id: TableId) -> Option<u64> {
        let Self::Zip(zip) = self else { return None };
        let unpacked = zip.table(id).ok()?.unpacked.as_ref()?;
        Some(unpacked.trailing)
    }
}

impl Zip<'_> {
    /// Returns a table. Its entry is looked up and decompressed on first access.
    fn table(&self, id: TableId) -> Result<&ZipTable> {
        let kept = id.of(&self.tables);
        if let Some(Err(error)) = kept.get()
            && error.incomplete().is_some()
        {
            // Asks for the missing bytes again, so that every question about the map learns of them.
            self.open(id)?;
        }
        stop::kept(kept, || self.open(id))
    }

    /// Looks up the entry of a table, and decompresses it if it is not stored.
    fn open(&self, id: TableId) -> Result<ZipTable> {
        let Some(entry) = self.archive.find(id.name()) else {
            return Err(Error::malformed(format!("map without {}", id.name())));
        };
        let start = entry.local()?.data_offset;
        let range = start..start.saturating_add(entry.stored_byte_len());
        let unpacked = match entry.borrowed()? {
            Some(_) => None,
            None => Some(self.inflate(&entry)?),
        };
        Ok(ZipTable { range, unpacked })
    }

    /// Decompresses a table. Returns an error if all tables together exceed the limit, because all are kept.
    fn inflate(&self, entry: &Entry<'_>) -> Result<Unpacked<u32>> {
        let limit = self.archive.limits.decoded_bytes;
        if inflated_bytes(&self.archive) > limit {
            return Err(Error::limit("bytes in the tables of a map", limit, Code::DecodedBytesLimit));
        }
        entry.inflate()
    }
}

/// Returns the claimed decompressed size of all compressed tables, which are all kept in memory.
pub(super) fn inflated_bytes(archive: &Archive<'_>) -> u64 {
    let mut sum = Amount(0);
    for &id in TableId::VARIANTS {
        if let Some(entry) = archive.find(id.name()) {
            sum += entry.inflated_bytes();
        }
    }
    sum.0
}

word_enum! {
    /// One of the five tables.
    pub(crate) enum TableId {
        Index = "index.bm",
        Objects = "object.bm",
        Meshes = "mesh.bm",
        Materials = "material.bm",
        Textures = "texture.bm",
    }
}

impl TableId {
    /// Returns the item for this table from one item for each table, in the order of [`Self::VARIANTS`].
    const fn of<T>(self, [index, objects, meshes, materials, textures]: &[T; 5]) -> &T {
        match self {
            Self::Index => index,
            Self::Objects => objects,
            Self::Meshes => meshes,
            Self::Materials => materials,
            Self::Textures => textures,
        }
    }
}

/// One table, decompressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'m> {
    pub(super) id: TableId,
    pub(super) bytes: &'m [u8],
    pub(super) place: TableLocation,
}

/// The location of a table in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum TableLocation {
    /// Uncompressed, from this offset on.
    Stored(u64),
    /// Compressed, from this offset on.
    Packed(u64),
    /// Not in a file.
    Nowhere,
}

impl<'m> Table<'m> {
    /// Returns a cursor at this offset, whose offsets count from the start of the table, or `None` after its end.
    pub(super) fn cursor(&self, offset: u64) -> Option<Cursor<'m>> {
        let rest = self.bytes.get(usize::try_from(offset).ok()?..)?;
        Some(Cursor::with_offset(rest, offset))
    }

    /// Returns where in the file a range of the table is, or `None` unless it is stored uncompressed.
    pub(super) fn range_in_file(&self, range: Span) -> Option<Span> {
        match self.place {
            TableLocation::Stored(base) => Some(Span { offset: base.saturating_add(range.offset), ..range }),
            TableLocation::Packed(_) | TableLocation::Nowhere => None,
        }
    }

    /// Returns where in the decompressed data a range of the table is, or `None` unless it is compressed.
    pub(super) fn range_unpacked(&self, range: Span) -> Option<Span> {
        match self.place {
            TableLocation::Packed(_) => Some(range),
            TableLocation::Stored(_) | TableLocation::Nowhere => None,
        }
    }

    /// Returns the number of decompressed bytes.
    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// Offsets of errors in it count from its start, and become offsets in the file: exact ones if it is stored
/// uncompressed, or else the start of its compressed data.
impl Locate for Table<'_> {
    fn locate(&self, error: Error) -> Error {
        let offset = match self.place {
            // An offset outside the table is reported at its end, which is still inside the file.
            TableLocation::Stored(start) => Some(start.saturating_add(error.offset().unwrap_or(0).min(self.len()))),
            TableLocation::Packed(start) => Some(start),
            TableLocation::Nowhere => None,
        };
        error.in_table(self.id.name(), offset)
    }
}
