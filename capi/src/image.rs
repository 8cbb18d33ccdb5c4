//! Images of textures, from the caller.

use std::ffi::c_void;

use meshpeek_core::Asset;
use meshpeek_core::budget::Reservation;
use meshpeek_core::export::{Embedded, Images, Pixels, is_embeddable};
use meshpeek_core::geometry::Texture;
use meshpeek_core::summary::Name;

use crate::handle::c_text;
use crate::mesh::meshpeek_texture;

/// An image of the caller. Its bytes stay valid until the callback is called again or the export ends.
#[repr(C)]
pub struct meshpeek_image {
    /// A file, or the pixels of an image.
    pub data: *const u8,
    /// The number of bytes.
    pub size: usize,
    /// Both 0 for a file. Else the size in pixels, each with four bytes: red, green, blue, opacity; rows from the top.
    pub width: u32,
    pub height: u32,
}

/// Supplies the image of a texture, whose name is only valid during the call. A file is a .png, .jpg or .paa. If
/// `needs_pixels` is true (for pictures, and where is_black_clear is true), it is pixels or a .paa. Returns 0 after
/// filling in `image`; another result means that there is none. May be called twice for a texture.
pub type meshpeek_image_fn = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        texture: *const meshpeek_texture,
        needs_pixels: bool,
        image: *mut meshpeek_image,
    ) -> i32,
>;

/// Asks the caller first, then the model itself.
pub(crate) struct Given<'a> {
    find: meshpeek_image_fn,
    user: *mut c_void,
    inside: Embedded<'a>,
}

/// An answer of the caller.
enum Found<'f> {
    File(&'f [u8]),
    Pixels([u32; 2], &'f [u8]),
}

impl<'a> Given<'a> {
    /// # Safety
    /// The callback fills in images as its type says.
    pub(crate) unsafe fn new(asset: &'a Asset<'a>, find: meshpeek_image_fn, user: *mut c_void) -> Self {
        Self { find, user, inside: Embedded::new(asset) }
    }

    /// # Safety
    /// The answer is not used after the next call.
    unsafe fn ask<'f>(&self, texture: &Texture<'_>, needs_pixels: bool) -> Option<Found<'f>> {
        let find = self.find?;
        let name = c_text(&Name::from(texture.name).text);
        let texture = meshpeek_texture::new(texture, &name);
        let mut image = meshpeek_image { data: std::ptr::null(), size: 0, width: 0, height: 0 };
        // SAFETY: as promised to `new`. The texture and the image live during the call.
        let status = unsafe { find(self.user, &raw const texture, needs_pixels, &raw mut image) };
        if status != 0 || image.data.is_null() {
            return None;
        }
        // SAFETY: as promised to `new`.
        let bytes = unsafe { std::slice::from_raw_parts(image.data, image.size) };
        let size = [image.width, image.height];
        if size == [0, 0] {
            return Some(Found::File(bytes));
        }
        let expected = u64::from(image.width).checked_mul(u64::from(image.height))?.checked_mul(4)?;
        if expected != bytes.len() as u64 || expected == 0 {
            return None;
        }
        Some(Found::Pixels(size, bytes))
    }
}

impl Images for Given<'_> {
    fn file(&mut self, texture: &Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        // SAFETY: the result borrows this value, so it is not used after the next call, which needs it exclusively.
        match unsafe { self.ask(texture, false) } {
            Some(Found::File(bytes)) if is_embeddable(bytes) => {
                let memory = bytes.len() as u64;
                if room.can_afford(memory, 0, memory) { Some(bytes) } else { None }
            }
            // Asked for again as pixels.
            Some(_) => None,
            None => self.inside.file(texture, room),
        }
    }

    fn pixels(&mut self, texture: &Texture<'_>, most: u32, room: &Reservation<'_>) -> Option<Pixels> {
        // SAFETY: the bytes are copied here.
        match unsafe { self.ask(texture, true) }? {
            Found::File(bytes) => Pixels::of_paa(bytes, most, room).ok(),
            Found::Pixels(size, bytes) => smaller(size, bytes, most, room),
        }
    }
}

/// Copies pixels, every n-th if there are more than `most` on a side.
fn smaller([width, height]: [u32; 2], bytes: &[u8], most: u32, room: &Reservation<'_>) -> Option<Pixels> {
    let memory = bytes.len() as u64;
    if !room.can_afford(memory, 0, memory) || room.charge_work(memory).is_err() {
        return None;
    }
    let step = width.max(height).div_ceil(most.max(1));
    let skip = usize::try_from(step).ok()?;
    let row = usize::try_from(width).ok()?.checked_mul(4)?;
    let mut rgba = Vec::new();
    for row in bytes.chunks_exact(row).step_by(skip) {
        let (pixels, _) = row.as_chunks::<4>();
        for pixel in pixels.iter().step_by(skip) {
            rgba.extend_from_slice(pixel);
        }
    }
    Some(Pixels::new([width.div_ceil(step), height.div_ceil(step)], rgba))
}
