//! `mesh.bm`: positions, texture coordinates, normals and the faces that combine them.

use nom::Parser as _;

use super::index::Layout;
use super::list::Listed;
use super::table::{Kind, TableId};
use super::wire::{Face, FaceV10};
use crate::base::span::Span;
use crate::bytes::shapes::shapes;
use crate::bytes::{LeArray, Vec2, Vec3};
use crate::outline::{Outline, Type};
use crate::record::parser::{Grammar, described, le_u32, length_array};
use crate::record::{Fixed, Stored, describe_count, grammar};

grammar! {
    /// A mesh: four lists one after another, each after its count.
    Mesh<'m>(layout: Layout) {
        /// The corners' positions, in the mesh's own space.
        #[label("V_COUNT, V_LIST")] positions: LeArray<'m, Vec3> = length_array(le_u32()),
        /// The texture coordinates; v grows downwards.
        #[label("VT_COUNT, VT_LIST")] uvs: LeArray<'m, Vec2> = length_array(le_u32()),
        /// The normals.
        #[label("VN_COUNT, VN_LIST")] normals: LeArray<'m, Vec3> = length_array(le_u32()),
        /// The triangles.
        #[label("FACE_COUNT, FACE_LIST")] faces: Faces<'m> = described(counted_faces(layout), describe_faces),
    }
}

impl<'m> Listed<'m> for Mesh<'m> {
    const KIND: Kind = Kind::MESH;
    const LIST: &'static str = "meshes";
    const TABLE: TableId = TableId::Meshes;
}

shapes! {
    /// The triangles of a mesh, in place in `mesh.bm`. Those of version 10 are converted to the later layout.
    pub(crate) enum Faces<'m> of Face {
        /// From version 11 on.
        Plain(Face) = |face| *face,
        /// Version 10.
        Wide(FaceV10) = |face| Face::from(face),
    }
}

impl Stored for Faces<'_> {
    const TYPE: Type = Type::List(&Type::Record(Face::SCHEMA), 4);
}

/// Returns a parser of a count and that many triangles.
fn counted_faces<'m>(layout: Layout) -> impl Grammar<'m, Output = Faces<'m>> {
    move |input| match layout.version {
        10 => length_array(le_u32()).map(Faces::Wide).parse(input),
        _ => length_array(le_u32()).map(Faces::Plain).parse(input),
    }
}

/// Describes the triangles: their count as a field, and then all of them as an array.
fn describe_faces(faces: &Faces<'_>, name: &'static str, span: Span, out: &mut Outline<'_>) {
    describe_count(name, faces.len() as u64, span.offset, out);
    out.array(name, faces.as_table());
}

impl crate::base::sealed::Sealed for Faces<'_> {}
