//! Materials: the appearance of surfaces, as far as all formats share it.

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
    /// Its images, the main one first.
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
}

impl Alpha {
    /// The fixed name of the variant.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opaque => "opaque",
            Self::Mask(_) => "mask",
            Self::Blend => "blend",
            Self::Add => "add",
            Self::Multiply => "multiply",
        }
    }
}

/// An image on a surface.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Texture<'a> {
    /// The name of its file as stored: any encoding, often a path on the author's machine. Never open it unchecked.
    pub name: Text<'a>,
    /// The set of texture coordinates that it uses.
    pub uv_set: usize,
    /// True if it is clamped at its edges along u and v; otherwise it repeats.
    pub clamped: [bool; 2],
    /// Its index among the textures of the model, if the format numbers them.
    pub index: Option<usize>,
}

impl<'a> Texture<'a> {
    pub(crate) fn new(name: impl Into<Text<'a>>) -> Self {
        Self { name: name.into(), uv_set: 0, clamped: [false; 2], index: None }
    }
}
