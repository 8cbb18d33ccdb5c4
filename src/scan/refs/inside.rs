//! The images inside an asset, which its references mean before any other file: those of Ballance maps and LODka3D
//! models.
#![cfg_attr(not(any(feature = "bmx", feature = "lodka")), allow(unused_variables, dead_code))]

#[cfg(feature = "bmx")]
use std::collections::HashSet;
use std::hash::RandomState;

use super::keys::{Key, key};
use super::prefix::folded;
use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::text::Name;
use crate::budget::Budget;

/// The cost of looking at an image, in bytes of [work](Budget::work), in addition to its name.
const LOOK_WORK: u64 = 64;

/// Adds the keys of the names by which an asset refers to its own images, as far as it is readable.
pub(super) fn inside(asset: &Asset<'_>, budget: &Budget, hash: &RandomState, keys: &mut Vec<Key>) -> Result<()> {
    let of = |name: Name| -> Result<Key> {
        budget.work(LOOK_WORK.saturating_add(name.text.len() as u64))?;
        Ok(key(hash, &folded(&name.text)))
    };
    match asset {
        #[cfg(feature = "bmx")]
        Asset::Bmx(map) => {
            let entries: HashSet<Key> = map.entries().map(|entry| of(entry.name().into())).collect::<Result<_>>()?;
            let Ok(textures) = map.textures() else { return Ok(()) };
            for texture in textures.walk().flatten().filter(|texture| !texture.is_external.is_set()) {
                let name = Name::from(texture.file_name);
                let stored = Name { text: format!("Texture/{}", name.text), lossy: name.lossy };
                if entries.contains(&of(stored)?) {
                    keys.push(of(name)?);
                }
            }
        }
        #[cfg(feature = "lodka")]
        Asset::Lodka(model) => {
            for list in model.parts().flatten().filter_map(|part| part.textures().ok()?) {
                for image in list.textures().flatten().filter(|image| !image.data.is_empty()) {
                    keys.push(of(Name::from(image.file_name))?);
                }
            }
        }
        _ => {}
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(())
}
