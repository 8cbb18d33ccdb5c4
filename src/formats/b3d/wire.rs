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
        tag: Framing<[u8; 4]> = "tag",
        /// Number of bytes after this header.
        length: Framing<U32> = "length",
    }

    /// The head of BB3D, before its chunks.
    SceneHead = 4 {
        /// Major x 100 + minor. Default 1.
        version: I32 = "version",
    }

    /// The head of BRUS, before its brushes.
    BrushListHead = 4 {
        /// Number of layers of each brush.
        n_texs: I32 = "n_texs",
    }

    /// The head of MESH, before its chunks.
    MeshHead = 4 {
        /// The brush for triangles without one, as stored: -1 is no brush.
        brush_id: I32 = "brush_id",
    }

    /// The fields after a node's name: its local coordinate system.
    NodeFields = 40 {
        /// Its position relative to the parent node.
        position: Vec3 = "position",
        /// Its scale.
        scale: Vec3 = "scale",
        /// Its rotation, the real part first.
        #[rule(Unit)]
        rotation: Quat = "rotation",
    }

    /// The head of the vertices: their columns.
    VertexLayout = 12 {
        /// 1 normals, 2 colors.
        #[rule(Bits(3))]
        vertex_flags: U32 = "flags",
        /// Number of sets of texture coordinates, at most 8.
        tex_coord_sets: I32 = "tex_coord_sets",
        /// Number of components of each set, at most 4.
        tex_coord_set_size: I32 = "tex_coord_set_size",
    }

    /// One triangle: three indices into the mesh's vertices.
    Triangle = 12 {
        /// The corners.
        vertices: [I32; 3] = "vertex_id",
    }

    /// One vertex that a bone moves, and its weight.
    Weight = 8 {
        /// The vertex.
        vertex: I32 = "vertex_id",
        /// Its weight for the bone.
        weight: F32 = "weight",
    }

    /// An ANIM chunk.
    AnimationFields = 12 {
        /// Unused. Writers store 0.
        #[rule(OneOf(&[0]))]
        flags: I32 = "flags",
        /// Number of frames.
        #[rule(Least(0))]
        frames: I32 = "frames",
        /// Frames per second. Default 60; 0 in some files.
        #[rule(Least(0))]
        fps: F32 = "fps",
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
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NativeWeight {
    pub vertex: i32,
    pub weight: f32,
}

elements! {
    Triangle = [i32; 3] { "a" I32, "b" I32, "c" I32 }
    Weight = NativeWeight { "vertex" I32, "weight" F32 }
}
