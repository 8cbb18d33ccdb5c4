//! Ballance: the mesh of each object, by material.

use std::collections::HashMap;
use std::sync::Arc;

use super::material::{Alpha, Material, Texture};
use super::matrix::Matrix;
use super::primitive::{Corner, Corners, Place, Primitive, Primitives, Shape, one};
use super::values::Values;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::bytes::{Vec2, Vec3};
use crate::formats::bmx::{Faces, Map, Mesh, Object, Placed, wire};

pub(super) fn primitives<'m>(map: &'m Map<'m>) -> Primitives<'m> {
    let objects = match map.objects() {
        Ok(objects) => objects,
        Err(error) => return one(error),
    };
    let mut orders: HashMap<u32, Arc<Order>> = HashMap::new();
    Box::new(objects.walk().flat_map(move |object| match of_object(map, object, &mut orders) {
        Ok(primitives) => primitives,
        Err(error) => one(error),
    }))
}

/// Returns the primitives of an object. A component has none, because its mesh is part of the game.
fn of_object<'m>(
    map: &'m Map<'m>,
    object: Result<Placed<'m, Object<'m>>>,
    orders: &mut HashMap<u32, Arc<Order>>,
) -> Result<Primitives<'m>> {
    let object = object?;
    let Some(number) = object.mesh() else { return Ok(Box::new(std::iter::empty())) };
    let Some(mesh) = map.meshes()?.get(number as usize)? else {
        let index = object.index;
        return Err(Error::malformed(format!("object {index} shows mesh {number}, which is not there")));
    };
    let faces = mesh.faces;
    let order = match orders.get(&number) {
        Some(order) => order.clone(),
        None => orders.entry(number).or_insert(Arc::new(Order::of(&faces)?)).clone(),
    };
    // Rows of the file's matrix are the images of the axes, and so columns of ours.
    let world = Matrix::to_common(Format::Bmx).after(&Matrix(object.world_matrix.rows));
    let visible = !is_on(object.is_hidden);
    let place = Place { node: Some(object.index), visible, ..Place::new(object.entry.name, mesh.index, 0) };
    Ok(Box::new((0..order.parts.len()).map(move |part| {
        let shape = Part { map, mesh: *mesh, faces, order: order.clone(), part };
        Ok(Primitive::new(Place { part, ..place }, world, shape))
    })))
}

fn is_on(switch: Option<wire::Flag>) -> bool {
    switch.is_some_and(wire::Flag::is_set)
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
        order.try_reserve_exact(faces.len()).map_err(|_| Error::out_of_memory())?;
        order.extend((0..faces.len()).map_while(|face| u32::try_from(face).ok()));
        // The sort is stable, so the faces of a material stay in the file's order.
        order.sort_by_key(|&face| material_of(faces, face));
        let mut parts: Vec<(Option<u32>, usize)> = Vec::new();
        for (place, &face) in order.iter().enumerate() {
            let material = material_of(faces, face);
            let end = place.saturating_add(1);
            match parts.last_mut() {
                Some(part) if part.0 == material => part.1 = end,
                _ => parts.push((material, end)),
            }
        }
        Ok(Self { faces: order, parts })
    }

    fn faces(&self, part: usize) -> &[u32] {
        let mut start = 0;
        if let Some(before) = part.checked_sub(1)
            && let Some(&(_, end)) = self.parts.get(before)
        {
            start = end;
        }
        let Some(&(_, end)) = self.parts.get(part) else { return &[] };
        self.faces.get(start..end).unwrap_or_default()
    }
}

#[inline]
fn material_of(faces: &Faces<'_>, face: u32) -> Option<u32> {
    faces.get(face as usize)?.material()
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
        let normals = self.mesh.normals;
        Ok(if normals.is_empty() { None } else { Some(normals.into()) })
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(usize::from(!self.mesh.uvs.is_empty()))
    }

    fn uvs(&self, set: usize) -> Result<Option<Values<'m, Vec2>>> {
        let uvs = self.mesh.uvs;
        Ok(if set == 0 && !uvs.is_empty() { Some(uvs.into()) } else { None })
    }

    fn is_indexed_by_corner(&self) -> bool {
        true
    }

    /// Virtools draws triangles that are clockwise in its left-handed space. The mirror makes them counterclockwise.
    fn corners(&self) -> Corners<'m> {
        let faces = self.faces;
        let order = self.order.clone();
        let part = self.part;
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
        let mut facts = Material {
            color: [r, g, b, 1.0],
            emissive: material.emissive.unwrap_or_default(),
            specular: material.colors.specular.to_array(),
            two_sided: is_on(material.two_sided),
            ..Material::new(material.entry.name)
        };
        if let Some(power) = material.power {
            // The programs show it as a slider from 0 to 100.
            facts.shininess = (power / 100.0).clamp(0.0, 1.0);
        }
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

#[inline]
fn corner(stored: wire::Corner) -> Corner {
    Corner { position: stored.position, normal: stored.normal, uvs: [stored.uv; 2] }
}
