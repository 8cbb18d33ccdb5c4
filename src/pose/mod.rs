//! Bones of every format and their animations through one API: [`Asset::rigs`].
//!
//! A [`Rig`] is a tree of [bones](Bone) with a rest pose, a [`Clip`] is one of its animations, and a [`Pose`] is the
//! state of all bones at one time. All are in the space of [`geometry`](crate::geometry), so one multiplication moves a
//! vertex. At rest, a vertex is where [`Primitive::world_matrix`](crate::geometry::Primitive::world_matrix) maps it.
//! [`Pose::skin`] has the effect of each joint on it.
//!
//! | format | bones are | rest pose | between frames | seconds |
//! | --- | --- | --- | --- | --- |
//! | b3d | all nodes, because keys may move any node. ANIMs of equal rate and length are one clip; SEQS are named clips of a part of it | that of the nodes | linear for positions and scales; rotations on the shorter arc at constant speed | frames at the rate of ANIM, or 60 if it has none; second 0 is frame 0, which most writers leave empty |
//! | lodka | bones of a model | the first frame of its first animation | as in b3d, from Euler angles about X, then Y, then Z | frames at the animation's interval |
//! | rtm, plain | bones of the file, without parents; a tree with a skeleton from a model or a `model.cfg` | no movement | linear for each number of the matrix | phases, 0 to 1, because files do not store a length |
//! | BMTR | bones of the file; a tree only with a skeleton from a model ([`Rig::with_skeleton`]) | no movement | as in b3d | phases |
//! | odol | bones of its skeleton | no movement | | |
//!
//! Stored values, in the format's own space and conventions, are available from [`Clip::stored_keys`] and
//! [`Bone::stored_rest`].
//!
//! ```
//! # use meshpeek::Asset;
//! # let bytes = std::fs::read("corpus/b3d/two_tracks.b3d").unwrap();
//! let asset = Asset::parse(&bytes)?;
//! for rig in asset.rigs() {
//!     let rig = rig?;
//!     for clip in rig.clips() {
//!         let pose = clip?.pose_at(0.5)?;
//!         for (bone, place) in rig.bones().iter().zip(pose.world().unwrap_or_default()) {
//!             println!("{} at {:?}", bone.name, place.point([0.0; 3]));
//!         }
//!     }
//! }
//! # Ok::<(), meshpeek::Error>(())
//! ```

#[cfg(feature = "b3d")]
mod b3d;
#[cfg(feature = "lodka")]
mod lodka;
#[cfg(feature = "rap")]
mod model_cfg;
#[cfg(feature = "odol")]
mod odol;
mod rig;
#[cfg(feature = "rtm")]
mod rtm;
mod sample;
mod source;

pub(crate) use crate::geometry::{Matrix, Transform};
#[cfg(feature = "rap")]
pub use model_cfg::{Animation, ModelCfg, ModelClass, Skeleton};
pub use rig::{Bone, Clip, Pose, Rig, Sampler, StoredKey, StoredRotation};
pub use sample::Track;

use self::source::Source;
use crate::asset::Asset;
use crate::base::error::Result;

impl<'a> Rig<'a> {
    /// Returns its animations in the order of the file. Models whose animations are separate files have none. Keys are
    /// read when you request them from a clip.
    pub fn clips(&self) -> impl Iterator<Item = Result<Clip<'a>>> + use<'a> {
        let clips = match &self.source {
            Source::Still(_) => Vec::new(),
            #[cfg(feature = "b3d")]
            Source::B3d(nodes) => nodes.clips(self),
            #[cfg(feature = "lodka")]
            Source::Lodka(animations) => animations.clips(self),
            #[cfg(feature = "rtm")]
            Source::Rtm(one) => one.clips(self),
        };
        clips.into_iter()
    }
}

impl Asset<'_> {
    /// Returns the bones of the asset, with their animations. A scene, a model or an animation has one rig; a LODka3D
    /// file has one for each model. Empty if there are no bones. Allocates for each bone, and reads no keys.
    pub fn rigs(&self) -> Vec<Result<Rig<'_>>> {
        match self {
            #[cfg(feature = "b3d")]
            Self::B3d(scene) => vec![Ok(b3d::rig(*scene))],
            #[cfg(feature = "lodka")]
            Self::Lodka(model) => lodka::rigs(*model),
            #[cfg(feature = "odol")]
            Self::Odol(model) => odol::rig(model).into_iter().collect(),
            #[cfg(feature = "rtm")]
            Self::Rtm(motion) => vec![Ok(rtm::rig(*motion))],
            _ => Vec::new(),
        }
    }
}
