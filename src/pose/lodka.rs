//! LODka3D: the bones of each model, and its animations.

use std::collections::HashMap;
use std::iter::zip;
use std::sync::Arc;

use super::rig::{Bone, Clip, Keys, Rig, StoredKey, StoredRotation};
use super::sample::{Track, between, from_euler};
use super::source::{Animations, Source};
use crate::base::error::Result;
use crate::formats::lodka::{Animation, LodModel, Model, Skeleton, wire};
use crate::geometry::{Matrix, Transform};

pub(super) fn rigs<'a>(model: Model<'a>) -> Vec<Result<Rig<'a>>> {
    let mut rigs = Vec::new();
    for part in model.parts() {
        match rig_of(part) {
            Ok(Some(rig)) => rigs.push(Ok(rig)),
            Ok(None) => {}
            Err(error) => rigs.push(Err(error)),
        }
    }
    rigs
}

/// Returns the bones of a model, if it has a skeleton.
fn rig_of<'a>(part: Result<LodModel<'a>>) -> Result<Option<Rig<'a>>> {
    let part = part?;
    let Some(skeleton) = part.first::<Skeleton<'_>>()? else { return Ok(None) };
    Ok(Some(rig(part, skeleton)?))
}

fn rig<'a>(part: LodModel<'a>, skeleton: Skeleton<'a>) -> Result<Rig<'a>> {
    let mut bones: Vec<Bone<'a>> = Vec::new();
    let mut places: HashMap<i16, usize> = HashMap::new();
    for bone in skeleton.bones {
        let bone = bone?;
        let parent = places.get(&bone.parent).copied();
        places.insert(bone.id, bones.len());
        bones.push(Bone::new(bone.name, parent));
    }
    if let Some(first) = part.views::<Animation<'_>>().flatten().next() {
        for (bone, key) in zip(&mut bones, first.frame(0).unwrap_or_default()) {
            bone.rest = transform(key);
        }
    }
    Ok(Rig::new(part.index, bones, true, Source::Lodka(Animations(part))))
}

fn transform(key: &wire::Key) -> Transform {
    Transform {
        translation: key.position.to_array(),
        rotation: from_euler(key.rotation.to_array()),
        ..Transform::IDENTITY
    }
}

impl<'a> Animations<'a> {
    pub(super) fn clips(&self, rig: &Rig<'a>) -> Vec<Result<Clip<'a>>> {
        let bones: Arc<[usize]> = (0..rig.bones.len()).collect();
        self.0.views::<Animation<'_>>().map(|animation| Ok(clip(animation?, rig, bones.clone()))).collect()
    }
}

fn clip<'a>(animation: Animation<'a>, rig: &Rig<'a>, bones: Arc<[usize]>) -> Clip<'a> {
    let seconds = animation.duration() as f32 / 1000.0;
    Clip {
        name: animation.name.into(),
        bones,
        tree: rig.tree.clone(),
        seconds: if seconds > 0.0 { Some(seconds) } else { None },
        rate: Some(1.0 / Frames(animation).interval()),
        keys: Box::new(Frames(animation)),
    }
}

/// Frames of zero or negative length are replaced by a thirtieth of a second.
const DEFAULT_INTERVAL: f32 = 1.0 / 30.0;

struct Frames<'a>(Animation<'a>);

impl Frames<'_> {
    fn interval(&self) -> f32 {
        if self.0.interval > 0 { self.0.interval as f32 / 1000.0 } else { DEFAULT_INTERVAL }
    }

    /// Returns the number of frames that have bones.
    fn count(&self) -> usize {
        self.0.keys.len().checked_div(self.0.bone_count as usize).unwrap_or(0)
    }

    fn keys(&self, bone: usize) -> impl Iterator<Item = (usize, &wire::Key)> {
        (0..self.count()).map_while(move |frame| Some((frame, self.0.key(frame, bone)?)))
    }
}

impl Keys for Frames<'_> {
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()> {
        let last = self.count().saturating_sub(1);
        let frame = (seconds / self.interval()).clamp(0.0, last as f32);
        // Saturates if there are too many frames for the type.
        #[allow(clippy::cast_possible_truncation, reason = "between 0 and the last frame")]
        let before = frame as usize;
        let after = before.saturating_add(1).min(last);
        let part = frame - before as f32;
        for (bone, place) in out.iter_mut().enumerate() {
            if let (Some(a), Some(b)) = (self.0.key(before, bone), self.0.key(after, bone)) {
                *place = between(transform(a), transform(b), part).to_matrix();
            }
        }
        Ok(())
    }

    fn track(&self, bone: usize) -> Result<Track> {
        let mut track = Track::default();
        for (frame, key) in self.keys(bone) {
            track.add(frame as f32 * self.interval(), transform(key));
        }
        Ok(track)
    }

    fn stored(&self, bone: usize) -> Result<Vec<StoredKey>> {
        let mut all = Vec::new();
        for (frame, key) in self.keys(bone) {
            all.push(StoredKey {
                frame: frame as f32,
                position: Some(key.position.to_array()),
                rotation: Some(StoredRotation::Euler(key.rotation.to_array())),
                scale: None,
            });
        }
        Ok(all)
    }
}
