//! Face groups: triangles of one material.

use nom::Parser as _;
use zerocopy::little_endian::U32;

use super::codes::{FaceMode, Flag};
use super::fields::{known, length};
use super::indices::{Indices, Width, indices};
use super::sets::{Names, PerSet, Sets, per_set};
use super::text::text_with_length;
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::grammar;
use crate::record::parser::{Grammar, array, cond, counted, described, le_i32, le_u8, verify};

/// The lengths of the arrays that a mesh's face groups index. They determine the width of each index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    vertices: usize,
    normals: usize,
    uvs: [Option<usize>; 2],
    mode: u8,
}

impl Targets {
    /// Creates it from the lengths of the vertices, normals and sets of texture coordinates of a mesh, and from its
    /// [mode](super::Mesh::mode).
    pub(crate) fn new(vertices: usize, normals: usize, uvs: [Option<usize>; 2], mode: u8) -> Self {
        Self { vertices, normals, uvs, mode }
    }

    /// Returns the width of the indices into each set of texture coordinates, in a face group of this
    /// [kind](FaceGroup::kind).
    fn uv_widths(&self, kind: i32) -> PerSet<Width> {
        // Unlike for vertices and normals, the mesh must have the older layout, too.
        let has_spare = kind == 1 && self.mode == 2;
        let sets = self.uvs.map(|len| Some(Width::of(len?, has_spare)));
        PerSet { sets, apart: false }
    }
}

grammar! {
    /// Triangles that share their materials.
    crate FaceGroup<'a>(targets: Targets) named name {
        /// The layout: 2, or the older 1 without smoothing.
        #[label("FaceType")] kind: i32 = verify(le_i32(), known(&[1, 2])),
        /// How indices form triangles.
        #[rule(OneOf(&[0]))]
        #[label("FaceMode")] mode: FaceMode = le_u8().map(FaceMode),
        /// Its name.
        #[label("FaceNameLength, FaceName")] name: AnsiStr<'a> = text_with_length(),
        /// True if it is drawn.
        #[label("isFaceVisible")] visible: Flag = le_u8().map(Flag),
        /// The name of the material for each set of texture coordinates.
        #[label("FaceMatNameLen, FaceMatName")] materials: Sets<AnsiStr<'a>> = Names(targets.uvs),
        /// Vertex index of each corner.
        #[label("VertexIndCnt, VertexIndex")]
        vertex_indices: Indices<'a> = counted(length(), move |count| indices(count, Width::of(targets.vertices, kind == 1))),
        /// For each triangle, a mask of its 32 smoothing groups; may be empty.
        #[label("SmoothDataCnt, SmoothData")]
        smoothing: Option<LeArray<'a, U32>> = cond(kind == 2, counted(length(), masks)),
        /// Normal index of each corner; may be empty.
        #[label("NormalsIndCnt, NormalIndex")]
        normal_indices: Indices<'a> = counted(length(), move |count| indices(count, Width::of(targets.normals, kind == 1))),
        /// For each set, the texture-coordinate index of each corner; may be empty.
        #[label("TxCrdsIndCnt, TxCrdsInd")] uv_indices: Sets<Indices<'a>> = per_set(targets.uv_widths(kind), indices),
    }
    also |group, out| out.field("triangle_count", group.triangle_count())
}

/// Returns a parser of this many masks. It is not [`array`] itself, so that outlines show that a group of the older
/// layout has none.
fn masks<'a>(count: u64) -> impl Grammar<'a, Output = LeArray<'a, U32>> {
    described(array(count), |masks, name, _, out| out.array(name, masks))
}

impl FaceGroup<'_> {
    /// Returns the number of triangles that the vertex indices form.
    pub(crate) fn triangle_count(&self) -> usize {
        let corners = self.vertex_indices.len();
        match self.mode {
            FaceMode::STRIP | FaceMode::FAN => corners.saturating_sub(2),
            // A quad is two triangles.
            FaceMode::QUADS => corners.div_euclid(4).saturating_mul(2),
            // Three corners each. Unknown modes are taken for the usual one.
            _ => corners.div_euclid(3),
        }
    }
}
