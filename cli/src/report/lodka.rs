//! Describes a LODka3D model in words.

use std::io::{Result, Write};
use std::iter::{repeat, zip};

use meshpeek::lodka::{
    AnsiStr, Body, Bone, Content, Geom, ImageKind, Joint, Kind, Material, Mesh, Model, MorphCollection, MorphMesh,
    Node, Physics, Shader, Texture, Weights,
};

use super::list::{FAINT, section};
use super::text::{count, grouped, joined, or_unnamed};

/// The content of interest to a modeller, in this order.
const SECTIONS: &[(&str, Kind)] = &[
    ("Meshes", Kind::Mesh),
    ("Materials", Kind::MaterialList),
    ("Textures inside", Kind::TextureList),
    ("Shaders", Kind::ShaderList),
    ("Skeleton", Kind::Skeleton),
    ("Animations", Kind::Animation),
    ("Morph animations", Kind::MorphCollections),
    ("Morphed meshes", Kind::MorphMeshes),
    ("Physics", Kind::Physics),
    ("Lights", Kind::LightScheme),
    ("Proxies", Kind::ProxySet),
    ("Colliders", Kind::ColliderSet),
    ("Screenshot", Kind::Screenshot),
    ("User's own", Kind::Info),
    ("Unknown chunks", Kind::Unknown),
];

pub(super) fn write(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    for &(title, kind) in SECTIONS {
        let nodes = model.nodes().flatten().filter(|node| node.kind == kind);
        section(out, title, nodes.flat_map(lines), write_line)?;
    }
    Ok(())
}

fn write_line(out: &mut impl Write, (name, facts): Line) -> Result<()> {
    writeln!(out, "  {name}  {FAINT}{facts}{FAINT:#}")
}

/// A name, and a description.
type Line = (String, String);

/// The lines of one chunk.
fn lines<'a>(node: Node<'a>) -> Box<dyn Iterator<Item = Line> + 'a> {
    // Parts that cannot be read are listed among the problems.
    let Ok(content) = node.content() else { return Box::new(std::iter::empty()) };
    match content {
        Content::MaterialList(list) => Box::new(list.materials.flatten().map(material)),
        Content::TextureList(list) => Box::new(list.textures().flatten().map(texture)),
        Content::ShaderList(list) => Box::new(list.shaders.flatten().map(shader)),
        Content::Skeleton(skeleton) => Box::new(skeleton.bones.flatten().map(bone)),
        Content::MorphCollections(morphs) => Box::new(morphs.collections().map(morph_collection)),
        Content::MorphMeshes(morphs) => Box::new(morphs.meshes().map(morph_mesh)),
        Content::Physics(physics) => Box::new(self::physics(&physics)),
        content => Box::new(std::iter::once(line(&node, &content))),
    }
}

/// The line of a chunk that has one.
fn line(node: &Node<'_>, content: &Content<'_>) -> Line {
    match content {
        Content::Mesh(mesh) => (text(mesh.name), self::mesh(mesh)),
        Content::Animation(animation) => {
            let seconds = animation.duration() as f64 / 1000.0;
            let mode = animation.mode.name().unwrap_or("unknown mode");
            let frames = count(animation.frame_count.into(), "frames");
            (text(animation.name), format!("{frames}, {seconds:.2} s, {mode}"))
        }
        Content::LightScheme(scheme) => {
            let on = scheme.lights.iter().filter(|light| light.enabled.is_set()).count();
            (text(scheme.name), format!("{on} of 8 lights on"))
        }
        Content::ProxySet(set) => (format!("mesh {}", set.mesh), count(set.proxies.len() as u64, "proxies")),
        Content::ColliderSet(set) => (text(set.name), count(set.colliders.len() as u64, "colliders")),
        Content::Screenshot(screenshot) => {
            let bytes = count(screenshot.data.len() as u64, "bytes");
            (text(screenshot.name), format!("{}, {bytes}", kind_of_image(screenshot.image_kind())))
        }
        Content::Info(info) => {
            let head = info.bytes.as_bytes().get(..60).unwrap_or(info.bytes.as_bytes());
            (text(AnsiStr::new(head)), count(info.bytes.len() as u64, "bytes"))
        }
        _ => (node.chunk.tag().to_string(), count(node.chunk.byte_len(), "bytes")),
    }
}

