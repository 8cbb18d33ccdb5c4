//! Describes a Blitz3D scene in words.

use std::io::{Result, Write};

use meshpeek::b3d::{Brush, Node, Scene, Texture};

use super::{FAINT, LONGEST_LINE, count, heading, link, list, mentioned, numbers, section, shown};

pub(super) fn write(scene: &Scene<'_>, out: &mut impl Write) -> Result<()> {
    let textures: Vec<Texture<'_>> = scene.textures().flatten().collect();
    section(out, "Textures", textures.iter().enumerate(), |out, (index, texture)| self::texture(out, index, texture))?;
    let brushes: Vec<Brush<'_>> = scene.brushes().flatten().collect();
    section(out, "Materials (brushes)", brushes.iter().enumerate(), |out, (index, brush)| {
        self::brush(out, index, brush, &textures)
    })?;
    heading(out, "Nodes")?;
    list(out, scene.nodes().flatten(), |out, node| self::node(out, &node, &brushes))
}

fn texture(out: &mut impl Write, index: usize, texture: &Texture<'_>) -> Result<()> {
    let mut notes: Vec<&str> = texture.flags.names().collect();
    notes.extend(texture.blend.name());
    writeln!(out, "  {index}  {}  {FAINT}{}{FAINT:#}", shown(texture.name), notes.join(", "))
}

fn brush(out: &mut impl Write, index: usize, brush: &Brush<'_>, textures: &[Texture<'_>]) -> Result<()> {
    // Real brushes have up to eight layers.
    let layers = brush.texture_ids.iter().take(LONGEST_LINE).filter_map(|id| usize::try_from(id.get()).ok());
    let texture = |id: usize| link("texture", id, textures.get(id).map(|texture| texture.name));
    let mut layers: Vec<String> = layers.map(texture).collect();
    if let Some(hidden) = brush.texture_ids.len().checked_sub(LONGEST_LINE).filter(|&hidden| hidden > 0) {
        layers.push(format!("... and {} more", count(hidden as u64, "layers")));
    }
    let layers = if layers.is_empty() { "no texture".to_owned() } else { layers.join(", ") };
    let mut notes = vec![format!("color {}", numbers(&brush.color))];
    notes.extend((brush.shininess != 0.0).then(|| format!("shininess {}", brush.shininess)));
    notes.extend(brush.blend.name().map(|name| format!("blend {name}")));
    notes.extend(brush.fx.names().map(str::to_owned));
    writeln!(out, "  {index}  {}  {layers}  {FAINT}{}{FAINT:#}", shown(brush.name), notes.join(", "))
}

fn node(out: &mut impl Write, node: &Node<'_>, brushes: &[Brush<'_>]) -> Result<()> {
    let indent = 2 * (node.depth as usize).min(30);
    writeln!(out, "  {:indent$}{}  {FAINT}{}{FAINT:#}", "", shown(node.name), facts(node, brushes).join("; "))
}

/// Adds a fact for each of the first items, and the number of further ones.
fn more<T>(
    facts: &mut Vec<String>,
    mut items: impl Iterator<Item = meshpeek::Result<T>>,
    nouns: &str,
    fact: impl Fn(T) -> String,
) {
    facts.extend(items.by_ref().take(LONGEST_LINE).map(|item| or_error(item.map(&fact))));
    match items.count() {
        0 => {}
        hidden => facts.push(format!("... and {} more", count(hidden as u64, nouns))),
    }
}

/// Returns the fact, or why there is none.
fn or_error(fact: meshpeek::Result<String>) -> String {
    fact.unwrap_or_else(|error| error.message())
}

/// The facts of a node: its content and its animation.
fn facts(node: &Node<'_>, brushes: &[Brush<'_>]) -> Vec<String> {
    let mut facts = Vec::new();
    match node.mesh() {
        Ok(Some(mesh)) => {
            let columns = mesh.vertices().map(|vertices| {
                let uvs = match vertices.sets() {
                    0 => None,
                    1 => Some("uvs".to_owned()),
                    sets => Some(format!("{sets} uv sets")),
                };
                let normals = vertices.normals().map(|_| "normals".to_owned());
                let colors = vertices.colors().map(|_| "colors".to_owned());
                let extra: Vec<String> = [normals, colors, uvs].into_iter().flatten().collect();
                let with = if extra.is_empty() { String::new() } else { format!(" with {}", extra.join(", ")) };
                count(vertices.len() as u64, "vertices") + &with
            });
            facts.push(format!("mesh: {}", or_error(columns)));
            more(&mut facts, mesh.triangles(), "triangle lists", |triangles| {
                let brush = triangles.brush().map(|id| match brushes.get(id) {
                    Some(brush) => format!(" of {}", mentioned(brush.name)),
                    None => format!(" of material {id}, which is missing"),
                });
                count(triangles.indices.len() as u64, "triangles") + &brush.unwrap_or_default()
            });
        }
        Ok(None) => {}
        Err(error) => facts.push(error.message()),
    }
    let bone = node.bone().transpose().map(|bone| {
        let moved = bone?.weights.iter().filter(|weight| weight.weight.get() != 0.0).count();
        Ok(format!("bone: moves {}", count(moved as u64, "vertices")))
    });
    facts.extend(bone.map(or_error));
    more(&mut facts, node.keys(), "key lists", |keys| {
        let parts = [
            keys.positions().map(|_| "position"),
            keys.scales().map(|_| "scale"),
            keys.rotations().map(|_| "rotation"),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        let frames = || keys.frames().iter().map(|frame| frame.get());
        let range = match (frames().min(), frames().max()) {
            (Some(first), Some(last)) => format!(" in frames {first} to {last}"),
            _ => String::new(),
        };
        format!("{} of {}{range}", count(keys.len() as u64, "keys"), parts.join(", "))
    });
    let animation = node.animation().transpose().map(|animation| {
        let animation = animation?;
        let time = animation.seconds().map(|seconds| format!(", {seconds:.2} s")).unwrap_or_default();
        let rate =
            if animation.fps == 0.0 { ", no rate given".to_owned() } else { format!(" at {} fps", animation.fps) };
        Ok(format!("animation: {} frames{rate}{time}", animation.frames))
    });
    facts.extend(animation.map(or_error));
    more(&mut facts, node.sequences(), "named clips", |clip| {
        format!("clip {}: frames {} to {}", mentioned(clip.name), clip.first_frame, clip.last_frame)
    });
    if facts.is_empty() {
        facts.push("pivot".to_owned());
    }
    facts
}
