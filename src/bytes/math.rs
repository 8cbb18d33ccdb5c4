//! Vectors, quaternions and colors as stored: little-endian `f32`, alignment 1.

use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::array::elements;

/// Defines records of `f32` numbers: their fields, each with the name of its column, and how many there are.
macro_rules! float_records {
    ($($(#[$doc:meta])* $name:ident { $($field:ident $label:literal),* } = $count:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
        #[repr(C)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: F32),* }

        impl $name {
            /// Returns the numbers in stored order.
            #[inline]
            pub fn to_array(&self) -> [f32; $count] {
                [$(self.$field.get()),*]
            }
        }

        impl From<$name> for [f32; $count] {
            fn from(numbers: $name) -> Self {
                numbers.to_array()
            }
        }

        elements! { $name = [f32; $count] { $($label F32),* } }
    )*};
}

float_records! {
    /// Two numbers: a texture coordinate.
    Vec2 { x "u", y "v" } = 2;
    /// Three numbers: a position, a direction or a scale.
    Vec3 { x "x", y "y", z "z" } = 3;
    /// A quaternion stored with its real part first.
    Quat { w "w", x "x", y "y", z "z" } = 4;
    /// A quaternion stored with its real part last.
    Rotation { x "x", y "y", z "z", w "w" } = 4;
    /// A color; each channel is 0 to 1.
    Color { r "r", g "g", b "b", a "a" } = 4;
}
