//! Models of Arma: what their geometry, LODs and materials need.

use super::geometry::{BYTES, Body, WORK};
#[cfg(feature = "odol")]
use super::materials::MOST_TEXGENS;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::place::{Locate as _, Root};
use crate::base::text::ByteStr;
use crate::check::grouped;
#[cfg(feature = "mlod")]
use crate::formats::mlod;
#[cfg(feature = "odol")]
use crate::formats::odol;
use crate::formats::resolution::Resolution;
use crate::summary::Problems;

/// The purpose of the LOD that objects collide with.
const GEOMETRY: Resolution = Resolution(1e13);

fn warn(problems: &mut Problems, code: Code, lod: usize, offset: u64, message: String) {
    problems.warning(&Root.item("lods", lod).locate(Error::malformed(message).coded(code).at(offset)));
}

/// The LODs of a model as far as they are compared.
#[derive(Default)]
struct Lods(Vec<Level>);

struct Level {
    index: usize,
    resolution: Resolution,
    faces: u64,
    offset: u64,
}

impl Lods {
    /// Reports two LODs of one resolution, and visual LODs that have more faces than the next finer one. A tenth more may
    /// be meant: in a real model of 738 faces, the coarser LOD has 746.
    fn check(mut self, problems: &mut Problems) {
        self.0.sort_by(|a, b| a.resolution.0.total_cmp(&b.resolution.0));
        for pair in self.0.windows(2) {
            let [finer, coarser] = pair else { continue };
            if finer.resolution == coarser.resolution {
                let message =
                    format!("a second LOD of the resolution {}, after lods[{}]", coarser.resolution, finer.index);
                warn(problems, Code::LodTwice, coarser.index, coarser.offset, message);
            } else if coarser.resolution.is_visual() && coarser.faces > finer.faces.saturating_add(finer.faces / 10) {
                let message = format!(
                    "{} faces at resolution {}, more than the {} of the finer {}",
                    grouped(coarser.faces),
                    coarser.resolution,
                    grouped(finer.faces),
                    finer.resolution
                );
                warn(problems, Code::LodOrder, coarser.index, coarser.offset, message);
            }
        }
    }
}

/// The components of a geometry LOD.
struct Components {
    lod: usize,
    offset: u64,
    body: Body,
    components: u64,
    /// For each face, true if it is in a component or in a proxy.
    known: Vec<bool>,
}

/// Returns true for `Component01` and the like.
fn is_component(name: ByteStr<'_>) -> bool {
    match name.as_bytes().split_at_checked(b"component".len()) {
        Some((word, number)) => {
            word.eq_ignore_ascii_case(b"component") && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
        }
        None => false,
    }
}

/// Returns true for the selection of a proxy, which is no part of the body.
fn is_proxy(name: ByteStr<'_>) -> bool {
    match name.as_bytes().get(..b"proxy:".len()) {
        Some(word) => word.eq_ignore_ascii_case(b"proxy:"),
        None => false,
    }
}

impl Components {
    fn new(lod: usize, offset: u64, body: Body) -> Self {
        let known = vec![false; body.face_count()];
        Self { lod, offset, body, components: 0, known }
    }

    /// Adds a selection with these faces.
    fn add(&mut self, name: ByteStr<'_>, faces: &[usize], offset: u64, problems: &mut Problems) -> Result<()> {
        if !is_component(name) && !is_proxy(name) {
            return Ok(());
        }
        problems.budget().charge_work((faces.len() as u64).saturating_mul(WORK))?;
        for face in faces {
            if let Some(known) = self.known.get_mut(*face) {
                *known = true;
            }
        }
        if !is_component(name) || faces.is_empty() {
            return Ok(());
        }
        self.components = self.components.saturating_add(1);
        let faults = self.body.faults(faces);
        if faults.open > 0 {
            let message = format!("{name} is not closed: {} of {} edges have one face", faults.open, faults.edges);
            warn(problems, Code::Closed, self.lod, offset, message);
        }
        if let Some(outside) = faults.outside {
            let message = format!("{name} is not convex: a corner is {outside:.3} m outside of a face beside it");
            warn(problems, Code::Convex, self.lod, offset, message);
        }
        Ok(())
    }

    /// Reports faces without a component. Returns true if there is something to collide with.
    fn finish(self, problems: &mut Problems) -> bool {
        let faces = self.known.len() as u64;
        let left = self.known.iter().filter(|known| !**known).count() as u64;
        if left > 0 {
            let message = match self.components {
                0 => format!("{} faces, and no selection ComponentNN", grouped(left)),
                _ => format!("{} of {} faces are in no selection ComponentNN", grouped(left), grouped(faces)),
            };
            warn(problems, Code::Components, self.lod, self.offset, message);
        }
        self.components > 0
    }
}

