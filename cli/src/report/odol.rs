//! Describes an Arma model in words.

use std::io::{Result, Write};

use meshpeek::odol::{Lod, LodEntry, Material, Model, Motion};
use meshpeek::view::ByteStr;

use super::{FAINT, count, grouped, heading, in_line, joined, list, lods, mentioned, nonzero, numbers, section, shown};

pub(super) fn table(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let rows = model.lods().map(|entry| {
        let facts = match model.lod(entry.index) {
            Ok(Some(lod)) => {
                let counts = [lod.faces.triangle_count(), lod.point_count.into(), lod.sections.len() as u64];
                let [triangles, vertices, sections] = counts.map(Some);
                Ok([triangles, vertices, sections, Some(entry.byte_len())])
            }
            Ok(None) => Ok([None, None, None, Some(entry.byte_len())]),
            Err(error) => Err(error.message()),
        };
        lods::Row { name: entry.resolution.title(), facts }
    });
    lods::table(rows, out)
}

pub(super) fn write(model: &Model<'_>, is_long: bool, out: &mut impl Write) -> Result<()> {
    self::model(model, out)?;
    if !is_long {
        return short(model, out);
    }
    heading(out, "Details of LODs")?;
    list(out, model.lods(), |out, entry| lod(out, model, &entry))?;
    if let Some(skeleton) = model.info().ok().and_then(|info| info.skeleton) {
        heading(out, &format!("Skeleton {}", shown(skeleton.name)))?;
        list(out, skeleton.bones.iter(), |out, bone| match bone.parent.is_empty() {
            true => writeln!(out, "  {}", shown(bone.name)),
            false => writeln!(out, "  {}  {FAINT}on {}{FAINT:#}", shown(bone.name), shown(bone.parent)),
        })?;
    }
    if let Some(animations) = model.animations() {
        heading(out, "Animations")?;
        list(out, animations.animations.iter(), |out, animation| {
            let range = match animation.motion() {
                Motion::Rotation([from, to]) | Motion::Translation([from, to]) => format!(" from {from} to {to}"),
                Motion::Direct { angle, offset, .. } => format!(" by {angle} and {offset}"),
                Motion::Hide { from, to } => match to.filter(|to| to >= &from) {
                    Some(to) => format!(" from {from} to {to}"),
                    None => format!(" from {from} on"),
                },
                _ => String::new(),
            };
            let kind = animation.kind.name().unwrap_or("unknown");
            let (name, source) = (shown(animation.name), shown(animation.source));
            writeln!(out, "  {name}  {FAINT}{kind}{range}, driven by {source}{FAINT:#}")
        })?;
    }
    Ok(())
}

/// Writes the points of the first Memory LOD.
fn memory(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let Some(entry) = model.lods().find(|entry| entry.resolution.to_string() == lods::MEMORY) else { return Ok(()) };
    let Ok(Some(lod)) = model.lod(entry.index) else { return Ok(()) };
    let positions = match lod.positions().and_then(|positions| positions.decode()) {
        Ok(positions) => positions,
        Err(error) => return writeln!(out, "\n  points of Memory: {}", error.message()),
    };
    section(out, "Points of Memory", lod.selections.iter(), |out, selection| {
        let count = selection.vertices.count();
        if count > lods::MOST_VERTICES {
            return writeln!(out, "  {}  {FAINT}{}{FAINT:#}", shown(selection.name), self::count(count, "points"));
        }
        match selection.vertices.decode() {
            Ok(vertices) => {
                let mut points = Vec::new();
                for vertex in vertices.iter() {
                    let position = usize::try_from(vertex).ok().and_then(|vertex| positions.get(vertex));
                    points.extend(position.map(|position| position.to_array()));
                }
                lods::point(out, selection.name, &points)
            }
            Err(error) => writeln!(out, "  {}  {}", shown(selection.name), error.message()),
        }
    })
}

