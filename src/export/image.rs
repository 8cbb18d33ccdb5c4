//! The images of a model, and PNG files.

use std::io::{Cursor, Write};

use crate::base::error::{Error, Result};
use crate::budget::Reservation;
#[cfg(feature = "paa")]
use crate::formats::paa;
use crate::geometry::Texture;

/// Supplies the images of a model. Names come from the model: never open them unchecked.
#[allow(unused_variables, reason = "defaults ignore their input")]
pub trait Images {
    /// Returns the bytes of an image that is a sound PNG or JPEG file. Returns `None` if it is not available, or in
    /// another form.
    fn file(&mut self, texture: &Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        None
    }

    /// Returns the pixels of an image in any form, scaled down to at most this side. Returns `None` if it is not
    /// available.
    fn pixels(&mut self, texture: &Texture<'_>, most: u32, room: &Reservation<'_>) -> Option<Pixels> {
        None
    }

    /// Called for an image that is left out because the result would be too large.
    fn left_out(&mut self, name: &str) {}
}

/// No images at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImages;

impl Images for NoImages {}

/// A decoded image.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pixels {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue and opacity of each pixel, rows from the top.
    pub rgba: Vec<u8>,
}

impl Pixels {
    /// Creates an image of this width and height. `rgba` has four bytes for each pixel, rows from the top.
    pub const fn new(size: [u32; 2], rgba: Vec<u8>) -> Self {
        Self { size, rgba }
    }

    /// Decodes a `.paa` or `.pac` file for display: the largest mip with sides up to `most`, or else the smallest. The
    /// budget keeps nothing of it.
    ///
    /// # Errors
    /// Returns an error if the bytes are no such file or damaged, and a limit if decoding it exceeds the budget.
    #[cfg(feature = "paa")]
    pub fn of_paa(bytes: &[u8], most: u32, room: &Reservation<'_>) -> Result<Self> {
        use crate::base::code::Code;
        use crate::bytes::Table;

        let texture = paa::Texture::parse(bytes)?;
        let Some(mip) = mip_up_to(&texture, most) else {
            return Err(Error::malformed("no mip that can be read"));
        };
        let decoded = mip.block()?.decoded_byte_len();
        let memory = mip.pixels().rows().saturating_mul(4).saturating_add(decoded);
        if !room.can_afford(memory, 0, memory) {
            let limit = room.budget().limits().decoded_bytes;
            return Err(Error::limit("decoded bytes at once", limit, Code::DecodedBytesLimit));
        }
        room.charge_work(memory)?;
        room.hold(memory)?;
        let picture = texture.to_picture(&mip);
        room.give(memory);
        let picture = picture?;
        Ok(Self { size: [picture.width, picture.height].map(u32::from), rgba: picture.rgba })
    }

    pub(super) fn clear_black(&mut self) {
        for pixel in self.rgba.as_chunks_mut().0 {
            if let [0, 0, 0, opacity] = pixel {
                *opacity = 0;
            }
        }
    }
}

/// Returns the largest mip with sides up to `most`, or else the smallest.
#[cfg(feature = "paa")]
fn mip_up_to<'a>(texture: &paa::Texture<'a>, most: u32) -> Option<paa::Mip<'a>> {
    let mut smallest = None;
    // The largest mip is the first.
    for mip in texture.mips() {
        let Ok(mip) = mip else { break };
        if u32::from(mip.width().max(mip.height())) <= most {
            return Some(mip);
        }
        smallest = Some(mip);
    }
    smallest
}

/// The largest side of an image in a model, and of a picture of one.
pub(super) const MOST_SIDE: u32 = 8192;

/// Returns the last component of a path with slashes of either kind. Models often name paths on the author's machine.
pub fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\', ':']).next().unwrap_or(name)
}

/// Returns the media type that some bytes start like, if glTF supports it.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ => None,
    }
}

/// Returns true if these bytes are a PNG or JPEG file as far as its head shows, so that [`Images::file`] may return
/// them. One that only starts like one would break a file that contains it.
pub fn is_embeddable(bytes: &[u8]) -> bool {
    match media_type(bytes) {
        Some("image/png") => png::Decoder::new(Cursor::new(bytes)).read_info().is_ok(),
        Some(_) => has_jpeg_frame(bytes).unwrap_or(false),
        None => false,
    }
}

