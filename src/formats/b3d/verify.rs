//! Checks scenes, and counts their parts on the way.
//!
//! Not reported: a MESH without TRIS (14 of 1,005 real files have none); keys outside the frames of their ANIM, and 0
//! frames per second, which are common; normals that are not of length 1, because the writers of 129 of 506 files scale
//! them.

use std::fmt;

use super::bounds::SceneBox;
use super::walk::{InNode, Walk};
use super::wire::ChunkHeader;
use super::{Animation, Bone, ChunkKind, Keys, Mesh, Scene, Sequence, Step, Triangles, Vertices};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::place::{Locate, Root};
use crate::base::stop;
use crate::bytes::chunk::Chunk;
use crate::bytes::{Color, Element, Quat, Strided, Vec3};
use crate::check::{self, Check, Facing, Finite, Index, Length, Numbers, Rows, Unit, UnitRange, rules};
use crate::inspect::{Depth, Inspect as _};
use crate::outline::{Silent, next};
use crate::summary::{Problems, ReferenceKind, References, Severity, counted};

/// The version that the spec describes.
const VERSION: i32 = 1;

/// The indices in [`Survey::at_root`].
const TEXTURE_LISTS: usize = 0;
const BRUSH_LISTS: usize = 1;
const ROOT_NODES: usize = 2;

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

/// One walk over a scene. Depending on the depth, it reads only the materials, all chunks and positions, or all indices
/// and numbers too.
pub(super) struct Survey<'s, 'a> {
    scene: &'s Scene<'a>,
    depth: Depth,
    problems: &'s mut Problems,
    counted: Counted,
    /// The number of TEXS, BRUS and NODE chunks directly below BB3D.
    at_root: [Amount<u32>; 3],
    /// The chunks found so far in each node that contains the current chunk.
    open_nodes: Vec<OpenNode>,
    /// The number of BONE chunks without an ANIM in their node or an ancestor, and the offset of the first.
    unanimated: (u64, u64),
    mesh: OpenMesh<'a>,
    /// Where other facts go, unless only counts are wanted.
    facts: Option<&'s mut Facts>,
}

/// The facts that a walk over a scene finds, besides its counts.
pub(super) struct Facts {
    /// The box around the vertices so far.
    pub(super) scene_box: SceneBox,
    /// The names of the textures.
    pub(super) references: References,
}

#[derive(Default)]
struct OpenNode {
    meshes: Amount<u32>,
    bones: Amount<u32>,
    animations: Amount<u32>,
    /// The number of lists of keys.
    keys: usize,
    /// The number of sequences.
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
    /// Creates a walk that has counted nothing yet. Without `facts`, it collects no names and reads no positions.
    pub(super) fn new(
        scene: &'s Scene<'a>,
        depth: Depth,
        problems: &'s mut Problems,
        facts: Option<&'s mut Facts>,
    ) -> Self {
        let (counted, at_root, open_nodes, unanimated, mesh) = Default::default();
        Self { scene, depth, problems, counted, at_root, open_nodes, unanimated, mesh, facts }
    }

    /// Walks over the scene as far as the depth asks for. Returns the counts.
    pub(super) fn run(mut self) -> Counted {
        self.scene_itself();
        self.materials();
        if self.depth == Depth::Header {
            return self.counted;
        }
        let mut walk = self.scene.walk();
        while let Some(step) = &next_step(&mut walk) {
            match step {
                Ok(step) => self.step(step),
                Err(error) => {
                    self.problems.error(error);
                    // The chunk may have had vertices.
                    self.mark_incomplete();
                }
            }
        }
        // The last nodes and the last mesh end here.
        self.leave(0);
        self.facing();
        if self.is_deep() {
            let (bones, first) = self.unanimated;
            if bones > 0 {
                let message = format!("{} of {} BONE without an ANIM around", bones, self.counted.bones.0);
                self.problems.warning(&Error::malformed(message).at(first).within("bones"));
            }
            let about = (self.scene.data.size(), &self.scene.limits);
            let dissects = false;
            check::fields(about, dissects, self.problems, |out| self.scene.dissect(out));
        }
        self.counted
    }

    /// Returns true if it reads all indices and numbers.
    fn is_deep(&self) -> bool {
        self.depth == Depth::Verify
    }

    /// Checks the length and the version of BB3D, and that no bytes are after it.
    fn scene_itself(&mut self) {
        let size = self.scene.data.size();
        if let Some(error) = self.scene.cut() {
            self.problems.error(&error);
        }
        let version = self.scene.version();
        if version < 0 {
            self.warn(super::BODY, "version is negative");
        } else if version > VERSION {
            self.warn(super::BODY, format_args!("version {version} is newer than {VERSION}"));
        }
        let end = self.scene.end();
        if end < size {
            self.problems.warning(&Error::trailing(size.saturating_sub(end), "the scene").at(end));
        }
    }

