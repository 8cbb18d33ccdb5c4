//! What can be wrong with a scene, and the counts that fall out of looking.

use std::collections::BTreeMap;
use std::fmt;

use super::wire::ChunkHeader;
use super::{Animation, Bone, Keys, Mesh, Node, Part, Scene, Step, Triangles, Vertices};
use crate::check::{self, Check, Finite, Index, Length, Numbers, Rows, Rule, Unit};
use crate::error::{Context, Error, Result};
use crate::summary::{Code, Problems, Severity};
use crate::view::chunk::{Chunk, Tag};
use crate::view::{Strided, Vec3};

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
    deep: Option<Box<Deep>>,
    problems: &'s mut Problems,
    counted: Counted,
    brushes_met: bool,
    /// What was met so far in each node around the current chunk.
    open_nodes: Vec<OpenNode>,
    mesh: OpenMesh,
}

/// What only a deep survey keeps.
struct Deep {
    transforms: Check<Finite<10>>,
    rotations: Check<Unit>,
    /// How many lists of keys each node had so far.
    keys: BTreeMap<usize, usize>,
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
        let deep = deep.then(|| {
            let (transforms, rotations) = (Check::new(Finite), Check::new(Unit::Quaternion));
            Box::new(Deep { transforms, rotations, keys: BTreeMap::new() })
        });
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
        if let Some(deep) = self.deep {
            deep.transforms.tell("transforms", self.problems, |error| error.within("nodes"));
            deep.rotations.tell("rotations", self.problems, |error| error.within("nodes"));
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
            self.warn(chunk.bytes(), format_args!("{trailing} bytes after the scene"));
        }
    }

    fn materials(&mut self) {
        for texture in self.scene.textures() {
            if self.problems.ok(texture).is_some() {
                self.counted.textures = self.counted.textures.saturating_add(1);
            }
        }
        for brush in self.scene.brushes() {
            let Some(brush) = self.problems.ok(brush) else { continue };
            let layers = brush.texture_ids.len();
            if self.counted.brushes == 0 && layers > 8 {
                self.warn(brush.offset, format_args!("{layers} textures a brush, Blitz3D has 8"));
            }
            self.counted.brushes = self.counted.brushes.saturating_add(1);
        }
        if self.deep.is_some() {
            self.material_numbers();
        }
    }

    /// Those of the textures and brushes that can be read.
    #[inline(never)]
    fn material_numbers(&mut self) {
        let mut placements = Check::new(Finite);
        for texture in self.scene.textures().flatten() {
            let ([x, y], [width, height]) = (texture.position, texture.scale);
            placements.next(texture.offset, Numbers([x, y, width, height, texture.rotation]));
        }
        placements.tell("placements", self.problems, |error| error.within("textures"));
        let mut colors = Check::new(Finite);
        let mut ids = References::new(self.counted.textures);
        for (index, brush) in self.scene.brushes().flatten().enumerate() {
            ids.list(("brushes", index), &brush.texture_ids, brush.texture_ids.iter().map(|id| id.get()));
            let [r, g, b, a] = brush.color;
            colors.next(brush.offset, Numbers([r, g, b, a, brush.shininess]));
        }
        colors.tell("colors", self.problems, |error| error.within("brushes"));
        ids.tell("texture ids", self.problems, |error| error.within("brushes"));
    }

    #[inline(always)]
    fn step(&mut self, step: &Step<'a>) {
        let Step { chunk, part, node, .. } = step;
        // What a part cannot be read for is told with the node it lies in.
        let place = |error: Error| in_node(*node, error);
        match part {
            Part::Textures | Part::Brushes => {
                self.cut(chunk, place);
                let late = match part {
                    Part::Textures => self.brushes_met || self.counted.nodes > 0,
                    _ => self.counted.nodes > 0,
                };
                self.brushes_met |= matches!(part, Part::Brushes);
                if late {
                    self.warn(chunk.offset(), format_args!("{} after what refers to it", chunk.tag()));
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
                    if self.deep.is_some() {
                        self.vertices(&vertices, *node);
                    }
                }
            }
            Part::Triangles(mesh) => {
                if !self.mesh.vertices_seen && self.mesh.vertices.is_some() {
                    self.warn(chunk.offset(), "TRIS before the VRTS of its mesh");
                }
                let triangles = Triangles::parse(chunk, mesh.brush_id());
                if let Some(triangles) = self.problems.ok(triangles.within("triangles").within("mesh").map_err(place)) {
                    self.counted.triangles = self.counted.triangles.saturating_add(triangles.indices.len() as u64);
                    if self.deep.is_some() {
                        self.triangles(&triangles, chunk, *node);
                    }
                }
            }
            Part::Bone(mesh) => {
                self.counted.bones = self.counted.bones.saturating_add(1);
                self.only_one(chunk, *node, |open| &mut open.bones);
                if let Some(bone) = self.problems.ok(Bone::parse(chunk, *mesh).within("bone").map_err(place)) {
                    self.counted.weights = self.counted.weights.saturating_add(bone.weights.len() as u64);
                    if self.deep.is_some() {
                        self.bone(&bone, *node);
                    }
                }
            }
            Part::Keys => {
                if let Some(keys) = self.problems.ok(Keys::parse(chunk).within("keys").map_err(place)) {
                    self.counted.keys = self.counted.keys.saturating_add(keys.len() as u64);
                    if self.deep.is_some() {
                        self.keys(&keys, *node);
                    }
                }
            }
            Part::Animation => {
                self.counted.animations = self.counted.animations.saturating_add(1);
                self.only_one(chunk, *node, |open| &mut open.animations);
                let animation = Animation::parse(chunk).within("animation").map_err(place);
                if let Some(animation) = self.problems.ok(animation)
                    && self.deep.is_some()
                {
                    check::one(Finite, Numbers([animation.fps]), chunk.offset(), self.problems, |error| {
                        place(error.within("fps").within("animation"))
                    });
                }
            }
            Part::Unknown => {
                self.cut(chunk, place);
                let known = [b"TEXS", b"BRUS", b"NODE", b"MESH", b"VRTS", b"TRIS", b"BONE", b"KEYS", b"ANIM"];
                if known.iter().any(|tag| chunk.tag() == Tag(**tag)) {
                    self.warn(chunk.offset(), format_args!("{} does not belong here", chunk.tag()));
                }
            }
        }
    }

    fn node(&mut self, node: &Node<'a>) {
        self.counted.nodes = self.counted.nodes.saturating_add(1);
        self.open_nodes.truncate(node.depth as usize);
        self.open_nodes.push(OpenNode { index: node.index, ..OpenNode::default() });
        if let Some(deep) = &mut self.deep {
            let offset = node.chunk().offset();
            let ([x, y, z], [width, height, depth], [a, b, c, d]) = (node.position(), node.scale(), node.rotation());
            deep.transforms.next(offset, Numbers([x, y, z, width, height, depth, a, b, c, d]));
            deep.rotations.next(offset, Length::of(node.rotation()));
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
        if self.deep.is_some() {
            let offset = mesh.chunk().body().offset();
            self.brush(mesh.brush_id(), offset, |error| in_node(node, error.within("mesh")));
        }
    }

    #[inline(never)]
    fn vertices(&mut self, vertices: &Vertices<'a>, node: Option<usize>) {
        let place = |error: Error| in_node(node, error.within("vertices").within("mesh"));
        self.finite(&vertices.positions(), "positions", place);
        if let Some(normals) = vertices.normals() {
            self.finite(&normals, "normals", place);
            let lengths = normals.iter().map(|normal| Length::of(normal.to_array()));
            Check::new(Unit::Direction).array(&normals, lengths).tell("normals", self.problems, place);
        }
        if let Some(colors) = vertices.colors() {
            let values = colors.iter().map(|color| Numbers(color.to_array()));
            Check::new(Finite).array(&colors, values).tell("colors", self.problems, place);
        }
        for (number, set) in (0..vertices.sets()).filter_map(|set| Some((set, vertices.tex_coords(set)?))) {
            let offset = vertices.positions().offset();
            let numbers = set.iter().flatten().map(|number| Numbers([number.get()]));
            let check = Check::new(Finite).array(offset, numbers);
            check.tell("numbers", self.problems, |error| place(error.within_item("tex_coords", number)));
        }
    }

    fn finite(&mut self, vectors: &Strided<'a, Vec3>, what: &str, place: impl Fn(Error) -> Error) {
        let values = vectors.iter().map(|vector| Numbers(vector.to_array()));
        Check::new(Finite).array(vectors, values).tell(what, self.problems, place);
    }

    #[inline(never)]
    fn triangles(&mut self, triangles: &Triangles<'a>, chunk: &Chunk<'a, ChunkHeader>, node: Option<usize>) {
        let place = |error: Error| in_node(node, error.within("triangles").within("mesh"));
        self.brush(triangles.brush_id, chunk.body().offset(), place);
        let Some(count) = self.mesh.vertices else { return };
        let ids = triangles.indices.iter().flat_map(|triangle| triangle.vertices).map(|id| id.get().into());
        let check = Check::new(Index(count as u64)).array(Rows::new(triangles.indices.offset(), 4), ids);
        check.tell("vertex ids", self.problems, place);
    }

    #[inline(never)]
    fn bone(&mut self, bone: &Bone<'a>, node: Option<usize>) {
        let place = |error: Error| in_node(node, error.within("bone"));
        let weights = bone.weights.iter().map(|weight| Numbers([weight.weight.get()]));
        Check::new(Finite).array(&bone.weights, weights).tell("weights", self.problems, place);
        match bone.mesh() {
            Some(mesh) => {
                // A mesh whose vertices are unreadable has been told of already.
                if let Ok(vertices) = mesh.vertices() {
                    let ids = bone.weights.iter().map(|weight| weight.vertex.get().into());
                    let check = Check::new(Index(vertices.len() as u64)).array(&bone.weights, ids);
                    check.tell("vertex ids", self.problems, place);
                }
            }
            None if bone.weights.is_empty() => {}
            None => self.problems.tell(Severity::Error, || {
                let error = Error::malformed("weights without a mesh at or above the bone");
                place(error.at(bone.weights.offset()))
            }),
        }
    }

    #[inline(never)]
    fn keys(&mut self, keys: &Keys<'a>, node: Option<usize>) {
        let number = self.deep.as_mut().zip(node).map_or(0, |(deep, node)| {
            let count = deep.keys.entry(node).or_default();
            std::mem::replace(count, count.saturating_add(1))
        });
        let place = |error: Error| in_node(node, error.within_item("keys", number));
        for (column, what) in [(keys.positions(), "positions"), (keys.scales(), "scales")] {
            if let Some(column) = column {
                self.finite(&column, what, place);
            }
        }
        if let Some(rotations) = keys.rotations() {
            let values = rotations.iter().map(|rotation| Numbers(rotation.to_array()));
            Check::new(Finite).array(&rotations, values).tell("rotations", self.problems, place);
            let lengths = rotations.iter().map(|rotation| Length::of(rotation.to_array()));
            Check::new(Unit::Quaternion).array(&rotations, lengths).tell("rotations", self.problems, place);
        }
    }

    #[inline(never)]
    fn brush(&mut self, id: i32, offset: u64, place: impl Fn(Error) -> Error) {
        let mut ids = References::new(self.counted.brushes);
        ids.one(id, offset);
        ids.tell("", self.problems, |error| place(error.within("brush_id")));
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
            self.warn(chunk.offset(), format_args!("a second {} in one node", chunk.tag()));
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

    #[cold]
    fn warn(&mut self, offset: u64, message: impl fmt::Display) {
        self.problems.tell(Severity::Warning, || Error::malformed(message.to_string()).at(offset));
    }
}

fn in_node(node: Option<usize>, error: Error) -> Error {
    match node {
        Some(node) => error.within_item("nodes", node),
        None => error,
    }
}

/// Numbers that stand for items of a list, or -1 for none.
struct References {
    known: Check<Known>,
    none: Check<NoneIsMinusOne>,
}

impl References {
    fn new(count: u64) -> Self {
        Self { known: Check::new(Known(count)), none: Check::new(NoneIsMinusOne) }
    }

    fn list(
        &mut self,
        list: (&'static str, usize),
        rows: impl Into<Rows> + Copy,
        ids: impl Iterator<Item = i32> + Clone,
    ) {
        self.known.list(list, rows, ids.clone());
        self.none.list(list, rows, ids);
    }

    fn one(&mut self, id: i32, offset: u64) {
        self.known.next(offset, id);
        self.none.next(offset, id);
    }

    fn tell(self, what: &str, problems: &mut Problems, place: impl Fn(Error) -> Error) {
        self.known.tell(what, problems, &place);
        self.none.tell(what, problems, place);
    }
}

/// One of so many items, or none.
struct Known(u64);

impl Rule for Known {
    type Value = i32;

    fn code(&self) -> Code {
        Code::Range
    }

    #[inline]
    fn holds(&self, id: i32) -> bool {
        u64::try_from(id).map_or(true, |id| id < self.0)
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not below {}", self.0)
    }
}

/// What is negative stands for none, and is -1.
struct NoneIsMinusOne;

impl Rule for NoneIsMinusOne {
    type Value = i32;

    fn code(&self) -> Code {
        Code::OddRange
    }

    #[inline]
    fn holds(&self, id: i32) -> bool {
        id >= -1
    }
}

impl fmt::Display for NoneIsMinusOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("below -1, which is none")
    }
}
