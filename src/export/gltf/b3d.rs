//! Blitz3D: all nodes, which are also the bones.

use std::collections::{BTreeMap, HashMap};

use super::joints::Joints;
use super::made::Key;
use super::mesh::Skin;
use super::motion::LooseNode;
use super::scene::Scene;
use crate::asset::Asset;
use crate::base::error::Result;
use crate::formats::b3d;
use crate::geometry::{Matrix, Transform};

impl Scene<'_> {
    pub(super) fn blitz(&mut self, asset: &Asset<'_>, file: &b3d::Scene<'_>) -> Result<()> {
        let Some(rig) = asset.rigs().pop() else { return Ok(()) };
        let rig = rig?;
        self.bones(&rig, None)?;
        let skins = joints(file);
        let mut homes: BTreeMap<usize, usize> = BTreeMap::new();
        let mut all = asset.primitives();
        while let Some(primitive) = self.next(&mut all)? {
            let place = primitive.place;
            let Some(home) = place.node else { continue };
            homes.insert(place.mesh, home);
            self.add_primitive(&primitive, None, skins.get(&place.mesh).map(Skin::with_own_weights))?;
        }
        let world = rig.rest().world().unwrap_or_default();
        for (mesh, home) in homes {
            let Some(made) = self.mesh(&Key { mesh, ..Key::default() }, "")? else { continue };
            if made.is_skinned
                && let Some(joints) = skins.get(&mesh)
            {
                let place = world.get(home).copied().unwrap_or(Matrix::IDENTITY);
                let loose = if made.has_loose { Some(LooseNode { node: home, place }) } else { None };
                let skin = self.skin(joints, 0, loose, place, &world)?;
                // Joints alone place a skinned mesh, so its node is a root without a transform.
                let name = match rig.bones().get(home) {
                    Some(bone) => bone.name,
                    None => "".into(),
                };
                let node = self.node(name, None, &Transform::IDENTITY)?;
                self.show(node, made.mesh, Some(skin));
                continue;
            }
            let is_taken = self.nodes.get(home).is_some_and(|node| node.mesh.is_some());
            if is_taken {
                // The format does not intend several meshes in one node. Each further mesh gets a separate node.
                let node = self.node("".into(), Some(home), &Transform::IDENTITY)?;
                self.show(node, made.mesh, None);
            } else {
                self.show(home, made.mesh, None);
            }
        }
        self.animations(&rig, 0)
    }
}

/// Returns the bones that refer to each mesh, by its number.
fn joints(file: &b3d::Scene<'_>) -> HashMap<usize, Joints> {
    let mut meshes = HashMap::new();
    let mut number = 0_usize;
    let mut skins: HashMap<usize, Joints> = HashMap::new();
    for node in file.nodes().flatten() {
        for mesh in node.meshes() {
            // Meshes that cannot be read are counted too.
            if let Ok(mesh) = mesh {
                meshes.insert(mesh.chunk.offset(), (number, node.index));
            }
            number = number.saturating_add(1);
        }
        for bone in node.bones().flatten() {
            if let Some(mesh) = bone.mesh
                && let Some(&(number, home)) = meshes.get(&mesh.chunk.offset())
            {
                skins.entry(number).or_insert_with(|| Joints::new(Some(home))).add(node.index);
            }
        }
    }
    skins
}
