//! Every field of a file, told once.
//!
//! What several models hold stands in common lists, each item with the number of its model: nearly all files have one.

use std::iter::Peekable;

use super::chunk::{Kind, Nodes};
use super::content::Content;
use super::embedded::Bump;
use super::fields::Length;
use super::{FaceGroup, Material, Mesh, Model, MorphCollection, MorphMesh, Node, Physics, ProxySet, Shader, Texture};
use crate::inspect::{Outline, Part, Span, StoredField, Text, Value};
use crate::view::record::{Fixed, Framing, Plain, Read, Record, Stored, Type, tell_part};
use crate::view::{ByteStr, Element, LeArray};

pub(super) fn model(model: &Model<'_>, out: &mut Outline<'_>) {
    let list = |kind: Kind| model.nodes().flatten().filter(move |node| node.kind == kind);
    for node in model.nodes() {
        // What is wrong inside a chunk is told where the chunk is.
        let Some(node) = out.ok(node) else { continue };
        if node.kind == Kind::Part {
            chunk(&node, None, out, |out| out.field("chunk_count", node.count_hint()));
        }
    }
    let mut flat = Flat::default();
    for kind in Kind::DATA {
        // All chunks of a kind, then what they add to the common lists: a list is told in one go.
        for adds in [false, true] {
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
        for node in list(kind) {
            chunk(&node, None, out, |out| {
                out.field("tag", ByteStr::new(&*node.chunk.header().tag));
                out.field("count", node.count_hint());
            });
        }
    }
}

/// The same in the order of the file: each chunk inside the one around it.
pub(super) fn dissect(model: &Model<'_>, out: &mut Outline<'_>) {
    let (signature, _) = model.as_bytes().split_at_checked(8).unwrap_or_default();
    Framing(ByteStr::new(signature)).tell_at("signature", Span { offset: 0, bytes: 8 }, out);
    level(&mut model.nodes().peekable(), 0, &mut Flat::default(), out);
}

fn level(nodes: &mut Peekable<Nodes<'_>>, depth: usize, flat: &mut Flat, out: &mut Outline<'_>) {
    while let Some(node) = nodes.next_if(|node| node.as_ref().map_or(true, |node| node.depth >= depth)) {
        let Some(node) = out.ok(node) else { continue };
        let part = Part::item(node.kind.name(), node.index).spanning(node.chunk.offset(), node.chunk.bytes());
        out.part(part.rooted(), |out| {
            node.chunk.header().tell_fields(node.chunk.offset(), out);
            if let Some(content) = out.ok(node.content()) {
                self::content(&node, &content, out);
                items(&node, &content, flat, out);
            }
            level(nodes, node.depth.saturating_add(1), flat, out);
        });
    }
}

/// How many were told of what stands in lists of its own, whatever chunks it comes from.
#[derive(Default)]
struct Flat {
    materials: usize,
    textures: usize,
    shaders: usize,
    morph_collections: usize,
    morph_meshes: usize,
}

fn next(count: &mut usize) -> usize {
    let index = *count;
    *count = count.saturating_add(1);
    index
}

fn content(node: &Node<'_>, content: &Content<'_>, out: &mut Outline<'_>) {
    match content {
        Content::Info(info) => told(node, info, out),
        Content::Skeleton(skeleton) => told(node, skeleton, out),
        Content::Animation(animation) => told(node, animation, out),
        Content::LightScheme(scheme) => told(node, scheme, out),
        Content::ColliderSet(set) => told(node, set, out),
        Content::Screenshot(screenshot) => told(node, screenshot, out),
        Content::MaterialList(list) => told(node, list, out),
        Content::TextureList(list) => told(node, list, out),
        Content::ShaderList(list) => told(node, list, out),
        Content::Mesh(mesh) => chunk(node, Some(mesh.name.into()), out, |out| self::mesh(mesh, out)),
        Content::MorphCollections(morphs) => {
            chunk(node, None, out, |out| {
                out.field("kind", morphs.kind);
                out.field("wide_records", morphs.records.is_wide());
                out.array("records", morphs.records.table());
            });
        }
        Content::MorphMeshes(morphs) => {
            chunk(node, None, out, |out| {
                out.field("kind", morphs.kind);
                out.field("vertex_count", morphs.vertex_count_hint);
                out.array("records", &morphs.records);
            });
        }
        Content::Physics(physics) => chunk(node, None, out, |out| self::physics(physics, out)),
        Content::ProxySet(set) => chunk(node, None, out, |out| proxy_set(set, out)),
        Content::Unknown if out.dissects() => {
            let body = node.chunk.body();
            let span = Span { offset: body.offset(), bytes: body.left() };
            let bytes = StoredField { name: "data", kind: Type::Varying("bytes", 0), span, framing: false };
            out.stored(&bytes, Value::Opaque(span));
        }
        Content::Chunks | Content::Unknown => {}
    }
}

/// What a chunk adds to the common lists.
fn items(node: &Node<'_>, content: &Content<'_>, flat: &mut Flat, out: &mut Outline<'_>) {
    match content {
        Content::MaterialList(list) => {
            for (mut cursor, span, material) in list.materials.located() {
                let Some(material) = out.ok(material) else { continue };
                let part = Part { label: material.label(), ..Part::item("materials", next(&mut flat.materials)) };
                out.part(part.rooted().spanning(span.offset, span.bytes), |out| {
                    out.field("model", node.part);
                    let again = Material::tell_fields(&mut cursor, list.kind, out);
                    out.ok(again);
                });
            }
        }
        Content::TextureList(list) => {
            for (mut cursor, span, record) in list.records.located() {
                let Some(record) = out.ok(record) else { continue };
                let texture = record.texture();
                let label = texture.as_ref().ok().and_then(|texture| texture.label());
                let part = Part { label, ..Part::item("textures", next(&mut flat.textures)) };
                out.part(part.rooted().spanning(span.offset, span.bytes), |out| {
                    if out.ok(texture).is_none() {
                        return;
                    }
                    out.field("model", node.part);
                    for size in ["option_size", "data_size"] {
                        let again = Framing::<Length>::tell(&mut cursor, (), size, out);
                        out.ok(again);
                    }
                    let again = Texture::tell_fields(&mut record.options.clone(), record.data, out);
                    out.ok(again);
                });
            }
        }
        Content::ShaderList(list) => {
            for (mut cursor, span, shader) in list.shaders.located() {
                let Some(shader) = out.ok(shader) else { continue };
                let part = Part::item("shaders", next(&mut flat.shaders)).rooted().spanning(span.offset, span.bytes);
                out.part(part, |out| {
                    out.field("model", node.part);
                    let again = Framing::<Length>::tell(&mut cursor, (), "size", out);
                    out.ok(again);
                    self::shader(&shader, out);
                });
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

/// The item of a chunk: where it lies and which model it is of.
fn chunk(node: &Node<'_>, label: Option<Text<'_>>, out: &mut Outline<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
    if out.dissects() {
        return inside(out);
    }
    let part = Part { label, ..Part::item(node.kind.name(), node.index) };
    let part = part.spanning(node.chunk.offset(), node.chunk.bytes());
    out.part(part, |out| {
        if node.kind != Kind::Part {
            out.field("model", node.part);
        }
        inside(out);
    });
}

/// Records as one array, and one by one with their names.
pub(super) fn records<'a, T: Element + Fixed>(
    (array, list): (&'static str, &'static str),
    table: LeArray<'_, T>,
    mut names: impl Iterator<Item = ByteStr<'a>>,
    out: &mut Outline<'_>,
) {
    if !out.dissects() {
        out.array(array, &table);
    }
    for (index, record) in table.iter().enumerate() {
        let bytes = size_of::<T>() as u64;
        let offset = table.offset().saturating_add(bytes.saturating_mul(index as u64));
        let part = Part::item(list, index).spanning(offset, bytes);
        let name = names.next();
        let part = match name {
            Some(name) => part.labelled(name),
            None => part,
        };
        out.part(part, |out| {
            if let Some(name) = name {
                out.field("name", name);
            }
            record.tell_fields(offset, out);
        });
    }
}

/// A chunk whose data is one record.
fn told<'a, T: Record<'a, Node<'a>>>(node: &Node<'a>, record: &T, out: &mut Outline<'_>) {
    chunk(node, record.label(), out, |out| {
        let again = node.body().and_then(|mut body| T::tell_fields(&mut body, *node, out));
        out.ok(again);
    });
}

fn shader(shader: &Shader<'_>, out: &mut Outline<'_>) {
    let kind = Value::Coded(shader.kind.into(), (shader.kind == 1).then(|| "bump".into()));
    let span = Span { offset: shader.data.offset().saturating_sub(1), bytes: 1 };
    out.stored(&StoredField { name: "kind", kind: u8::TYPE, span, framing: false }, kind);
    if shader.kind == 1 {
        let bump = tell_part::<Bump<'_>, ()>(&mut shader.body(), (), Part::one("bump"), out);
        out.ok(bump);
    }
    // Dissected, it is what was told right before.
    out.array("data", &shader.data);
}

fn mesh(mesh: &Mesh<'_>, out: &mut Outline<'_>) {
    out.field("name", mesh.name);
    out.field("has_skeleton", mesh.has_skeleton.value());
    out.field("mode", mesh.mode);
    out.field("visible", mesh.visible.value());
    out.array("positions", &mesh.positions);
    out.array("normals", &mesh.normals);
    out.field("uv_set_count", mesh.uv_set_count());
    out.field("uv_counts_apart", mesh.uv_counts_apart);
    for (set, uvs) in (0..2).filter_map(|set| Some((set, mesh.uvs(set)?))) {
        out.array_item("uvs", set, &uvs);
    }
    out.array("bone_ids", &mesh.bone_ids);
    out.field("weight_kind", u8::from(mesh.weights.is_some()));
    out.field("bones_per_vertex", mesh.weights.map(|weights| weights.bones_per_vertex));
    if let Some(weights) = mesh.weights {
        out.array("weights", weights.records.table());
    }
    out.field("face_group_count", mesh.face_group_count);
    let mut index = 0;
    for (span, group) in mesh.face_groups().spanned() {
        let Some(group) = out.ok(group) else { continue };
        let part = Part::item("face_groups", next(&mut index)).labelled(group.name);
        out.part(part.spanning(span.offset, span.bytes), |out| face_group(&group, out));
    }
}

fn face_group(group: &FaceGroup<'_>, out: &mut Outline<'_>) {
    out.field("kind", group.kind);
    out.field("mode", group.mode.value());
    out.field("name", group.name);
    out.field("visible", group.visible.value());
    out.field("material", group.material(0));
    out.field("second_material", group.material(1));
    out.field("triangle_count", group.triangle_count());
    out.array("vertex_indices", &group.vertex_indices);
    if let Some(smoothing) = group.smoothing {
        out.array("smoothing", &smoothing);
    }
    out.array("normal_indices", &group.normal_indices);
    for (set, indices) in (0..2).filter_map(|set| Some((set, group.uv_indices(set)?))) {
        out.array_item("uv_indices", set, &indices);
    }
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

fn physics(physics: &Physics<'_>, out: &mut Outline<'_>) {
    physics.header.tell_fields(0, out);
    out.array("mesh_links", &physics.mesh_links);
    records(("body_records", "bodies"), physics.bodies, physics.body_names(), out);
    records(("geom_records", "geoms"), physics.geoms, physics.geom_names(), out);
    records(("joint_records", "joints"), physics.joints, std::iter::empty(), out);
}

fn proxy_set(set: &ProxySet<'_>, out: &mut Outline<'_>) {
    out.field("mesh", set.mesh);
    out.field("wide_records", set.proxies.is_wide());
    out.array("proxy_records", set.proxies.table());
    for (index, (proxy, name)) in set.proxies.iter().zip(set.names.iter()).enumerate() {
        out.part(Part::item("proxies", index).labelled(name), |out| {
            out.field("name", name);
            proxy.tell_fields(0, out);
        });
    }
}
