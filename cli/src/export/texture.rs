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
    room.work(decoded.saturating_add(rgba.saturating_mul(2)))?;
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
