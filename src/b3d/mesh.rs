//! Geometry: the MESH, VRTS, TRIS and BONE chunks.

use std::ops::ControlFlow;

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::wire::{ChunkHeader, Triangle, VertexLayout, Weight};
use crate::error::{Context, Error, Result};
use crate::view::array::gather;
use crate::view::chunk::{Chunk, Chunks, Tag};
use crate::view::{Color, Column, Cursor, LeArray, Packing, Scalar, Storage, Strided, Table, Vec3};

/// A mesh: one list of vertices, and triangles in groups that share a brush.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    chunk: Chunk<'a, ChunkHeader>,
    brush_id: i32,
    /// Where in the body the first VRTS chunk is.
    vertices: Option<u32>,
}

impl<'a> Mesh<'a> {
    /// A MESH chunk. Looks for its vertices among its children: linear in their number.
    #[inline(always)]
    pub(super) fn parse(chunk: Chunk<'a, ChunkHeader>) -> Result<Self> {
        let mut children = chunk.body();
        let brush_id = children.i32().within("brush_id")?;
        let vertices = Chunks::new(children).flatten().find(|child| child.tag() == Tag(*b"VRTS"));
        let within = |child: Chunk<'a, ChunkHeader>| child.offset().saturating_sub(chunk.body().offset());
        Ok(Self { chunk, brush_id, vertices: vertices.and_then(|child| within(child).try_into().ok()) })
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
        body.skip(self.vertices?.into()).ok()?;
        Chunk::next(&mut body).ok()?
    }

    /// The MESH chunk itself.
    pub fn chunk(&self) -> Chunk<'a, ChunkHeader> {
        self.chunk
    }
}

/// The vertices of a mesh: columns over one array of records (VRTS).
///
/// Space: left-handed, +X right, +Y up, +Z forward, relative to the mesh's node. V of texture coordinates grows downwards.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    layout: &'a VertexLayout,
    records: &'a [u8],
    offset: u64,
    stride: usize,
}

impl<'a> Vertices<'a> {
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>) -> Result<Self> {
        let mut cursor = chunk.whole()?;
        let layout = cursor.read::<VertexLayout>()?;
        let (sets, size) = (layout.sets.get(), layout.set_size.get());
        if !(0..=8).contains(&sets) || !(0..=4).contains(&size) {
            return Err(Error::malformed(format!(
                "{sets} texture coordinate sets of {size}, at most 8 of 4 are allowed"
            ))
            .at(chunk.body().offset().saturating_add(4)));
        }
        let mut vertices = Self { layout, records: cursor.rest(), offset: cursor.offset(), stride: 0 };
        vertices.stride =
            vertices.tex_coords_column().saturating_add(vertices.sets().saturating_mul(vertices.set_bytes()));
        // One check makes every later column sound.
        Strided::<Vec3>::new(vertices.records, vertices.offset, vertices.stride, 0)?;
        Ok(vertices)
    }

    /// Which columns there are, as stored: 1 normals, 2 colours. Other bits have no meaning and no bytes.
    pub fn flags(&self) -> u32 {
        self.layout.flags.get()
    }

    /// How many sets of texture coordinates each vertex has (`tex_coord_sets`), 0 to 8.
    pub fn sets(&self) -> usize {
        usize::try_from(self.layout.sets.get()).unwrap_or(0)
    }

    /// How many numbers each set has (`tex_coord_set_size`), 0 to 4.
    pub fn set_size(&self) -> usize {
        usize::try_from(self.layout.set_size.get()).unwrap_or(0)
    }

    /// From one vertex to the next, in bytes: 12 to 168.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// How many vertices.
    pub fn len(&self) -> usize {
        self.positions().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Positions, in the units of the author.
    pub fn positions(&self) -> Strided<'a, Vec3> {
        self.column(0)
    }

    /// Normals, where the vertices have them. Meant to be of length 1; real files hold some of length 0.
    pub fn normals(&self) -> Option<Strided<'a, Vec3>> {
        self.has_normals().then(|| self.column(12))
    }

    /// Colours, where the vertices have them.
    pub fn colors(&self) -> Option<Strided<'a, Color>> {
        self.has_colors().then(|| self.column(if self.has_normals() { 24 } else { 12 }))
    }

    /// One set of texture coordinates, counted from 0.
    pub fn tex_coords(&self, set: usize) -> Option<TexCoords<'a>> {
        let column = self.tex_coords_column().saturating_add(set.saturating_mul(self.set_bytes()));
        let Self { records, offset, stride, .. } = *self;
        (set < self.sets()).then(|| TexCoords { records, offset, stride, column, size: self.set_size() })
    }

    fn has_normals(&self) -> bool {
        self.flags() & 1 != 0
    }

    fn has_colors(&self) -> bool {
        self.flags() & 2 != 0
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

    fn column<T: crate::view::Element>(&self, column: usize) -> Strided<'a, T> {
        Strided::within(self.records, self.offset, self.stride, column)
    }
}

