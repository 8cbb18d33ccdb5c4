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
#[cfg(feature = "rtm")]
mod rtm;
mod sample;

use std::marker::PhantomData;
use std::sync::Arc;

pub use crate::geometry::{Matrix, Transform};
#[cfg(feature = "rap")]
pub use model_cfg::{Animation, ModelCfg, ModelClass, Skeleton};
pub use sample::Track;

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::impl_fmt::impl_fmt;
use crate::outline::Text;

/// A bone, or a node that moves others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bone<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// The index of its parent, which precedes it.
    pub parent: Option<usize>,
    /// Its transform relative to its parent, at rest.
    pub rest: Transform,
    /// Its rest pose as stored, if the file has one: b3d's position, scale and rotation.
    pub stored_rest: Option<StoredKey>,
}

impl<'a> Bone<'a> {
    fn new(name: impl Into<Text<'a>>, parent: Option<usize>) -> Self {
        Self { name: name.into(), parent, rest: Transform::IDENTITY, stored_rest: None }
    }
}

/// A key as stored, in the format's own space and conventions. Components that the format does not have are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StoredKey {
    /// The frame as the file counts it: b3d's number, lodka's index, the time of an RTM file's frame.
    pub frame: f32,
    /// The position.
    pub position: Option<[f32; 3]>,
    /// The rotation.
    pub rotation: Option<StoredRotation>,
    /// The scale.
    pub scale: Option<[f32; 3]>,
}

/// A rotation in one of the stored forms.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StoredRotation {
    /// b3d: w, x, y, z of a quaternion, the conjugate of the one that most libraries expect.
    ConjugateWxyz([f32; 4]),
    /// lodka: angles about X, then Y, then Z, in radians.
    Euler([f32; 3]),
    /// BMTR: x, y, z, w of a quaternion, in axes that are rotated relative to those of a model.
    Xyzw([f32; 4]),
    /// Plain RTM: three rows for row vectors.
    Rows([[f32; 3]; 3]),
}

/// A tree of bones and its animations.
pub struct Rig<'a> {
    /// The index of its model, in files with several (LODka3D); else 0.
    pub model: usize,
    bones: Vec<Bone<'a>>,
    tree: Arc<Tree>,
    source: Source<'a>,
}

/// The data shared by all poses of a rig.
#[derive(Debug, PartialEq)]
struct Tree {
    rest: Vec<Matrix>,
    /// The local matrices as transforms.
    transforms: Vec<Transform>,
    parents: Vec<Option<usize>>,
    /// True if all parents are known.
    is_whole: bool,
}

