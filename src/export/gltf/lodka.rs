//! LODka3D: for each model its bones, its meshes, and the proxies that repeat them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::joints::Joints;
use super::made::{Key, WrittenMesh};
use super::mesh::Skin;
use super::motion::LooseNode;
use super::scene::Scene;
use crate::asset::Asset;
use crate::base::error::Result;
use crate::formats::lodka;
use crate::geometry::lodka::transform;
use crate::geometry::{Matrix, Transform};
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
                let skin = models.get(&place.model).map(|model| Skin::with_own_weights(&model.joints));
                self.add_primitive(&primitive, None, skin)?;
            }
        }
        for ((key, proxy), place) in shown {
            let Some(model) = models.get_mut(&key.model) else { continue };
            let name = meshes.get(&key).map_or("", String::as_str);
            let Some(mesh) = self.mesh(&key, name)? else { continue };
            let Some(home) = self.home(model, mesh, name, key.hidden, proxy)? else { continue };
            let mut skin = None;
            if mesh.is_skinned {
                skin = self.skin_of(model, proxy, place)?;
            }
            self.show(home, mesh.mesh, skin);
        }
        Ok(())
    }

    /// Returns the node that shows a mesh, or that repeats it for a proxy. Returns `None` if none does.
    fn home(
        &mut self,
        model: &Model<'_>,
        mesh: WrittenMesh,
        name: &str,
        is_hidden: bool,
        proxy: Option<usize>,
    ) -> Result<Option<usize>> {
        if is_hidden {
            // A hidden repetition of a mesh adds nothing.
            if proxy.is_some() {
                return Ok(None);
            }
            // Hidden meshes are in the file, but not in the scene.
            let home = self.node(name.into(), None, &Transform::IDENTITY)?;
            self.hide(home);
            return Ok(Some(home));
        }
        if mesh.is_skinned {
            // Joints alone place a skinned mesh, so its node is a root.
            return Ok(Some(self.node(name.into(), None, &Transform::IDENTITY)?));
        }
        match proxy {
            Some(proxy) => Ok(model.proxies.get(proxy).copied()),
            None => Ok(Some(self.node(name.into(), Some(model.root), &Transform::IDENTITY)?)),
        }
    }

    /// Returns the skin of a mesh at a place, if its model has bones.
    fn skin_of(&mut self, model: &mut Model<'_>, proxy: Option<usize>, place: Matrix) -> Result<Option<usize>> {
        let Some(rig) = &model.rig else { return Ok(None) };
        // A proxy moves the mesh, which requires a separate skin.
        let is_shared = proxy.is_none();
        if is_shared && model.skin.is_some() {
            return Ok(model.skin);
        }
        let world = rig.rest().world().unwrap_or_default();
        let loose = Some(LooseNode { node: model.root, place: Matrix::IDENTITY });
        let skin = self.skin(&model.joints, model.first, loose, place, &world)?;
        if is_shared {
            model.skin = Some(skin);
        }
        Ok(Some(skin))
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
                for bone in 0..rig.bones().len() {
                    joints.add(bone);
                }
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
                let mut carrier = root;
                if let Ok(parent) = usize::try_from(proxy.parent.get())
                    && let Some(index) = first.checked_add(parent)
                    && let Some(node) = proxies.get(index)
                {
                    carrier = *node;
                }
                let name = names.next().map_or("".into(), Text::from);
                proxies.push(self.node(name, Some(carrier), &transform(&proxy))?);
            }
        }
        Ok(proxies)
    }
}
