//! Ballance maps, `.bmx`: five tables in a zip, after BM specification 1.4.
//!
//! | entry of the zip | holds |
//! | --- | --- |
//! | `index.bm` | VERSION, then NAME, TYPE and OFFSET of every record of the other four |
//! | `object.bm` | [`Object`]: mesh or component, world matrix, visibility, groups |
//! | `mesh.bm` | [`Mesh`]: positions, texture coordinates, normals, faces |
//! | `material.bm` | [`Material`]: colors, switches, texture |
//! | `texture.bm` | [`Texture`]: file name, and whether the game has the image |
//! | `Texture/` and a file name | an image embedded in the map |
//!
//! Objects refer to their mesh, faces to their material and materials to their texture by index: the position among the
//! index entries of that TYPE.
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z forward |
//! | handedness | left |
//! | front faces | clockwise |
//! | V | down from the top: 0 is the upper edge; programs write the negated V of Blender |
//! | quaternions | none |
//! | matrices | row by row, for row vectors (p' = p M), the translation in the last row |
//! | units | those of the game |
//!
//! [`axes`] converts points, texture coordinates, triangles and matrices to those of 3ds Max and Blender and back.
//!
//! Opening reads the zip's directory. A table is inflated on first access, once for a [`Map`], into memory that the map
//! owns and its views borrow. An uncompressed table is read in place. Images are inflated on demand and not kept.
//! Nothing else is copied, and nothing is written.
//!
//! Supports versions 10 to 14. Version 14 has two layouts, distinguished by the size of `material.bm`: programs of
//! April 2022 wrote materials of 57 bytes, all later ones write 61.
//!
//! The images of external textures and the models of [`Component`]s are in the game, not in the file.
//!
//! Inflating uses flate2 with zlib-rs, which is pure Rust. Summarizing a map with a mesh table of 77 MB (17 MB in the
//! file) takes 181 ms.

mod archive;
pub mod axes;
mod component;
mod index;
mod material;
mod mesh;
mod object;
mod outline;
mod summary;
mod table;
mod texture;
mod verify;
pub mod wire;

use std::sync::OnceLock;

pub use archive::Entry;
pub use component::Component;
pub use index::{IndexEntry, IndexPlace, Layout, List, Listed, Placed};
pub use material::Material;
pub use mesh::{Faces, Mesh};
pub use object::Object;
pub use table::{Kind, Tables};
pub use texture::Texture;

use archive::Archive;
use index::Index;
use table::{Source, TableId};

use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::limits::Limits;
use crate::base::place::Locate;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;

/// The records of the five tables.
pub(crate) const SCHEMA: &[&Schema] = &[
    wire::IndexStart::SCHEMA,
    IndexEntry::SCHEMA,
    Object::SCHEMA,
    Mesh::SCHEMA,
    wire::Face::SCHEMA,
    wire::FaceV10::SCHEMA,
    Material::SCHEMA,
    wire::Colors::SCHEMA,
    Texture::SCHEMA,
];

/// A map.
///
/// ```no_run
/// let file = meshpeek::FileMap::open("level.bmx")?;
/// let map = meshpeek::bmx::Map::parse(&file)?;
/// for mesh in map.meshes()?.iter() {
///     let mesh = mesh?;
///     println!("{}: {} triangles", mesh.entry.name, mesh.faces.len());
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub struct Map<'a> {
    source: Source<'a>,
    index: OnceLock<Result<Box<Index>>>,
    bytes: u64,
    limits: Limits,
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
        let bytes = tables.iter().map(|table| table.len() as u64).fold(0, u64::saturating_add);
        Self { source: Source::Tables(tables), index: OnceLock::new(), bytes, limits: Limits::default() }
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
    pub fn index(&self) -> Result<impl Iterator<Item = Result<IndexEntry<'_>>>> {
        let version = self.version()?;
        let table = self.source.table(TableId::Index)?;
        let entries = table.cursor(4).unwrap_or(Cursor::new(&[]));
        Ok(index::entries(entries, version).map(move |entry| entry.map_err(|error| table.locate(error))))
    }

    /// Returns the objects. Decompresses `index.bm` on first access, and `object.bm` with the first object.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub fn objects(&self) -> Result<List<'_, Object<'_>>> {
        List::new(self)
    }

    /// Returns the meshes. Decompresses `index.bm` on first access, and `mesh.bm` with the first mesh.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub fn meshes(&self) -> Result<List<'_, Mesh<'_>>> {
        List::new(self)
    }

    /// Returns the materials. Decompresses `index.bm` on first access, and `material.bm` with the first material.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub fn materials(&self) -> Result<List<'_, Material<'_>>> {
        List::new(self)
    }

    /// Returns the textures. Decompresses `index.bm` on first access, and `texture.bm` with the first texture.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub fn textures(&self) -> Result<List<'_, Texture<'_>>> {
        List::new(self)
    }

    /// Returns an iterator over the zip entries, in the directory's order. Of several with one name, returns the last.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.source.archive().into_iter().flat_map(Archive::entries)
    }

    /// Returns the comment of the zip, or `None` without a zip. Programs write `Use BM Spec 1.4`, and none reads it.
    pub fn comment(&self) -> Option<ByteStr<'_>> {
        Some(self.source.archive()?.directory.comment)
    }

    /// Returns the offsets of the index entries, read once.
    fn positions(&self) -> Result<&Index> {
        match self.index.get_or_init(|| self.read_index()) {
            Ok(index) => Ok(index),
            Err(error) => Err(error.clone()),
        }
    }

    fn read_index(&self) -> Result<Box<Index>> {
        let table = self.source.table(TableId::Index)?;
        match Index::read(&table) {
            Ok(index) => Ok(Box::new(index)),
            Err(error) => Err(table.locate(error)),
        }
    }
}

impl_fmt!([] Debug for Map<'_>, |map| "Map({} bytes)", map.bytes);
