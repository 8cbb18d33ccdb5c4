//! Bones, skins and animations.

use std::iter::zip;

use serde_json::{Value as Json, json};

use super::glb::{List, Use};
use super::joints::Joints;
use super::scene::Scene;
use crate::base::error::Result;
use crate::budget::Reservation as Room;
use crate::export::cost::CORNER_WORK;
use crate::export::numbers::{is_finite, unit};
use crate::export::space::Basis;
use crate::geometry::Matrix;
use crate::pose::{Clip, Rig, Track};

/// The maximum number of animation names in a message.
const MOST_NAMES: usize = 20;

/// Returns the matrix from a mesh to a joint, both at rest, in a form that glTF accepts.
fn bind(joint: &Matrix, mesh: &Matrix, basis: &Basis) -> [f32; 16] {
    let from_mesh = match joint.inverse() {
        Some(inverse) => inverse.after(mesh),
        None => Matrix::IDENTITY,
    };
    let mut columns = basis.matrix(&from_mesh).0;
    if !is_finite(columns.as_flattened()) {
        columns = Matrix::IDENTITY.0;
    }
    for ([.., corner], last) in zip(&mut columns, [0.0, 0.0, 0.0, 1.0]) {
        *corner = last;
    }
    Matrix(columns).glam().to_cols_array()
}

/// The node that moves the vertices of a skinned mesh that have no bone.
pub(super) struct LooseNode {
    pub(super) node: usize,
    /// Its place at rest in the common space.
    pub(super) place: Matrix,
}

/// Keys of an animation. Those that glTF cannot represent, such as a time before 0, are left out.
struct Keys<const N: usize> {
    times: Vec<[f32; 1]>,
    values: Vec<[f32; N]>,
    last_time: f32,
}

impl<const N: usize> Keys<N> {
    fn new() -> Self {
        Self { times: Vec::new(), values: Vec::new(), last_time: f32::NEG_INFINITY }
    }

    fn add(&mut self, time: f32, value: [f32; N]) {
        let is_later = time >= 0.0 && time > self.last_time && time.is_finite();
        if is_later && is_finite(&value) {
            self.last_time = time;
            self.times.push([time]);
            self.values.push(value);
        }
    }
}

/// The indices of the arrays of keys.
struct WrittenKeys {
    times: usize,
    values: usize,
}

/// The two lists of an animation under construction.
#[derive(Default)]
struct Channels {
    channels: List,
    samplers: List,
}

impl Channels {
    /// Adds the movement of a property of a node, if it has keys.
    fn add(&mut self, node: usize, path: &str, keys: Option<WrittenKeys>, room: &Room<'_>) -> Result<()> {
        let Some(WrittenKeys { times, values }) = keys else { return Ok(()) };
        let sampler = json!({ "input": times, "output": values, "interpolation": "LINEAR" });
        let sampler = self.samplers.push(sampler, room)?;
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": sampler, "target": target }), room)?;
        Ok(())
    }
}

