//! What can be wrong with a scene, and the counts that fall out of looking.

use zerocopy::little_endian::F32;

use super::wire::ChunkHeader;
use super::{Animation, Bone, Keys, Mesh, Node, Part, Scene, Step, Triangles, Vertices};
use crate::error::{Context, Error, Result};
use crate::summary::Problems;
use crate::view::chunk::{Chunk, Tag};
use crate::view::{Color, Quat, Vec3};

/// The counts of a scene.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) textures: u64,
    pub(super) brushes: u64,
    pub(super) nodes: u64,
    pub(super) meshes: u64,
    pub(super) bones: u64,
    pub(super) vertices: u64,
    pub(super) triangles: u64,
    pub(super) weights: u64,
    pub(super) keys: u64,
    pub(super) animations: u64,
}

/// One walk over a scene: always its structure, on request every index and number too.
pub(super) struct Survey<'s, 'a> {
    scene: &'s Scene<'a>,
    deep: bool,
    problems: &'s mut Problems,
    counted: Counted,
    brushes_met: bool,
    /// What was met so far in each node around the current chunk.
    open_nodes: Vec<OpenNode>,
    mesh: OpenMesh,
}

#[derive(Default)]
struct OpenNode {
    index: usize,
    meshes: u32,
    bones: u32,
    animations: u32,
}

/// What was met so far in the current mesh.
#[derive(Default)]
struct OpenMesh {
    vertices_seen: bool,
    vertices: Option<usize>,
}

impl<'s, 'a> Survey<'s, 'a> {
    pub(super) fn new(scene: &'s Scene<'a>, deep: bool, problems: &'s mut Problems) -> Self {
        let (counted, brushes_met, open_nodes, mesh) = Default::default();
        Self { scene, deep, problems, counted, brushes_met, open_nodes, mesh }
    }

    pub(super) fn run(mut self) -> Counted {
        self.scene_itself();
        self.materials();
        for step in self.scene.walk() {
            match step {
                Ok(step) => self.step(&step),
                Err(error) => self.problems.error(&error),
            }
        }
        self.counted
    }

    fn scene_itself(&mut self) {
        let chunk = self.scene.chunk();
        self.problems.ok(chunk.whole().within("BB3D"));
        if self.scene.version() < 0 {
            self.warn(8, "version is negative");
        }
        let trailing = self.scene.trailing().len();
        if trailing > 0 {
            self.warn(chunk.bytes(), format!("{trailing} bytes behind the scene"));
        }
    }

    fn materials(&mut self) {
        for texture in self.scene.textures() {
            if let Some(texture) = self.problems.ok(texture) {
                self.counted.textures = self.counted.textures.saturating_add(1);
                let floats = texture.position.into_iter().chain(texture.scale).chain([texture.rotation]);
                self.finite(floats, texture.offset, || "texture placement".to_owned());
            }
        }
        for brush in self.scene.brushes() {
            let Some(brush) = self.problems.ok(brush) else { continue };
            let index = usize::try_from(self.counted.brushes).unwrap_or(usize::MAX);
            self.counted.brushes = self.counted.brushes.saturating_add(1);
            if index == 0 && brush.texture_ids.len() > 8 {
                self.warn(brush.offset, format!("{} textures a brush, Blitz3D has 8", brush.texture_ids.len()));
            }
            if self.deep {
                for id in brush.texture_ids {
                    self.reference("texture", id.get(), self.counted.textures, brush.offset, ("brushes", index));
                }
                let floats = brush.color.into_iter().chain([brush.shininess]);
                self.finite(floats, brush.offset, || "brush color".to_owned());
            }
        }
    }

