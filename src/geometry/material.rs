//! How surfaces look, as far as all formats can say it.

use crate::outline::Text;

/// What a format tells of a surface. What it does not tell is as in a plain white one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material<'a> {
    /// Its name, or that of its file.
    pub name: Text<'a>,
    /// Its color in light: red, green, blue, opacity.
    pub color: [f32; 4],
    /// The color it shines in by itself.
    pub emissive: [f32; 3],
    /// The color of its highlights.
    pub specular: [f32; 3],
    /// How narrow the highlights are, 0 to 1.
    pub shininess: f32,
    /// How it covers what lies behind.
    pub alpha: Alpha,
    /// Whether it is seen from behind too.
    pub two_sided: bool,
    /// Whether no light is needed to see it.
    pub unlit: bool,
    /// Whether the colors of vertices count. In Blitz3D they then stand for its own.
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

/// How a surface covers what lies behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Alpha {
    /// Wholly.
    Opaque,
    /// Wholly where its opacity is at least so much, else not at all.
    Mask(f32),
    /// By its opacity.
    Blend,
    /// By adding its color.
    Add,
    /// By multiplying with its color.
    Multiply,
}

impl Alpha {
    /// The word for it.
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
    /// The name of its file as stored: any encoding, often a path of the author's machine. Never open it as it is.
    pub name: Text<'a>,
    /// Which set of texture coordinates it goes by.
    pub uv_set: usize,
    /// Whether it ends at its edges along u and v, where others repeat.
    pub clamped: [bool; 2],
    /// Its place among the textures of the model, where the format counts them.
    pub index: Option<usize>,
}

impl<'a> Texture<'a> {
    pub(crate) fn new(name: impl Into<Text<'a>>) -> Self {
        Self { name: name.into(), uv_set: 0, clamped: [false; 2], index: None }
    }
}
