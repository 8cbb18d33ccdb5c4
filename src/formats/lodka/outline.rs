//! The outline and the dissection of a file.
//!
//! The outline has common lists for the contents of all models, and each item has the index of its model. Nearly all
//! files have only one model.

use std::iter::Peekable;

use super::chunk::Nodes;
use super::content::Content;
use super::fields::records;
use super::kind::Kind;
use super::{Material, Model, MorphCollection, MorphMesh, Node, Shader, Texture, TextureRecord};
use crate::base::error::Result;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::outline::{Numbers, Outline, Part, Text};
use crate::record::{Fixed, Framing, Record, Stored as _, describe_fields, describe_opaque};

/// Describes a file in common lists: the chunks of each kind, and the items in them.
pub(super) fn model(model: &Model<'_>, out: &mut Outline<'_>) {
    out.list(Kind::Part.name());
    for node in model.nodes() {
        // An error inside a chunk is reported with the chunk.
        let Some(node) = out.ok(node) else { continue };
        if node.kind == Kind::Part {
            describe_chunk(&node, None, out, |out| out.field("chunk_count", node.count_hint()));
        }
    }
    let mut numbers = Numbers::default();
    for (_, _, kind) in Kind::TAGS {
        // First all chunks of a kind, then their items, because a list in an outline must be contiguous.
        describe_chunks(model, *kind, out);
        describe_items(model, *kind, &mut numbers, out);
    }
    for kind in [Kind::List, Kind::Unknown] {
        out.list(kind.name());
        for node in nodes_of(model, kind) {
            describe_chunk(&node, None, out, |out| {
                out.field("tag", ByteStr::new(&*node.chunk.header().tag));
            });
        }
    }
}

/// Describes the chunks of a kind as one list. Instead of a content that cannot be read, reports the error.
fn describe_chunks(model: &Model<'_>, kind: Kind, out: &mut Outline<'_>) {
    out.list(kind.name());
    for node in nodes_of(model, kind) {
        match node.content() {
            Ok(content) => describe_content(&node, &content, out),
            Err(error) => describe_chunk(&node, None, out, |out| out.problem(&error)),
        }
    }
}

/// Describes the items in all chunks of a kind as one common list, if the kind has one.
fn describe_items(model: &Model<'_>, kind: Kind, numbers: &mut Numbers, out: &mut Outline<'_>) {
    let Some(list) = common_list(kind) else { return };
    out.list(list);
    for node in nodes_of(model, kind) {
        // `describe_chunks` has reported a content that cannot be read.
        if let Ok(content) = node.content() {
            add_to_common_list(&node, &content, numbers, out);
        }
    }
}

/// Returns the chunks of a kind whose headers can be read.
fn nodes_of<'a>(model: &Model<'a>, kind: Kind) -> impl Iterator<Item = Node<'a>> {
    model.nodes().flatten().filter(move |node| node.kind == kind)
}

/// Dissects a file: in file order, with each chunk inside its parent.
pub(super) fn dissect(model: &Model<'_>, out: &mut Outline<'_>) {
    // With the digit of the version.
    let (signature, _) = model.as_bytes().split_at_checked(8).unwrap_or_default();
    Framing(ByteStr::new(signature)).describe_at("signature", Span { offset: 0, bytes: 8 }, out);
    level(&mut model.nodes().peekable(), 0, &mut Numbers::default(), out);
}

/// Returns true if a chunk is at this depth or deeper. One that cannot be read counts as such.
fn is_inside(node: &Result<Node<'_>>, depth: usize) -> bool {
    match node {
        Ok(node) => node.depth >= depth,
        Err(_) => true,
    }
}

/// Describes the next chunks of the walk that are at this depth, each with the chunks inside it.
fn level(nodes: &mut Peekable<Nodes<'_>>, depth: usize, numbers: &mut Numbers, out: &mut Outline<'_>) {
    while let Some(node) = nodes.next_if(|node| is_inside(node, depth)) {
        let Some(node) = out.ok(node) else { continue };
        let part = Part::item(node.kind.name(), node.index).spanning(node.chunk.offset(), node.chunk.byte_len());
        out.part(part.rooted(), |out| {
            node.chunk.header().describe_fields(node.chunk.offset(), out);
            if let Some(content) = out.ok(node.content()) {
                describe_content(&node, &content, out);
                add_to_common_list(&node, &content, numbers, out);
            }
            level(nodes, node.depth.saturating_add(1), numbers, out);
        });
    }
}

/// Describes a chunk with its content. Describes nothing of a chunk that contains only chunks. If the format does not
/// define the content, only a dissection shows it.
fn describe_content(node: &Node<'_>, content: &Content<'_>, out: &mut Outline<'_>) {
    match content {
        Content::Info(info) => describe_record(node, info, out),
        Content::Skeleton(skeleton) => describe_record(node, skeleton, out),
        Content::Animation(animation) => describe_record(node, animation, out),
        Content::LightScheme(scheme) => describe_record(node, scheme, out),
        Content::ColliderSet(set) => describe_record(node, set, out),
        Content::Screenshot(screenshot) => describe_record(node, screenshot, out),
        Content::MaterialList(list) => describe_record(node, list, out),
        Content::TextureList(list) => describe_record(node, list, out),
        Content::ShaderList(list) => describe_record(node, list, out),
        Content::Mesh(mesh) => describe_record(&read_as(node, mesh.uv_counts_apart), mesh, out),
        Content::MorphCollections(morphs) => describe_record(&read_as(node, morphs.wide_records), morphs, out),
        Content::MorphMeshes(morphs) => describe_record(node, morphs, out),
        Content::Physics(physics) => describe_record(node, physics, out),
        Content::ProxySet(set) => describe_record(&read_as(node, set.wide_records), set, out),
        Content::Unknown if out.dissects() => {
            let body = node.chunk.body();
            describe_opaque("data", Span { offset: body.offset(), bytes: body.left() }, out);
        }
        Content::Chunks | Content::Unknown => {}
    }
}

