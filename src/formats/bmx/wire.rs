//! Packed little-endian records exactly as stored, and numbers whose storage depends on the version.

use nom::Parser;
use zerocopy::little_endian::{F32, U32};

use crate::base::error::Error;
use crate::bytes::{Cursor, Vec3};
use crate::outline::{Type, Value};
use crate::record::parser::{Grammar, in_place, le_u8, le_u32};
use crate::record::{Stored, plain, wire};

wire! {
    /// The start of `index.bm`; its entries follow to the end of the table.
    IndexStart = 4 {
        /// The version: 10 to 14.
        #[label("VERSION")] version: U32,
    }

    /// Colors of a material: red, green and blue. Programs should write values from 0 to 1.
    Colors = 36 {
        /// The color in shadow.
        #[label("AMBIENT")] ambient: Vec3,
        /// The color itself.
        #[label("DIFFUSE")] diffuse: Vec3,
        /// The color of highlights.
        #[label("SPECULAR")] specular: Vec3,
    }

    /// A triangle; its indices count from 0.
    Face = 41 rows {
        /// The first corner: index into the mesh's positions.
        #[label("VERTEX_1")] v1: U32,
        /// The first corner: index into its texture coordinates.
        #[label("TEXTURE_1")] vt1: U32,
        /// The first corner: index into its normals.
        #[label("NORMAL_1")] vn1: U32,
        /// The second corner: index into the mesh's positions.
        #[label("VERTEX_2")] v2: U32,
        /// The second corner: index into its texture coordinates.
        #[label("TEXTURE_2")] vt2: U32,
        /// The second corner: index into its normals.
        #[label("NORMAL_2")] vn2: U32,
        /// The third corner: index into the mesh's positions.
        #[label("VERTEX_3")] v3: U32,
        /// The third corner: index into its texture coordinates.
        #[label("TEXTURE_3")] vt3: U32,
        /// The third corner: index into its normals.
        #[label("NORMAL_3")] vn3: U32,
        /// Not 0 if it has a material.
        #[label("USE_MATERIAL")] use_material: u8,
        /// Index of the material in the map; meaningless if the face has none.
        #[label("MATERIAL_INDEX")] material_index: U32,
    }

    /// A triangle of version 10. Its boolean takes four bytes.
    FaceV10 = 44 rows {
        /// The first corner: index into the mesh's positions.
        #[label("VERTEX_1")] v1: U32,
        /// The first corner: index into its texture coordinates.
        #[label("TEXTURE_1")] vt1: U32,
        /// The first corner: index into its normals.
        #[label("NORMAL_1")] vn1: U32,
        /// The second corner: index into the mesh's positions.
        #[label("VERTEX_2")] v2: U32,
        /// The second corner: index into its texture coordinates.
        #[label("TEXTURE_2")] vt2: U32,
        /// The second corner: index into its normals.
        #[label("NORMAL_2")] vn2: U32,
        /// The third corner: index into the mesh's positions.
        #[label("VERTEX_3")] v3: U32,
        /// The third corner: index into its texture coordinates.
        #[label("TEXTURE_3")] vt3: U32,
        /// The third corner: index into its normals.
        #[label("NORMAL_3")] vn3: U32,
        /// Not 0 if it has a material.
        #[label("USE_MATERIAL")] use_material: U32,
        /// Index of the material in the map; meaningless if the face has none.
        #[label("MATERIAL_INDEX")] material_index: U32,
    }
}

/// One corner of a face: three indices, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Index into the mesh's positions.
    pub position: u32,
    /// Index into its texture coordinates.
    pub uv: u32,
    /// Index into its normals.
    pub normal: u32,
}

impl Face {
    /// Returns its corners in order, clockwise as seen from the front.
    pub fn corners(&self) -> [Corner; 3] {
        let corner =
            |[position, uv, normal]: [U32; 3]| Corner { position: position.get(), uv: uv.get(), normal: normal.get() };
        [[self.v1, self.vt1, self.vn1], [self.v2, self.vt2, self.vn2], [self.v3, self.vt3, self.vn3]].map(corner)
    }

    /// Returns the index of its material in the map, if it has one.
    pub fn material(&self) -> Option<u32> {
        (self.use_material != 0).then(|| self.material_index.get())
    }
}

impl From<&FaceV10> for Face {
    /// A number above 255 in `use_material` becomes 255.
    fn from(face: &FaceV10) -> Self {
        let &FaceV10 { v1, vt1, vn1, v2, vt2, vn2, v3, vt3, vn3, use_material, material_index } = face;
        let use_material = u8::try_from(use_material.get()).unwrap_or(u8::MAX);
        Self { v1, vt1, vn1, v2, vt2, vn2, v3, vt3, vn3, use_material, material_index }
    }
}

/// A 4x4 matrix in row-major order. A point is a row vector, p' = p M: rows 0 to 2 are the images of X, Y and Z, row 3
/// is the translation, and the last column is 0, 0, 0, 1. Left-handed, Y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// The rows.
    pub rows: [[f32; 4]; 4],
}

plain! {
    Matrix: Number("f32[4][4]", 64) => |matrix| Value::Floats(matrix.rows.as_flattened().into());
}

/// Returns a parser of a matrix.
pub(super) fn matrix<'a>() -> impl Grammar<'a, Output = Matrix> {
    in_place::<[[F32; 4]; 4]>().map(|rows| Matrix { rows: rows.map(|row| row.map(F32::get)) })
}

/// A boolean: any number except 0 is true. Takes one byte, or four bytes in version 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag(pub u32);

impl Flag {
    /// Returns true for any number except 0.
    pub fn is_set(self) -> bool {
        self.0 != 0
    }
}

impl Stored for Flag {
    const TYPE: Type = Type::Varying("bool", 1);

    /// Returns a boolean, or the number if programs do not write it.
    fn value(&self) -> Option<Value<'_>> {
        Some(match self.0 {
            0 | 1 => Value::Bool(self.is_set()),
            other => Value::Coded(other.into(), None),
        })
    }
}

/// Returns a parser of a boolean of this version.
pub(super) fn flag<'a>(version: u32) -> impl Grammar<'a, Output = Flag> {
    small(version).map(Flag)
}

/// Returns a parser of a number of one byte, or of four bytes in version 10.
pub(super) fn small<'a>(version: u32) -> impl Parser<Cursor<'a>, Output = u32, Error = Error> {
    move |input| if version == 10 { le_u32().parse(input) } else { le_u8().map(u32::from).parse(input) }
}
