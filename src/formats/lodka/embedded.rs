//! INF1, TXTR, SHDR and IMG1: embedded data of other formats.

use super::chunk::Node;
use super::codes::ShaderKind;
use super::fields::{Counted, Length, at, known};
use crate::base::error::{Context, Error, Result};
use crate::base::text::AnsiStr;
use crate::base::word_enum::word_enum;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Part, Sink, Type};
use crate::record::list::{All, Entries};
use crate::record::{External, Known, Read, Rest, Stored, record, walk_part};

record! {
    /// User data (INF1), normally text; some programs store their own chunks inside.
    Info<'a>(node: Node<'a>) {
        /// The whole body.
        bytes: LeArray<'a, u8> as Rest<'a, u8>,
    }
    also |info, out| {
        // Longer text is too long for a list of fields.
        let text = (info.bytes.len() <= 4096).then(|| AnsiStr::new(info.bytes.as_bytes()));
        out.field("text", text)
    }
}

word_enum! {
    /// The image format recognized by its first bytes.
    #[non_exhaustive]
    pub enum ImageKind {
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
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
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

record! {
    /// A picture of the model (IMG1).
    Screenshot<'a>(node: Node<'a>) named name {
        /// The layout: 0.
        kind: i32 = "ScreenshotType" => known(&[0]),
        /// Its name.
        name: AnsiStr<'a> = "ScreenshotNameLen, ScreenshotName",
        /// An image file.
        data: LeArray<'a, u8> as Counted<'a, u8> = "ScreenshotDataLen, ScreenshotData",
    }
    also |screenshot, out| out.field("image_kind", screenshot.image_kind().map(|kind| kind.name()))
}

impl Screenshot<'_> {
    /// Returns the format of the image, recognized by its first bytes.
    pub fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

record! {
    /// The embedded textures (TXTR).
    TextureList<'a>(node: Node<'a>) {
        /// The layout: 0.
        kind: u8 = "TexturesType" => known(&[0]),
        /// Number of textures.
        texture_count: u64 as Known<u64> = "Count" [node.count()],
        /// The records in order; only their sizes have been read.
        records: Entries<'a, TextureRecord<'a>> [All("textures", texture_count, ())],
    }
}

impl<'a> TextureList<'a> {
    /// Returns an iterator over the textures. Each record stores its size, so one that cannot be read does not hide the
    /// next. Getting to the last one means skipping the others.
    pub fn textures(&self) -> impl Iterator<Item = Result<Texture<'a>>> + use<'a> {
        self.records.enumerate().map(|(index, record)| record?.texture().within_item("textures", index))
    }
}

/// A texture that was not yet read.
#[derive(Clone, Copy, Debug)]
pub struct TextureRecord<'a>(pub(super) Cursor<'a>);

impl<'a> TextureRecord<'a> {
    /// Reads the options.
    ///
    /// # Errors
    /// Returns an error if they have a layout other than 0 or the names do not fit.
    pub fn texture(&self) -> Result<Texture<'a>> {
        Texture::read(&mut self.0.clone(), ())
    }
}

impl Stored for TextureRecord<'_> {
    const TYPE: Type = Type::Record(Texture::SCHEMA);
}

impl<'a> Read<'a> for TextureRecord<'a> {
    fn walk(cursor: &mut Cursor<'a>, (): (), _: &'static str, _: &mut impl Sink) -> Result<Self> {
        let mut sizes = *cursor;
        let Length(options) = Length::read(&mut sizes, ()).within("option_size")?;
        holds_options(&options).map_err(|error| error.at(cursor.offset())).within("option_size")?;
        let Length(data) = Length::read(&mut sizes, ()).within("data_size")?;
        // If a record does not fit, the error is that of the part that does not fit.
        let mut whole = *cursor;
        cursor.skip(options).within("options")?;
        cursor.skip(data).within("data")?;
        whole.split(options.saturating_add(data)).map(Self)
    }
}

/// The size must cover itself, the data size, and the three fields that are always present.
fn holds_options(size: &u64) -> Result<()> {
    if *size >= 20 { Ok(()) } else { Err(Error::malformed(format!("option size {size} is below 20"))) }
}

