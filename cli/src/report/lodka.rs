//! Describes a LODka3D model in words.

use std::io::{Result, Write};

use meshpeek::lodka::{AnsiStr, Model};

use super::items::{Describe, Item, List, Words, describe};
use super::list::{FAINT, LONGEST_LIST, heading, incomplete, rest};
use super::text::{count, grouped, joined, or_unnamed};

/// The lists of interest to a modeller.
const LISTS: &[List] = &[
    List { name: "meshes", outer: None, inside: &["face_groups"] },
    List { name: "materials", outer: None, inside: &[] },
    List { name: "textures", outer: None, inside: &[] },
    List { name: "shaders", outer: None, inside: &["bump"] },
    List { name: "bones", outer: Some("skeletons"), inside: &[] },
    List { name: "animations", outer: None, inside: &[] },
    List { name: "morph_collections", outer: None, inside: &["animations"] },
    List { name: "morph_meshes", outer: None, inside: &[] },
    List { name: "bodies", outer: Some("physics"), inside: &[] },
    List { name: "geoms", outer: Some("physics"), inside: &[] },
    List { name: "joints", outer: Some("physics"), inside: &[] },
    List { name: "light_schemes", outer: None, inside: &["lights"] },
    List { name: "proxy_sets", outer: None, inside: &[] },
    List { name: "collider_sets", outer: None, inside: &[] },
    List { name: "screenshots", outer: None, inside: &[] },
    List { name: "infos", outer: None, inside: &[] },
    List { name: "unknown_chunks", outer: None, inside: &[] },
];

/// The headings in this order, with the lists below them.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Meshes", &["meshes"]),
    ("Materials", &["materials"]),
    ("Textures inside", &["textures"]),
    ("Shaders", &["shaders"]),
    ("Skeleton", &["bones"]),
    ("Animations", &["animations"]),
    ("Morph animations", &["morph_collections"]),
    ("Morphed meshes", &["morph_meshes"]),
    ("Physics", &["bodies", "geoms", "joints"]),
    ("Lights", &["light_schemes"]),
    ("Proxies", &["proxy_sets"]),
    ("Colliders", &["collider_sets"]),
    ("Screenshot", &["screenshots"]),
    ("User's own", &["infos"]),
    ("Unknown chunks", &["unknown_chunks"]),
];

pub(super) fn write(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let mut sections: Vec<Section> = SECTIONS.iter().map(|_| Section::default()).collect();
    let missing = describe(model, LISTS, &mut Report { sections: &mut sections });
    for ((title, _), section) in SECTIONS.iter().zip(&sections) {
        if section.lines.is_empty() {
            continue;
        }
        heading(out, title)?;
        for (name, facts) in &section.lines {
            writeln!(out, "  {name}  {FAINT}{facts}{FAINT:#}")?;
        }
        rest(out, section.hidden, missing.is_none())?;
    }
    incomplete(out, missing)
}

/// The lines below a heading.
#[derive(Default)]
struct Section {
    lines: Vec<Line>,
    /// The number of further items.
    hidden: usize,
}

struct Report<'s> {
    /// In the order of [`SECTIONS`].
    sections: &'s mut [Section],
}

impl Report<'_> {
    fn section(&mut self, list: &str) -> Option<&mut Section> {
        let place = SECTIONS.iter().position(|(_, lists)| lists.contains(&list))?;
        self.sections.get_mut(place)
    }
}

impl Describe for Report<'_> {
    fn item(&mut self, item: &Item) {
        // Those that cannot be read are listed among the problems.
        let Some(line) = line(item) else { return };
        let Some(section) = self.section(item.list) else { return };
        if section.lines.len() < LONGEST_LIST {
            section.lines.push(line);
        } else {
            section.hidden += 1;
        }
    }
}

/// A name, and a description.
type Line = (String, String);

/// The line of an item. `None` if it could not be read.
fn line(item: &Item) -> Option<Line> {
    match item.list {
        "meshes" => mesh(item),
        "materials" => material(item),
        "textures" => texture(item),
        "shaders" => shader(item),
        "bones" => bone(item),
        "animations" => animation(item),
        "morph_collections" => morph_collection(item),
        "morph_meshes" => morph_mesh(item),
        "bodies" => body(item),
        "geoms" => geom(item),
        "joints" => joint(item),
        "light_schemes" => light_scheme(item),
        "proxy_sets" => proxy_set(item),
        "collider_sets" => collider_set(item),
        "screenshots" => screenshot(item),
        "infos" => info(item),
        _ => unknown(item),
    }
}

fn mesh(mesh: &Item) -> Option<Line> {
    let name = name(mesh)?;
    let triangles = mesh.amount_inside("face_groups", "triangle_count");
    let mut facts = vec![count(mesh.amount("positions"), "vertices"), count(triangles, "triangles")];
    facts.push(count(mesh.amount("face_group_count"), "face_groups"));
    if mesh.own("uvs").is_some_and(|uvs| uvs.count > 1) {
        facts.push("2 uv sets".to_owned());
    }
    if let Some(bones) = mesh.number("bones_per_vertex") {
        facts.push(format!("up to {} bones per vertex", grouped(bones.unsigned_abs())));
    } else if mesh.amount("bone_ids") > 0 {
        facts.push("one bone per vertex".to_owned());
    }
    if mesh.amount("visible") == 0 {
        facts.push("hidden".to_owned());
    }
    Some((name, facts.join(", ")))
}

