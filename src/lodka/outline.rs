//! Every field of a file, told once.
//!
//! What several models hold stands in common lists, each item with the number of its model: nearly all files have one.

use super::chunk::{Entries, Entry, Kind};
use super::codes::Field;
use super::content::Content;
use super::wire::Record;
use super::{
    Animation, Bone, ColliderSet, FaceGroup, Info, LightScheme, Material, Mesh, Model, MorphCollection, MorphMesh,
    Node, Physics, ProxySet, Screenshot, Shader, Skeleton, Texture, TextureRecord,
};
use crate::inspect::{Outline, Part, Span};
use crate::view::{ByteStr, LeArray};

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
                out.field("tag", ByteStr::new(&node.chunk.header().tag));
                out.field("count", node.count_hint());
            });
        }
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
        Content::Info(info) => chunk(node, None, out, |out| self::info(info, out)),
        Content::Skeleton(skeleton) => chunk(node, None, out, |out| self::skeleton(skeleton, out)),
        Content::Animation(animation) => {
            chunk(node, Some(animation.name), out, |out| self::animation(animation, out));
        }
        Content::MaterialList(list) => {
            chunk(node, None, out, |out| {
                out.field("kind", list.kind);
                out.field("material_count", list.material_count);
            });
        }
        Content::TextureList(list) => {
            chunk(node, None, out, |out| {
                out.field("kind", list.kind);
                out.field("texture_count", list.texture_count);
            });
        }
        Content::ShaderList(list) => {
            chunk(node, None, out, |out| {
                out.field("kind", list.kind);
                out.field("shader_count", list.shader_count);
            });
        }
        Content::Mesh(mesh) => chunk(node, Some(mesh.name), out, |out| self::mesh(mesh, out)),
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
        Content::LightScheme(scheme) => chunk(node, Some(scheme.name), out, |out| light_scheme(scheme, out)),
        Content::ProxySet(set) => chunk(node, None, out, |out| proxy_set(set, out)),
        Content::ColliderSet(set) => chunk(node, Some(set.name), out, |out| collider_set(set, out)),
        Content::Screenshot(screenshot) => {
            chunk(node, Some(screenshot.name), out, |out| self::screenshot(screenshot, out));
        }
        Content::Chunks | Content::Unknown => {}
    }
}

/// What a chunk adds to the common lists.
fn items(node: &Node<'_>, content: &Content<'_>, flat: &mut Flat, out: &mut Outline<'_>) {
    match content {
        Content::MaterialList(list) => entries(list.materials(), out, |material: &Material<'_>, span, out| {
            let part = Part::item("materials", next(&mut flat.materials)).labelled(material.name);
            out.part(spanning(part, span), |out| self::material(material, node, out));
        }),
        Content::TextureList(list) => entries(list.records(), out, |record: &TextureRecord<'_>, span, out| {
            let part = Part::item("textures", next(&mut flat.textures));
            match record.texture() {
                Ok(texture) => out.part(spanning(part.labelled(texture.file_name), span), |out| {
                    self::texture(&texture, node, out);
                }),
                Err(error) => out.part(spanning(part, span), |out| out.problem(&error)),
            }
        }),
        Content::ShaderList(list) => entries(list.shaders(), out, |shader: &Shader<'_>, span, out| {
            let part = Part::item("shaders", next(&mut flat.shaders));
            out.part(spanning(part, span), |out| self::shader(shader, node, out));
        }),
        Content::MorphCollections(morphs) => {
            for collection in morphs.collections() {
                let part = Part::item("morph_collections", next(&mut flat.morph_collections));
                out.part(part.labelled(collection.name), |out| morph_collection(&collection, node, out));
            }
        }
        Content::MorphMeshes(morphs) => {
            for mesh in morphs.meshes() {
                let part = Part::item("morph_meshes", next(&mut flat.morph_meshes)).labelled(mesh.name);
                out.part(part, |out| morph_mesh(&mesh, node, out));
            }
        }
        _ => {}
    }
}

/// The item of a chunk: where it lies and which model it is of.
fn chunk(node: &Node<'_>, label: Option<ByteStr<'_>>, out: &mut Outline<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
    let part = Part::item(node.kind.name(), node.index).spanning(node.chunk.offset(), node.chunk.bytes());
    let part = match label {
        Some(label) => part.labelled(label),
        None => part,
    };
    out.part(part, |out| {
        if node.kind != Kind::Part {
            out.field("model", node.part);
        }
        inside(out);
    });
}

