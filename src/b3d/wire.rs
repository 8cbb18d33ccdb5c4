//! Records exactly as stored.

use zerocopy::little_endian::{F32, I32, U32};

use crate::view::chunk::{Header, Tag};
use crate::view::wire::wire;
use crate::view::{Color, Column, Element, Quat, Scalar, Vec2, Vec3};

wire! {
    /// What stands before every chunk: its tag and the length of what follows.
    ChunkHeader { tag: [u8; 4], length: U32 } = 8;

    /// What follows a texture's name.
    TextureFields { flags: U32, blend: I32, position: Vec2, scale: Vec2, rotation: F32 } = 28;

    /// What follows a brush's name, before its texture ids.
    BrushFields { color: Color, shininess: F32, blend: I32, fx: U32 } = 28;

    /// What follows a node's name: its local coordinate system.
    NodeFields { position: Vec3, scale: Vec3, rotation: Quat } = 40;

    /// What stands before the vertices: which columns they have.
    VertexLayout { flags: U32, sets: I32, set_size: I32 } = 12;

    /// One triangle: three positions in the mesh's vertices.
    Triangle { vertices: [I32; 3] } = 12;

    /// One vertex that a bone moves, and how much.
    Weight { vertex: I32, weight: F32 } = 8;

    /// An ANIM chunk.
    AnimationFields { flags: I32, frames: I32, fps: F32 } = 12;
}

impl Header for ChunkHeader {
    fn tag(&self) -> Tag {
        Tag(self.tag)
    }

    fn size_hint(&self) -> u32 {
        self.length.get()
    }
}

impl Element for Triangle {
    type Native = [i32; 3];
    const COLUMNS: &'static [Column] =
        &[Column::new("a", Scalar::I32), Column::new("b", Scalar::I32), Column::new("c", Scalar::I32)];
}

/// A [`Weight`] in the machine's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NativeWeight {
    pub vertex: i32,
    pub weight: f32,
}

impl Element for Weight {
    type Native = NativeWeight;
    const COLUMNS: &'static [Column] = &[Column::new("vertex", Scalar::I32), Column::new("weight", Scalar::F32)];
}
