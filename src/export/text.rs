//! Triangles without bones: Wavefront OBJ and Stanford PLY.

use std::fmt::Write as _;

use super::space::Basis;
use super::{Lod, Model, Options, chosen, finite, material};
use crate::asset::Asset;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::text::Name;
use crate::budget::{Budget, Reservation};
use crate::geometry::{Mesh, Primitive};

/// Passes the primitives to write to `each`, with their arrays.
fn each(
    asset: &Asset<'_>,
    options: &Options<'_>,
    budget: &Budget,
    mut each: impl FnMut(&Primitive<'_>, Mesh, &Reservation<'_>) -> Result<()>,
) -> Result<Model> {
    let room = Reservation::new(budget);
    let basis = Basis::new(&options.space, asset.format());
    let (parts, mut unreadable) = chosen(asset, options.lod, &room)?;
    if let (Lod::Index(index), true, true) = (options.lod, parts.is_empty(), unreadable == 0) {
        return Err(Error::unsupported(format!("no LOD {index}, or it has no triangles")));
    }
    let (mut left_out, mut is_empty) = (0_u64, true);
    for primitive in parts {
        let mut mesh = match primitive.to_mesh(budget) {
            Err(error) if !matches!(error.kind(), ErrorKind::Limit { .. }) => {
                unreadable = unreadable.saturating_add(1);
                continue;
            }
            mesh => mesh?,
        };
        left_out = left_out.saturating_add(mesh.left_out);
        is_empty &= mesh.indices.is_empty();
        mesh.positions.iter_mut().for_each(|point| *point = finite(basis.point(*point), [0.0; 3]));
        mesh.normals.iter_mut().for_each(|normal| *normal = finite(basis.direction(*normal), [0.0, 1.0, 0.0]));
        each(&primitive, mesh, &room)?;
    }
    Ok(Model { pieces: Vec::new(), is_empty, unreadable, left_out })
}

/// Builds a Wavefront OBJ file: the visible triangles at their places, with normals, texture coordinates and the names
/// of their materials.
///
/// # Errors
/// Returns an error if the requested LOD does not exist, or if the model exceeds the budget.
pub fn obj(asset: &Asset<'_>, options: &Options<'_>, budget: &Budget) -> Result<Model> {
    let mut text = String::from("# meshpeek\n");
    // Indices count from 1 over the whole file.
    let mut first = [1_usize; 3];
    let model = each(asset, options, budget, |primitive, mesh, room| {
        let before = text.len();
        let name = |name: String| name.replace(|c: char| c.is_whitespace() || c.is_control(), "_");
        let object = name(Name::from(primitive.place.name).text);
        let _ = writeln!(text, "o {}", if object.is_empty() { "mesh" } else { &object });
        if let Some(material) = material(primitive, options.texture).ok().flatten() {
            let _ = writeln!(text, "usemtl {}", name(Name::from(material.name).text));
        }
        let uvs = mesh.uvs.first().map_or(&[][..], Vec::as_slice);
        for [x, y, z] in &mesh.positions {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for uv in uvs {
            let [u, v] = finite(*uv, [0.0; 2]);
            let _ = writeln!(text, "vt {u} {}", 1.0 - v);
        }
        for [x, y, z] in &mesh.normals {
            let _ = writeln!(text, "vn {x} {y} {z}");
        }
        let [point, uv, normal] = first;
        for triangle in mesh.indices.as_chunks::<3>().0 {
            text.push('f');
            for vertex in triangle {
                let at = |first: usize| first.saturating_add(*vertex as usize);
                let _ = match (uvs.is_empty(), mesh.normals.is_empty()) {
                    (true, true) => write!(text, " {}", at(point)),
                    (true, false) => write!(text, " {}//{}", at(point), at(normal)),
                    (false, true) => write!(text, " {}/{}", at(point), at(uv)),
                    (false, false) => write!(text, " {}/{}/{}", at(point), at(uv), at(normal)),
                };
            }
            text.push('\n');
        }
        let counts = [mesh.positions.len(), uvs.len(), mesh.normals.len()];
        first.iter_mut().zip(counts).for_each(|(first, count)| *first = first.saturating_add(count));
        room.output(text.len().saturating_sub(before) as u64)
    })?;
    Ok(Model { pieces: vec![text.into_bytes()], ..model })
}

/// Builds a binary PLY file: the visible triangles at their places, with normals, texture coordinates and colors.
///
/// # Errors
/// Returns an error if the requested LOD does not exist, or if the model exceeds the budget.
pub fn ply(asset: &Asset<'_>, options: &Options<'_>, budget: &Budget) -> Result<Model> {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    let (mut first, mut triangles) = (0_u32, 0_u64);
    let model = each(asset, options, budget, |primitive, mesh, room| {
        let before = vertices.len().saturating_add(faces.len());
        let material = material(primitive, options.texture).ok().flatten();
        let own = material.as_ref().map_or([1.0; 4], |material| material.color);
        for (index, position) in mesh.positions.iter().enumerate() {
            let normal = mesh.normals.get(index).copied().unwrap_or_default();
            let uv = mesh.uvs.first().and_then(|uvs| uvs.get(index)).copied().unwrap_or_default();
            let numbers = [position.as_slice(), &normal, &finite(uv, [0.0; 2])];
            vertices.extend(numbers.into_iter().flatten().flat_map(|number| number.to_le_bytes()));
            let color = mesh.colors.get(index).copied().unwrap_or(own);
            #[allow(clippy::cast_possible_truncation, reason = "the cast saturates at 0 and 255")]
            vertices.extend(color.map(|part| (part * 255.0) as u8));
        }
        for triangle in mesh.indices.as_chunks::<3>().0 {
            faces.push(3);
            faces.extend(triangle.iter().flat_map(|vertex| first.saturating_add(*vertex).to_le_bytes()));
            triangles = triangles.saturating_add(1);
        }
        let too_many = || Error::unsupported("more vertices than a PLY file can hold");
        let count = u32::try_from(mesh.positions.len()).ok().and_then(|count| first.checked_add(count));
        first = count.ok_or_else(too_many)?;
        room.output(vertices.len().saturating_add(faces.len()).saturating_sub(before) as u64)
    })?;
    let mut head = format!("ply\nformat binary_little_endian 1.0\ncomment meshpeek\nelement vertex {first}\n");
    for name in ["x", "y", "z", "nx", "ny", "nz", "s", "t"] {
        let _ = writeln!(head, "property float {name}");
    }
    for name in ["red", "green", "blue", "alpha"] {
        let _ = writeln!(head, "property uchar {name}");
    }
    let _ = write!(head, "element face {triangles}\nproperty list uchar uint vertex_indices\nend_header\n");
    Ok(Model { pieces: vec![head.into_bytes(), vertices, faces], ..model })
}