    #[inline(always)]
    fn step(&mut self, step: &Step<'a>) {
        let Step { chunk, part, node, .. } = step;
        // What a part cannot be read for is told with the node it lies in.
        let place = |error: Error| match node {
            Some(node) => error.within_item("nodes", *node),
            None => error,
        };
        match part {
            Part::Textures | Part::Brushes => {
                self.cut(chunk, place);
                let late = match part {
                    Part::Textures => self.brushes_met || self.counted.nodes > 0,
                    _ => self.counted.nodes > 0,
                };
                self.brushes_met |= matches!(part, Part::Brushes);
                if late {
                    self.warn(chunk.offset(), format!("{} behind what refers to it", chunk.tag()));
                }
            }
            Part::Node(node) => {
                self.cut(chunk, place);
                self.node(node);
            }
            Part::Mesh(mesh) => {
                self.cut(chunk, place);
                self.mesh(mesh, *node);
            }
            Part::Vertices(_) => {
                let vertices = Vertices::parse(chunk).within("vertices").within("mesh").map_err(place);
                if std::mem::replace(&mut self.mesh.vertices_seen, true) {
                    self.problems.error(&place(Error::malformed("a second VRTS in one mesh").at(chunk.offset())));
                }
                if let Some(vertices) = self.problems.ok(vertices) {
                    self.counted.vertices = self.counted.vertices.saturating_add(vertices.len() as u64);
                    self.vertices(&vertices);
                }
            }
            Part::Triangles(mesh) => {
                if !self.mesh.vertices_seen && self.mesh.vertices.is_some() {
                    self.warn(chunk.offset(), "TRIS before the VRTS of its mesh");
                }
                let triangles = Triangles::parse(chunk, mesh.brush_id());
                if let Some(triangles) = self.problems.ok(triangles.within("triangles").within("mesh").map_err(place)) {
                    self.counted.triangles = self.counted.triangles.saturating_add(triangles.indices.len() as u64);
                    self.triangles(&triangles, chunk, *node);
                }
            }
            Part::Bone(mesh) => {
                self.counted.bones = self.counted.bones.saturating_add(1);
                self.only_one(chunk, *node, |open| &mut open.bones);
                if let Some(bone) = self.problems.ok(Bone::parse(chunk, *mesh).within("bone").map_err(place)) {
                    self.counted.weights = self.counted.weights.saturating_add(bone.weights.len() as u64);
                    self.bone(&bone, *node);
                }
            }
            Part::Keys => {
                if let Some(keys) = self.problems.ok(Keys::parse(chunk).within("keys").map_err(place)) {
                    self.counted.keys = self.counted.keys.saturating_add(keys.len() as u64);
                    self.keys(&keys);
                }
            }
            Part::Animation => {
                self.counted.animations = self.counted.animations.saturating_add(1);
                self.only_one(chunk, *node, |open| &mut open.animations);
                if let Some(animation) = self.problems.ok(Animation::parse(chunk).within("animation").map_err(place)) {
                    self.finite([animation.fps], chunk.offset(), || "animation rate".to_owned());
                }
            }
            Part::Unknown => {
                self.cut(chunk, place);
                let known = [b"TEXS", b"BRUS", b"NODE", b"MESH", b"VRTS", b"TRIS", b"BONE", b"KEYS", b"ANIM"];
                if known.iter().any(|tag| chunk.tag() == Tag(**tag)) {
                    self.warn(chunk.offset(), format!("{} does not belong here", chunk.tag()));
                }
            }
        }
    }

