//! LODka3D: for each model its bones, its meshes, and the proxies that repeat them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::joints::Joints;
use super::mesh::Key;
use super::{Matrix, Scene};
use crate::asset::Asset;
use crate::base::error::Result;
use crate::formats::lodka;
use crate::geometry::Transform;
use crate::geometry::lodka::transform;
use crate::outline::Text;
use crate::pose::Rig;

/// A model under construction.
struct Model<'a> {
    /// The root node.
    root: usize,
    rig: Option<Rig<'a>>,
    /// The node of the first bone.
    first: usize,
    joints: Joints,
    /// One skin for all its meshes.
    skin: Option<usize>,
    /// The node of each proxy.
    proxies: Vec<usize>,
}

impl Scene<'_> {
    pub(super) fn lodka(&mut self, asset: &Asset<'_>, file: &lodka::Model<'_>) -> Result<()> {
        let mut models = self.models(asset, file)?;
        let mut shown = BTreeMap::new();
        let mut meshes = HashMap::new();
        let mut done: BTreeSet<(Key, usize)> = BTreeSet::new();
        let mut all = asset.primitives();
        while let Some(primitive) = self.next(&mut all)? {
            let place = primitive.place;
            let key = Key { model: place.model, mesh: place.mesh, hidden: !place.visible, node: None };
            shown.insert((key, place.node), primitive.world_matrix);
            if place.node.is_none() {
                meshes.insert(key, self.name(place.name));
            }
            if done.insert((key, place.part)) {
                let joints = models.get(&place.model).map(|model| &model.joints);
                self.add_primitive(&primitive, None, joints.map(|joints| (joints, None)))?;
            }
        }
        for ((key, proxy), place) in shown {
            let Some(model) = models.get_mut(&key.model) else { continue };
            let name = meshes.get(&key).map_or("", String::as_str);
            let Some(mesh) = self.mesh(&key, name)? else { continue };
            let home = match proxy {
                // A hidden repetition of a mesh adds nothing.
                Some(_) if key.hidden => None,
                Some(proxy) if !mesh.is_skinned => model.proxies.get(proxy).copied(),
                // Hidden meshes are in the file, but not in the scene.
                None if key.hidden => {
                    let own = self.node(name.into(), None, &Transform::IDENTITY)?;
                    self.hide(own);
                    Some(own)
                }
                // Joints alone place a skinned mesh, so its node is a root.
                _ if mesh.is_skinned => Some(self.node(name.into(), None, &Transform::IDENTITY)?),
                _ => Some(self.node(name.into(), Some(model.root), &Transform::IDENTITY)?),
            };
            let Some(home) = home else { continue };
            self.show(home, mesh.mesh, None);
            if let Some(rig) = model.rig.as_ref().filter(|_| mesh.is_skinned) {
                let skin = match model.skin.filter(|_| proxy.is_none()) {
                    Some(skin) => skin,
                    None => {
                        let world = rig.rest().world().unwrap_or_default();
                        let loose = Some((model.root, Matrix::IDENTITY));
                        self.skin(&model.joints, model.first, loose, place, &world)?
                    }
                };
                // A proxy moves the mesh, which requires a separate skin.
                if proxy.is_none() {
                    model.skin = Some(skin);
                }
                self.show(home, mesh.mesh, Some(skin));
            }
        }
        Ok(())
    }

    /// Returns the models with nodes for their bones and proxies, by number.
    fn models<'a>(&mut self, asset: &'a Asset<'_>, file: &lodka::Model<'a>) -> Result<BTreeMap<usize, Model<'a>>> {
        let mut rigs: HashMap<usize, Rig<'_>> = HashMap::new();
        for rig in asset.rigs() {
            match rig {
                Ok(rig) => drop(rigs.insert(rig.model, rig)),
                Err(_) => self.lose(1),
            }
        }
        let mut models = BTreeMap::new();
        for part in file.parts().flatten() {
            let index = part.index;
            let root = self.node(format!("model {index}").as_str().into(), None, &Transform::IDENTITY)?;
            let rig = rigs.remove(&index);
            let mut joints = Joints::new(None);
            let first = self.nodes.len();
            if let Some(rig) = &rig {
                self.bones(rig, Some(root))?;
                self.animations(rig, first)?;
                (0..rig.bones().len()).for_each(|bone| joints.add(bone));
            }
            let proxies = self.proxies(&part, root)?;
            models.insert(index, Model { root, rig, first, joints, skin: None, proxies });
        }
        Ok(models)
    }

    fn proxies(&mut self, part: &lodka::LodModel<'_>, root: usize) -> Result<Vec<usize>> {
        let mut proxies = Vec::new();
        for set in part.views::<lodka::ProxySet<'_>>().flatten() {
            let first = proxies.len();
            let mut names = set.names.iter();
            for proxy in set.proxies.iter() {
                let carrier = usize::try_from(proxy.parent.get()).ok();
                let carrier = carrier.and_then(|parent| proxies.get(first.checked_add(parent)?).copied());
                let carrier = carrier.unwrap_or(root);
                let name = names.next().map_or("".into(), Text::from);
                proxies.push(self.node(name, Some(carrier), &transform(&proxy))?);
            }
        }
        Ok(proxies)
    }
}
