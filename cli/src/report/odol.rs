//! Describes an Arma model in words.

use std::io::{Result, Write};

use meshpeek::odol::{Animation, Bone, Lod, LodEntry, Material, Model, Motion, Section, Skeleton};
use meshpeek::view::ByteStr;

use super::list::{FAINT, heading, list, section};
use super::lods;
use super::text::{count, grouped, in_line, joined, mentioned, nonzero, numbers, shown};
use crate::failure::message_of;

/// The most sections to list in a LOD.
const MOST_SECTIONS: usize = 50;

pub(super) fn table(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    lods::table(model.lods().map(|entry| row(model, &entry)), out)
}

fn row(model: &Model<'_>, entry: &LodEntry) -> lods::Row {
    let bytes = Some(entry.byte_len());
    let facts = match model.lod(entry.index) {
        Ok(Some(lod)) => {
            let triangles = Some(lod.faces.triangle_count());
            let points = Some(lod.point_count.into());
            let sections = Some(lod.sections.len() as u64);
            Ok([triangles, points, sections, bytes])
        }
        // The header is cut short before its place.
        Ok(None) => Ok([None, None, None, bytes]),
        Err(error) => Err(message_of(&error)),
    };
    lods::Row { name: entry.resolution.title(), facts }
}

pub(super) fn write(model: &Model<'_>, is_long: bool, out: &mut impl Write) -> Result<()> {
    self::model(model, out)?;
    if !is_long {
        return short(model, out);
    }
    heading(out, "Details of LODs")?;
    list(out, model.lods(), |out, entry| lod(out, model, &entry))?;
    if let Some(skeleton) = skeleton(model) {
        heading(out, &format!("Skeleton {}", shown(skeleton.name)))?;
        list(out, skeleton.bones.iter(), bone)?;
    }
    if let Some(animations) = model.animations() {
        heading(out, "Animations")?;
        list(out, animations.animations.iter(), animation)?;
    }
    Ok(())
}

fn skeleton<'a>(model: &Model<'a>) -> Option<Skeleton<'a>> {
    model.info().ok()?.skeleton
}

fn bone(out: &mut impl Write, bone: Bone<'_>) -> Result<()> {
    let name = shown(bone.name);
    if bone.parent.is_empty() {
        return writeln!(out, "  {name}");
    }
    writeln!(out, "  {name}  {FAINT}on {}{FAINT:#}", shown(bone.parent))
}

fn animation(out: &mut impl Write, animation: Animation<'_>) -> Result<()> {
    let range = match animation.motion() {
        Motion::Rotation([from, to]) | Motion::Translation([from, to]) => format!(" from {from} to {to}"),
        Motion::Direct { angle, offset, .. } => format!(" by {angle} and {offset}"),
        Motion::Hide { from, to: Some(to) } if to >= from => format!(" from {from} to {to}"),
        Motion::Hide { from, .. } => format!(" from {from} on"),
        _ => String::new(),
    };
    let kind = animation.kind.name().unwrap_or("unknown");
    let name = shown(animation.name);
    let source = shown(animation.source);
    writeln!(out, "  {name}  {FAINT}{kind}{range}, driven by {source}{FAINT:#}")
}

/// Writes the points of the first Memory LOD.
fn memory(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let Some(entry) = model.lods().find(|entry| entry.resolution.to_string() == lods::MEMORY) else { return Ok(()) };
    let Ok(Some(lod)) = model.lod(entry.index) else { return Ok(()) };
    let positions = match lod.positions().and_then(|positions| positions.decode()) {
        Ok(positions) => positions,
        Err(error) => return writeln!(out, "\n  points of Memory: {}", message_of(&error)),
    };
    section(out, "Points of Memory", lod.selections.iter(), |out, selection| {
        let vertex_count = selection.vertices.count();
        if vertex_count > lods::MOST_VERTICES {
            let points = count(vertex_count, "points");
            return writeln!(out, "  {}  {FAINT}{points}{FAINT:#}", shown(selection.name));
        }
        let vertices = match selection.vertices.decode() {
            Ok(vertices) => vertices,
            Err(error) => return writeln!(out, "  {}  {}", shown(selection.name), message_of(&error)),
        };
        let mut points = Vec::new();
        for vertex in vertices.iter() {
            if let Ok(vertex) = usize::try_from(vertex)
                && let Some(position) = positions.get(vertex)
            {
                points.push(position.to_array());
            }
        }
        lods::point(out, selection.name, &points)
    })
}

/// Writes the named properties, and how much else there is.
fn short(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let mut properties = Vec::new();
    for entry in model.lods() {
        let Ok(Some(lod)) = model.lod(entry.index) else { continue };
        for property in &lod.properties {
            let title = entry.resolution.title();
            properties.push(format!("  {title}  {} = {}", shown(property.name), shown(property.value)));
        }
    }
    section(out, "Properties", properties, |out, line| writeln!(out, "{line}"))?;
    memory(model, out)?;
    let bones = match skeleton(model) {
        Some(skeleton) => skeleton.bones.len(),
        None => 0,
    };
    let animations = match model.animations() {
        Some(animations) => animations.animations.len(),
        None => 0,
    };
    let mut parts = vec!["sections".to_owned(), "selections".to_owned()];
    parts.extend(nonzero(&[(bones, "bones"), (animations, "animations")]));
    writeln!(out, "\n  {FAINT}-v shows {}{FAINT:#}", parts.join(", "))
}

