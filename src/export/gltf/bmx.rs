//! Ballance: independent objects, several of which may share one mesh.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::Mat4;

use super::made::Key;
use super::mesh::Bake;
use super::scene::Scene;
use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::{Name, Utf32Str};
use crate::export::cost::CORNER_WORK;
use crate::formats::bmx;
use crate::geometry::{Matrix, Transform};
use crate::outline::Text;
use crate::record::list::List;

impl Scene<'_> {
    /// Adds a node for each object, and each mesh once. The mesh of an object whose matrix no node can represent is added
    /// for this object alone, with its vertices moved.
    pub(super) fn ballance(&mut self, asset: &Asset<'_>, map: &bmx::Map<'_>) -> Result<()> {
        let to_vertices = self.add_objects(map)?;
        let mut mesh_of_node: BTreeMap<usize, Key> = BTreeMap::new();
        let mut added: BTreeSet<(Key, usize)> = BTreeSet::new();
        let mut all = asset.primitives();
        while let Some(primitive) = self.next(&mut all)? {
            let place = primitive.place;
            let Some(node) = place.node else { continue };
            let bake = to_vertices.get(&node).map(|matrix| Bake { node, matrix });
            let key = Key { mesh: place.mesh, node: bake.map(|bake| bake.node), ..Key::default() };
            mesh_of_node.insert(node, key);
            if added.insert((key, place.part)) {
                self.add_primitive(&primitive, bake, None)?;
            }
        }
        for (node, key) in mesh_of_node {
            let name = match map.meshes()?.entry(key.mesh) {
                Some(entry) => Name::from(Text::from(entry.name)).text,
                None => String::new(),
            };
            if let Some(made) = self.mesh(&key, &name)? {
                self.show(node, made.mesh, None);
            }
        }
        Ok(())
    }

    /// Adds a node for each object. Returns the matrices that a node cannot represent; they are applied to the vertices
    /// instead.
    fn add_objects(&mut self, map: &bmx::Map<'_>) -> Result<HashMap<usize, Matrix>> {
        let mut baked = HashMap::new();
        for object in map.objects()?.walk() {
            let Ok(object) = object else {
                self.lose(1);
                self.node("".into(), None, &Transform::IDENTITY)?;
                continue;
            };
            let matrix = Matrix(object.world_matrix.rows).in_common(Format::Bmx);
            let place = decomposed(&matrix.glam());
            let node = self.node(object.entry.name.into(), None, &place.unwrap_or(Transform::IDENTITY))?;
            if place.is_none() {
                baked.insert(node, matrix);
            }
            if object.is_hidden.is_some_and(|hidden| hidden.is_set()) {
                self.hide(node);
            }
            if let Some(component) = object.component() {
                let value = match component.name() {
                    Some(name) => name.into(),
                    None => component.0.into(),
                };
                self.note(node, "component", value);
            }
            if let Some(groups) = &object.groups {
                self.note_groups(node, groups)?;
            }
        }
        Ok(baked)
    }

    fn note_groups(&mut self, node: usize, groups: &List<'_, Utf32Str<'_>>) -> Result<()> {
        let mut names: Vec<String> = Vec::new();
        for group in groups.iter() {
            self.room.hold((group.as_bytes().len() as u64).saturating_mul(2).saturating_add(CORNER_WORK))?;
            names.push(Name::from(Text::from(group)).text);
        }
        if !names.is_empty() {
            self.note(node, "groups", names.into());
        }
        Ok(())
    }
}

/// Decomposes a matrix into translation, rotation and scale, if possible.
fn decomposed(matrix: &Mat4) -> Option<Transform> {
    if !matrix.is_finite() {
        return Some(Transform::IDENTITY);
    }
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let again = Mat4::from_scale_rotation_translation(scale, rotation, translation);
    let mut largest = 1.0_f32;
    for number in matrix.to_cols_array() {
        largest = largest.max(number.abs());
    }
    let is_same = again.is_finite() && again.abs_diff_eq(*matrix, largest * 1e-4);
    if !is_same {
        return None;
    }
    Some(Transform { translation: translation.to_array(), rotation: rotation.to_array(), scale: scale.to_array() })
}
