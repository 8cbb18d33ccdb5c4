//! Meshes and their primitives.

use std::iter::zip;

use glam::Vec3;
use serde_json::{Value as Json, json};

use super::glb::{Use, set};
use super::joints::Joints;
use super::made::{Key, UnwrittenMesh, WrittenMesh};
use super::material::is_expressible;
use super::scene::Scene;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::export::chosen::material;
use crate::export::cost::CORNER_WORK;
use crate::export::numbers::finite;
use crate::export::space::Basis;
use crate::geometry::mirror::vector_in_common;
use crate::geometry::{Corner, Material, Matrix, Morph, Primitive, Weights, Welded, linear, smooth_normals};

/// The memory of a vertex's arrays while they are built.
const VERTEX_BYTES: u64 = 96;

/// The joints of a primitive.
#[derive(Clone, Copy)]
pub(super) struct Skin<'a> {
    pub(super) joints: &'a Joints,
    /// The weights of its vertices, if they are not its own.
    pub(super) weights: Option<&'a Weights>,
}

impl<'a> Skin<'a> {
    pub(super) fn with_own_weights(joints: &'a Joints) -> Self {
        Self { joints, weights: None }
    }
}

/// A node that the vertices of a primitive are moved for, because its matrix cannot be written.
#[derive(Clone, Copy)]
pub(super) struct Bake<'a> {
    pub(super) node: usize,
    pub(super) matrix: &'a Matrix,
}

/// The way from the stored positions and normals of a primitive to those of the glTF file.
struct Placement {
    format: Format,
    /// Moves the vertices, if they are moved for a node.
    matrix: Matrix,
    basis: Basis,
}

impl Placement {
    fn point(&self, stored: Option<[f32; 3]>) -> [f32; 3] {
        let stored = finite(stored.unwrap_or_default(), [0.0; 3]);
        finite(self.basis.point(self.matrix.point(vector_in_common(self.format, stored))), [0.0; 3])
    }
}

/// The vertices of a primitive, one for each different corner.
struct Vertices {
    placement: Placement,
    corners: Vec<Corner>,
    /// Indices of corners.
    triangles: Vec<[u32; 3]>,
    /// The position of each corner in the file.
    points: Vec<[f32; 3]>,
    /// The number of positions in the mesh.
    position_count: usize,
}

impl Vertices {
    /// The bytes of a position for each.
    fn point_bytes(&self) -> u64 {
        size_of_val(self.points.as_slice()) as u64
    }
}

/// How joints move a primitive.
#[derive(Default)]
struct Skinning {
    is_skinned: bool,
    /// True if no joint moves some of its vertices.
    has_loose: bool,
}

impl<'s> Scene<'s> {
    /// Builds a glTF primitive and adds it to its mesh.
    pub(super) fn add_primitive(
        &mut self,
        primitive: &Primitive<'_>,
        bake: Option<Bake<'_>>,
        skin: Option<Skin<'_>>,
    ) -> Result<()> {
        let room = self.room;
        let mut held_for_welding = 0_u64;
        let welded = primitive.to_welded(|bytes| {
            room.charge_work(CORNER_WORK)?;
            room.hold(bytes)?;
            held_for_welding = held_for_welding.saturating_add(bytes);
            Ok(())
        });
        let built = match welded {
            Ok(welded) => self.build_primitive(primitive, welded, bake, skin),
            Err(error) if error.is_from_outside() => Err(error),
            Err(_) => {
                self.lose(1);
                Ok(())
            }
        };
        room.give(held_for_welding);
        built
    }

