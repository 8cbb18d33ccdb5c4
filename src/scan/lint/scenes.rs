//! Scenes of Blitz3D, as games read them: most are models of Luanti.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::place::{Locate as _, Root};
use crate::check::grouped;
use crate::formats::b3d::{Bone, Mesh, Node, Scene};
use crate::summary::Problems;

/// The frames of an animation, and the keys outside of them.
struct Frames {
    frames: i32,
    offset: u64,
    node: usize,
    keys: Amount<u64>,
    outside: Amount<u64>,
    last: i32,
}

/// The vertices of a mesh, true if a bone moves them.
struct Skin {
    mesh: usize,
    offset: u64,
    vertices: usize,
    /// Empty if the mesh has no bone.
    moved: Vec<bool>,
}

/// One walk over a scene.
#[derive(Default)]
struct Check {
    meshes: Amount<usize>,
    /// For each node, the place of the animation that applies in `frames`.
    animations: Vec<Option<usize>>,
    frames: Vec<Frames>,
    /// By the offset of their mesh.
    skins: BTreeMap<u64, Skin>,
}

pub(super) fn check(scene: &Scene<'_>, problems: &mut Problems) {
    let mut check = Check::default();
    for node in scene.nodes() {
        // What cannot be read was reported before.
        let Ok(node) = node else { continue };
        if let Err(error) = check.node(&node, problems) {
            problems.error(&error);
        }
    }
    check.report(problems);
}

impl Check {
    fn node(&mut self, node: &Node<'_>, problems: &mut Problems) -> Result<()> {
        self.animation(node);
        for mesh in node.meshes().flatten() {
            self.surfaces(&mesh, problems);
            if let Ok(vertices) = mesh.vertices() {
                problems.budget().charge_work(vertices.len() as u64)?;
                let offset = mesh.chunk.offset();
                let skin = Skin { mesh: self.meshes.0, offset, vertices: vertices.len(), moved: Vec::new() };
                self.skins.insert(offset, skin);
            }
            self.meshes += 1;
        }
        for bone in node.bones().flatten() {
            self.weights(&bone);
        }
        for keys in node.keys().flatten() {
            let Some(place) = self.animation_at(node.index) else { continue };
            let Some(frames) = self.frames.get_mut(place) else { continue };
            // The first frame of real files is 1, so that n frames end at n + 1.
            let end = frames.frames.saturating_add(1);
            for frame in keys.frames().iter() {
                let frame = frame.get();
                frames.keys += 1;
                frames.outside += u64::from(frame < 0 || frame > end);
                frames.last = frames.last.max(frame);
            }
        }
        Ok(())
    }

    /// Notes the animation that applies to a node: its own, or that of the node around it.
    fn animation(&mut self, node: &Node<'_>) {
        let mut applies = None;
        if let Some(parent) = node.parent {
            applies = self.animation_at(parent);
        }
        if let Ok(Some(animation)) = node.animation() {
            applies = Some(self.frames.len());
            self.frames.push(Frames {
                frames: animation.frames,
                offset: node.chunk.offset(),
                node: node.index,
                keys: Amount(0),
                outside: Amount(0),
                last: i32::MIN,
            });
        }
        // Nodes that could not be read have none.
        self.animations.resize(node.index, None);
        self.animations.push(applies);
    }

    /// The place in `frames` of the animation that applies to a node.
    fn animation_at(&self, node: usize) -> Option<usize> {
        *self.animations.get(node)?
    }

    /// Reports several lists of triangles with one brush.
    fn surfaces(&self, mesh: &Mesh<'_>, problems: &mut Problems) {
        let mut brushes = BTreeSet::new();
        let mut surfaces = Amount(0);
        for triangles in mesh.triangles().flatten() {
            surfaces += 1;
            brushes.insert(triangles.brush());
        }
        let count = brushes.len() as u64;
        if surfaces.0 > count {
            let message = format!("{} surfaces (TRIS) with {count} brushes", surfaces.0);
            let error = Error::malformed(message).coded(Code::Surfaces).at(mesh.chunk.offset());
            problems.warning(&Root.item("meshes", self.meshes.0).locate(error));
        }
    }

    fn weights(&mut self, bone: &Bone<'_>) {
        let Some(mesh) = &bone.mesh else { return };
        let Some(skin) = self.skins.get_mut(&mesh.chunk.offset()) else { return };
        if skin.moved.is_empty() {
            skin.moved = vec![false; skin.vertices];
        }
        for weight in bone.weights.iter() {
            if weight.weight.get() > 0.0
                && let Ok(vertex) = usize::try_from(weight.vertex.get())
                && let Some(moved) = skin.moved.get_mut(vertex)
            {
                *moved = true;
            }
        }
    }

    fn report(self, problems: &mut Problems) {
        for skin in self.skins.into_values() {
            let all = skin.moved.len() as u64;
            let left = skin.moved.iter().filter(|moved| !**moved).count() as u64;
            if left > 0 && left < all {
                let message = format!("no bone moves {} of {} vertices", grouped(left), grouped(all));
                let error = Error::malformed(message).coded(Code::Unweighted).at(skin.offset);
                problems.warning(&Root.item("meshes", skin.mesh).locate(error));
            }
        }
        for Frames { frames, offset, node, keys, outside, last } in self.frames {
            if outside.0 > 0 {
                let message = format!(
                    "{} of {} keys are outside of the {frames} frames; the last is at {last}",
                    grouped(outside.0),
                    grouped(keys.0)
                );
                let error = Error::malformed(message).coded(Code::Frames).at(offset);
                problems.warning(&Root.item("nodes", node).field("animation").locate(error));
            }
        }
    }
}