/// Each entry with its place, or what is wrong with it.
fn entries<'a, T: Entry<'a>>(
    entries: Entries<'a, T>,
    out: &mut Outline<'_>,
    mut tell: impl FnMut(&T, Span, &mut Outline<'_>),
) {
    for (span, entry) in entries.spanned() {
        if let Some(entry) = out.ok(entry) {
            tell(&entry, span, out);
        }
    }
}

fn spanning(part: Part<'_>, span: Span) -> Part<'_> {
    Part { span: Some(span), ..part }
}

/// Records as one array, and one by one with their names.
fn records<'a, T: Record>(
    (array, list): (&'static str, &'static str),
    table: LeArray<'_, T>,
    mut names: impl Iterator<Item = ByteStr<'a>>,
    out: &mut Outline<'_>,
) {
    out.array(array, &table);
    for (index, record) in table.iter().enumerate() {
        let bytes = size_of::<T>() as u64;
        let part =
            Part::item(list, index).spanning(table.offset().saturating_add(bytes.saturating_mul(index as u64)), bytes);
        let name = names.next();
        let part = match name {
            Some(name) => part.labelled(name),
            None => part,
        };
        out.part(part, |out| {
            if let Some(name) = name {
                out.field("name", name);
            }
            record.tell_fields(out);
        });
    }
}

fn info(info: &Info<'_>, out: &mut Outline<'_>) {
    // A text longer than this is for a dump, not for a list of fields.
    let text = (info.bytes.len() <= 4096).then(|| ByteStr::new(info.bytes.as_bytes()));
    out.field("text", text);
    out.array("bytes", &info.bytes);
}

fn skeleton(skeleton: &Skeleton<'_>, out: &mut Outline<'_>) {
    out.field("kind", skeleton.kind);
    out.field("bone_count", skeleton.bone_count);
    let mut index = 0;
    entries(skeleton.bones(), out, |bone: &Bone<'_>, span, out| {
        let part = Part::item("bones", next(&mut index)).labelled(bone.name);
        out.part(spanning(part, span), |out| {
            out.field("id", bone.id);
            out.field("parent", bone.parent);
            out.field("name", bone.name);
        });
    });
}

fn animation(animation: &Animation<'_>, out: &mut Outline<'_>) {
    out.field("name", animation.name);
    out.field("kind", animation.kind);
    out.field("interval", animation.interval);
    animation.mode.tell("mode", out);
    out.field("frame_count", animation.frame_count);
    out.field("bone_count", animation.bone_count);
    out.field("duration", animation.duration());
    out.array("keys", &animation.keys);
}

fn material(material: &Material<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("model", node.part);
    out.field("name", material.name);
    out.field("textures", material.texture_field);
    let [first, second] = material.textures();
    out.field("first_texture", first);
    out.field("second_texture", second);
    if let Some(options) = material.options {
        options.tell_fields(out);
    }
    match material.mapping {
        Some(mapping) => mapping.tell("mapping_mode", out),
        None => out.field("mapping_mode", None::<u8>),
    }
}

fn texture(texture: &Texture<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("model", node.part);
    out.field("kind", texture.kind);
    out.field("material", texture.material);
    out.field("file_name", texture.file_name);
    out.field("image_kind", texture.image_kind().map(|kind| kind.name()));
    out.array("reserve", &texture.reserve);
    out.array("data", &texture.data);
}

fn shader(shader: &Shader<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("model", node.part);
    out.coded("kind", shader.kind, (shader.kind == 1).then_some("bump"));
    if let Some(bump) = out.ok(shader.bump()).flatten() {
        out.part(Part::one("bump"), |out| {
            out.field("material", bump.material);
            out.field("normal_material", bump.normal_material);
            out.field("specular_material", bump.specular_material);
            out.field("light_power", bump.light_power);
            out.field("specular_power", bump.specular_power);
            out.array("reserve", &bump.reserve);
        });
    }
    out.array("data", &shader.data);
}

fn mesh(mesh: &Mesh<'_>, out: &mut Outline<'_>) {
    out.field("name", mesh.name);
    mesh.has_skeleton.tell("has_skeleton", out);
    out.field("mode", mesh.mode);
    mesh.visible.tell("visible", out);
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
    entries(mesh.face_groups(), out, |group: &FaceGroup<'_>, span, out| {
        let part = Part::item("face_groups", next(&mut index)).labelled(group.name);
        out.part(spanning(part, span), |out| face_group(group, out));
    });
}

fn face_group(group: &FaceGroup<'_>, out: &mut Outline<'_>) {
    out.field("kind", group.kind);
    group.mode.tell("mode", out);
    out.field("name", group.name);
    group.visible.tell("visible", out);
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
    physics.header.tell_fields(out);
    out.array("mesh_links", &physics.mesh_links);
    records(("body_records", "bodies"), physics.bodies, physics.body_names(), out);
    records(("geom_records", "geoms"), physics.geoms, physics.geom_names(), out);
    records(("joint_records", "joints"), physics.joints, std::iter::empty(), out);
}

fn light_scheme(scheme: &LightScheme<'_>, out: &mut Outline<'_>) {
    out.field("name", scheme.name);
    records(("light_records", "lights"), scheme.lights, std::iter::empty(), out);
}

fn proxy_set(set: &ProxySet<'_>, out: &mut Outline<'_>) {
    out.field("mesh", set.mesh);
    out.field("wide_records", set.proxies.is_wide());
    out.array("proxy_records", set.proxies.table());
    for (index, (proxy, name)) in set.proxies.iter().zip(set.names.iter()).enumerate() {
        out.part(Part::item("proxies", index).labelled(name), |out| {
            out.field("name", name);
            proxy.tell_fields(out);
        });
    }
}

fn collider_set(set: &ColliderSet<'_>, out: &mut Outline<'_>) {
    out.field("name", set.name);
    records(("collider_records", "colliders"), set.colliders, set.names.iter(), out);
}

fn screenshot(screenshot: &Screenshot<'_>, out: &mut Outline<'_>) {
    out.field("kind", screenshot.kind);
    out.field("name", screenshot.name);
    out.field("image_kind", screenshot.image_kind().map(|kind| kind.name()));
    out.array("data", &screenshot.data);
}
