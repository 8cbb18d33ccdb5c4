//! Numbers with a meaning, kept as stored: an unknown value survives and has no name.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::inspect::Value;
use crate::view::record::{Plain, Stored, Type, plain_read};
use crate::view::{Column, Element};

/// A code in one byte.
macro_rules! byte {
    ($name:ident) => {
        impl Stored for $name {
            const TYPE: Type = Type::Number(stringify!($name), 1);
        }

        impl Element for $name {
            type Native = u8;
            const COLUMNS: &'static [Column] = u8::COLUMNS;
        }

        plain_read! {
            $name => |cursor| cursor.u8().map(Self);
        }
    };
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident [$($meaning:literal),*];)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
        #[repr(transparent)]
        pub struct $name(pub u8);

        impl $name {
            /// What it means, where the format gives it a meaning.
            pub fn name(self) -> Option<&'static str> {
                [$($meaning),*].get(usize::from(self.0)).copied()
            }
        }

        byte!($name);

        impl Plain for $name {
            fn value(&self) -> Value<'_> {
                Value::Coded(self.0.into(), self.name().map(Into::into))
            }

            fn unknown_code(&self) -> Option<i64> {
                self.name().is_none().then_some(self.0.into())
            }
        }
    )*};
}

codes! {
    /// How an animation plays (`AnimMode`).
    PlayMode ["none", "once", "loop", "bounce forward", "bounce backward", "loop backward", "external"];
    /// How a material covers what lies behind.
    BlendingMode ["opaque", "transparency", "additive", "alpha test 50", "alpha test 100", "modulate"];
    /// Where an image's opacity comes from.
    ImageAlpha [
        "default", "from intensity", "super-black transparent", "luminance", "luminance sqrt", "opaque",
        "top-left colour transparent", "inverse luminance", "inverse luminance sqrt"
    ];
    /// How an image meets the material's colour.
    TextureMode ["decal", "modulate", "blend", "replace"];
    /// Along which axes an image repeats.
    TextureWrap ["both", "none", "vertical", "horizontal"];
    /// How an image is kept in video memory.
    TextureFormat [
        "default", "RGB", "RGBA", "RGB16", "RGBA16", "alpha", "luminance", "luminance+alpha", "intensity",
        "normal map", "RGBA float16", "RGBA float32"
    ];
    /// Where texture coordinates come from.
    MappingMode [
        "user", "object linear", "eye linear", "sphere", "cube reflection", "cube normal", "cube light0",
        "cube camera"
    ];
    /// How indices form triangles; files hold 0.
    FaceMode ["triangles", "strip", "flat triangles", "fan", "quads"];
    /// The shape of a physics body or geom.
    BodyType [
        "none", "box", "sphere", "cylinder", "capsule", "cone", "plane", "trimesh", "ccylinder", "ray"
    ];
    /// How two bodies can move against each other.
    JointType ["none", "ball", "slider", "hinge", "hinge2", "universal", "corkscrew", "up-vector"];
    /// How a light shines (`LigthStyle`).
    LightStyle ["spot", "omni", "parallel"];
    /// The shape of a collider (`SkelCollType`).
    ColliderType ["sphere", "capsule", "cylinder", "box"];
}

/// What a shader does (`ShaderType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct ShaderKind(pub u8);

impl ShaderKind {
    /// Bump mapping, the one that the format describes.
    pub const BUMP: Self = Self(1);
}

byte!(ShaderKind);

impl Plain for ShaderKind {
    fn value(&self) -> Value<'_> {
        Value::Coded(self.0.into(), (*self == Self::BUMP).then(|| "bump".into()))
    }
}

/// A yes or no in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Flag(pub u8);

impl Flag {
    /// Whether it is a yes: anything but 0.
    pub fn is_set(self) -> bool {
        self.0 != 0
    }
}

byte!(Flag);

impl Plain for Flag {
    fn value(&self) -> Value<'_> {
        match self.0 {
            0 | 1 => Value::Bool(self.is_set()),
            other => Value::Coded(other.into(), None),
        }
    }

    fn unknown_code(&self) -> Option<i64> {
        (self.0 > 1).then_some(self.0.into())
    }
}