    fn build_primitive(
        &mut self,
        primitive: &Primitive<'_>,
        welded: Welded,
        bake: Option<Bake<'_>>,
        skin: Option<Skin<'_>>,
    ) -> Result<()> {
        let Ok(positions) = primitive.positions() else {
            self.lose(1);
            return Ok(());
        };
        self.left_out = self.left_out.saturating_add(welded.left_out);
        let Welded { corners, mut triangles, .. } = welded;
        if triangles.is_empty() {
            return Ok(());
        }
        let vertex_bytes = VERTEX_BYTES.saturating_mul(corners.len() as u64);
        self.room.hold(vertex_bytes)?;
        let matrix = match bake {
            Some(bake) => *bake.matrix,
            None => Matrix::IDENTITY,
        };
        if matrix.mirrors() {
            for [_, second, third] in &mut triangles {
                std::mem::swap(second, third);
            }
        }
        let placement = Placement { format: self.format, matrix, basis: self.basis };
        let points = corners.iter().map(|corner| placement.point(positions.array(corner.position as usize))).collect();
        let vertices = Vertices { placement, corners, triangles, points, position_count: positions.len() };

        let morphs = primitive.morphs().unwrap_or_default();
        let targets = self.morph_targets(&vertices, &morphs)?;
        let mut attributes = json!({});
        self.add_points_and_normals(primitive, &vertices, &mut attributes)?;
        let material = self.material_of(primitive);
        let uv_sets = self.add_uvs(primitive, &vertices, material.as_ref(), &mut attributes)?;
        self.add_colors(primitive, &vertices, material.as_ref(), &mut attributes)?;
        let skinning = self.add_joints(primitive, &vertices, skin, &mut attributes)?;

        let indices = self.glb.indices(&vertices.triangles, vertices.points.len())?;
        let mut json = json!({ "attributes": attributes, "indices": indices });
        if !targets.is_empty() {
            let mut list = Vec::new();
            for target in &targets {
                list.push(json!({ "POSITION": self.glb.floats(target, Use::Vertices, true)? }));
            }
            set(&mut json, "targets", list);
        }
        let material = match material {
            Some(material) => self.material(&material, uv_sets)?,
            None => self.plain_material()?,
        };
        set(&mut json, "material", material);
        self.room.give(vertex_bytes.saturating_add(vertices.point_bytes().saturating_mul(targets.len() as u64)));

        let names = self.target_names(&morphs);
        let mesh = self.meshes.entry(self.key_of(primitive, bake)).or_default();
        mesh.primitives.push(json, self.room)?;
        mesh.is_skinned |= skinning.is_skinned;
        mesh.has_loose |= skinning.has_loose;
        mesh.targets = names;
        Ok(())
    }

    /// Returns the material of a primitive. One that cannot be read is counted.
    fn material_of<'m>(&mut self, primitive: &'m Primitive<'_>) -> Option<Material<'m>>
    where
        's: 'm,
    {
        let Ok(material) = material(primitive, self.options.texture) else {
            self.lose(1);
            return None;
        };
        material
    }

    /// Returns the mesh that a primitive belongs to.
    fn key_of(&self, primitive: &Primitive<'_>, bake: Option<Bake<'_>>) -> Key {
        let place = primitive.place;
        // Only LODka3D has hidden parts in visible meshes.
        let hidden = self.format == Format::Lodka && !place.visible;
        Key { model: place.model, mesh: place.mesh, hidden, node: bake.map(|bake| bake.node) }
    }

