//! Records exactly as stored: packed, little-endian. A bool is a byte, and any but 0 means yes.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::view::Vec3;
use crate::view::array::{Column, Element, Scalar};

macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident = $size:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
        #[repr(C)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        const _: () = assert!(size_of::<$name>() == $size);
    )*};
}

wire! {
    /// A 4x4 matrix, row by row. A point is a row vector, p' = p M: rows 0 to 2 are the images of X, Y and Z, row 3 is
    /// the translation, and the last column is 0, 0, 0, 1. Left-handed, Y up.
    Matrix = 64 {
        /// The rows.
        rows: [[F32; 4]; 4],
    }

    /// One corner of a face: three indices from 0.
    Corner = 12 {
        /// Into the mesh's positions (VERTEX_n).
        position: U32,
        /// Into its texture coordinates (TEXTURE_n).
        uv: U32,
        /// Into its normals (NORMAL_n).
        normal: U32,
    }

    /// A triangle.
    Face = 41 {
        /// Its corners.
        corners: [Corner; 3],
        /// Whether it has a material (USE_MATERIAL).
        use_material: u8,
        /// Which material of the map; without a meaning where it has none (MATERIAL_INDEX).
        material_index: U32,
    }

    /// A triangle of version 10, whose bools take four bytes.
    WideFace = 44 {
        /// Its corners.
        corners: [Corner; 3],
        /// Whether it has a material (USE_MATERIAL).
        use_material: U32,
        /// Which material of the map; without a meaning where it has none (MATERIAL_INDEX).
        material_index: U32,
    }

    /// A material of version 14.
    Material = 61 {
        /// AMBIENT, red, green and blue, 0 to 1.
        ambient: Vec3,
        /// DIFFUSE.
        diffuse: Vec3,
        /// SPECULAR.
        specular: Vec3,
        /// EMISSIVE.
        emissive: Vec3,
        /// SPECULAR_POWER, 0 to 100 in Blender.
        power: F32,
        /// ALPHA_TEST: pixels that are wholly transparent are left out.
        alpha_test: u8,
        /// ALPHA_BLEND: mixed with what lies behind, by alpha.
        alpha_blend: u8,
        /// Z_BUFFER: writes its depth.
        z_buffer: u8,
        /// TWO_SIDED: seen from behind too.
        two_sided: u8,
        /// USE_TEXTURE.
        use_texture: u8,
        /// Which texture of the map; without a meaning where it has none (MAP_KD).
        texture_index: U32,
    }

    /// A material of versions 11 to 13, and of the version 14 that programs of April 2022 wrote: without the four
    /// switches.
    PlainMaterial = 57 {
        /// AMBIENT, red, green and blue, 0 to 1.
        ambient: Vec3,
        /// DIFFUSE.
        diffuse: Vec3,
        /// SPECULAR.
        specular: Vec3,
        /// EMISSIVE.
        emissive: Vec3,
        /// SPECULAR_POWER.
        power: F32,
        /// USE_TEXTURE.
        use_texture: u8,
        /// Which texture of the map; without a meaning where it has none (MAP_KD).
        texture_index: U32,
    }

    /// A material of version 10.
    FirstMaterial = 44 {
        /// AMBIENT, red, green and blue, 0 to 1.
        ambient: Vec3,
        /// DIFFUSE.
        diffuse: Vec3,
        /// SPECULAR.
        specular: Vec3,
        /// USE_TEXTURE.
        use_texture: U32,
        /// Which texture of the map; without a meaning where it has none (MAP_KD).
        texture_index: U32,
    }
}

impl Matrix {
    /// The numbers, row by row.
    pub fn to_array(&self) -> [[f32; 4]; 4] {
        self.rows.map(|row| row.map(F32::get))
    }
}

impl From<&WideFace> for Face {
    fn from(face: &WideFace) -> Self {
        let use_material = u8::from(face.use_material.get() != 0);
        Self { corners: face.corners, use_material, material_index: face.material_index }
    }
}

impl Face {
    /// Which material of the map, if it has one.
    pub fn material(&self) -> Option<u32> {
        (self.use_material != 0).then(|| self.material_index.get())
    }
}

const fn face_columns(use_material: Scalar) -> [Column; 11] {
    [
        Column::new("v1", Scalar::U32),
        Column::new("vt1", Scalar::U32),
        Column::new("vn1", Scalar::U32),
        Column::new("v2", Scalar::U32),
        Column::new("vt2", Scalar::U32),
        Column::new("vn2", Scalar::U32),
        Column::new("v3", Scalar::U32),
        Column::new("vt3", Scalar::U32),
        Column::new("vn3", Scalar::U32),
        Column::new("use_material", use_material),
        Column::new("material_index", Scalar::U32),
    ]
}

impl Element for Face {
    type Native = [u8; 41];
    const COLUMNS: &'static [Column] = &face_columns(Scalar::U8);
}

impl Element for WideFace {
    type Native = [u32; 11];
    const COLUMNS: &'static [Column] = &face_columns(Scalar::U32);
}
