//! Geometry: the MESH, VRTS, TRIS and BONE chunks.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::ops::{ControlFlow, Deref};

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::wire::{ChunkHeader, MeshHead, Triangle, VertexLayout, Weight};
use crate::base::error::{Context, Error, Result};
use crate::bytes::array::column;
use crate::bytes::batch::write_batched;
use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::chunk::{Chunk, Chunks, Tag};
use crate::bytes::{Color, Column, Cursor, InPlace, LeArray, Packing, Scalar, Storage, Strided, Table, Vec2, Vec3};
use crate::outline::{FieldInfo, Rule, Schema, Type};
use crate::record::{Flat, Interleaved, Layout, Read, Rest, Stored as _, record};

/// A mesh: one list of vertices, and triangles in groups that share a brush.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    chunk: Chunk<'a, ChunkHeader>,
    brush_id: i32,
    /// Where in the body the first VRTS chunk is: never at its start, where the id is.
    vertices: Option<NonZeroU32>,
}

impl<'a> Mesh<'a> {
    /// A MESH chunk. Looks for its vertices among its children: linear in their number.
    #[inline(always)]
    pub(super) fn parse(chunk: Chunk<'a, ChunkHeader>) -> Result<Self> {
        let mut children = chunk.body();
        let brush_id = children.read::<MeshHead>().within("brush_id")?.brush_id.get();
        let vertices = Chunks::new(children).flatten().find(|child| child.tag() == Tag(*b"VRTS"));
        let within = |child: Chunk<'a, ChunkHeader>| child.offset().saturating_sub(chunk.body().offset());
        Ok(Self {
            chunk,
            brush_id,
            vertices: vertices.and_then(|child| NonZeroU32::new(within(child).try_into().ok()?)),
        })
    }

    /// The brush for triangles that name none, as stored: -1 is no brush.
    pub fn brush_id(&self) -> i32 {
        self.brush_id
    }

    /// Its vertices, shared by all its triangles: the first VRTS.
    ///
    /// # Errors
    /// Where there is none, or what [`Vertices`] cannot be read for.
    pub fn vertices(&self) -> Result<Vertices<'a>> {
        let missing = || Error::malformed("mesh without a VRTS chunk").at(self.chunk.offset());
        Vertices::parse(&self.vertices_chunk().ok_or_else(missing)?)
    }

    /// Its groups of triangles in file order.
    pub fn triangles(&self) -> impl Iterator<Item = Result<Triangles<'a>>> + use<'a> {
        let mesh = *self;
        self.chunks()
            .flatten()
            .filter(|child| child.tag() == Tag(*b"TRIS"))
            .enumerate()
            .map(move |(index, child)| Triangles::parse(&child, mesh.brush_id).within_item("triangles", index))
    }

    /// All its chunks in file order, unknown ones too.
    pub fn chunks(&self) -> Chunks<'a, ChunkHeader> {
        Chunks::new(self.children())
    }

    /// A cursor at its first chunk.
    pub(super) fn children(&self) -> Cursor<'a> {
        let mut body = self.chunk.body();
        // The id was read when the mesh was.
        let _ = body.i32();
        body
    }

    /// Its first VRTS chunk.
    pub(super) fn vertices_chunk(&self) -> Option<Chunk<'a, ChunkHeader>> {
        let mut body = self.chunk.body();
        body.skip(self.vertices?.get().into()).ok()?;
        Chunk::next(&mut body).ok()?
    }

    /// The MESH chunk itself.
    pub fn chunk(&self) -> Chunk<'a, ChunkHeader> {
        self.chunk
    }
}

record! {
    /// The vertices of a mesh: columns over one array of records (VRTS).
    ///
    /// Space: left-handed, +X right, +Y up, +Z forward, relative to the mesh's node. V of texture coordinates grows
    /// downwards.
    Vertices<'a> {
        /// Which columns they have.
        layout: &'a VertexLayout as Flat<'a, VertexLayout> => |layout| bounded(layout),
        /// The vertices as stored.
        records: Interleaved<'a, &'a VertexLayout> = "x" [layout],
    }
}

