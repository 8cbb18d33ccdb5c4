//! INF1, TXTR, SHDR and IMG1: bytes of other formats inside a model.

use super::chunk::{Node, view};
use super::fields::{Counted, Text, count, known};
use crate::error::{Context, Result};
use crate::inspect::Outline;
use crate::view::list::{All, Entries};
use crate::view::record::{Form, Known, Read, Rest, Stored, Type, record};
use crate::view::{ByteStr, Cursor, LeArray};

record! {
    /// Bytes of the user's own (INF1), normally text; some programs keep chunks of their own inside.
    Info<'a>(node: Node<'a>) {
        /// All of it.
        bytes: LeArray<'a, u8> as Rest<'a, u8>,
    }
    also |info, out| {
        // A text longer than this is for a dump, not for a list of fields.
        let text = (info.bytes.len() <= 4096).then(|| ByteStr::new(info.bytes.as_bytes()));
        out.field("text", text)
    }
}

view!(Info, counted: false);

/// What kind of image some bytes start like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageKind {
    /// Windows bitmap.
    Bmp,
    /// DirectDraw surface.
    Dds,
    /// GIF.
    Gif,
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// TIFF of either byte order.
    Tiff,
}

impl ImageKind {
    /// What these bytes start like; `None` also for formats without a signature, such as TGA.
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

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bmp => "bmp",
            Self::Dds => "dds",
            Self::Gif => "gif",
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Tiff => "tiff",
        }
    }
}

record! {
    /// A picture of the model (IMG1).
    Screenshot<'a>(node: Node<'a>) named name {
        /// The layout: 0.
        kind: i32 = "ScreenshotType" => known(&[0]),
        /// Its name.
        name: ByteStr<'a> as Text<'a> = "ScreenshotName",
        /// An image file.
        data: LeArray<'a, u8> as Counted<'a, u8> = "ScreenshotData",
    }
    also |screenshot, out| out.field("image_kind", screenshot.image_kind().map(|kind| kind.name()))
}

impl Screenshot<'_> {
    /// What kind of image the data starts like.
    pub fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

view!(Screenshot, counted: false);

record! {
    /// The textures that lie in the file itself (TXTR).
    TextureList<'a>(node: Node<'a>) {
        /// The layout: 0.
        kind: u8 = "TexturesType" => known(&[0]),
        /// How many textures.
        texture_count: u64 as Known<u64> = "Count" [node.count()],
        /// The records in order, without a look at more than their sizes.
        records: Entries<'a, TextureRecord<'a>> [All("textures", texture_count, ())],
    }
}

impl<'a> TextureList<'a> {
    /// The textures in order. Each record tells its size, so one that cannot be read does not hide the next; the way
    /// to the last one leads over all.
    pub fn textures(&self) -> impl Iterator<Item = Result<Texture<'a>>> + use<'a> {
        self.records.enumerate().map(|(index, record)| record?.texture().within_item("textures", index))
    }
}

view!(TextureList, counted: true);

/// A texture's options and image, not yet read.
#[derive(Clone, Copy, Debug)]
pub struct TextureRecord<'a> {
    pub(super) options: Cursor<'a>,
    pub(super) data: LeArray<'a, u8>,
}

impl<'a> TextureRecord<'a> {
    /// Reads the options.
    ///
    /// # Errors
    /// Where they are of another layout than 0 or the names do not fit.
    pub fn texture(&self) -> Result<Texture<'a>> {
        Texture::read(&mut self.options.clone(), self.data)
    }
}

impl Stored for TextureRecord<'_> {
    const TYPE: Type = Type::Record(Texture::SCHEMA);
}

impl<'a> Read<'a> for TextureRecord<'a> {
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let start = *cursor;
        let options = count(cursor).within("option_size")?;
        let data = count(cursor).within("data_size")?;
        // The size counts itself and its neighbour, and the three fields behind them are always there.
        let behind = options.checked_sub(8).filter(|_| options >= 20);
        let behind = behind.ok_or_else(|| start.error(format!("option size {options} is below 20")))?;
        Ok(Self { options: cursor.split(behind).within("options")?, data: cursor.array(data).within("data")? })
    }
}

