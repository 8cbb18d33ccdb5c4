//! Meshes, and the joints that move their vertices.

use std::collections::HashMap;

use glam::Vec3;
use meshpeek::geometry::{Corner, Influence, Primitive, Weights, Welded};
use meshpeek::pose::Matrix;
use meshpeek::{ErrorKind, Result};
use serde_json::{Map, Value as Json, json};

use super::glb::{List, Use};
use super::{CORNER_WORK, Scene, finite};

/// The memory of a vertex's arrays while they are built.
const VERTEX_BYTES: u64 = 96;

/// The key that identifies a mesh.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) model: usize,
    pub(super) mesh: usize,
    /// The node, if the vertices were moved for it.
    pub(super) node: Option<usize>,
}

/// The primitives of a mesh under construction.
#[derive(Default)]
pub(super) struct Kept {
    primitives: List,
    is_skinned: bool,
    has_loose: bool,
}

/// A written mesh: its index among the meshes, and whether joints move it.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) mesh: usize,
    pub(super) is_skinned: bool,
    /// True if no bone moves some of its vertices, so that they move with the mesh itself.
    pub(super) has_loose: bool,
}

/// The joints of a mesh in the order of its skin. Vertices that no joint moves follow the mesh itself. If the mesh's
/// node is not one of the joints, it is added after them.
pub(super) struct Joints {
    pub(super) bones: Vec<usize>,
    places: HashMap<u32, u16>,
    /// The mesh's own node, if nodes are bones.
    home: Option<usize>,
}

impl Joints {
    pub(super) fn new(home: Option<usize>) -> Self {
        Self { bones: Vec::new(), places: HashMap::new(), home }
    }

