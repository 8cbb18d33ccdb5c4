//! Blitz3D: all nodes as bones. ANIMs of equal rate and length form one animation. SEQS are named ranges of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rig::{Bone, Clip, Keys, Rig, StoredKey, StoredRotation};
use super::sample::Track;
use super::source::{Nodes, Source};
use crate::base::error::{Context, Error, Result};
use crate::base::format::Format;
use crate::formats::b3d::{Animation, Node, Scene, Sequence, rotation_xyzw};
use crate::geometry::Matrix;
use crate::geometry::b3d::local;
use crate::geometry::mirror::{rotation_in_common, vector_in_common};
use crate::outline::Text;

/// The frame rate if the file has none: the default of the document.
const DEFAULT_RATE: f32 = 60.0;

pub(super) fn rig<'a>(scene: Scene<'a>) -> Rig<'a> {
    let mut nodes = Vec::new();
    let mut bones = Vec::new();
    for node in scene.nodes().flatten() {
        // Nodes that cannot be read keep their index and have no effect.
        while bones.len() < node.index {
            bones.push(Bone::new("", None));
            nodes.push(None);
        }
        let stored = StoredKey {
            frame: 0.0,
            position: Some(node.position()),
            rotation: Some(StoredRotation::ConjugateWxyz(node.rotation())),
            scale: Some(node.scale()),
        };
        let rest = local(&node).in_common(Format::B3d);
        bones.push(Bone { rest, stored_rest: Some(stored), ..Bone::new(node.name, node.parent) });
        nodes.push(Some(node));
    }
    let is_whole = true;
    Rig::new(0, bones, is_whole, Source::B3d(Nodes(nodes)))
}

impl<'a> Nodes<'a> {
    /// Returns a clip for all ANIMs of one rate and length, which moves the nodes below these ANIMs, and one for keys
    /// that are below no ANIM. Each clip is followed by its named ranges. Errors come first.
    pub(super) fn clips(&self, rig: &Rig<'a>) -> Vec<Result<Clip<'a>>> {
        let mut groups = Groups::default();
        for (index, node) in self.0.iter().enumerate() {
            match node {
                Some(node) => groups.add(index, node),
                None => groups.of_nodes.push(None),
            }
        }
        let mut clips: Vec<Result<Clip<'a>>> = groups.errors.into_iter().map(Err).collect();
        for group in groups.list {
            group.add_clips(rig, &mut clips);
        }
        clips
    }
}

/// The ANIMs of a file, grouped by rate and length.
#[derive(Default)]
struct Groups<'a> {
    list: Vec<Group<'a>>,
    /// The group of each rate, as bits, and length; of keys that are below no ANIM, the group of `None`.
    by_animation: BTreeMap<Option<(u32, i32)>, usize>,
    /// The group of the ANIM at each node or above it.
    of_nodes: Vec<Option<usize>>,
    errors: Vec<Error>,
}

/// The ANIMs of one rate and length.
struct Group<'a> {
    /// The name of the first node where one starts.
    name: Text<'a>,
    animation: Option<Animation>,
    bones: Vec<(usize, Node<'a>)>,
    ranges: Vec<Sequence<'a>>,
}

impl<'a> Groups<'a> {
    /// Adds the next node, whose parent was added before it.
    fn add(&mut self, index: usize, node: &Node<'a>) {
        let mut group = None;
        if let Some(parent) = node.parent
            && let Some(above) = self.of_nodes.get(parent)
        {
            group = *above;
        }
        match node.animation().within_item("nodes", index) {
            Ok(Some(animation)) => group = Some(self.find_or_add(Some(animation), node.name.into())),
            Ok(None) => {}
            Err(error) => self.errors.push(error),
        }
        self.of_nodes.push(group);
        let mut ranges = node.sequences().peekable();
        let has_keys = node.keys().next().is_some();
        if !has_keys && ranges.peek().is_none() {
            return;
        }
        let group = match group {
            Some(group) => group,
            None => self.find_or_add(None, "".into()),
        };
        let Some(group) = self.list.get_mut(group) else { return };
        if has_keys {
            group.bones.push((index, *node));
        }
        for range in ranges {
            match range.within_item("nodes", index) {
                Ok(range) => group.ranges.push(range),
                Err(error) => self.errors.push(error),
            }
        }
    }

    /// Returns the index of the group of an ANIM. A new group gets the name.
    fn find_or_add(&mut self, animation: Option<Animation>, name: Text<'a>) -> usize {
        let key = animation.map(|animation| (rate(Some(animation)).to_bits(), animation.frames));
        let next = self.list.len();
        let index = *self.by_animation.entry(key).or_insert(next);
        if index == next {
            self.list.push(Group { name, animation, bones: Vec::new(), ranges: Vec::new() });
        }
        index
    }
}

