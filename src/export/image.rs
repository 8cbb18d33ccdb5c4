//! The images of a model, and PNG files.

use std::io::Write;

use crate::base::error::{Error, Result};
use crate::budget::Reservation;
use crate::geometry::Texture;

/// Supplies the images of a model. Names come from the model: never open them unchecked.
pub trait Images {
    /// The bytes of an image that is a sound PNG or JPEG file. `None` if it is not available, or in another form.
    fn file(&mut self, texture: &Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        let _ = (texture, room);
        None
    }

    /// The pixels of an image in any form, scaled down to at most this side. `None` if it is not available.
    fn pixels(&mut self, texture: &Texture<'_>, most: u32, room: &Reservation<'_>) -> Option<Pixels> {
        let _ = (texture, most, room);
        None
    }

    /// Called for an image that is left out because the result would be too large.
    fn left_out(&mut self, name: &str) {
        let _ = name;
    }
}

/// No images at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImages;

impl Images for NoImages {}

/// A decoded image.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue and opacity of each pixel, rows from the top.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// Makes black pixels invisible.
    pub(super) fn clear_black(&mut self) {
        for pixel in self.rgba.as_chunks_mut().0 {
            if let [0, 0, 0, opacity] = pixel {
                *opacity = 0;
            }
        }
    }
}

/// The largest side of an image in a model.
pub(super) const MOST_SIDE: u32 = 8192;

/// The last component of a path with slashes of either kind. Models often name paths on the author's machine.
pub fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\', ':']).next().unwrap_or(name)
}

/// The media type that some bytes start like, if glTF supports it.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}

/// Writes a PNG file of 3 or 4 bytes per pixel.
pub(super) fn write_png(out: impl Write, [width, height]: [u32; 2], color: png::ColorType, bytes: &[u8]) -> Result<()> {
    let failed = |error| match error {
        png::EncodingError::IoError(error) => Error::from(error),
        other => Error::from(std::io::Error::other(other)),
    };
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Paeth);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(bytes).map_err(failed)?;
    writer.finish().map_err(failed)
}

pub(super) fn to_png(pixels: &Pixels) -> Result<Vec<u8>> {
    let mut png = Vec::new();
    write_png(&mut png, pixels.size, png::ColorType::Rgba, &pixels.rgba)?;
    Ok(png)
}
