//! Describes a Blitz3D scene in words.

use std::io::{Result, Write};

use meshpeek::b3d::{Animation, Brush, Keys, Node, Scene, Texture, Triangles, Vertices};

use super::list::{FAINT, heading, list, section};
use super::text::{LONGEST_LINE, count, link, mentioned, numbers, shown};
use crate::failure::message_of;

pub(super) fn write(scene: &Scene<'_>, out: &mut impl Write) -> Result<()> {
    let textures: Vec<Texture<'_>> = scene.textures().flatten().collect();
    section(out, "Textures", textures.iter().enumerate(), texture)?;
    let brushes: Vec<Brush<'_>> = scene.brushes().flatten().collect();
    section(out, "Materials (brushes)", brushes.iter().enumerate(), |out, (index, brush)| {
        self::brush(out, index, brush, &textures)
    })?;
    heading(out, "Nodes")?;
    list(out, scene.nodes().flatten(), |out, node| self::node(out, &node, &brushes))
}

fn texture(out: &mut impl Write, (index, texture): (usize, &Texture<'_>)) -> Result<()> {
    let mut notes: Vec<&str> = texture.flags.names().collect();
    notes.extend(texture.blend.name());
    writeln!(out, "  {index}  {}  {FAINT}{}{FAINT:#}", shown(texture.name), notes.join(", "))
}

fn brush(out: &mut impl Write, index: usize, brush: &Brush<'_>, textures: &[Texture<'_>]) -> Result<()> {
    let mut notes = vec![format!("color {}", numbers(&brush.color))];
    if brush.shininess != 0.0 {
        notes.push(format!("shininess {}", brush.shininess));
    }
    if let Some(name) = brush.blend.name() {
        notes.push(format!("blend {name}"));
    }
    for name in brush.fx.names() {
        notes.push(name.to_owned());
    }
    let layers = layers(brush, textures);
    writeln!(out, "  {index}  {}  {layers}  {FAINT}{}{FAINT:#}", shown(brush.name), notes.join(", "))
}

/// The textures of a brush. Real brushes have up to eight.
fn layers(brush: &Brush<'_>, textures: &[Texture<'_>]) -> String {
    let mut layers = Vec::new();
    for id in brush.texture_ids.iter().take(LONGEST_LINE) {
        // A negative id stands for no texture.
        if let Ok(id) = usize::try_from(id.get()) {
            let name = textures.get(id).map(|texture| mentioned(texture.name));
            layers.push(link("texture", id, name.as_deref()));
        }
    }
    let hidden = brush.texture_ids.len().saturating_sub(LONGEST_LINE);
    if hidden > 0 {
        layers.push(format!("... and {} more", count(hidden as u64, "layers")));
    }
    if layers.is_empty() { "no texture".to_owned() } else { layers.join(", ") }
}

fn node(out: &mut impl Write, node: &Node<'_>, brushes: &[Brush<'_>]) -> Result<()> {
    let indent = 2 * (node.depth as usize).min(30);
    writeln!(out, "  {:indent$}{}  {FAINT}{}{FAINT:#}", "", shown(node.name), facts(node, brushes).join("; "))
}

/// The facts of a node: its content and its animation.
fn facts(node: &Node<'_>, brushes: &[Brush<'_>]) -> Vec<String> {
    let mut facts = Vec::new();
    match node.mesh() {
        Ok(Some(mesh)) => {
            match mesh.vertices() {
                Ok(vertices) => facts.push(format!("mesh: {}", columns(&vertices))),
                Err(error) => facts.push(format!("mesh: {}", message_of(&error))),
            }
            more(&mut facts, mesh.triangles(), "triangle lists", |list| triangles(&list, brushes));
        }
        Ok(None) => {}
        Err(error) => facts.push(message_of(&error)),
    }
    match node.bone() {
        Ok(Some(bone)) => {
            let moved = bone.weights.iter().filter(|weight| weight.weight.get() != 0.0).count();
            facts.push(format!("bone: moves {}", count(moved as u64, "vertices")));
        }
        Ok(None) => {}
        Err(error) => facts.push(message_of(&error)),
    }
    more(&mut facts, node.keys(), "key lists", |list| keys(&list));
    match node.animation() {
        Ok(Some(animation)) => facts.push(self::animation(&animation)),
        Ok(None) => {}
        Err(error) => facts.push(message_of(&error)),
    }
    more(&mut facts, node.sequences(), "named clips", |clip| {
        format!("clip {}: frames {} to {}", mentioned(clip.name), clip.first_frame, clip.last_frame)
    });
    if facts.is_empty() {
        facts.push("pivot".to_owned());
    }
    facts
}

/// Adds a fact for each of the first items, and the number of further ones. For an item that cannot be read, the error.
fn more<T>(
    facts: &mut Vec<String>,
    mut items: impl Iterator<Item = meshpeek::Result<T>>,
    nouns: &str,
    fact: impl Fn(T) -> String,
) {
    for item in items.by_ref().take(LONGEST_LINE) {
        match item {
            Ok(item) => facts.push(fact(item)),
            Err(error) => facts.push(message_of(&error)),
        }
    }
    let hidden = items.count();
    if hidden > 0 {
        facts.push(format!("... and {} more", count(hidden as u64, nouns)));
    }
}

/// The number of vertices, and their columns beside positions.
fn columns(vertices: &Vertices<'_>) -> String {
    let mut extra = Vec::new();
    if vertices.normals().is_some() {
        extra.push("normals".to_owned());
    }
    if vertices.colors().is_some() {
        extra.push("colors".to_owned());
    }
    match vertices.sets() {
        0 => {}
        1 => extra.push("uvs".to_owned()),
        sets => extra.push(format!("{sets} uv sets")),
    }
    let vertices = count(vertices.len() as u64, "vertices");
    if extra.is_empty() { vertices } else { format!("{vertices} with {}", extra.join(", ")) }
}

/// The number of triangles, and their material.
fn triangles(triangles: &Triangles<'_>, brushes: &[Brush<'_>]) -> String {
    let number = count(triangles.indices.len() as u64, "triangles");
    let Some(id) = triangles.brush() else { return number };
    match brushes.get(id) {
        Some(brush) => format!("{number} of {}", mentioned(brush.name)),
        None => format!("{number} of material {id}, which is missing"),
    }
}

/// The number of keys, their columns and frames.
fn keys(keys: &Keys<'_>) -> String {
    let mut columns = Vec::new();
    if keys.positions().is_some() {
        columns.push("position");
    }
    if keys.scales().is_some() {
        columns.push("scale");
    }
    if keys.rotations().is_some() {
        columns.push("rotation");
    }
    let mut text = format!("{} of {}", count(keys.len() as u64, "keys"), columns.join(", "));
    let first = keys.frames().iter().map(|frame| frame.get()).min();
    let last = keys.frames().iter().map(|frame| frame.get()).max();
    if let Some(first) = first
        && let Some(last) = last
    {
        text += &format!(" in frames {first} to {last}");
    }
    text
}

fn animation(animation: &Animation) -> String {
    let mut text = format!("animation: {} frames", animation.frames);
    if animation.fps == 0.0 {
        text += ", no rate given";
    } else {
        text += &format!(" at {} fps", animation.fps);
    }
    if let Some(seconds) = animation.seconds() {
        text += &format!(", {seconds:.2} s");
    }
    text
}
