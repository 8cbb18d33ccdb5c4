//! Numeric codes.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::bytes::array::elements;
use crate::outline::{Type, Value};
use crate::record::Stored;
use crate::record::codes::codes;

codes! {
    /// How an animation plays (`AnimMode`).
    PlayMode(u8) in place { 0 "none", 1 "once", 2 "loop", 3 "bounce forward", 4 "bounce backward", 5 "loop backward", 6 "external" }
    /// How a material blends with what is drawn behind it.
    BlendingMode(u8) in place { 0 "opaque", 1 "transparency", 2 "additive", 3 "alpha test 50", 4 "alpha test 100", 5 "modulate" }
    /// The source of an image's opacity.
    ImageAlpha(u8) in place { 0 "default", 1 "from intensity", 2 "super-black transparent", 3 "luminance", 4 "luminance sqrt", 5 "opaque", 6 "top-left color transparent", 7 "inverse luminance", 8 "inverse luminance sqrt" }
    /// How an image combines with the material's color.
    TextureMode(u8) in place { 0 "decal", 1 "modulate", 2 "blend", 3 "replace" }
    /// The axes along which an image repeats.
    TextureWrap(u8) in place { 0 "both", 1 "none", 2 "vertical", 3 "horizontal" }
    /// How an image is kept in video memory.
    TextureFormat(u8) in place { 0 "default", 1 "RGB", 2 "RGBA", 3 "RGB16", 4 "RGBA16", 5 "alpha", 6 "luminance", 7 "luminance+alpha", 8 "intensity", 9 "normal map", 10 "RGBA float16", 11 "RGBA float32" }
    /// The source of texture coordinates.
    MappingMode(u8) in place { 0 "user", 1 "object linear", 2 "eye linear", 3 "sphere", 4 "cube reflection", 5 "cube normal", 6 "cube light0", 7 "cube camera" }
    /// How indices form triangles; files hold 0.
    FaceMode(u8) in place { 0 "triangles", 1 "strip", 2 "flat triangles", 3 "fan", 4 "quads" }
    /// The shape of a physics body or geom.
    BodyType(u8) in place { 0 "none", 1 "box", 2 "sphere", 3 "cylinder", 4 "capsule", 5 "cone", 6 "plane", 7 "trimesh", 8 "ccylinder", 9 "ray" }
    /// How two bodies can move against each other.
    JointType(u8) in place { 0 "none", 1 "ball", 2 "slider", 3 "hinge", 4 "hinge2", 5 "universal", 6 "corkscrew", 7 "up-vector" }
    /// How a light shines (`LigthStyle`).
    LightStyle(u8) in place { 0 "spot", 1 "omni", 2 "parallel" }
    /// The shape of a collider (`SkelCollType`).
    ColliderType(u8) in place { 0 "sphere", 1 "capsule", 2 "cylinder", 3 "box" }
    /// The type of a shader (`ShaderType`): the format describes one.
    ShaderKind(u8) in place { 1 "bump" }
}

impl FaceMode {
    /// A strip: each index from the third on forms a triangle with the two before it.
    pub(crate) const STRIP: Self = Self(1);
    /// A fan: each index from the third on forms a triangle with the one before it and the first.
    pub(crate) const FAN: Self = Self(3);
    /// Four indices per quad.
    pub(crate) const QUADS: Self = Self(4);
}

impl ShaderKind {
    /// Bump mapping.
    pub(crate) const BUMP: Self = Self(1);
}

/// A boolean stored in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Flag(pub u8);

impl Flag {
    /// Returns true for any value except 0.
    pub(crate) fn is_set(self) -> bool {
        self.0 != 0
    }
}

elements! {
    Flag = u8 { "value" U8 }
}

impl Stored for Flag {
    const TYPE: Type = Type::Number("Flag", 1);
    const CODES: &'static [(i64, &'static str)] = &[(0, "no"), (1, "yes")];

    /// Bytes other than 0 and 1 are shown as a code without a meaning.
    fn value(&self) -> Option<Value<'_>> {
        Some(match self.0 {
            0 | 1 => Value::Bool(self.is_set()),
            other => Value::Coded(other.into(), None),
        })
    }
}
