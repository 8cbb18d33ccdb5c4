//! Pictures that browsers do not show: TGA and DDS.

use std::io::Cursor;

use dds::header::ParseOptions;
use dds::{ColorFormat, Decoder, DecodingError, FormatError, ImageViewMut};
use image::codecs::png::PngEncoder;
use image::codecs::tga::TgaDecoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder as _, ImageError};
use meshpeek::Error;

use crate::Result;
use crate::node::Node;

/// The most bytes of a picture's file.
pub(crate) const MOST_BYTES: u64 = 512 << 20;

/// Returns true if a file of this name is decoded here: TGA files begin with anything.
pub(crate) fn is_named(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".tga") || name.ends_with(".dds")
}

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
        return dds_pixels(bytes, most);
    }
    pixels_of(TgaDecoder::new(Cursor::new(bytes)).map_err(unread)?, most)
}

/// The largest mip of the first layer of a DDS file, in any form that the crate `dds` knows.
fn dds_pixels(bytes: &[u8], most: u64) -> Result<([u32; 2], Vec<u8>)> {
    let options = ParseOptions::new_permissive(Some(bytes.len() as u64));
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), &options).map_err(unread_dds)?;
    let size = decoder.main_size();
    refuse_above(size.width, size.height, most)?;
    let rows = u64::from(size.width) * u64::from(size.height);
    let mut pixels = Vec::new();
    // Where the memory is not there, the worker says so and lives on.
    let is_there = usize::try_from(rows * 4).is_ok_and(|bytes| pixels.try_reserve_exact(bytes).is_ok());
    if !is_there {
        return Err(Error::unsupported("there is no memory for the pixels of this picture"));
    }
    pixels.resize(rows as usize * 4, 0);
    let Some(view) = ImageViewMut::new(&mut pixels, size, ColorFormat::RGBA_U8) else {
        return Err(Error::unsupported("this DDS file has no pixels"));
    };
    decoder.read_surface(view).map_err(unread_dds)?;
    Ok(([size.width, size.height], pixels))
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
    refuse_above(width, height, most)?;
    let image = DynamicImage::from_decoder(decoder).map_err(unread)?;
    Ok(([width, height], image.into_rgba8().into_raw()))
}

fn refuse_above(width: u32, height: u32, most: u64) -> Result<()> {
    if u64::from(width) * u64::from(height) > most {
        return Err(Error::unsupported(format!("{width} x {height} pixels: this page shows at most {most}")));
    }
    Ok(())
}

/// Says which kind of DDS file cannot be shown.
fn unread_dds(error: DecodingError) -> Error {
    match error {
        DecodingError::Format(FormatError::UnsupportedFourCC(code)) => {
            let letters = code.0.to_le_bytes().escape_ascii().to_string();
            Error::unsupported(format!("this DDS file is of the kind {letters}, which is not shown here"))
        }
        DecodingError::Format(FormatError::UnsupportedDxgiFormat(format)) => {
            Error::unsupported(format!("this DDS file is of the kind {format:?}, which is not shown here"))
        }
        DecodingError::Format(FormatError::UnsupportedPixelFormat) => {
            Error::unsupported("this DDS file is uncompressed, with channels of a kind that is not shown here")
        }
        other => Error::unsupported(format!("this DDS file is damaged: {other}")),
    }
}

fn unread(error: ImageError) -> Error {
    Error::unsupported(error.to_string())
}