/// An animation, or a named range of it.
struct Stretch<'a> {
    name: Text<'a>,
    seconds: Option<f32>,
    /// The seconds of the first and last frame, if it is a range.
    range: Option<(f32, f32)>,
}

impl<'a> Group<'a> {
    fn add_clips(self, rig: &Rig<'a>, clips: &mut Vec<Result<Clip<'a>>>) {
        if self.bones.is_empty() {
            return;
        }
        let rate = rate(self.animation);
        let seconds = self.animation.map(|animation| animation.frames as f32 / rate);
        let mut stretches = vec![Stretch { name: self.name, seconds, range: None }];
        for range in &self.ranges {
            let first = range.first_frame as f32 / rate;
            let last = range.last_frame as f32 / rate;
            stretches.push(Stretch {
                name: range.name.into(),
                seconds: Some(last - first),
                range: Some((first, last.max(first))),
            });
        }
        let bones: Arc<[usize]> = self.bones.iter().map(|(bone, _)| *bone).collect();
        let nodes: Arc<[(usize, Node<'a>)]> = self.bones.into();
        for Stretch { name, seconds, range } in stretches {
            clips.push(Ok(Clip {
                name,
                tree: rig.tree.clone(),
                seconds: seconds.filter(|length| *length > 0.0),
                rate: Some(rate),
                keys: Box::new(Moved { rate, range, nodes: nodes.clone() }),
                bones: bones.clone(),
            }));
        }
    }
}

/// Frames per second.
fn rate(animation: Option<Animation>) -> f32 {
    match animation {
        Some(animation) if animation.fps > 0.0 && animation.fps.is_finite() => animation.fps,
        _ => DEFAULT_RATE,
    }
}

struct Moved<'a> {
    rate: f32,
    /// The seconds of the first and last frame, if it is a part of an animation.
    range: Option<(f32, f32)>,
    /// By bone.
    nodes: Arc<[(usize, Node<'a>)]>,
}

impl<'a> Moved<'a> {
    fn node(&self, bone: usize) -> Option<&Node<'a>> {
        let place = self.nodes.binary_search_by_key(&bone, |(bone, _)| *bone).ok()?;
        let (_, node) = self.nodes.get(place)?;
        Some(node)
    }

    fn seconds(&self, frame: i32) -> f32 {
        frame as f32 / self.rate
    }
}

impl Keys for Moved<'_> {
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()> {
        for (bone, node) in &*self.nodes {
            if let Some(place) = out.get_mut(*bone) {
                *place = self.track(*bone)?.at(seconds, &local(node).in_common(Format::B3d)).to_matrix();
            }
        }
        Ok(())
    }

    fn track(&self, bone: usize) -> Result<Track> {
        let Some(node) = self.node(bone) else { return Ok(Track::default()) };
        let tracks = node.to_tracks().within_item("nodes", bone)?;
        let translations = tracks.positions.iter().map(|(frame, at)| (self.seconds(*frame), position(*at)));
        let rotations = tracks.rotations.iter().map(|(frame, turn)| (self.seconds(*frame), rotation(*turn)));
        let scales = tracks.scales.iter().map(|(frame, scale)| (self.seconds(*frame), *scale));
        let whole =
            Track { translations: translations.collect(), rotations: rotations.collect(), scales: scales.collect() };
        Ok(match self.range {
            Some(range) => whole.within(range),
            None => whole,
        })
    }

    fn stored(&self, bone: usize) -> Result<Vec<StoredKey>> {
        let mut all = Vec::new();
        let Some(node) = self.node(bone) else { return Ok(all) };
        for keys in node.keys() {
            let keys = keys.within_item("nodes", bone)?;
            let positions = keys.positions();
            let rotations = keys.rotations();
            let scales = keys.scales();
            for (index, frame) in keys.frames().iter().enumerate() {
                let mut key = StoredKey { frame: frame.get() as f32, ..StoredKey::default() };
                if let Some(position) = positions.and_then(|all| all.get(index)) {
                    key.position = Some(position.to_array());
                }
                if let Some(rotation) = rotations.and_then(|all| all.get(index)) {
                    key.rotation = Some(StoredRotation::ConjugateWxyz(rotation.to_array()));
                }
                if let Some(scale) = scales.and_then(|all| all.get(index)) {
                    key.scale = Some(scale.to_array());
                }
                all.push(key);
            }
        }
        Ok(all)
    }
}

/// Converts a stored position to our space.
fn position(translation: [f32; 3]) -> [f32; 3] {
    vector_in_common(Format::B3d, translation)
}

/// Converts a stored rotation to our space.
fn rotation(stored: [f32; 4]) -> [f32; 4] {
    rotation_in_common(Format::B3d, rotation_xyzw(stored))
}
