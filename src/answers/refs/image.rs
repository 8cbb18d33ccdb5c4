//! The image that a texture of a model means.

use std::path::{Path, PathBuf};

use super::resolved::State;
use crate::base::format::Format;
use crate::base::text::Name;

/// A model whose textures are looked for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Model<'m> {
    /// Its file, as in a [record](crate::scan::Record).
    pub path: &'m Path,
    /// Its path in the archive, as in a record.
    pub member: Option<&'m Name>,
    /// Its format, which decides what its names mean.
    pub format: Format,
}

impl<'m> Model<'m> {
    /// Creates the model of a file, or of a member of it.
    pub const fn new(path: &'m Path, member: Option<&'m Name>, format: Format) -> Self {
        Self { path, member, format }
    }
}

/// The file that a texture of a model means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The file, or the one around the member.
    pub path: PathBuf,
    /// The path inside the archive, if it is in one.
    pub member: Option<Name>,
    /// [`Found`](State::Found); [`Ambiguous`](State::Ambiguous) for the first of several files; [`Missing`](State::Missing)
    /// for a file that has only the name. It is next to the model or in its archive, and nothing gives the model a place
    /// in the game.
    pub state: State,
}

/// Whether a file that has only the name of a texture stands in for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Substitutes {
    Allowed,
    Refused,
}