/// The source of a rig's animations.
enum Source<'a> {
    /// It has none.
    Still(PhantomData<&'a ()>),
    #[cfg(feature = "b3d")]
    B3d(b3d::Nodes<'a>),
    #[cfg(feature = "lodka")]
    Lodka(lodka::Animations<'a>),
    #[cfg(feature = "rtm")]
    Rtm(rtm::One<'a>),
}

impl<'a> Rig<'a> {
    /// Creates a tree of bones from another source, such as a `model.cfg`: the name and the parent's index of each. A
    /// parent must precede its bones. The rest pose moves nothing.
    pub fn from_bones(bones: impl IntoIterator<Item = (Text<'a>, Option<usize>)>) -> Self {
        let carried = |(place, (name, parent)): (usize, (Text<'a>, Option<usize>))| {
            Bone::new(name, parent.filter(|parent| *parent < place))
        };
        let bones = bones.into_iter().enumerate().map(carried).collect();
        Self::new(0, bones, true, Source::Still(PhantomData))
    }

    fn new(model: usize, bones: Vec<Bone<'a>>, is_whole: bool, source: Source<'a>) -> Self {
        let rest = bones.iter().map(|bone| bone.rest.to_matrix()).collect();
        let transforms = bones.iter().map(|bone| bone.rest).collect();
        let parents = bones.iter().map(|bone| bone.parent).collect();
        Self { model, bones, tree: Arc::new(Tree { rest, transforms, parents, is_whole }), source }
    }

    /// Returns its bones, each after its parent. Joints of [weights](crate::geometry::Influence) are indices into this
    /// list.
    pub fn bones(&self) -> &[Bone<'a>] {
        &self.bones
    }

    /// Returns the rest pose of all bones.
    pub fn rest(&self) -> Pose {
        Pose { locals: self.tree.rest.clone(), tree: self.tree.clone() }
    }

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

impl_fmt!([] Debug for Rig<'_>, |rig| "Rig({} bones)", rig.bones.len());

/// An animation.
pub struct Clip<'a> {
    /// Its name; empty if the format has none.
    pub name: Text<'a>,
    /// The bones it affects, as indices into [`Rig::bones`]. These are all bones, except for b3d, where an animation
    /// starts at a node and moves the nodes below.
    bones: Arc<[usize]>,
    tree: Arc<Tree>,
    /// Its length as stored. For RTM files this is the last phase, usually 1. `None` if the file does not say.
    pub seconds: Option<f32>,
    /// Its frames per second, or per phase in RTM files. `None` if the file does not say.
    pub rate: Option<f32>,
    keys: Box<dyn Keys + 'a>,
}

/// The keys of a clip, as each format has them.
trait Keys: Send + Sync {
    /// Sets the matrices of the bones that move.
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()>;
    fn track(&self, bone: usize) -> Result<Track>;
    /// Returns the tracks of these bones, in their order.
    fn tracks(&self, bones: &[usize]) -> Result<Vec<(usize, Track)>> {
        bones.iter().map(|&bone| Ok((bone, self.track(bone)?))).collect()
    }
    fn stored(&self, bone: usize) -> Result<Vec<StoredKey>>;
}

impl<'a> Clip<'a> {
    /// Returns the bones that it may move, as indices into [`Rig::bones`].
    pub fn bones(&self) -> &[usize] {
        &self.bones
    }

    /// Reads and decodes all keys, for many poses: each then takes microseconds.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`pose_at`](Self::pose_at).
    pub fn sampler(&self) -> Result<Sampler> {
        Ok(Sampler { tracks: self.keys.tracks(&self.bones)?, tree: self.tree.clone() })
    }

    /// Returns all bones of the rig at a time. Before the first key, it equals the first key; after the last key, the
    /// last key. Between keys it follows the rules of the [format](self). Bones that the clip does not move are at
    /// rest.
    ///
    /// For b3d, reads all keys. For BMTR, decodes the frames around the time, and walks those before them.
    ///
    /// # Errors
    /// Returns an error if keys cannot be read or decoded.
    pub fn pose_at(&self, seconds: f32) -> Result<Pose> {
        let mut locals = self.tree.rest.clone();
        self.keys.locals(seconds, &mut locals)?;
        Ok(Pose { locals, tree: self.tree.clone() })
    }

    /// Returns the keys of one bone in seconds and in our space, in new memory. Empty for a bone without keys. Plain
    /// RTM files store matrices, which are decomposed.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`pose_at`](Self::pose_at).
    pub fn to_track(&self, bone: usize) -> Result<Track> {
        self.keys.track(bone)
    }

    /// Returns the keys of one bone as stored, in the order of the file, in new memory.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`pose_at`](Self::pose_at).
    pub fn stored_keys(&self, bone: usize) -> Result<Vec<StoredKey>> {
        self.keys.stored(bone)
    }
}

impl_fmt!([] Debug for Clip<'_>, |clip| "Clip({:?}, {} bones)", clip.name, clip.bones.len());

/// An animation with all its keys in memory. The poses of plain RTM files differ slightly between frames from those of
/// [`Clip::pose_at`], because matrices are decomposed.
#[derive(Clone, Debug)]
pub struct Sampler {
    tracks: Vec<(usize, Track)>,
    tree: Arc<Tree>,
}

impl Sampler {
    /// Returns all bones of the rig at a time, as [`Clip::pose_at`] gives them.
    pub fn pose_at(&self, seconds: f32) -> Pose {
        let mut locals = self.tree.rest.clone();
        for (bone, track) in &self.tracks {
            if let (Some(place), Some(rest)) = (locals.get_mut(*bone), self.tree.transforms.get(*bone)) {
                *place = track.at(seconds, rest).to_matrix();
            }
        }
        Pose { locals, tree: self.tree.clone() }
    }
}

/// The state of all bones of a rig at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    locals: Vec<Matrix>,
    tree: Arc<Tree>,
}

impl Pose {
    /// Returns the transform of each bone relative to its parent.
    pub fn locals(&self) -> &[Matrix] {
        &self.locals
    }

    /// Returns the transform of each bone in world space. Returns `None` if the file does not contain the parents (BMTR
    /// without a skeleton).
    pub fn world(&self) -> Option<Vec<Matrix>> {
        let mut world: Vec<Matrix> = Vec::with_capacity(self.locals.len());
        for (local, parent) in self.locals.iter().zip(&self.tree.parents) {
            // A parent precedes its bones.
            let parent = parent.and_then(|parent| world.get(parent));
            world.push(parent.map_or(*local, |parent| parent.after(local)));
        }
        self.tree.is_whole.then_some(world)
    }

    /// Returns the effect of each bone on a vertex that it moves: the transform from the vertex's place at rest to its
    /// current place, both in world space. A bone that has no inverse at rest moves nothing. Returns `None` under the
    /// conditions of [`world`](Self::world).
    pub fn skin(&self, rest: &Self) -> Option<Vec<Matrix>> {
        let undone = |rest: &Matrix, now: &Matrix| rest.inverse().map_or(Matrix::IDENTITY, |rest| now.after(&rest));
        Some(rest.world()?.iter().zip(&self.world()?).map(|(rest, now)| undone(rest, now)).collect())
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
