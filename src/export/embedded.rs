//! The images inside a model.

use super::Images;
use super::image::is_embeddable;
use crate::asset::Asset;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::budget::Reservation;
#[cfg(feature = "bmx")]
use crate::formats::bmx;
#[cfg(feature = "lodka")]
use crate::formats::lodka;
use crate::geometry::Texture;

/// The cost of comparing the name of an image, in bytes of work.
#[cfg(feature = "lodka")]
const LOOK_WORK: u64 = 64;

/// The images inside a model: those of Ballance maps and of LODka3D. Only PNG and JPEG files are supplied, because
/// nothing is decoded. To add other images, call [`find`](Self::find) from your own [`Images`].
#[derive(Clone, Debug)]
pub struct Embedded<'a> {
    asset: &'a Asset<'a>,
    last: Vec<u8>,
}

impl<'a> Embedded<'a> {
    /// Creates a finder. Reads nothing.
    pub fn new(asset: &'a Asset<'a>) -> Self {
        Self { asset, last: Vec::new() }
    }

    /// The bytes of an image as stored. `None` if the model does not contain it, or it cannot be read.
    ///
    /// # Errors
    /// Returns an error if it exceeds the budget, which is then as it was.
    pub fn find(&self, texture: &Texture<'_>, room: &Reservation<'_>) -> Result<Option<Vec<u8>>> {
        match self.asset {
            #[cfg(feature = "bmx")]
            Asset::Bmx(map) => find_in_map(map, texture, room),
            #[cfg(feature = "lodka")]
            Asset::Lodka(model) => find_in_model(model, texture, room),
            _ => Ok(None),
        }
    }
}

#[cfg(feature = "bmx")]
fn find_in_map(map: &bmx::Map<'_>, texture: &Texture<'_>, room: &Reservation<'_>) -> Result<Option<Vec<u8>>> {
    let Ok(list) = map.textures() else { return Ok(None) };
    let Some(index) = texture.index else { return Ok(None) };
    let Ok(Some(stored)) = list.get(index) else { return Ok(None) };
    let Some(image) = stored.image() else { return Ok(None) };
    let bytes = image.decoded_byte_len_hint();
    take(bytes, bytes, room)?;
    let Ok(decoded) = image.decode() else { return Ok(None) };
    Ok(Some(decoded.into_owned()))
}

#[cfg(feature = "lodka")]
fn find_in_model(model: &lodka::Model<'_>, texture: &Texture<'_>, room: &Reservation<'_>) -> Result<Option<Vec<u8>>> {
    let name = texture.name.as_bytes();
    for part in model.parts().flatten() {
        let Ok(Some(list)) = part.first::<lodka::TextureList<'_>>() else { continue };
        for image in list.textures().flatten() {
            room.charge_work(LOOK_WORK)?;
            if image.file_name.as_bytes().eq_ignore_ascii_case(name) {
                let data = image.data.as_bytes();
                take(0, data.len() as u64, room)?;
                return Ok(Some(data.to_vec()));
            }
        }
    }
    Ok(None)
}

/// Takes memory for an image, if the budget also covers the work.
fn take(work: u64, memory: u64, room: &Reservation<'_>) -> Result<()> {
    if !room.can_afford(work, 0, memory) {
        return Err(Error::limit("bytes of an image", memory, Code::DecodedBytesLimit));
    }
    room.charge_work(work)?;
    room.charge_and_hold(memory)
}

impl Images for Embedded<'_> {
    fn file(&mut self, texture: &Texture<'_>, room: &Reservation<'_>) -> Option<&[u8]> {
        self.last = self.find(texture, room).ok()??;
        if is_embeddable(&self.last) { Some(&self.last) } else { None }
    }
}
