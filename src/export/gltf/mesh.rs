//! Meshes, and the joints that move their vertices.

use std::collections::HashMap;

use glam::Vec3;
use serde_json::{Value as Json, json};

use super::glb::{List, Use, set};
use super::{CORNER_WORK, Scene, finite};
use crate::base::error::{ErrorKind, Result};
use crate::base::format::Format;
use crate::export::material;
use crate::geometry::{Corner, Influence, Matrix, Morph, Primitive, Weights, Welded, linear, smooth_normals};

/// The memory of a vertex's arrays while they are built.
const VERTEX_BYTES: u64 = 96;

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) model: usize,
    pub(super) mesh: usize,
    /// True for the parts of a mesh that are not drawn.
    pub(super) hidden: bool,
    /// The node, if the vertices were moved for it.
    pub(super) node: Option<usize>,
}

/// The primitives of a mesh under construction.
#[derive(Default)]
pub(super) struct Kept {
    primitives: List,
    is_skinned: bool,
    has_loose: bool,
    /// The names of its morph targets.
    targets: Vec<String>,
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
        let next = self.end();
        let Ok(joint) = u32::try_from(bone) else { return };
        self.places.entry(joint).or_insert_with(|| {
            self.bones.push(bone);
            next
        });
    }

    /// Returns the index after all bones.
    fn end(&self) -> u16 {
        u16::try_from(self.bones.len()).unwrap_or(u16::MAX)
    }

    fn are_too_many(&self) -> bool {
        self.bones.len() >= usize::from(u16::MAX)
    }

    /// Returns the index of the mesh's own node among them, if it is present.
    fn own(&self) -> Option<u16> {
        self.places.get(&u32::try_from(self.home?).ok()?).copied()
    }

    /// Returns the joints that move vertices, with their weights.
    fn shares(&self, weights: &Weights, corners: &[Corner]) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
        let own = self.own().unwrap_or(self.end());
        corners.iter().map(|corner| self.strongest(weights.of(corner.position as usize), own)).unzip()
    }

    /// Returns the four strongest joints of a vertex, each once, with weights that sum to 1; `own` if no joint moves
    /// it.
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
        let places = joints.iter_mut().zip(&mut weights);
        for ((joint, share), place) in shares.into_iter().zip(places) {
            // A weight that rounds to zero is dropped.
            if share / sum > 0.0 {
                (*place.0, *place.1) = (joint, share / sum);
            }
        }
        (joints, weights)
    }
}

/// The joints of a primitive, and its weights if they are not its own.
type Skin<'a> = (&'a Joints, Option<&'a Weights>);

