//! Pictures that browsers do not show: TGA and DDS.

use std::io::Cursor;

use image::codecs::dds::DdsDecoder;
use image::codecs::png::PngEncoder;
use image::codecs::tga::TgaDecoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder as _, ImageError};
use meshpeek::Error;

use crate::Result;
use crate::node::Node;

/// The most bytes of a picture's file.
pub(crate) const MOST_BYTES: u64 = 512 << 20;

/// Returns the size and the RGBA pixels of a picture of at most `most` pixels.
///
/// # Errors
/// Returns an error if the file is too large or damaged, or if the header says more pixels; they are not decoded then.
pub(crate) fn decode(node: &Node, most: u64) -> Result<([u32; 2], Vec<u8>)> {
    decode_bytes(&whole(node)?, most)
}

/// Reads the file of a picture.
///
/// # Errors
/// Returns an error if the file is too large; nothing is read then.
pub(crate) fn whole(node: &Node) -> Result<Vec<u8>> {
    let size = node.size();
    if size > MOST_BYTES {
        return Err(Error::unsupported(format!("{size} bytes: pictures are read up to {MOST_BYTES} bytes")));
    }
    node.bytes(0, size)
}

/// Returns the size and the RGBA pixels of the bytes of a picture, as [`decode`] does.
pub(crate) fn decode_bytes(bytes: &[u8], most: u64) -> Result<([u32; 2], Vec<u8>)> {
    if bytes.starts_with(b"DDS ") {
        return pixels_of(DdsDecoder::new(Cursor::new(bytes)).map_err(unread)?, most);
    }
    pixels_of(TgaDecoder::new(Cursor::new(bytes)).map_err(unread)?, most)
}

/// Writes RGBA pixels as PNG. A canvas of a browser would change the colors of transparent pixels.
pub(crate) fn png(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>> {
    let bytes = u64::from(width) * u64::from(height) * 4;
    if bytes != pixels.len() as u64 {
        return Err(Error::unsupported(format!("{bytes} bytes of pixels expected")));
    }
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(pixels, width, height, ExtendedColorType::Rgba8).map_err(unread)?;
    Ok(png)
}

fn pixels_of(decoder: impl ImageDecoder, most: u64) -> Result<([u32; 2], Vec<u8>)> {
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > most {
        return Err(Error::unsupported(format!("{width} x {height} pixels: this page shows at most {most}")));
    }
    let image = DynamicImage::from_decoder(decoder).map_err(unread)?;
    Ok(([width, height], image.into_rgba8().into_raw()))
}

fn unread(error: ImageError) -> Error {
    Error::unsupported(error.to_string())
}