/// Writes the named properties, and how much else there is.
fn short(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let mut properties = Vec::new();
    for entry in model.lods() {
        let Ok(Some(lod)) = model.lod(entry.index) else { continue };
        for property in &lod.properties {
            let (name, value) = (shown(property.name), shown(property.value));
            properties.push(format!("  {}  {name} = {value}", entry.resolution.title()));
        }
    }
    section(out, "Properties", properties, |out, line| writeln!(out, "{line}"))?;
    memory(model, out)?;
    let skeleton = model.info().ok().and_then(|info| info.skeleton);
    let bones = skeleton.map_or(0, |skeleton| skeleton.bones.len());
    let animations = model.animations().map_or(0, |animations| animations.animations.len());
    let parts: Vec<String> = nonzero([(bones, "bones"), (animations, "animations")]).collect();
    let and = if parts.is_empty() { "" } else { ", " };
    writeln!(out, "\n  {FAINT}-v shows sections, selections{and}{}{FAINT:#}", parts.join(", "))
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
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            writeln!(out, "  {name}: {}", shown(text))?;
        }
    }
    writeln!(out, "  mass {}, armor {}", info.mass, info.armor)?;
    writeln!(out, "  positions are relative to {}", numbers(&info.bounding_center))?;
    let lods = info.special_lods.iter().filter(|(_, lod)| *lod >= 0);
    let lods: Vec<String> = lods.map(|(name, lod)| format!("{} {lod}", name.replace('_', " "))).collect();
    if !lods.is_empty() {
        writeln!(out, "  LODs by purpose: {}", lods.join(", "))?;
    }
    if let Ok(Some(trailer)) = model.trailer() {
        let shapes = trailer.shapes().map(|(_, shapes)| shapes.shapes.len() as u64).sum::<u64>();
        if let Some(first) = trailer.components.filter(|_| shapes > 0) {
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
        Err(error) => writeln!(out, "{}", error.message()),
        Ok(None) => writeln!(out),
    }
}

/// The counts of a LOD. Zero counts are left out.
fn contents(lod: &Lod<'_>) -> String {
    let points = count(lod.point_count.into(), "points");
    let others = nonzero([
        (lod.faces.len(), "faces"),
        (lod.sections.len(), "sections"),
        (lod.textures.len(), "textures"),
        (lod.materials.len(), "materials"),
        (lod.selections.len(), "selections"),
        (lod.proxies.len(), "proxies"),
        (lod.frames.len(), "frames"),
    ]);
    in_line(std::iter::once(points).chain(others))
}

fn details(out: &mut impl Write, lod: &Lod<'_>) -> Result<()> {
    list(out, lod.properties.iter(), |out, property| self::property(out, property.name, property.value))?;
    for (number, section) in lod.sections.iter().enumerate().take(50) {
        let faces = match lod.faces.range(section.memory_range()) {
            Ok(faces) => count(faces.len() as u64, "faces"),
            Err(error) => error.message(),
        };
        let texture = usize::try_from(section.texture).ok().and_then(|texture| lod.textures.get(texture));
        let material = section
            .material
            .and_then(|number| usize::try_from(number).ok())
            .and_then(|material| lod.materials.get(material));
        let mut look = vec![texture.filter(|name| !name.is_empty()).map_or_else(|| "no texture".to_owned(), mentioned)];
        look.extend(material.as_ref().map(self::material));
        look.extend(section.material_name.filter(|name| !name.is_empty()).map(mentioned));
        writeln!(out, "       {FAINT}section {number}: {faces}  {}{FAINT:#}", look.join(", "))?;
    }
    if lod.sections.len() > 50 {
        writeln!(out, "       {FAINT}... and {} more sections{FAINT:#}", grouped(lod.sections.len() as u64 - 50))?;
    }
    names(out, "selections", lod.selections.iter().map(|selection| selection.name))
}

pub(super) fn property(out: &mut impl Write, name: ByteStr<'_>, value: ByteStr<'_>) -> Result<()> {
    writeln!(out, "       {FAINT}{} = {}{FAINT:#}", shown(name), shown(value))
}

/// Writes names of a LOD's parts in a line. Writes nothing if there are none.
pub(super) fn names<'t>(out: &mut impl Write, what: &str, names: impl Iterator<Item = ByteStr<'t>>) -> Result<()> {
    let names = joined(names.map(mentioned));
    if names.is_empty() { Ok(()) } else { writeln!(out, "       {FAINT}{what}: {names}{FAINT:#}") }
}

fn material(material: &Material<'_>) -> String {
    let shader = material.pixel_shader.name().unwrap_or("unknown shader");
    format!("{} ({shader}, {})", mentioned(material.name), count(material.stages.len() as u64, "stages"))
}
