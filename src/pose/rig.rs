//! Bones, their animations, and poses.

use std::iter::zip;
use std::marker::PhantomData;
use std::sync::Arc;

use super::sample::Track;
use super::source::Source;
use crate::base::error::Result;
use crate::base::impl_fmt::impl_fmt;
use crate::geometry::{Matrix, Transform};
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
    pub(super) fn new(name: impl Into<Text<'a>>, parent: Option<usize>) -> Self {
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
    pub(super) bones: Vec<Bone<'a>>,
    pub(super) tree: Arc<Tree>,
    pub(super) source: Source<'a>,
}

/// The data shared by all poses of a rig.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) rest: Vec<Matrix>,
    /// The local matrices as transforms.
    pub(super) transforms: Vec<Transform>,
    pub(super) parents: Vec<Option<usize>>,
    /// True if all parents are known.
    pub(super) is_whole: bool,
}

impl<'a> Rig<'a> {
    /// Creates a tree of bones from another source, such as a `model.cfg`: the name and the parent's index of each. A
    /// parent must precede its bones. The rest pose moves nothing.
    pub fn from_bones(bones: impl IntoIterator<Item = (Text<'a>, Option<usize>)>) -> Self {
        let mut all = Vec::new();
        for (place, (name, parent)) in bones.into_iter().enumerate() {
            all.push(Bone::new(name, parent.filter(|parent| *parent < place)));
        }
        Self::new(0, all, true, Source::Still(PhantomData))
    }

    pub(super) fn new(model: usize, bones: Vec<Bone<'a>>, is_whole: bool, source: Source<'a>) -> Self {
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
}

impl_fmt!([] Debug for Rig<'_>, |rig| "Rig({} bones)", rig.bones.len());

/// An animation.
pub struct Clip<'a> {
    /// Its name; empty if the format has none.
    pub name: Text<'a>,
    /// The bones it affects, as indices into [`Rig::bones`]. These are all bones, except for b3d, where an animation
    /// starts at a node and moves the nodes below.
    pub(super) bones: Arc<[usize]>,
    pub(super) tree: Arc<Tree>,
    /// Its length as stored. For RTM files this is the last phase, usually 1. `None` if the file does not say.
    pub seconds: Option<f32>,
    /// Its frames per second, or per phase in RTM files. `None` if the file does not say.
    pub rate: Option<f32>,
    pub(super) keys: Box<dyn Keys + 'a>,
}

/// The keys of a clip, as each format has them.
pub(super) trait Keys: Send + Sync {
    /// Sets the matrices of the bones that move.
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()>;
    fn track(&self, bone: usize) -> Result<Track>;
    /// Returns the tracks of these bones, in their order.
    fn tracks(&self, bones: &[usize]) -> Result<Vec<(usize, Track)>> {
        let mut tracks = Vec::new();
        for &bone in bones {
            tracks.push((bone, self.track(bone)?));
        }
        Ok(tracks)
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
    /// last key. Between keys it follows the rules of the [format](super). Bones that the clip does not move are at
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
    pub(super) tree: Arc<Tree>,
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
    pub(super) tree: Arc<Tree>,
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
        for (local, parent) in zip(&self.locals, &self.tree.parents) {
            let mut place = *local;
            // A parent precedes its bones.
            if let Some(parent) = parent
                && let Some(parent) = world.get(*parent)
            {
                place = parent.after(local);
            }
            world.push(place);
        }
        if self.tree.is_whole { Some(world) } else { None }
    }

    /// Returns the effect of each bone on a vertex that it moves: the transform from the vertex's place at rest to its
    /// current place, both in world space. A bone that has no inverse at rest moves nothing. Returns `None` under the
    /// conditions of [`world`](Self::world).
    pub fn skin(&self, rest: &Self) -> Option<Vec<Matrix>> {
        let rest = rest.world()?;
        let now = self.world()?;
        let mut effects = Vec::with_capacity(now.len());
        for (rest, now) in zip(&rest, &now) {
            effects.push(match rest.inverse() {
                Some(undone) => now.after(&undone),
                None => Matrix::IDENTITY,
            });
        }
        Some(effects)
    }
}