    /// Counts the textures and brushes, adds the names of the textures, and checks the brushes' texture ids.
    fn materials(&mut self) {
        for texture in self.scene.textures() {
            if let Some(texture) = self.problems.ok(texture) {
                if let Some(facts) = &mut self.facts {
                    facts.references.add(ReferenceKind::Texture, texture.name);
                }
                self.counted.textures += 1;
            }
        }
        let mut known = Check::new(Known(self.counted.textures.0));
        let mut negative = Check::new(NoneIsMinusOne);
        let mut brushes = self.scene.brushes();
        let mut index = 0;
        while let Some(read) = brushes.walk(&mut Silent) {
            let Some((offset, brush)) = self.problems.ok(read) else { continue };
            let layers = brush.texture_ids.len();
            // Reported once, at the first brush.
            if self.counted.brushes.0 == 0 && layers > 8 {
                self.warn(offset, format_args!("{layers} textures a brush, Blitz3D has 8"));
            }
            self.counted.brushes += 1;
            if self.is_deep() {
                // Textures and brushes that cannot be read are not counted.
                let list = ("brushes", next(&mut index));
                let ids = brush.texture_ids.iter().map(|id| id.get());
                known.list(list, &brush.texture_ids, ids.clone());
                negative.list(list, &brush.texture_ids, ids);
            }
        }
        known.report("texture ids", self.problems, Root.field("brushes"));
        negative.report("texture ids", self.problems, Root.field("brushes"));
    }

    /// Counts a chunk, and checks it if the depth asks for it.
    #[inline(always)]
    fn step(&mut self, step: &Step<'a>) {
        let Step { chunk, part, node, depth } = step;
        // BB3D, which counts for the depth, is not an open node.
        self.leave(depth.saturating_sub(1) as usize);
        let place = InNode(*node);
        match part {
            ChunkKind::Textures => self.list_at_root(chunk, place, TEXTURE_LISTS),
            ChunkKind::Brushes => self.list_at_root(chunk, place, BRUSH_LISTS),
            ChunkKind::Node(node) => {
                self.truncated(chunk, place);
                if *depth == 1 {
                    self.once_at_root(chunk, ROOT_NODES);
                }
                self.counted.nodes += 1;
                self.open_nodes.push(OpenNode::default());
                if let Some(facts) = &mut self.facts {
                    facts.scene_box.enter(&node.local_matrix());
                }
            }
            ChunkKind::Mesh(mesh) => {
                self.truncated(chunk, place);
                self.mesh(mesh);
            }
            ChunkKind::Vertices(_) => self.vertices_chunk(chunk),
            ChunkKind::Triangles(mesh) => self.triangles_chunk(chunk, mesh),
            ChunkKind::Bone(mesh) => self.bone_chunk(chunk, *mesh),
            ChunkKind::Keys => self.keys_chunk(chunk, place),
            ChunkKind::Animation => {
                self.counted.animations += 1;
                if let Some(open) = self.open_nodes.last_mut() {
                    open.animations += 1;
                    let seen = open.animations.0;
                    self.warn_if_repeated(chunk, seen, false);
                }
                self.problems.ok_in(place.field("animation"), Animation::parse(chunk));
            }
            ChunkKind::Sequence => {
                let index = self.open_nodes.last_mut().map_or(0, |open| next(&mut open.sequences));
                self.problems.ok_in(place.item("sequences", index), Sequence::parse(chunk));
            }
            ChunkKind::Pivot => self.truncated(chunk, place),
            ChunkKind::Unknown => self.unknown(chunk, place),
        }
    }

    /// Checks a chunk of textures or brushes, which is counted at this index of `at_root`.
    fn list_at_root(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: InNode, kind: usize) {
        self.truncated(chunk, place);
        let [_, brushes, _] = self.at_root;
        // Nodes refer to brushes, and brushes to textures.
        if self.counted.nodes.0 > 0 || (brushes.0 > 0 && kind == TEXTURE_LISTS) {
            self.warn(chunk.offset(), format_args!("{} after what refers to it", chunk.tag()));
        }
        self.once_at_root(chunk, kind);
    }

