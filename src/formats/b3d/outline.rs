//! The outline and the dissection of a scene.
//!
//! The outline has flat lists that refer to nodes by index, because nodes may nest deeper than readers of JSON or XML
//! support. The dissection nests as the file does.

use nom::error::context;

use super::wire::{AnimationFields, BrushListHead, ChunkHeader, MeshHead, SceneHead};
use super::{
    Animation, Brushes, ChunkKind as Kind, Keys, Material, Materials, Mesh, Node, NodeHead, Scene, Sequence, Step,
    Textures, TriangleList, Triangles, Vertices, Walk, WeightList,
};
use crate::base::error::Context;
use crate::base::span::Span;
use crate::bytes::chunk::{Chunk, Tag};
use crate::outline::{Numbers, Outline, Part, next};
use crate::record::parser::in_place;
use crate::record::{Fixed, Record, describe_fields, describe_fixed, describe_opaque};

/// Describes a scene as flat lists: textures, brushes, nodes, meshes, bones and unknown chunks.
pub(super) fn scene(scene: &Scene<'_>, out: &mut Outline<'_>) {
    describe_fixed::<SceneHead>(&mut scene.chunk().body(), out);
    out.field("trailing_bytes", scene.trailing().len());
    materials(scene.textures(), out);
    materials(scene.brushes(), out);
    out.list("nodes");
    for node in scene.nodes() {
        if let Some(node) = out.ok(node) {
            self::node(&node, out);
        }
    }
    for list in ["meshes", "bones", "unknown_chunks"] {
        out.list(list);
        let mut index = 0;
        for (node, step) in with_nodes(scene) {
            if list_of(&step.part) == Some(list) {
                listed(&step, node, Part::item(list, next(&mut index)), out);
            }
        }
    }
}

/// Returns the list of an outline that has the chunks of this kind in all nodes.
fn list_of(kind: &Kind<'_>) -> Option<&'static str> {
    match kind {
        Kind::Mesh(_) => Some("meshes"),
        Kind::Bone(_) => Some("bones"),
        Kind::Unknown => Some("unknown_chunks"),
        _ => None,
    }
}

/// Describes a mesh, a bone or an unknown chunk as this item of its list. `node` is the node that contains it.
fn listed<'a>(step: &Step<'a>, node: Option<Node<'a>>, mut part: Part<'a>, out: &mut Outline<'_>) {
    let is_unknown = matches!(step.part, Kind::Unknown);
    // A mesh or bone has the name of its node.
    if let Some(node) = node
        && !is_unknown
    {
        part = part.labelled(node.name);
    }
    chunk(&step.chunk, part, out, |out| {
        if is_unknown {
            out.field("tag", step.chunk.tag().to_string().as_str());
        }
        out.field("node", step.node);
        match step.part {
            Kind::Mesh(mesh) => self::mesh(&mesh, out),
            Kind::Bone(mesh) => bone(mesh, &step.chunk, out),
            _ => {}
        }
    });
}

/// Returns an iterator over the readable chunks of a scene, each with the node that contains it, or that it is.
fn with_nodes<'a>(scene: &Scene<'a>) -> impl Iterator<Item = (Option<Node<'a>>, Step<'a>)> {
    WithNodes { walk: scene.walk(), around: Vec::new() }
}

struct WithNodes<'a> {
    walk: Walk<'a>,
    /// The nodes around the last chunk, outermost first.
    around: Vec<Node<'a>>,
}

impl<'a> Iterator for WithNodes<'a> {
    type Item = (Option<Node<'a>>, Step<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.walk.by_ref().flatten().next()?;
        // The chunks around this one are BB3D, then nodes, and a MESH at most as the innermost.
        self.around.truncate(step.depth.saturating_sub(1) as usize);
        if let Kind::Node(node) = step.part {
            self.around.push(node);
        }
        Some((self.around.last().copied(), step))
    }
}

/// Dissects a scene: in file order, with each chunk inside its parent.
pub(super) fn dissect(scene: &Scene<'_>, out: &mut Outline<'_>) {
    scene.chunk().header().describe_fields(0, out);
    describe_fixed::<SceneHead>(&mut scene.chunk().body(), out);
    // The number of textures and that of brushes so far.
    let mut materials = [0; 2];
    let mut all = Numbers::default();
    // BB3D and the open chunks in it: whether each is shown, and the numbers of the chunks in it.
    let mut around = vec![(true, Numbers::default())];
    for step in scene.walk() {
        let Some(Step { depth, chunk, part, .. }) = out.ok(step) else { continue };
        leave(&mut around, depth as usize, out);
        // BB3D stays open.
        let Some((around_is_shown, siblings)) = around.last_mut() else { return };
        let name = part_of(&part, &mut all, siblings).spanning(chunk.offset(), chunk.byte_len());
        let is_shown = *around_is_shown && out.open(&name);
        if is_shown {
            chunk.header().describe_fields(chunk.offset(), out);
        }
        inside(&part, &chunk, &mut materials, is_shown, out);
        around.push((is_shown, Numbers::default()));
    }
    leave(&mut around, 1, out);
}

