//! RTM: bones by name, and one animation.
//!
//! Both forms store the effect of a bone on the vertices that it moves, so the rest pose moves nothing. A plain file
//! stores it in the space of the model. BMTR stores it relative to the parent, which only a model's skeleton contains.

use std::collections::HashMap;
use std::iter::zip;

use super::rig::{Bone, Clip, Keys, Rig, StoredKey, StoredRotation};
use super::sample::{self, Track};
use super::source::{One, Source};
use crate::base::error::{Context, Result};
use crate::base::format::Format;
use crate::formats::rtm::{Binarised, Frames, Motion, Plain, wire};
use crate::geometry::{Matrix, Transform};
use crate::outline::Text;

pub(super) fn rig<'a>(motion: Motion<'a>) -> Rig<'a> {
    let bones: Vec<Bone<'a>> = motion.bones().iter().map(|name| Bone::new(name, None)).collect();
    let is_whole = matches!(motion, Motion::Plain(_));
    let order = (0..bones.len()).map(Some).collect();
    Rig::new(0, bones, is_whole, Source::Rtm(One { motion, order }))
}

/// Folds a bone name: files compare names without case.
fn key(name: Text<'_>) -> Vec<u8> {
    name.as_bytes().to_ascii_lowercase()
}

impl<'a> Rig<'a> {
    /// Applies the animation of an RTM file to the bones of another rig, such as that of an ODOL model or of a
    /// `model.cfg`. Each bone moves like the one with the same name, ignoring case. Bones that
    /// are not in the file follow their parents. For BMTR, this supplies the parents.
    #[must_use]
    pub fn with_skeleton(motion: Motion<'a>, skeleton: &Rig<'a>) -> Self {
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        for (place, name) in motion.bones().iter().enumerate() {
            places.insert(key(name.into()), place);
        }
        let order = skeleton.bones.iter().map(|bone| places.get(&key(bone.name)).copied()).collect();
        let mut bones = skeleton.bones.clone();
        for bone in &mut bones {
            bone.rest = Transform::IDENTITY;
        }
        let source = Source::Rtm(One { motion, order });
        Self::new(skeleton.model, bones, true, source)
    }
}

impl<'a> One<'a> {
    pub(super) fn clips(&self, rig: &Rig<'a>) -> Vec<Result<Clip<'a>>> {
        let order = self.order.clone();
        let mut moved = Vec::new();
        for (bone, place) in order.iter().enumerate() {
            if place.is_some() {
                moved.push(bone);
            }
        }
        let seconds = match self.motion.last_time() {
            Ok(seconds) => seconds,
            Err(error) => return vec![Err(error)],
        };
        let keys: Box<dyn Keys + 'a> = match self.motion {
            Motion::Binarised(motion) => Box::new(Packed { motion, order }),
            Motion::Plain(motion) => Box::new(Matrices { motion, anchors: anchors(&rig.bones, &order), order }),
        };
        vec![Ok(Clip {
            name: "".into(),
            bones: moved.into(),
            tree: rig.tree.clone(),
            seconds,
            rate: rate(self.motion.frame_count(), seconds),
            keys,
        })]
    }
}

/// Returns the frames per phase, unless there is no time between frames.
fn rate(frames: usize, last_time: Option<f32>) -> Option<f32> {
    let last_time = last_time?;
    let rate = frames.saturating_sub(1) as f32 / last_time;
    if last_time > 0.0 && rate > 0.0 { Some(rate) } else { None }
}

/// Returns the frames before and after a time, and the fraction of the way between them.
fn around(times: impl Iterator<Item = f32>, seconds: f32) -> Option<(usize, usize, f32)> {
    let times: Vec<(f32, usize)> = times.enumerate().map(|(frame, time)| (time, frame)).collect();
    sample::around(&times, seconds)
}

struct Packed<'a> {
    motion: Binarised<'a>,
    order: Vec<Option<usize>>,
}