fn kind_of_image(kind: Option<ImageKind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "of unknown kind",
    }
}

fn material(material: Material<'_>) -> Line {
    let mut facts = Vec::new();
    for file in material.texture_files() {
        if !file.is_empty() {
            facts.push(text(file));
        }
    }
    if let Some(options) = material.options
        && let Some(blending) = options.blending_mode.name()
    {
        facts.push(blending.to_owned());
    }
    (text(material.name), facts.join(", "))
}

fn texture(texture: Texture<'_>) -> Line {
    let kind = kind_of_image(texture.image_kind());
    let bytes = count(texture.data.len() as u64, "bytes");
    (text(texture.file_name), format!("{kind}, {bytes}, for material {}", text(texture.material)))
}

fn shader(shader: Shader<'_>) -> Line {
    match shader.bump() {
        Ok(Some(bump)) => (text(bump.material), format!("bumps of {}", text(bump.normal_material))),
        _ => (format!("shader of kind {}", shader.kind.0), count(shader.data.len() as u64, "bytes")),
    }
}

fn bone(bone: Bone<'_>) -> Line {
    let parent = if bone.parent < 0 { "root".to_owned() } else { format!("on {}", bone.parent) };
    (format!("{}  {}", bone.id, text(bone.name)), parent)
}

fn morph_collection(morph: MorphCollection<'_>) -> Line {
    let animations = joined(morph.animation_names().map(text));
    let bones = count(morph.bones.len() as u64, "bones");
    let frames = count(morph.frame_count, "frames");
    (text(morph.name), format!("{bones}, {frames}: {animations}"))
}

fn morph_mesh(morph: MorphMesh<'_>) -> Line {
    let frames = morph.record.frames.get();
    let vertices = morph.record.vertices.get();
    (text(morph.name), format!("{frames} frames of {vertices} vertices, by {}", text(morph.collection_name)))
}

/// Bodies, shapes and joints. Those without a name are called unnamed.
fn physics<'a>(physics: &Physics<'a>) -> impl Iterator<Item = Line> + use<'a> {
    let body_names = physics.body_names.iter().chain(repeat(AnsiStr::default()));
    let geom_names = physics.geom_names.iter().chain(repeat(AnsiStr::default()));
    let bodies = zip(physics.bodies, body_names).map(body);
    let geoms = zip(physics.geoms, geom_names).map(geom);
    let joints = physics.joints.into_iter().enumerate().map(joint);
    bodies.chain(geoms).chain(joints)
}

fn body((body, name): (&Body, AnsiStr<'_>)) -> Line {
    let shape = body.kind.name().unwrap_or("unknown shape");
    (text(name), format!("body: {shape}"))
}

fn geom((geom, name): (&Geom, AnsiStr<'_>)) -> Line {
    let shape = geom.kind.name().unwrap_or("unknown shape");
    (text(name), format!("geom: {shape} of body {}", geom.body.get()))
}

fn joint((index, joint): (usize, &Joint)) -> Line {
    let kind = joint.kind.name().unwrap_or("unknown kind");
    let bodies = format!("bodies {} and {}", joint.body_1.get(), joint.body_2.get());
    (format!("joint {index}"), format!("{kind} of {bodies}"))
}

/// A name, decoded with its most likely code page, safe to show on a terminal.
fn text(name: AnsiStr<'_>) -> String {
    or_unnamed(&*name.decode())
}

fn mesh(mesh: &Mesh<'_>) -> String {
    let triangles: usize = mesh.face_groups.flatten().map(|group| group.triangle_count()).sum();
    let mut facts = vec![count(mesh.positions.len() as u64, "vertices"), count(triangles as u64, "triangles")];
    facts.push(count(mesh.face_group_count, "face_groups"));
    if mesh.uvs.len() > 1 {
        facts.push("2 uv sets".to_owned());
    }
    match mesh.weights {
        Some(Weights { bones_per_vertex, .. }) => {
            facts.push(format!("up to {} bones per vertex", grouped(bones_per_vertex.into())));
        }
        None if !mesh.bone_ids.is_empty() => facts.push("one bone per vertex".to_owned()),
        None => {}
    }
    if !mesh.visible.is_set() {
        facts.push("hidden".to_owned());
    }
    facts.join(", ")
}
