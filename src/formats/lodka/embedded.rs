//! INF1, TXTR, SHDR and IMG1: embedded data of other formats.

use nom::error::context;
use nom::{IResult, Parser as _};

use super::chunk::Node;
use super::codes::ShaderKind;
use super::fields::{cursor_over, known, length};
use super::text::text_with_length;
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::base::text::AnsiStr;
use crate::base::word_enum::word_enum;
use crate::bytes::parser::bytes;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Part, Sink, Type};
use crate::record::list::Entries;
use crate::record::parser::{array, external, le_i32, le_u8, length_array, of, rest_array, rest_count, verify};
use crate::record::{Read, Stored, grammar, walk_part};

grammar! {
    /// User data (INF1), normally text; some programs store their own chunks inside.
    Info<'a>(node: Node<'a>) {
        /// The whole body.
        bytes: LeArray<'a, u8> = rest_array(),
    }
    also |info, out| {
        // Longer text is too long for a list of fields.
        let text = (info.bytes.len() <= 4096).then(|| AnsiStr::new(info.bytes.as_bytes()));
        out.field("text", text)
    }
}

word_enum! {
    /// The image format recognized by its first bytes.
    pub(crate) enum ImageKind {
        /// Windows bitmap.
        Bmp = "bmp",
        /// DirectDraw surface.
        Dds = "dds",
        /// GIF.
        Gif = "gif",
        /// JPEG.
        Jpeg = "jpeg",
        /// PNG.
        Png = "png",
        /// TIFF of either byte order.
        Tiff = "tiff",
    }
}

impl ImageKind {
    /// Recognizes the format of an image by its first bytes. Returns `None` for others, and for formats without a
    /// signature, such as TGA.
    pub(crate) fn sniff(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'B', b'M', ..] => Some(Self::Bmp),
            [b'D', b'D', b'S', b' ', ..] => Some(Self::Dds),
            [b'G', b'I', b'F', b'8', ..] => Some(Self::Gif),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Some(Self::Tiff),
            _ => None,
        }
    }
}

grammar! {
    /// A picture of the model (IMG1).
    Screenshot<'a>(node: Node<'a>) named name {
        /// The layout: 0.
        #[label("ScreenshotType")] kind: i32 = verify(le_i32(), known(&[0])),
        /// Its name.
        #[label("ScreenshotNameLen, ScreenshotName")] name: AnsiStr<'a> = text_with_length(),
        /// An image file.
        #[label("ScreenshotDataLen, ScreenshotData")] data: LeArray<'a, u8> = length_array(length()),
    }
    also |screenshot, out| out.field("image_kind", screenshot.image_kind().map(|kind| kind.name()))
}

impl Screenshot<'_> {
    /// Returns the format of the image, recognized by its first bytes.
    pub(crate) fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

grammar! {
    /// The embedded textures (TXTR).
    TextureList<'a>(node: Node<'a>) {
        /// The layout: 0.
        #[label("TexturesType")] kind: u8 = verify(le_u8(), known(&[0])),
        /// Number of textures.
        #[label("Count")] let texture_count: u64 = node.count();
        /// The records in order; only their sizes have been read.
        records: Entries<'a, TextureRecord<'a>> = rest_count("textures", of(()), texture_count),
    }
}

impl<'a> TextureList<'a> {
    /// Returns an iterator over the textures. Each record stores its size, so one that cannot be read does not hide the
    /// next. Getting to the last one means skipping the others.
    pub(crate) fn textures(&self) -> impl Iterator<Item = Result<Texture<'a>>> + use<'a> {
        self.records.enumerate().map(|(index, record)| record?.texture().within_item("textures", index))
    }
}

/// A texture that was not yet read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureRecord<'a>(pub(super) Cursor<'a>);

impl<'a> TextureRecord<'a> {
    /// Reads the options.
    ///
    /// # Errors
    /// Returns an error if they have a layout other than 0 or the names do not fit.
    pub(crate) fn texture(&self) -> Result<Texture<'a>> {
        self.0.clone().parse(Texture::parser())
    }
}

impl Stored for TextureRecord<'_> {
    const TYPE: Type = Type::Record(Texture::SCHEMA);
}

impl<'a> Read<'a> for TextureRecord<'a> {
    /// Describes nothing, because outlines describe the record as a [`Texture`].
    fn walk(cursor: &mut Cursor<'a>, (): (), _: &'static str, _: &mut impl Sink) -> Result<Self> {
        cursor.parse(texture_record)
    }
}

/// Parses the two sizes at the start of a record. Returns the bytes of the record, which those sizes determine.
fn texture_record(input: Cursor<'_>) -> IResult<Cursor<'_>, TextureRecord<'_>, Error> {
    let (rest, options) = context("option_size", verify(length(), holds_options)).parse(input)?;
    let (_, data) = context("data_size", length()).parse(rest)?;
    // The options include the two sizes, so they start with the record. If a record does not fit, the error is that of
    // the part that does not fit.
    let (rest, _) = context("options", bytes(options)).parse(input)?;
    let (rest, _) = context("data", bytes(data)).parse(rest)?;
    Ok((rest, TextureRecord(input.up_to(rest))))
}

