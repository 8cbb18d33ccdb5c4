//! Records exactly as stored.

use half::f16;
use half::slice::HalfFloatSliceExt as _;
use zerocopy::little_endian::{I16, U16, U32};

use crate::base::text::ByteStr;
use crate::bytes::array::elements;
use crate::bytes::{Column, Element, Scalar, Vec3};
use crate::outline::Value;
use crate::record::{Framing, plain, wire};

wire! {
    /// The start of a BMTR file.
    BinarisedHeader = 37 {
        /// `BMTR`.
        #[label("Type")] magic: Framing<[u8; 4]>,
        /// 3 to 5.
        #[label("Version")] version: Framing<U32>,
        /// 1 in all known files.
        #[rule(OneOf(&[1]))]
        #[label("Always1")] reversed: u8,
        /// Movement of the animated body in one cycle: x, y, z in meters.
        #[label("Displacement")] displacement: Vec3,
        /// Number of frames.
        #[label("nFrames")] frames: U32,
        /// 0, or 1 in 9 of 220 known files. The document calls it a constant.
        #[rule(Range(0, 1))]
        #[label("Generally0")] preload: U32,
        /// Number of bones in each frame; should equal `bones`.
        #[label("nBones")] bones_hint: U32,
        /// Number of bone names that follow.
        #[label("NoOfBones")] bones: U32,
    }

    /// One bone in one frame of a BMTR file, relative to the bone's parent, which only the model's skeleton defines.
    Transform = 14 {
        /// A quaternion x, y, z, w, each in 1/16384.
        #[label("Qnion")] rotation: [I16; 4],
        /// x, y, z in meters, as IEEE half floats.
        #[label("XYZ")] translation: [U16; 3],
    }

    /// The start of RTM_MDAT, before its properties.
    MetadataHeader = 16 {
        /// `RTM_MDAT`.
        magic: Framing<[u8; 8]>,
        /// 0 in all known files.
        metadata_reserved: U32,
        /// Number of properties that follow.
        properties: Framing<U32>,
    }

    /// The start of RTM_0101, before the names of its bones.
    PlainHeader = 28 {
        /// `RTM_0101`.
        magic: Framing<[u8; 8]>,
        /// Movement of the animated body in one cycle: x, y, z in meters.
        displacement: Vec3,
        /// Number of frames.
        frames: U32,
        /// Number of bones.
        bones: U32,
    }

    /// A name that ends at its first NUL or fills its 32 bytes.
    FixedName = 32 {
        /// The bytes of the name; those after the NUL are garbage.
        field: [u8; 32],
    }

    /// Three rows of a rotation and one of a position, for row vectors.
    Matrix = 48 {
        /// The rows of the rotation.
        rotation: [Vec3; 3],
        /// The position.
        position: Vec3,
    }

    /// One bone in one frame of a plain file, in the model's space.
    BonePose = 80 {
        /// Its name.
        name: FixedName,
        /// Its transform.
        matrix: Matrix,
    }
}

plain! {
    FixedName: Number("text[32]", 32) => |name| name.text();
    Matrix: Number("f32[12]", 48) => |matrix| Value::Floats(matrix.to_rows().as_flattened().to_vec().into());
}

impl Transform {
    /// Returns the rotation as a unit quaternion x, y, z, w. Because of the 16-bit precision, its length differs from 1
    /// by up to 0.003 in the known files.
    #[inline]
    pub fn rotation(&self) -> [f32; 4] {
        self.rotation.map(|part| f32::from(part.get()) / 16384.0)
    }

    /// Returns the translation x, y, z in meters.
    ///
    /// These are IEEE half floats: an exponent of 31 means infinite or NaN, unlike in the document's formula. Three
    /// real files have such numbers.
    #[inline]
    pub fn translation(&self) -> [f32; 3] {
        // The fourth number is padding.
        let mut all = [0.0; 4];
        let [x, y, z] = self.translation.map(|half| f16::from_bits(half.get()));
        [x, y, z, f16::ZERO].convert_to_f32_slice(&mut all);
        let [x, y, z, _] = all;
        [x, y, z]
    }