    /// Counts a VRTS chunk of the current mesh, extends the box, and checks the vertices if the walk is deep.
    fn vertices_chunk(&mut self, chunk: &Chunk<'a, ChunkHeader>) {
        let place = Root.item("meshes", self.mesh.index).field("vertices");
        if self.mesh.vertices_seen {
            let error = Error::malformed("a second VRTS in one mesh").at(chunk.offset());
            self.problems.error(&place.locate(error));
        }
        self.mesh.vertices_seen = true;
        let Some(vertices) = self.problems.ok_in(place, Vertices::parse(chunk)) else {
            self.mark_incomplete();
            return;
        };
        self.counted.vertices += vertices.len() as u64;
        if let Some(facts) = &mut self.facts {
            facts.scene_box.add(&vertices.positions());
        }
        if self.is_deep() {
            self.vertices(&vertices);
        }
    }

    /// Counts a TRIS chunk of the current mesh, and checks the triangles if the walk is deep.
    fn triangles_chunk(&mut self, chunk: &Chunk<'a, ChunkHeader>, mesh: &Mesh<'a>) {
        // The mesh has vertices, but the walk has not come to them yet.
        if !self.mesh.vertices_seen && self.mesh.vertices.is_some() {
            self.warn(chunk.offset(), "TRIS before the VRTS of its mesh");
        }
        let index = next(&mut self.mesh.triangle_lists);
        let place = Root.item("meshes", self.mesh.index).item("triangles", index);
        self.counted.surfaces += 1;
        let Some(triangles) = self.problems.ok_in(place, Triangles::parse(chunk, mesh.brush_id)) else { return };
        self.counted.triangles += triangles.indices.len() as u64;
        if self.is_deep() {
            self.triangles(&triangles, chunk, index);
        }
    }

    /// Counts a BONE chunk of the current node, and checks the weights if the walk is deep.
    fn bone_chunk(&mut self, chunk: &Chunk<'a, ChunkHeader>, mesh: Option<Mesh<'a>>) {
        let index = usize::try_from(self.counted.bones.0).unwrap_or(usize::MAX);
        let place = Root.item("bones", index);
        self.counted.bones += 1;
        if let Some(open) = self.open_nodes.last_mut() {
            open.bones += 1;
            // The node may still have an ANIM; `leave` finds out.
            add(&mut open.unanimated, (1, chunk.offset()));
            let seen = open.bones.0;
            let has_mesh = open.meshes.0 > 0;
            self.warn_if_repeated(chunk, seen, has_mesh);
        }
        let Some(bone) = self.problems.ok_in(place, Bone::parse(chunk, mesh)) else { return };
        self.counted.weights += bone.weights.len() as u64;
        if self.is_deep() {
            self.bone(&bone, index);
        }
    }

    /// Counts a KEYS chunk of the current node, and checks the keys if the walk is deep.
    fn keys_chunk(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: InNode) {
        let index = self.open_nodes.last_mut().map_or(0, |open| next(&mut open.keys));
        let Some(keys) = self.problems.ok_in(place.item("keys", index), Keys::parse(chunk)) else { return };
        self.counted.keys += keys.len() as u64;
        if self.is_deep() {
            self.keys(&keys, place, index);
        }
    }

    /// Warns about a tag that the format defines, but not in this place. Other tags are allowed anywhere.
    fn unknown(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: InNode) {
        self.truncated(chunk, place);
        let known = [b"TEXS", b"BRUS", b"NODE", b"MESH", b"VRTS", b"TRIS", b"BONE", b"KEYS", b"ANIM", b"SEQS", b"PIVO"];
        if known.contains(&&chunk.tag().0) {
            self.warn(chunk.offset(), format_args!("{} does not belong here", chunk.tag()));
        }
    }

    /// Counts a chunk at this index of `at_root`. Warns at the second, because BB3D should contain one.
    fn once_at_root(&mut self, chunk: &Chunk<'a, ChunkHeader>, kind: usize) {
        let Some(count) = self.at_root.get_mut(kind) else { return };
        *count += 1;
        if count.0 == 2 && self.is_deep() {
            self.warn(chunk.offset(), format_args!("a second {} right below BB3D", chunk.tag()));
        }
    }

    /// Records that some vertices cannot be read.
    fn mark_incomplete(&mut self) {
        if let Some(facts) = &mut self.facts {
            facts.scene_box.mark_incomplete();
        }
    }

    /// Ends open nodes until only `depth` are left. One without an ANIM hands its unanimated bones to the node around
    /// it, which may have one.
    fn leave(&mut self, depth: usize) {
        while self.open_nodes.len() > depth {
            let Some(open) = self.open_nodes.pop() else { return };
            if let Some(facts) = &mut self.facts {
                facts.scene_box.leave();
            }
            if open.animations.0 == 0 {
                let above = self.open_nodes.last_mut().map_or(&mut self.unanimated, |above| &mut above.unanimated);
                add(above, open.unanimated);
            }
        }
    }

