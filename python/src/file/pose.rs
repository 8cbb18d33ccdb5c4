//! Bones and animations.

use std::iter::zip;

use meshpeek::Error;
use meshpeek::geometry::Matrix;
use meshpeek::pose::{Clip, Rig};
use meshpeek::summary::Name;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::File;

/// A matrix as bytes takes this much.
const MATRIX_BYTES: u64 = 64;

/// A rig of an asset.
fn rig<'a>(asset: &'a meshpeek::Asset<'_>, index: usize) -> Result<Rig<'a>, Error> {
    match asset.rigs().into_iter().nth(index) {
        Some(rig) => rig,
        None => Err(Error::unsupported(format!("no rig {index}: {} has no such bones", asset.format().title()))),
    }
}

/// The clip of this name, ignoring case, or the first.
fn clip<'a>(rig: &Rig<'a>, name: Option<&str>) -> Result<Clip<'a>, Error> {
    for clip in rig.clips() {
        let clip = clip?;
        let Some(name) = name else { return Ok(clip) };
        if Name::from(clip.name).text.eq_ignore_ascii_case(name) {
            return Ok(clip);
        }
    }
    Err(Error::unsupported(match name {
        Some(name) => format!("no animation {name}"),
        None => "no animation".to_owned(),
    }))
}

struct BoneRow {
    name: String,
    parent: Option<usize>,
}

struct ClipRow {
    name: String,
    seconds: Option<f32>,
    rate: Option<f32>,
}

#[pymethods]
impl File {
    /// Its bones and animations: a list of dicts, one for each rig, with `model`, `bones` (a list of dicts with `name` and
    /// `parent`) and `clips` (a list of dicts with `name`, `seconds` and `rate`).
    fn rigs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rigs = self.with_asset(py, |open, asset| {
            let mut rigs = Vec::new();
            let budget = open.budget();
            for rig in asset.rigs() {
                let rig = rig?;
                let mut bones = Vec::new();
                for bone in rig.bones() {
                    let name = Name::from(bone.name).text;
                    budget.charge_output(256 + name.len() as u64)?;
                    bones.push(BoneRow { name, parent: bone.parent });
                }
                let mut clips = Vec::new();
                for clip in rig.clips() {
                    let clip = clip?;
                    let name = Name::from(clip.name).text;
                    budget.charge_output(256 + name.len() as u64)?;
                    clips.push(ClipRow { name, seconds: clip.seconds, rate: clip.rate });
                }
                rigs.push((rig.model, bones, clips));
            }
            Ok(rigs)
        })?;
        let list = PyList::empty(py);
        for (model, bones, clips) in rigs {
            let dict = PyDict::new(py);
            let all_bones = PyList::empty(py);
            let all_clips = PyList::empty(py);
            for BoneRow { name, parent } in bones {
                let row = PyDict::new(py);
                row.set_item("name", name)?;
                row.set_item("parent", parent)?;
                all_bones.append(row)?;
            }
            for ClipRow { name, seconds, rate } in clips {
                let row = PyDict::new(py);
                row.set_item("name", name)?;
                row.set_item("seconds", seconds)?;
                row.set_item("rate", rate)?;
                all_clips.append(row)?;
            }
            dict.set_item("model", model)?;
            dict.set_item("bones", all_bones)?;
            dict.set_item("clips", all_clips)?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// All bones of a rig at some time of an animation, as a NumPy array of 4 x 4 matrices for column vectors
    /// (`matrix @ point`), `float32`. Without a time, at rest. `space` is "local" (relative to the parent), "world", or
    /// "skin" (from the place of a vertex at rest to its place now). `clip` is the name of the animation; without one, the
    /// first. Time is in seconds, of RTM files in phases. The space is that of `geometry`.
    #[pyo3(signature = (seconds = None, *, clip = None, rig = 0, space = "world"))]
    fn pose<'py>(
        &self,
        py: Python<'py>,
        seconds: Option<f32>,
        clip: Option<String>,
        rig: usize,
        space: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let matrices = self.with_asset(py, |open, asset| {
            let rig = self::rig(asset, rig)?;
            open.budget().charge_output(MATRIX_BYTES.saturating_mul(rig.bones().len() as u64))?;
            let rest = rig.rest();
            let pose = match seconds {
                Some(seconds) => self::clip(&rig, clip.as_deref())?.pose_at(seconds)?,
                None => rest.clone(),
            };
            let matrices = match space {
                "local" => Some(pose.locals().to_vec()),
                "world" => pose.world(),
                "skin" => pose.skin(&rest),
                _ => return Err(Error::unsupported("space is \"local\", \"world\" or \"skin\"")),
            };
            let Some(matrices) = matrices else {
                let text = "the file does not say which bones carry which; ask for space=\"local\"";
                return Err(Error::unsupported(text));
            };
            Ok(matrices)
        })?;
        let mut bytes = Vec::new();
        for matrix in &matrices {
            for number in by_rows(matrix) {
                bytes.extend(number.to_ne_bytes());
            }
        }
        let numpy = py.import("numpy")?;
        let flat = numpy.call_method1("frombuffer", (PyBytes::new(py, &bytes), "=f4"))?;
        flat.call_method1("reshape", ((matrices.len(), 4, 4),))
    }
}

/// The numbers of a matrix by rows.
fn by_rows(matrix: &Matrix) -> [f32; 16] {
    let mut flat = [0.0; 16];
    for (row, numbers) in flat.chunks_exact_mut(4).enumerate() {
        for (number, column) in zip(numbers, &matrix.0) {
            *number = column[row];
        }
    }
    flat
}
