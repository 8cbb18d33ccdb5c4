//! The axes and the scale of an exported model.

use glam::{Mat4, Vec3, Vec4};

use crate::base::format::Format;
use crate::geometry::mirror::Mirror;
use crate::geometry::{Matrix, Transform};

/// The axes and the scale of the result. The default is the space of glTF, which is that of
/// [`geometry`](crate::geometry): right-handed, +Y up.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Space {
    /// The axis whose sign changes between the left-handed space of a file and the right-handed one. `None`: x for
    /// Blitz3D and Ballance, z for Arma. A format that is right-handed is never mirrored.
    pub mirror: Option<Mirror>,
    /// The axis that points up.
    pub up: Up,
    /// A factor for all positions.
    pub scale: f32,
}

impl Default for Space {
    fn default() -> Self {
        Self { mirror: None, up: Up::Y, scale: 1.0 }
    }
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Up {
    /// As in glTF.
    #[default]
    Y,
    /// As in Blender and Unreal. The former front faces -Y.
    Z,
}

/// Maps the common space to that of the result: rotates it, then scales it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    is_turned: bool,
    is_z_up: bool,
    scale: f32,
}

impl Basis {
    pub(super) fn new(space: &Space, format: Format) -> Self {
        // Both mirrors together are half a turn about y.
        let is_turned = match (Mirror::of(format), space.mirror) {
            (Some(native), Some(mirror)) => mirror != native,
            _ => false,
        };
        Self { is_turned, is_z_up: space.up == Up::Z, scale: space.scale }
    }

    pub(super) fn direction(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = if self.is_turned { [-x, y, -z] } else { [x, y, z] };
        if self.is_z_up { [x, -z, y] } else { [x, y, z] }
    }

    pub(super) fn point(&self, point: [f32; 3]) -> [f32; 3] {
        self.direction(point.map(|axis| axis * self.scale))
    }

    /// Converts a rotation, or any quaternion.
    pub(super) fn rotation(&self, [i, j, k, w]: [f32; 4]) -> [f32; 4] {
        let [i, j, k] = self.direction([i, j, k]);
        [i, j, k, w]
    }

    /// Converts factors along the axes.
    pub(super) fn factors(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        if self.is_z_up { [x, z, y] } else { [x, y, z] }
    }

    pub(super) fn transform(&self, place: &Transform) -> Transform {
        Transform {
            translation: self.point(place.translation),
            rotation: self.rotation(place.rotation),
            scale: self.factors(place.scale),
        }
    }

    /// Converts a mapping from the common space into itself.
    pub(super) fn matrix(&self, matrix: &Matrix) -> Matrix {
        if !self.is_turned && !self.is_z_up && self.scale == 1.0 {
            return *matrix;
        }
        let x = self.column([1.0, 0.0, 0.0]);
        let y = self.column([0.0, 1.0, 0.0]);
        let z = self.column([0.0, 0.0, 1.0]);
        let basis = Mat4::from_cols(x, y, z, Vec4::W);
        Matrix::of(basis * matrix.glam() * basis.inverse())
    }

    fn column(&self, axis: [f32; 3]) -> Vec4 {
        Vec3::from(self.point(axis)).extend(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_and_matrices_move_points_alike_in_each_space() {
        let place = Transform { translation: [1.0, 2.0, 3.0], rotation: [0.5, -0.5, 0.1, 0.7], scale: [1.0, 2.0, 3.0] };
        let point = [0.25, -0.5, 4.0];
        for (mirror, up, scale) in [(None, Up::Y, 1.0), (Some(Mirror::Z), Up::Y, 2.0), (Some(Mirror::Z), Up::Z, 0.1)] {
            let basis = Basis::new(&Space { mirror, up, scale }, Format::B3d);
            let expected = basis.point(place.to_matrix().point(point));
            let of_transform = basis.transform(&place).to_matrix().point(basis.point(point));
            let of_matrix = basis.matrix(&place.to_matrix()).point(basis.point(point));
            for (a, b) in expected.iter().zip(of_transform).chain(expected.iter().zip(of_matrix)) {
                assert!((a - b).abs() < 1e-4, "{expected:?} {of_transform:?} {of_matrix:?}");
            }
        }
    }

    /// A point of a file in the result: mirrored along the axis asked for, then turned up, then scaled.
    fn slowly([x, y, z]: [f32; 3], space: &Space, native: Option<Mirror>) -> [f32; 3] {
        let [x, y, z] = match native.and(space.mirror).or(native) {
            None => [x, y, z],
            Some(Mirror::X) => [-x, y, z],
            Some(Mirror::Z) => [x, y, -z],
        };
        let turned = match space.up {
            Up::Y => [x, y, z],
            Up::Z => [x, -z, y],
        };
        turned.map(|axis| axis * space.scale)
    }

    #[test]
    fn every_format_lies_in_every_space_as_asked_for() {
        for &format in Format::ALL {
            let native = match format {
                Format::B3d | Format::Bmx => Some(Mirror::X),
                Format::Mlod | Format::Odol | Format::Rtm | Format::Bmtr => Some(Mirror::Z),
                _ => None,
            };
            for mirror in [None, Some(Mirror::X), Some(Mirror::Z)] {
                for up in [Up::Y, Up::Z] {
                    for scale in [1.0, 0.5, 100.0] {
                        let space = Space { mirror, up, scale };
                        let basis = Basis::new(&space, format);
                        let stored = [1.0, 2.0, 4.0];
                        // The common space is that of the file, mirrored along its own axis.
                        let common = slowly(stored, &Space::default(), native);
                        let expected = slowly(stored, &space, native);
                        assert_eq!(basis.point(common), expected, "{format} in {space:?}");
                        let direction = basis.direction(common).map(|axis| axis * scale);
                        assert_eq!(direction, expected, "{format} in {space:?}");
                        let factors = basis.factors([1.0, 2.0, 4.0]);
                        let expected = if up == Up::Z { [1.0, 4.0, 2.0] } else { [1.0, 2.0, 4.0] };
                        assert_eq!(factors, expected, "{format} in {space:?}");
                        let place = Transform {
                            translation: [1.0, 2.0, 3.0],
                            rotation: [0.5, -0.5, 0.1, 0.7],
                            scale: [1.0, 2.0, 3.0],
                        };
                        let moved = basis.point(place.to_matrix().point(common));
                        let of_transform = basis.transform(&place).to_matrix().point(basis.point(common));
                        let of_matrix = basis.matrix(&place.to_matrix()).point(basis.point(common));
                        for (a, b) in moved.iter().zip(of_transform).chain(moved.iter().zip(of_matrix)) {
                            assert!((a - b).abs() < 1e-3 * scale, "{format} in {space:?}: {moved:?}");
                        }
                    }
                }
            }
        }
    }
}
