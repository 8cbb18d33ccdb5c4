//! Records exactly as stored: spec sections 3, 6, 7 and 8.

use zerocopy::little_endian::{F32, I16, I32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::codes::UvSource;
use crate::view::{Column, Element, Scalar, Vec3};

/// What the tables behind the header tell of one LOD, so that it can be drawn without being read (FaceData).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct FaceDefault {
    /// How many faces the LOD has.
    pub faces: U32,
    /// The LOD's `color`, 0xAARRGGBB.
    pub color: U32,
    /// The LOD's `special`.
    pub special: I32,
    /// The LOD's `or_hints`.
    pub or_hints: U32,
    /// Not zero where the LOD has `items` (hasSkeleton).
    pub has_skeleton: u8,
}

/// What version 51 added to [`FaceDefault`].
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct FaceDefaultMore {
    /// How many points the LOD has.
    pub points: U32,
    /// The LOD's `face_area`.
    pub face_area: F32,
}

/// A basis of three rows and a position: what a point is multiplied with, then added to.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Transform {
    /// Where the x, y and z axis point to, in this order.
    pub basis: [Vec3; 3],
    /// Where the origin comes to lie.
    pub position: Vec3,
}

impl Transform {
    /// The twelve numbers in the order stored.
    pub fn to_array(&self) -> [f32; 12] {
        zerocopy::transmute!(*self)
    }
}

/// How a stage of a material makes its texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct StageTransform {
    /// What the coordinates are made of, see [`uv_source`](Self::uv_source).
    pub uv_source: U32,
    /// What they are multiplied with.
    pub transform: Transform,
}

impl StageTransform {
    /// What the coordinates are made of.
    pub fn uv_source(&self) -> UvSource {
        UvSource(self.uv_source.get())
    }
}

/// The colours that a material starts with.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct MaterialColors {
    pub(super) emissive: [F32; 4],
    pub(super) ambient: [F32; 4],
    pub(super) diffuse: [F32; 4],
    pub(super) forced_diffuse: [F32; 4],
    pub(super) specular: [F32; 4],
}

/// The last words of a material of kind 20.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct MaterialWords {
    pub(super) before: [F32; 2],
    pub(super) first: I32,
    pub(super) between: [F32; 3],
    pub(super) second: I32,
    pub(super) after: [F32; 5],
}

/// What every material says of how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct MaterialCodes {
    pub(super) pixel_shader: U32,
    pub(super) vertex_shader: U32,
    pub(super) main_light: U32,
    pub(super) fog_mode: U32,
}

/// The part of a section whose length is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct SectionNumbers {
    pub(super) start: U32,
    pub(super) end: U32,
    pub(super) min_bone: U32,
    pub(super) bone_count: U32,
    pub(super) user_value: U32,
    pub(super) texture: I16,
    pub(super) flags: U32,
    pub(super) material: I32,
}

/// A section in version 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct FlashpointSection {
    pub(super) start: U32,
    pub(super) end: U32,
    pub(super) material: I32,
    pub(super) texture: I16,
    pub(super) flags: U32,
}

/// What a section with a collimator adds, from version 67 on: by readers alone, no file has it.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Collimator {
    /// Three points or directions with two numbers between them.
    pub a: Vec3,
    #[allow(missing_docs)]
    pub b: Vec3,
    #[allow(missing_docs)]
    pub c: U32,
    #[allow(missing_docs)]
    pub d: Vec3,
    #[allow(missing_docs)]
    pub e: U32,
}

/// What a [`Buoyancy`](super::Buoyancy) starts with.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub(super) struct BuoyancyStart {
    pub(super) grid: [I32; 3],
    pub(super) step: [F32; 3],
    pub(super) radius: F32,
    pub(super) sphere_counts: [I32; 2],
}

/// One of the spheres that a model floats by.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BuoyancySphere {
    /// Its centre.
    pub center: Vec3,
    /// Its radius.
    pub radius: F32,
    /// How much of its surface is the model's.
    pub surface: F32,
}

/// A texture coordinate of version 45 and later: its place between the bounds of its set
/// ([`UvBounds::scale`](super::UvBounds::scale)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PackedUv {
    /// To the right, -32767 to 32767.
    pub u: I16,
    /// Down, -32767 to 32767.
    pub v: I16,
}

/// A unit vector of version 45 and later: three numbers of 10 bits with sign, x lowest. Bits 30 and 31 are unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PackedVector(pub U32);

impl PackedVector {
    /// The vector with the sign the engine gives it, each number times -1/511: a normal then points **into** the body,
    /// against `(b - a) x (c - a)` of its face. Lengths come out at 1 within a thousandth; a few are zero.
    pub fn to_array(self) -> [f32; 3] {
        // Taken from zero, so that no zero gets a sign.
        self.to_outward().map(|axis| 0.0 - axis)
    }

    /// The vector with the opposite sign, each number times 1/511: a normal then points out of the body.
    pub fn to_outward(self) -> [f32; 3] {
        let bits = self.0.get();
        // The ten bits come to lie at the top, so that the shift back spreads their sign.
        [bits << 22, bits << 12, bits << 2].map(|top| (top.cast_signed() >> 22) as f32 / 511.0)
    }
}

