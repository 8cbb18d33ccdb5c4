//! The effect of bones at the time of a picture.

use std::collections::HashMap;

use glam::Mat4;

use super::view::View;
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::text::Name;
use crate::budget::Reservation as Room;
use crate::geometry::{Influence, Matrix, Primitive, Weights};
use crate::pose::{Clip, Rig};

/// The memory of a bone with its matrices.
const BONE_BYTES: u64 = 512;

/// The effect of each bone at the time of the picture, by model. Empty at rest.
pub(super) struct Posed(HashMap<usize, Vec<Matrix>>);

impl Posed {
    pub(super) fn new(asset: &Asset<'_>, view: &View<'_>, room: &Room<'_>) -> Result<Self> {
        let mut all = HashMap::new();
        let Some(time) = view.time else { return Ok(Self(all)) };
        let mut has_clip = false;
        for rig in asset.rigs() {
            let Ok(rig) = rig else { continue };
            room.charge_and_hold(BONE_BYTES.saturating_mul(rig.bones().len() as u64))?;
            let Some(clip) = find_clip(&rig, view.clip) else { continue };
            has_clip = true;
            if let Some(skins) = clip.pose_at(time)?.skin(&rig.rest()) {
                all.insert(rig.model, skins);
            }
        }
        match view.clip {
            Some(name) if !has_clip => Err(Error::unsupported(format!("no animation is called {name}"))),
            _ => Ok(Self(all)),
        }
    }

    /// Returns the movement of a primitive's vertices, or `None` if they do not move.
    pub(super) fn of<'p>(&'p self, primitive: &Primitive<'_>) -> Result<Option<Moves<'p>>> {
        let place = primitive.place;
        let Some(bones) = self.0.get(&place.model) else { return Ok(None) };
        // Nodes of Blitz3D are bones, too.
        let mut home = None;
        if let Some(node) = place.node
            && primitive.are_normals_smoothed()
        {
            home = bones.get(node);
        }
        Ok(Some(Moves { bones, home, weights: primitive.to_weights()? }))
    }
}

/// Returns the first animation with this name, or the first of all if no name is given.
fn find_clip<'a>(rig: &Rig<'a>, name: Option<&str>) -> Option<Clip<'a>> {
    for clip in rig.clips().flatten() {
        let Some(name) = name else { return Some(clip) };
        if Name::from(clip.name).text.eq_ignore_ascii_case(name) {
            return Some(clip);
        }
    }
    None
}

pub(super) struct Moves<'p> {
    bones: &'p [Matrix],
    /// The movement of vertices without bones.
    home: Option<&'p Matrix>,
    weights: Option<Weights>,
}

impl Moves<'_> {
    pub(super) fn of(&self, vertex: usize) -> Mat4 {
        let mut sum = Mat4::ZERO;
        if let Some(weights) = &self.weights {
            for Influence { joint, weight } in weights.strongest(vertex) {
                if weight > 0.0 {
                    let bone = self.bones.get(joint as usize).unwrap_or(&Matrix::IDENTITY);
                    sum = sum.add_mat4(&bone.glam().mul_scalar(weight));
                }
            }
        }
        if sum == Mat4::ZERO { self.home.unwrap_or(&Matrix::IDENTITY).glam() } else { sum }
    }
}
