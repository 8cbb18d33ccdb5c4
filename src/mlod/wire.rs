//! Records exactly as stored.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::view::{Column, Element, Scalar, Vec3};

/// What stands before each LOD.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct LodHeader {
    /// `P3DM`.
    pub signature: [u8; 4],
    /// Size of this header: 28.
    pub header_size: U32,
    /// Version of the LOD: 256.
    pub version: U32,
    /// How many points.
    pub points: U32,
    /// How many normals.
    pub normals: U32,
    /// How many faces.
    pub faces: U32,
    /// Flags of unknown meaning.
    pub flags: U32,
}

const _: () = assert!(size_of::<LodHeader>() == 28);

/// A point of a LOD.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Point {
    /// Its position.
    pub position: Vec3,
    /// Its flags, such as how it is lit and lies on the ground.
    pub flags: U32,
}

const _: () = assert!(size_of::<Point>() == 16);

/// A [`Point`] in the machine's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NativePoint {
    pub position: [f32; 3],
    pub flags: u32,
}

impl Element for Point {
    type Native = NativePoint;
    const COLUMNS: &'static [Column] = &[
        Column::new("x", Scalar::F32),
        Column::new("y", Scalar::F32),
        Column::new("z", Scalar::F32),
        Column::new("flags", Scalar::U32),
    ];
}

/// One corner of a face.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Corner {
    /// Its point in the LOD's points.
    pub point: U32,
    /// Its normal in the LOD's normals.
    pub normal: U32,
    /// Texture coordinate, growing to the right.
    pub u: F32,
    /// Texture coordinate, growing downwards.
    pub v: F32,
}

const _: () = assert!(size_of::<Corner>() == 16);

/// What stands before a face's names.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct FaceFields {
    /// How many of the corners are in use: 3 or 4.
    pub corner_count: U32,
    /// Always four; what stands in one that is not in use means nothing.
    pub corners: [Corner; 4],
    /// Its flags, such as how it is lit and sorted.
    pub flags: U32,
}

const _: () = assert!(size_of::<FaceFields>() == 72);

/// The columns of [`FaceFields`].
pub(super) const FACE_COLUMNS: [Column; 18] = [
    Column::new("corner_count", Scalar::U32),
    Column::new("point_a", Scalar::U32),
    Column::new("normal_a", Scalar::U32),
    Column::new("u_a", Scalar::F32),
    Column::new("v_a", Scalar::F32),
    Column::new("point_b", Scalar::U32),
    Column::new("normal_b", Scalar::U32),
    Column::new("u_b", Scalar::F32),
    Column::new("v_b", Scalar::F32),
    Column::new("point_c", Scalar::U32),
    Column::new("normal_c", Scalar::U32),
    Column::new("u_c", Scalar::F32),
    Column::new("v_c", Scalar::F32),
    Column::new("point_d", Scalar::U32),
    Column::new("normal_d", Scalar::U32),
    Column::new("u_d", Scalar::F32),
    Column::new("v_d", Scalar::F32),
    Column::new("flags", Scalar::U32),
];
