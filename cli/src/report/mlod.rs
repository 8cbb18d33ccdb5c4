//! Describes an MLOD model in words.

use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

use meshpeek::mlod::{Lod, Model, Resolution, Tag};
use meshpeek::view::ByteStr;

use super::list::{FAINT, heading, list, section};
use super::lods;
use super::odol::{names, property};
use super::text::{count, in_line, mentioned, nonzero, shown};
use crate::failure::message_of;

/// The most different looks of faces to list in a LOD.
const MOST_LOOKS: usize = 50;

pub(super) fn table(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    lods::table(model.lods().spanned().map(|(lod, span)| row(lod, span.bytes)), out)
}

fn row(lod: meshpeek::Result<Lod<'_>>, bytes: u64) -> lods::Row {
    let lod = match lod {
        Ok(lod) => lod,
        Err(error) => return lods::Row { name: String::new(), facts: Err(message_of(&error)) },
    };
    let mut triangles = 0_u64;
    for face in &lod.faces {
        triangles = triangles.saturating_add(face.triangle_count());
    }
    // Faces of this format have no sections.
    let facts = [Some(triangles), Some(lod.points.len() as u64), None, Some(bytes)];
    lods::Row { name: Resolution(lod.resolution).title(), facts: Ok(facts) }
}

pub(super) fn write(model: &Model<'_>, is_long: bool, out: &mut impl Write) -> Result<()> {
    if !is_long {
        return short(model, out);
    }
    heading(out, "Details of LODs")?;
    list(out, model.lods().enumerate(), lod)
}

fn lod(out: &mut impl Write, (index, lod): (usize, meshpeek::Result<Lod<'_>>)) -> Result<()> {
    match lod {
        Ok(lod) => {
            writeln!(out, "  {index}  {}  {}", Resolution(lod.resolution).title(), contents(&lod))?;
            details(out, &lod)
        }
        Err(error) => writeln!(out, "  {index}  {}", message_of(&error)),
    }
}

/// Writes the points of the first Memory LOD.
fn memory(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let mut all = model.lods().flatten();
    let Some(lod) = all.find(|lod| Resolution(lod.resolution).to_string() == lods::MEMORY) else { return Ok(()) };
    section(out, "Points of Memory", selections(&lod), |out, tag| {
        let mut points = Vec::new();
        for (point, _) in tag.weights(&lod).take(MOST_LOOKS) {
            if let Some(point) = lod.points.get(point) {
                points.push(point.position.to_array());
            }
        }
        lods::point(out, tag.name, &points)
    })
}

/// Writes the named properties.
fn short(model: &Model<'_>, out: &mut impl Write) -> Result<()> {
    let mut properties = Vec::new();
    for lod in model.lods().flatten() {
        let title = Resolution(lod.resolution).title();
        for tag in &lod.tags {
            if let Some((name, value)) = tag.property() {
                properties.push(format!("  {title}  {} = {}", shown(name), shown(value)));
            }
        }
    }
    section(out, "Properties", properties, |out, line| writeln!(out, "{line}"))?;
    memory(model, out)?;
    writeln!(out, "\n  {FAINT}-v shows faces by texture, selections and proxies{FAINT:#}")
}

/// The counts of a LOD. Zero counts are left out, except for points.
fn contents(lod: &Lod<'_>) -> String {
    let mut proxies = 0;
    let mut properties = 0;
    for tag in &lod.tags {
        proxies += usize::from(tag.proxy().is_some());
        properties += usize::from(tag.property().is_some());
    }
    let mut counts = vec![count(lod.points.len() as u64, "points")];
    counts.extend(nonzero(&[
        (lod.normals.len(), "normals"),
        (lod.faces.len(), "faces"),
        (selections(lod).count(), "selections"),
        (proxies, "proxies"),
        (properties, "properties"),
    ]));
    in_line(&counts)
}

/// The selections that are no proxies.
fn selections<'l, 'a>(lod: &'l Lod<'a>) -> impl Iterator<Item = Tag<'a>> + use<'l, 'a> {
    lod.tags.iter().filter(|tag| tag.is_selection() && tag.proxy().is_none())
}

fn details(out: &mut impl Write, lod: &Lod<'_>) -> Result<()> {
    list(out, lod.tags.iter().filter_map(|tag| tag.property()), |out, (name, value)| property(out, name, value))?;
    looks(out, lod)?;
    names(out, "selections", selections(lod).map(|tag| tag.name))?;
    names(out, "proxies", lod.tags.iter().filter_map(|tag| tag.proxy()))?;
    // Most kinds occur once; UV sets and properties may occur several times.
    let mut kinds: BTreeMap<ByteStr<'_>, u64> = BTreeMap::new();
    for tag in &lod.tags {
        if tag.is_selection() || tag.name == "#EndOfFile#" {
            continue;
        }
        if kinds.len() < MOST_LOOKS || kinds.contains_key(&tag.name) {
            *kinds.entry(tag.name).or_default() += 1;
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    let mut words = Vec::new();
    for (name, number) in kinds {
        let name = mentioned(name);
        words.push(if number > 1 { format!("{name} x{number}") } else { name });
    }
    writeln!(out, "       {FAINT}tags: {}{FAINT:#}", words.join(", "))
}

/// The faces by texture and material, in the order of the file.
fn looks(out: &mut impl Write, lod: &Lod<'_>) -> Result<()> {
    let mut order: Vec<((ByteStr<'_>, ByteStr<'_>), u64)> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    let mut others = 0;
    for face in &lod.faces {
        let look = (face.texture, face.material);
        match known.get(&look) {
            Some(&place) => order[place].1 += 1,
            None if order.len() < MOST_LOOKS => {
                known.insert(look, order.len());
                order.push((look, 1));
            }
            None => others += 1,
        }
    }
    for ((texture, material), faces) in order {
        let texture = if texture.is_empty() { "no texture".to_owned() } else { mentioned(texture) };
        let material = if material.is_empty() { String::new() } else { format!(", {}", mentioned(material)) };
        writeln!(out, "       {FAINT}{}  {texture}{material}{FAINT:#}", count(faces, "faces"))?;
    }
    if others == 0 {
        return Ok(());
    }
    writeln!(out, "       {FAINT}... and {} of other looks{FAINT:#}", count(others, "faces"))
}
