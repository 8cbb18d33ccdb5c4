//! The options of a picture.

#[cfg(doc)]
use crate::export::image::Images;
use crate::export::options::Lod;

/// The options of a picture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct View<'v> {
    /// Width and height in pixels, at most 8192.
    pub size: u32,
    /// The direction from the model to the eye. The default is from the front, a little from the left and from above.
    pub eye: [f32; 3],
    /// The time of an animation in seconds. `None`: the rest pose.
    pub time: Option<f32>,
    /// The name of the animation, ignoring case. `None`: the first.
    pub clip: Option<&'v str>,
    /// The level of detail.
    pub lod: Lod,
    /// True for a transparent background.
    pub transparent: bool,
    /// True to draw only the edges of triangles.
    pub wireframe: bool,
    /// How edges are smoothed.
    pub edges: Edges,
    /// The image for surfaces that name none, as a name for [`Images`].
    pub texture: Option<&'v str>,
}

impl Default for View<'_> {
    fn default() -> Self {
        Self {
            size: 512,
            eye: [0.55, 0.42, 1.0],
            time: None,
            clip: None,
            lod: Lod::Finest,
            transparent: false,
            wireframe: false,
            edges: Edges::Sampled,
            texture: None,
        }
    }
}

/// How the edges of a picture are smoothed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edges {
    /// Each pixel is the mean of four, up to a side of 1024.
    #[default]
    Sampled,
    /// Pixels at the background are mixed with their neighbors, which takes half the time.
    Smoothed,
}