    /// Adds a bone unless it is already present. See `are_too_many` for the limit.
    pub(super) fn add(&mut self, bone: usize) {
        let next = self.bones.len() as u16;
        self.places.entry(bone as u32).or_insert_with(|| {
            self.bones.push(bone);
            next
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    fn are_too_many(&self) -> bool {
        self.bones.len() >= usize::from(u16::MAX)
    }

    /// The index of the mesh's own node among them, if it is present.
    fn own(&self) -> Option<u16> {
        self.places.get(&(self.home? as u32)).copied()
    }

    /// The joints that move vertices, with their weights.
    fn shares(&self, weights: &Weights, corners: &[Corner]) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
        let own = self.own().unwrap_or(self.bones.len() as u16);
        corners.iter().map(|corner| self.strongest(weights.of(corner.position as usize), own)).unzip()
    }

    /// The four strongest joints of a vertex, each once, with weights that sum to 1; `own` if no joint moves it.
    fn strongest(&self, all: &[Influence], own: u16) -> ([u16; 4], [f32; 4]) {
        let some = all.iter().filter(|one| one.weight > 0.0 && one.weight.is_finite());
        let placed = some.filter_map(|one| Some((*self.places.get(&one.joint)?, one.weight)));
        let mut shares: Vec<(u16, f32)> = placed.collect();
        shares.sort_by_key(|(joint, _)| *joint);
        shares.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares.truncate(4);
        let sum: f32 = shares.iter().map(|(_, share)| share).sum();
        if shares.is_empty() || !sum.is_finite() || sum <= 0.0 {
            return ([own, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
        }
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        for (index, (joint, share)) in shares.into_iter().enumerate() {
            // A weight that rounds to zero is dropped.
            let weight = share / sum;
            if weight > 0.0 {
                (joints[index], weights[index]) = (joint, weight);
            }
        }
        (joints, weights)
    }
}

impl Scene<'_, '_> {
    /// Builds a glTF primitive and keeps it for its mesh. `bake` moves its vertices, for that node.
    pub(super) fn part(
        &mut self,
        primitive: &Primitive<'_>,
        bake: Option<(usize, &Matrix)>,
        joints: Option<&Joints>,
    ) -> Result<()> {
        let (room, mut passing) = (self.room, 0);
        let welded = primitive.to_welded(|bytes| {
            room.work(CORNER_WORK)?;
            room.keep(bytes)?;
            passing += bytes;
            Ok(())
        });
        let made = match welded {
            Ok(welded) => self.welded(primitive, welded, bake, joints),
            Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => Err(error),
            Err(_) => {
                self.unreadable += 1;
                Ok(())
            }
        };
        room.give(passing);
        made
    }

    fn welded(
        &mut self,
        primitive: &Primitive<'_>,
        welded: Welded,
        bake: Option<(usize, &Matrix)>,
        joints: Option<&Joints>,
    ) -> Result<()> {
        let place = *primitive.place();
        let Ok(positions) = primitive.positions() else {
            self.unreadable += 1;
            return Ok(());
        };
        self.left_out += welded.left_out;
        let Welded { corners, mut triangles, .. } = welded;
        if triangles.is_empty() {
            return Ok(());
        }
        let passing = VERTEX_BYTES * corners.len() as u64;
        self.room.keep(passing)?;
        let moved = bake.map_or(Matrix::IDENTITY, |(_, matrix)| *matrix);
        if moved.mirrors() {
            triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
        let mirrored = |[x, y, z]: [f32; 3]| if self.is_lodka { [x, y, z] } else { [-x, y, z] };
        let position = |corner: &Corner| {
            let stored = positions.array(corner.position as usize).unwrap_or_default();
            finite(moved.point(mirrored(finite(stored, [0.0; 3]))), [0.0; 3])
        };
        let points: Vec<[f32; 3]> = corners.iter().map(position).collect();
        let mut attributes = Map::new();
        attributes.insert("POSITION".to_owned(), self.glb.floats(&points, Use::Vertices, true)?.into());
        if let Ok(Some(normals)) = primitive.normals() {
            let turn = moved.normals();
            let stored = |corner: &Corner| normals.array(corner.normal as usize).unwrap_or_default();
            let mut list: Vec<[f32; 3]> = corners.iter().map(|corner| turn(mirrored(stored(corner)))).collect();
            upright(&mut list, &points, &triangles);
            attributes.insert("NORMAL".to_owned(), self.glb.floats(&list, Use::Vertices, false)?.into());
        }
        let mut uv_sets = 0;
        for set in 0..primitive.uv_sets().unwrap_or(0).min(8) {
            let Ok(Some(uvs)) = primitive.uvs(set) else { break };
            // Some formats compute them anew for each primitive.
            self.room.work(uvs.len() as u64 * 8)?;
            let uv = |corner: &Corner| finite(uvs.array(corner.uv(set) as usize).unwrap_or_default(), [0.0; 2]);
            let list: Vec<[f32; 2]> = corners.iter().map(uv).collect();
            attributes.insert(format!("TEXCOORD_{set}"), self.glb.floats(&list, Use::Vertices, false)?.into());
            uv_sets += 1;
        }
        let material = primitive.material().unwrap_or_else(|_| {
            self.unreadable += 1;
            None
        });
        if let Ok(Some(colors)) = primitive.colors() {
            let color = |corner: &Corner| colors.array(corner.position as usize).unwrap_or_default();
            let shown = |corner: &Corner| finite(color(corner), [1.0; 4]).map(|part| part.clamp(0.0, 1.0));
            let list: Vec<[f32; 4]> = corners.iter().map(shown).collect();
            // Colors that the material does not use are kept, but not shown.
            let is_shown = material.as_ref().is_some_and(|material| material.vertex_colors);
            let name = if is_shown { "COLOR_0" } else { "_COLOR" };
            attributes.insert(name.to_owned(), self.glb.floats(&list, Use::Vertices, false)?.into());
        }
        let (mut is_skinned, mut has_loose) = (false, false);
        if let Some(joints) = joints.filter(|joints| !joints.are_too_many()) {
            // This covers all vertices of the mesh, for each of its primitives.
            self.room.work(positions.len() as u64 * CORNER_WORK)?;
            if let Ok(Some(weights)) = primitive.to_weights() {
                let influences: usize = (0..weights.len()).map(|vertex| weights.of(vertex).len()).sum();
                self.room.work(influences as u64 * CORNER_WORK)?;
                let (numbers, shares) = joints.shares(&weights, &corners);
                let behind = joints.bones.len() as u16;
                has_loose = joints.own().is_none() && numbers.iter().any(|joints| joints.contains(&behind));
                is_skinned = true;
                attributes.insert("JOINTS_0".to_owned(), self.glb.joints(&numbers)?.into());
                attributes.insert("WEIGHTS_0".to_owned(), self.glb.floats(&shares, Use::Vertices, false)?.into());
            }
        }
        let indices = self.glb.indices(&triangles, points.len())?;
        let mut json = json!({ "attributes": attributes, "indices": indices });
        if let Some(material) = material {
            json["material"] = self.material(&material, uv_sets)?.into();
        }
        self.room.give(passing);
        let key = Key { model: place.model, mesh: place.mesh, node: bake.map(|(node, _)| node) };
        let mesh = self.meshes.entry(key).or_default();
        mesh.primitives.push(json, self.room)?;
        mesh.is_skinned |= is_skinned;
        mesh.has_loose |= has_loose;
        Ok(())
    }

    /// The mesh of all primitives kept for it. `None` if none has triangles.
    pub(super) fn mesh(&mut self, key: &Key, name: &str) -> Result<Option<Made>> {
        let Some(Kept { primitives, is_skinned, has_loose }) = self.meshes.remove(key) else { return Ok(None) };
        let name = if name.is_empty() { String::new() } else { format!(",\"name\":{}", Json::from(name)) };
        let mesh = self.glb.push("meshes", format_args!("{{\"primitives\":{primitives}{name}}}"))?;
        self.has_meshes = true;
        Ok(Some(Made { mesh, is_skinned, has_loose }))
    }
}

/// Normalizes all normals. A zero or invalid normal is replaced by that of its triangle.
fn upright(normals: &mut [[f32; 3]], points: &[[f32; 3]], triangles: &[[u32; 3]]) {
    let is_unit = |normal: &[f32; 3]| (Vec3::from(*normal).length() - 1.0).abs() < 1e-3;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| Vec3::from(points[vertex as usize]));
        let face = (b - a).cross(c - a).normalize_or(Vec3::Y);
        for vertex in triangle {
            let normal = &mut normals[*vertex as usize];
            if !is_unit(normal) {
                *normal = face.to_array();
            }
        }
    }
}