impl Scene<'_> {
    /// Adds bones as nodes. Bones without a parent are placed below the given node.
    pub(super) fn bones(&mut self, rig: &Rig<'_>, parent: Option<usize>) -> Result<()> {
        let first = self.nodes.len();
        for bone in rig.bones() {
            let parent = match bone.parent {
                Some(bone) => first.checked_add(bone),
                None => parent,
            };
            self.node(bone.name, parent, &bone.rest)?;
        }
        Ok(())
    }

    /// Adds the skin of a mesh at `place` in the common space. The first bone is node `first`, and the bones are at
    /// `world` at rest.
    pub(super) fn skin(
        &mut self,
        joints: &Joints,
        first: usize,
        loose: Option<LooseNode>,
        place: Matrix,
        world: &[Matrix],
    ) -> Result<usize> {
        let mut nodes = Vec::new();
        let mut binds = Vec::new();
        for bone in &joints.bones {
            let rest = world.get(*bone).unwrap_or(&Matrix::IDENTITY);
            nodes.push(first.saturating_add(*bone));
            binds.push(bind(rest, &place, &self.basis));
        }
        if let Some(loose) = loose {
            nodes.push(loose.node);
            binds.push(bind(&loose.place, &place, &self.basis));
        }
        let binds = self.glb.floats(&binds, Use::Other, false)?;
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

    /// Writes a clip, unless another one is wanted: then its name is kept for the message that the wanted one is not there.
    /// Writes nothing if no bone moves.
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
        let pace = self.pace(clip);
        let mut lists = Channels::default();
        for &bone in clip.bones() {
            self.room.charge_work(CORNER_WORK)?;
            let Ok(track) = clip.to_track(bone) else {
                self.lose(1);
                continue;
            };
            let node = first.saturating_add(bone);
            let translations = self.translations(&track, pace)?;
            let rotations = self.rotations(&track, pace)?;
            let scales = self.scales(&track, pace)?;
            lists.add(node, "translation", translations, self.room)?;
            lists.add(node, "rotation", rotations, self.room)?;
            lists.add(node, "scale", scales, self.room)?;
        }
        let Channels { channels, samplers } = lists;
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

    /// Returns the number of seconds in the result for each second of the file.
    fn pace(&self, clip: &Clip<'_>) -> f32 {
        match (clip.rate, self.options.fps) {
            (Some(rate), Some(fps)) if fps > 0.0 => rate / fps,
            _ => 1.0,
        }
    }

    fn translations(&mut self, track: &Track, pace: f32) -> Result<Option<WrittenKeys>> {
        let mut keys = Keys::new();
        for (time, point) in &track.translations {
            keys.add(time * pace, self.basis.point(*point));
        }
        self.write_keys(&keys)
    }

    fn rotations(&mut self, track: &Track, pace: f32) -> Result<Option<WrittenKeys>> {
        let mut keys = Keys::new();
        for (time, rotation) in &track.rotations {
            keys.add(time * pace, unit(self.basis.rotation(*rotation)));
        }
        self.write_keys(&keys)
    }

    fn scales(&mut self, track: &Track, pace: f32) -> Result<Option<WrittenKeys>> {
        let mut keys = Keys::new();
        for (time, scale) in &track.scales {
            keys.add(time * pace, self.basis.factors(*scale));
        }
        self.write_keys(&keys)
    }

    fn write_keys<const N: usize>(&mut self, keys: &Keys<N>) -> Result<Option<WrittenKeys>> {
        if keys.times.is_empty() {
            return Ok(None);
        }
        self.room.charge_work(CORNER_WORK.saturating_mul(keys.times.len() as u64))?;
        let times = self.write_times(&keys.times)?;
        let values = self.glb.floats(&keys.values, Use::Other, false)?;
        Ok(Some(WrittenKeys { times, values }))
    }

    /// Returns the index of an array of times. Writes it on first use.
    fn write_times(&mut self, times: &[[f32; 1]]) -> Result<usize> {
        let bits: Vec<u32> = times.iter().map(|[time]| time.to_bits()).collect();
        if let Some(written) = self.times.get(&bits) {
            return Ok(*written);
        }
        let written = self.glb.floats(times, Use::Other, true)?;
        self.room.hold(CORNER_WORK.saturating_add(size_of_val(&bits[..]) as u64))?;
        self.times.insert(bits, written);
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::Keys;

    #[test]
    fn times_ascend_from_0_and_values_are_finite() {
        let (nan, infinite) = (f32::NAN, f32::INFINITY);
        let given = [(-1.0, 0.0), (0.0, 1.0), (0.0, 2.0), (-0.5, 3.0), (1.0, nan), (1.0, 4.0), (1.0, 5.0), (0.5, 6.0)];
        let mut keys = Keys::<1>::new();
        for (time, value) in given.into_iter().chain([(nan, 7.0), (2.0, infinite), (2.5, 8.0), (infinite, 9.0)]) {
            keys.add(time, [value]);
        }
        assert_eq!(keys.times, [[0.0], [1.0], [2.5]]);
        assert_eq!(keys.values, [[1.0], [4.0], [8.0]]);
    }
}
