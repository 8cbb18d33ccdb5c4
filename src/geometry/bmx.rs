//! Ballance: the mesh of each object, by material.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use super::{Alpha, Corner, Corners, Material, Matrix, Place, Primitive, Primitives, Shape, Texture, Values, one};
use crate::base::error::{Error, Result};
use crate::bytes::{Vec2, Vec3};
use crate::formats::bmx::{Faces, Map, Mesh, Object, Placed, wire};

pub(super) fn primitives<'m>(map: &'m Map<'m>) -> Primitives<'m> {
    let objects = match map.objects() {
        Ok(objects) => objects,
        Err(error) => return one(error),
    };
    let mut orders: HashMap<u32, Arc<Order>> = HashMap::new();
    Box::new(objects.walk().flat_map(move |object| {
        let parts = object.and_then(|object| parts(map, object, &mut orders));
        parts.map_or_else(one, |parts| Box::new(parts.into_iter().flatten().map(Ok)))
    }))
}

/// Returns the primitives of an object. Returns `None` for a component, whose mesh is part of the game.
fn parts<'m>(
    map: &'m Map<'m>,
    object: Placed<'m, Object<'m>>,
    orders: &mut HashMap<u32, Arc<Order>>,
) -> Result<Option<impl Iterator<Item = Primitive<'m>> + use<'m>>> {
    let Some(number) = object.mesh() else { return Ok(None) };
    let missing = || Error::malformed(format!("object {} shows mesh {number}, which is not there", object.index));
    let mesh = map.meshes()?.get(number as usize)?.ok_or_else(missing)?;
    let faces = mesh.faces;
    let order = match orders.get(&number) {
        Some(order) => order.clone(),
        None => orders.entry(number).or_insert(Arc::new(Order::of(&faces)?)).clone(),
    };
    // Rows of the file's matrix are the images of the axes, and so columns of ours.
    let world = Matrix::MIRROR.after(&Matrix(object.world_matrix.rows));
    let (node, name, mesh_number) = (object.index, object.entry.name, mesh.index);
    let visible = !object.is_hidden.is_some_and(|hidden| hidden.is_set());
    Ok(Some((0..order.parts.len()).map(move |part| {
        let place = Place { node: Some(node), visible, ..Place::new(name, mesh_number, part) };
        Primitive::new(place, world, Part { map, mesh: *mesh, faces, order: order.clone(), part })
    })))
}

/// The faces of a mesh by material.
#[derive(Debug)]
struct Order {
    faces: Vec<u32>,
    /// The material of each part, and the end of its faces.
    parts: Vec<(Option<u32>, usize)>,
}

impl Order {
    fn of(faces: &Faces<'_>) -> Result<Self> {
        let mut order: Vec<u32> = Vec::new();
        order.try_reserve_exact(faces.len()).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        order.extend((0..faces.len()).map_while(|face| u32::try_from(face).ok()));
        let material = |face: u32| faces.get(face as usize).and_then(|face| face.material());
        // The sort is stable, so the faces of a material stay in the file's order.
        order.sort_by_key(|&face| material(face));
        let mut parts: Vec<(Option<u32>, usize)> = Vec::new();
        for (place, &face) in order.iter().enumerate() {
            let (material, end) = (material(face), place.saturating_add(1));
            match parts.last_mut() {
                Some(part) if part.0 == material => part.1 = end,
                _ => parts.push((material, end)),
            }
        }
        Ok(Self { faces: order, parts })
    }

    fn faces(&self, part: usize) -> &[u32] {
        let start = part.checked_sub(1).and_then(|before| self.parts.get(before)).map_or(0, |&(_, end)| end);
        let end = self.parts.get(part).map_or(start, |&(_, end)| end);
        self.faces.get(start..end).unwrap_or_default()
    }
}

#[derive(Debug)]
struct Part<'m> {
    map: &'m Map<'m>,
    mesh: Mesh<'m>,
    faces: Faces<'m>,
    order: Arc<Order>,
    part: usize,
}

impl<'m> Shape<'m> for Part<'m> {
    fn positions(&self) -> Result<Values<'m, Vec3>> {
        Ok(self.mesh.positions.into())
    }

    fn normals(&self) -> Result<Option<Values<'m, Vec3>>> {
        Ok(Some(self.mesh.normals).filter(|normals| !normals.is_empty()).map(Into::into))
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(usize::from(!self.mesh.uvs.is_empty()))
    }

    fn uvs(&self, set: usize) -> Result<Option<Values<'m, Vec2>>> {
        Ok(Some(self.mesh.uvs).filter(|uvs| set == 0 && !uvs.is_empty()).map(Into::into))
    }

    fn is_indexed_by_corner(&self) -> bool {
        true
    }

    /// Virtools draws triangles that are clockwise in its left-handed space. The mirror makes them counterclockwise.
    fn corners(&self) -> Corners<'m> {
        let (faces, order, part) = (self.faces, self.order.clone(), self.part);
        let corner =
            |corner: wire::Corner| Corner { position: corner.position, normal: corner.normal, uvs: [corner.uv; 2] };
        Box::new((0..order.faces(part).len()).filter_map(move |place| {
            let face = faces.get(*order.faces(part).get(place)? as usize)?;
            let [a, b, c] = face.corners().map(corner);
            Some(Ok([a, c, b]))
        }))
    }

    fn material(&self) -> Result<Option<Material<'m>>> {
        let Some(&(Some(number), _)) = self.order.parts.get(self.part) else { return Ok(None) };
        let Some(material) = self.map.materials()?.get(number as usize)? else { return Ok(None) };
        let [r, g, b] = material.colors.diffuse.to_array();
        let is_on = |switch: Option<wire::Flag>| switch.is_some_and(wire::Flag::is_set);
        let mut facts = Material {
            color: [r, g, b, 1.0],
            emissive: material.emissive.unwrap_or_default(),
            specular: material.colors.specular.to_array(),
            // The programs show it as a slider from 0 to 100.
            shininess: material.power.map_or(0.0, |power| (power / 100.0).clamp(0.0, 1.0)),
            two_sided: is_on(material.two_sided),
            ..Material::new(material.entry.name)
        };
        facts.alpha = match (is_on(material.alpha_blend), is_on(material.alpha_test)) {
            (true, _) => Alpha::Blend,
            (false, true) => Alpha::Mask(0.5),
            (false, false) => Alpha::Opaque,
        };
        if let Some(index) = material.texture()
            && let Some(texture) = self.map.textures()?.get(index as usize)?
        {
            facts.add(Texture { index: Some(index as usize), ..Texture::new(texture.file_name) });
        }
        Ok(Some(facts))
    }
}
