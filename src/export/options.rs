//! What an export writes.

#[cfg(doc)]
use super::image::Images;
use super::space::Space;
use crate::pose::Rig;

/// The options of an export.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options<'o> {
    /// Axes and scale.
    pub space: Space,
    /// The name of the only animation to write, ignoring case. `None`: all.
    pub clip: Option<&'o str>,
    /// The frames per second of all animations, instead of those of the file.
    pub fps: Option<f32>,
    /// The levels of detail to write, for a model with several (mlod).
    pub lod: Lod,
    /// The image for surfaces that name none, as a name for [`Images`].
    pub texture: Option<&'o str>,
    /// Bones and animations for a model without its own: those of a plain RTM file or of a `model.cfg` for an MLOD
    /// model. Each bone moves the selection with its name. For a plain RTM file, a skeleton with the parents of its bones.
    pub rig: Option<&'o Rig<'o>>,
}

/// The levels of detail that are written or drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lod {
    /// The finest visual one, else the first.
    #[default]
    Finest,
    /// The one with this index, in file order.
    Index(usize),
    /// All levels. A picture shows the finest.
    All,
}
