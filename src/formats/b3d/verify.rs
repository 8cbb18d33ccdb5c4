//! Checks scenes, and counts their parts on the way.
//!
//! Not reported: a MESH without TRIS (14 of 1,005 real files have none); keys outside the frames of their ANIM, and 0
//! frames per second, which are common; normals that are not of length 1, because the writers of 129 of 506 files scale
//! them.

use std::fmt;

use super::walk::{Walk, in_node};
use super::wire::ChunkHeader;
use super::{Animation, Bone, ChunkKind, Keys, Mesh, Scene, Sequence, Step, Triangles, Vertices};
use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::stop;
use crate::bytes::chunk::{Chunk, Header as _, Tag};
use crate::bytes::{Color, Element, Quat, Strided, Vec3};
use crate::check::{self, Check, Facing, Finite, Index, Length, Numbers, Rows, Unit, UnitRange, rules};
use crate::inspect::{Depth, Inspect as _};
use crate::outline::{Silent, next};
use crate::summary::{self, Problems, ReferenceKind, Severity, counted};

/// The version that the spec describes.
const VERSION: i32 = 1;

counted! {
    textures,
    brushes,
    nodes inside,
    meshes inside,
    surfaces inside,
    bones inside,
    vertices inside,
    triangles inside,
    weights inside,
    keys inside,
    animations inside,
}

/// One walk over a scene. Depending on the depth, it reads only the materials, all chunks, or all indices and numbers
/// too.
pub(super) struct Survey<'s, 'a> {
    scene: &'s Scene<'a>,
    depth: Depth,
    problems: &'s mut Problems,
    counted: Counted,
    /// The number of TEXS, BRUS and NODE chunks directly below BB3D.
    at_root: [u32; 3],
    /// The chunks found so far in each node that contains the current chunk.
    open_nodes: Vec<OpenNode>,
    /// The number of BONE chunks without an ANIM in their node or an ancestor, and the offset of the first.
    unanimated: (u64, u64),
    mesh: OpenMesh<'a>,
}

#[derive(Default)]
struct OpenNode {
    meshes: u32,
    bones: u32,
    animations: u32,
    /// The number of lists of keys; then that of sequences.
    keys: usize,
    sequences: usize,
    /// The number of BONE chunks in it and below it without an ANIM so far, and the offset of the first.
    unanimated: (u64, u64),
}

/// The data found so far in the current mesh.
#[derive(Default)]
struct OpenMesh<'a> {
    index: usize,
    vertices_seen: bool,
    vertices: Option<Vertices<'a>>,
    triangle_lists: usize,
    facing: Facing,
}

impl<'s, 'a> Survey<'s, 'a> {
    pub(super) fn new(scene: &'s Scene<'a>, depth: Depth, problems: &'s mut Problems) -> Self {
        let (counted, at_root, open_nodes, unanimated, mesh) = Default::default();
        Self { scene, depth, problems, counted, at_root, open_nodes, unanimated, mesh }
    }

    pub(super) fn run(mut self, named: &mut summary::References) -> Counted {
        self.scene_itself();
        self.materials(named);
        if self.depth == Depth::Header {
            return self.counted;
        }
        let mut walk = self.scene.walk();
        while let Some(step) = &next_step(&mut walk) {
            match step {
                Ok(step) => self.step(step),
                Err(error) => self.problems.error(error),
            }
        }
        self.leave(0);
        self.facing();
        if self.is_deep() {
            if let (bones @ 1.., first) = self.unanimated {
                let message = format!("{} of {} BONE without an ANIM around", bones, self.counted.bones);
                self.problems.warning(&Error::malformed(message).at(first).within("bones"));
            }
            let about = (self.scene.data.size(), &self.scene.limits);
            check::fields(about, false, self.problems, |out| self.scene.dissect(out));
        }
        self.counted
    }

    /// Returns true if it reads all indices and numbers.
    fn is_deep(&self) -> bool {
        self.depth == Depth::Verify
    }