/// A vertex as stored.
pub(super) const VERTEX: &Schema = &Schema {
    name: "Vertex",
    doc: " A vertex: one of the `records` of `Vertices`.",
    fields: &[
        FieldInfo::new("position", Some("x"), Vec3::TYPE, None, " Its position."),
        FieldInfo::new(
            "normal",
            Some("nx"),
            Vec3::TYPE,
            Some("vertex_flags & 1 != 0"),
            " Its normal; some writers scale it.",
        ),
        FieldInfo {
            rule: Rule::Range(0, 1),
            ..FieldInfo::new(
                "color",
                Some("red"),
                Color::TYPE,
                Some("vertex_flags & 2 != 0"),
                " Red, green, blue and alpha.",
            )
        },
        FieldInfo::new(
            "tex_coords",
            Some("tex_coords"),
            Type::Varying("f32[]", 0),
            None,
            " Texture coordinates: `tex_coord_set_size` numbers for each of the `tex_coord_sets`.",
        ),
    ],
};

fn bounded(layout: &VertexLayout) -> Result<()> {
    let (sets, size) = (layout.tex_coord_sets.get(), layout.tex_coord_set_size.get());
    if (0..=8).contains(&sets) && (0..=4).contains(&size) {
        return Ok(());
    }
    Err(Error::malformed(format!("{sets} texture coordinate sets of {size}, at most 8 of 4 are allowed")))
}

impl VertexLayout {
    fn has_normals(&self) -> bool {
        self.vertex_flags.get() & 1 != 0
    }

    fn has_colors(&self) -> bool {
        self.vertex_flags.get() & 2 != 0
    }

    fn sets(&self) -> usize {
        usize::try_from(self.tex_coord_sets.get()).unwrap_or(0)
    }

    fn set_size(&self) -> usize {
        usize::try_from(self.tex_coord_set_size.get()).unwrap_or(0)
    }

    fn set_bytes(&self) -> usize {
        self.set_size().saturating_mul(4)
    }

    fn tex_coords_column(&self) -> usize {
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
        self.tex_coords_column().saturating_add(self.sets().saturating_mul(self.set_bytes()))
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
        let normal = self.has_normals().then_some(NORMAL).into_iter().flatten();
        let color = self.has_colors().then_some(COLOR).into_iter().flatten();
        let uvs = UVS.iter().take(self.sets()).flat_map(|set| set.iter().take(self.set_size()).copied());
        let names = POSITION.into_iter().chain(normal).chain(color).chain(uvs);
        names.map(|name| Column::new(name, Scalar::F32)).collect()
    }
}

impl<'a> Vertices<'a> {
    #[inline]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>) -> Result<Self> {
        Self::read(&mut chunk.whole()?, ())
    }

    /// Which columns there are, as stored: 1 normals, 2 colors. Other bits have no meaning and no bytes.
    pub fn flags(&self) -> u32 {
        self.layout.vertex_flags.get()
    }

    /// How many sets of texture coordinates each vertex has (`tex_coord_sets`), 0 to 8.
    pub fn sets(&self) -> usize {
        self.layout.sets()
    }

    /// How many numbers each set has (`tex_coord_set_size`), 0 to 4.
    pub fn set_size(&self) -> usize {
        self.layout.set_size()
    }

    /// From one vertex to the next, in bytes: 12 to 168.
    pub fn stride(&self) -> usize {
        self.records.stride()
    }

    /// How many vertices.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Positions, in the units of the author.
    pub fn positions(&self) -> Strided<'a, Vec3> {
        self.records.column(0)
    }

    /// Normals, where the vertices have them. Meant to be of length 1; real files hold some of length 0.
    pub fn normals(&self) -> Option<Strided<'a, Vec3>> {
        self.layout.has_normals().then(|| self.records.column(12))
    }

    /// Colors, where the vertices have them.
    pub fn colors(&self) -> Option<Strided<'a, Color>> {
        self.layout.has_colors().then(|| self.records.column(if self.layout.has_normals() { 24 } else { 12 }))
    }

    /// One set of texture coordinates, counted from 0.
    pub fn tex_coords(&self, set: usize) -> Option<TexCoords<'a>> {
        let column = self.layout.tex_coords_column().saturating_add(set.saturating_mul(self.layout.set_bytes()));
        (set < self.sets()).then_some(TexCoords { records: self.records, column })
    }
}

/// One set of texture coordinates: a column whose width is only known at run time.
#[derive(Clone, Copy, Debug)]
pub struct TexCoords<'a> {
    records: Interleaved<'a, &'a VertexLayout>,
    column: usize,
}

impl<'a> TexCoords<'a> {
    /// How many numbers each vertex has here, 0 to 4.
    pub fn set_size(&self) -> usize {
        self.records.layout().set_size()
    }

