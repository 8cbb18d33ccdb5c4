//! Triangles without bones: Wavefront OBJ and Stanford PLY.

use std::fmt::Write as _;

use super::chosen::{chosen, material};
use super::file_format::FileFormat;
use super::model::Model;
use super::numbers::finite;
use super::options::{Lod, Options};
use super::space::Basis;
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::text::Name;
use crate::budget::{Budget, Reservation};
use crate::geometry::{Mesh, Primitive};

/// The primitives to write, with their arrays.
struct Meshes<'a> {
    primitives: std::vec::IntoIter<Primitive<'a>>,
    basis: Basis,
    budget: &'a Budget,
    is_empty: bool,
    unreadable: u64,
    left_out: u64,
}

impl<'a> Meshes<'a> {
    /// Returns an error if the format of the asset is refused, or if the requested LOD does not exist.
    fn open(form: FileFormat, asset: &'a Asset<'_>, options: &Options<'_>, room: &Reservation<'a>) -> Result<Self> {
        if let Some(why) = form.refused(asset.format()) {
            return Err(Error::unsupported(why));
        }
        let basis = Basis::new(&options.space, asset.format());
        let chosen = chosen(asset, options.lod, room)?;
        if let Lod::Index(index) = options.lod
            && chosen.primitives.is_empty()
            && chosen.unreadable == 0
        {
            return Err(Error::unsupported(format!("no LOD {index}, or it has no triangles")));
        }
        Ok(Self {
            primitives: chosen.primitives.into_iter(),
            basis,
            budget: room.budget(),
            is_empty: true,
            unreadable: chosen.unreadable,
            left_out: 0,
        })
    }

    /// Returns the next primitive that can be read. Others are counted.
    fn next(&mut self) -> Result<Option<(Primitive<'a>, Mesh)>> {
        for primitive in self.primitives.by_ref() {
            let mut mesh = match primitive.to_mesh(self.budget) {
                Ok(mesh) => mesh,
                Err(error) if error.is_from_outside() => return Err(error),
                Err(_) => {
                    self.unreadable = self.unreadable.saturating_add(1);
                    continue;
                }
            };
            self.left_out = self.left_out.saturating_add(mesh.left_out);
            self.is_empty &= mesh.indices.is_empty();
            for point in &mut mesh.positions {
                *point = finite(self.basis.point(*point), [0.0; 3]);
            }
            for normal in &mut mesh.normals {
                *normal = finite(self.basis.direction(*normal), [0.0, 1.0, 0.0]);
            }
            return Ok(Some((primitive, mesh)));
        }
        Ok(None)
    }

    fn into_model(self, pieces: Vec<Vec<u8>>) -> Model {
        Model { pieces, is_empty: self.is_empty, unreadable: self.unreadable, left_out: self.left_out }
    }
}

/// Returns the first set of texture coordinates. It is empty if there is none.
fn first_uvs(mesh: &Mesh) -> &[[f32; 2]] {
    match mesh.uvs.first() {
        Some(uvs) => uvs,
        None => &[],
    }
}

/// Builds a Wavefront OBJ file: the visible triangles at their places, with normals, texture coordinates and the names
/// of their materials.
///
/// # Errors
/// Returns an error if the format is [refused](FileFormat::refused), if the requested LOD does not exist, or if the model
/// exceeds the budget.
pub fn obj(asset: &Asset<'_>, options: &Options<'_>, budget: &Budget) -> Result<Model> {
    let room = Reservation::new(budget);
    let mut meshes = Meshes::open(FileFormat::Obj, asset, options, &room)?;
    let mut file = Obj { text: String::from("# meshpeek\n"), next_point: 1, next_uv: 1, next_normal: 1 };
    while let Some((primitive, mesh)) = meshes.next()? {
        let before = file.text.len();
        file.add(&primitive, &mesh, options.texture);
        room.charge_output(file.text.len().saturating_sub(before) as u64)?;
    }
    Ok(meshes.into_model(vec![file.text.into_bytes()]))
}

/// An OBJ file under construction. Its indices count from 1 over the whole file.
struct Obj {
    text: String,
    next_point: usize,
    next_uv: usize,
    next_normal: usize,
}