    fn node(&mut self, node: &Node<'a>) {
        self.counted.nodes = self.counted.nodes.saturating_add(1);
        self.open_nodes.truncate(node.depth as usize);
        self.open_nodes.push(OpenNode { index: node.index, ..OpenNode::default() });
        if self.deep {
            let floats = node.position().into_iter().chain(node.scale()).chain(node.rotation());
            let offset = node.chunk().offset();
            self.finite(floats, offset, || format!("nodes[{}]: transform", node.index));
            if node.rotation() == [0.0; 4] {
                self.warn(offset, format!("nodes[{}]: rotation of length 0", node.index));
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh<'a>, node: Option<usize>) {
        self.counted.meshes = self.counted.meshes.saturating_add(1);
        self.only_one(&mesh.chunk(), node, |open| &mut open.meshes);
        self.mesh = OpenMesh { vertices_seen: false, vertices: mesh.vertices().ok().map(|vertices| vertices.len()) };
        if mesh.vertices_chunk().is_none() {
            let error = Error::malformed("mesh without a VRTS chunk").at(mesh.chunk().offset());
            self.problems.error(&error.within_item("nodes", node.unwrap_or(0)));
        }
        if self.deep {
            let place = ("nodes", node.unwrap_or(0));
            self.reference("brush", mesh.brush_id(), self.counted.brushes, mesh.chunk().body().offset(), place);
        }
    }

    fn vertices(&mut self, vertices: &Vertices<'a>) {
        if !self.deep {
            return;
        }
        let offset = vertices.positions().offset();
        let of = |column: &str| format!("vertices: {column}");
        self.finite(vertices.positions().iter().flat_map(Vec3::to_array), offset, || of("position"));
        let normals = vertices.normals().into_iter().flat_map(|normals| normals.iter());
        self.finite(normals.flat_map(Vec3::to_array), offset, || of("normal"));
        let colors = vertices.colors().into_iter().flat_map(|colors| colors.iter());
        self.finite(colors.flat_map(Color::to_array), offset, || of("color"));
        for set in (0..vertices.sets()).filter_map(|set| vertices.tex_coords(set)) {
            self.finite(set.iter().flatten().map(|f| f.get()), offset, || of("texture coordinate"));
        }
    }

    fn triangles(&mut self, triangles: &Triangles<'a>, chunk: &Chunk<'a, ChunkHeader>, node: Option<usize>) {
        if !self.deep {
            return;
        }
        let place = ("nodes", node.unwrap_or(0));
        self.reference("brush", triangles.brush_id, self.counted.brushes, chunk.body().offset(), place);
        let Some(count) = self.mesh.vertices else { return };
        let ids = triangles.indices.iter().flat_map(|triangle| triangle.vertices).map(|id| id.get());
        self.vertex_ids(ids, count, triangles.indices.offset(), 4, "triangles", place);
    }

    fn bone(&mut self, bone: &Bone<'a>, node: Option<usize>) {
        if !self.deep {
            return;
        }
        let place = ("nodes", node.unwrap_or(0));
        let offset = bone.weights.offset();
        self.finite(bone.weights.iter().map(|weight| weight.weight.get()), offset, || "bone weight".to_owned());
        match bone.mesh() {
            Some(mesh) => {
                // A mesh whose vertices are unreadable has been told of already.
                if let Ok(vertices) = mesh.vertices() {
                    let ids = bone.weights.iter().map(|weight| weight.vertex.get());
                    self.vertex_ids(ids, vertices.len(), offset, 8, "bone", place);
                }
            }
            None if bone.weights.is_empty() => {}
            None => {
                let error = Error::malformed("weights without a mesh at or above the bone").at(offset);
                self.problems.error(&error.within("bone").within_item(place.0, place.1));
            }
        }
    }

    fn keys(&mut self, keys: &Keys<'a>) {
        if !self.deep {
            return;
        }
        let offset = keys.frames().offset();
        let vectors = [keys.positions(), keys.scales()].into_iter().flatten();
        let of = || "animation key".to_owned();
        self.finite(vectors.flat_map(|column| column.iter()).flat_map(Vec3::to_array), offset, of);
        let rotations = keys.rotations().into_iter().flat_map(|column| column.iter());
        self.finite(rotations.clone().flat_map(Quat::to_array), offset, of);
        let zero = Quat { w: F32::ZERO, x: F32::ZERO, y: F32::ZERO, z: F32::ZERO };
        if rotations.clone().any(|rotation| rotation == &zero) {
            self.warn(offset, "animation key: rotation of length 0");
        }
    }

    /// Ids outside the mesh's vertices: one problem for the array, at the first.
    fn vertex_ids(
        &mut self,
        ids: impl Iterator<Item = i32>,
        count: usize,
        offset: u64,
        step: u64,
        part: &'static str,
        place: (&'static str, usize),
    ) {
        let outside = |id: i32| usize::try_from(id).is_ok_and(|id| id < count);
        let mut bad = ids.enumerate().filter(|(_, id)| !outside(*id));
        if let Some((at, id)) = bad.next() {
            let more = match bad.count() {
                0 => String::new(),
                more => format!(", and {more} more ids too"),
            };
            let message = format!("vertex id {id} outside the {count} vertices{more}");
            let error = Error::malformed(message).at(offset.saturating_add(step.saturating_mul(at as u64)));
            self.problems.error(&error.within(part).within_item(place.0, place.1));
        }
    }

    /// A number that stands for an item of a list, or -1 for none.
    fn reference(&mut self, what: &str, id: i32, count: u64, offset: u64, place: (&'static str, usize)) {
        let error = |message: String| Error::malformed(message).at(offset).within_item(place.0, place.1);
        if id < -1 {
            self.problems.warning(&error(format!("{what} id {id}, -1 is none")));
        } else if u64::try_from(id).is_ok_and(|id| id >= count) {
            self.problems.error(&error(format!("{what} id {id}, there are {count}")));
        }
    }

    /// A chunk that a node should have once.
    fn only_one(
        &mut self,
        chunk: &Chunk<'a, ChunkHeader>,
        node: Option<usize>,
        count: impl Fn(&mut OpenNode) -> &mut u32,
    ) {
        while self.open_nodes.last().is_some_and(|open| Some(open.index) != node) {
            self.open_nodes.pop();
        }
        let Some(open) = self.open_nodes.last_mut() else { return };
        let seen = count(open);
        *seen = seen.saturating_add(1);
        let again = *seen > 1;
        let both = open.meshes > 0 && open.bones > 0 && chunk.tag() != Tag(*b"ANIM");
        if again {
            self.warn(chunk.offset(), format!("a second {} in one node", chunk.tag()));
        } else if both {
            self.warn(chunk.offset(), "MESH and BONE in one node");
        }
    }

    /// A chunk that claims more than the chunk around it holds; not told again where the whole file is cut there.
    fn cut(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: impl Fn(Error) -> Error) {
        let file_is_cut = self.scene.chunk().missing() > 0;
        let to_the_end = chunk.offset().saturating_add(chunk.bytes()) == self.scene.data.len() as u64;
        if !(file_is_cut && to_the_end) {
            let whole: Result<_> = chunk.whole();
            if let Err(error) = whole {
                self.problems.error(&place(error));
            }
        }
    }

    fn finite(&mut self, floats: impl IntoIterator<Item = f32>, offset: u64, what: impl Fn() -> String) {
        if self.deep && floats.into_iter().any(|float| !float.is_finite()) {
            self.warn(offset, format!("{} that is no finite number", what()));
        }
    }

    fn warn(&mut self, offset: u64, message: impl Into<std::borrow::Cow<'static, str>>) {
        self.problems.warning(&Error::malformed(message).at(offset));
    }
}