/// Ends open chunks until only `depth` are left.
fn leave(around: &mut Vec<(bool, Numbers)>, depth: usize, out: &mut Outline<'_>) {
    while around.len() > depth {
        if around.pop().is_some_and(|(is_shown, _)| is_shown) {
            out.close();
        }
    }
}

/// Returns the part that a chunk is. It is numbered among all chunks of the scene, or among its siblings.
fn part_of<'n>(kind: &Kind<'n>, all: &mut Numbers, siblings: &mut Numbers) -> Part<'n> {
    match kind {
        Kind::Textures => all.item("texture_lists").rooted(),
        Kind::Brushes => all.item("brush_lists").rooted(),
        Kind::Node(node) => Part::item("nodes", node.index).labelled(node.name).rooted(),
        Kind::Mesh(_) => all.item("meshes").rooted(),
        Kind::Bone(_) => all.item("bones").rooted(),
        Kind::Unknown => all.item("unknown_chunks").rooted(),
        Kind::Vertices(_) => siblings.once("vertices", "unused_vertices"),
        Kind::Triangles(_) => siblings.item("triangles"),
        Kind::Keys => siblings.item("keys"),
        Kind::Animation => siblings.once("animation", "unused_animations"),
        Kind::Sequence => siblings.item("sequences"),
        Kind::Pivot => siblings.once("pivot", "unused_pivots"),
    }
}

/// Describes the content of a chunk that precedes its child chunks. Textures and brushes are read even if the chunk is
/// not shown, because `textures` and `brushes` count those so far in all chunks.
fn inside<'a>(
    part: &Kind<'a>,
    chunk: &Chunk<'a, ChunkHeader>,
    [textures, brushes]: &mut [usize; 2],
    is_shown: bool,
    out: &mut Outline<'_>,
) {
    match part {
        Kind::Textures => *textures = materials(Textures::of(chunk, *textures), out),
        Kind::Brushes => {
            let head = chunk.body().parse(context("n_texs", in_place::<BrushListHead>()));
            if let Some(head) = out.ok(head) {
                head.describe_fields(chunk.body().offset(), out);
            }
            *brushes = materials(Brushes::of(chunk, *brushes), out);
        }
        _ if !is_shown => {}
        Kind::Node(node) => node_fields(node, out),
        Kind::Mesh(_) => describe_fixed::<MeshHead>(&mut chunk.body(), out),
        Kind::Vertices(_) => whole::<Vertices<'_>>(chunk, out),
        Kind::Triangles(_) => whole::<TriangleList<'_>>(chunk, out),
        Kind::Bone(_) => whole::<WeightList<'_>>(chunk, out),
        Kind::Keys => keys(chunk, out),
        Kind::Animation => animation(chunk, out),
        Kind::Sequence => sequence(chunk, out),
        Kind::Pivot | Kind::Unknown => {
            describe_opaque("data", Span { offset: chunk.body().offset(), bytes: chunk.body().left() }, out);
        }
    }
}

/// Describes textures or brushes. Returns the index after the last.
fn materials<'a, T: Material<'a>>(mut materials: Materials<'a, T>, out: &mut Outline<'_>) -> usize {
    while let Some(read) = materials.walk(out) {
        out.ok(read);
    }
    materials.index()
}

/// Describes the fields of a record that takes a whole chunk.
fn whole<'a, T: Record<'a>>(chunk: &Chunk<'a, ChunkHeader>, out: &mut Outline<'_>) {
    if let Some(body) = out.ok(chunk.whole()) {
        describe_fields::<T, ()>(body, (), out);
    }
}

/// Describes a chunk as this part. `inside` describes its content.
fn chunk(chunk: &Chunk<'_, ChunkHeader>, part: Part<'_>, out: &mut Outline<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
    out.part(part.spanning(chunk.offset(), chunk.byte_len()), inside);
}

