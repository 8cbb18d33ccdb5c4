//! A map, opened by its zip.

use std::sync::OnceLock;

use super::archive::{Archive, Entry};
use super::index::{self, Index, IndexEntry};
use super::table::{Source, TableId, Tables};
use super::wire::IndexStart;
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::limits::Limits;
use crate::base::place::Locate;
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::ranges::Data;

/// A map.
///
/// ```no_run
/// use meshpeek::Inspect;
/// let file = meshpeek::FileMap::open("level.bmx")?;
/// let map = meshpeek::bmx::Map::parse(&file)?;
/// println!("{} meshes", map.summarize().counts.get("meshes").unwrap_or(0));
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub struct Map<'a> {
    pub(super) source: Source<'a>,
    /// The offsets of the index entries, once they were read.
    pub(super) index: OnceLock<Result<Box<Index>>>,
    /// The size of the file, or of the tables together without a file.
    pub(super) bytes: u64,
    pub(super) limits: Limits,
}

impl<'a> Map<'a> {
    /// Opens a map. Reads and copies the zip's directory; decompresses nothing.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a zip, or are a zip of a kind that maps must not be (zip64, several disks,
    /// two end records). Returns [`Unsupported`](crate::ErrorKind::Unsupported) if it has no `index.bm`, and
    /// [`Limit`](crate::ErrorKind::Limit) for more entries than [`Limits::archive_members`].
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a map like [`parse`](Self::parse), with these limits, of a file that may be available only in ranges.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let archive = Archive::parse(data, limits)?;
        if archive.find(TableId::Index.name()).is_none() {
            return Err(Error::unsupported("zip archive without index.bm, so no Ballance map"));
        }
        Ok(Self { source: Source::zip(archive), index: OnceLock::new(), bytes: data.size(), limits: *limits })
    }

    /// Creates a map from decompressed tables. It has no images and no zip entries.
    pub fn from_tables(tables: Tables<'a>) -> Self {
        let Tables { index, objects, meshes, materials, textures } = tables;
        let tables = [index, objects, meshes, materials, textures];
        let mut bytes = Amount(0);
        for table in &tables {
            bytes += table.len() as u64;
        }
        Self { source: Source::Tables(tables), index: OnceLock::new(), bytes: bytes.0, limits: Limits::default() }
    }

    /// Returns the version, 10 to 14 (VERSION). Decompresses `index.bm` on first access.
    ///
    /// # Errors
    /// Returns an error if `index.bm` does not decompress or is too short, or if the version is not supported.
    pub fn version(&self) -> Result<u32> {
        Ok(self.positions()?.version)
    }

    /// Returns an iterator over the entries of `index.bm` in stored order, including those of unknown kinds.
    /// Decompresses it on first access. The iterator ends after an error.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub(crate) fn index(&self) -> Result<impl Iterator<Item = Result<IndexEntry<'_>>>> {
        let version = self.version()?;
        let table = self.source.table(TableId::Index)?;
        // The entries follow the version, which was read.
        let entries = table.cursor(size_of::<IndexStart>() as u64).unwrap_or(Cursor::new(&[]));
        Ok(index::entries(entries, version).map(move |entry| entry.map_err(|error| table.locate(error))))
    }

    /// Returns an iterator over the zip entries, in the directory's order. Of several with one name, returns the last.
    /// Returns none without a zip.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.source.archive().into_iter().flat_map(Archive::entries)
    }

    /// Returns the comment of the zip, or `None` without a zip. Programs write `Use BM Spec 1.4`, and none reads it.
    pub(crate) fn comment(&self) -> Option<ByteStr<'_>> {
        Some(self.source.archive()?.directory.comment)
    }

    /// Returns the offsets of the index entries, read once.
    pub(super) fn positions(&self) -> Result<&Index> {
        let index = stop::kept(&self.index, || self.read_index())?;
        Ok(index)
    }

    /// Reads the version of `index.bm`, and finds its entries.
    fn read_index(&self) -> Result<Box<Index>> {
        let table = self.source.table(TableId::Index)?;
        match Index::read(&table) {
            Ok(index) => Ok(Box::new(index)),
            Err(error) => Err(table.locate(error)),
        }
    }
}

impl_fmt!([] Debug for Map<'_>, |map| "Map({} bytes)", map.bytes);
