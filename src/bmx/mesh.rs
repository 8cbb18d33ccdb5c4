//! `mesh.bm`: positions, texture coordinates, normals and the faces that combine them.

use super::Map;
use super::index::{At, IndexEntry, Record, Tabled};
use super::table::{Kind, TableId};
use super::wire::{Face, WideFace};
use crate::error::{Context, Error, Result};
use crate::view::{Cursor, Element, LeArray, Table, Vec2, Vec3};

/// A mesh. Its four lists lie one behind the other, each behind its count; reaching one reads the counts before it.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'m> {
    at: At<'m>,
}

impl<'m> Record<'m> for Mesh<'m> {
    const KIND: Kind = Kind::MESH;
    const LIST: &'static str = "meshes";
    const TABLE: Tabled = Tabled(TableId::Meshes);

    fn read(_: &'m Map<'m>, at: At<'m>) -> Result<Self> {
        Ok(Self { at })
    }

    fn at(&self) -> &At<'m> {
        &self.at
    }

    fn end(&self) -> Result<u64> {
        self.last().map(|(_, end)| end)
    }
}

/// The lists in the order stored: their names, and the bytes of an element.
const LISTS: [(&str, usize); 3] =
    [("positions", size_of::<Vec3>()), ("uvs", size_of::<Vec2>()), ("normals", size_of::<Vec3>())];

impl<'m> Mesh<'m> {
    /// The index's entry: its name and place.
    pub fn entry(&self) -> &IndexEntry<'m> {
        &self.at.entry
    }

    /// Its place among the meshes.
    pub fn index(&self) -> usize {
        self.at.index
    }

    /// The corners' positions, in the mesh's own space (V_LIST).
    ///
    /// # Errors
    /// Where they do not fit in the table.
    pub fn positions(&self) -> Result<LeArray<'m, Vec3>> {
        self.list(0, "positions").map(|(list, _)| list)
    }

    /// The texture coordinates; v grows downwards (VT_LIST).
    ///
    /// # Errors
    /// Where they, or the positions before them, do not fit in the table.
    pub fn uvs(&self) -> Result<LeArray<'m, Vec2>> {
        self.list(1, "uvs").map(|(list, _)| list)
    }

    /// The normals (VN_LIST).
    ///
    /// # Errors
    /// Where they, or a list before them, do not fit in the table.
    pub fn normals(&self) -> Result<LeArray<'m, Vec3>> {
        self.list(2, "normals").map(|(list, _)| list)
    }

    /// The triangles (FACE_LIST).
    ///
    /// # Errors
    /// Where they, or a list before them, do not fit in the table.
    pub fn faces(&self) -> Result<Faces<'m>> {
        self.last().map(|(faces, _)| faces)
    }

    /// The faces, and where the record ends in its table.
    fn last(&self) -> Result<(Faces<'m>, u64)> {
        if self.at.version == 10 {
            self.list(3, "faces").map(|(list, end)| (Faces::Wide(list), end))
        } else {
            self.list(3, "faces").map(|(list, end)| (Faces::Plain(list), end))
        }
    }

    /// The list behind so many others, and where it ends.
    fn list<T: Element>(&self, number: usize, name: &'static str) -> Result<(LeArray<'m, T>, u64)> {
        let mut cursor = self.at.cursor();
        for (name, size) in LISTS.into_iter().take(number) {
            let skipped = skip(&mut cursor, size);
            skipped.map_err(|error| self.locate(error.within(name)))?;
        }
        let list = cursor.u32().and_then(|count| cursor.array(count.into()));
        list.map(|list| (list, cursor.offset())).map_err(|error| self.locate(error.within(name)))
    }

    pub(super) fn locate(&self, error: Error) -> Error {
        self.at.locate(error, Self::LIST)
    }
}

fn skip(cursor: &mut Cursor<'_>, size: usize) -> Result<()> {
    let count = cursor.u32()?;
    cursor.skip(u64::from(count).saturating_mul(size as u64))
}

/// The triangles of a mesh, in place.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Faces<'m> {
    /// From version 11 on.
    Plain(LeArray<'m, Face>),
    /// Of version 10.
    Wide(LeArray<'m, WideFace>),
}

impl<'m> Faces<'m> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Plain(faces) => faces.len(),
            Self::Wide(faces) => faces.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The face at `index`; one of version 10 in the shape of later ones.
    pub fn get(&self, index: usize) -> Option<Face> {
        match self {
            Self::Plain(faces) => faces.get(index).copied(),
            Self::Wide(faces) => faces.get(index).map(Face::from),
        }
    }

    /// All faces in order.
    pub fn iter(&self) -> impl Iterator<Item = Face> + use<'m> {
        let faces = *self;
        (0..self.len()).map_while(move |index| faces.get(index))
    }

    /// The faces as an array in place, unless of version 10.
    pub fn as_array(&self) -> Option<LeArray<'m, Face>> {
        match self {
            Self::Plain(faces) => Some(*faces),
            Self::Wide(_) => None,
        }
    }

    /// The bytes as stored.
    pub fn as_bytes(&self) -> &'m [u8] {
        match self {
            Self::Plain(faces) => faces.as_bytes(),
            Self::Wide(faces) => faces.as_bytes(),
        }
    }

    /// Where the first lies in `mesh.bm`.
    pub fn offset(&self) -> u64 {
        match self {
            Self::Plain(faces) => faces.offset(),
            Self::Wide(faces) => faces.offset(),
        }
    }

    /// The faces as an array of whichever shape.
    pub fn as_table(&self) -> &dyn Table {
        match self {
            Self::Plain(faces) => faces,
            Self::Wide(faces) => faces,
        }
    }
}