/// The bytes of the options of a texture beside the names: the two sizes, the layout, and the lengths of the names.
const FIXED_OPTIONS: u64 = 20;

/// Checks that the size of the options covers the fields that are always present.
fn holds_options(size: &u64) -> Result<()> {
    if *size < FIXED_OPTIONS {
        return Err(Error::malformed(format!("option size {size} is below {FIXED_OPTIONS}")));
    }
    Ok(())
}

grammar! {
    /// An embedded texture.
    Texture<'a> named file_name {
        /// Number of bytes before the image: this field and all fields up to the reserve.
        #[label("TextureOptionSize")] option_size: u64 = verify(length(), holds_options),
        /// Number of bytes of the image.
        #[label("TextureDataSize")] data_size: u64 = length(),
        /// The layout: 0.
        #[label("TextureOptionType")] kind: i32 = verify(le_i32(), known(&[0])),
        /// Name of the material that uses it.
        #[label("TextureMaterialNameLen, TextureMaterialName")] material: AnsiStr<'a> = text_with_length(),
        /// Original file name.
        #[label("TextureNameLen, TextureName")] file_name: AnsiStr<'a> = text_with_length(),
        /// Bytes between the names and the image, of no known meaning.
        #[label("TextureOptionRezerv")]
        reserve: LeArray<'a, u8> = array(reserve(option_size, [material, file_name])?),
        /// An image file.
        #[label("TextureData")] data: LeArray<'a, u8> = array(data_size),
    }
    also |texture, out| out.field("image_kind", texture.image_kind().map(|kind| kind.name()))
}

/// Returns the number of option bytes that remain after the names.
fn reserve(option_size: u64, names: [AnsiStr<'_>; 2]) -> Result<u64> {
    let [first, second] = names.map(|name| name.len() as u64);
    let taken = (Amount(FIXED_OPTIONS) + first + second).0;
    let Some(reserve) = option_size.checked_sub(taken) else {
        let message = format!("names in options of {option_size} bytes take {taken}");
        return Err(Error::malformed(message).within("option_size"));
    };
    Ok(reserve)
}

impl Texture<'_> {
    /// Returns the format of the image, recognized by its first bytes.
    pub(crate) fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

grammar! {
    /// The shaders of a model (SHDR).
    ShaderList<'a>(node: Node<'a>) {
        /// The layout: 1.
        #[label("ShaderLibType")] kind: u8 = verify(le_u8(), known(&[1])),
        /// Number of shaders.
        #[label("Count")] let shader_count: u64 = node.count();
        /// The shaders in order. Each stores its size; getting to the last one means skipping the others.
        shaders: Entries<'a, Shader<'a>> = rest_count("shaders", Shader::parser(), shader_count),
    }
}

grammar! {
    /// A shader.
    Shader<'a> {
        /// Number of bytes after this field.
        #[label("ShaderSize")] size: u64 = verify(length(), has_kind),
        /// The type of shader: 1 bump mapping. The data of other types is opaque.
        #[rule(Any)]
        #[label("ShaderType")] kind: ShaderKind = le_u8().map(ShaderKind),
        /// All bytes after the type.
        data: LeArray<'a, u8> = external(array(size.saturating_sub(1))),
    }
    also |shader, out| {
        let is_bump = shader.kind == ShaderKind::BUMP;
        if is_bump {
            let bump = walk_part::<Bump<'_>, _, _>(&mut cursor_over(shader.data), (), Part::one("bump"), out);
            out.ok(bump);
        }
        // A dissection shows it as the bump described above.
        out.repeating(is_bump).array("data", &shader.data);
    }
}

/// Checks that the size of a shader covers its type.
fn has_kind(size: &u64) -> Result<()> {
    if *size > 0 { Ok(()) } else { Err(Error::malformed("no byte for the kind")) }
}

impl<'a> Shader<'a> {
    /// Returns the data of a bump mapping shader, or `None` for any other.
    ///
    /// # Errors
    /// Returns an error if it does not fit.
    pub(crate) fn bump(&self) -> Result<Option<Bump<'a>>> {
        if self.kind != ShaderKind::BUMP {
            return Ok(None);
        }
        cursor_over(self.data).parse(Bump::parser()).map(Some)
    }
}

grammar! {
    /// The data of a bump mapping shader.
    Bump<'a> {
        /// The material of the surface.
        #[label("BumpNameLen, BumpName")] material: AnsiStr<'a> = text_with_length(),
        /// The material with the normal map.
        #[label("BumpNormalNameLen, BumpNormalName")] normal_material: AnsiStr<'a> = text_with_length(),
        /// The material with the highlights.
        #[label("BumpSpecularNameLen, BumpSpecularName")] specular_material: AnsiStr<'a> = text_with_length(),
        /// Strength of the light.
        #[label("BumpLightPower")] light_power: f32,
        /// Strength of the highlights.
        #[label("BumpSpecularPower")] specular_power: f32,
        /// The remaining bytes, of no known meaning.
        #[label("BumpRezerv")] reserve: LeArray<'a, u8> = rest_array(),
    }
}
