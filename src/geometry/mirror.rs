//! The mirror between the left-handed space of a format and the common space. Only this file decides which formats are
//! mirrored, and how.

use super::matrix::{Matrix, Transform};
use crate::base::format::Format;

/// The axis whose sign changes.
// An export says which axis it mirrors. Without that feature, it has no name outside of the crate.
#[cfg_attr(not(feature = "export"), allow(unreachable_pub))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mirror {
    /// Models keep facing the side that glTF calls the front.
    X,
    /// As Luanti does for Blitz3D.
    Z,
}

impl Mirror {
    /// Returns the mirror from the space of a format to the common space. `None` if the format is right-handed, or has
    /// no positions.
    pub(crate) const fn of(format: Format) -> Option<Self> {
        match format {
            Format::B3d | Format::Bmx => Some(Self::X),
            // Models of Arma face against z.
            Format::Mlod | Format::Odol | Format::Rtm | Format::Bmtr => Some(Self::Z),
            Format::Lodka => None,
            Format::Paa
            | Format::Pbo
            | Format::Rap
            | Format::Zip
            | Format::TexHeaders
            | Format::Bisign
            | Format::Bikey => None,
        }
    }
}

/// Converts a position or direction from the space of a format to the common space.
pub(crate) const fn vector_in_common(format: Format, [x, y, z]: [f32; 3]) -> [f32; 3] {
    match Mirror::of(format) {
        None => [x, y, z],
        Some(Mirror::X) => [-x, y, z],
        Some(Mirror::Z) => [x, y, -z],
    }
}

/// Converts a rotation, or any quaternion, from the space of a format to the common space.
pub(crate) const fn rotation_in_common(format: Format, [i, j, k, w]: [f32; 4]) -> [f32; 4] {
    match Mirror::of(format) {
        None => [i, j, k, w],
        Some(Mirror::X) => [i, -j, -k, w],
        Some(Mirror::Z) => [-i, -j, k, w],
    }
}

impl Matrix {
    /// Maps the space of a format to the common space.
    pub(crate) const fn to_common(format: Format) -> Self {
        let [x, y, z] = vector_in_common(format, [1.0; 3]);
        Self([[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0], [0.0, 0.0, 0.0, 1.0]])
    }

    /// Converts a mapping from the space of a format into itself to one of the common space.
    pub(crate) fn in_common(&self, format: Format) -> Self {
        let mirror = Self::to_common(format);
        mirror.after(self).after(&mirror)
    }
}

impl Transform {
    /// Converts a transform from the space of a format to the common space.
    #[must_use]
    pub(crate) const fn in_common(&self, format: Format) -> Self {
        Self {
            translation: vector_in_common(format, self.translation),
            rotation: rotation_in_common(format, self.rotation),
            scale: self.scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f32; 3], b: [f32; 3]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} {b:?}");
    }

    #[test]
    fn a_transform_in_common_space_is_the_transform_seen_in_the_mirror() {
        let transform =
            Transform { translation: [1.0, 2.0, 3.0], rotation: [0.1, -0.7, 0.1, 0.7], scale: [1.0, 2.0, 0.5] };
        let point = [0.3, -0.4, 0.9];
        for &format in Format::ALL {
            let mirror = Matrix::to_common(format);
            let seen = mirror.point(transform.to_matrix().point(point));
            let mirrored = vector_in_common(format, point);
            near(mirrored, mirror.point(point));
            near(transform.in_common(format).to_matrix().point(mirrored), seen);
            near(transform.to_matrix().in_common(format).point(mirrored), seen);
            // A mirror turns a left hand into a right one.
            assert_eq!(mirror.mirrors(), Mirror::of(format).is_some(), "{format}");
        }
    }
}
