//! Every field of a scene, told once.
//!
//! Lists stand beside each other and name their nodes by number: how deep a file nests has no bound that a reader of
//! documents could count on.

use super::{Bone, Brush, Mesh, Node, Part as Kind, Scene, Step, Texture, Vertices};
use crate::error::Context;
use crate::inspect::{Outline, Part};

pub(super) fn scene(scene: &Scene<'_>, out: &mut Outline<'_>) {
    out.field("version", scene.version());
    out.field("trailing_bytes", scene.trailing().len());
    for (index, texture) in scene.textures().enumerate() {
        if let Some(texture) = out.ok(texture) {
            self::texture(&texture, index, out);
        }
    }
    for (index, brush) in scene.brushes().enumerate() {
        if let Some(brush) = out.ok(brush) {
            self::brush(&brush, index, out);
        }
    }
    for node in scene.nodes() {
        if let Some(node) = out.ok(node) {
            self::node(&node, out);
        }
    }
    let nodes = || scene.nodes().flatten();
    let meshes = nodes().flat_map(|node| node.meshes().map(move |mesh| (node, mesh)));
    for (index, (node, mesh)) in meshes.enumerate() {
        let part = Part::item("meshes", index).labelled(node.name);
        match mesh {
            Ok(mesh) => self::mesh(&mesh, &node, part, out),
            Err(error) => out.part(part, |out| out.problem(&error.within_item("nodes", node.index))),
        }
    }
    let bones = nodes().flat_map(|node| node.bones().map(move |bone| (node, bone)));
    for (index, (node, bone)) in bones.enumerate() {
        out.part(Part::item("bones", index).labelled(node.name), |out| {
            if let Some(bone) = out.ok(bone.within_item("nodes", node.index)) {
                self::bone(&bone, &node, out);
            }
        });
    }
    let unknown = scene.walk().flatten().filter(|step| matches!(step.part, Kind::Unknown));
    for (index, Step { chunk, node, .. }) in unknown.enumerate() {
        let tag = chunk.tag().to_string();
        out.part(Part::item("unknown_chunks", index).spanning(chunk.offset(), chunk.bytes()), |out| {
            out.field("tag", tag.as_str());
            out.field("node", node);
        });
    }
}

fn texture(texture: &Texture<'_>, index: usize, out: &mut Outline<'_>) {
    // Behind the name and its NUL come 28 bytes.
    let bytes = (texture.name.len() as u64).saturating_add(29);
    out.part(Part::item("textures", index).labelled(texture.name).spanning(texture.offset, bytes), |out| {
        out.field("name", texture.name);
        out.field("flags", texture.flags.0);
        out.texts("flag_names", texture.flags.names());
        out.coded("blend", texture.blend.0, texture.blend.name());
        out.field("position", texture.position);
        out.field("scale", texture.scale);
        out.field("rotation", texture.rotation);
    });
}

fn brush(brush: &Brush<'_>, index: usize, out: &mut Outline<'_>) {
    let ids = brush.texture_ids.as_bytes().len() as u64;
    let bytes = (brush.name.len() as u64).saturating_add(29).saturating_add(ids);
    out.part(Part::item("brushes", index).labelled(brush.name).spanning(brush.offset, bytes), |out| {
        out.field("name", brush.name);
        out.field("color", brush.color);
        out.field("shininess", brush.shininess);
        out.coded("blend", brush.blend.0, brush.blend.name());
        out.field("fx", brush.fx.0);
        out.texts("fx_names", brush.fx.names());
        out.field("texture_ids", brush.texture_ids.iter().take(64).map(|id| id.get().into()).collect::<Vec<i64>>());
        out.field("textures_a_brush", brush.texture_ids.len());
    });
}

fn node(node: &Node<'_>, out: &mut Outline<'_>) {
    let chunk = node.chunk();
    out.part(Part::item("nodes", node.index).labelled(node.name).spanning(chunk.offset(), chunk.bytes()), |out| {
        out.field("name", node.name);
        out.field("parent", node.parent);
        out.field("depth", node.depth);
        out.field("position", node.position());
        out.field("scale", node.scale());
        out.field("rotation", node.rotation());
        let kind = match (node.meshes().next(), node.bones().next()) {
            (Some(_), _) => "mesh",
            (None, Some(_)) => "bone",
            (None, None) => "pivot",
        };
        out.field("kind", kind);
        if let Some(animation) = out.ok(node.animation()).flatten() {
            out.part(Part::one("animation"), |out| {
                out.field("flags", animation.flags);
                out.field("frames", animation.frames);
                out.field("fps", animation.fps);
                out.field("seconds", animation.seconds());
            });
        }
        for (index, keys) in node.keys().enumerate() {
            out.part(Part::item("keys", index), |out| {
                let Some(keys) = out.ok(keys) else { return };
                out.field("flags", keys.flags());
                let frames = || keys.frames().iter().map(|frame| frame.get());
                out.field("first_frame", frames().min());
                out.field("last_frame", frames().max());
                out.array("records", &keys);
            });
        }
    });
}

fn mesh(mesh: &Mesh<'_>, node: &Node<'_>, part: Part<'_>, out: &mut Outline<'_>) {
    let chunk = mesh.chunk();
    out.part(part.spanning(chunk.offset(), chunk.bytes()), |out| {
        out.field("node", node.index);
        out.field("brush_id", mesh.brush_id());
        if let Some(vertices) = out.ok(mesh.vertices()) {
            self::vertices(&vertices, out);
        }
        for (index, triangles) in mesh.triangles().enumerate() {
            out.part(Part::item("triangles", index), |out| {
                let Some(triangles) = out.ok(triangles) else { return };
                out.field("brush_id", triangles.brush_id);
                out.field("brush", triangles.brush());
                out.array("indices", &triangles.indices);
            });
        }
    });
}

fn vertices(vertices: &Vertices<'_>, out: &mut Outline<'_>) {
    out.field("vertex_flags", vertices.flags());
    out.field("tex_coord_sets", vertices.sets());
    out.field("tex_coord_set_size", vertices.set_size());
    out.field("stride", vertices.stride());
    out.array("positions", &vertices.positions());
    if let Some(normals) = vertices.normals() {
        out.array("normals", &normals);
    }
    if let Some(colors) = vertices.colors() {
        out.array("colors", &colors);
    }
    for set in 0..vertices.sets() {
        if let Some(coords) = vertices.tex_coords(set) {
            out.array_item("uvs", set, &coords);
        }
    }
}

fn bone(bone: &Bone<'_>, node: &Node<'_>, out: &mut Outline<'_>) {
    out.field("node", node.index);
    out.field("mesh_offset", bone.mesh().map(|mesh| mesh.chunk().offset()));
    out.array("weights", &bone.weights);
}