    /// Makes a MESH chunk the current mesh, counts it, and checks its brush if the walk is deep.
    fn mesh(&mut self, mesh: &Mesh<'a>) {
        // The mesh before it is complete.
        self.facing();
        let index = usize::try_from(self.counted.meshes.0).unwrap_or(usize::MAX);
        self.counted.meshes += 1;
        if let Some(open) = self.open_nodes.last_mut() {
            open.meshes += 1;
            let seen = open.meshes.0;
            let has_bone = open.bones.0 > 0;
            self.warn_if_repeated(&mesh.chunk, seen, has_bone);
        }
        self.mesh = OpenMesh { index, vertices: mesh.vertices().ok(), ..OpenMesh::default() };
        if let Err(error) = mesh.vertices_chunk() {
            self.problems.error(&error.within_item("meshes", index));
        }
        if self.is_deep() {
            let offset = mesh.chunk.body().offset();
            self.brush(mesh.brush_id, offset, Root.item("meshes", index));
        }
    }

    /// Checks the numbers of each column of the current mesh's vertices.
    #[inline(never)]
    fn vertices(&mut self, vertices: &Vertices<'a>) {
        let place = Root.item("meshes", self.mesh.index);
        self.finite("vectors", &vertices.positions(), Vec3::to_array, place.field("positions"));
        if let Some(normals) = vertices.normals() {
            self.finite("vectors", &normals, Vec3::to_array, place.field("normals"));
        }
        if let Some(colors) = vertices.colors() {
            let place = place.field("colors");
            self.finite("colors", &colors, Color::to_array, place);
            let values = colors.iter().map(|color| Numbers(color.to_array()));
            Check::new(UnitRange).array(&colors, values).report("colors", self.problems, place);
        }
        for set in 0..vertices.sets() {
            let Some(uvs) = vertices.tex_coords(set) else { continue };
            let numbers = uvs.iter().flatten().map(|number| Numbers([number.get()]));
            let check = Check::new(Finite).array(vertices.positions().offset(), numbers);
            check.report("numbers", self.problems, place.item("uvs", set));
        }
    }

    /// Compares the normals of the mesh that ends here with its triangles.
    fn facing(&mut self) {
        let facing = std::mem::take(&mut self.mesh.facing);
        let Some(vertices) = self.mesh.vertices else { return };
        let Some(normals) = vertices.normals() else { return };
        if facing.is_wrong() {
            let error = Error::malformed(facing.to_string()).coded(Code::Normals).at(normals.offset());
            let place = Root.item("meshes", self.mesh.index).field("normals");
            self.problems.warning(&place.locate(error));
        }
    }

    /// Checks that all numbers of a column are finite. `what` names the elements in the message.
    fn finite<T: Element, const N: usize>(
        &mut self,
        what: &str,
        column: &Strided<'a, T>,
        numbers: fn(&T) -> [f32; N],
        place: impl Locate,
    ) {
        let values = column.iter().map(|element| Numbers(numbers(element)));
        Check::new(Finite).array(column, values).report(what, self.problems, place);
    }

    /// Checks the brush and the indices of a TRIS chunk, and compares the triangles with the normals of the mesh.
    #[inline(never)]
    fn triangles(&mut self, triangles: &Triangles<'a>, chunk: &Chunk<'a, ChunkHeader>, index: usize) {
        let place = Root.item("meshes", self.mesh.index).item("triangles", index);
        self.brush(triangles.brush_id, chunk.body().offset(), place);
        let Some(vertices) = self.mesh.vertices else { return };
        if let Some(normals) = vertices.normals() {
            let positions = vertices.positions();
            for (index, triangle) in triangles.indices.iter().enumerate() {
                if index % check::PIECE == 0 && stop::is_set() {
                    return;
                }
                let [a, b, c] = triangle.vertices.map(|id| corner(&positions, &normals, id.get()));
                if let (Some((a, normal_a)), Some((b, normal_b)), Some((c, normal_c))) = (a, b, c) {
                    // Clockwise in left-handed space is what the right-hand rule expects.
                    self.mesh.facing.add([a, b, c], [normal_a, normal_b, normal_c]);
                }
            }
        }
        let ids = triangles.indices.iter().flat_map(|triangle| triangle.vertices).map(|id| id.get().into());
        let id_rows = Rows::new(triangles.indices.offset(), size_of::<i32>());
        let check = Check::new(Index(vertices.len() as u64)).array(id_rows, ids);
        check.report("vertex ids", self.problems, place.field("indices"));
    }

