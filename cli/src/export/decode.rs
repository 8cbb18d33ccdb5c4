//! Decodes images of every form: the one place to add another.

use std::fmt::{self, Display};
use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageFormat, ImageReader};
use meshpeek::Format;
use meshpeek::budget::Reservation;
use meshpeek::export::Pixels;
use meshpeek::summary::Class;

/// The largest side of an image that is decoded.
const MOST_SIDE: u32 = 8192;

/// Why an image that is there is not in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It exceeds the limits.
    TooLarge,
    /// Its file or member cannot be read.
    Unreadable,
    /// Its bytes are damaged, or not an image of a form that is supported.
    Undecodable,
}

impl Unusable {
    pub(super) const ALL: [Self; 3] = [Self::TooLarge, Self::Unreadable, Self::Undecodable];

    /// The reason that an error gives: a limit, or else this one.
    pub(super) fn of(error: &meshpeek::Error, other: Self) -> Self {
        if error.code().class() == Class::Limit { Self::TooLarge } else { other }
    }
}

impl Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "left out, too large for the limits",
            Self::Unreadable => "cannot be read",
            Self::Undecodable => "cannot be decoded",
        })
    }
}

fn reader<'b>(bytes: &'b [u8], name: &str) -> Option<ImageReader<Cursor<&'b [u8]>>> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    // This kind has no signature.
    if reader.format().is_none() && name.to_ascii_lowercase().ends_with(".tga") {
        reader.set_format(ImageFormat::Tga);
    }
    Some(reader)
}

/// Decodes an image, and scales it down if a side is larger than `most`.
pub(super) fn decode(bytes: &[u8], name: &str, most: u32, room: &Reservation<'_>) -> Result<Pixels, Unusable> {
    if Format::of_file(Path::new(name), bytes) == Some(Format::Paa) {
        return Pixels::of_paa(bytes, most, room).map_err(|error| Unusable::of(&error, Unusable::Undecodable));
    }
    let Some(sized) = reader(bytes, name) else { return Err(Unusable::Undecodable) };
    let Ok((width, height)) = sized.into_dimensions() else { return Err(Unusable::Undecodable) };
    if width == 0 || height == 0 {
        return Err(Unusable::Undecodable);
    }
    // Counts the decoded form, and four bytes per pixel. Decoding and scaling a pixel costs six bytes of work.
    let pixels = u64::from(width) * u64::from(height);
    let smaller = pixels.min(u64::from(most).pow(2)) * 4;
    let work = pixels.saturating_mul(6);
    let bytes_of = pixels.saturating_mul(12);
    if width > MOST_SIDE || height > MOST_SIDE || !room.can_afford(work, 0, bytes_of.saturating_add(smaller)) {
        return Err(Unusable::TooLarge);
    }
    if room.charge_work(work).is_err() || room.hold(bytes_of).is_err() {
        return Err(Unusable::TooLarge);
    }
    let Some(mut reader) = reader(bytes, name) else { return Err(Unusable::Undecodable) };
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(bytes_of.saturating_add(1 << 20));
    reader.limits(limits);
    let pixels = match reader.decode() {
        Ok(image) => Ok(scaled(image, most)),
        Err(_) => Err(Unusable::Undecodable),
    };
    room.give(bytes_of);
    pixels
}

/// Scales an image down if a side is larger than `most`.
fn scaled(image: DynamicImage, most: u32) -> Pixels {
    let is_large = image.width() > most || image.height() > most;
    let image = if is_large { image.thumbnail(most, most) } else { image }.into_rgba8();
    Pixels::new([image.width(), image.height()], image.into_raw())
}

#[cfg(test)]
mod tests {
    use image::RgbaImage;
    use meshpeek::{Budget, Limits};

    use super::*;

    const FORMATS: [(ImageFormat, &str); 4] = [
        (ImageFormat::Png, "a.png"),
        (ImageFormat::Jpeg, "a.jpg"),
        (ImageFormat::Bmp, "a.bmp"),
        (ImageFormat::Tga, "a.tga"),
    ];

    /// A gray image in a form.
    fn written(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        let image = DynamicImage::from(RgbaImage::from_pixel(width, height, image::Rgba([90; 4]))).into_rgb8();
        image.write_to(&mut bytes, format).expect("an image");
        bytes.into_inner()
    }