    fn scene_itself(&mut self) {
        let (claimed, size) = (u64::from(self.scene.header.byte_len_hint()), self.scene.data.size());
        let left = size.saturating_sub(super::BODY);
        if claimed > left {
            self.problems.error(&Error::truncated(claimed, left).at(super::BODY).within("length"));
        }
        let version = self.scene.version();
        if version < 0 {
            self.warn(8, "version is negative");
        } else if version > VERSION {
            self.warn(8, format_args!("version {version} is newer than {VERSION}"));
        }
        let end = self.scene.end();
        if end < size {
            self.problems.warning(&Error::trailing(size.saturating_sub(end), "the scene").at(end));
        }
    }

    fn materials(&mut self, named: &mut summary::References) {
        for texture in self.scene.textures() {
            if let Some(texture) = self.problems.ok(texture) {
                named.add(ReferenceKind::Texture, texture.name);
                self.counted.textures = self.counted.textures.saturating_add(1);
            }
        }
        let (mut known, mut none) = (Check::new(Known(self.counted.textures)), Check::new(NoneIsMinusOne));
        let (mut brushes, mut index) = (self.scene.brushes(), 0);
        while let Some(read) = brushes.walk(&mut Silent) {
            let Some((offset, brush)) = self.problems.ok(read) else { continue };
            let layers = brush.texture_ids.len();
            if self.counted.brushes == 0 && layers > 8 {
                self.warn(offset, format_args!("{layers} textures a brush, Blitz3D has 8"));
            }
            self.counted.brushes = self.counted.brushes.saturating_add(1);
            if self.is_deep() {
                // Textures and brushes that cannot be read are not counted.
                let list = ("brushes", next(&mut index));
                let ids = brush.texture_ids.iter().map(|id| id.get());
                known.list(list, &brush.texture_ids, ids.clone());
                none.list(list, &brush.texture_ids, ids);
            }
        }
        let place = |error: Error| error.within("brushes");
        known.report("texture ids", self.problems, place);
        none.report("texture ids", self.problems, place);
    }

