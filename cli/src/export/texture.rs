//! Writes a texture as a picture.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ExtendedColorType, ImageEncoder, RgbaImage};
use meshpeek::budget::Reservation;
use meshpeek::paa::Texture;
use meshpeek::view::Table;
use meshpeek::{Asset, Error, Result};

#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Mip of a texture, the largest is 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    mip: usize,
    /// Write a PNG for a file manager, whatever the ending of FILE: of a texture, no side is longer than `--size`
    #[arg(long, conflicts_with = "mip")]
    pub(super) thumbnail: bool,
    /// Move the channels of a texture back to those of its source image, as its tag SWIZ says
    #[arg(long)]
    unswizzle: bool,
}

impl Args {
    /// Refuses flags for textures on any other asset.
    pub(super) fn check(&self, asset: &Asset<'_>) -> std::result::Result<(), &'static str> {
        let is_default = self.mip == 0 && !self.unswizzle;
        if is_default || matches!(asset, Asset::Paa(_)) {
            return Ok(());
        }
        Err("--mip and --unswizzle are for textures")
    }
}

/// Encodes a mip as PNG, with the channels as stored or moved back. A thumbnail has sides of at most `size` pixels.
pub(super) fn to_png(texture: &Texture<'_>, args: &Args, size: u32, room: &Reservation<'_>) -> Result<Vec<u8>> {
    let chosen = if args.thumbnail { smallest_mip(texture, size) } else { args.mip };
    let mut mips = texture.mips();
    let Some(mip) = mips.by_ref().nth(chosen) else {
        return Err(Error::malformed(format!("no mip {chosen}")).at(mips.offset()));
    };
    let mip = mip?;
    // Before anything is charged or decoded.
    let decoded = mip.block()?.decoded_byte_len();
    let rgba = mip.pixels().rows().saturating_mul(4);
    room.charge_work(decoded.saturating_add(rgba.saturating_mul(2)))?;
    room.hold(decoded.saturating_add(rgba.saturating_mul(2)))?;
    let mut pixels = mip.to_rgba8()?;
    if args.unswizzle
        && let Some(swizzle) = texture.swizzle()
    {
        swizzle.undo(&mut pixels);
    }
    let mut width = u32::from(mip.width());
    let mut height = u32::from(mip.height());
    if args.thumbnail
        && width.max(height) > size
        && let Some(large) = RgbaImage::from_raw(width, height, std::mem::take(&mut pixels))
    {
        let small = DynamicImage::from(large).thumbnail(size, size);
        width = small.width();
        height = small.height();
        pixels = small.into_rgba8().into_raw();
    }
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
    let written = encoder.write_image(&pixels, width, height, ExtendedColorType::Rgba8);
    written.map_err(|error| Error::from(std::io::Error::other(error)))?;
    Ok(png)
}

/// The place of the smallest mip that need not be enlarged to this size, or of the largest mip.
fn smallest_mip(texture: &Texture<'_>, size: u32) -> usize {
    let mut smallest = 0;
    for (place, mip) in texture.mips().enumerate() {
        let Ok(mip) = mip else { break };
        if u32::from(mip.width().max(mip.height())) < size {
            break;
        }
        smallest = place;
    }
    smallest
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use meshpeek::{Budget, Limits};

    use super::*;
    use crate::verbs::{Cli, Verb};

    /// A texture of blocks with mips of these sides.
    fn written(mips: &[[u16; 2]]) -> Vec<u8> {
        let mut bytes = vec![0x01, 0xff, 0, 0];
        for &[width, height] in mips {
            let length = usize::from(width).div_ceil(4) * usize::from(height).div_ceil(4) * 8;
            bytes.extend([width, height].map(u16::to_le_bytes).as_flattened());
            bytes.extend(&(length as u32).to_le_bytes()[..3]);
            bytes.extend(vec![7; length]);
        }
        bytes.extend([0; 6]);
        bytes
    }

    /// Sides and the halves of them.
    fn halves(mut sides: [u16; 2]) -> Vec<[u16; 2]> {
        let mut mips = vec![sides];
        while sides != [1, 1] {
            sides = sides.map(|side| (side / 2).max(1));
            mips.push(sides);
        }
        mips
    }

    fn args(arguments: &[&str]) -> Args {
        let all = [&["meshpeek", "export", "a.paa", "-o", "x.png"], arguments].concat();
        match Cli::try_parse_from(all).unwrap().verb {
            Verb::Export(args) => args.pixels,
            _ => panic!("another verb"),
        }
    }

    /// The sides of the picture.
    fn drawn(bytes: &[u8], arguments: &[&str], size: u32) -> Result<[u32; 2]> {
        let texture = Texture::parse(bytes)?;
        let budget = Budget::new(bytes.len() as u64, &Limits::default());
        let png = to_png(&texture, &args(arguments), size, &Reservation::new(&budget))?;
        let image = image::load_from_memory(&png).unwrap();
        Ok([image.width(), image.height()])
    }

    /// Of several mips, the smallest one that need not be enlarged is scaled down to the size.
    #[test]
    fn a_thumbnail_of_any_size_is_made_of_the_mip_that_is_next_in_size() {
        for sides in [[64, 64], [64, 16], [16, 64], [32, 1], [1, 1]] {
            let mips = halves(sides);
            let bytes = written(&mips);
            let texture = Texture::parse(&bytes).unwrap();
            for size in 1..=70 {
                let longest = |mip: &[u16; 2]| u32::from(mip[0].max(mip[1]));
                let enough = mips.iter().filter(|mip| longest(mip) >= size).count();
                assert_eq!(smallest_mip(&texture, size), enough.saturating_sub(1), "{sides:?} in {size}");
                let picture = drawn(&bytes, &["--thumbnail"], size).unwrap();
                assert_eq!(picture.into_iter().max(), Some(size.min(longest(&sides))), "{sides:?} in {size}");
                // Sides keep their proportion.
                let [wide, high] = sides.map(f64::from);
                let error = f64::from(picture[0]) / wide * high - f64::from(picture[1]);
                assert!(error.abs() <= high / wide / 2.0 + 0.51 || picture.contains(&1), "{sides:?}: {picture:?}");
            }
        }
        // A damaged mip ends the search.
        let mut bytes = written(&halves([64, 64]));
        bytes.truncate(bytes.len() - 20);
        assert!(smallest_mip(&Texture::parse(&bytes).unwrap(), 1) < 6);
    }

    #[test]
    fn every_mip_is_written_in_its_own_size_whatever_the_size_of_pictures() {
        let mips = halves([32, 8]);
        let bytes = written(&mips);
        for size in [1, 16, 512] {
            assert_eq!(drawn(&bytes, &[], size).unwrap(), [32, 8]);
            for (number, sides) in mips.iter().enumerate() {
                let found = drawn(&bytes, &["--mip", &number.to_string()], size).unwrap();
                assert_eq!(found, sides.map(u32::from), "{number}");
            }
            let last = mips.len();
            let error = drawn(&bytes, &["--mip", &last.to_string()], size).unwrap_err();
            assert!(error.to_string().contains(&format!("no mip {last}")), "{error}");
        }
    }

    #[test]
    fn flags_for_textures_are_refused_for_other_assets() {
        let (texture, other) = (written(&[[4, 4]]), b"BB3D\x04\0\0\0\x01\0\0\0");
        let [texture, other] =
            [&texture[..], other].map(|bytes| Asset::parse_file("a.paa".as_ref(), bytes, &Limits::default()).unwrap());
        for (arguments, is_for_textures) in [
            (&[][..], false),
            (&["--mip", "0"], false),
            (&["--mip", "1"], true),
            (&["--unswizzle"], true),
            (&["--unswizzle", "--mip", "1"], true),
            // A model has thumbnails, too.
            (&["--thumbnail"], false),
            (&["--thumbnail", "--unswizzle"], true),
        ] {
            assert!(args(arguments).check(&texture).is_ok(), "{arguments:?}");
            assert_eq!(args(arguments).check(&other).is_err(), is_for_textures, "{arguments:?}");
        }
    }
}