/// Converts to our space: like [`wire::Transform::to_matrix`], which rotates the axes, but mirrored.
fn transform(stored: &wire::Transform) -> Transform {
    let [i, j, k, w] = stored.rotation();
    let [x, y, z] = stored.translation();
    Transform { translation: [-x, y, -z], rotation: [i, -j, k, w], scale: [1.0; 3] }.in_common(Format::Rtm)
}

/// Returns the effects of all bones in a frame.
fn transforms(frames: &Frames<'_>, index: usize) -> Result<Vec<Transform>> {
    let Some(frame) = frames.get(index)? else { return Ok(Vec::new()) };
    Ok(frame.block.decode().within_item("frames", index)?.iter().map(transform).collect())
}

impl Keys for Packed<'_> {
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()> {
        let times = self.motion.times()?.block.decode()?;
        // The frames before and after, and how much of the way from one to the other has passed.
        let Some((before, after, share)) = around(times.iter().map(|time| time.get()), seconds) else { return Ok(()) };
        let frames = self.motion.frames()?;
        let first = transforms(&frames, before)?;
        let second = if after == before { first.clone() } else { transforms(&frames, after)? };
        for (place, bone) in zip(out, &self.order) {
            if let Some(bone) = *bone
                && let (Some(a), Some(b)) = (first.get(bone), second.get(bone))
            {
                *place = sample::between(*a, *b, share).to_matrix();
            }
        }
        Ok(())
    }

    fn track(&self, bone: usize) -> Result<Track> {
        match self.tracks(&[bone])?.pop() {
            Some((_, track)) => Ok(track),
            None => Ok(Track::default()),
        }
    }

    fn tracks(&self, bones: &[usize]) -> Result<Vec<(usize, Track)>> {
        let mut tracks: Vec<_> = bones.iter().map(|bone| (*bone, Track::default())).collect();
        self.each(bones, |place, time, stored| {
            if let Some((_, track)) = tracks.get_mut(place) {
                track.add(time, transform(stored));
            }
        })?;
        Ok(tracks)
    }

    fn stored(&self, bone: usize) -> Result<Vec<StoredKey>> {
        let mut all = Vec::new();
        self.each(&[bone], |_, frame, stored| {
            let rotation = Some(StoredRotation::Xyzw(stored.rotation()));
            all.push(StoredKey { frame, position: Some(stored.translation()), rotation, scale: None });
        })?;
        Ok(all)
    }
}

impl Packed<'_> {
    /// Passes the effects of some bones in each frame to `sink`, with the place of each in the list and the time. Decodes
    /// each frame once.
    fn each(&self, bones: &[usize], mut sink: impl FnMut(usize, f32, &wire::Transform)) -> Result<()> {
        let mut moved = Vec::new();
        for (place, bone) in bones.iter().enumerate() {
            if let Some(Some(in_file)) = self.order.get(*bone) {
                moved.push((place, *in_file));
            }
        }
        if moved.is_empty() {
            return Ok(());
        }
        let times = self.motion.times()?.block.decode()?;
        for (frame, time) in zip(self.motion.frames()?.iter(), &*times) {
            let frame = frame?.block.decode()?;
            for &(place, bone) in &moved {
                if let Some(stored) = frame.get(bone) {
                    sink(place, time.get(), stored);
                }
            }
        }
        Ok(())
    }
}

/// For each bone, the nearest of its ancestors that the file moves.
fn anchors(bones: &[Bone<'_>], order: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut anchors: Vec<Option<usize>> = Vec::with_capacity(bones.len());
    for bone in bones {
        let mut anchor = None;
        if let Some(parent) = bone.parent {
            let is_moved = matches!(order.get(parent), Some(Some(_)));
            anchor = if is_moved { Some(parent) } else { anchors.get(parent).copied().flatten() };
        }
        anchors.push(anchor);
    }
    anchors
}

fn stored_matrix(pose: &wire::BonePose) -> Matrix {
    Matrix::from_rows(pose.matrix.to_rows())
}

struct Matrices<'a> {
    motion: Plain<'a>,
    order: Vec<Option<usize>>,
    anchors: Vec<Option<usize>>,
}

