//! Geometry: the MESH, VRTS, TRIS and BONE chunks.

use std::borrow::Cow;
use std::num::NonZeroU32;

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::wire::{ChunkHeader, MeshHead, Triangle, VertexLayout, Weight};
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::bytes::array::column;
use crate::bytes::batch::{RowSink, write_batched};
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::chunk::{Chunk, Chunks, Tag};
use crate::bytes::{Color, Column, Cursor, InPlace, LeArray, Packing, Scalar, Storage, Strided, Table, Vec2, Vec3};
use crate::outline::{FieldInfo, Rule, Schema, Type};
use crate::record::parser::{in_place, inline, interleaved, le_i32, rest_array, verify};
use crate::record::{Interleaved, Layout, Read as _, Stored as _, grammar};

/// A mesh: a list of vertices, and groups of triangles, each with a brush.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    /// The MESH chunk itself.
    pub chunk: Chunk<'a, ChunkHeader>,
    /// The brush for triangles without one, as stored: -1 is no brush.
    pub brush_id: i32,
    /// The offset of the first VRTS chunk in the body. Never 0, because the id is at the start.
    vertices: Option<NonZeroU32>,
}

impl<'a> Mesh<'a> {
    /// Parses a MESH chunk. Finds its vertices among its children, in time linear in their number.
    #[inline(always)]
    pub(super) fn parse(chunk: Chunk<'a, ChunkHeader>) -> Result<Self> {
        let mut children = chunk.body();
        let brush_id = children.parse(in_place::<MeshHead>()).within("brush_id")?.brush_id.get();
        let mut chunks = Chunks::<ChunkHeader>::new(children).flatten();
        let first_vrts = chunks.find(|child| child.tag() == Tag(*b"VRTS"));
        let mut vertices = None;
        if let Some(child) = first_vrts {
            let place = child.offset().saturating_sub(chunk.body().offset());
            vertices = u32::try_from(place).ok().and_then(NonZeroU32::new);
        }
        Ok(Self { chunk, brush_id, vertices })
    }

    /// Returns its vertices, which all its triangles share: the first VRTS.
    ///
    /// # Errors
    /// Returns an error if there are none, or if [`Vertices`] cannot be read.
    pub fn vertices(&self) -> Result<Vertices<'a>> {
        Vertices::parse(&self.vertices_chunk()?)
    }

    /// Returns an iterator over its groups of triangles in file order.
    pub fn triangles(&self) -> impl Iterator<Item = Result<Triangles<'a>>> + use<'a> {
        let mesh = *self;
        self.chunks()
            .flatten()
            .filter(|child| child.tag() == Tag(*b"TRIS"))
            .enumerate()
            .map(move |(index, child)| Triangles::parse(&child, mesh.brush_id).within_item("triangles", index))
    }

    /// Returns all its chunks in file order, including unknown ones.
    pub fn chunks(&self) -> Chunks<'a, ChunkHeader> {
        Chunks::new(self.children())
    }

    /// Returns a cursor at its first chunk.
    pub(super) fn children(&self) -> Cursor<'a> {
        let mut body = self.chunk.body();
        // The id was read when the mesh was parsed.
        let _ = body.parse(le_i32());
        body
    }

    /// Returns its first VRTS chunk, or an error if it has none.
    pub(super) fn vertices_chunk(&self) -> Result<Chunk<'a, ChunkHeader>> {
        if let Some(place) = self.vertices {
            let mut body = self.chunk.body();
            body.skip(place.get().into())?;
            if let Some(chunk) = Chunk::next(&mut body)? {
                return Ok(chunk);
            }
        }
        Err(Error::malformed("mesh without a VRTS chunk").at(self.chunk.offset()))
    }
}

grammar! {
    /// The vertices of a mesh: columns over one array of records (VRTS).
    ///
    /// Space: left-handed, +X right, +Y up, +Z forward, relative to the mesh's node. V of texture coordinates grows
    /// downwards.
    Vertices<'a> {
        /// The columns.
        layout: &'a VertexLayout = verify(inline(in_place()), |layout| check_tex_coords(layout)),
        /// The vertices as stored.
        #[label("x")] records: Interleaved<'a, &'a VertexLayout> = interleaved(layout),
    }
}