fn model(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "Model")?;
    let version = model.version();
    writeln!(out, "  written for and read by {} (evidence: {})", version.game(), version.evidence())?;
    let Ok(info) = model.info() else { return Ok(()) };
    if let Some(map) = info.map_type.name() {
        writeln!(out, "  on the map: {map}")?;
    }
    for (name, text) in [("class", info.class), ("damage", info.damage)] {
        if let Some(text) = text
            && !text.is_empty()
        {
            writeln!(out, "  {name}: {}", shown(text))?;
        }
    }
    writeln!(out, "  mass {}, armor {}", info.mass, info.armor)?;
    writeln!(out, "  positions are relative to {}", numbers(&info.bounding_center))?;
    let mut lods = Vec::new();
    for (name, lod) in info.special_lods.iter() {
        if lod >= 0 {
            lods.push(format!("{} {lod}", name.replace('_', " ")));
        }
    }
    if !lods.is_empty() {
        writeln!(out, "  LODs by purpose: {}", lods.join(", "))?;
    }
    if let Ok(Some(trailer)) = model.trailer() {
        let mut shapes = 0;
        for (_, group) in trailer.shapes() {
            shapes += group.shapes.len() as u64;
        }
        if let Some(first) = trailer.components
            && shapes > 0
        {
            writeln!(out, "  {} cooked by PhysX {}", count(shapes, "shapes"), first.physx_version.to_text())?;
        }
        if let Some(buoyancy) = trailer.buoyancy {
            writeln!(out, "  floats by {}", count(buoyancy.spheres.len() as u64, "spheres"))?;
        }
    }
    Ok(())
}

fn lod(out: &mut impl Write, model: &Model<'_>, entry: &LodEntry) -> Result<()> {
    let LodEntry { index, resolution, .. } = entry;
    write!(out, "  {index}  {}  ", resolution.title())?;
    match model.lod(*index) {
        Ok(Some(lod)) => {
            writeln!(out, "{}", contents(&lod))?;
            details(out, &lod)
        }
        Err(error) => writeln!(out, "{}", message_of(&error)),
        Ok(None) => writeln!(out),
    }
}

/// The counts of a LOD. Zero counts are left out.
fn contents(lod: &Lod<'_>) -> String {
    let mut counts = vec![count(lod.point_count.into(), "points")];
    counts.extend(nonzero(&[
        (lod.faces.len(), "faces"),
        (lod.sections.len(), "sections"),
        (lod.textures.len(), "textures"),
        (lod.materials.len(), "materials"),
        (lod.selections.len(), "selections"),
        (lod.proxies.len(), "proxies"),
        (lod.frames.len(), "frames"),
    ]));
    in_line(&counts)
}

fn details(out: &mut impl Write, lod: &Lod<'_>) -> Result<()> {
    list(out, lod.properties.iter(), |out, property| self::property(out, property.name, property.value))?;
    for (number, section) in lod.sections.iter().enumerate().take(MOST_SECTIONS) {
        let faces = match lod.faces.range(section.memory_range()) {
            Ok(faces) => count(faces.len() as u64, "faces"),
            Err(error) => message_of(&error),
        };
        let look = look(lod, &section).join(", ");
        writeln!(out, "       {FAINT}section {number}: {faces}  {look}{FAINT:#}")?;
    }
    let hidden = lod.sections.len().saturating_sub(MOST_SECTIONS);
    if hidden > 0 {
        writeln!(out, "       {FAINT}... and {} more sections{FAINT:#}", grouped(hidden as u64))?;
    }
    names(out, "selections", lod.selections.iter().map(|selection| selection.name))
}

/// The texture and the material of a section.
fn look(lod: &Lod<'_>, section: &Section<'_>) -> Vec<String> {
    let mut texture = None;
    if let Ok(index) = usize::try_from(section.texture) {
        texture = lod.textures.get(index);
    }
    let mut look = match texture {
        Some(name) if !name.is_empty() => vec![mentioned(name)],
        _ => vec!["no texture".to_owned()],
    };
    if let Some(number) = section.material
        && let Ok(index) = usize::try_from(number)
        && let Some(material) = lod.materials.get(index)
    {
        look.push(self::material(&material));
    }
    if let Some(name) = section.material_name
        && !name.is_empty()
    {
        look.push(mentioned(name));
    }
    look
}

pub(super) fn property(out: &mut impl Write, name: ByteStr<'_>, value: ByteStr<'_>) -> Result<()> {
    writeln!(out, "       {FAINT}{} = {}{FAINT:#}", shown(name), shown(value))
}

/// Writes names of a LOD's parts in a line. Writes nothing if there are none.
pub(super) fn names<'t>(out: &mut impl Write, what: &str, names: impl Iterator<Item = ByteStr<'t>>) -> Result<()> {
    let names = joined(names.map(mentioned), 0);
    if names.is_empty() {
        return Ok(());
    }
    writeln!(out, "       {FAINT}{what}: {names}{FAINT:#}")
}

fn material(material: &Material<'_>) -> String {
    let shader = material.pixel_shader.name().unwrap_or("unknown shader");
    format!("{} ({shader}, {})", mentioned(material.name), count(material.stages.len() as u64, "stages"))
}
