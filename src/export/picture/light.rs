//! The light and the ground of pictures. The web page draws with the same.

use glam::Vec3A;

/// A light that is infinitely far away.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Light {
    /// The unit vector to the light: to the right, up, and towards the eye.
    pub direction: [f32; 3],
    /// The share of the light that a surface facing it reflects, in linear light.
    pub strength: f32,
}

/// The key light, from above and to the left of the eye, and the fill light, from the right.
pub const LIGHTS: [Light; 2] = [
    Light { direction: [-0.349_546, 0.549_287, 0.759_015], strength: 0.8 },
    Light { direction: [0.746_981, -0.099_598, 0.657_344], strength: 0.18 },
];

/// The light from everywhere, in linear light.
pub const AMBIENT: f32 = 0.13;

/// The color behind a model. Both black and white are visible on it.
pub const GROUND: [u8; 3] = [122, 129, 138];

/// Returns the factor for stored colors of a surface with this normal. They are not linear, so it is nearly the root of
/// the light.
pub(super) fn brightness(normal: Vec3A) -> f32 {
    let mut light = AMBIENT;
    for Light { direction, strength } in LIGHTS {
        light += strength * normal.dot(direction.into()).max(0.0);
    }
    light.sqrt().min(1.0)
}

#[cfg(test)]
mod tests {
    use glam::vec3a;

    use super::*;

    #[test]
    fn directions_have_unit_length() {
        for light in LIGHTS {
            assert!((Vec3A::from(light.direction).length() - 1.0).abs() < 1e-5, "{light:?}");
        }
    }

    #[test]
    fn no_side_is_black_and_each_light_is_brighter_than_none() {
        let lit = |x: f32, y: f32, z: f32| brightness(vec3a(x, y, z).normalize());
        for normal in [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]] {
            let [x, y, z] = normal;
            assert!((0.35..=1.0).contains(&lit(x, y, z)), "{normal:?}");
        }
        // The key light outweighs the fill light, and that outweighs the shade.
        assert!(lit(-0.35, 0.55, 0.76) > 0.95);
        assert!(lit(-0.35, 0.55, 0.76) > lit(0.75, -0.1, 0.66) + 0.1);
        assert!(lit(1.0, -0.6, 0.0) > lit(-0.3, -1.0, 0.0) + 0.1);
    }
}
