//! `texture.bm`: names of images, and the images that the map brings along.

use super::index::{At, IndexEntry, Record, Tabled};
use super::table::{Kind, TableId};
use super::{Entry, Map};
use crate::error::{Context, Result};
use crate::view::Utf32Str;

/// A texture: the name of an image that the game has, or that the map brings along.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'m> {
    /// The image's name, without a folder (FILENAME).
    pub file_name: Utf32Str<'m>,
    /// The bool as stored: other than 0 where the game has the image (IS_EXTERNAL).
    pub is_external: u32,
    at: At<'m>,
    map: &'m Map<'m>,
    end: u64,
}

impl<'m> Record<'m> for Texture<'m> {
    const KIND: Kind = Kind::TEXTURE;
    const LIST: &'static str = "textures";
    const TABLE: Tabled = Tabled(TableId::Textures);

    fn read(map: &'m Map<'m>, at: At<'m>) -> Result<Self> {
        let mut cursor = at.cursor();
        let file_name = cursor.utf32().within("file_name")?;
        let is_external = if at.version == 10 { cursor.u32() } else { cursor.u8().map(u32::from) };
        Ok(Self { file_name, is_external: is_external.within("is_external")?, at, map, end: cursor.offset() })
    }

    fn at(&self) -> &At<'m> {
        &self.at
    }

    fn end(&self) -> Result<u64> {
        Ok(self.end)
    }
}

impl<'m> Texture<'m> {
    /// The index's entry: its name and place.
    pub fn entry(&self) -> &IndexEntry<'m> {
        &self.at.entry
    }

    /// Its place among the textures.
    pub fn index(&self) -> usize {
        self.at.index
    }

    /// The image in the map, in its own format: `Texture/` and the file name. `None` where the texture is external,
    /// and where the map does not have the image all the same. Two textures can share one.
    pub fn image(&self) -> Option<Entry<'m>> {
        if self.is_external != 0 {
            return None;
        }
        let path = format!("Texture/{}", self.file_name.to_text()?);
        self.map.source.archive()?.find(&path)
    }
}