record! {
    /// An embedded texture.
    Texture<'a> named file_name {
        /// Number of bytes before the image: this field and all fields up to the reserve.
        option_size: u64 as Length = "TextureOptionSize" => holds_options,
        /// Number of bytes of the image.
        data_size: u64 as Length = "TextureDataSize",
        /// The layout: 0.
        kind: i32 = "TextureOptionType" => known(&[0]),
        /// Name of the material that uses it.
        material: AnsiStr<'a> = "TextureMaterialNameLen, TextureMaterialName",
        /// Original file name.
        file_name: AnsiStr<'a> = "TextureNameLen, TextureName",
        /// Bytes between the names and the image, of no known meaning.
        reserve: LeArray<'a, u8> = "TextureOptionRezerv" [reserve(option_size, [material, file_name])?],
        /// An image file.
        data: LeArray<'a, u8> = "TextureData" [data_size],
    }
    also |texture, out| out.field("image_kind", texture.image_kind().map(|kind| kind.name()))
}

/// Returns the number of option bytes that remain after the names.
fn reserve(option_size: u64, names: [AnsiStr<'_>; 2]) -> Result<u64> {
    let names = names.map(|name| name.len() as u64).into_iter().fold(20, u64::saturating_add);
    let fits = || Error::malformed(format!("names in options of {option_size} bytes take {names}"));
    option_size.checked_sub(names).ok_or_else(fits).within("option_size")
}

impl Texture<'_> {
    /// Returns the format of the image, recognized by its first bytes.
    pub fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

record! {
    /// The shaders of a model (SHDR).
    ShaderList<'a>(node: Node<'a>) {
        /// The layout: 1.
        kind: u8 = "ShaderLibType" => known(&[1]),
        /// Number of shaders.
        shader_count: u64 as Known<u64> = "Count" [node.count()],
        /// The shaders in order. Each stores its size; getting to the last one means skipping the others.
        shaders: Entries<'a, Shader<'a>> [All("shaders", shader_count, ())],
    }
}

record! {
    /// A shader.
    Shader<'a> {
        /// Number of bytes after this field.
        size: u64 as Length = "ShaderSize" => has_kind,
        /// The type of shader: 1 bump mapping. The data of other types is opaque.
        #[rule(Any)]
        kind: ShaderKind = "ShaderType",
        /// All bytes after the type.
        data: LeArray<'a, u8> as External<LeArray<'a, u8>> [size.saturating_sub(1)],
    }
    also |shader, out| {
        if shader.kind == ShaderKind::BUMP {
            let bump = walk_part::<Bump<'_>, _, _>(&mut at(shader.data), (), Part::one("bump"), out);
            out.ok(bump);
        }
        // A dissection shows it as the bump described above.
        out.array("data", &shader.data);
    }
}

fn has_kind(size: &u64) -> Result<()> {
    if *size > 0 { Ok(()) } else { Err(Error::malformed("no byte for the kind")) }
}

impl<'a> Shader<'a> {
    /// Returns the data of a bump mapping shader, or `None` for any other.
    ///
    /// # Errors
    /// Returns an error if it does not fit.
    pub fn bump(&self) -> Result<Option<Bump<'a>>> {
        (self.kind == ShaderKind::BUMP).then(|| Bump::read(&mut at(self.data), ())).transpose()
    }
}

record! {
    /// The data of a bump mapping shader.
    Bump<'a> {
        /// The material of the surface.
        material: AnsiStr<'a> = "BumpNameLen, BumpName",
        /// The material with the normal map.
        normal_material: AnsiStr<'a> = "BumpNormalNameLen, BumpNormalName",
        /// The material with the highlights.
        specular_material: AnsiStr<'a> = "BumpSpecularNameLen, BumpSpecularName",
        /// Strength of the light.
        light_power: f32 = "BumpLightPower",
        /// Strength of the highlights.
        specular_power: f32 = "BumpSpecularPower",
        /// The remaining bytes, of no known meaning.
        reserve: LeArray<'a, u8> as Rest<'a, u8> = "BumpRezerv",
    }
}
