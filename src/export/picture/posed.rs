//! The effect of bones at the time of a picture.

use std::collections::HashMap;

use glam::Mat4;

use super::{Room, View};
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::text::Name;
use crate::geometry::{Influence, Matrix, Primitive, Weights};

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
            room.take(BONE_BYTES.saturating_mul(rig.bones().len() as u64))?;
            let is_wanted = |name: String| view.clip.is_none_or(|wanted| name.eq_ignore_ascii_case(wanted));
            let mut clips = rig.clips().filter_map(Result::ok);
            let Some(clip) = clips.find(|clip| is_wanted(Name::from(clip.name).text)) else { continue };
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
        let home = place.node.filter(|_| primitive.are_normals_smoothed()).and_then(|node| bones.get(node));
        Ok(Some(Moves { bones, home, weights: primitive.to_weights()? }))
    }
}

pub(super) struct Moves<'p> {
    bones: &'p [Matrix],
    /// The movement of vertices without bones.
    home: Option<&'p Matrix>,
    weights: Option<Weights>,
}

impl Moves<'_> {
    pub(super) fn of(&self, vertex: usize) -> Mat4 {
        let four = self.weights.as_ref().map(|weights| weights.strongest(vertex));
        let mut sum = Mat4::ZERO;
        for Influence { joint, weight } in four.into_iter().flatten().filter(|one| one.weight > 0.0) {
            let bone = self.bones.get(joint as usize).unwrap_or(&Matrix::IDENTITY);
            sum = sum.add_mat4(&bone.glam().mul_scalar(weight));
        }
        if sum == Mat4::ZERO { self.home.unwrap_or(&Matrix::IDENTITY).glam() } else { sum }
    }
}
