//! Bones, animations and poses.

use std::ffi::{CString, c_char};
use std::sync::{Mutex, PoisonError};

use meshpeek_core::geometry::Matrix;
use meshpeek_core::pose::{Clip, Pose, Rig, Sampler};
use meshpeek_core::summary::Name;
use meshpeek_core::{Asset, Budget, OwnedAsset};
use self_cell::self_cell;

use crate::asset::meshpeek_asset;
use crate::bytes::Bytes;
use crate::call::{borrow, call};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, c_text, free};

/// The result that a bone or clip counts as.
const BONE_BYTES: u64 = 256;

struct Moves<'a> {
    rig: Rig<'a>,
    clips: Vec<Clip<'a>>,
}

/// The assets of a rig.
struct Owners {
    asset: OwnedAsset<Bytes>,
    /// An RTM file that moves the bones, instead of the asset's own animations.
    motion: Option<OwnedAsset<Bytes>>,
}

self_cell!(
    struct Parts {
        owner: Owners,

        #[not_covariant]
        dependent: Moves,
    }
);

/// The bones of a model, with its animations.
pub struct meshpeek_rig {
    parts: Parts,
    bones: Vec<NamedBone>,
    clips: Vec<NamedClip>,
    rest: Pose,
    /// The clip that was posed last. Its keys are decoded once.
    sampler: Mutex<Option<(usize, Sampler)>>,
}

struct NamedBone {
    name: CString,
    parent: i64,
}

struct NamedClip {
    name: CString,
    seconds: f32,
    rate: f32,
}

/// A bone.
#[repr(C)]
pub struct meshpeek_bone {
    /// Its name, valid until the rig is freed.
    pub name: *const c_char,
    /// The index of its parent, or -1.
    pub parent: i64,
}

/// An animation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct meshpeek_clip {
    /// Its name, valid until the rig is freed; may be empty.
    pub name: *const c_char,
    /// Its length; 0 if the file does not give it.
    pub seconds: f32,
    /// Its frames per second; 0 if the file does not give them.
    pub rate: f32,
}

/// The matrices of a pose.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_pose_space {
    /// From each bone to its parent.
    Local = 0,
    /// From each bone to the model.
    World = 1,
    /// From a vertex of the model at rest to its posed place, for skinning.
    Skin = 2,
}

fn moves<'a>(owners: &'a Owners, index: usize, budget: &Budget) -> Result<Moves<'a>, Failure> {
    let rigs = owners.asset.asset().rigs();
    let count = rigs.len();
    let Some(rig) = rigs.into_iter().nth(index) else {
        return Err(Failure::NotFound(format!("no rig {index}: the asset has {count}")));
    };
    let mut rig = rig?;
    if let Some(motion) = &owners.motion {
        let Asset::Rtm(motion) = motion.asset() else { return Err(Failure::Argument("the motion is not an RTM file")) };
        rig = Rig::with_skeleton(*motion, &rig);
    }
    let mut clips = Vec::new();
    for clip in rig.clips() {
        budget.charge_output(BONE_BYTES)?;
        clips.push(clip?);
    }
    Ok(Moves { rig, clips })
}

impl meshpeek_rig {
    fn new(asset: &meshpeek_asset, index: usize, motion: Option<&meshpeek_asset>) -> Result<Self, Failure> {
        let budget = asset.budget();
        let owners = Owners { asset: asset.view.clone(), motion: motion.map(|motion| motion.view.clone()) };
        let parts =
            Parts::try_new(owners, |owners| moves(owners, index, &budget)).map_err(|failure| asset.located(failure))?;
        let mut bones = Vec::new();
        let mut clips = Vec::new();
        let rest = parts.with_dependent(|_, moves| {
            for bone in moves.rig.bones() {
                let name = c_text(&Name::from(bone.name).text);
                bones.push(NamedBone { name, parent: index_of(bone.parent) });
            }
            for clip in &moves.clips {
                clips.push(NamedClip {
                    name: c_text(&Name::from(clip.name).text),
                    seconds: clip.seconds.unwrap_or(0.0),
                    rate: clip.rate.unwrap_or(0.0),
                });
            }
            moves.rig.rest()
        });
        Ok(Self { parts, bones, clips, rest, sampler: Mutex::new(None) })
    }

    fn pose(&self, clip: usize, seconds: f32) -> Result<Pose, Failure> {
        let mut kept = self.sampler.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((index, sampler)) = &*kept
            && *index == clip
        {
            return Ok(sampler.pose_at(seconds));
        }
        let sampler = self.parts.with_dependent(|_, moves| match moves.clips.get(clip) {
            Some(clip) => Ok(clip.sampler()?),
            None => Err(Failure::NotFound(format!("no clip {clip}: the rig has {}", self.clips.len()))),
        })?;
        let pose = sampler.pose_at(seconds);
        *kept = Some((clip, sampler));
        Ok(pose)
    }

