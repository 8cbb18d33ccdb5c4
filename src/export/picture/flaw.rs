//! Why a picture shows little.

use std::fmt::{self, Display};

/// The reason why a picture shows little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It is nearly black, though the images on the model are not.
    Dark,
    /// It is as bright as the background.
    Faint,
    /// Nothing is visible.
    Empty,
}

impl Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dark => "the picture is nearly black",
            Self::Faint => "the picture is nearly empty: the model is as bright as the background",
            Self::Empty => "the picture is empty: all triangles are see-through or have no area",
        })
    }
}