    /// Width and height of the decoded image.
    fn read(bytes: &[u8], name: &str, most: u32, limits: &Limits) -> Result<[u32; 2], Unusable> {
        let budget = Budget::new(bytes.len() as u64, limits);
        let room = Reservation::new(&budget);
        let pixels = decode(bytes, name, most, &room)?;
        assert_eq!(pixels.rgba.len() as u64, 4 * u64::from(pixels.size[0]) * u64::from(pixels.size[1]));
        Ok(pixels.size)
    }

    #[test]
    fn each_side_of_an_image_in_each_form_has_a_limit() {
        let limits = Limits::default();
        for (format, name) in FORMATS {
            for (width, height) in [(MOST_SIDE, 1), (1, MOST_SIDE), (MOST_SIDE, 3), (3, MOST_SIDE)] {
                let found = read(&written(format, width, height), name, MOST_SIDE, &limits);
                assert!(matches!(found, Ok(size) if size == [width, height]), "{name} of {width} x {height}");
            }
            for (width, height) in [(MOST_SIDE + 1, 1), (1, MOST_SIDE + 1), (2 * MOST_SIDE, 2), (2, 2 * MOST_SIDE)] {
                let found = read(&written(format, width, height), name, MOST_SIDE, &limits);
                assert!(matches!(found, Err(Unusable::TooLarge)), "{name} of {width} x {height}");
            }
        }
    }

    #[test]
    fn an_image_whose_sides_are_allowed_may_have_too_many_pixels() {
        for (format, name) in FORMATS {
            let bytes = written(format, 300, 200);
            // Twelve bytes for each pixel, and four of the smaller image.
            let need = |most: u64| 300 * 200 * 12 + 4 * (300 * 200).min(most * most);
            for most in [10, 200, 8192] {
                let limits = |decoded_bytes: u64| Limits::default().with_decoded_bytes(decoded_bytes);
                let enough = need(most) + (1 << 20);
                assert!(read(&bytes, name, most as u32, &limits(enough)).is_ok(), "{name} with {enough} bytes");
                let short = read(&bytes, name, most as u32, &limits(need(most) - 1));
                assert!(matches!(short, Err(Unusable::TooLarge)), "{name} with {} bytes", need(most) - 1);
            }
            let work = Limits::default().with_work(0);
            assert!(matches!(read(&bytes, name, 10, &work), Err(Unusable::TooLarge)), "{name} without work");
        }
    }

    #[test]
    fn a_larger_image_is_scaled_down_to_fit_and_keeps_its_form() {
        for (format, name) in FORMATS {
            for (width, height, most, expected) in [
                (40, 20, 40, [40, 20]),
                (40, 20, 39, [39, 20]),
                (40, 20, 20, [20, 10]),
                (20, 40, 20, [10, 20]),
                (20, 40, 40, [20, 40]),
                (40, 1, 10, [10, 1]),
                (1, 40, 10, [1, 10]),
            ] {
                let found = read(&written(format, width, height), name, most, &Limits::default());
                assert!(matches!(found, Ok(size) if size == expected), "{name} of {width} x {height} in {most}");
            }
        }
    }

    #[test]
    fn what_is_no_image_or_broken_is_not_decoded() {
        for (format, name) in FORMATS {
            let bytes = written(format, 16, 16);
            for end in [0, 1, 2, 12, 17, bytes.len() / 2] {
                let found = read(bytes.get(..end).unwrap_or_default(), name, 16, &Limits::default());
                // Some forms are shown as far as they go.
                assert!(matches!(found, Err(Unusable::Undecodable) | Ok([16, 16])), "{name} of {end} bytes");
            }
            // Bytes count more than the name, but one form has no mark of its own.
            let found = read(&bytes, "a.bin", 16, &Limits::default());
            let is_known = format != ImageFormat::Tga;
            assert_eq!(found, if is_known { Ok([16, 16]) } else { Err(Unusable::Undecodable) }, "{name}");
            assert!(matches!(read(&bytes, "A.TGA", 16, &Limits::default()), Ok([16, 16])), "{name}");
        }
        assert_eq!(read(b"text", "a.png", 16, &Limits::default()), Err(Unusable::Undecodable));
    }
}
