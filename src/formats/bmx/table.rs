//! The five tables: where each comes from, and the memory it is unpacked to.

use std::sync::OnceLock;

use super::archive::{Archive, Entry};
use crate::base::error::{Error, Result};
use crate::base::limits::flag;
use crate::base::named::named;
use crate::bytes::Cursor;
use crate::codec::deflate::Unpacked;

/// What an entry of the index describes, and so in which table it lies (TYPE). Readers skip other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u32);

impl Kind {
    /// An object, in `object.bm`.
    pub const OBJECT: Self = Self(0);
    /// A mesh, in `mesh.bm`.
    pub const MESH: Self = Self(1);
    /// A material, in `material.bm`.
    pub const MATERIAL: Self = Self(2);
    /// A texture, in `texture.bm`.
    pub const TEXTURE: Self = Self(3);
    /// The four known ones.
    pub const ALL: [Self; 4] = [Self::OBJECT, Self::MESH, Self::MATERIAL, Self::TEXTURE];

    /// Its name, if it is known.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::OBJECT => Some("object"),
            Self::MESH => Some("mesh"),
            Self::MATERIAL => Some("material"),
            Self::TEXTURE => Some("texture"),
            _ => None,
        }
    }
}

/// The five tables of a map, unpacked already: for maps that lie in a folder, or in another archive.
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

/// Where the tables come from. Those that are packed are unpacked when first asked for, and kept.
pub(super) enum Source<'a> {
    Tables(Tables<'a>),
    Zip(Box<Zip<'a>>),
}

pub(super) struct Zip<'a> {
    archive: Archive<'a>,
    unpacked: [OnceLock<Result<Unpacked<u32>>>; 5],
}

impl<'a> Source<'a> {
    pub(super) fn zip(archive: Archive<'a>) -> Self {
        Self::Zip(Box::new(Zip { archive, unpacked: Default::default() }))
    }

    pub(super) fn archive(&self) -> Option<&Archive<'a>> {
        match self {
            Self::Zip(zip) => Some(&zip.archive),
            Self::Tables(_) => None,
        }
    }

    pub(super) fn table(&self, id: TableId) -> Result<Table<'_>> {
        match self {
            Self::Tables(tables) => Ok(Table { id, bytes: id.of(tables), place: TableLocation::Nowhere }),
            Self::Zip(zip) => {
                let entry = zip
                    .archive
                    .find(id.name())
                    .ok_or_else(|| Error::malformed(format!("map without {}", id.name())))?;
                let place = entry.local()?.data_offset;
                if let Some(bytes) = entry.borrowed()? {
                    return Ok(Table { id, bytes, place: TableLocation::Stored(place) });
                }
                let bytes = zip.unpacked(id, &entry)?.as_bytes();
                Ok(Table { id, bytes, place: TableLocation::Packed(place) })
            }
        }
    }

    /// Bytes behind the DEFLATE stream of a table; `None` where it is not packed or cannot be unpacked.
    pub(super) fn trailing(&self, id: TableId) -> Option<u64> {
        let Self::Zip(zip) = self else { return None };
        let entry = zip.archive.find(id.name())?;
        if entry.borrowed().ok()?.is_some() { None } else { Some(zip.unpacked(id, &entry).ok()?.trailing) }
    }
}

impl Zip<'_> {
    fn unpacked(&self, id: TableId, entry: &Entry<'_>) -> Result<&Unpacked<u32>> {
        let [index, objects, meshes, materials, textures] = &self.unpacked;
        let cell = match id {
            TableId::Index => index,
            TableId::Objects => objects,
            TableId::Meshes => meshes,
            TableId::Materials => materials,
            TableId::Textures => textures,
        };
        let inflate = || {
            let limit = self.archive.limits().decoded_bytes;
            if inflated_bytes(&self.archive) > limit {
                return Err(Error::limit("bytes in the tables of a map", limit, flag::DECODED));
            }
            entry.inflate()
        };
        cell.get_or_init(inflate).as_ref().map_err(Error::clone)
    }
}

/// The bytes that the packed tables inflate to, by the directory's word: all of them are kept.
pub(super) fn inflated_bytes(archive: &Archive<'_>) -> u64 {
    let entries = TableId::ALL.into_iter().filter_map(|id| archive.find(id.name()));
    entries.fold(0, |sum, entry| sum.saturating_add(entry.inflated_bytes()))
}

named! {
    /// One of the five tables.
    #[allow(missing_docs)]
    pub enum TableId {
        Index = "index.bm",
        Objects = "object.bm",
        Meshes = "mesh.bm",
        Materials = "material.bm",
        Textures = "texture.bm",
    }
}

impl TableId {
    pub(super) const ALL: [Self; 5] = [Self::Index, Self::Objects, Self::Meshes, Self::Materials, Self::Textures];

    const fn of<'a>(self, tables: &Tables<'a>) -> &'a [u8] {
        match self {
            Self::Index => tables.index,
            Self::Objects => tables.objects,
            Self::Meshes => tables.meshes,
            Self::Materials => tables.materials,
            Self::Textures => tables.textures,
        }
    }
}

/// One table, readable.
#[derive(Clone, Copy, Debug)]
pub struct Table<'m> {
    pub(super) id: TableId,
    pub(super) bytes: &'m [u8],
    pub(super) place: TableLocation,
}

/// Where a table lies in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum TableLocation {
    /// As it is, from this byte on.
    Stored(u64),
    /// Packed, from this byte on.
    Packed(u64),
    /// In no file.
    Nowhere,
}

impl<'m> Table<'m> {
    /// A cursor that counts from the start of the table.
    pub(super) fn cursor(&self, offset: u64) -> Option<Cursor<'m>> {
        let rest = self.bytes.get(usize::try_from(offset).ok()?..)?;
        Some(Cursor::with_offset(rest, offset))
    }

    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// An error whose offset counts from the start of this table.
    pub(super) fn locate(&self, error: Error) -> Error {
        let offset = match self.place {
            // A place that the index claims outside the table is met at its end, which still lies in the file.
            TableLocation::Stored(start) => Some(start.saturating_add(error.offset().unwrap_or(0).min(self.len()))),
            TableLocation::Packed(start) => Some(start),
            TableLocation::Nowhere => None,
        };
        error.in_table(self.id.name(), offset)
    }
}