/// Walks the segments of a JPEG file to the one that starts a frame. Returns true if its sides are above 0.
fn has_jpeg_frame(bytes: &[u8]) -> Option<bool> {
    let mut rest = bytes.get(2..)?;
    loop {
        let (&[0xff, marker, high, low], body) = rest.split_first_chunk()? else { return None };
        match marker {
            // Tables between these are no frames.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let [_, height @ .., width_high, width_low] = body.first_chunk::<5>()?;
                return Some(*height != [0; 2] && [*width_high, *width_low] != [0; 2]);
            }
            _ => rest = body.get(usize::from(u16::from_be_bytes([high, low])).checked_sub(2)?..)?,
        }
    }
}

/// Writes a PNG file of 3 or 4 bytes per pixel.
pub(super) fn write_png(out: impl Write, [width, height]: [u32; 2], color: png::ColorType, bytes: &[u8]) -> Result<()> {
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Paeth);
    let mut writer = encoder.write_header().map_err(png_error)?;
    writer.write_image_data(bytes).map_err(png_error)?;
    writer.finish().map_err(png_error)
}

fn png_error(error: png::EncodingError) -> Error {
    match error {
        png::EncodingError::IoError(error) => Error::from(error),
        other => Error::from(std::io::Error::other(other)),
    }
}

pub(super) fn to_png(pixels: &Pixels) -> Result<Vec<u8>> {
    let mut png = Vec::new();
    write_png(&mut png, pixels.size, png::ColorType::Rgba, &pixels.rgba)?;
    Ok(png)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG file up to the head of its frame: tables of this kind, then a frame of this kind.
    fn jpeg(table: u8, frame: u8, [height, width]: [u16; 2]) -> Vec<u8> {
        let [high, low] = height.to_be_bytes();
        let [wide_high, wide_low] = width.to_be_bytes();
        let frame = [0xff, frame, 0, 11, 8, high, low, wide_high, wide_low, 1, 1, 0x11, 0];
        [&[0xff, 0xd8, 0xff, table, 0, 4, 7, 7][..], &frame].concat()
    }

    /// From 0xC0 to 0xCF frames start, but for the tables 0xC4 and 0xCC and the reserved 0xC8.
    #[test]
    fn a_jpeg_is_embedded_by_each_kind_of_frame_and_by_no_other_segment() {
        const FRAMES: [u8; 13] = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];
        for marker in 0..=255 {
            let is_frame = FRAMES.contains(&marker);
            assert_eq!(is_embeddable(&jpeg(0xe0, marker, [3, 5])), is_frame, "{marker:#x}");
            assert!(is_embeddable(&jpeg(marker, 0xc0, [3, 5])), "{marker:#x} first");
        }
        for (sides, is_sound) in [([1, 1], true), ([0x100, 0x100], true), ([0, 5], false), ([5, 0], false)] {
            assert_eq!(is_embeddable(&jpeg(0xe0, 0xc0, sides)), is_sound, "{sides:?}");
        }
        let whole = jpeg(0xe0, 0xc0, [3, 5]);
        // Up to the width.
        for end in 0..whole.len() {
            assert_eq!(is_embeddable(&whole[..end]), end >= whole.len() - 4, "{end}");
        }
        let mut short = whole.clone();
        (short[4], short[5]) = (0, 1);
        assert!(!is_embeddable(&short), "a segment shorter than its own length");
    }

    #[test]
    fn names_end_after_the_last_separator_of_any_kind() {
        for separator in ['/', '\\', ':'] {
            for other in ['/', '\\', ':'] {
                assert_eq!(base_name(&format!("a{other}b{separator}c.png")), "c.png");
                assert_eq!(base_name(&format!("a{other}b{separator}")), "");
            }
        }
        assert_eq!((base_name("c.png"), base_name("")), ("c.png", ""));
    }

    #[test]
    fn only_black_pixels_become_clear() {
        for rgb in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [255, 255, 255]] {
            let [red, green, blue] = rgb;
            let mut pixels = Pixels { size: [1, 1], rgba: vec![red, green, blue, 200] };
            pixels.clear_black();
            assert_eq!(pixels.rgba[3], if rgb == [0; 3] { 0 } else { 200 }, "{rgb:?}");
        }
    }
}
