//! Bones, skins and animations.

use glam::Quat;
use serde_json::{Value as Json, json};

use super::glb::{List, Use};
use super::joints::Joints;
use super::{CORNER_WORK, Scene, finite, is_finite};
use crate::base::error::Result;
use crate::geometry::Matrix;
use crate::pose::{Clip, Rig};

/// The maximum number of animation names in a message.
const MOST_NAMES: usize = 20;

/// Normalizes a rotation.
pub(super) fn unit(rotation: [f32; 4]) -> [f32; 4] {
    let rotation = Quat::from_array(finite(rotation, [0.0, 0.0, 0.0, 1.0]));
    let length = rotation.length();
    if length > 1e-20 && length.is_finite() {
        rotation.to_array().map(|part| part / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// Returns the matrix from a mesh to a joint, both at rest, in a form that glTF accepts.
fn bind(joint: Matrix, mesh: &Matrix, basis: impl Fn(&Matrix) -> Matrix) -> [f32; 16] {
    let matrix = basis(&joint.inverse().map_or(Matrix::IDENTITY, |inverse| inverse.after(mesh)));
    let mut columns = if is_finite(matrix.0.as_flattened()) { matrix.0 } else { Matrix::IDENTITY.0 };
    for ([.., corner], last) in columns.iter_mut().zip([0.0, 0.0, 0.0, 1.0]) {
        *corner = last;
    }
    Matrix(columns).glam().to_cols_array()
}

impl Scene<'_> {
    /// Adds bones as nodes. Bones without a parent are placed below the given node.
    pub(super) fn bones(&mut self, rig: &Rig<'_>, parent: Option<usize>) -> Result<()> {
        let first = self.nodes.len();
        for bone in rig.bones() {
            self.node(bone.name, bone.parent.map_or(parent, |bone| first.checked_add(bone)), &bone.rest)?;
        }
        Ok(())
    }

    /// Adds the skin of a mesh at `place` in the common space. The first bone is node `first`, and the bones are at
    /// `world` at rest. Vertices without a bone follow the node `loose`, with its place.
    pub(super) fn skin(
        &mut self,
        joints: &Joints,
        first: usize,
        loose: Option<(usize, Matrix)>,
        place: Matrix,
        world: &[Matrix],
    ) -> Result<usize> {
        let at = |bone: &usize| world.get(*bone).copied().unwrap_or(Matrix::IDENTITY);
        let basis = self.basis;
        let bind = |joint| bind(joint, &place, |matrix| basis.matrix(matrix));
        let mut binds: Vec<[f32; 16]> = joints.bones.iter().map(|bone| bind(at(bone))).collect();
        binds.extend(loose.map(|(_, at)| bind(at)));
        let binds = self.glb.floats(&binds, Use::Other, false)?;
        let nodes: Vec<usize> =
            joints.bones.iter().map(|bone| first.saturating_add(*bone)).chain(loose.map(|(node, _)| node)).collect();
        self.glb.push("skins", json!({ "joints": nodes, "inverseBindMatrices": binds }))
    }

    pub(super) fn animations(&mut self, rig: &Rig<'_>, first: usize) -> Result<()> {
        for clip in rig.clips() {
            match clip {
                Ok(clip) => self.animation(&clip, first)?,
                Err(_) => self.lose(1),
            }
        }
        Ok(())
    }

    fn animation(&mut self, clip: &Clip<'_>, first: usize) -> Result<()> {
        let name = self.name(clip.name);
        if let Some(wanted) = self.options.clip {
            if !name.eq_ignore_ascii_case(wanted) {
                if self.clips.len() < MOST_NAMES {
                    self.clips.push(name);
                }
                return Ok(());
            }
            self.has_clip = true;
        }
        let basis = self.basis;
        // The number of seconds in the result for each second of the file.
        let fps = self.options.fps.filter(|fps| *fps > 0.0);
        let pace = clip.rate.zip(fps).map_or(1.0, |(rate, fps)| rate / fps);
        let (mut channels, mut samplers) = (List::default(), List::default());
        for &bone in clip.bones() {
            self.room.work(CORNER_WORK)?;
            let Ok(track) = clip.to_track(bone) else {
                self.lose(1);
                continue;
            };
            let moves = track.translations.iter().map(|(time, to)| (time * pace, basis.point(*to)));
            let turns = track.rotations.iter().map(|(time, turn)| (time * pace, unit(basis.rotation(*turn))));
            let scales = track.scales.iter().map(|(time, scale)| (time * pace, basis.factors(*scale)));
            let parts =
                [("translation", self.keys(moves)?), ("rotation", self.keys(turns)?), ("scale", self.keys(scales)?)];
            for (path, keys) in parts {
                let Some((input, output)) = keys else { continue };
                let sampler = json!({ "input": input, "output": output, "interpolation": "LINEAR" });
                let sampler = samplers.push(sampler, self.room)?;
                let target = json!({ "node": first.saturating_add(bone), "path": path });
                channels.push(json!({ "sampler": sampler, "target": target }), self.room)?;
            }
        }
        if channels.is_empty() {
            return Ok(());
        }
        let mut more = String::new();
        if !name.is_empty() {
            more += &format!(",\"name\":{}", Json::from(name));
        }
        if let Some(seconds) = clip.seconds {
            more += &format!(",\"extras\":{}", json!({ "seconds": seconds * pace }));
        }
        self.glb.push("animations", format_args!("{{\"channels\":{channels},\"samplers\":{samplers}{more}}}"))?;
        Ok(())
    }

    /// Returns the arrays of times and values. Keys that glTF cannot represent, such as a time before 0, are left out.
    fn keys<const N: usize>(&mut self, keys: impl Iterator<Item = (f32, [f32; N])>) -> Result<Option<(usize, usize)>> {
        let mut last = f32::NEG_INFINITY;
        let sound = |(time, value): &(f32, [f32; N])| {
            let sound = *time >= 0.0 && *time > last && time.is_finite() && is_finite(value);
            last = if sound { *time } else { last };
            sound
        };
        let (times, values): (Vec<[f32; 1]>, Vec<[f32; N]>) =
            keys.filter(sound).map(|(time, value)| ([time], value)).unzip();
        if times.is_empty() {
            return Ok(None);
        }
        self.room.work(CORNER_WORK.saturating_mul(times.len() as u64))?;
        let known: Vec<u32> = times.iter().map(|[time]| time.to_bits()).collect();
        let input = match self.times.get(&known) {
            Some(input) => *input,
            None => {
                let input = self.glb.floats(&times, Use::Other, true)?;
                self.room.hold(CORNER_WORK.saturating_add(size_of_val(&known[..]) as u64))?;
                self.times.insert(known, input);
                input
            }
        };
        Ok(Some((input, self.glb.floats(&values, Use::Other, false)?)))
    }
}