/// Describes a node with its first ANIM and PIVO and all its keys and sequences. Its meshes and bones are in lists of
/// their own.
fn node(node: &Node<'_>, out: &mut Outline<'_>) {
    chunk(&node.chunk, Part::item("nodes", node.index).labelled(node.name), out, |out| {
        node_fields(node, out);
        if let Some(animation) = node.tagged(b"ANIM").next() {
            chunk(&animation, Part::one("animation"), out, |out| self::animation(&animation, out));
        }
        if let Some(pivot) = node.tagged(b"PIVO").next() {
            chunk(&pivot, Part::one("pivot"), out, |_| {});
        }
        out.list("keys");
        for (index, keys) in node.tagged(b"KEYS").enumerate() {
            chunk(&keys, Part::item("keys", index), out, |out| self::keys(&keys, out));
        }
        out.list("sequences");
        for (index, sequence) in node.tagged(b"SEQS").enumerate() {
            chunk(&sequence, Part::item("sequences", index), out, |out| self::sequence(&sequence, out));
        }
    });
}

/// Describes the fields before a node's chunks, and its place and kind, which are not stored.
fn node_fields(node: &Node<'_>, out: &mut Outline<'_>) {
    describe_fields::<NodeHead<'_>, ()>(node.chunk.body(), (), out);
    out.field("parent", node.parent);
    out.field("depth", node.depth);
    let kind = match (node.meshes().next(), node.bones().next()) {
        (Some(_), _) => "mesh",
        (None, Some(_)) => "bone",
        (None, None) => "pivot",
    };
    out.field("kind", kind);
}

/// Describes an ANIM chunk, or reports that it cannot be read.
fn animation(chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    let Some(animation) = out.ok(Animation::parse(chunk)) else { return };
    describe_fixed::<AnimationFields>(&mut chunk.body(), out);
    out.field("seconds", animation.seconds());
}

/// Describes a KEYS chunk and its range of frames, or reports that it cannot be read.
fn keys(chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    let Some(keys) = out.ok(Keys::parse(chunk)) else { return };
    let frames = keys.frames();
    out.field("first_frame", frames.iter().map(|frame| frame.get()).min());
    out.field("last_frame", frames.iter().map(|frame| frame.get()).max());
    describe_fields::<Keys<'_>, ()>(chunk.body(), (), out);
}

/// Describes a SEQS chunk, or reports that it cannot be read.
fn sequence(chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    if out.ok(Sequence::parse(chunk)).is_some() {
        describe_fields::<Sequence<'_>, ()>(chunk.body(), (), out);
    }
}

/// Describes the content of a MESH chunk: its brush, its first VRTS and all its TRIS.
fn mesh(mesh: &Mesh<'_>, out: &mut Outline<'_>) {
    out.field("brush_id", mesh.brush_id);
    if let Some(vertices) = out.ok(mesh.vertices_chunk()) {
        self::vertices(&vertices, out);
    }
    out.list("triangles");
    let mut index = 0;
    for child in mesh.chunks().flatten() {
        if child.tag() == Tag(*b"TRIS") {
            let part = Part::item("triangles", next(&mut index));
            chunk(&child, part, out, |out| triangles(&child, mesh.brush_id, out));
        }
    }
}

/// Describes a TRIS chunk of a mesh with this brush, or reports that it cannot be read.
fn triangles(chunk: &Chunk<'_, ChunkHeader>, brush_of_mesh: i32, out: &mut Outline<'_>) {
    let Some(triangles) = out.ok(Triangles::parse(chunk, brush_of_mesh)) else { return };
    out.field("brush", triangles.brush());
    describe_fields::<TriangleList<'_>, ()>(chunk.body(), (), out);
}

/// Describes a VRTS chunk and each of its columns as an array, or reports that it cannot be read.
fn vertices(vrts: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    let Some(vertices) = out.ok(Vertices::parse(vrts).within("vertices")) else { return };
    vertices.layout.describe_fields(vrts.body().offset(), out);
    out.field("stride", vertices.stride());
    chunk(vrts, Part::one("vertices"), out, |out| out.array("records", &vertices.records));
    out.array("positions", &vertices.positions());
    if let Some(normals) = vertices.normals() {
        out.array("normals", &normals);
    }
    if let Some(colors) = vertices.colors() {
        out.array("colors", &colors);
    }
    out.list("uvs");
    for set in 0..vertices.sets() {
        if let Some(coords) = vertices.tex_coords(set) {
            out.array_item("uvs", set, &coords);
        }
    }
}

/// Describes the content of a BONE chunk whose weights refer to this mesh.
fn bone(mesh: Option<Mesh<'_>>, chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    out.field("mesh_offset", mesh.map(|mesh| mesh.chunk.offset()));
    whole::<WeightList<'_>>(chunk, out);
}
