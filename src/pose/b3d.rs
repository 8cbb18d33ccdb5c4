//! Blitz3D: all nodes as bones. ANIMs of equal rate and length form one animation. SEQS are named ranges of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sample::Track;
use super::{Bone, Clip, Keys, Matrix, Rig, Source, StoredKey, StoredRotation};
use crate::base::error::{Context, Result};
use crate::formats::b3d::{Animation, Node, Scene, Sequence, rotation_xyzw};
use crate::geometry::Transform;
use crate::geometry::b3d::local;
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
        let rest = local(&node).mirrored();
        bones.push(Bone { rest, stored_rest: Some(stored), ..Bone::new(node.name, node.parent) });
        nodes.push(Some(node));
    }
    Rig::new(0, bones, true, Source::B3d(Nodes(nodes)))
}

pub(super) struct Nodes<'a>(Vec<Option<Node<'a>>>);

impl<'a> Nodes<'a> {
    /// Returns a clip for all ANIMs of one rate and length, which moves the nodes below these ANIMs, and one for keys
    /// that are below no ANIM. Each clip is followed by its named ranges.
    pub(super) fn clips(&self, rig: &Rig<'a>) -> Vec<Result<Clip<'a>>> {
        let mut below: Vec<Option<usize>> = Vec::with_capacity(self.0.len());
        let mut groups: Vec<Group<'a>> = Vec::new();
        let mut known: BTreeMap<Option<(u32, i32)>, usize> = BTreeMap::new();
        let mut all = Vec::new();
        for (index, node) in self.0.iter().enumerate() {
            let above = node.and_then(|node| node.parent).and_then(|parent| *below.get(parent)?);
            let starts = node.map_or(Ok(None), |node| node.animation().within_item("nodes", index));
            let own = starts.unwrap_or_else(|error| {
                all.push(Err(error));
                None
            });
            let mut group_of = |animation: Option<Animation>| {
                let key = animation.map(|animation| (rate(Some(animation)).to_bits(), animation.frames));
                *known.entry(key).or_insert_with(|| {
                    let name = node.filter(|_| animation.is_some()).map_or("".into(), |node| node.name.into());
                    groups.push(Group { name, animation, bones: Vec::new(), ranges: Vec::new() });
                    groups.len().saturating_sub(1)
                })
            };
            let group = own.map_or(above, |animation| Some(group_of(Some(animation))));
            below.push(group);
            let Some(node) = node else { continue };
            let mut ranges = node.sequences().peekable();
            let has_keys = node.keys().next().is_some();
            if !has_keys && ranges.peek().is_none() {
                continue;
            }
            let group = group.unwrap_or_else(|| group_of(None));
            let Some(group) = groups.get_mut(group) else { continue };
            if has_keys {
                group.bones.push((index, *node));
            }
            for range in ranges {
                match range.within_item("nodes", index) {
                    Ok(range) => group.ranges.push(range),
                    Err(error) => all.push(Err(error)),
                }
            }
        }
        for group in groups.into_iter().filter(|group| !group.bones.is_empty()) {
            let rate = rate(group.animation);
            let bones: Arc<[usize]> = group.bones.iter().map(|(bone, _)| *bone).collect();
            let nodes: Arc<[(usize, Node<'a>)]> = group.bones.into();
            let new = |name, seconds, range| Clip {
                name,
                tree: rig.tree.clone(),
                seconds,
                rate: Some(rate),
                keys: Box::new(Moved { rate, range, nodes: nodes.clone() }),
                bones: bones.clone(),
            };
            let seconds = group.animation.map(|animation| animation.frames as f32 / rate);
            all.push(Ok(new(group.name, seconds.filter(|length| *length > 0.0), None)));
            let named = group.ranges.iter().map(|range| {
                let (first, last) = (range.first_frame as f32 / rate, range.last_frame as f32 / rate);
                let seconds = Some(last - first).filter(|length| *length > 0.0);
                Ok(new(range.name.into(), seconds, Some((first, last.max(first)))))
            });
            all.extend(named);
        }
        all
    }
}

/// The ANIMs of one rate and length.
struct Group<'a> {
    /// The name of the first node where one starts.
    name: Text<'a>,
    animation: Option<Animation>,
    bones: Vec<(usize, Node<'a>)>,
    ranges: Vec<Sequence<'a>>,
}

/// Frames per second.
fn rate(animation: Option<Animation>) -> f32 {
    let rate = animation.map(|animation| animation.fps).filter(|rate| *rate > 0.0 && rate.is_finite());
    rate.unwrap_or(DEFAULT_RATE)
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
        self.nodes.get(place).map(|(_, node)| node)
    }
}

impl Keys for Moved<'_> {
    fn locals(&self, seconds: f32, out: &mut [Matrix]) -> Result<()> {
        for (bone, node) in &*self.nodes {
            if let Some(place) = out.get_mut(*bone) {
                *place = self.track(*bone)?.at(seconds, &local(node).mirrored()).to_matrix();
            }
        }
        Ok(())
    }

    fn track(&self, bone: usize) -> Result<Track> {
        let Some(node) = self.node(bone) else { return Ok(Track::default()) };
        let tracks = node.to_tracks().within_item("nodes", bone)?;
        let seconds = |frame: &i32| *frame as f32 / self.rate;
        let mirrored = |[x, y, z]: [f32; 3]| [-x, y, z];
        let turned = |stored| {
            let rotation = rotation_xyzw(stored);
            Transform { rotation, ..Transform::IDENTITY }.mirrored().rotation
        };
        let whole = Track {
            translations: tracks.positions.iter().map(|(frame, at)| (seconds(frame), mirrored(*at))).collect(),
            rotations: tracks.rotations.iter().map(|(frame, turn)| (seconds(frame), turned(*turn))).collect(),
            scales: tracks.scales.iter().map(|(frame, scale)| (seconds(frame), *scale)).collect(),
        };
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
            let (positions, rotations, scales) = (keys.positions(), keys.rotations(), keys.scales());
            all.extend(keys.frames().iter().enumerate().map(|(index, frame)| StoredKey {
                frame: frame.get() as f32,
                position: positions.and_then(|all| Some(all.get(index)?.to_array())),
                rotation: rotations.and_then(|all| Some(StoredRotation::ConjugateWxyz(all.get(index)?.to_array()))),
                scale: scales.and_then(|all| Some(all.get(index)?.to_array())),
            }));
        }
        Ok(all)
    }
}
