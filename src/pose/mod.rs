//! Bones of every format and how they move, told alike: [`Asset::rigs`].
//!
//! A [`Rig`] is a tree of [bones](Bone) with a rest pose, a [`Clip`] an animation of it, a [`Pose`] all bones at one
//! moment. All are in the space of [`geometry`](crate::geometry), so that what moves a vertex is one multiplication: at
//! rest a vertex is where [`Primitive::world_matrix`](crate::geometry::Primitive::world_matrix) leads; what each of its
//! joints does to it is in [`Pose::skin`].
//!
//! | format | bones are | rest pose | between frames | seconds |
//! | --- | --- | --- | --- | --- |
//! | b3d | all nodes, as keys may move any | that of the nodes | positions and scales straight, rotations on the shorter arc at even speed | frames by the rate of ANIM, 60 where it has none; second 0 is frame 0, which most writers leave empty |
//! | lodka | bones of a model | the first frame of its first animation | as in b3d, from Euler angles about X, then Y, then Z | frames by the animation's interval |
//! | rtm, plain | bones of the file, side by side | nothing moved | each number of the matrix straight | phases, 0 to 1, as no file knows its length |
//! | BMTR | bones of the file; a tree only with a skeleton from a model ([`Rig::with_skeleton`]) | nothing moved | as in b3d | phases |
//! | odol | bones of its skeleton | nothing moved | | |
//!
//! Stored values, in the format's own space and conventions, are in [`Clip::stored_keys`] and [`Bone::stored_rest`].
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
#[cfg(feature = "odol")]
mod odol;
#[cfg(feature = "rtm")]
mod rtm;
mod sample;

use std::marker::PhantomData;
use std::sync::Arc;

pub use crate::geometry::{Matrix, Transform};
pub use sample::Track;

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::shown::shown;
use crate::outline::Text;

/// A bone, or what else moves others.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bone<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// The place of the bone that carries it, which stands before it.
    pub parent: Option<usize>,
    /// Its place in the one that carries it, at rest.
    pub rest: Transform,
    stored: Option<StoredKey>,
}

impl<'a> Bone<'a> {
    fn new(name: impl Into<Text<'a>>, parent: Option<usize>) -> Self {
        Self { name: name.into(), parent, rest: Transform::IDENTITY, stored: None }
    }

    /// Its rest pose as the file has it, where it has one: b3d's position, scale and rotation.
    pub fn stored_rest(&self) -> Option<StoredKey> {
        self.stored
    }
}

/// A key as stored: in the format's own space and conventions, parts that it does not have left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StoredKey {
    /// The frame as the file counts: b3d's number, lodka's place, the time of an RTM file's frame.
    pub frame: f32,
    /// The position.
    pub position: Option<[f32; 3]>,
    /// The rotation.
    pub rotation: Option<StoredRotation>,
    /// The scale.
    pub scale: Option<[f32; 3]>,
}

/// A rotation in one of the ways that files have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StoredRotation {
    /// b3d: w, x, y, z of a quaternion that is the conjugate of what most libraries expect.
    ConjugateWxyz([f32; 4]),
    /// lodka: angles about X, then Y, then Z, in radians.
    Euler([f32; 3]),
    /// BMTR: x, y, z, w of a quaternion, in axes that are turned against those of a model.
    Xyzw([f32; 4]),
    /// Plain RTM: three rows for row vectors.
    Rows([[f32; 3]; 3]),
}

/// A tree of bones and its animations.
pub struct Rig<'a> {
    model: usize,
    bones: Vec<Bone<'a>>,
    tree: Arc<Tree>,
    source: Source<'a>,
}

/// What all poses of a rig have in common.
#[derive(Debug, PartialEq)]
struct Tree {
    rest: Vec<Matrix>,
    parents: Vec<Option<usize>>,
    /// Whether parents are known, where there are any.
    is_whole: bool,
}

