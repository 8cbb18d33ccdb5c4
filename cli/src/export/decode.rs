//! Decodes images of every form: the one place to add another.

use std::io::Cursor;
use std::path::Path;

use image::{ImageFormat, ImageReader};
use meshpeek::Format;
use meshpeek::budget::Reservation;
use meshpeek::export::Pixels;

/// The largest side of an image that is decoded.
const MOST_SIDE: u32 = 8192;

/// Reports that an image is too large.
pub(super) struct TooLarge;

fn reader<'b>(bytes: &'b [u8], name: &str) -> Option<ImageReader<Cursor<&'b [u8]>>> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    // This kind has no signature.
    if reader.format().is_none() && name.to_ascii_lowercase().ends_with(".tga") {
        reader.set_format(ImageFormat::Tga);
    }
    Some(reader)
}

/// Decodes an image, and scales it down if a side is larger than `most`. `None` if it does not decode.
pub(super) fn decode(bytes: &[u8], name: &str, most: u32, room: &Reservation<'_>) -> Result<Option<Pixels>, TooLarge> {
    if Format::of_file(Path::new(name), bytes) == Some(Format::Paa) {
        return Ok(Pixels::of_paa(bytes, most, room));
    }
    let dimensions = reader(bytes, name).and_then(|reader| reader.into_dimensions().ok());
    let Some((width, height)) = dimensions.filter(|&(width, height)| width > 0 && height > 0) else { return Ok(None) };
    // Counts the decoded form, and four bytes per pixel. Decoding and scaling a pixel costs six bytes of work.
    let pixels = u64::from(width) * u64::from(height);
    let smaller = pixels.min(u64::from(most).pow(2)) * 4;
    let (work, bytes_of) = (pixels.saturating_mul(6), pixels.saturating_mul(12));
    if width > MOST_SIDE || height > MOST_SIDE || !room.affords(work, 0, bytes_of.saturating_add(smaller)) {
        return Err(TooLarge);
    }
    if room.work(work).and_then(|()| room.keep(bytes_of)).is_err() {
        return Ok(None);
    }
    let Some(mut reader) = reader(bytes, name) else { return Ok(None) };
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(bytes_of.saturating_add(1 << 20));
    reader.limits(limits);
    let image = reader.decode().ok().map(|image| {
        let is_large = width > most || height > most;
        if is_large { image.thumbnail(most, most) } else { image }.into_rgba8()
    });
    room.give(bytes_of);
    Ok(image.map(|image| Pixels { size: [image.width(), image.height()], rgba: image.into_raw() }))
}
