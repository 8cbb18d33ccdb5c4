//! The outline and the dissection of a scene.
//!
//! The outline has flat lists that refer to nodes by index, because nodes may nest deeper than readers of JSON or XML
//! support. The dissection nests as the file does.

use super::material::{Brush, Material, Materials, Met, Texture};
use super::wire::{AnimationFields, ChunkHeader, MeshHead, SceneHead};
use super::{
    Animation, ChunkKind as Kind, Keys, Mesh, Node, NodeHead, Scene, Sequence, Step, TriangleList, Triangles, Vertices,
    WeightList,
};
use crate::base::error::{Context, Result};
use crate::base::span::Span;
use crate::bytes::chunk::{Chunk, Tag};
use crate::outline::{Outline, Part};
use crate::record::{Fixed, Record, describe_fields, describe_fixed, describe_opaque, walk_part};

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
    let met = |is_sought: fn(&Kind<'_>) -> bool| Named::new(scene).filter(move |(_, step)| is_sought(&step.part));
    out.list("meshes");
    for (index, (node, step)) in met(|part| matches!(part, Kind::Mesh(_))).enumerate() {
        let (Kind::Mesh(mesh), Some(node)) = (step.part, node) else { continue };
        chunk(&step.chunk, Part::item("meshes", index).labelled(node.name), out, |out| {
            out.field("node", node.index);
            self::mesh(&mesh, out);
        });
    }
    out.list("bones");
    for (index, (node, step)) in met(|part| matches!(part, Kind::Bone(_))).enumerate() {
        let (Kind::Bone(mesh), Some(node)) = (step.part, node) else { continue };
        chunk(&step.chunk, Part::item("bones", index).labelled(node.name), out, |out| {
            out.field("node", node.index);
            bone(mesh, &step.chunk, out);
        });
    }
    out.list("unknown_chunks");
    for (index, (_, step)) in met(|part| matches!(part, Kind::Unknown)).enumerate() {
        let tag = step.chunk.tag().to_string();
        chunk(&step.chunk, Part::item("unknown_chunks", index), out, |out| {
            out.field("tag", tag.as_str());
            out.field("node", step.node);
        });
    }
}

/// Iterates over the readable chunks of a scene, each with the node that contains it.
struct Named<'a> {
    walk: super::Walk<'a>,
    /// The nodes that contain the current chunk.
    around: Vec<Node<'a>>,
}

impl<'a> Named<'a> {
    fn new(scene: &Scene<'a>) -> Self {
        Self { walk: scene.walk(), around: Vec::new() }
    }
}

impl<'a> Iterator for Named<'a> {
    type Item = (Option<Node<'a>>, Step<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.walk.by_ref().flatten().next()?;
        if let Kind::Node(node) = step.part {
            self.around.truncate(node.depth as usize);
            self.around.push(node);
        } else {
            while self.around.last().is_some_and(|node| Some(node.index) != step.node) {
                self.around.pop();
            }
        }
        Some((self.around.last().copied(), step))
    }
}

/// Dissects a scene: in file order, with each chunk inside its parent.
pub(super) fn dissect(scene: &Scene<'_>, out: &mut Outline<'_>) {
    scene.chunk().header().describe_fields(0, out);
    describe_fixed::<SceneHead>(&mut scene.chunk().body(), out);
    let mut counts = Counts::default();
    let mut around: Vec<Around> = Vec::new();
    for step in scene.walk() {
        let Some(Step { depth, chunk, part, .. }) = out.ok(step) else { continue };
        leave(&mut around, depth.saturating_sub(1) as usize, out);
        let is_shown = around.last().is_none_or(|around| around.is_shown);
        let name = counts.name(&part, around.last_mut()).spanning(chunk.offset(), chunk.byte_len());
        let is_shown = is_shown && out.open(&name);
        if is_shown {
            chunk.header().describe_fields(chunk.offset(), out);
        }
        inside(&part, &chunk, &mut counts, is_shown, out);
        around.push(Around { is_shown, ..Around::default() });
    }
    leave(&mut around, 0, out);
}

/// Ends open chunks until only `depth` are left.
fn leave(around: &mut Vec<Around>, depth: usize, out: &mut Outline<'_>) {
    while around.len() > depth {
        if around.pop().is_some_and(|around| around.is_shown) {
            out.close();
        }
    }
}

/// An open chunk, and the number of chunks of each kind in it so far.
#[derive(Default)]
struct Around {
    is_shown: bool,
    animations: usize,
    keys: usize,
    sequences: usize,
    pivots: usize,
    vertices: usize,
    triangles: usize,
}

/// The number of items of each kind in the scene so far.
#[derive(Default)]
struct Counts {
    texture_lists: usize,
    brush_lists: usize,
    textures: usize,
    brushes: usize,
    meshes: usize,
    bones: usize,
    unknown: usize,
}

/// Returns the index of the next item of a kind, and counts it.
pub(super) fn next(count: &mut usize) -> usize {
    std::mem::replace(count, count.saturating_add(1))
}

/// Names a chunk that may exist once: the first one is a single part, each further one an item of the list `more`.
fn once(name: &'static str, more: &'static str, count: &mut usize) -> Part<'static> {
    match next(count).checked_sub(1) {
        None => Part::one(name),
        Some(index) => Part::item(more, index),
    }
}