impl Scene<'_> {
    /// Builds a glTF primitive and keeps it for its mesh. `bake` moves its vertices, for that node.
    pub(super) fn part(
        &mut self,
        primitive: &Primitive<'_>,
        bake: Option<(usize, &Matrix)>,
        skin: Option<Skin<'_>>,
    ) -> Result<()> {
        let (room, mut passing) = (self.room, 0_u64);
        let welded = primitive.to_welded(|bytes| {
            room.work(CORNER_WORK)?;
            room.hold(bytes)?;
            passing = passing.saturating_add(bytes);
            Ok(())
        });
        let made = match welded {
            Ok(welded) => self.welded(primitive, welded, bake, skin),
            Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => Err(error),
            Err(_) => {
                self.lose(1);
                Ok(())
            }
        };
        room.give(passing);
        made
    }

    /// Returns the position in the common space, without the matrix of its node.
    fn mirrored(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self.format {
            Format::Lodka => [x, y, z],
            Format::Mlod => [x, y, -z],
            _ => [-x, y, z],
        }
    }

    fn welded(
        &mut self,
        primitive: &Primitive<'_>,
        welded: Welded,
        bake: Option<(usize, &Matrix)>,
        skin: Option<Skin<'_>>,
    ) -> Result<()> {
        let place = primitive.place;
        let Ok(positions) = primitive.positions() else {
            self.lose(1);
            return Ok(());
        };
        self.left_out = self.left_out.saturating_add(welded.left_out);
        let Welded { corners, mut triangles, .. } = welded;
        if triangles.is_empty() {
            return Ok(());
        }
        let passing = VERTEX_BYTES.saturating_mul(corners.len() as u64);
        self.room.hold(passing)?;
        let moved = bake.map_or(Matrix::IDENTITY, |(_, matrix)| *matrix);
        if moved.mirrors() {
            triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        }
        let basis = self.basis;
        let position = |stored: Option<[f32; 3]>| {
            let stored = finite(stored.unwrap_or_default(), [0.0; 3]);
            finite(basis.point(moved.point(self.mirrored(stored))), [0.0; 3])
        };
        let points: Vec<[f32; 3]> =
            corners.iter().map(|corner| position(positions.array(corner.position as usize))).collect();
        // Like positions, morphs are absolute; glTF has the differences.
        let morphs = primitive.morphs().unwrap_or_default();
        let each = (corners.len() as u64).saturating_mul(size_of::<[f32; 3]>() as u64);
        let mut targets: Vec<Vec<[f32; 3]>> = Vec::new();
        for morph in &morphs {
            self.room.hold(each)?;
            self.room.work(each)?;
            let target = |corner: &Corner| position(morph.positions.array(corner.position as usize));
            let pairs = corners.iter().map(target).zip(&points);
            targets.push(pairs.map(|(target, point)| (Vec3::from(target) - Vec3::from(*point)).to_array()).collect());
        }
        let mut attributes = json!({});
        let normals = match primitive.normals() {
            Ok(Some(normals)) => {
                let turn = moved.normals();
                let stored = |corner: &Corner| normals.array(corner.normal as usize).unwrap_or_default();
                let normal = |corner| basis.direction(turn(self.mirrored(stored(corner))));
                Some(corners.iter().map(normal).collect())
            }
            Ok(None) if primitive.are_normals_smoothed() => {
                self.room.work((corners.len() as u64).saturating_mul(CORNER_WORK))?;
                Some(smooth_normals(&points, &triangles))
            }
            _ => None,
        };
        set(&mut attributes, "POSITION", self.glb.floats(&points, Use::Vertices, true)?);
        if let Some(mut list) = normals {
            upright(&mut list, &points, &triangles);
            set(&mut attributes, "NORMAL", self.glb.floats(&list, Use::Vertices, false)?);
        }
        let material = material(primitive, self.options.texture).unwrap_or_else(|_| {
            self.lose(1);
            None
        });
        // Changes of coordinates that the extension of glTF cannot express.
        let base = material.as_ref().and_then(|material| material.base());
        let change = base.filter(|texture| !super::material::is_expressible(&texture.transform));
        let mut uv_sets = 0_usize;
        for uv_set in 0..primitive.uv_sets().unwrap_or(0).min(8) {
            let Ok(Some(uvs)) = primitive.uvs(uv_set) else { break };
            // Some formats compute them anew for each primitive.
            self.room.work((uvs.len() as u64).saturating_mul(8))?;
            let change = change.filter(|texture| texture.uv_set == uv_set).map(|texture| texture.transform);
            let uv = |corner: &Corner| {
                let uv = uvs.array(corner.uv(uv_set) as usize).unwrap_or_default();
                finite(change.map_or(uv, |change| change.apply(uv)), [0.0; 2])
            };
            let list: Vec<[f32; 2]> = corners.iter().map(uv).collect();
            set(&mut attributes, &format!("TEXCOORD_{uv_set}"), self.glb.floats(&list, Use::Vertices, false)?);
            uv_sets = uv_sets.saturating_add(1);
        }
        if let Ok(Some(colors)) = primitive.colors() {
            let color = |corner: &Corner| colors.array(corner.position as usize).unwrap_or_default();
            let shown = |corner: &Corner| linear(finite(color(corner), [1.0; 4]).map(|part| part.clamp(0.0, 1.0)));
            let list: Vec<[f32; 4]> = corners.iter().map(shown).collect();
            // Colors that the material does not use are kept, but not shown.
            let is_shown = material.as_ref().is_some_and(|material| material.vertex_colors);
            let name = if is_shown { "COLOR_0" } else { "_COLOR" };
            set(&mut attributes, name, self.glb.floats(&list, Use::Vertices, false)?);
        }
        let (mut is_skinned, mut has_loose) = (false, false);
        if let Some((joints, given)) = skin.filter(|(joints, _)| !joints.are_too_many()) {
            // This covers all vertices of the mesh, for each of its primitives.
            self.room.work((positions.len() as u64).saturating_mul(CORNER_WORK))?;
            let own = if given.is_none() { primitive.to_weights().ok().flatten() } else { None };
            if let Some(weights) = given.or(own.as_ref()).filter(|_| !joints.bones.is_empty()) {
                let influences: usize = (0..weights.len()).map(|vertex| weights.of(vertex).len()).sum();
                self.room.work((influences as u64).saturating_mul(CORNER_WORK))?;
                let (numbers, shares) = joints.shares(weights, &corners);
                let end = joints.end();
                has_loose = joints.own().is_none() && numbers.iter().any(|joints| joints.contains(&end));
                is_skinned = true;
                set(&mut attributes, "JOINTS_0", self.glb.joints(&numbers, usize::from(end).saturating_add(1))?);
                set(&mut attributes, "WEIGHTS_0", self.glb.floats(&shares, Use::Vertices, false)?);
            }
        }
        let indices = self.glb.indices(&triangles, points.len())?;
        let mut json = json!({ "attributes": attributes, "indices": indices });
        let mut list = Vec::new();
        for target in &targets {
            list.push(json!({ "POSITION": self.glb.floats(target, Use::Vertices, true)? }));
        }
        if !list.is_empty() {
            set(&mut json, "targets", list);
        }
        let material = match material {
            Some(material) => self.material(&material, uv_sets)?,
            None => self.plain_material()?,
        };
        set(&mut json, "material", material);
        self.room.give(passing.saturating_add(each.saturating_mul(targets.len() as u64)));
        let name = |(index, morph): (usize, &Morph<'_>)| format!("{} {index}", self.name(morph.name)).trim().to_owned();
        let names: Vec<String> = morphs.iter().enumerate().map(name).collect();
        let node = bake.map(|(node, _)| node);
        // Only LODka3D has hidden parts in visible meshes.
        let hidden = self.format == Format::Lodka && !place.visible;
        let mesh = self.meshes.entry(Key { model: place.model, mesh: place.mesh, hidden, node }).or_default();
        mesh.primitives.push(json, self.room)?;
        mesh.is_skinned |= is_skinned;
        mesh.has_loose |= has_loose;
        mesh.targets = names;
        Ok(())
    }

    /// Returns the mesh of all primitives kept for it, written on first use. Returns `None` if none has triangles.
    pub(super) fn mesh(&mut self, key: &Key, name: &str) -> Result<Option<Made>> {
        let Some(Kept { primitives, is_skinned, has_loose, targets }) = self.meshes.remove(key) else {
            return Ok(self.made.get(key).copied());
        };
        let mut more = String::new();
        if !name.is_empty() {
            more += &format!(",\"name\":{}", Json::from(name));
        }
        if !targets.is_empty() {
            let (weights, names) = (vec![0; targets.len()], json!({ "targetNames": targets }));
            more += &format!(",\"weights\":{},\"extras\":{names}", json!(weights));
        }
        let mesh = self.glb.push("meshes", format_args!("{{\"primitives\":{primitives}{more}}}"))?;
        let made = Made { mesh, is_skinned, has_loose };
        self.made.insert(*key, made);
        Ok(Some(made))
    }
}

/// Normalizes all normals. A zero or invalid normal is replaced by that of its triangle.
fn upright(normals: &mut [[f32; 3]], points: &[[f32; 3]], triangles: &[[u32; 3]]) {
    let is_unit = |normal: &[f32; 3]| (Vec3::from(*normal).length() - 1.0).abs() < 1e-3;
    for triangle in triangles {
        let of = |vertex: u32| Vec3::from(points.get(vertex as usize).copied().unwrap_or_default());
        let [a, b, c] = triangle.map(of);
        let face = (b - a).cross(c - a).normalize_or(Vec3::Y);
        for vertex in triangle {
            if let Some(normal) = normals.get_mut(*vertex as usize).filter(|normal| !is_unit(normal)) {
                *normal = face.to_array();
            }
        }
    }
}
