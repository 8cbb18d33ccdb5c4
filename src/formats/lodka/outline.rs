//! The outline and the dissection of a file.
//!
//! The outline has common lists for the contents of all models, and each item has the index of its model. Nearly all
//! files have only one model.

use std::iter::Peekable;

use super::chunk::{Kind, Nodes};
use super::content::Content;
use super::fields::records;
use super::{Material, Model, MorphCollection, MorphMesh, Node, Shader, Texture};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::outline::{Outline, Part, Text};
use crate::record::{Fixed, Framing, Record, Stored as _, describe_fields, describe_opaque};

pub(super) fn model(model: &Model<'_>, out: &mut Outline<'_>) {
    let list = |kind: Kind| model.nodes().flatten().filter(move |node| node.kind == kind);
    out.list(Kind::Part.name());
    for node in model.nodes() {
        // An error inside a chunk is reported with the chunk.
        let Some(node) = out.ok(node) else { continue };
        if node.kind == Kind::Part {
            chunk(&node, None, out, |out| out.field("chunk_count", node.count_hint()));
        }
    }
    let mut flat = Flat::default();
    for kind in Kind::DATA {
        // First all chunks of a kind, then their items, because a list in an outline must be contiguous.
        for adds in [false, true] {
            match adds {
                true => common_list(*kind).into_iter().for_each(|name| out.list(name)),
                false => out.list(kind.name()),
            }
            for node in list(*kind) {
                match node.content() {
                    Ok(content) if adds => items(&node, &content, &mut flat, out),
                    Ok(content) => self::content(&node, &content, out),
                    Err(_) if adds => {}
                    Err(error) => chunk(&node, None, out, |out| out.problem(&error)),
                }
            }
        }
    }
    for kind in [Kind::List, Kind::Unknown] {
        out.list(kind.name());
        for node in list(kind) {
            chunk(&node, None, out, |out| {
                out.field("tag", ByteStr::new(&*node.chunk.header().tag));
            });
        }
    }
}

/// Dissects a file: in file order, with each chunk inside its parent.
pub(super) fn dissect(model: &Model<'_>, out: &mut Outline<'_>) {
    let (signature, _) = model.as_bytes().split_at_checked(8).unwrap_or_default();
    Framing(ByteStr::new(signature)).describe_at("signature", Span { offset: 0, bytes: 8 }, out);
    level(&mut model.nodes().peekable(), 0, &mut Flat::default(), out);
}

fn level(nodes: &mut Peekable<Nodes<'_>>, depth: usize, flat: &mut Flat, out: &mut Outline<'_>) {
    while let Some(node) = nodes.next_if(|node| node.as_ref().map_or(true, |node| node.depth >= depth)) {
        let Some(node) = out.ok(node) else { continue };
        let part = Part::item(node.kind.name(), node.index).spanning(node.chunk.offset(), node.chunk.byte_len());
        out.part(part.rooted(), |out| {
            node.chunk.header().describe_fields(node.chunk.offset(), out);
            if let Some(content) = out.ok(node.content()) {
                self::content(&node, &content, out);
                items(&node, &content, flat, out);
            }
            level(nodes, node.depth.saturating_add(1), flat, out);
        });
    }
}

/// The number of items added so far to lists that several chunks share.
#[derive(Default)]
struct Flat {
    materials: usize,
    textures: usize,
    shaders: usize,
    morph_collections: usize,
    morph_meshes: usize,
}

fn next(count: &mut usize) -> usize {
    std::mem::replace(count, count.saturating_add(1))
}

fn content(node: &Node<'_>, content: &Content<'_>, out: &mut Outline<'_>) {
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
        Content::Mesh(mesh) => read_with(node, mesh, mesh.layout(), out),
        Content::MorphCollections(morphs) => read_with(node, morphs, morphs.layout(), out),
        Content::MorphMeshes(morphs) => describe_record(node, morphs, out),
        Content::Physics(physics) => describe_record(node, physics, out),
        Content::ProxySet(set) => read_with(node, set, set.layout(), out),
        Content::Unknown if out.dissects() => {
            let body = node.chunk.body();
            describe_opaque("data", Span { offset: body.offset(), bytes: body.left() }, out);
        }
        Content::Chunks | Content::Unknown => {}
    }
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

/// Adds the items of a chunk to the common lists.
fn items(node: &Node<'_>, content: &Content<'_>, flat: &mut Flat, out: &mut Outline<'_>) {
    match content {
        Content::MaterialList(list) => {
            for (cursor, span, material) in list.materials.located() {
                if out.ok(material).is_some() {
                    item::<Material<'_>, _>(("materials", &mut flat.materials), node, span, (cursor, list.kind), out);
                }
            }
        }
        Content::TextureList(list) => {
            for (record, span) in list.records.spanned() {
                if let Some(record) = out.ok(record) {
                    item::<Texture<'_>, _>(("textures", &mut flat.textures), node, span, (record.0, ()), out);
                }
            }
        }
        Content::ShaderList(list) => {
            for (cursor, span, shader) in list.shaders.located() {
                if out.ok(shader).is_some() {
                    item::<Shader<'_>, _>(("shaders", &mut flat.shaders), node, span, (cursor, ()), out);
                }
            }
        }
        Content::MorphCollections(morphs) => {
            for collection in morphs.collections() {
                let part = Part::item("morph_collections", next(&mut flat.morph_collections)).rooted();
                out.part(part.labelled(collection.name), |out| morph_collection(&collection, node, out));
            }
        }
        Content::MorphMeshes(morphs) => {
            for mesh in morphs.meshes() {
                let part = Part::item("morph_meshes", next(&mut flat.morph_meshes)).rooted().labelled(mesh.name);
                out.part(part, |out| morph_mesh(&mesh, node, out));
            }
        }
        _ => {}
    }
}

/// Adds an item to a common list, with the index of its model.
fn item<'a, T: Record<'a, C>, C: Copy>(
    (list, count): (&'static str, &mut usize),
    node: &Node<'a>,
    Span { offset, bytes }: Span,
    (cursor, context): (Cursor<'a>, C),
    out: &mut Outline<'_>,
) {
    let record = T::read(&mut cursor.clone(), context);
    let label = record.as_ref().ok().and_then(|record| record.label());
    let part = Part { label, ..Part::item(list, next(count)) };
    out.part(part.rooted().spanning(offset, bytes), |out| {
        if out.ok(record).is_some() {
            out.field("model", node.part);
            describe_fields::<T, C>(cursor, context, out);
        }
    });
}

/// Describes a chunk, with its range and the index of its model.
fn chunk(node: &Node<'_>, label: Option<Text<'_>>, out: &mut Outline<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
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

/// Describes a chunk whose data is one record.
fn describe_record<'a, T: Record<'a, Node<'a>>>(node: &Node<'a>, record: &T, out: &mut Outline<'_>) {
    read_with(node, record, *node, out);
}

/// Describes a chunk whose record needs this context.
fn read_with<'a, T: Record<'a, C>, C>(node: &Node<'a>, record: &T, context: C, out: &mut Outline<'_>) {
    chunk(node, record.label(), out, |out| {
        if let Some(body) = out.ok(node.body()) {
            describe_fields::<T, C>(body, context, out);
        }
    });
}

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

fn morph_mesh(mesh: &MorphMesh<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("model", node.part);
    out.field("name", mesh.name);
    out.field("collection", mesh.collection_name);
    out.field("mesh", mesh.record.mesh.get());
    out.field("frame_count", mesh.record.frames.get());
    out.field("vertex_count", mesh.record.vertices.get());
    out.array("vertices", &mesh.vertices);
}