#[cfg(feature = "mlod")]
pub(super) fn mlod(model: &mlod::Model<'_>, problems: &mut Problems) {
    let mut lods = Lods::default();
    for (index, (lod, span)) in model.lods().spanned().enumerate() {
        // What cannot be read was reported before.
        let Ok(lod) = lod else { break };
        let resolution = Resolution(lod.resolution);
        lods.0.push(Level { index, resolution, faces: lod.faces.len() as u64, offset: span.offset });
        if resolution == GEOMETRY
            && let Err(error) = mlod_geometry(&lod, index, problems)
        {
            problems.error(&Root.item("lods", index).locate(error));
        }
    }
    lods.check(problems);
}

#[cfg(feature = "mlod")]
fn mlod_geometry(lod: &mlod::Lod<'_>, index: usize, problems: &mut Problems) -> Result<()> {
    let points = lod.points.len();
    let count = (points as u64).saturating_add(lod.faces.len() as u64);
    let budget = problems.budget().clone();
    let _held = budget.hold(count.saturating_mul(BYTES))?;
    let mut body = Body::new(lod.points.iter().map(|point| point.position.to_array()));
    for face in &lod.faces {
        body.add(face.corners().iter().map(|corner| corner.point.get()));
    }
    let offset = lod.points.offset();
    let mut components = Components::new(index, offset, body);
    let mut mass = 0.0;
    for tag in &lod.tags {
        if tag.name == "#Mass#" {
            let (numbers, _) = tag.data.as_bytes().as_chunks();
            mass += numbers.iter().map(|number| f64::from(f32::from_le_bytes(*number))).sum::<f64>();
        } else if tag.is_selection() {
            budget.charge_work(tag.data.len() as u64)?;
            let marks = tag.data.as_bytes().get(points..).unwrap_or_default();
            let mut faces = Vec::new();
            for (face, mark) in marks.iter().enumerate() {
                if *mark != 0 {
                    faces.push(face);
                }
            }
            components.add(tag.name, &faces, tag.data.offset(), problems)?;
        }
    }
    if components.finish(problems) && mass == 0.0 {
        warn(problems, Code::Mass, index, offset, "components without a mass".to_owned());
    }
    Ok(())
}

#[cfg(feature = "odol")]
pub(super) fn odol(model: &odol::Model<'_>, problems: &mut Problems) {
    let mut lods = Lods::default();
    for entry in model.lods() {
        let index = entry.index;
        // What cannot be read was reported before.
        let Ok(Some(lod)) = model.lod(index) else { continue };
        let offset = u64::from(entry.start);
        lods.0.push(Level { index, resolution: entry.resolution, faces: lod.faces.len() as u64, offset });
        for material in &lod.materials {
            let texgens = material.transforms.len();
            if texgens > MOST_TEXGENS {
                let message =
                    format!("{} has {texgens} transforms of coordinates, the games read {MOST_TEXGENS}", material.name);
                warn(problems, Code::Texgens, index, material.transforms.offset(), message);
            }
        }
        if entry.resolution != GEOMETRY {
            continue;
        }
        match odol_geometry(&lod, index, offset, problems) {
            // 7 of 11 available models of DayZ with components have none.
            Ok(true) if !model.version().is_dayz(0) && is_massless(model) => {
                warn(problems, Code::Mass, index, offset, "components of a model without a mass".to_owned());
            }
            Ok(_) => {}
            Err(error) => problems.error(&Root.item("lods", index).locate(error)),
        }
    }
    lods.check(problems);
}

#[cfg(feature = "odol")]
fn is_massless(model: &odol::Model<'_>) -> bool {
    match model.info() {
        Ok(info) => info.mass == 0.0,
        Err(_) => false,
    }
}

/// Returns true if there is something to collide with.
#[cfg(feature = "odol")]
fn odol_geometry(lod: &odol::Lod<'_>, index: usize, offset: u64, problems: &mut Problems) -> Result<bool> {
    let budget = problems.budget().clone();
    // Positions that cannot be read were reported before.
    let Ok(positions) = lod.positions() else { return Ok(false) };
    let count = positions.count().saturating_add(lod.faces.len() as u64);
    let _held = budget.hold(count.saturating_mul(BYTES))?;
    let Ok(positions) = budget.decode(&positions) else { return Ok(false) };
    let mut body = Body::new(positions.iter().map(|position| position.to_array()));
    for face in lod.faces.iter() {
        let Ok(face) = face else { return Ok(false) };
        body.add(face.corners.iter());
    }
    let mut components = Components::new(index, offset, body);
    for selection in &lod.selections {
        let Ok(numbers) = selection.faces.decode() else { continue };
        budget.charge_work(selection.faces.count().saturating_mul(4))?;
        let mut faces = Vec::new();
        for number in numbers.iter() {
            faces.push(number as usize);
        }
        components.add(selection.name, &faces, selection.faces.offset(), problems)?;
    }
    Ok(components.finish(problems))
}