record! {
    /// A texture that lies in the file itself.
    Texture<'a>(data: LeArray<'a, u8>) named file_name {
        /// The layout: 0.
        kind: i32 = "TextureOptionType" => known(&[0]),
        /// The name of the material that it is for.
        material: ByteStr<'a> as Text<'a> = "TextureMaterialName",
        /// The name of the file that it was.
        file_name: ByteStr<'a> as Text<'a> = "TextureName",
        /// Bytes between the names and the image, of no known meaning.
        reserve: LeArray<'a, u8> as Rest<'a, u8> = "TextureOptionRezerv",
        /// An image file.
        data: LeArray<'a, u8> as Behind<'a> = "TextureData" [data],
    }
    also |texture, out| out.field("image_kind", texture.image_kind().map(|kind| kind.name()))
}

/// The form of the image, which stands behind the part that the options are in.
#[derive(Debug)]
struct Behind<'a>(LeArray<'a, u8>);

impl Stored for Behind<'_> {
    const TYPE: Type = LeArray::<u8>::GIVEN;
}

impl<'a> Read<'a, LeArray<'a, u8>> for Behind<'a> {
    fn read(_: &mut Cursor<'a>, data: LeArray<'a, u8>) -> Result<Self> {
        Ok(Self(data))
    }

    fn tell(_: &mut Cursor<'a>, data: LeArray<'a, u8>, name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        out.array(name, &data);
        Ok(Self(data))
    }
}

impl<'a> Form<LeArray<'a, u8>> for Behind<'a> {
    fn into_value(self) -> LeArray<'a, u8> {
        self.0
    }
}

impl Texture<'_> {
    /// What kind of image the data starts like.
    pub fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

record! {
    /// The shaders of a model (SHDR).
    ShaderList<'a>(node: Node<'a>) {
        /// The layout: 1.
        kind: u8 = "ShaderLibType" => known(&[1]),
        /// How many shaders.
        shader_count: u64 as Known<u64> = "Count" [node.count()],
        /// The shaders in order. Each tells its size, so the way to the last one leads over all.
        shaders: Entries<'a, Shader<'a>> [All("shaders", shader_count, ())],
    }
}

view!(ShaderList, counted: true);

/// A shader.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Shader<'a> {
    /// What it does (`ShaderType`): 1 bump mapping; the data of others is opaque.
    pub kind: u8,
    /// All bytes behind its kind.
    pub data: LeArray<'a, u8>,
}

impl<'a> Shader<'a> {
    /// The data of a bump mapping shader; `None` for any other.
    ///
    /// # Errors
    /// Where it does not fit.
    pub fn bump(&self) -> Result<Option<Bump<'a>>> {
        (self.kind == 1).then(|| Bump::read(&mut self.body(), ())).transpose()
    }

    /// At its data.
    pub(super) fn body(&self) -> Cursor<'a> {
        Cursor::with_offset(self.data.as_bytes(), self.data.offset())
    }
}

impl Stored for Shader<'_> {
    const TYPE: Type = Type::Varying("shader", 4);
}

impl<'a> Read<'a> for Shader<'a> {
    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let size = count(cursor).within("size")?;
        let mut body = cursor.split(size)?;
        Ok(Self { kind: body.u8().within("kind")?, data: body.array(body.left())? })
    }
}

record! {
    /// What a bump mapping shader needs.
    Bump<'a> {
        /// The material of the surface.
        material: ByteStr<'a> as Text<'a> = "BumpName",
        /// The material with the normal map.
        normal_material: ByteStr<'a> as Text<'a> = "BumpNormalName",
        /// The material with the highlights.
        specular_material: ByteStr<'a> as Text<'a> = "BumpSpecularName",
        /// Strength of the light.
        light_power: f32 = "BumpLightPower",
        /// Strength of the highlights.
        specular_power: f32 = "BumpSpecularPower",
        /// Bytes behind, of no known meaning.
        reserve: LeArray<'a, u8> as Rest<'a, u8> = "BumpRezerv",
    }
}