    /// Returns how far each morph moves each vertex. Stored morphs are positions; glTF has the differences.
    fn morph_targets(&self, vertices: &Vertices, morphs: &[Morph<'_>]) -> Result<Vec<Vec<[f32; 3]>>> {
        let mut targets = Vec::new();
        for morph in morphs {
            self.room.hold(vertices.point_bytes())?;
            self.room.charge_work(vertices.point_bytes())?;
            let mut target = Vec::with_capacity(vertices.points.len());
            for (corner, point) in zip(&vertices.corners, &vertices.points) {
                let moved = vertices.placement.point(morph.positions.array(corner.position as usize));
                target.push((Vec3::from(moved) - Vec3::from(*point)).to_array());
            }
            targets.push(target);
        }
        Ok(targets)
    }

    fn target_names(&self, morphs: &[Morph<'_>]) -> Vec<String> {
        let mut names = Vec::new();
        for (index, morph) in morphs.iter().enumerate() {
            names.push(format!("{} {index}", self.name(morph.name)).trim().to_owned());
        }
        names
    }

    fn add_points_and_normals(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: &Vertices,
        attributes: &mut Json,
    ) -> Result<()> {
        let Vertices { placement, corners, triangles, points, .. } = vertices;
        let mut normals = None;
        match primitive.normals() {
            Ok(Some(stored)) => {
                let turn = placement.matrix.normals();
                let mut list = Vec::with_capacity(corners.len());
                for corner in corners {
                    let normal = stored.array(corner.normal as usize).unwrap_or_default();
                    list.push(placement.basis.direction(turn(vector_in_common(placement.format, normal))));
                }
                normals = Some(list);
            }
            Ok(None) if primitive.are_normals_smoothed() => {
                self.room.charge_work((corners.len() as u64).saturating_mul(CORNER_WORK))?;
                normals = Some(smooth_normals(points, triangles));
            }
            _ => {}
        }
        set(attributes, "POSITION", self.glb.floats(points, Use::Vertices, true)?);
        if let Some(mut normals) = normals {
            replace_wrong_normals(&mut normals, points, triangles);
            set(attributes, "NORMAL", self.glb.floats(&normals, Use::Vertices, false)?);
        }
        Ok(())
    }

    /// Returns the number of sets of texture coordinates.
    fn add_uvs(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: &Vertices,
        material: Option<&Material<'_>>,
        attributes: &mut Json,
    ) -> Result<usize> {
        // The texture whose change of coordinates the extension of glTF cannot express. They are changed here.
        let mut changed = None;
        if let Some(material) = material
            && let Some(texture) = material.base()
            && !is_expressible(&texture.transform)
        {
            changed = Some(texture);
        }
        let most = primitive.uv_sets().unwrap_or(0).min(8);
        for uv_set in 0..most {
            let Ok(Some(uvs)) = primitive.uvs(uv_set) else { return Ok(uv_set) };
            // Some formats compute them anew for each primitive.
            self.room.charge_work((uvs.len() as u64).saturating_mul(8))?;
            let mut list: Vec<[f32; 2]> = Vec::with_capacity(vertices.corners.len());
            for corner in &vertices.corners {
                let mut uv = uvs.array(corner.uv(uv_set) as usize).unwrap_or_default();
                if let Some(texture) = changed
                    && texture.uv_set == uv_set
                {
                    uv = texture.transform.apply(uv);
                }
                list.push(finite(uv, [0.0; 2]));
            }
            set(attributes, &format!("TEXCOORD_{uv_set}"), self.glb.floats(&list, Use::Vertices, false)?);
        }
        Ok(most)
    }

    fn add_colors(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: &Vertices,
        material: Option<&Material<'_>>,
        attributes: &mut Json,
    ) -> Result<()> {
        let Ok(Some(colors)) = primitive.colors() else { return Ok(()) };
        let mut list: Vec<[f32; 4]> = Vec::with_capacity(vertices.corners.len());
        for corner in &vertices.corners {
            let color = colors.array(corner.position as usize).unwrap_or_default();
            list.push(linear(finite(color, [1.0; 4]).map(|part| part.clamp(0.0, 1.0))));
        }
        // Colors that the material does not use are kept, but not shown.
        let is_shown = material.is_some_and(|material| material.vertex_colors);
        let name = if is_shown { "COLOR_0" } else { "_COLOR" };
        set(attributes, name, self.glb.floats(&list, Use::Vertices, false)?);
        Ok(())
    }

    fn add_joints(
        &mut self,
        primitive: &Primitive<'_>,
        vertices: &Vertices,
        skin: Option<Skin<'_>>,
        attributes: &mut Json,
    ) -> Result<Skinning> {
        let Some(Skin { joints, weights: given_weights }) = skin else { return Ok(Skinning::default()) };
        if joints.are_too_many() {
            return Ok(Skinning::default());
        }
        // This covers all vertices of the mesh, for each of its primitives.
        self.room.charge_work((vertices.position_count as u64).saturating_mul(CORNER_WORK))?;
        let own_weights = if given_weights.is_none() { primitive.to_weights().ok().flatten() } else { None };
        let Some(weights) = given_weights.or(own_weights.as_ref()) else { return Ok(Skinning::default()) };
        if joints.bones.is_empty() {
            return Ok(Skinning::default());
        }
        let influences: usize = (0..weights.len()).map(|vertex| weights.of(vertex).len()).sum();
        self.room.charge_work((influences as u64).saturating_mul(CORNER_WORK))?;
        let (numbers, shares) = joints.shares(weights, &vertices.corners);
        let end = joints.end();
        set(attributes, "JOINTS_0", self.glb.joints(&numbers, usize::from(end).saturating_add(1))?);
        set(attributes, "WEIGHTS_0", self.glb.floats(&shares, Use::Vertices, false)?);
        let has_loose = joints.own().is_none() && numbers.iter().any(|joints| joints.contains(&end));
        Ok(Skinning { is_skinned: true, has_loose })
    }

    /// Returns the mesh of all primitives kept for it, written on first use. Returns `None` if none has triangles.
    pub(super) fn mesh(&mut self, key: &Key, name: &str) -> Result<Option<WrittenMesh>> {
        let Some(UnwrittenMesh { primitives, is_skinned, has_loose, targets }) = self.meshes.remove(key) else {
            return Ok(self.made.get(key).copied());
        };
        let mut more = String::new();
        if !name.is_empty() {
            more += &format!(",\"name\":{}", Json::from(name));
        }
        if !targets.is_empty() {
            let weights = json!(vec![0; targets.len()]);
            let extras = json!({ "targetNames": targets });
            more += &format!(",\"weights\":{weights},\"extras\":{extras}");
        }
        let mesh = self.glb.push("meshes", format_args!("{{\"primitives\":{primitives}{more}}}"))?;
        let made = WrittenMesh { mesh, is_skinned, has_loose };
        self.made.insert(*key, made);
        Ok(Some(made))
    }
}

/// Replaces each normal that is not one unit long by that of its triangle.
fn replace_wrong_normals(normals: &mut [[f32; 3]], points: &[[f32; 3]], triangles: &[[u32; 3]]) {
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| Vec3::from(points.get(vertex as usize).copied().unwrap_or_default()));
        let face = (b - a).cross(c - a).normalize_or(Vec3::Y);
        for vertex in triangle {
            let Some(normal) = normals.get_mut(*vertex as usize) else { continue };
            let is_unit = (Vec3::from(*normal).length() - 1.0).abs() < 1e-3;
            if !is_unit {
                *normal = face.to_array();
            }
        }
    }
}
