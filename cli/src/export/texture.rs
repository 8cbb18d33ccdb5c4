//! Writes a texture as a picture.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
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

/// Encodes a mip as PNG, with the channels as stored or moved back.
pub(super) fn to_png(texture: &Texture<'_>, args: &Args, room: &Reservation<'_>) -> Result<Vec<u8>> {
    let mut mips = texture.mips();
    let Some(mip) = mips.by_ref().nth(args.mip) else {
        return Err(Error::malformed(format!("no mip {}", args.mip)).at(mips.offset()));
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
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
    let width = mip.width().into();
    let height = mip.height().into();
    let written = encoder.write_image(&pixels, width, height, ExtendedColorType::Rgba8);
    written.map_err(|error| Error::from(std::io::Error::other(error)))?;
    Ok(png)
}
