//! Describes a LODka3D model in words.

use std::io::{Result, Write};

use meshpeek::lodka::{AnsiStr, Content, Kind, Mesh, Model, Node, Weights};

use super::{FAINT, count, grouped, joined, or_unnamed, section};

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
        let lines = model.nodes().flatten().filter(|node| node.kind == kind).flat_map(|node| lines(&node));
        section(out, title, lines, |out, (name, facts)| writeln!(out, "  {name}  {FAINT}{facts}{FAINT:#}"))?;
    }
    Ok(())
}

/// A name, and a description.
type Line = (String, String);

/// The lines of one chunk.
fn lines<'a>(node: &Node<'a>) -> Box<dyn Iterator<Item = Line> + 'a> {
    // Parts that cannot be read are listed among the problems.
    let Ok(content) = node.content() else { return Box::new(std::iter::empty()) };
    let one = |name: String, facts: String| Box::new(std::iter::once((name, facts)));
    match content {
        Content::Mesh(mesh) => one(text(mesh.name), self::mesh(&mesh)),
        Content::MaterialList(materials) => Box::new(materials.materials.flatten().map(|material| {
            let textures = material.texture_files().into_iter().filter(|name| !name.is_empty()).map(text);
            let blending = material.options.and_then(|options| options.blending_mode.name()).map(str::to_owned);
            let facts: Vec<String> = textures.chain(blending).collect();
            (text(material.name), facts.join(", "))
        })),
        Content::TextureList(textures) => Box::new(textures.textures().flatten().map(|texture| {
            let kind = texture.image_kind().map_or("of unknown kind", |kind| kind.name());
            let bytes = count(texture.data.len() as u64, "bytes");
            (text(texture.file_name), format!("{kind}, {bytes}, for material {}", text(texture.material)))
        })),
        Content::ShaderList(shaders) => Box::new(shaders.shaders.flatten().map(|shader| match shader.bump() {
            Ok(Some(bump)) => (text(bump.material), format!("bumps of {}", text(bump.normal_material))),
            _ => (format!("shader of kind {}", shader.kind.0), count(shader.data.len() as u64, "bytes")),
        })),
        Content::Skeleton(skeleton) => Box::new(skeleton.bones.flatten().map(|bone| {
            let parent = if bone.parent < 0 { "root".to_owned() } else { format!("on {}", bone.parent) };
            (format!("{}  {}", bone.id, text(bone.name)), parent)
        })),
        Content::Animation(animation) => {
            let seconds = animation.duration() as f64 / 1000.0;
            let mode = animation.mode.name().unwrap_or("unknown mode");
            one(
                text(animation.name),
                format!("{}, {seconds:.2} s, {mode}", count(animation.frame_count.into(), "frames")),
            )
        }
        Content::MorphCollections(morphs) => Box::new(morphs.collections().map(|morph| {
            let animations = joined(morph.animation_names().map(text));
            let (bones, frames) = (count(morph.bones.len() as u64, "bones"), count(morph.frame_count, "frames"));
            (text(morph.name), format!("{bones}, {frames}: {animations}"))
        })),
        Content::MorphMeshes(morphs) => Box::new(morphs.meshes().map(|morph| {
            let (frames, vertices) = (morph.record.frames.get(), morph.record.vertices.get());
            (text(morph.name), format!("{frames} frames of {vertices} vertices, by {}", text(morph.collection_name)))
        })),
        Content::Physics(physics) => {
            let names = std::iter::repeat(AnsiStr::default());
            let bodies = physics.bodies.into_iter().zip(physics.body_names.iter().chain(names.clone()));
            let bodies = bodies
                .map(|(body, name)| (text(name), format!("body: {}", body.kind.name().unwrap_or("unknown shape"))));
            let geoms = physics.geoms.into_iter().zip(physics.geom_names.iter().chain(names)).map(|(geom, name)| {
                let (shape, body) = (geom.kind.name().unwrap_or("unknown shape"), geom.body.get());
                (text(name), format!("geom: {shape} of body {body}"))
            });
            let joints = physics.joints.into_iter().enumerate().map(|(index, joint)| {
                let (kind, bodies) = (joint.kind.name().unwrap_or("unknown kind"), [joint.body_1, joint.body_2]);
                let [one, two] = bodies.map(|body| body.get());
                (format!("joint {index}"), format!("{kind} of bodies {one} and {two}"))
            });
            Box::new(bodies.chain(geoms).chain(joints))
        }
        Content::LightScheme(scheme) => {
            let on = scheme.lights.iter().filter(|light| light.enabled.is_set()).count();
            one(text(scheme.name), format!("{on} of 8 lights on"))
        }
        Content::ProxySet(set) => one(format!("mesh {}", set.mesh), count(set.proxies.len() as u64, "proxies")),
        Content::ColliderSet(set) => one(text(set.name), count(set.colliders.len() as u64, "colliders")),
        Content::Screenshot(screenshot) => {
            let kind = screenshot.image_kind().map_or("of unknown kind", |kind| kind.name());
            one(text(screenshot.name), format!("{kind}, {}", count(screenshot.data.len() as u64, "bytes")))
        }
        Content::Info(info) => {
            let head = info.bytes.as_bytes().get(..60).unwrap_or(info.bytes.as_bytes());
            one(text(AnsiStr::new(head)), count(info.bytes.len() as u64, "bytes"))
        }
        _ => one(node.chunk.tag().to_string(), count(node.chunk.byte_len(), "bytes")),
    }
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