/// The stored form of a vertex.
pub(super) const VERTEX: &Schema = &Schema {
    name: "Vertex",
    doc: " One vertex: an element of `records` in `Vertices`.",
    fields: &[
        FieldInfo::column("position", "x, y, z", Vec3::TYPE, " Position, relative to the mesh's node."),
        FieldInfo::column("normal", "nx, ny, nz", Vec3::TYPE, " Normal. Some writers do not scale it to length 1.")
            .when("vertex_flags & 1 != 0"),
        FieldInfo::column("color", "red, green, blue, alpha", Color::TYPE, " Red, green, blue and alpha.")
            .when("vertex_flags & 2 != 0")
            .ruled(Rule::Range(0, 1)),
        FieldInfo::column(
            "tex_coords",
            "tex_coords",
            Type::Varying("f32[]", 0),
            " Texture coordinates: `tex_coord_sets` sets of `tex_coord_set_size` numbers.",
        ),
    ],
};

/// Checks that the format allows this number of texture coordinate sets and of components in each.
fn check_tex_coords(layout: &VertexLayout) -> Result<()> {
    let sets = layout.tex_coord_sets.get();
    let size = layout.tex_coord_set_size.get();
    if (0..=8).contains(&sets) && (0..=4).contains(&size) {
        return Ok(());
    }
    Err(Error::malformed(format!("{sets} texture coordinate sets of {size}, at most 8 of 4 are allowed")))
}

impl VertexLayout {
    /// Returns true if vertices have a normal: bit 1 of the flags.
    fn has_normals(&self) -> bool {
        self.vertex_flags.get() & 1 != 0
    }

    /// Returns true if vertices have a color: bit 2 of the flags.
    fn has_colors(&self) -> bool {
        self.vertex_flags.get() & 2 != 0
    }

    /// Returns the number of sets of texture coordinates. A negative one, which `Vertices` refuses, is 0.
    fn sets(&self) -> usize {
        usize::try_from(self.tex_coord_sets.get()).unwrap_or(0)
    }

    /// Returns the number of components of each set. A negative one, which `Vertices` refuses, is 0.
    fn set_size(&self) -> usize {
        usize::try_from(self.tex_coord_set_size.get()).unwrap_or(0)
    }

    /// Returns the number of bytes that one set takes in a vertex.
    fn set_bytes(&self) -> usize {
        self.set_size().saturating_mul(4)
    }

    /// Returns the byte of a vertex at which its texture coordinates start.
    fn tex_coords_column(&self) -> usize {
        // The position takes 12 bytes, a normal 12, a color 16.
        match (self.has_normals(), self.has_colors()) {
            (false, false) => 12,
            (true, false) => 24,
            (false, true) => 28,
            (true, true) => 40,
        }
    }
}

impl crate::base::sealed::Sealed for VertexLayout {}

impl Layout for &VertexLayout {
    const TYPE: Type = Type::List(&Type::Record(VERTEX), 0);

    fn stride(&self) -> usize {
        (Amount(self.sets()) * self.set_bytes() + self.tex_coords_column()).0
    }

    fn columns(&self) -> Vec<Column> {
        const POSITION: [&str; 3] = ["x", "y", "z"];
        const NORMAL: [&str; 3] = ["normal_x", "normal_y", "normal_z"];
        const COLOR: [&str; 4] = ["color_r", "color_g", "color_b", "color_a"];
        const UVS: [[&str; 4]; 8] = [
            ["uv0_u", "uv0_v", "uv0_w", "uv0_q"],
            ["uv1_u", "uv1_v", "uv1_w", "uv1_q"],
            ["uv2_u", "uv2_v", "uv2_w", "uv2_q"],
            ["uv3_u", "uv3_v", "uv3_w", "uv3_q"],
            ["uv4_u", "uv4_v", "uv4_w", "uv4_q"],
            ["uv5_u", "uv5_v", "uv5_w", "uv5_q"],
            ["uv6_u", "uv6_v", "uv6_w", "uv6_q"],
            ["uv7_u", "uv7_v", "uv7_w", "uv7_q"],
        ];
        let mut names = POSITION.to_vec();
        if self.has_normals() {
            names.extend(NORMAL);
        }
        if self.has_colors() {
            names.extend(COLOR);
        }
        for set in UVS.iter().take(self.sets()) {
            names.extend(set.iter().take(self.set_size()));
        }
        names.into_iter().map(|name| Column::new(name, Scalar::F32)).collect()
    }
}

