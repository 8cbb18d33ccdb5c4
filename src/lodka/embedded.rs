//! INF1, TXTR, SHDR and IMG1: bytes of other formats inside a model.

use super::chunk::{Entries, Entry, Kind, Node, View};
use super::fields::{count, end, header_count, known, known_i32, string};
use crate::error::{Context, Result};
use crate::view::{ByteStr, Cursor, LeArray};

/// Bytes of the user's own (INF1), normally text; some programs keep chunks of their own inside.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Info<'a> {
    /// All of it.
    pub bytes: LeArray<'a, u8>,
}

impl<'a> View<'a> for Info<'a> {
    const KIND: Kind = Kind::Info;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        Ok(Self { bytes: cursor.array(cursor.left())? })
    }
}

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

/// A picture of the model (IMG1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Screenshot<'a> {
    /// The layout (`ScreenshotType`): 0.
    pub kind: i32,
    /// Its name.
    pub name: ByteStr<'a>,
    /// An image file.
    pub data: LeArray<'a, u8>,
}

impl Screenshot<'_> {
    /// What kind of image the data starts like.
    pub fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

impl<'a> View<'a> for Screenshot<'a> {
    const KIND: Kind = Kind::Screenshot;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let kind = known_i32(&mut cursor, &[0]).within("kind")?;
        let name = string(&mut cursor).within("name")?;
        let size = count(&mut cursor).within("data")?;
        let data = cursor.array(size).within("data")?;
        end(&cursor)?;
        Ok(Self { kind, name, data })
    }
}

/// The textures that lie in the file itself (TXTR).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TextureList<'a> {
    /// The layout (`TexturesType`): 0.
    pub kind: u8,
    /// How many textures.
    pub texture_count: u64,
    textures: Cursor<'a>,
}

impl<'a> TextureList<'a> {
    /// The textures in order. Each record tells its size, so one that cannot be read does not hide the next; the way
    /// to the last one leads over all.
    pub fn textures(&self) -> impl Iterator<Item = Result<Texture<'a>>> + use<'a> {
        self.records().enumerate().map(|(index, record)| record?.texture().within_item("textures", index))
    }

    /// The records in order, without a look at more than their sizes.
    pub fn records(&self) -> Entries<'a, TextureRecord<'a>> {
        Entries::new(self.textures, self.texture_count, ())
    }
}

impl<'a> View<'a> for TextureList<'a> {
    const KIND: Kind = Kind::TextureList;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let kind = known(&mut cursor, &[0]).within("kind")?;
        Ok(Self { kind, texture_count: header_count(node)?, textures: cursor })
    }
}

/// A texture's options and image, not yet read.
#[derive(Clone, Copy, Debug)]
pub struct TextureRecord<'a> {
    options: Cursor<'a>,
    data: LeArray<'a, u8>,
}

impl<'a> TextureRecord<'a> {
    /// Reads the options.
    ///
    /// # Errors
    /// Where they are of another layout than 0 or the names do not fit.
    pub fn texture(&self) -> Result<Texture<'a>> {
        let mut options = self.options;
        let kind = known_i32(&mut options, &[0]).within("kind")?;
        let material = string(&mut options).within("material")?;
        let file_name = string(&mut options).within("file_name")?;
        let reserve = options.array(options.left())?;
        Ok(Texture { kind, material, file_name, reserve, data: self.data })
    }
}

impl<'a> Entry<'a> for TextureRecord<'a> {
    type Context = ();
    const LIST: &'static str = "textures";

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

/// A texture that lies in the file itself.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Texture<'a> {
    /// The layout (`TextureOptionType`): 0.
    pub kind: i32,
    /// The name of the material that it is for (`TextureMaterialName`).
    pub material: ByteStr<'a>,
    /// The name of the file that it was (`TextureName`).
    pub file_name: ByteStr<'a>,
    /// Bytes between the names and the image, of no known meaning.
    pub reserve: LeArray<'a, u8>,
    /// An image file.
    pub data: LeArray<'a, u8>,
}

impl Texture<'_> {
    /// What kind of image the data starts like.
    pub fn image_kind(&self) -> Option<ImageKind> {
        ImageKind::sniff(self.data.as_bytes())
    }
}

/// The shaders of a model (SHDR).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ShaderList<'a> {
    /// The layout (`ShaderLibType`): 1.
    pub kind: u8,
    /// How many shaders.
    pub shader_count: u64,
    shaders: Cursor<'a>,
}

impl<'a> ShaderList<'a> {
    /// The shaders in order. Each tells its size, so the way to the last one leads over all.
    pub fn shaders(&self) -> Entries<'a, Shader<'a>> {
        Entries::new(self.shaders, self.shader_count, ())
    }
}

impl<'a> View<'a> for ShaderList<'a> {
    const KIND: Kind = Kind::ShaderList;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let kind = known(&mut cursor, &[1]).within("kind")?;
        Ok(Self { kind, shader_count: header_count(node)?, shaders: cursor })
    }
}

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
        (self.kind == 1).then(|| Bump::read(Cursor::with_offset(self.data.as_bytes(), self.data.offset()))).transpose()
    }
}

impl<'a> Entry<'a> for Shader<'a> {
    type Context = ();
    const LIST: &'static str = "shaders";

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let size = count(cursor).within("size")?;
        let mut body = cursor.split(size)?;
        Ok(Self { kind: body.u8().within("kind")?, data: body.array(body.left())? })
    }
}

/// What a bump mapping shader needs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bump<'a> {
    /// The material of the surface (`BumpName`).
    pub material: ByteStr<'a>,
    /// The material with the normal map (`BumpNormalName`).
    pub normal_material: ByteStr<'a>,
    /// The material with the highlights (`BumpSpecularName`).
    pub specular_material: ByteStr<'a>,
    /// Strength of the light.
    pub light_power: f32,
    /// Strength of the highlights.
    pub specular_power: f32,
    /// Bytes behind, of no known meaning.
    pub reserve: LeArray<'a, u8>,
}

impl<'a> Bump<'a> {
    fn read(mut cursor: Cursor<'a>) -> Result<Self> {
        Ok(Self {
            material: string(&mut cursor).within("material")?,
            normal_material: string(&mut cursor).within("normal_material")?,
            specular_material: string(&mut cursor).within("specular_material")?,
            light_power: cursor.f32().within("light_power")?,
            specular_power: cursor.f32().within("specular_power")?,
            reserve: cursor.array(cursor.left())?,
        })
    }
}
