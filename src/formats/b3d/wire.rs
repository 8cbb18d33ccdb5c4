//! Records exactly as stored.

use zerocopy::little_endian::{F32, I32, U32};

use crate::bytes::array::elements;
use crate::bytes::chunk::{Header, Tag};
use crate::bytes::{Quat, Vec3};
use crate::record::{Framing, wire};

wire! {
    /// The header of every chunk: its tag and its length.
    ChunkHeader = 8 {
        /// The type of the chunk.
        #[label("tag")] tag: Framing<[u8; 4]>,
        /// Number of bytes after this header.
        #[label("length")] length: Framing<U32>,
    }

    /// The head of BB3D, before its chunks.
    SceneHead = 4 {
        /// Major x 100 + minor. Default 1.
        #[label("version")] version: I32,
    }

    /// The head of BRUS, before its brushes.
    BrushListHead = 4 {
        /// Number of layers of each brush.
        #[label("n_texs")] n_texs: I32,
    }

    /// The head of MESH, before its chunks.
    MeshHead = 4 {
        /// The brush for triangles without one, as stored: -1 is no brush.
        #[label("brush_id")] brush_id: I32,
    }

    /// The fields after a node's name: its local coordinate system.
    NodeFields = 40 {
        /// Its position relative to the parent node.
        #[label("position")] position: Vec3,
        /// Its scale.
        #[label("scale")] scale: Vec3,
        /// Its rotation, the real part first.
        #[rule(Unit)]
        #[label("rotation")] rotation: Quat,
    }

    /// The head of the vertices: their columns.
    VertexLayout = 12 {
        /// 1 normals, 2 colors.
        #[rule(Bits(3))]
        #[label("flags")] vertex_flags: U32,
        /// Number of sets of texture coordinates, at most 8.
        #[label("tex_coord_sets")] tex_coord_sets: I32,
        /// Number of components of each set, at most 4.
        #[label("tex_coord_set_size")] tex_coord_set_size: I32,
    }

    /// One triangle: three indices into the mesh's vertices.
    Triangle = 12 {
        /// The corners.
        #[label("vertex_id")] vertices: [I32; 3],
    }

    /// One vertex that a bone moves, and its weight.
    Weight = 8 {
        /// The vertex.
        #[label("vertex_id")] vertex: I32,
        /// Its weight for the bone.
        #[label("weight")] weight: F32,
    }

    /// An ANIM chunk.
    AnimationFields = 12 {
        /// Unused. Writers store 0.
        #[rule(OneOf(&[0]))]
        #[label("flags")] flags: I32,
        /// Number of frames.
        #[rule(Least(0))]
        #[label("frames")] frames: I32,
        /// Frames per second. Default 60; 0 in some files.
        #[rule(Least(0))]
        #[label("fps")] fps: F32,
    }
}

impl crate::base::sealed::Sealed for ChunkHeader {}

impl Header for ChunkHeader {
    fn tag(&self) -> Tag {
        Tag(*self.tag)
    }

    fn byte_len_hint(&self) -> u32 {
        self.length.get()
    }
}

/// A [`Weight`] as native numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NativeWeight {
    pub vertex: i32,
    pub weight: f32,
}

// By hand, because bytemuck's derive takes a seventh of the time of a build of one format.
// SAFETY: zero is a valid value of every field.
#[allow(unsafe_code)]
unsafe impl bytemuck::Zeroable for NativeWeight {}
// SAFETY: `repr(C)`, and every field consists of numbers of the same size, so there is no padding, which the size below
// checks; every bit pattern is a valid number.
#[allow(unsafe_code)]
unsafe impl bytemuck::Pod for NativeWeight {}
const _: () = assert!(size_of::<NativeWeight>() == 8);

elements! {
    Triangle = [i32; 3] { "a" I32, "b" I32, "c" I32 }
    Weight = NativeWeight { "vertex" I32, "weight" F32 }
}
