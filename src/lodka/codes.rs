//! Numbers with a meaning, kept as stored: an unknown value survives and has no name.

use zerocopy::little_endian::{F32, I16, I32, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::wire::{Matrix, Rotation};
use crate::inspect::{Outline, Value};
use crate::view::{Color, Vec3};

/// A field of a fixed record.
pub(crate) trait Field {
    /// Tells it to an outline.
    fn tell(&self, name: &'static str, out: &mut Outline<'_>);

    /// Its value, where that is a code without a meaning.
    fn unknown(&self) -> Option<u8> {
        None
    }
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

        impl Field for $name {
            fn tell(&self, name: &'static str, out: &mut Outline<'_>) {
                out.coded(name, self.0, self.name());
            }

            fn unknown(&self) -> Option<u8> {
                self.name().is_none().then_some(self.0)
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

impl Field for Flag {
    fn tell(&self, name: &'static str, out: &mut Outline<'_>) {
        match self.0 {
            0 | 1 => out.field(name, self.is_set()),
            other => out.field(name, Value::Coded(other.into(), None)),
        }
    }

    fn unknown(&self) -> Option<u8> {
        (self.0 > 1).then_some(self.0)
    }
}

macro_rules! plain_fields {
    ($($kind:ty => |$value:ident| $result:expr;)*) => {$(
        impl Field for $kind {
            fn tell(&self, name: &'static str, out: &mut Outline<'_>) {
                let $value = self;
                out.field(name, $result);
            }
        }
    )*};
}

plain_fields! {
    u8 => |value| *value;
    U16 => |value| value.get();
    I16 => |value| value.get();
    I32 => |value| value.get();
    F32 => |value| value.get();
    Vec3 => |value| value.to_array();
    Color => |value| value.to_array();
    Rotation => |value| [value.x.get(), value.y.get(), value.z.get(), value.w.get()];
    Matrix => |value| value.map(F32::get);
}