/// Returns the chunk as one to be read in this way: as the description says, or as the author's own loader does. A
/// description reads it again, and so must follow the way in which it was read.
fn read_as<'a>(node: &Node<'a>, as_described: bool) -> Node<'a> {
    Node { as_described, ..*node }
}

/// Returns the name of the common list to which chunks of this kind add.
fn common_list(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::MaterialList => "materials",
        Kind::TextureList => "textures",
        Kind::ShaderList => "shaders",
        Kind::MorphCollections => "morph_collections",
        Kind::MorphMeshes => "morph_meshes",
        _ => return None,
    })
}

/// Adds the items of a chunk to the common list of its kind, if there is one.
fn add_to_common_list(node: &Node<'_>, content: &Content<'_>, numbers: &mut Numbers, out: &mut Outline<'_>) {
    let Some(list) = common_list(node.kind) else { return };
    match content {
        Content::MaterialList(materials) => {
            records_of::<Material<'_>, _, _>((node, list), materials.materials.located(), materials.kind, numbers, out);
        }
        Content::TextureList(textures) => {
            // The cursor of a record ends with it, so that no field of a texture exceeds its record.
            let records = textures.records.located().map(|(start, span, record)| match &record {
                Ok(TextureRecord(cursor)) => (*cursor, span, record),
                Err(_) => (start, span, record),
            });
            records_of::<Texture<'_>, _, _>((node, list), records, (), numbers, out);
        }
        Content::ShaderList(shaders) => {
            records_of::<Shader<'_>, _, _>((node, list), shaders.shaders.located(), (), numbers, out);
        }
        Content::MorphCollections(morphs) => {
            // A dissection has shown the arrays of the chunk, of which each collection has a part.
            let mut out = out.repeating(out.dissects());
            for collection in morphs.collections() {
                let part = numbers.item(list).rooted().labelled(collection.name);
                out.part(part, |out| morph_collection(&collection, node, out));
            }
        }
        Content::MorphMeshes(morphs) => {
            // As above.
            let mut out = out.repeating(out.dissects());
            for mesh in morphs.meshes() {
                let part = numbers.item(list).rooted().labelled(mesh.name);
                out.part(part, |out| morph_mesh(&mesh, node, out));
            }
        }
        _ => {}
    }
}

/// Adds the records of a chunk to a common list, with the index of their model. `found` has the start, the byte range
/// and the result of reading each. Reports those that cannot be read, and skips them.
fn records_of<'a, T: Record<'a, C>, C: Copy, E>(
    (node, list): (&Node<'a>, &'static str),
    found: impl Iterator<Item = (Cursor<'a>, Span, Result<E>)>,
    context: C,
    numbers: &mut Numbers,
    out: &mut Outline<'_>,
) {
    for (start, Span { offset, bytes }, entry) in found {
        if out.ok(entry).is_none() {
            continue;
        }
        // An entry may be found without reading its fields, so they are read here.
        let record = T::read(&mut start.clone(), context);
        let mut part = numbers.item(list);
        if let Ok(record) = &record {
            part.label = record.label();
        }
        out.part(part.rooted().spanning(offset, bytes), |out| {
            if out.ok(record).is_some() {
                out.field("model", node.part);
                describe_fields::<T, C>(start, context, out);
            }
        });
    }
}

/// Describes a chunk as a part with its range, the index of its model, and what `inside` describes. In a dissection,
/// [`level`] has opened the part, so only the inside is described.
fn describe_chunk(
    node: &Node<'_>,
    label: Option<Text<'_>>,
    out: &mut Outline<'_>,
    inside: impl FnOnce(&mut Outline<'_>),
) {
    if out.dissects() {
        return inside(out);
    }
    let part = Part { label, ..Part::item(node.kind.name(), node.index) };
    let part = part.spanning(node.chunk.offset(), node.chunk.byte_len());
    out.part(part, |out| {
        if node.kind != Kind::Part {
            out.field("model", node.part);
            out.field("count", node.count_hint());
        }
        inside(out);
    });
}

/// Describes a chunk whose data is this record.
fn describe_record<'a, T: Record<'a, Node<'a>>>(node: &Node<'a>, record: &T, out: &mut Outline<'_>) {
    describe_chunk(node, record.label(), out, |out| {
        if let Some(body) = out.ok(node.body()) {
            describe_fields::<T, _>(body, *node, out);
        }
    });
}

/// Describes the fields of a morph collection, its bones and animations, and its arrays.
fn morph_collection(collection: &MorphCollection<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("model", node.part);
    out.field("name", collection.name);
    out.field("collider_name", collection.collider_name);
    out.field("parent", collection.record.parent.get());
    out.field("parent_bone", collection.record.parent_bone.get());
    out.field("proxy", collection.record.proxy.get());
    out.field("frame_count", collection.frame_count);
    records(("bone_records", "bones"), collection.bones, collection.bone_names(), out);
    records(("animation_records", "animations"), collection.animations, collection.animation_names(), out);
    out.array("matrices", &collection.matrices);
    out.array("colliders", &collection.colliders);
}

/// Describes the fields and the vertices of a morphed mesh.
fn morph_mesh(mesh: &MorphMesh<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("model", node.part);
    out.field("name", mesh.name);
    out.field("collection", mesh.collection_name);
    out.field("mesh", mesh.record.mesh.get());
    out.field("frame_count", mesh.record.frames.get());
    out.field("vertex_count", mesh.record.vertices.get());
    out.array("vertices", &mesh.vertices);
}