    /// Returns the matrix as in plain files, but still relative to the parent: three rows of a rotation and one of a
    /// position, converted to the axes of a model. To get the matrix that a plain file stores, multiply a bone's own
    /// matrix by its parent's and so on, for row vectors.
    pub fn to_matrix(&self) -> [[f32; 3]; 4] {
        let [x, y, z, w] = self.rotation();
        let [tx, ty, tz] = self.translation();
        [
            [1.0 - 2.0 * (y * y + z * z), -2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [-2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), -2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), -2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
            [-tx, ty, -tz],
        ]
    }
}

impl Matrix {
    /// Returns the numbers, row by row.
    pub fn to_rows(&self) -> [[f32; 3]; 4] {
        let [a, b, c] = self.rotation;
        [a, b, c, self.position].map(|row| row.to_array())
    }
}

impl FixedName {
    /// Returns the name, up to its first NUL.
    pub fn text(&self) -> ByteStr<'_> {
        ByteStr::new(self.field.split(|&byte| byte == 0).next().unwrap_or(&[]))
    }
}

/// A [`Transform`] as native numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NativeTransform {
    pub rotation: [i16; 4],
    pub translation: [f16; 3],
}

// By hand, because bytemuck's derive takes a seventh of the time of a build of one format.
// SAFETY: zero is a valid value of every field.
#[allow(unsafe_code)]
unsafe impl bytemuck::Zeroable for NativeTransform {}
// SAFETY: `repr(C)`, and every field consists of numbers of the same size, so there is no padding, which the size below
// checks; every bit pattern is a valid number.
#[allow(unsafe_code)]
unsafe impl bytemuck::Pod for NativeTransform {}
const _: () = assert!(size_of::<NativeTransform>() == 14);

elements! {
    Transform = NativeTransform { "qx" I16, "qy" I16, "qz" I16, "qw" I16, "tx" F16, "ty" F16, "tz" F16 }
    Matrix = [f32; 12] {
        "m00" F32, "m01" F32, "m02" F32, "m10" F32, "m11" F32, "m12" F32,
        "m20" F32, "m21" F32, "m22" F32, "x" F32, "y" F32, "z" F32,
    }
}

impl crate::base::sealed::Sealed for FixedName {}

impl Element for FixedName {
    type Native = [u8; 32];
    const COLUMNS: &'static [Column] = &[Column::new("byte", Scalar::U8); 32];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_their_nul_or_with_their_field() {
        let mut name = FixedName { field: [b'x'; 32] };
        assert_eq!(name.text().len(), 32);
        name.field[3] = 0;
        assert_eq!(name.text(), "xxx");
        name.field[0] = 0;
        assert!(name.text().is_empty());
    }

    #[test]
    fn halves_are_ieee_to_the_last_exponent() {
        let transform = |bits: u16| Transform { rotation: [I16::ZERO; 4], translation: [bits.into(); 3] };
        let value = |bits| transform(bits).translation()[0];
        assert_eq!((value(0x3c00), value(0xc100), value(0x0001)), (1.0, -2.5, 2.0_f32.powi(-24)));
        assert_eq!((value(0x7c00), value(0xfc00)), (f32::INFINITY, f32::NEG_INFINITY));
        assert!(value(0x7e00).is_nan());
    }

    #[test]
    fn matrices_turn_the_axes() {
        let mut transform =
            Transform { rotation: [0, 0, 0, 16384].map(I16::new), translation: [0x3c00, 0x4000, 0x4200].map(U16::new) };
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [a, b, c, position] = transform.to_matrix();
        assert_eq!(([a, b, c], position), (unit, [-1.0, 2.0, -3.0]));
        // A quarter turn around y.
        transform.rotation = [0, 11585, 0, 11585].map(I16::new);
        let rows = transform.to_matrix();
        let expected = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];
        for (row, expected) in rows.iter().zip(expected) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{rows:?}");
        }
    }
}