fn material(material: &Item) -> Option<Line> {
    let name = name(material)?;
    let mut facts = Vec::new();
    for field in ["first_texture", "second_texture"] {
        if let Some(file) = material.text(field)
            && !file.whole.is_empty()
        {
            facts.push(file.whole.clone());
        }
    }
    if let Some(blending) = material.text("blending_mode") {
        facts.push(blending.whole.clone());
    }
    Some((name, facts.join(", ")))
}

fn texture(texture: &Item) -> Option<Line> {
    let name = texture.text("file_name")?.or_unnamed();
    let material = texture.text("material")?.or_unnamed();
    let bytes = count(texture.amount("data"), "bytes");
    Some((name, format!("{}, {bytes}, for material {material}", kind_of_image(texture))))
}

fn shader(shader: &Item) -> Option<Line> {
    if let Some(material) = shader.inside("bump", "material")
        && let Some(normals) = shader.inside("bump", "normal_material")
    {
        return Some((
            named_or_unnamed(material.texts.first()),
            format!("bumps of {}", named_or_unnamed(normals.texts.first())),
        ));
    }
    let kind = shader.number("kind")?;
    Some((format!("shader of kind {kind}"), count(shader.amount("data"), "bytes")))
}

fn bone(bone: &Item) -> Option<Line> {
    let parent = bone.number("parent")?;
    let parent = if parent < 0 { "root".to_owned() } else { format!("on {parent}") };
    Some((format!("{}  {}", bone.number("id")?, name(bone)?), parent))
}

fn animation(animation: &Item) -> Option<Line> {
    let name = name(animation)?;
    let seconds = animation.number("duration")? as f64 / 1000.0;
    let frames = count(animation.amount("frame_count"), "frames");
    Some((name, format!("{frames}, {seconds:.2} s, {}", meaning(animation, "mode", "unknown mode"))))
}

fn morph_collection(morph: &Item) -> Option<Line> {
    let name = name(morph)?;
    let bones = count(morph.amount("bone_records"), "bones");
    let frames = count(morph.amount("frame_count"), "frames");
    let mut names = Vec::new();
    let mut hidden = 0;
    if let Some(animations) = morph.inside("animations", "name") {
        names.extend(animations.texts.iter().map(Words::or_unnamed));
        hidden = animations.hidden;
    }
    Some((name, format!("{bones}, {frames}: {}", joined(names, hidden))))
}

fn morph_mesh(morph: &Item) -> Option<Line> {
    let name = name(morph)?;
    let collection = morph.text("collection")?.or_unnamed();
    let frames = morph.amount("frame_count");
    let vertices = morph.amount("vertex_count");
    Some((name, format!("{frames} frames of {vertices} vertices, by {collection}")))
}

fn body(body: &Item) -> Option<Line> {
    body.number("kind")?;
    // There may be fewer names than bodies.
    Some((named_or_unnamed(body.text("name")), format!("body: {}", meaning(body, "kind", "unknown shape"))))
}

fn geom(geom: &Item) -> Option<Line> {
    let shape = meaning(geom, "kind", "unknown shape");
    Some((named_or_unnamed(geom.text("name")), format!("geom: {shape} of body {}", geom.number("body")?)))
}

fn joint(joint: &Item) -> Option<Line> {
    let kind = meaning(joint, "kind", "unknown kind");
    let bodies = format!("bodies {} and {}", joint.number("body_1")?, joint.number("body_2")?);
    Some((format!("joint {}", joint.index), format!("{kind} of {bodies}")))
}

fn light_scheme(scheme: &Item) -> Option<Line> {
    let on = scheme.inside("lights", "enabled")?.nonzero;
    Some((name(scheme)?, format!("{on} of 8 lights on")))
}

fn proxy_set(set: &Item) -> Option<Line> {
    Some((format!("mesh {}", set.number("mesh")?), count(set.amount("proxy_records"), "proxies")))
}

fn collider_set(set: &Item) -> Option<Line> {
    Some((name(set)?, count(set.amount("collider_records"), "colliders")))
}

fn screenshot(screenshot: &Item) -> Option<Line> {
    let bytes = count(screenshot.amount("data"), "bytes");
    Some((name(screenshot)?, format!("{}, {bytes}", kind_of_image(screenshot))))
}

fn info(info: &Item) -> Option<Line> {
    let beginning = AnsiStr::new(&info.own("bytes")?.start).decode();
    Some((or_unnamed(beginning.as_str()), count(info.amount("bytes"), "bytes")))
}

fn unknown(chunk: &Item) -> Option<Line> {
    Some((chunk.text("tag")?.whole.clone(), count(chunk.bytes, "bytes")))
}

/// The name of an item. `None` if it could not be read.
fn name(item: &Item) -> Option<String> {
    Some(item.text("name")?.or_unnamed())
}

fn named_or_unnamed(words: Option<&Words>) -> String {
    match words {
        Some(words) => words.or_unnamed(),
        None => Words::default().or_unnamed(),
    }
}

/// The meaning of a code, or `other` if the format has none for it.
fn meaning(item: &Item, name: &str, other: &str) -> String {
    match item.text(name) {
        Some(meaning) => meaning.whole.clone(),
        None => other.to_owned(),
    }
}

fn kind_of_image(item: &Item) -> String {
    meaning(item, "image_kind", "of unknown kind")
}