/// The tangents of a vertex in version 45 and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct PackedTangents {
    /// Along u.
    pub s: PackedVector,
    /// Along v.
    pub t: PackedVector,
}

/// The tangents of a vertex before version 45.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct FloatTangents {
    /// Along u.
    pub s: Vec3,
    /// Along v.
    pub t: Vec3,
}

/// How much one bone moves a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BoneWeight {
    /// Which of the LOD's `items`.
    pub item: u8,
    /// How much, in 255ths; those of a vertex sum to 255.
    pub weight: u8,
}

/// The bones that move a vertex (AnimationRTWeight).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct BoneRef {
    /// How many of the pairs count, 0 to 4.
    pub count: I32,
    /// The pairs. What stands behind the first `count` is left over from the writer's memory.
    pub pairs: [BoneWeight; 4],
}

impl BoneRef {
    /// The pairs that count; all four where `count` is larger, none where it is negative.
    pub fn weights(&self) -> &[BoneWeight] {
        let count = usize::try_from(self.count.get()).unwrap_or(0);
        self.pairs.get(..count).unwrap_or(if count > 0 { &self.pairs } else { &[] })
    }
}

/// A vertex beside another one in a shadow volume, and the bones that move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Neighbor {
    /// Which vertex.
    pub vertex: U16,
    /// Left over from the writer's memory; 0 from version 69 on, so that there the two may be one number of 32 bits.
    pub unused: U16,
    /// The bones that move it.
    pub bones: BoneRef,
}

/// The two neighbours of a vertex in a shadow volume (VertexNeighborInfo).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Neighbors(pub [Neighbor; 2]);

const _: () = assert!(size_of::<FaceDefault>() == 17);
const _: () = assert!(size_of::<FaceDefaultMore>() == 8);
const _: () = assert!(size_of::<Transform>() == 48);
const _: () = assert!(size_of::<StageTransform>() == 52);
const _: () = assert!(size_of::<MaterialColors>() == 80);
const _: () = assert!(size_of::<MaterialWords>() == 48);
const _: () = assert!(size_of::<MaterialCodes>() == 16);
const _: () = assert!(size_of::<FlashpointSection>() == 18);
const _: () = assert!(size_of::<Collimator>() == 44);
const _: () = assert!(size_of::<BuoyancyStart>() == 36);
const _: () = assert!(size_of::<BuoyancySphere>() == 20);
const _: () = assert!(size_of::<SectionNumbers>() == 30);
const _: () = assert!(size_of::<PackedTangents>() == 8);
const _: () = assert!(size_of::<FloatTangents>() == 24);
const _: () = assert!(size_of::<BoneRef>() == 12);
const _: () = assert!(size_of::<Neighbors>() == 32);

macro_rules! elements {
    ($($element:ty = $native:ty { $($name:literal $scalar:ident),* $(,)? })*) => {$(
        impl Element for $element {
            type Native = $native;
            const COLUMNS: &'static [Column] = &[$(Column::new($name, Scalar::$scalar)),*];
        }
    )*};
}

elements! {
    PackedUv = [i16; 2] { "u" I16, "v" I16 }
    PackedVector = u32 { "packed" U32 }
    PackedTangents = [u32; 2] { "s" U32, "t" U32 }
    FloatTangents = [f32; 6] { "s_x" F32, "s_y" F32, "s_z" F32, "t_x" F32, "t_y" F32, "t_z" F32 }
    BoneRef = [u8; 12] {
        "count" I32, "item_0" U8, "weight_0" U8, "item_1" U8, "weight_1" U8,
        "item_2" U8, "weight_2" U8, "item_3" U8, "weight_3" U8,
    }
    Neighbors = [u8; 32] {
        "a" U16, "a_unused" U16,
        "a_count" I32, "a_item_0" U8, "a_weight_0" U8, "a_item_1" U8, "a_weight_1" U8,
        "a_item_2" U8, "a_weight_2" U8, "a_item_3" U8, "a_weight_3" U8,
        "b" U16, "b_unused" U16,
        "b_count" I32, "b_item_0" U8, "b_weight_0" U8, "b_item_1" U8, "b_weight_1" U8,
        "b_item_2" U8, "b_weight_2" U8, "b_item_3" U8, "b_weight_3" U8,
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
        // x alone being zero leaves z as it is.
        assert_eq!(packed(0, -1, 1).to_outward(), [0.0, -1.0 / 511.0, 1.0 / 511.0]);
        assert_eq!(packed(-512, 0, 0).to_outward()[0], -512.0 / 511.0);
    }

    #[test]
    fn counts_of_bone_references_are_claims() {
        let of = |count: i32| {
            let pairs = [BoneWeight { item: 1, weight: 255 }; 4];
            BoneRef { count: I32::new(count), pairs }.weights().len()
        };
        assert_eq!([of(-1), of(0), of(2), of(4), of(5), of(i32::MAX)], [0, 0, 2, 4, 4, 4]);
    }
}