/// One set of texture coordinates: a column whose width is only known at run time.
#[derive(Clone, Copy, Debug)]
pub struct TexCoords<'a> {
    records: &'a [u8],
    offset: u64,
    stride: usize,
    column: usize,
    size: usize,
}

impl<'a> TexCoords<'a> {
    /// How many numbers each vertex has here, 0 to 4.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The coordinates of one vertex: as many numbers as [`size`](Self::size) says, U and V first.
    pub fn get(&self, vertex: usize) -> Option<&'a [F32]> {
        let start = vertex.checked_mul(self.stride)?;
        let record = self.records.get(start..start.checked_add(self.stride)?)?;
        self.of(record)
    }

    /// The coordinates of all vertices in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [F32]> + Clone + use<'a> {
        let set = *self;
        self.records.chunks_exact(self.stride).filter_map(move |record| set.of(record))
    }

    /// U and V alone, as a typed column; `None` where the set has fewer than two numbers.
    pub fn uv(&self) -> Option<Strided<'a, crate::view::Vec2>> {
        (self.size >= 2).then(|| Strided::within(self.records, self.offset, self.stride, self.column))
    }

    fn of(&self, record: &'a [u8]) -> Option<&'a [F32]> {
        let bytes = record.get(self.column..)?.get(..self.size.checked_mul(4)?)?;
        <[F32]>::ref_from_bytes(bytes).ok()
    }
}

impl Table for TexCoords<'_> {
    fn rows(&self) -> u64 {
        self.records.len().checked_div(self.stride).unwrap_or(0) as u64
    }

    fn columns(&self) -> Vec<Column> {
        ["u", "v", "w", "q"].into_iter().take(self.size).map(|name| Column::new(name, Scalar::F32)).collect()
    }

    fn storage(&self) -> Storage {
        let width = self.size.saturating_mul(4);
        let bytes = self.records.len().saturating_sub(self.stride.saturating_sub(width)) as u64;
        // A column without a record stays where the records would start, so that its place lies in the file.
        let column = if self.records.is_empty() { 0 } else { self.column as u64 };
        Storage { offset: self.offset.saturating_add(column), bytes, packing: Packing::Strided }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        gather(self.iter().map(IntoBytes::as_bytes), sink);
        Ok(())
    }
}

/// Triangles of one mesh that share a brush (TRIS).
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    /// Their brush as stored: -1 leaves it to the mesh.
    pub brush_id: i32,
    /// Positions in the vertices of their own mesh, counted from 0.
    pub indices: LeArray<'a, Triangle>,
    mesh_brush_id: i32,
}

impl<'a> Triangles<'a> {
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>, mesh_brush_id: i32) -> Result<Self> {
        let mut cursor = chunk.whole()?;
        let brush_id = cursor.i32().within("brush_id")?;
        Ok(Self { brush_id, indices: LeArray::new(cursor.rest(), cursor.offset())?, mesh_brush_id })
    }

    /// The brush that applies: their own, else the mesh's, else none. A negative id names no brush.
    pub fn brush(&self) -> Option<usize> {
        usize::try_from(self.brush_id).or(usize::try_from(self.mesh_brush_id)).ok()
    }
}

/// What a bone moves (BONE). An empty one still makes its node a bone.
#[derive(Clone, Copy, Debug)]
pub struct Bone<'a> {
    /// The vertices and how much each follows the bone, 0 to 1. Many writers list every vertex, most with weight 0.
    pub weights: LeArray<'a, Weight>,
    mesh: Option<Mesh<'a>>,
}

impl<'a> Bone<'a> {
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>, mesh: Option<Mesh<'a>>) -> Result<Self> {
        let cursor = chunk.whole()?;
        Ok(Self { weights: LeArray::new(cursor.rest(), cursor.offset())?, mesh })
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
