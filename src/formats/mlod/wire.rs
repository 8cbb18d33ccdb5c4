//! Records exactly as stored.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::base::text::ByteStr;
use crate::bytes::array::{columns, elements};
use crate::bytes::{Column, Vec3};
use crate::record::{Framing, plain, wire};

wire! {
    /// The start of a file.
    FileHeader = 12 {
        /// `MLOD`.
        signature: Framing<[u8; 4]>,
        /// 257.
        version: U32,
        /// Number of LODs that follow.
        lod_count: U32,
    }

    /// The header of each LOD.
    LodHeader = 28 {
        /// `P3DM`, or `SP3X` for the older form.
        signature: Framing<[u8; 4]>,
        /// Size of this header: 28.
        header_size: U32,
        /// Version of the LOD: 256; 153 in the older form.
        version: U32,
        /// Number of points.
        points: Framing<U32>,
        /// Number of normals.
        normals: Framing<U32>,
        /// Number of faces.
        faces: Framing<U32>,
        /// Flags of unknown meaning.
        flags: U32,
    }

    /// A point of a LOD.
    Point = 16 {
        /// Its position.
        position: Vec3,
        /// Its flags, such as those for lighting and ground contact.
        flags: U32,
    }

    /// One corner of a face.
    Corner = 16 {
        /// Index of its point in the LOD's points.
        point: U32,
        /// Index of its normal in the LOD's normals.
        normal: U32,
        /// Texture coordinate, growing to the right.
        u: F32,
        /// Texture coordinate, growing downwards.
        v: F32,
    }

    /// The image of a face in a LOD of the older form.
    FirstTexture = 32 {
        /// The image; empty for none.
        texture: ShortName,
    }

    /// The fields before a face's names.
    FaceFields = 72 {
        /// Number of corners in use: 3 or 4.
        corner_count: U32,
        /// Always four; unused corners have no meaning.
        corners: [Corner; 4],
        /// Its flags, such as those for lighting and sorting.
        flags: U32,
    }
}

/// A name in 32 bytes, up to the first NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct ShortName(pub [u8; 32]);

impl ShortName {
    /// Returns the name.
    pub fn text(&self) -> ByteStr<'_> {
        let end = memchr::memchr(0, &self.0).unwrap_or(self.0.len());
        ByteStr::new(self.0.get(..end).unwrap_or_default())
    }
}

plain! {
    ShortName: Number("text[32]", 32) => |name| name.text();
}

/// A [`Point`] as native numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NativePoint {
    pub position: [f32; 3],
    pub flags: u32,
}

// By hand, because bytemuck's derive takes a seventh of the time of a build of one format.
// SAFETY: zero is a valid value of every field.
#[allow(unsafe_code)]
unsafe impl bytemuck::Zeroable for NativePoint {}
// SAFETY: `repr(C)`, and every field consists of numbers of the same size, so there is no padding, which the size below
// checks; every bit pattern is a valid number.
#[allow(unsafe_code)]
unsafe impl bytemuck::Pod for NativePoint {}
const _: () = assert!(size_of::<NativePoint>() == 16);

elements! { Point = NativePoint { "x" F32, "y" F32, "z" F32, "flags" U32 } }

/// The columns of [`FaceFields`].
pub(super) const FACE_COLUMNS: &[Column] = columns![
    "corner_count" U32,
    "point_a" U32, "normal_a" U32, "u_a" F32, "v_a" F32,
    "point_b" U32, "normal_b" U32, "u_b" F32, "v_b" F32,
    "point_c" U32, "normal_c" U32, "u_c" F32, "v_c" F32,
    "point_d" U32, "normal_d" U32, "u_d" F32, "v_d" F32,
    "flags" U32,
];
