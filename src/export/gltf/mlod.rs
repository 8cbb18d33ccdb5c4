//! MLOD and plain RTM of Arma: a node for each level of detail, and bones that move selections.

use std::collections::BTreeMap;

use super::joints::Joints;
use super::mesh::Key;
use super::{Matrix, Scene};
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::export::{CORNER_WORK, Lod, rank};
use crate::formats::mlod;
use crate::formats::resolution::Resolution;
use crate::geometry::{Influence, Transform, Weights};
use crate::pose::{Bone, Rig};

impl Scene<'_> {
    pub(super) fn arma(&mut self, asset: &Asset<'_>, file: &mlod::Model<'_>) -> Result<()> {
        let wanted = self.lod(file)?;
        let first = self.nodes.len();
        if let Some(rig) = self.options.rig {
            self.bones(rig, None)?;
            self.animations(rig, first)?;
        }
        let mut homes: BTreeMap<usize, (Joints, Weights)> = BTreeMap::new();
        for (index, lod) in file.lods().enumerate() {
            let Ok(lod) = lod else { break };
            if wanted.is_none_or(|wanted| wanted == index)
                && let Some(rig) = self.options.rig
            {
                homes.insert(index, self.selections(&lod, rig)?);
            }
        }
        let mut found: BTreeMap<usize, (usize, f32)> = BTreeMap::new();
        let mut all = asset.primitives();
        while let Some(primitive) = self.next(&mut all)? {
            let place = primitive.place;
            let Some((index, resolution)) = place.lod else { continue };
            if place.visible && wanted.is_none_or(|wanted| wanted == index) {
                found.insert(index, (place.mesh, resolution));
                self.add_primitive(
                    &primitive,
                    None,
                    homes.get(&index).map(|(joints, weights)| (joints, Some(weights))),
                )?;
            }
        }
        for (index, (mesh, resolution)) in found {
            let name = Resolution(resolution).title();
            let Some(made) = self.mesh(&Key { mesh, ..Key::default() }, &name)? else { continue };
            let node = self.node(name.as_str().into(), None, &Transform::IDENTITY)?;
            self.note(node, "lod", index.into());
            let moved = homes.get(&index).filter(|_| made.is_skinned);
            let skin = match (moved, self.options.rig) {
                (Some((joints, _)), Some(rig)) => {
                    let world = rig.rest().world().unwrap_or_default();
                    let loose = made.has_loose.then_some((node, Matrix::IDENTITY));
                    Some(self.skin(joints, first, loose, Matrix::IDENTITY, &world)?)
                }
                _ => None,
            };
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
            Lod::Finest => {
                let ranks = file.lods().map_while(Result::ok).enumerate().map(|(at, lod)| (rank(lod.resolution), at));
                let finest = ranks.min_by(|a, b| a.0.total_cmp(&b.0));
                Ok(Some(finest.map_or(0, |(_, index)| index)))
            }
        }
    }

    /// Returns the bones that move selections of a LOD, by their names in any case, and the weights of its points.
    fn selections(&self, lod: &mlod::Lod<'_>, rig: &Rig<'_>) -> Result<(Joints, Weights)> {
        let mut joints = Joints::new(None);
        let mut all: Vec<(usize, Influence)> = Vec::new();
        let name = |(bone, one): (usize, &Bone<'_>)| (one.name.as_bytes().to_ascii_lowercase(), bone);
        let names: BTreeMap<Vec<u8>, usize> = rig.bones().iter().enumerate().map(name).collect();
        for tag in lod.tags.iter().filter(mlod::Tag::is_selection) {
            let Some(&bone) = names.get(&tag.name.as_bytes().to_ascii_lowercase()) else { continue };
            self.room.work(lod.points.len() as u64)?;
            let Ok(joint) = u32::try_from(bone) else { continue };
            let before = all.len();
            all.extend(tag.weights(lod).map(|(point, weight)| (point, Influence { joint, weight })));
            let more = all.len().saturating_sub(before) as u64;
            self.room.take(more.saturating_mul(CORNER_WORK))?;
            if more > 0 {
                joints.add(bone);
            }
        }
        Ok((joints, Weights::new(lod.points.len(), || all.iter().copied())))
    }

    /// Adds the bones and animations of an animation file without a model.
    #[cfg(feature = "rtm")]
    pub(super) fn motion(&mut self, asset: &Asset<'_>) -> Result<()> {
        let rigs = match (asset, self.options.rig) {
            (Asset::Rtm(motion), Some(skeleton)) => vec![Ok(Rig::with_skeleton(*motion, skeleton))],
            _ => asset.rigs(),
        };
        for rig in rigs {
            let (rig, first) = (rig?, self.nodes.len());
            self.bones(&rig, None)?;
            self.animations(&rig, first)?;
        }
        Ok(())
    }
}