    fn matrices(&self, pose: &Pose, space: i32) -> Result<Vec<Matrix>, Failure> {
        let matrices = if space == meshpeek_pose_space::Local as i32 {
            Some(pose.locals().to_vec())
        } else if space == meshpeek_pose_space::World as i32 {
            pose.world()
        } else if space == meshpeek_pose_space::Skin as i32 {
            pose.skin(&self.rest)
        } else {
            return Err(Failure::Argument("space is no meshpeek_pose_space"));
        };
        let Some(matrices) = matrices else {
            return Err(Failure::NotFound("the file does not say how its bones are connected".to_owned()));
        };
        Ok(matrices)
    }
}

/// An index that may be missing, as the interface states it.
pub(crate) fn index_of(index: Option<usize>) -> i64 {
    let Some(index) = index else { return -1 };
    i64::try_from(index).unwrap_or(-1)
}

/// Opens a rig: most models have one, of index 0; a LODka3D file has one per model. Fails with
/// MESHPEEK_STATUS_NOT_FOUND if there is none of this index.
///
/// # Safety
/// `asset` is a live handle; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_open(
    asset: *const meshpeek_asset,
    index: usize,
    out: *mut *mut meshpeek_rig,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        place.put_handle(meshpeek_rig::new(asset, index, None)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Opens the rig of a model with the animation of an RTM file, instead of those of the model. Each bone moves like the
/// one of the same name, in any case; bones that the file lacks follow their parents. `index` is as for
/// meshpeek_rig_open.
///
/// # Safety
/// `model` and `motion` are live handles; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_open_motion(
    model: *const meshpeek_asset,
    index: usize,
    motion: *const meshpeek_asset,
    out: *mut *mut meshpeek_rig,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let model = unsafe { borrow(model) }?;
        // SAFETY: as promised.
        let motion = unsafe { borrow(motion) }?;
        place.put_handle(meshpeek_rig::new(model, index, Some(motion))?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Frees a rig.
///
/// # Safety
/// `rig` is NULL or a live handle, not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_free(rig: *mut meshpeek_rig) {
    // SAFETY: as promised.
    unsafe { free(rig) }
}

/// Returns the number of bones.
///
/// # Safety
/// `rig` is a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_bone_count(rig: *const meshpeek_rig) -> usize {
    // SAFETY: as promised.
    let Some(rig) = (unsafe { rig.as_ref() }) else { return 0 };
    rig.bones.len()
}

/// Returns the number of animations.
///
/// # Safety
/// `rig` is a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_clip_count(rig: *const meshpeek_rig) -> usize {
    // SAFETY: as promised.
    let Some(rig) = (unsafe { rig.as_ref() }) else { return 0 };
    rig.clips.len()
}

/// Stores facts about a bone, and returns true if there is one of this index.
///
/// # Safety
/// `rig` is a live handle; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_bone(rig: *const meshpeek_rig, index: usize, out: *mut meshpeek_bone) -> bool {
    // SAFETY: as promised.
    let Some(rig) = (unsafe { rig.as_ref() }) else { return false };
    let Some(bone) = rig.bones.get(index) else { return false };
    // SAFETY: as promised.
    let Ok(place) = (unsafe { Place::new(out) }) else { return false };
    place.put(meshpeek_bone { name: bone.name.as_ptr(), parent: bone.parent });
    true
}

/// Stores facts about an animation, and returns true if there is one of this index.
///
/// # Safety
/// `rig` is a live handle; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_clip(rig: *const meshpeek_rig, index: usize, out: *mut meshpeek_clip) -> bool {
    // SAFETY: as promised.
    let Some(rig) = (unsafe { rig.as_ref() }) else { return false };
    let Some(clip) = rig.clips.get(index) else { return false };
    // SAFETY: as promised.
    let Ok(place) = (unsafe { Place::new(out) }) else { return false };
    place.put(meshpeek_clip { name: clip.name.as_ptr(), seconds: clip.seconds, rate: clip.rate });
    true
}

/// Computes a pose: one matrix per bone, 16 floats column by column, into `matrices`. `clip` is the index of an
/// animation, or -1 for the pose at rest. `space` is a meshpeek_pose_space. `count` is the number of matrices that the
/// buffer holds, at least that of the bones. The keys of a clip are decoded when it is first posed, and kept until
/// another clip is.
///
/// # Safety
/// `rig` is a live handle; `matrices` is valid for writes of `count` matrices, `error` for a write or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_rig_pose(
    rig: *const meshpeek_rig,
    clip: i64,
    seconds: f32,
    space: i32,
    matrices: *mut f32,
    count: usize,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let rig = unsafe { borrow(rig) }?;
        if matrices.is_null() || count < rig.bones.len() {
            return Err(Failure::Argument("the buffer does not hold all matrices"));
        }
        let posed = match usize::try_from(clip) {
            Ok(clip) => rig.pose(clip, seconds)?,
            Err(_) => rig.rest.clone(),
        };
        let found = rig.matrices(&posed, space)?;
        for (index, matrix) in found.iter().take(count).enumerate() {
            let source: &[f32] = matrix.0.as_flattened();
            // SAFETY: as promised; the index is below `count`.
            unsafe { matrices.add(index * 16).copy_from_nonoverlapping(source.as_ptr(), 16) };
        }
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}
