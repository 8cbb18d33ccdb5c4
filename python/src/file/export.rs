//! Models as files of other programs, and pictures.

use std::collections::HashMap;

use meshpeek::budget::Reservation;
use meshpeek::export::{self, Embedded, Lod, Mirror, Options, Up, View};
use meshpeek::geometry::Texture;
use meshpeek::summary::Name;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::File;
use crate::error::Unsupported;
use crate::options::wrong;

/// The images of a model to export.
struct Images<'a> {
    /// By the whole name in the model.
    given: HashMap<String, PyBackedBytes>,
    inside: Embedded<'a>,
}

impl export::Images for Images<'_> {
    fn file(&mut self, texture: &Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        match self.given.get(&Name::from(texture.name).text) {
            Some(bytes) => Some(bytes),
            None => self.inside.file(texture, room),
        }
    }
}

/// A level of detail, as an argument.
#[derive(FromPyObject)]
enum LodArg {
    Index(usize),
    Name(String),
}

fn lod_of(lod: Option<LodArg>) -> PyResult<Lod> {
    match lod {
        None => Ok(Lod::Finest),
        Some(LodArg::Index(index)) => Ok(Lod::Index(index)),
        Some(LodArg::Name(name)) if name == "all" => Ok(Lod::All),
        Some(LodArg::Name(_)) => Err(wrong("lod is a number or \"all\"")),
    }
}

fn mirror_of(axis: Option<&str>) -> PyResult<Option<Mirror>> {
    match axis {
        None => Ok(None),
        Some("x") => Ok(Some(Mirror::X)),
        Some("z") => Ok(Some(Mirror::Z)),
        Some(_) => Err(wrong("mirror is \"x\" or \"z\"")),
    }
}

fn up_of(axis: &str) -> PyResult<Up> {
    match axis {
        "y" => Ok(Up::Y),
        "z" => Ok(Up::Z),
        _ => Err(wrong("up is \"y\" or \"z\"")),
    }
}

fn is_positive(number: f32) -> bool {
    number.is_finite() && number > 0.0
}

#[pymethods]
impl File {
    /// The model as a file of another program, "glb", "obj" or "ply", or a picture of it, "png". A .glb contains the PNG
    /// and JPEG images inside the model, and those in `images`: their bytes by their names in the model. An image whose
    /// black is transparent is left out, because its pixels would have to change.
    ///
    /// `texture` is the name in `images` for surfaces that name none. `clip` is the only animation to write, or the one
    /// that a picture shows at `time`, `fps` its frames per second. `lod` is the index of a level of detail, or "all";
    /// without it, the finest. `mirror` is "x" or "z", `up` is "y" or "z". `size` is that of a picture in pixels, `eye` the
    /// direction from the model to the eye.
    #[pyo3(signature = (
        form = "glb", *, images = None, texture = None, clip = None, fps = None, lod = None, mirror = None, up = "y",
        scale = 1.0, size = 512, eye = None, time = None, transparent = false, wireframe = false
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords to its callers")]
    fn export<'py>(
        &self,
        py: Python<'py>,
        form: &str,
        images: Option<HashMap<String, PyBackedBytes>>,
        texture: Option<&str>,
        clip: Option<&str>,
        fps: Option<f32>,
        lod: Option<LodArg>,
        mirror: Option<&str>,
        up: &str,
        scale: f32,
        size: u32,
        eye: Option<[f32; 3]>,
        time: Option<f32>,
        transparent: bool,
        wireframe: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let given = images.unwrap_or_default();
        let lod = lod_of(lod)?;
        let mut options = Options::default();
        options.clip = clip;
        options.fps = fps;
        options.lod = lod;
        options.texture = texture;
        options.space.scale = scale;
        options.space.mirror = mirror_of(mirror)?;
        options.space.up = up_of(up)?;
        if !is_positive(scale) || fps.is_some_and(|fps| !is_positive(fps)) {
            return Err(wrong("scale and fps are numbers above 0"));
        }
        if !(1..=4096).contains(&size) {
            return Err(wrong("size is 1 to 4096"));
        }
        let mut view = View::default();
        view.size = size;
        view.eye = eye.unwrap_or(view.eye);
        view.time = time;
        view.clip = clip;
        view.lod = lod;
        view.texture = texture;
        view.transparent = transparent;
        view.wireframe = wireframe;
        if !["glb", "obj", "ply", "png"].contains(&form) {
            return Err(Unsupported::new_err(format!("no form {form}: glb, obj, ply or png")));
        }
        let bytes = self.with_whole(py, |open, asset| {
            let budget = open.budget();
            let mut bytes = Vec::new();
            let mut images = Images { given, inside: Embedded::new(asset) };
            match form {
                "glb" => export::glb(asset, &options, &mut images, &budget)?.write_to(&mut bytes)?,
                "obj" => export::obj(asset, &options, &budget)?.write_to(&mut bytes)?,
                "ply" => export::ply(asset, &options, &budget)?.write_to(&mut bytes)?,
                _ => export::picture(asset, &view, &mut images, &budget)?.write_png(&mut bytes)?,
            }
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}
