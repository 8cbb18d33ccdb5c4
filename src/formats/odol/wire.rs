//! Records exactly as stored.

use zerocopy::little_endian::{F32, I16, I32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::codes::UvSource;
use crate::bytes::Vec3;
use crate::bytes::array::elements;
use crate::record::{plain, wire};

wire! {
    /// A matrix of three rows, and a position that is added after the multiplication.
    Transform = 48 {
        /// Directions of the x, y and z axes, in this order.
        basis: [Vec3; 3],
        /// Position of the origin.
        position: Vec3,
    }

    /// Texture-coordinate transform of a material's stage.
    StageTransform = 52 {
        /// Source of the coordinates.
        #[codes(UvSource)]
        #[label("UVSource")] uv_source: U32,
        /// The transform.
        #[label("Transform")] transform: Transform,
    }

    /// Collimator data of a section: three points or directions, and two numbers. Based on other readers only; no known
    /// file has it.
    Collimator = 44 {
        /// The first point or direction.
        a: Vec3,
        /// The second point or direction.
        b: Vec3,
        /// Unknown.
        c: U32,
        /// The third point or direction.
        d: Vec3,
        /// Unknown.
        e: U32,
    }

    /// The start of a [`Buoyancy`](super::Buoyancy).
    BuoyancyStart = 36 {
        /// Number of places along each axis.
        grid: [I32; 3],
        /// Distance between places along each axis.
        step: [F32; 3],
        /// The radius of all spheres.
        radius: F32,
        /// The minimum and maximum number of spheres.
        sphere_counts: [I32; 2],
    }

    /// One of the spheres of a model's buoyancy.
    BuoyancySphere = 20 {
        /// Its center.
        center: Vec3,
        /// Its radius.
        radius: F32,
        /// Share of its surface that belongs to the model.
        surface: F32,
    }

    /// The smallest and largest coordinates of a set, as u and v.
    UvBounds = 16 {
        /// The coordinates that are stored as -32767.
        #[label("UVScale, uvScaling")] min: [F32; 2],
        /// The coordinates that are stored as 32767.
        #[label("UVScale, uvScaling")] max: [F32; 2],
    }

    /// A texture coordinate of version 45 and later, relative to the bounds of its set.
    PackedUv = 4 {
        /// To the right, -32767 to 32767.
        u: I16,
        /// Down, -32767 to 32767.
        v: I16,
    }

    /// The tangents of a vertex in version 45 and later.
    PackedTangents = 8 {
        /// Along u: three signed numbers of 10 bits, x in the lowest, times -1/511.
        s: PackedVector,
        /// Along v, stored likewise.
        t: PackedVector,
    }

    /// The tangents of a vertex before version 45.
    FloatTangents = 24 {
        /// Along u.
        s: Vec3,
        /// Along v.
        t: Vec3,
    }

    /// The weight of one bone for a vertex.
    BoneWeight = 2 {
        /// Index in the LOD's `bones`.
        bone: u8,
        /// Weight in 255ths; those of a vertex sum to 255.
        weight: u8,
    }

    /// The bones that move a vertex (AnimationRTWeight).
    BoneRef = 12 {
        /// Number of valid pairs, 0 to 4.
        #[label("index")] count: I32,
        /// The pairs. Those after the first `count` are left over from the writer's memory.
        #[label("V")] pairs: [BoneWeight; 4],
    }

    /// A neighbor of a vertex in a shadow volume, and the bones that move it (VertexNeighborInfo).
    Neighbor = 16 {
        /// Number of the vertex.
        #[label("Unknown")] vertex: U16,
        /// Left over from the writer's memory; 0 from version 69 on, where the two may be one 32-bit number.
        #[label("Unknown")] unused: U16,
        /// The bones that move it.
        #[label("Unknown")] bones: BoneRef,
    }

    /// The two neighbors of a vertex in a shadow volume.
    Neighbors = 32 {
        /// The two neighbors.
        #[label("Unknown")] pair: [Neighbor; 2],
    }
}

plain! {
    Transform: Number("f32[12]", 48) => |transform| transform.to_array();
    PackedVector: Number("PackedVector", 4) => |vector| vector.to_array();
    BoneRef: Number("BoneRef", 12) => |bones| bones.count.get();
    LastConstants: Number("f32[12]", 48) => |words| words.to_array();
}

impl Transform {
    /// Returns the twelve numbers in stored order.
    pub fn to_array(&self) -> [f32; 12] {
        zerocopy::transmute!(*self)
    }
}

impl StageTransform {
    /// Returns the source of the coordinates.
    pub fn uv_source(&self) -> UvSource {
        UvSource(self.uv_source.get())
    }
}

/// Twelve unknown numbers in materials of kind 20; the third and the seventh are integers.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct LastConstants([U32; 12]);

impl LastConstants {
    /// Returns the numbers in stored order.
    pub fn to_array(&self) -> [f32; 12] {
        let mut numbers = self.0.map(|word| f32::from_bits(word.get()));
        numbers[2] = self.0[2].get().cast_signed() as f32;
        numbers[6] = self.0[6].get().cast_signed() as f32;
        numbers
    }
}

impl UvBounds {
    /// Converts a packed coordinate: `min + (packed + 32767) / 65534 * (max - min)`. Bounds that are not finite or in
    /// the wrong order are used unchanged.
    ///
    /// ```
    /// use meshpeek::odol::{PackedUv, UvBounds};
    /// let bounds = UvBounds { min: [0.0.into(), 1.0.into()], max: [1.0.into(), 3.0.into()] };
    /// let center = PackedUv { u: 0.into(), v: 0.into() };
    /// assert_eq!(bounds.scale(center), [0.5, 2.0]);
    /// ```
    pub fn scale(&self, packed: PackedUv) -> [f32; 2] {
        let [min_u, min_v] = self.min.map(F32::get);
        let [max_u, max_v] = self.max.map(F32::get);
        [scaled(packed.u.get(), min_u, max_u), scaled(packed.v.get(), min_v, max_v)]
    }
}

/// Converts one packed number: -32767 becomes `min`, 32767 becomes `max`.
fn scaled(packed: i16, min: f32, max: f32) -> f32 {
    min + (f32::from(packed) + 32767.0) / 65534.0 * (max - min)
}

/// A unit vector of version 45 and later: three signed 10-bit numbers, x in the lowest bits. Bits 30 and 31 are unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PackedVector(pub U32);

impl PackedVector {
    /// Returns the vector with the sign that the engine uses, each number times -1/511: a normal then points **into**
    /// the body, against `(b - a) x (c - a)` of its face. Lengths are 1 within a thousandth; a few are zero.
    pub fn to_array(self) -> [f32; 3] {
        // Subtraction from zero avoids negative zeros.
        self.to_outward().map(|axis| 0.0 - axis)
    }

    /// Returns the vector with the opposite sign, each number times 1/511: a normal then points out of the body.
    pub fn to_outward(self) -> [f32; 3] {
        let bits = self.0.get();
        // Each number is shifted to the top, so that the arithmetic shift back extends its sign.
        [bits << 22, bits << 12, bits << 2].map(|top| (top.cast_signed() >> 22) as f32 / 511.0)
    }
}

impl BoneRef {
    /// Returns the valid pairs: all four if `count` is larger, none if it is negative.
    pub fn weights(&self) -> &[BoneWeight] {
        let count = usize::try_from(self.count.get()).unwrap_or(0);
        self.pairs.get(..count).unwrap_or(&self.pairs)
    }
}

elements! {
    PackedUv = [i16; 2] { "u" I16, "v" I16 }
    PackedVector = u32 { "packed" U32 }
    PackedTangents = [u32; 2] { "s" U32, "t" U32 }
    FloatTangents = [f32; 6] { "s_x" F32, "s_y" F32, "s_z" F32, "t_x" F32, "t_y" F32, "t_z" F32 }
    BoneRef = [u8; 12] {
        "count" I32, "bone_0" U8, "weight_0" U8, "bone_1" U8, "weight_1" U8,
        "bone_2" U8, "weight_2" U8, "bone_3" U8, "weight_3" U8,
    }
    Neighbors = [u8; 32] {
        "a" U16, "a_unused" U16,
        "a_count" I32, "a_bone_0" U8, "a_weight_0" U8, "a_bone_1" U8, "a_weight_1" U8,
        "a_bone_2" U8, "a_weight_2" U8, "a_bone_3" U8, "a_weight_3" U8,
        "b" U16, "b_unused" U16,
        "b_count" I32, "b_bone_0" U8, "b_weight_0" U8, "b_bone_1" U8, "b_weight_1" U8,
        "b_bone_2" U8, "b_weight_2" U8, "b_bone_3" U8, "b_weight_3" U8,
    }
    BuoyancySphere = [f32; 5] { "x" F32, "y" F32, "z" F32, "radius" F32, "surface" F32 }
    StageTransform = [u32; 13] {
        "uv_source" U32, "xx" F32, "xy" F32, "xz" F32, "yx" F32, "yy" F32, "yz" F32,
        "zx" F32, "zy" F32, "zz" F32, "x" F32, "y" F32, "z" F32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_vectors_keep_the_sign_of_each_axis() {
        let packed = |x: i32, y: i32, z: i32| {
            let field = |n: i32, shift: u32| ((n & 0x3ff) as u32) << shift;
            PackedVector(U32::new(field(x, 0) | field(y, 10) | field(z, 20) | 0xc000_0000))
        };
        assert_eq!(packed(511, 0, -511).to_array(), [-1.0, 0.0, 1.0]);
        assert_eq!(packed(511, 0, -511).to_outward(), [1.0, 0.0, -1.0]);
        // If only x is zero, z is unchanged.
        assert_eq!(packed(0, -1, 1).to_outward(), [0.0, -1.0 / 511.0, 1.0 / 511.0]);
        assert_eq!(packed(-512, 0, 0).to_outward()[0], -512.0 / 511.0);
    }

    #[test]
    fn counts_of_bone_references_are_claims() {
        let of = |count: i32| {
            let pairs = [BoneWeight { bone: 1, weight: 255 }; 4];
            BoneRef { count: I32::new(count), pairs }.weights().len()
        };
        assert_eq!([of(-1), of(0), of(2), of(4), of(5), of(i32::MAX)], [0, 0, 2, 4, 4, 4]);
    }
}