/// Where the animations of a rig come from.
enum Source<'a> {
    /// Nowhere.
    Still(PhantomData<&'a ()>),
    #[cfg(feature = "b3d")]
    B3d(b3d::Nodes<'a>),
    #[cfg(feature = "lodka")]
    Lodka(lodka::Animations<'a>),
    #[cfg(feature = "rtm")]
    Rtm(rtm::One<'a>),
}

impl<'a> Rig<'a> {
    /// A tree of bones known from elsewhere, such as a `model.cfg`: for each its name and the place of the bone that carries
    /// it, which must stand before it. At rest nothing is moved.
    pub fn from_bones(bones: impl IntoIterator<Item = (Text<'a>, Option<usize>)>) -> Self {
        let carried = |(place, (name, parent)): (usize, (Text<'a>, Option<usize>))| {
            Bone::new(name, parent.filter(|parent| *parent < place))
        };
        let bones = bones.into_iter().enumerate().map(carried).collect();
        Self::new(0, bones, true, Source::Still(PhantomData))
    }

    fn new(model: usize, bones: Vec<Bone<'a>>, is_whole: bool, source: Source<'a>) -> Self {
        let rest = bones.iter().map(|bone| bone.rest.to_matrix()).collect();
        let parents = bones.iter().map(|bone| bone.parent).collect();
        Self { model, bones, tree: Arc::new(Tree { rest, parents, is_whole }), source }
    }

    /// The place of its model, in files with several (LODka3D); else 0.
    pub fn model(&self) -> usize {
        self.model
    }

    /// Its bones, each behind the one that carries it. Joints of [weights](crate::geometry::Influence) are places here.
    pub fn bones(&self) -> &[Bone<'a>] {
        &self.bones
    }

    /// All bones at rest.
    pub fn rest(&self) -> Pose {
        Pose { locals: self.tree.rest.clone(), tree: self.tree.clone() }
    }

    /// Its animations in the order of the file; none of models whose animations are files of their own. Keys are read
    /// when a clip is asked for them.
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

shown!([] Debug for Rig<'_>, |rig| "Rig({} bones)", rig.bones.len());

/// An animation.
pub struct Clip<'a> {
    /// Its name; empty where the format has none.
    pub name: Text<'a>,
    /// Which bones it is of, by [`Rig::bones`]: all, but for b3d, where an animation starts at a node and moves what is
    /// below.
    bones: Arc<[usize]>,
    tree: Arc<Tree>,
    seconds: Option<f32>,
    keys: Keys<'a>,
}

/// The keys of a clip.
enum Keys<'a> {
    #[allow(dead_code, reason = "where no format with animations is built in")]
    None(PhantomData<&'a ()>),
    #[cfg(feature = "b3d")]
    B3d(b3d::Moved<'a>),
    #[cfg(feature = "lodka")]
    Lodka(lodka::Frames<'a>),
    #[cfg(feature = "rtm")]
    Packed(rtm::Packed<'a>),
    #[cfg(feature = "rtm")]
    Plain(rtm::Matrices<'a>),
}

/// Asks the keys of whichever format.
macro_rules! keys {
    ($keys:expr, $which:ident => $answer:expr, $none:expr) => {
        match $keys {
            Keys::None(_) => $none,
            #[cfg(feature = "b3d")]
            Keys::B3d($which) => $answer,
            #[cfg(feature = "lodka")]
            Keys::Lodka($which) => $answer,
            #[cfg(feature = "rtm")]
            Keys::Packed($which) => $answer,
            #[cfg(feature = "rtm")]
            Keys::Plain($which) => $answer,
        }
    };
}

impl<'a> Clip<'a> {
    /// The bones that it may move, as places in [`Rig::bones`].
    pub fn bones(&self) -> &[usize] {
        &self.bones
    }

    /// Its length, as the file tells it; of RTM files the last phase, mostly 1. `None` where the file does not tell.
    pub fn seconds(&self) -> Option<f32> {
        self.seconds
    }

    /// All bones of the rig at a moment: before the first key as there, behind the last as there, in between by the rules
    /// of the [format](self). What it does not move is at rest.
    ///
    /// Reads all keys of b3d; decodes the frames around the moment in BMTR, walking those before them.
    ///
    /// # Errors
    /// Where keys cannot be read or decoded.
    pub fn pose_at(&self, seconds: f32) -> Result<Pose> {
        let mut locals = self.tree.rest.clone();
        keys!(&self.keys, keys => keys.locals(seconds, &self.bones, &mut locals)?, ());
        Ok(Pose { locals, tree: self.tree.clone() })
    }

    /// The keys of one bone in seconds and our space, in new memory; nothing for a bone that has none. Plain RTM files,
    /// whose places are matrices, have none at all.
    ///
    /// # Errors
    /// As [`pose_at`](Self::pose_at).
    pub fn to_track(&self, bone: usize) -> Result<Track> {
        keys!(&self.keys, keys => keys.track(bone), Ok(Track::default()))
    }

    /// The keys of one bone as stored, in the order of the file, in new memory.
    ///
    /// # Errors
    /// As [`pose_at`](Self::pose_at).
    pub fn stored_keys(&self, bone: usize) -> Result<Vec<StoredKey>> {
        keys!(&self.keys, keys => keys.stored(bone), Ok(Vec::new()))
    }
}

shown!([] Debug for Clip<'_>, |clip| "Clip({:?}, {} bones)", clip.name, clip.bones.len());

/// All bones of a rig at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    locals: Vec<Matrix>,
    tree: Arc<Tree>,
}

impl Pose {
    /// The place of each bone in the one that carries it.
    pub fn locals(&self) -> &[Matrix] {
        &self.locals
    }

    /// The place of each bone in the world; `None` where the file does not know which bone carries which (BMTR without a
    /// skeleton).
    pub fn world(&self) -> Option<Vec<Matrix>> {
        let mut world: Vec<Matrix> = Vec::with_capacity(self.locals.len());
        for (local, parent) in self.locals.iter().zip(&self.tree.parents) {
            // A parent stands before its bones.
            let parent = parent.and_then(|parent| world.get(parent));
            world.push(parent.map_or(*local, |parent| parent.after(local)));
        }
        self.tree.is_whole.then_some(world)
    }

    /// What each bone does to a vertex that it moves, from where the vertex is at rest to where it is now, both in the
    /// world. A bone without an inverse at rest moves nothing. `None` as for [`world`](Self::world).
    pub fn skin(&self, rest: &Self) -> Option<Vec<Matrix>> {
        let undone = |rest: &Matrix, now: &Matrix| rest.inverse().map_or(Matrix::IDENTITY, |rest| now.after(&rest));
        Some(rest.world()?.iter().zip(&self.world()?).map(|(rest, now)| undone(rest, now)).collect())
    }
}

impl Asset<'_> {
    /// The bones of the asset, with their animations: one rig for a scene, a model or an animation, one for each model of
    /// a LODka3D file; none where there are no bones. Allocates for each bone, and reads no key.
    pub fn rigs(&self) -> Vec<Result<Rig<'_>>> {
        match self {
            #[cfg(feature = "b3d")]
            Self::B3d(scene) => vec![b3d::rig(*scene)],
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
