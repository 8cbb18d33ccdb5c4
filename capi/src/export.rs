//! Models in formats of other programs, and pictures of them.

use std::ffi::{c_char, c_void};
use std::io::{self, Write};

use meshpeek_core::Error;
use meshpeek_core::export::{self, Lod, Mirror, Options, Space, Up, View};

use crate::asset::meshpeek_asset;
use crate::call::{borrow, call, optional_text, text};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::image::{Given, meshpeek_image_fn};

/// Receives the next bytes of a file. A result other than 0 stops the call.
pub type meshpeek_write_fn = Option<unsafe extern "C" fn(user: *mut c_void, data: *const u8, size: usize) -> i32>;

/// Which axis is mirrored.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_mirror {
    /// None: right-handed, as in glTF.
    None = 0,
    /// x is negated.
    X = 1,
    /// z is negated.
    Z = 2,
}

/// Which axis points up.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_up {
    /// y, as in glTF.
    Y = 0,
    /// z.
    Z = 1,
}

/// The options of an export. Start from meshpeek_export_options_default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct meshpeek_export_options {
    /// The index of the level of detail; -1 for the finest, -2 for all.
    pub lod: i64,
    /// The only animation to write, or the one to draw, by name in any case. NULL: all, or the first.
    pub clip: *const c_char,
    /// A meshpeek_mirror and a meshpeek_up, for models.
    pub mirror: i32,
    pub up: i32,
    /// Multiplies all lengths of a model.
    pub scale: f32,
    /// Width and height of a picture in pixels, at most 8192.
    pub size: u32,
    /// The direction from the model to the eye.
    pub eye: [f32; 3],
    /// The time of the animation in seconds; negative for the pose at rest.
    pub time: f32,
    /// True for a background without color.
    pub is_transparent: bool,
    /// True for the edges of triangles alone.
    pub is_wireframe: bool,
    /// Supplies images for a .glb or a picture, with this pointer. NULL: only the images inside the model.
    pub images: meshpeek_image_fn,
    pub images_user: *mut c_void,
}

/// Returns the default options: glTF's space, the finest level of detail, 512 pixels, seen from the front.
#[unsafe(no_mangle)]
pub extern "C" fn meshpeek_export_options_default() -> meshpeek_export_options {
    let view = View::default();
    meshpeek_export_options {
        lod: -1,
        clip: std::ptr::null(),
        mirror: 0,
        up: 0,
        scale: 1.0,
        size: view.size,
        eye: view.eye,
        time: -1.0,
        is_transparent: view.transparent,
        is_wireframe: view.wireframe,
        images: None,
        images_user: std::ptr::null_mut(),
    }
}

/// Writes to a callback of the caller.
struct Sink {
    write: unsafe extern "C" fn(user: *mut c_void, data: *const u8, size: usize) -> i32,
    user: *mut c_void,
    is_stopped: bool,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the callback is the caller's.
        if unsafe { (self.write)(self.user, bytes.as_ptr(), bytes.len()) } != 0 {
            self.is_stopped = true;
            return Err(io::Error::other("stopped by a callback"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lod(index: i64) -> Result<Lod, Failure> {
    match (index, usize::try_from(index)) {
        (-1, _) => Ok(Lod::Finest),
        (-2, _) => Ok(Lod::All),
        (_, Ok(index)) => Ok(Lod::Index(index)),
        _ => Err(Failure::Argument("lod is -2, -1 or an index")),
    }
}

fn space(options: &meshpeek_export_options) -> Result<Space, Failure> {
    let mut space = Space::default();
    space.mirror = match options.mirror {
        axis if axis == meshpeek_mirror::None as i32 => None,
        axis if axis == meshpeek_mirror::X as i32 => Some(Mirror::X),
        axis if axis == meshpeek_mirror::Z as i32 => Some(Mirror::Z),
        _ => return Err(Failure::Argument("mirror is no meshpeek_mirror")),
    };
    space.up = match options.up {
        axis if axis == meshpeek_up::Y as i32 => Up::Y,
        axis if axis == meshpeek_up::Z as i32 => Up::Z,
        _ => return Err(Failure::Argument("up is no meshpeek_up")),
    };
    space.scale = options.scale;
    Ok(space)
}

fn write(
    asset: &meshpeek_asset,
    form: &str,
    given: &meshpeek_export_options,
    clip: Option<&str>,
    sink: &mut Sink,
) -> Result<(), Failure> {
    let lod = lod(given.lod)?;
    let mut options = Options::default();
    options.lod = lod;
    options.space = space(given)?;
    options.clip = clip;
    let mut view = View::default();
    view.lod = lod;
    view.clip = clip;
    view.size = given.size;
    view.eye = given.eye;
    view.time = if given.time >= 0.0 { Some(given.time) } else { None };
    view.transparent = given.is_transparent;
    view.wireframe = given.is_wireframe;
    if !["glb", "obj", "ply", "png"].contains(&form) {
        return Err(Failure::Argument("form is \"glb\", \"obj\", \"ply\" or \"png\""));
    }
    // SAFETY: the callback is the caller's.
    let mut images = unsafe { Given::new(asset.asset(), given.images, given.images_user) };
    match write_form(asset, form, &options, &view, &mut images, sink) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) if sink.is_stopped => Err(Failure::Stopped),
        Ok(Err(error)) => Err(Error::from(error).into()),
        Err(error) => Err(asset.located(error)),
    }
}

/// Writes the model, or its picture. The outer error is one of the model, the inner one of writing.
fn write_form(
    asset: &meshpeek_asset,
    form: &str,
    options: &Options<'_>,
    view: &View<'_>,
    images: &mut Given<'_>,
    sink: &mut Sink,
) -> Result<io::Result<()>, Error> {
    let model = asset.asset();
    let budget = asset.budget();
    Ok(match form {
        "glb" => export::glb(model, options, images, &budget)?.write_to(sink),
        "obj" => export::obj(model, options, &budget)?.write_to(sink),
        "ply" => export::ply(model, options, &budget)?.write_to(sink),
        _ => export::picture(model, view, images, &budget)?.write_png(sink).map_err(io::Error::other),
    })
}

/// Writes a model as "glb" (binary glTF 2.0), "obj" or "ply", or a picture of it as "png". A .glb contains the images of
/// its textures that `options.images` supplies, or that are .png or .jpg files inside the model, and names the others. No
/// file is opened. Binarised models (ODOL) are drawn, but not written as models. `options` may be
/// NULL.
///
/// # Safety
/// `asset` is a live handle, `form` a text; `options` is NULL or valid for a read and its `clip` NULL or a text; `error`
/// is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_export(
    asset: *const meshpeek_asset,
    form: *const c_char,
    options: *const meshpeek_export_options,
    write: meshpeek_write_fn,
    user: *mut c_void,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        // SAFETY: as promised.
        let form = unsafe { text(form) }?;
        // SAFETY: as promised.
        let options = match unsafe { options.as_ref() } {
            Some(options) => *options,
            None => meshpeek_export_options_default(),
        };
        // SAFETY: as promised.
        let clip = unsafe { optional_text(options.clip) }?;
        let write = write.ok_or(Failure::Argument("the callback is NULL"))?;
        self::write(asset, form, &options, clip, &mut Sink { write, user, is_stopped: false })
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}
