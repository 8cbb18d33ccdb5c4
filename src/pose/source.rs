//! Where the animations of a rig are.

use std::marker::PhantomData;

#[cfg(feature = "b3d")]
use crate::formats::b3d::Node;
#[cfg(feature = "lodka")]
use crate::formats::lodka::LodModel;
#[cfg(feature = "rtm")]
use crate::formats::rtm::Motion;

/// The source of a rig's animations.
pub(super) enum Source<'a> {
    /// It has none.
    Still(PhantomData<&'a ()>),
    #[cfg(feature = "b3d")]
    B3d(Nodes<'a>),
    #[cfg(feature = "lodka")]
    Lodka(Animations<'a>),
    #[cfg(feature = "rtm")]
    Rtm(One<'a>),
}

/// The nodes of a Blitz3D scene, by the bones that they are.
#[cfg(feature = "b3d")]
pub(super) struct Nodes<'a>(pub(super) Vec<Option<Node<'a>>>);

/// The animations of a LODka3D model.
#[cfg(feature = "lodka")]
pub(super) struct Animations<'a>(pub(super) LodModel<'a>);

/// The animation of an RTM file.
#[cfg(feature = "rtm")]
pub(super) struct One<'a> {
    pub(super) motion: Motion<'a>,
    /// For each bone of the rig, its index in the file.
    pub(super) order: Vec<Option<usize>>,
}
