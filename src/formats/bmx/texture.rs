//! `texture.bm`: names of images, and the images in the map.

use super::Entry;
use super::index::Layout;
use super::list::{Listed, Placed};
use super::table::{Kind, TableId};
use super::wire::{Flag, flag};
use crate::base::text::Utf32Str;
use crate::record::grammar;
use crate::record::parser::utf32_with_count;

grammar! {
    /// A texture: the name of an image that is in the game or in the map.
    Texture<'m>(layout: Layout) {
        /// The image's name, without a folder.
        #[label("FILENAME")] file_name: Utf32Str<'m> = utf32_with_count(),
        /// Set if the image is in the game.
        #[label("IS_EXTERNAL")] is_external: Flag = flag(layout.version),
    }
}

impl<'m> Listed<'m> for Texture<'m> {
    const KIND: Kind = Kind::TEXTURE;
    const LIST: &'static str = "textures";
    const TABLE: TableId = TableId::Textures;
}

impl<'m> Placed<'m, Texture<'m>> {
    /// Returns the image in the map, in its own format: `Texture/` and the file name. Returns `None` if the texture is
    /// external or the image is missing. Two textures can share one.
    pub(crate) fn image(&self) -> Option<Entry<'m>> {
        if self.is_external.is_set() { None } else { self.entry_of_name() }
    }

    /// Returns the image in the map, even if the texture is external. Returns `None` if there is none, or if the name
    /// has invalid code points.
    pub(super) fn entry_of_name(&self) -> Option<Entry<'m>> {
        let path = format!("Texture/{}", self.file_name.to_text()?);
        self.map.source.archive()?.find(&path)
    }
}
