//! `mesh.bm`: positions, texture coordinates, normals and the faces that combine them.

use std::borrow::Cow;

use super::index::{Layout, Listed};
use super::table::{Kind, TableId};
use super::wire::{Face, FaceV10};
use crate::base::error::Result;
use crate::bytes::shapes::shapes;
use crate::bytes::{Cursor, Element, LeArray, Vec2, Vec3, to_native};
use crate::outline::{Sink, Type};
use crate::record::{Fixed, Read, Stored, describe_count, record};

record! {
    /// A mesh: four lists one after another, each after its count.
    Mesh<'m>(layout: Layout) {
        /// The corners' positions, in the mesh's own space.
        positions: LeArray<'m, Vec3> = "V_COUNT, V_LIST",
        /// The texture coordinates; v grows downwards.
        uvs: LeArray<'m, Vec2> = "VT_COUNT, VT_LIST",
        /// The normals.
        normals: LeArray<'m, Vec3> = "VN_COUNT, VN_LIST",
        /// The triangles.
        faces: Faces<'m> = "FACE_COUNT, FACE_LIST" [layout],
    }
}

impl<'m> Listed<'m> for Mesh<'m> {
    const KIND: Kind = Kind::MESH;
    const LIST: &'static str = "meshes";
    const TABLE: TableId = TableId::Meshes;
}

shapes! {
    /// The triangles of a mesh, in place in `mesh.bm`. Those of version 10 are converted to the later layout.
    #[non_exhaustive]
    pub enum Faces<'m> of Face {
        /// From version 11 on.
        Plain(Face) = |face| *face,
        /// Version 10.
        Wide(FaceV10) = |face| Face::from(face),
    }
}

impl Stored for Faces<'_> {
    const TYPE: Type = Type::List(&Type::Record(Face::SCHEMA), 4);
    const GIVEN: Type = Self::TYPE;
}

impl<'m> Read<'m, Layout> for Faces<'m> {
    fn walk(cursor: &mut Cursor<'m>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let offset = cursor.offset();
        let count = cursor.u32()?.into();
        let faces = match layout.version {
            10 => Self::Wide(cursor.array(count)?),
            _ => Self::Plain(cursor.array(count)?),
        };
        sink.describe(|out| {
            describe_count(name, count, offset, out);
            out.array(name, faces.as_table());
        });
        Ok(faces)
    }
}

impl<'m> Faces<'m> {
    /// Returns all faces as native numbers. Borrows them if they are aligned, the machine is little-endian and the map
    /// is not of version 10; otherwise copies them.
    pub fn to_native(&self) -> Cow<'m, [<Face as Element>::Native]> {
        match self {
            Self::Plain(faces) => faces.to_native(),
            Self::Wide(_) => to_native(&self.iter().collect::<Vec<_>>()).into_owned().into(),
        }
    }

    /// Returns the faces as an array in place, except for version 10.
    pub fn as_array(&self) -> Option<LeArray<'m, Face>> {
        match self {
            Self::Plain(faces) => Some(*faces),
            Self::Wide(_) => None,
        }
    }
}

impl crate::base::sealed::Sealed for Faces<'_> {}