impl<'a> Vertices<'a> {
    /// Parses a VRTS chunk, which must be complete.
    #[inline(always)]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>) -> Result<Self> {
        Self::read(&mut chunk.whole()?, ())
    }

    /// Returns the bits of the columns that are present, as stored: 1 normals, 2 colors. Other bits have no meaning and
    /// no bytes.
    pub fn flags(&self) -> u32 {
        self.layout.vertex_flags.get()
    }

    /// Returns the number of sets of texture coordinates (`tex_coord_sets`), 0 to 8.
    pub fn sets(&self) -> usize {
        self.layout.sets()
    }

    /// Returns the number of components of each set (`tex_coord_set_size`), 0 to 4.
    pub fn set_size(&self) -> usize {
        self.layout.set_size()
    }

    /// Returns the distance from one vertex to the next, in bytes: 12 to 168.
    pub fn stride(&self) -> usize {
        self.records.stride()
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns true if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the positions, in the author's units.
    pub fn positions(&self) -> Strided<'a, Vec3> {
        self.records.column(0)
    }

    /// Returns the normals, if the vertices have them. They should have length 1; real files contain some of length 0.
    pub fn normals(&self) -> Option<Strided<'a, Vec3>> {
        // Normals come right after the positions, which take 12 bytes.
        if self.layout.has_normals() { Some(self.records.column(12)) } else { None }
    }

    /// Returns the colors, if the vertices have them.
    pub fn colors(&self) -> Option<Strided<'a, Color>> {
        if !self.layout.has_colors() {
            return None;
        }
        // Colors come after the position and the normal, 12 bytes each.
        let start = if self.layout.has_normals() { 24 } else { 12 };
        Some(self.records.column(start))
    }

    /// Returns one set of texture coordinates, counted from 0, or `None` if there is no such set.
    pub fn tex_coords(&self, set: usize) -> Option<TexCoords<'a>> {
        if set >= self.sets() {
            return None;
        }
        let column = (Amount(set) * self.layout.set_bytes() + self.layout.tex_coords_column()).0;
        Some(TexCoords { records: self.records, column })
    }
}

/// One set of texture coordinates: a column whose width is only known at run time.
#[derive(Clone, Copy, Debug)]
pub struct TexCoords<'a> {
    records: Interleaved<'a, &'a VertexLayout>,
    /// The byte of a vertex at which its coordinates start.
    column: usize,
}

impl<'a> TexCoords<'a> {
    /// Returns the number of components for each vertex, 0 to 4.
    pub fn set_size(&self) -> usize {
        self.records.layout().set_size()
    }

    /// Returns the coordinates of one vertex: [`set_size`](Self::set_size) numbers, U and V first.
    pub fn get(&self, vertex: usize) -> Option<&'a [F32]> {
        let start = vertex.checked_mul(self.records.stride())?.checked_add(self.column)?;
        let bytes = self.records.as_bytes().get(start..)?.get(..self.records.layout().set_bytes())?;
        <[F32]>::ref_from_bytes(bytes).ok()
    }

    /// Returns an iterator over the coordinates of all vertices.
    pub fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(*self, self.records.len())
    }

    /// Returns all coordinates as native numbers, [`set_size`](Self::set_size) for each vertex. Always copies.
    pub fn to_native(&self) -> Cow<'a, [f32]> {
        self.iter().flatten().map(|number| number.get()).collect()
    }

    /// Returns U and V as a typed column, or `None` if the set has fewer than two components.
    pub fn uv(&self) -> Option<Strided<'a, Vec2>> {
        if self.set_size() >= 2 { Some(self.records.column(self.column)) } else { None }
    }
}

