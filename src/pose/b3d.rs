//! Blitz3D: all nodes as bones, and an animation for each ANIM.

use std::collections::BTreeMap;

use super::sample::Track;
use super::{Bone, Clip, Keys, Matrix, Rig, Source, StoredKey, StoredRotation};
use crate::base::error::{Context, Result};
use crate::formats::b3d::{Node, Scene, rotation_xyzw};
use crate::geometry::Transform;
use crate::geometry::b3d::local;

/// The frame rate if the file has none: the default of the document.
const DEFAULT_RATE: f32 = 60.0;

pub(super) fn rig<'a>(scene: Scene<'a>) -> Result<Rig<'a>> {
    let mut nodes = Vec::new();
    let mut bones = Vec::new();
    for node in scene.nodes() {
        let node = match node {
            Ok(node) => node,
            // Its siblings are still valid. Indices count broken nodes too.
            Err(_) => continue,
        };
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
        bones.push(Bone { rest, stored: Some(stored), ..Bone::new(node.name, node.parent) });
        nodes.push(Some(node));
    }
    Ok(Rig::new(0, bones, true, Source::B3d(Nodes(nodes))))
}

pub(super) struct Nodes<'a>(Vec<Option<Node<'a>>>);

impl<'a> Nodes<'a> {
    /// One clip for each ANIM, with the nodes that are nearest below it, and one for the keys below no ANIM.
    pub(super) fn clips(&self, rig: &Rig<'a>) -> Vec<Result<Clip<'a>>> {
        let mut below: Vec<Option<usize>> = Vec::with_capacity(self.0.len());
        let mut clips: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        let mut errors = Vec::new();
        for (index, node) in self.0.iter().enumerate() {
            let above = node.and_then(|node| node.parent).and_then(|parent| *below.get(parent)?);
            let starts = node.map_or(Ok(None), |node| node.animation().within_item("nodes", index));
            let own = starts.unwrap_or_else(|error| {
                errors.push(Err(error));
                None
            });
            let clip = own.map_or(above, |_| Some(index));
            below.push(clip);
            if node.is_some_and(|node| node.keys().next().is_some()) {
                clips.entry(clip).or_default().push(index);
            }
        }
        let clips = clips.into_iter().map(|(start, bones)| {
            let start = start.and_then(|start| *self.0.get(start)?);
            let animation = start.and_then(|node| node.animation().ok().flatten());
            let rate = animation.map(|animation| animation.fps).filter(|rate| *rate > 0.0 && rate.is_finite());
            let rate = rate.unwrap_or(DEFAULT_RATE);
            let seconds = animation.map(|animation| animation.frames as f32 / rate).filter(|length| *length > 0.0);
            let moved = bones.iter().filter_map(|&bone| (*self.0.get(bone)?).map(|node| (bone, node)));
            Ok(Clip {
                name: start.map_or("".into(), |node| node.name.into()),
                tree: rig.tree.clone(),
                seconds,
                keys: Keys::B3d(Moved { rate, nodes: moved.collect() }),
                bones: bones.into(),
            })
        });
        errors.into_iter().chain(clips).collect()
    }
}

pub(super) struct Moved<'a> {
    rate: f32,
    /// By bone.
    nodes: Box<[(usize, Node<'a>)]>,
}

impl<'a> Moved<'a> {
    fn node(&self, bone: usize) -> Option<&Node<'a>> {
        let place = self.nodes.binary_search_by_key(&bone, |(bone, _)| *bone).ok()?;
        self.nodes.get(place).map(|(_, node)| node)
    }

    pub(super) fn locals(&self, seconds: f32, _: &[usize], out: &mut [Matrix]) -> Result<()> {
        for (bone, node) in &self.nodes {
            if let Some(place) = out.get_mut(*bone) {
                *place = self.track(*bone)?.at(seconds, &local(node).mirrored()).to_matrix();
            }
        }
        Ok(())
    }

    pub(super) fn track(&self, bone: usize) -> Result<Track> {
        let Some(node) = self.node(bone) else { return Ok(Track::default()) };
        let tracks = node.to_tracks().within_item("nodes", bone)?;
        let seconds = |frame: &i32| *frame as f32 / self.rate;
        let mirrored = |[x, y, z]: [f32; 3]| [-x, y, z];
        let turned = |stored| {
            let rotation = rotation_xyzw(stored);
            Transform { rotation, ..Transform::IDENTITY }.mirrored().rotation
        };
        Ok(Track {
            translations: tracks.positions.iter().map(|(frame, at)| (seconds(frame), mirrored(*at))).collect(),
            rotations: tracks.rotations.iter().map(|(frame, turn)| (seconds(frame), turned(*turn))).collect(),
            scales: tracks.scales.iter().map(|(frame, scale)| (seconds(frame), *scale)).collect(),
        })
    }

    pub(super) fn stored(&self, bone: usize) -> Result<Vec<StoredKey>> {
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