impl Obj {
    fn add(&mut self, primitive: &Primitive<'_>, mesh: &Mesh, texture: Option<&str>) {
        let text = &mut self.text;
        let object = word(Name::from(primitive.place.name));
        let _ = writeln!(text, "o {}", if object.is_empty() { "mesh" } else { &object });
        if let Ok(Some(material)) = material(primitive, texture) {
            let _ = writeln!(text, "usemtl {}", word(Name::from(material.name)));
        }
        let uvs = first_uvs(mesh);
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
        let has_uvs = !uvs.is_empty();
        let has_normals = !mesh.normals.is_empty();
        for triangle in mesh.indices.as_chunks::<3>().0 {
            text.push('f');
            for vertex in triangle {
                let vertex = *vertex as usize;
                let point = self.next_point.saturating_add(vertex);
                let uv = self.next_uv.saturating_add(vertex);
                let normal = self.next_normal.saturating_add(vertex);
                let _ = match (has_uvs, has_normals) {
                    (false, false) => write!(text, " {point}"),
                    (false, true) => write!(text, " {point}//{normal}"),
                    (true, false) => write!(text, " {point}/{uv}"),
                    (true, true) => write!(text, " {point}/{uv}/{normal}"),
                };
            }
            text.push('\n');
        }
        self.next_point = self.next_point.saturating_add(mesh.positions.len());
        self.next_uv = self.next_uv.saturating_add(uvs.len());
        self.next_normal = self.next_normal.saturating_add(mesh.normals.len());
    }
}

/// Returns a name as one word, because white space ends a name in an OBJ file.
fn word(name: Name) -> String {
    name.text.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

/// Builds a binary PLY file: the visible triangles at their places, with normals, texture coordinates and colors.
///
/// # Errors
/// Returns an error if the format is [refused](FileFormat::refused), if the requested LOD does not exist, or if the model
/// exceeds the budget.
pub fn ply(asset: &Asset<'_>, options: &Options<'_>, budget: &Budget) -> Result<Model> {
    let room = Reservation::new(budget);
    let mut meshes = Meshes::open(FileFormat::Ply, asset, options, &room)?;
    let mut file = Ply::default();
    while let Some((primitive, mesh)) = meshes.next()? {
        let before = file.byte_len();
        file.add(&primitive, &mesh, options.texture)?;
        room.charge_output(file.byte_len().saturating_sub(before) as u64)?;
    }
    let head = file.head();
    Ok(meshes.into_model(vec![head.into_bytes(), file.vertices, file.faces]))
}

/// A PLY file under construction.
#[derive(Default)]
struct Ply {
    vertices: Vec<u8>,
    vertex_count: u32,
    faces: Vec<u8>,
    face_count: u64,
}

impl Ply {
    /// Returns the size of the file without its head.
    fn byte_len(&self) -> usize {
        self.vertices.len().saturating_add(self.faces.len())
    }

    fn add(&mut self, primitive: &Primitive<'_>, mesh: &Mesh, texture: Option<&str>) -> Result<()> {
        let surface_color = match material(primitive, texture) {
            Ok(Some(material)) => material.color,
            _ => [1.0; 4],
        };
        let uvs = first_uvs(mesh);
        for (index, position) in mesh.positions.iter().enumerate() {
            let normal = mesh.normals.get(index).copied().unwrap_or_default();
            let uv = finite(uvs.get(index).copied().unwrap_or_default(), [0.0; 2]);
            for numbers in [position.as_slice(), &normal, &uv] {
                for number in numbers {
                    self.vertices.extend_from_slice(&number.to_le_bytes());
                }
            }
            let color = mesh.colors.get(index).copied().unwrap_or(surface_color);
            #[allow(clippy::cast_possible_truncation, reason = "the cast saturates at 0 and 255")]
            self.vertices.extend(color.map(|part| (part * 255.0) as u8));
        }
        for triangle in mesh.indices.as_chunks::<3>().0 {
            self.faces.push(3);
            for vertex in triangle {
                self.faces.extend_from_slice(&self.vertex_count.saturating_add(*vertex).to_le_bytes());
            }
            self.face_count = self.face_count.saturating_add(1);
        }
        let Ok(count) = u32::try_from(mesh.positions.len()) else { return Err(too_many_vertices()) };
        let Some(vertex_count) = self.vertex_count.checked_add(count) else { return Err(too_many_vertices()) };
        self.vertex_count = vertex_count;
        Ok(())
    }

    fn head(&self) -> String {
        let vertices = self.vertex_count;
        let faces = self.face_count;
        let mut head = format!("ply\nformat binary_little_endian 1.0\ncomment meshpeek\nelement vertex {vertices}\n");
        for name in ["x", "y", "z", "nx", "ny", "nz", "s", "t"] {
            let _ = writeln!(head, "property float {name}");
        }
        for name in ["red", "green", "blue", "alpha"] {
            let _ = writeln!(head, "property uchar {name}");
        }
        let _ = write!(head, "element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n");
        head
    }
}

fn too_many_vertices() -> Error {
    Error::unsupported("more vertices than a PLY file can hold")
}