    #[inline(always)]
    fn step(&mut self, step: &Step<'a>) {
        let Step { chunk, part, node, depth } = step;
        self.leave(depth.saturating_sub(1) as usize);
        // Adds the node that contains the chunk to an error.
        let place = |error: Error| in_node(error, *node);
        match part {
            ChunkKind::Textures | ChunkKind::Brushes => {
                self.truncated(chunk, place);
                let is_brushes = matches!(part, ChunkKind::Brushes);
                let [_, brushes, _] = self.at_root;
                if self.counted.nodes > 0 || (brushes > 0 && !is_brushes) {
                    self.warn(chunk.offset(), format_args!("{} after what refers to it", chunk.tag()));
                }
                self.once_at_root(chunk, is_brushes.into());
            }
            ChunkKind::Node(_) => {
                self.truncated(chunk, place);
                if *depth == 1 {
                    self.once_at_root(chunk, 2);
                }
                self.counted.nodes = self.counted.nodes.saturating_add(1);
                self.open_nodes.push(OpenNode::default());
            }
            ChunkKind::Mesh(mesh) => {
                self.truncated(chunk, place);
                self.mesh(mesh);
            }
            ChunkKind::Vertices(_) => {
                let index = self.mesh.index;
                let place = |error: Error| error.within("vertices").within_item("meshes", index);
                if std::mem::replace(&mut self.mesh.vertices_seen, true) {
                    self.problems.error(&place(Error::malformed("a second VRTS in one mesh").at(chunk.offset())));
                }
                if let Some(vertices) = self.problems.ok(Vertices::parse(chunk).map_err(place)) {
                    self.counted.vertices = self.counted.vertices.saturating_add(vertices.len() as u64);
                    if self.is_deep() {
                        self.vertices(&vertices);
                    }
                }
            }
            ChunkKind::Triangles(mesh) => {
                if !self.mesh.vertices_seen && self.mesh.vertices.is_some() {
                    self.warn(chunk.offset(), "TRIS before the VRTS of its mesh");
                }
                let index = next(&mut self.mesh.triangle_lists);
                let mesh_index = self.mesh.index;
                let place = |error: Error| error.within_item("triangles", index).within_item("meshes", mesh_index);
                self.counted.surfaces = self.counted.surfaces.saturating_add(1);
                if let Some(triangles) = self.problems.ok(Triangles::parse(chunk, mesh.brush_id).map_err(place)) {
                    self.counted.triangles = self.counted.triangles.saturating_add(triangles.indices.len() as u64);
                    if self.is_deep() {
                        self.triangles(&triangles, chunk, place);
                    }
                }
            }
            ChunkKind::Bone(mesh) => {
                let index = usize::try_from(self.counted.bones).unwrap_or(usize::MAX);
                let place = |error: Error| error.within_item("bones", index);
                self.counted.bones = self.counted.bones.saturating_add(1);
                self.only_one(chunk, |open| &mut open.bones);
                if let Some(open) = self.open_nodes.last_mut() {
                    add(&mut open.unanimated, (1, chunk.offset()));
                }
                if let Some(bone) = self.problems.ok(Bone::parse(chunk, *mesh).map_err(place)) {
                    self.counted.weights = self.counted.weights.saturating_add(bone.weights.len() as u64);
                    if self.is_deep() {
                        self.bone(&bone, place);
                    }
                }
            }
            ChunkKind::Keys => {
                let index = self.open_nodes.last_mut().map_or(0, |open| next(&mut open.keys));
                let place = |error: Error| place(error.within_item("keys", index));
                if let Some(keys) = self.problems.ok(Keys::parse(chunk).map_err(place)) {
                    self.counted.keys = self.counted.keys.saturating_add(keys.len() as u64);
                    if self.is_deep() {
                        self.keys(&keys, place);
                    }
                }
            }
            ChunkKind::Animation => {
                self.counted.animations = self.counted.animations.saturating_add(1);
                self.only_one(chunk, |open| &mut open.animations);
                let place = |error: Error| place(error.within("animation"));
                self.problems.ok(Animation::parse(chunk).map_err(place));
            }
            ChunkKind::Sequence => {
                let index = self.open_nodes.last_mut().map_or(0, |open| next(&mut open.sequences));
                self.problems.ok(Sequence::parse(chunk).within_item("sequences", index).map_err(place));
            }
            ChunkKind::Pivot => self.truncated(chunk, place),
            ChunkKind::Unknown => {
                self.truncated(chunk, place);
                let known =
                    [b"TEXS", b"BRUS", b"NODE", b"MESH", b"VRTS", b"TRIS", b"BONE", b"KEYS", b"ANIM", b"SEQS", b"PIVO"];
                if known.iter().any(|tag| chunk.tag() == Tag(**tag)) {
                    self.warn(chunk.offset(), format_args!("{} does not belong here", chunk.tag()));
                }
            }
        }
    }

    /// Warns at the second chunk of a kind that BB3D should contain once.
    fn once_at_root(&mut self, chunk: &Chunk<'a, ChunkHeader>, kind: usize) {
        let Some(count) = self.at_root.get_mut(kind) else { return };
        *count = count.saturating_add(1);
        if *count == 2 && self.is_deep() {
            self.warn(chunk.offset(), format_args!("a second {} right below BB3D", chunk.tag()));
        }
    }