    /// The coordinates of one vertex: as many numbers as [`set_size`](Self::set_size) says, U and V first.
    pub fn get(&self, vertex: usize) -> Option<&'a [F32]> {
        let stride = self.records.stride();
        let start = vertex.checked_mul(stride)?;
        let record = self.records.as_bytes().get(start..start.checked_add(stride)?)?;
        of(record, self.column, self.set_size())
    }

    /// The coordinates of all vertices in order.
    pub fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(*self, self.records.len())
    }

    /// All coordinates as the machine's own numbers, [`set_size`](Self::set_size) for each vertex: copied.
    pub fn to_native(&self) -> Cow<'a, [f32]> {
        self.iter().flatten().map(|number| number.get()).collect()
    }

    /// U and V alone, as a typed column; `None` where the set has fewer than two numbers.
    pub fn uv(&self) -> Option<Strided<'a, Vec2>> {
        (self.set_size() >= 2).then(|| self.records.column(self.column))
    }
}

fn of(record: &[u8], column: usize, size: usize) -> Option<&[F32]> {
    let bytes = record.get(column..)?.get(..size.checked_mul(4)?)?;
    <[F32]>::ref_from_bytes(bytes).ok()
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
        let behind = self.records.stride().saturating_sub(self.set_size().saturating_mul(4));
        let bytes = self.records.as_bytes().len().saturating_sub(behind) as u64;
        // A column without a record stays where the records would start, so that its place lies in the file.
        let column = if self.records.is_empty() { 0 } else { self.column as u64 };
        Storage { offset: self.records.offset().saturating_add(column), bytes, packing: Packing::Strided }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        column(self.records.as_bytes(), self.records.stride(), self.column, self.set_size().checked_mul(4)?)
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        write_batched(self.iter().map(IntoBytes::as_bytes), sink);
        Ok(())
    }
}

record! {
    /// A TRIS chunk.
    TriangleList<'a> {
        /// Their brush as stored: -1 leaves it to the mesh.
        brush_id: i32 = "brush_id",
        /// Positions in the vertices of their own mesh, counted from 0.
        indices: LeArray<'a, Triangle> as Rest<'a, Triangle> = "vertex_id",
    }
}

/// Triangles of one mesh that share a brush (TRIS).
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    list: TriangleList<'a>,
    mesh_brush_id: i32,
}

impl<'a> Triangles<'a> {
    #[inline]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>, mesh_brush_id: i32) -> Result<Self> {
        Ok(Self { list: TriangleList::read(&mut chunk.whole()?, ())?, mesh_brush_id })
    }

    /// The brush that applies: their own, else the mesh's, else none. A negative id names no brush.
    pub fn brush(&self) -> Option<usize> {
        usize::try_from(self.brush_id).or(usize::try_from(self.mesh_brush_id)).ok()
    }
}

impl<'a> Deref for Triangles<'a> {
    type Target = TriangleList<'a>;

    fn deref(&self) -> &TriangleList<'a> {
        &self.list
    }
}

record! {
    /// A BONE chunk.
    WeightList<'a> {
        /// The vertices and how much each follows the bone, 0 to 1. Many writers list every vertex, most with weight 0.
        weights: LeArray<'a, Weight> as Rest<'a, Weight> = "vertex_id",
    }
}

/// What a bone moves (BONE). An empty one still makes its node a bone.
#[derive(Clone, Copy, Debug)]
pub struct Bone<'a> {
    list: WeightList<'a>,
    mesh: Option<Mesh<'a>>,
}

impl<'a> Bone<'a> {
    #[inline]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>, mesh: Option<Mesh<'a>>) -> Result<Self> {
        Ok(Self { list: WeightList::read(&mut chunk.whole()?, ())?, mesh })
    }

    /// The mesh whose vertices the weights speak of.
    ///
    /// The spec says that of the enclosing ANIM; this takes what Blitz3D itself does: the mesh of the nearest node, the
    /// bone's own or one above it, whose MESH stands before the bone in the file. With one mesh at the root, as in all
    /// files seen, both are the same.
    pub fn mesh(&self) -> Option<Mesh<'a>> {
        self.mesh
    }
}

impl<'a> Deref for Bone<'a> {
    type Target = WeightList<'a>;

    fn deref(&self) -> &WeightList<'a> {
        &self.list
    }
}

impl crate::base::sealed::Sealed for TexCoords<'_> {}
