//! Materials: the appearance of surfaces, as far as all formats share it.

use crate::bytes::Color;
use crate::outline::Text;

/// The appearance of a surface. Values that the format does not store are those of a plain white material.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material<'a> {
    /// Its name, or the name of its file.
    pub name: Text<'a>,
    /// Its diffuse color: red, green, blue, opacity.
    pub color: [f32; 4],
    /// Its emissive color.
    pub emissive: [f32; 3],
    /// The color of its specular highlights.
    pub specular: [f32; 3],
    /// How narrow the highlights are, 0 to 1.
    pub shininess: f32,
    /// How it blends with the background.
    pub alpha: Alpha,
    /// True if its back faces are visible too.
    pub two_sided: bool,
    /// True if it is visible without light.
    pub unlit: bool,
    /// True if vertex colors apply. In Blitz3D they then replace the material's own color.
    pub vertex_colors: bool,
    /// Its images in the order of the file. [`base`](Self::base) is the one that gives the surface its color.
    pub textures: Vec<Texture<'a>>,
}

impl<'a> Material<'a> {
    pub(crate) fn new(name: impl Into<Text<'a>>) -> Self {
        Self {
            name: name.into(),
            color: [1.0; 4],
            emissive: [0.0; 3],
            specular: [0.0; 3],
            shininess: 0.0,
            alpha: Alpha::Opaque,
            two_sided: false,
            unlit: false,
            vertex_colors: false,
            textures: Vec::new(),
        }
    }

    /// Returns the image that gives the surface its color.
    pub fn base(&self) -> Option<&Texture<'a>> {
        self.with_role(Role::Base)
    }

    /// Returns the image with precomputed light.
    pub fn lightmap(&self) -> Option<&Texture<'a>> {
        self.with_role(Role::Lightmap)
    }

    /// Returns the image that the surface reflects.
    pub fn environment(&self) -> Option<&Texture<'a>> {
        self.with_role(Role::Environment)
    }

    fn with_role(&self, role: Role) -> Option<&Texture<'a>> {
        self.textures.iter().find(|texture| texture.role == role)
    }

    /// Adds an image. The first one for the color of the surface is the base, further ones are layers.
    pub(crate) fn add(&mut self, texture: Texture<'a>) {
        let role = if texture.role == Role::Base && self.base().is_some() { Role::Layer } else { texture.role };
        self.textures.push(Texture { role, ..texture });
    }
}

/// Converts a stored color to linear light, which glTF and modern renderers expect. Colors of the fixed-function
/// formats (b3d, bmx, lodka) are in sRGB. Opacity is linear already.
pub fn linear([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    [linear_part(r), linear_part(g), linear_part(b), a]
}

fn linear_part(part: f32) -> f32 {
    match part {
        ..=0.04045 => part / 12.92,
        _ => ((part + 0.055) / 1.055).powf(2.4),
    }
}

/// Returns a color without its opacity.
pub(super) fn rgb(color: Color) -> [f32; 3] {
    let [r, g, b, _] = color.to_array();
    [r, g, b]
}

/// How a surface blends with the background.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Alpha {
    /// It is opaque.
    Opaque,
    /// It is opaque if its opacity is at least this value, else invisible.
    Mask(f32),
    /// It is blended by its opacity.
    Blend,
    /// Its color is added.
    Add,
    /// It multiplies the background by its color.
    Multiply,
    /// Its image alone says how opaque it is, as in Arma.
    Image,
}

impl Alpha {
    /// Returns the fixed name of the variant.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opaque => "opaque",
            Self::Mask(_) => "mask",
            Self::Blend => "blend",
            Self::Add => "add",
            Self::Multiply => "multiply",
            Self::Image => "image",
        }
    }
}

/// The purpose of an image on a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// It gives the surface its color.
    Base,
    /// It is mixed with the base.
    Layer,
    /// It is precomputed light, usually with its own set of texture coordinates.
    Lightmap,
    /// It is reflected: coordinates come from the direction of view (sphere and cube maps).
    Environment,
}

/// How texture coordinates are changed before use: rotation, then scale, then offset.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UvTransform {
    /// Added last.
    pub offset: [f32; 2],
    /// Multiplied with the rotated coordinates.
    pub scale: [f32; 2],
    /// In radians: `u' = u cos + v sin`, `v' = v cos - u sin`, as in `KHR_texture_transform`.
    pub rotation: f32,
}

impl UvTransform {
    /// Changes nothing.
    pub const IDENTITY: Self = Self { offset: [0.0; 2], scale: [1.0; 2], rotation: 0.0 };

    /// Returns the coordinates to use.
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let (sin, cos) = self.rotation.sin_cos();
        let [x, y] = self.offset;
        let [scale_x, scale_y] = self.scale;
        [scale_x * (u * cos + v * sin) + x, scale_y * (v * cos - u * sin) + y]
    }
}

/// An image on a surface.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Texture<'a> {
    /// The name of its file as stored: any encoding, often a path on the author's machine. Never open it unchecked.
    pub name: Text<'a>,
    /// Its purpose.
    pub role: Role,
    /// The set of texture coordinates that it uses.
    pub uv_set: usize,
    /// How these coordinates are changed.
    pub transform: UvTransform,
    /// True if it is clamped at its edges along u and v; otherwise it repeats.
    pub clamped: [bool; 2],
    /// True if its black pixels are invisible (Blitz3D's flag 4).
    pub is_black_clear: bool,
    /// Its index among the textures of the model, if the format numbers them.
    pub index: Option<usize>,
}

impl<'a> Texture<'a> {
    pub(crate) fn new(name: impl Into<Text<'a>>) -> Self {
        Self {
            name: name.into(),
            role: Role::Base,
            uv_set: 0,
            transform: UvTransform::IDENTITY,
            clamped: [false; 2],
            is_black_clear: false,
            index: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_become_linear_as_srgb_says() {
        let [r, g, b, a] = linear([0.8, 0.02, 1.0, 0.5]);
        assert!((r - 0.603_827).abs() < 1e-5 && (g - 0.02 / 12.92).abs() < 1e-7 && b == 1.0 && a == 0.5, "{r} {g}");
    }

    #[test]
    fn coordinates_are_turned_then_scaled_then_moved() {
        let transform = UvTransform { offset: [10.0, 20.0], scale: [2.0, 3.0], rotation: std::f32::consts::FRAC_PI_2 };
        let [u, v] = transform.apply([0.25, 0.5]);
        assert!((u - 11.0).abs() < 1e-5 && (v - 19.25).abs() < 1e-5, "{u} {v}");
    }
}
