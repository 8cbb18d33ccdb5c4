//! Face groups: triangles of one material.

use zerocopy::little_endian::U32;

use super::codes::{FaceMode, Flag};
use super::fields::{Counted, known};
use super::indices::{Indices, Width};
use super::sets::{PerSet, Sets};
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::record;

/// The lengths of the arrays that a mesh's face groups index. They determine the width of each index.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    vertices: usize,
    normals: usize,
    uvs: [Option<usize>; 2],
    mode: u8,
}

impl Targets {
    /// Creates it from the lengths of the vertices, normals and sets of texture coordinates of a mesh of this mode.
    pub fn new(vertices: usize, normals: usize, uvs: [Option<usize>; 2], mode: u8) -> Self {
        Self { vertices, normals, uvs, mode }
    }

    fn uv_widths(&self, kind: i32) -> PerSet<Width> {
        let width = |target| Width::of(target, kind == 1 && self.mode == 2);
        PerSet { sets: self.uvs.map(|target| target.map(width)), apart: false }
    }
}

record! {
    /// Triangles that share their materials.
    FaceGroup<'a>(targets: Targets) named name {
        /// The layout: 2, or the older 1 without smoothing.
        kind: i32 = "FaceType" => known(&[1, 2]),
        /// How indices form triangles.
        #[rule(OneOf(&[0]))]
        mode: FaceMode = "FaceMode",
        /// Its name.
        name: AnsiStr<'a> = "FaceNameLength, FaceName",
        /// True if it is drawn.
        visible: Flag = "isFaceVisible",
        /// The name of the material for each set of texture coordinates.
        materials: Sets<AnsiStr<'a>> = "FaceMatNameLen, FaceMatName" [targets.uvs.map(|target| target.map(drop))],
        /// Vertex index of each corner.
        vertex_indices: Indices<'a> = "VertexIndCnt, VertexIndex" [Width::of(targets.vertices, kind == 1)],
        /// For each triangle, a mask of its 32 smoothing groups; may be empty.
        smoothing: LeArray<'a, U32> as Counted<'a, U32> = "SmoothDataCnt, SmoothData" where kind == 2,
        /// Normal index of each corner; may be empty.
        normal_indices: Indices<'a> = "NormalsIndCnt, NormalIndex" [Width::of(targets.normals, kind == 1)],
        /// For each set, the texture-coordinate index of each corner; may be empty.
        uv_indices: Sets<Indices<'a>> = "TxCrdsIndCnt, TxCrdsInd" [targets.uv_widths(kind)],
    }
    also |group, out| out.field("triangle_count", group.triangle_count())
}

impl FaceGroup<'_> {
    /// Returns the number of triangles that the vertex indices form.
    pub fn triangle_count(&self) -> usize {
        let corners = self.vertex_indices.len();
        match self.mode {
            FaceMode::STRIP | FaceMode::FAN => corners.saturating_sub(2),
            FaceMode::QUADS => corners.div_euclid(4).saturating_mul(2),
            _ => corners.div_euclid(3),
        }
    }
}