impl Matrices<'_> {
    /// Returns the transform of a bone relative to its parent. The file stores transforms relative to the model.
    fn local(&self, bone: usize, world: impl Fn(usize) -> Option<Matrix>) -> Option<Matrix> {
        let own = world(self.in_file(bone)?)?;
        if let Some(Some(anchor)) = self.anchors.get(bone)
            && let Some(anchor) = self.in_file(*anchor)
            && let Some(above) = world(anchor)
            && let Some(undone) = above.inverse()
        {
            return Some(undone.after(&own));
        }
        Some(own)
    }

    /// Returns the index in the file of a bone of the rig.
    fn in_file(&self, bone: usize) -> Option<usize> {
        *self.order.get(bone)?
    }
}

impl Keys for Matrices<'_> {
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()> {
        let times = self.motion.times()?;
        // The frames before and after, and how much of the way from one to the other has passed.
        let Some((before, after, share)) = around(times.iter().map(|time| time.get()), seconds) else { return Ok(()) };
        let (Some(first), Some(second)) = (self.motion.frame(before)?, self.motion.frame(after)?) else {
            return Ok(());
        };
        let world = |bone: usize| {
            let a = stored_matrix(first.bone(bone)?);
            let b = stored_matrix(second.bone(bone)?);
            Some(sample::mix(&a, &b, share).in_common(Format::Rtm))
        };
        for (bone, place) in out.iter_mut().enumerate() {
            if let Some(local) = self.local(bone, world) {
                *place = local;
            }
        }
        Ok(())
    }

    /// Returns the matrices of a bone, decomposed.
    fn track(&self, bone: usize) -> Result<Track> {
        let mut track = Track::default();
        if self.in_file(bone).is_none() {
            return Ok(track);
        }
        for frame in self.motion.frames() {
            let frame = frame?;
            let world = |bone: usize| Some(stored_matrix(frame.bone(bone)?).in_common(Format::Rtm));
            if let Some(matrix) = self.local(bone, world) {
                let (scale, rotation, translation) = matrix.glam().to_scale_rotation_translation();
                track.translations.push((frame.time, translation.to_array()));
                track.rotations.push((frame.time, rotation.to_array()));
                if (scale - 1.0).abs().max_element() > 1e-4 || !track.scales.is_empty() {
                    track.scales.push((frame.time, scale.to_array()));
                }
            }
        }
        Ok(track)
    }

    fn stored(&self, bone: usize) -> Result<Vec<StoredKey>> {
        let mut all = Vec::new();
        let Some(Some(bone)) = self.order.get(bone) else { return Ok(all) };
        for frame in self.motion.frames() {
            let frame = frame?;
            if let Some(pose) = frame.bone(*bone) {
                let [x, y, z, position] = pose.matrix.to_rows();
                let rotation = Some(StoredRotation::Rows([x, y, z]));
                all.push(StoredKey { frame: frame.time, position: Some(position), rotation, scale: None });
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::little_endian::{I16, U16};

    /// A tree of six bones, each subset of which is moved.
    #[test]
    fn the_anchor_is_the_nearest_moved_ancestor() {
        let parents = [None, Some(0), Some(1), Some(2), Some(1), None];
        let bones = parents.map(|parent| Bone::new("bone", parent));
        for moved in 0..64_usize {
            let order: Vec<Option<usize>> = (0..6).map(|bone| (moved >> bone & 1 == 1).then_some(bone)).collect();
            let found = anchors(&bones, &order);
            for (bone, anchor) in found.into_iter().enumerate() {
                let mut ancestor = parents[bone];
                while let Some(above) = ancestor
                    && order[above].is_none()
                {
                    ancestor = parents[above];
                }
                assert_eq!(anchor, ancestor, "{bone} of {order:?}");
            }
        }
    }

    #[test]
    fn transforms_equal_their_matrices() {
        let stored = wire::Transform {
            rotation: [4915, -8192, 3277, 12902].map(I16::new),
            translation: [0x3c00, 0x4000, 0xc200].map(U16::new),
        };
        let matrix = Matrix::from_rows(stored.to_matrix()).in_common(Format::Rtm);
        for (a, b) in transform(&stored).to_matrix().0.iter().flatten().zip(matrix.0.iter().flatten()) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}