    /// Checks the weights of a bone and the vertices that they refer to.
    #[inline(never)]
    fn bone(&mut self, bone: &Bone<'a>, index: usize) {
        let place = Root.item("bones", index).field("weights");
        let weights = bone.weights.iter().map(|weight| Numbers([weight.weight.get()]));
        // In each row, the weight comes after the vertex id.
        let rows = Rows::from(&bone.weights).into(size_of::<i32>());
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
            // Without weights, it refers to no vertices.
            None if bone.weights.is_empty() => {}
            None => {
                let message = "weights without a mesh at or above the bone";
                self.problems.report_at(Severity::Error, place, bone.weights.offset(), message);
            }
        }
    }

    /// Checks the numbers of each column of keys.
    #[inline(never)]
    fn keys(&mut self, keys: &Keys<'a>, node: InNode, index: usize) {
        let place = node.item("keys", index);
        if let Some(positions) = keys.positions() {
            self.finite("positions", &positions, Vec3::to_array, place);
        }
        if let Some(scales) = keys.scales() {
            self.finite("scales", &scales, Vec3::to_array, place);
        }
        if let Some(rotations) = keys.rotations() {
            self.finite("rotations", &rotations, Quat::to_array, place);
            let lengths = rotations.iter().map(|rotation| Length::of(rotation.to_array()));
            Check::new(Unit::Quaternion).array(&rotations, lengths).report("rotations", self.problems, place);
        }
    }

    /// Checks the brush id at this offset.
    #[inline(never)]
    fn brush(&mut self, id: i32, offset: u64, place: impl Locate + Copy) {
        let place = place.field("brush_id");
        check::one(Known(self.counted.brushes.0), id, offset, self.problems, place);
        check::one(NoneIsMinusOne, id, offset, self.problems, place);
    }

    /// Warns if a MESH, BONE or ANIM chunk of the current node is the second of its kind, or if the node has both MESH and
    /// BONE, which is reported at the one that comes second.
    #[inline]
    fn warn_if_repeated(&mut self, chunk: &Chunk<'a, ChunkHeader>, seen: u32, has_both: bool) {
        if seen > 1 {
            self.warn(chunk.offset(), format_args!("a second {} in one node", chunk.tag()));
        } else if has_both {
            self.warn(chunk.offset(), "MESH and BONE in one node");
        }
    }

    /// Reports a chunk that is longer than its parent.
    #[inline]
    fn truncated(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: impl Locate) {
        if chunk.missing() > 0 {
            self.report_truncated(chunk, &place);
        }
    }

    /// Reports a chunk that is longer than its parent, unless the end of the whole file cuts it: that is reported once.
    #[cold]
    fn report_truncated(&mut self, chunk: &Chunk<'a, ChunkHeader>, place: &dyn Locate) {
        let Err(error) = chunk.whole() else { return };
        let file_is_cut = self.scene.chunk().missing() > 0;
        let to_the_end = chunk.offset().saturating_add(chunk.byte_len()) == self.scene.data.size();
        if !(file_is_cut && to_the_end) {
            self.problems.error(&place.locate(error));
        }
    }

    /// Reports a warning at this offset.
    fn warn(&mut self, offset: u64, message: impl fmt::Display) {
        self.problems.report_at(Severity::Warning, Root, offset, message);
    }
}

/// Returns the position and the normal of a vertex.
fn corner(positions: &Strided<'_, Vec3>, normals: &Strided<'_, Vec3>, id: i32) -> Option<([f32; 3], [f32; 3])> {
    let index = usize::try_from(id).ok()?;
    Some((positions.get(index)?.to_array(), normals.get(index)?.to_array()))
}

/// Returns the next step. Not inlined, and borrowed by its caller: moving these large steps took longer than creating
/// them.
#[inline(never)]
fn next_step<'a>(walk: &mut Walk<'a>) -> Option<Result<Step<'a>>> {
    walk.next()
}

/// Adds `more` things to a count, the first of them at `offset`, and keeps the offset of the first of all.
fn add((count, first): &mut (u64, u64), (more, offset): (u64, u64)) {
    if *count == 0 || (more > 0 && offset < *first) {
        *first = offset;
    }
    *count = count.saturating_add(more);
}

rules! {
    /// An index below this count, or negative for none.
    Known(u64) of i32 = Code::Range, |Self(count), id| id < 0 || u64::from(id.unsigned_abs()) < *count,
        format!("not below {count}");

    /// A negative index is -1.
    NoneIsMinusOne of i32 = Code::OddRange, |_, id| id >= -1, "below -1, which is none";
}
