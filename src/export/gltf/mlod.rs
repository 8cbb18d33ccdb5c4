//! MLOD and plain RTM of Arma: a node for each level of detail, and bones that move selections.

use std::collections::BTreeMap;

use super::joints::Joints;
use super::made::Key;
use super::mesh::Skin;
use super::motion::LooseNode;
use super::scene::Scene;
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::export::chosen::rank;
use crate::export::cost::CORNER_WORK;
use crate::export::options::Lod;
use crate::formats::mlod;
use crate::formats::resolution::Resolution;
use crate::geometry::{Influence, Matrix, Transform, Weights};
use crate::pose::Rig;

/// How bones move the points of a LOD.
struct Selections {
    joints: Joints,
    weights: Weights,
}

impl Selections {
    fn as_skin(&self) -> Skin<'_> {
        Skin { joints: &self.joints, weights: Some(&self.weights) }
    }
}

/// A LOD with visible primitives.
struct FoundLod {
    mesh: usize,
    resolution: f32,
}

impl Scene<'_> {
    pub(super) fn arma(&mut self, asset: &Asset<'_>, file: &mlod::Model<'_>) -> Result<()> {
        let wanted = self.lod(file)?;
        let first = self.nodes.len();
        if let Some(rig) = self.options.rig {
            self.bones(rig, None)?;
            self.animations(rig, first)?;
        }
        let mut selections: BTreeMap<usize, Selections> = BTreeMap::new();
        for (index, lod) in file.lods().enumerate() {
            let Ok(lod) = lod else { break };
            if wanted.is_none_or(|wanted| wanted == index)
                && let Some(rig) = self.options.rig
            {
                selections.insert(index, self.selections(&lod, rig)?);
            }
        }
        let mut found: BTreeMap<usize, FoundLod> = BTreeMap::new();
        let mut all = asset.primitives();
        while let Some(primitive) = self.next(&mut all)? {
            let place = primitive.place;
            let Some((index, resolution)) = place.lod else { continue };
            if place.visible && wanted.is_none_or(|wanted| wanted == index) {
                found.insert(index, FoundLod { mesh: place.mesh, resolution });
                let skin = selections.get(&index).map(Selections::as_skin);
                self.add_primitive(&primitive, None, skin)?;
            }
        }
        for (index, FoundLod { mesh, resolution }) in found {
            let name = Resolution(resolution).title();
            let Some(made) = self.mesh(&Key { mesh, ..Key::default() }, &name)? else { continue };
            let node = self.node(name.as_str().into(), None, &Transform::IDENTITY)?;
            self.note(node, "lod", index.into());
            let mut skin = None;
            if made.is_skinned
                && let Some(Selections { joints, .. }) = selections.get(&index)
                && let Some(rig) = self.options.rig
            {
                let world = rig.rest().world().unwrap_or_default();
                let place = Matrix::IDENTITY;
                let loose = if made.has_loose { Some(LooseNode { node, place }) } else { None };
                skin = Some(self.skin(joints, first, loose, place, &world)?);
            }
            self.show(node, made.mesh, skin);
        }
        Ok(())
    }

    /// Returns the LOD to write; `None` for all.
    fn lod(&self, file: &mlod::Model<'_>) -> Result<Option<usize>> {
        match self.options.lod {
            Lod::All => Ok(None),
            Lod::Index(index) if index < file.lod_count() => Ok(Some(index)),
            Lod::Index(index) => {
                let count = file.lod_count();
                Err(Error::unsupported(format!("no LOD {index}: the model has {count}, counted from 0")))
            }
            Lod::Finest => Ok(Some(finest(file))),
        }
    }

    /// Returns the bones that move selections of a LOD, by their names in any case, and the weights of its points.
    fn selections(&self, lod: &mlod::Lod<'_>, rig: &Rig<'_>) -> Result<Selections> {
        let mut bones_by_name = BTreeMap::new();
        for (index, bone) in rig.bones().iter().enumerate() {
            bones_by_name.insert(bone.name.as_bytes().to_ascii_lowercase(), index);
        }
        let mut joints = Joints::new(None);
        let mut influences: Vec<(usize, Influence)> = Vec::new();
        for tag in lod.tags.iter() {
            if !tag.is_selection() {
                continue;
            }
            let Some(&bone) = bones_by_name.get(&tag.name.as_bytes().to_ascii_lowercase()) else { continue };
            self.room.charge_work(lod.points.len() as u64)?;
            let Ok(joint) = u32::try_from(bone) else { continue };
            let before = influences.len();
            for (point, weight) in tag.weights(lod) {
                influences.push((point, Influence { joint, weight }));
            }
            let added = influences.len().saturating_sub(before) as u64;
            self.room.charge_and_hold(added.saturating_mul(CORNER_WORK))?;
            if added > 0 {
                joints.add(bone);
            }
        }
        let weights = Weights::new(lod.points.len(), || influences.iter().copied());
        Ok(Selections { joints, weights })
    }

    /// Adds the bones and animations of an animation file without a model.
    #[cfg(feature = "rtm")]
    pub(super) fn motion(&mut self, asset: &Asset<'_>) -> Result<()> {
        let rigs = match (asset, self.options.rig) {
            (Asset::Rtm(motion), Some(skeleton)) => vec![Ok(Rig::with_skeleton(*motion, skeleton))],
            _ => asset.rigs(),
        };
        for rig in rigs {
            let rig = rig?;
            let first = self.nodes.len();
            self.bones(&rig, None)?;
            self.animations(&rig, first)?;
        }
        Ok(())
    }
}

/// Returns the index of the finest visual LOD, else of the first.
fn finest(file: &mlod::Model<'_>) -> usize {
    let mut finest = 0;
    let mut least = f32::INFINITY;
    for (index, lod) in file.lods().enumerate() {
        let Ok(lod) = lod else { break };
        let rank = rank(lod.resolution);
        if rank.total_cmp(&least).is_lt() {
            finest = index;
            least = rank;
        }
    }
    finest
}
