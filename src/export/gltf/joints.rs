//! The joints that move the vertices of a mesh.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::iter::zip;

use crate::geometry::{Corner, Influence, Weights};

/// The joints of a mesh in the order of its skin. Vertices that no joint moves follow the mesh itself. If the mesh's
/// node is not one of the joints, it is added after them.
pub(super) struct Joints {
    pub(super) bones: Vec<usize>,
    places: HashMap<u32, u16>,
    /// The mesh's own node, if nodes are bones.
    home: Option<usize>,
}

impl Joints {
    pub(super) fn new(home: Option<usize>) -> Self {
        Self { bones: Vec::new(), places: HashMap::new(), home }
    }

    /// Adds a bone unless it is already present. See `are_too_many` for the limit.
    pub(super) fn add(&mut self, bone: usize) {
        let next = self.end();
        let Ok(joint) = u32::try_from(bone) else { return };
        if let Entry::Vacant(place) = self.places.entry(joint) {
            place.insert(next);
            self.bones.push(bone);
        }
    }

    /// Returns the index after all bones.
    pub(super) fn end(&self) -> u16 {
        u16::try_from(self.bones.len()).unwrap_or(u16::MAX)
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.bones.len() >= usize::from(u16::MAX)
    }

    /// Returns the index of the mesh's own node among them, if it is present.
    pub(super) fn own(&self) -> Option<u16> {
        let home = u32::try_from(self.home?).ok()?;
        self.places.get(&home).copied()
    }

    /// Returns the joints that move vertices, with their weights.
    pub(super) fn shares(&self, weights: &Weights, corners: &[Corner]) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
        let own = self.own().unwrap_or(self.end());
        let mut joints_of_corners = Vec::with_capacity(corners.len());
        let mut weights_of_corners = Vec::with_capacity(corners.len());
        for corner in corners {
            let (joints, weights) = self.strongest(weights.of(corner.position as usize), own);
            joints_of_corners.push(joints);
            weights_of_corners.push(weights);
        }
        (joints_of_corners, weights_of_corners)
    }

    /// Returns the four strongest joints of a vertex, each once, with weights that sum to 1; `own` if no joint moves
    /// it.
    fn strongest(&self, all: &[Influence], own: u16) -> ([u16; 4], [f32; 4]) {
        let mut shares: Vec<(u16, f32)> = Vec::new();
        for influence in all {
            let has_effect = influence.weight > 0.0 && influence.weight.is_finite();
            if has_effect && let Some(joint) = self.places.get(&influence.joint) {
                shares.push((*joint, influence.weight));
            }
        }
        shares.sort_by_key(|(joint, _)| *joint);
        shares.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares.truncate(4);
        let sum: f32 = shares.iter().map(|(_, share)| share).sum();
        if shares.is_empty() || !sum.is_finite() || sum <= 0.0 {
            return ([own, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
        }
        let mut joints = [0; 4];
        let mut weights = [0.0; 4];
        let places = zip(&mut joints, &mut weights);
        for ((joint, share), (joint_place, weight_place)) in zip(shares, places) {
            // A weight that rounds to zero is dropped.
            if share / sum > 0.0 {
                *joint_place = joint;
                *weight_place = share / sum;
            }
        }
        (joints, weights)
    }
}