impl<'a> Indexed for TexCoords<'a> {
    type Item = &'a [F32];

    #[inline]
    fn item(&self, index: usize) -> Option<&'a [F32]> {
        self.get(index)
    }
}

impl Table for TexCoords<'_> {
    fn rows(&self) -> u64 {
        self.records.rows()
    }

    fn columns(&self) -> Vec<Column> {
        ["u", "v", "w", "q"].into_iter().take(self.set_size()).map(|name| Column::new(name, Scalar::F32)).collect()
    }

    fn storage(&self) -> Storage {
        // The column ends with the coordinates of the last vertex, so it lacks the other bytes of one vertex.
        let other_bytes = self.records.stride().saturating_sub(self.records.layout().set_bytes());
        let bytes = self.records.as_bytes().len().saturating_sub(other_bytes) as u64;
        // An empty column is located where the records would start, so that its offset is inside the file.
        let column = if self.records.is_empty() { 0 } else { self.column as u64 };
        Storage { offset: self.records.offset().saturating_add(column), bytes, packing: Packing::Strided }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        column(self.records.as_bytes(), self.records.stride(), self.column, self.records.layout().set_bytes())
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        write_batched(self.iter().map(IntoBytes::as_bytes), sink);
        Ok(())
    }
}

grammar! {
    /// A TRIS chunk.
    TriangleList<'a> {
        /// The triangles' brush as stored: -1 uses the mesh's brush.
        #[label("brush_id")] brush_id: i32,
        /// Indices into the vertices of the same mesh, counted from 0.
        #[label("vertex_id")] indices: LeArray<'a, Triangle> = rest_array(),
    }
}

/// Triangles of one mesh with the same brush (TRIS).
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    /// The triangles' brush as stored: -1 uses the mesh's brush.
    pub brush_id: i32,
    /// Indices into the vertices of the same mesh, counted from 0.
    pub indices: LeArray<'a, Triangle>,
    mesh_brush_id: i32,
}

impl<'a> Triangles<'a> {
    /// Parses a TRIS chunk, which must be complete, of a mesh with this brush.
    #[inline]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>, mesh_brush_id: i32) -> Result<Self> {
        let TriangleList { brush_id, indices } = TriangleList::read(&mut chunk.whole()?, ())?;
        Ok(Self { brush_id, indices, mesh_brush_id })
    }

    /// Returns the brush that applies: the triangles' own, else the mesh's, else none. A negative id is no brush.
    pub fn brush(&self) -> Option<usize> {
        usize::try_from(self.brush_id).or(usize::try_from(self.mesh_brush_id)).ok()
    }
}

grammar! {
    /// A BONE chunk.
    WeightList<'a> {
        /// The vertices and their weights for the bone. The document states no range; `verify` reports weights that are
        /// not from 0 to 1. Many writers list every vertex, most with weight 0.
        #[label("vertex_id, weight")] weights: LeArray<'a, Weight> = rest_array(),
    }
}

/// The vertices that a bone moves (BONE). An empty one still makes its node a bone.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bone<'a> {
    /// The vertices and their weights for the bone.
    pub weights: LeArray<'a, Weight>,
    /// The mesh whose vertices the weights refer to.
    ///
    /// According to the spec, this is the mesh of the enclosing ANIM. Here it is what it is in Blitz3D: the mesh of the
    /// nearest node, the bone's own or an ancestor, whose MESH is before the bone in the file. With one mesh at the
    /// root, as in all known files, both are the same.
    pub mesh: Option<Mesh<'a>>,
}

impl<'a> Bone<'a> {
    /// Parses a BONE chunk, which must be complete, whose weights refer to this mesh.
    #[inline]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>, mesh: Option<Mesh<'a>>) -> Result<Self> {
        Ok(Self { weights: WeightList::read(&mut chunk.whole()?, ())?.weights, mesh })
    }
}

impl crate::base::sealed::Sealed for TexCoords<'_> {}