impl Counts {
    fn name<'n>(&mut self, part: &Kind<'n>, around: Option<&mut Around>) -> Part<'n> {
        let mut nothing = Around::default();
        let around = around.unwrap_or(&mut nothing);
        match part {
            Kind::Textures => Part::item("texture_lists", next(&mut self.texture_lists)).rooted(),
            Kind::Brushes => Part::item("brush_lists", next(&mut self.brush_lists)).rooted(),
            Kind::Node(node) => Part::item("nodes", node.index).labelled(node.name).rooted(),
            Kind::Mesh(_) => Part::item("meshes", next(&mut self.meshes)).rooted(),
            Kind::Bone(_) => Part::item("bones", next(&mut self.bones)).rooted(),
            Kind::Unknown => Part::item("unknown_chunks", next(&mut self.unknown)).rooted(),
            Kind::Vertices(_) => once("vertices", "unused_vertices", &mut around.vertices),
            Kind::Triangles(_) => Part::item("triangles", next(&mut around.triangles)),
            Kind::Keys => Part::item("keys", next(&mut around.keys)),
            Kind::Animation => once("animation", "unused_animations", &mut around.animations),
            Kind::Sequence => Part::item("sequences", next(&mut around.sequences)),
            Kind::Pivot => once("pivot", "unused_pivots", &mut around.pivots),
        }
    }
}

/// Describes the content of a chunk that precedes its child chunks.
fn inside<'a>(
    part: &Kind<'a>,
    chunk: &Chunk<'a, ChunkHeader>,
    counts: &mut Counts,
    is_shown: bool,
    out: &mut Outline<'_>,
) {
    match part {
        Kind::Textures => counts.textures = list::<Texture<'_>>(chunk, counts.textures, out),
        Kind::Brushes => counts.brushes = list::<Brush<'_>>(chunk, counts.brushes, out),
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

/// Describes the textures or brushes of one chunk, starting with index `first`. Returns the index after the last.
fn list<'a, T: Material<'a>>(chunk: &Chunk<'a, ChunkHeader>, first: usize, out: &mut Outline<'_>) -> usize {
    T::describe_head(&chunk.body(), out);
    materials(Materials::<T>::of(chunk, first), out)
}

fn materials<'a, T: Material<'a>>(mut materials: Materials<'a, T>, out: &mut Outline<'_>) -> usize {
    while let Some(Met { index, mut start, knowledge, material }) = materials.step() {
        if out.ok(material).is_some() {
            let again = walk_part::<T, _, _>(&mut start, knowledge, Part::item(T::LIST, index).rooted(), out);
            out.ok(again);
        }
    }
    materials.index()
}

/// Describes the fields of a record that takes a whole chunk.
fn whole<'a, T: Record<'a>>(chunk: &Chunk<'a, ChunkHeader>, out: &mut Outline<'_>) {
    if let Some(body) = out.ok(chunk.whole()) {
        describe_fields::<T, ()>(body, (), out);
    }
}

fn chunk(chunk: &Chunk<'_, ChunkHeader>, part: Part<'_>, out: &mut Outline<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
    out.part(part.spanning(chunk.offset(), chunk.byte_len()), inside);
}

fn node(node: &Node<'_>, out: &mut Outline<'_>) {
    chunk(&node.chunk(), Part::item("nodes", node.index).labelled(node.name), out, |out| {
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

fn node_fields(node: &Node<'_>, out: &mut Outline<'_>) {
    describe_fields::<NodeHead<'_>, ()>(node.chunk().body(), (), out);
    out.field("parent", node.parent);
    out.field("depth", node.depth);
    let kind = match (node.meshes().next(), node.bones().next()) {
        (Some(_), _) => "mesh",
        (None, Some(_)) => "bone",
        (None, None) => "pivot",
    };
    out.field("kind", kind);
}

fn animation(chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    let Some(animation) = out.ok(Animation::parse(chunk)) else { return };
    describe_fixed::<AnimationFields>(&mut chunk.body(), out);
    out.field("seconds", animation.seconds());
}

fn keys(chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    let Some(keys) = out.ok(Keys::parse(chunk)) else { return };
    let frames = || keys.frames().iter().map(|frame| frame.get());
    out.field("first_frame", frames().min());
    out.field("last_frame", frames().max());
    describe_fields::<Keys<'_>, ()>(chunk.body(), (), out);
}

fn sequence(chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    if out.ok(Sequence::parse(chunk)).is_some() {
        describe_fields::<Sequence<'_>, ()>(chunk.body(), (), out);
    }
}

fn mesh(mesh: &Mesh<'_>, out: &mut Outline<'_>) {
    out.field("brush_id", mesh.brush_id());
    match mesh.vertices_chunk() {
        Some(vertices) => self::vertices(&vertices, out),
        None => {
            let missing: Result<_> = mesh.vertices();
            out.ok(missing);
        }
    }
    let triangles = mesh.chunks().flatten().filter(|child| child.tag() == Tag(*b"TRIS"));
    out.list("triangles");
    for (index, child) in triangles.enumerate() {
        chunk(&child, Part::item("triangles", index), out, |out| {
            let Some(triangles) = out.ok(Triangles::parse(&child, mesh.brush_id())) else { return };
            out.field("brush", triangles.brush());
            describe_fields::<TriangleList<'_>, ()>(child.body(), (), out);
        });
    }
}

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

fn bone(mesh: Option<Mesh<'_>>, chunk: &Chunk<'_, ChunkHeader>, out: &mut Outline<'_>) {
    out.field("mesh_offset", mesh.map(|mesh| mesh.chunk().offset()));
    whole::<WeightList<'_>>(chunk, out);
}
