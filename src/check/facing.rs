//! Checks whether normals face the same way as their triangles.
//!
//! Some exporters leave the normals in the axes of the modelling program, or turn them inside out. Such models look
//! dark when lit. In such files the mean cosine between a triangle and its normals is about 1/3 (axes swapped) or -1
//! (inside out). In sound files it is above 0.7. In models with two copies of each triangle, one for each side, it is
//! about 0, although each normal is parallel to its triangle's own.

use crate::base::amount::Amount;
use crate::base::impl_fmt::impl_fmt;

/// Triangles compared with their normals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facing {
    triangles: Amount<u32>,
    /// The number of triangles whose normals point elsewhere.
    away: Amount<u32>,
    /// The sum of the cosines.
    cosines: f32,
    /// The sum of the absolute cosines.
    along: f32,
}

/// Below this cosine, a normal points elsewhere.
const LEAST_COSINE: f32 = 0.3;

impl Facing {
    /// Adds a triangle, with its corners in the order that shows its front by the right-hand rule. A triangle without
    /// an area or without normals is ignored.
    pub(crate) fn add(&mut self, [a, b, c]: [[f32; 3]; 3], normals: [[f32; 3]; 3]) {
        let face = cross(minus(b, a), minus(c, a));
        let [x, y, z] = normals.map(unit);
        let normal = plus(plus(x, y), z);
        let cosine = dot(unit(face), unit(normal));
        if !cosine.is_finite() || face == [0.0; 3] || normal == [0.0; 3] {
            return;
        }
        self.triangles += 1;
        self.away += u32::from(cosine < LEAST_COSINE);
        self.cosines += cosine;
        self.along += cosine.abs();
    }

    /// Returns true if the normals certainly do not match the triangles.
    pub(crate) fn is_wrong(&self) -> bool {
        // Inside out, or in other axes. If each triangle is there for both sides, the mean is about 0 too, but the
        // normals are along those of the triangles.
        let triangles = self.triangles.0 as f32;
        let mean = self.cosines / triangles;
        let along = self.along / triangles;
        self.triangles.0 > 0 && (mean < -0.5 || mean < 0.5 && along < 0.7)
    }
}

impl_fmt!([] Display for Facing, |facing| "{} of {} triangles have normals that point elsewhere", facing.away.0, facing.triangles.0);

fn minus([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [a - x, b - y, c - z]
}

fn plus([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [a + x, b + y, c + z]
}

fn cross([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn dot([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> f32 {
    a * x + b * y + c * z
}

/// Scales a vector to length 1. A vector without a direction stays as it is.
fn unit(vector: [f32; 3]) -> [f32; 3] {
    // Scaled first, so that squares of small and large numbers stay finite and nonzero.
    let most = vector.into_iter().fold(0.0_f32, |most, part| most.max(part.abs()));
    let scaled = vector.map(|part| part / most);
    let length = dot(scaled, scaled).sqrt();
    if most > 0.0 { scaled.map(|part| part / length) } else { vector }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the triangles of a cube, two for each side, with normals computed from that of the side.
    fn cube(normal: impl Fn([f32; 3]) -> [f32; 3]) -> Facing {
        let mut facing = Facing::default();
        for axis in 0..3 {
            for sign in [-1.0_f32, 1.0] {
                let mut side = [0.0; 3];
                side[axis] = sign;
                let [mut u, mut v] = [[0.0; 3]; 2];
                (u[(axis + 1) % 3], v[(axis + 2) % 3]) = (sign, 1.0);
                for corners in [[side, plus(side, u), plus(side, v)], [side, minus(side, u), minus(side, v)]] {
                    facing.add(corners, [normal(side); 3]);
                }
            }
        }
        facing
    }

    #[test]
    fn normals_in_other_axes_or_inside_out_are_wrong_and_scaled_ones_are_not() {
        assert!(!cube(|normal| normal).is_wrong());
        assert!(!cube(|normal| normal.map(|part| part * 1e-30)).is_wrong());
        assert!(cube(|normal| normal.map(|part| -part)).is_wrong());
        let swapped = cube(|[x, y, z]| [x, z, y]);
        assert!(swapped.is_wrong());
        assert_eq!(swapped.to_string(), "8 of 12 triangles have normals that point elsewhere");
        assert!(!cube(|_| [0.0; 3]).is_wrong());
        assert!(!cube(|_| [f32::NAN; 3]).is_wrong());
    }

    #[test]
    fn triangles_for_both_sides_are_not_wrong() {
        let mut facing = Facing::default();
        let [a, b, c] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        facing.add([a, b, c], [[0.0, 0.0, 1.0]; 3]);
        facing.add([a, c, b], [[0.0, 0.0, 1.0]; 3]);
        assert!(!facing.is_wrong());
    }
}
