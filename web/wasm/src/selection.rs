//! The named selections of a level of detail.

use std::collections::{BTreeSet, HashSet};

use meshpeek::{Asset, Error};
use serde_json::{Value, json};

use crate::Result;
use crate::array::Table;
use crate::node::Node;

/// The most selections that are listed.
const MOST_LISTED: usize = 20_000;

/// The selections of a level of detail: the number of each in its list, its name, and true if nothing is in it.
pub(crate) fn names(asset: &Asset<'_>, lod: usize) -> Result<Value> {
    let mut names = Vec::new();
    let mut more = 0_u64;
    let mut add = |index: usize, name: String, is_empty: bool| {
        if names.len() < MOST_LISTED {
            names.push(json!([index, name, is_empty]));
        } else {
            more += 1;
        }
    };
    match asset {
        Asset::Odol(model) => {
            if let Some(lod) = model.lod(lod)? {
                for (index, selection) in lod.selections.iter().enumerate() {
                    let count = [selection.faces.count(), selection.sections.count(), selection.vertices.count()];
                    add(index, selection.name.to_string(), count == [0; 3]);
                }
            }
        }
        Asset::Mlod(model) => {
            if let Some(lod) = model.lods().nth(lod) {
                for (index, tag) in lod?.tags.iter().enumerate() {
                    if tag.is_selection() {
                        let is_empty = tag.data.as_bytes().iter().all(|selected| *selected == 0);
                        add(index, tag.name.to_string(), is_empty);
                    }
                }
            }
        }
        _ => {}
    }
    Ok(json!({ "names": names, "more": more }))
}

/// The positions of the points of a selection, where the triangles of the page are.
pub(crate) fn points(node: &Node, lod: usize, index: usize) -> Result<Vec<f32>> {
    // The positions of ODOL are counted from there.
    let center = node.ask(|asset| match asset {
        Asset::Odol(model) => Ok(Some(model.info()?.bounding_center)),
        _ => Ok(None),
    })?;
    let is_listed = center.is_some();
    let center = center.unwrap_or_default();
    let all = Numbers::of(node, &format!("lods/{lod}/{}", if is_listed { "positions" } else { "points" }))?;
    let mut points = Vec::new();
    if is_listed {
        let chosen = Numbers::of(node, &format!("lods/{lod}/selections/{index}/vertices"))?;
        for point in &chosen.numbers {
            all.add(*point as usize, center, &mut points);
        }
        // Some selections list only faces.
        if chosen.rows == 0 {
            for point in corners(node, lod, index)? {
                all.add(point as usize, center, &mut points);
            }
        }
    } else {
        // A byte for each point, and then one for each face.
        let chosen = Numbers::of(node, &format!("lods/{lod}/tags/{index}/data"))?;
        for (point, byte) in chosen.numbers.iter().take(all.rows).enumerate() {
            if *byte > 0.0 {
                all.add(point, center, &mut points);
            }
        }
    }
    Ok(points)
}

/// The points at the corners of the faces of an ODOL selection, each once.
fn corners(node: &Node, lod: usize, index: usize) -> Result<BTreeSet<u32>> {
    let faces = Numbers::of(node, &format!("lods/{lod}/selections/{index}/faces"))?;
    let chosen: HashSet<usize> = faces.numbers.iter().map(|face| *face as usize).collect();
    node.ask(|asset| {
        let mut points = BTreeSet::new();
        let Asset::Odol(model) = asset else { return Ok(points) };
        let Some(lod) = model.lod(lod)? else { return Ok(points) };
        for (number, face) in lod.faces.iter().enumerate() {
            if chosen.contains(&number) {
                points.extend(face?.corners.iter());
            }
        }
        Ok(points)
    })
}

/// The sections of which a selection consists: each is a part of the level of detail. Only ODOL has them.
pub(crate) fn sections(node: &Node, lod: usize, index: usize) -> Result<Vec<u32>> {
    let has_sections = node.ask(|asset| {
        let Asset::Odol(model) = asset else { return Ok(false) };
        let Some(lod) = model.lod(lod)? else { return Ok(false) };
        let Some(selection) = lod.selections.iter().nth(index) else { return Ok(false) };
        Ok(selection.sections.count() > 0)
    })?;
    let mut sections = Vec::new();
    if has_sections {
        for section in Numbers::of(node, &format!("lods/{lod}/selections/{index}/sections"))?.numbers {
            // -1 is no section.
            if section >= 0.0 {
                sections.push(section as u32);
            }
        }
    }
    Ok(sections)
}

/// An array as numbers, row after row.
struct Numbers {
    numbers: Vec<f64>,
    rows: usize,
    width: usize,
}

impl Numbers {
    fn of(node: &Node, selector: &str) -> Result<Self> {
        let table = Table::of(node, selector)?;
        let Ok(rows) = u32::try_from(table.row_count()) else {
            return Err(Error::unsupported(format!("{selector} has too many rows")));
        };
        let numbers = table.rows(0, rows);
        let rows = rows as usize;
        Ok(Self { width: numbers.len().checked_div(rows).unwrap_or_default(), numbers, rows })
    }

    /// Adds the position in a row, if there is one, in the common space: the models face against z.
    fn add(&self, row: usize, center: [f32; 3], points: &mut Vec<f32>) {
        let start = row.saturating_mul(self.width);
        let Some([x, y, z, ..]) = self.numbers.get(start..) else { return };
        for (number, (center, sign)) in [x, y, z].into_iter().zip(center.into_iter().zip([1.0, 1.0, -1.0])) {
            let place = (*number as f32 + center) * sign;
            points.push(if place.is_finite() { place } else { 0.0 });
        }
    }
}