    /// Ends open nodes until only `depth` are left.
    fn leave(&mut self, depth: usize) {
        while self.open_nodes.len() > depth {
            let Some(open) = self.open_nodes.pop() else { return };
            if open.animations == 0 {
                let above = self.open_nodes.last_mut().map_or(&mut self.unanimated, |above| &mut above.unanimated);
                add(above, open.unanimated);
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh<'a>) {
        self.facing();
        let index = usize::try_from(self.counted.meshes).unwrap_or(usize::MAX);
        self.counted.meshes = self.counted.meshes.saturating_add(1);
        self.only_one(&mesh.chunk, |open| &mut open.meshes);
        self.mesh = OpenMesh { index, vertices: mesh.vertices().ok(), ..OpenMesh::default() };
        if let Err(error) = mesh.vertices_chunk() {
            self.problems.error(&error.within_item("meshes", index));
        }
        if self.is_deep() {
            let offset = mesh.chunk.body().offset();
            self.brush(mesh.brush_id, offset, |error| error.within_item("meshes", index));
        }
    }

    #[inline(never)]
    fn vertices(&mut self, vertices: &Vertices<'a>) {
        let index = self.mesh.index;
        let place = |error: Error| error.within_item("meshes", index);
        self.finite("vectors", &vertices.positions(), Vec3::to_array, |error| place(error.within("positions")));
        if let Some(normals) = vertices.normals() {
            self.finite("vectors", &normals, Vec3::to_array, |error| place(error.within("normals")));
        }
        if let Some(colors) = vertices.colors() {
            let place = |error: Error| place(error.within("colors"));
            self.finite("colors", &colors, Color::to_array, place);
            let values = colors.iter().map(|color| Numbers(color.to_array()));
            Check::new(UnitRange).array(&colors, values).report("colors", self.problems, place);
        }
        for (number, set) in (0..vertices.sets()).filter_map(|set| Some((set, vertices.tex_coords(set)?))) {
            let offset = vertices.positions().offset();
            let numbers = set.iter().flatten().map(|number| Numbers([number.get()]));
            let check = Check::new(Finite).array(offset, numbers);
            check.report("numbers", self.problems, |error| place(error.within_item("uvs", number)));
        }
    }

    /// Compares the normals of the mesh that ends here with its triangles.
    fn facing(&mut self) {
        let facing = std::mem::take(&mut self.mesh.facing);
        let Some(normals) = self.mesh.vertices.and_then(|vertices| vertices.normals()).filter(|_| facing.is_wrong())
        else {
            return;
        };
        let index = self.mesh.index;
        self.problems.report(Severity::Warning, || {
            let error = Error::malformed(facing.to_string()).coded(Code::Normals).at(normals.offset());
            error.within("normals").within_item("meshes", index)
        });
    }

    fn finite<T: Element, const N: usize>(
        &mut self,
        what: &str,
        column: &Strided<'a, T>,
        numbers: impl Fn(&T) -> [f32; N] + Clone,
        place: impl Fn(Error) -> Error,
    ) {
        let values = column.iter().map(|element| Numbers(numbers(element)));
        Check::new(Finite).array(column, values).report(what, self.problems, place);
    }

    #[inline(never)]
    fn triangles(
        &mut self,
        triangles: &Triangles<'a>,
        chunk: &Chunk<'a, ChunkHeader>,
        place: impl Fn(Error) -> Error + Copy,
    ) {
        self.brush(triangles.brush_id, chunk.body().offset(), place);
        let Some(vertices) = self.mesh.vertices else { return };
        if let Some(normals) = vertices.normals() {
            let positions = vertices.positions();
            let of = |column: &Strided<'a, Vec3>, id: i32| Some(column.get(usize::try_from(id).ok()?)?.to_array());
            for (index, triangle) in triangles.indices.iter().enumerate() {
                if index % check::PIECE == 0 && stop::is_set() {
                    return;
                }
                let [a, b, c] = triangle.vertices.map(|id| Some((of(&positions, id.get())?, of(&normals, id.get())?)));
                if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                    self.mesh.facing.add([a.0, b.0, c.0], [a.1, b.1, c.1]);
                }
            }
        }
        let ids = triangles.indices.iter().flat_map(|triangle| triangle.vertices).map(|id| id.get().into());
        let check = Check::new(Index(vertices.len() as u64)).array(Rows::new(triangles.indices.offset(), 4), ids);
        check.report("vertex ids", self.problems, |error| place(error.within("indices")));
    }

    #[inline(never)]
    fn bone(&mut self, bone: &Bone<'a>, place: impl Fn(Error) -> Error + Copy) {
        let place = |error: Error| place(error.within("weights"));
        let weights = bone.weights.iter().map(|weight| Numbers([weight.weight.get()]));
        let rows = Rows::from(&bone.weights).into(4);
        Check::new(Finite).array(rows, weights.clone()).report("weights", self.problems, place);
        Check::new(UnitRange).array(rows, weights).report("weights", self.problems, place);
        match bone.mesh {
            Some(mesh) => {
                // Unreadable vertices were already reported.
                if let Ok(vertices) = mesh.vertices() {
                    let ids = bone.weights.iter().map(|weight| weight.vertex.get().into());
                    let check = Check::new(Index(vertices.len() as u64)).array(&bone.weights, ids);
                    check.report("vertex ids", self.problems, place);
                }
            }
            None if bone.weights.is_empty() => {}
            None => self.problems.report(Severity::Error, || {
                let error = Error::malformed("weights without a mesh at or above the bone");
                place(error.at(bone.weights.offset()))
            }),
        }
    }

    #[inline(never)]
    fn keys(&mut self, keys: &Keys<'a>, place: impl Fn(Error) -> Error + Copy) {
        for (column, what) in [(keys.positions(), "positions"), (keys.scales(), "scales")] {
            if let Some(column) = column {
                self.finite(what, &column, Vec3::to_array, place);
            }
        }
        if let Some(rotations) = keys.rotations() {
            self.finite("rotations", &rotations, Quat::to_array, place);
            let lengths = rotations.iter().map(|rotation| Length::of(rotation.to_array()));
            Check::new(Unit::Quaternion).array(&rotations, lengths).report("rotations", self.problems, place);
        }
    }

    #[inline(never)]
    fn brush(&mut self, id: i32, offset: u64, place: impl Fn(Error) -> Error) {
        let place = |error: Error| place(error.within("brush_id"));
        check::one(Known(self.counted.brushes), id, offset, self.problems, place);
        check::one(NoneIsMinusOne, id, offset, self.problems, place);
    }

    /// Warns if a node has a second chunk of this kind, or both MESH and BONE.
    fn only_one(&mut self, chunk: &Chunk<'a, ChunkHeader>, count: impl Fn(&mut OpenNode) -> &mut u32) {
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

    /// Reports a chunk that is longer than its parent. A chunk cut by the end of the whole file is not reported again.
    #[inline]
    fn truncated(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: impl Fn(Error) -> Error) {
        let Err(error) = chunk.whole() else { return };
        let file_is_cut = self.scene.chunk().missing() > 0;
        let to_the_end = chunk.offset().saturating_add(chunk.byte_len()) == self.scene.data.size();
        if !(file_is_cut && to_the_end) {
            self.problems.error(&place(error));
        }
    }

    #[cold]
    fn warn(&mut self, offset: u64, message: impl fmt::Display) {
        self.problems.report(Severity::Warning, || Error::malformed(message.to_string()).at(offset));
    }
}

/// Returns the next step. Not inlined, and borrowed by its caller: moving these large steps took longer than creating
/// them.
#[inline(never)]
fn next_step<'a>(walk: &mut Walk<'a>) -> Option<Result<Step<'a>>> {
    walk.next()
}

/// Adds to a count, and keeps the smallest offset.
fn add((count, first): &mut (u64, u64), (more, offset): (u64, u64)) {
    if *count == 0 || (more > 0 && offset < *first) {
        *first = offset;
    }
    *count = count.saturating_add(more);
}

rules! {
    /// An index below this count, or negative for none.
    Known(u64) of i32 = Code::Range, |Self(count), id| u64::try_from(id).map_or(true, |id| id < *count),
        format!("not below {count}");

    /// A negative index is -1.
    NoneIsMinusOne of i32 = Code::OddRange, |_, id| id >= -1, "below -1, which is none";
}
