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

/// The cost of looking at an image, in bytes of [work](Budget::charge_work), in addition to its name.
const LOOK_WORK: u64 = 64;

/// Adds the keys of the names by which an asset refers to its own images, as far as it is readable.
pub(super) fn inside(asset: &Asset<'_>, budget: &Budget, hash: &RandomState, keys: &mut Vec<Key>) -> Result<()> {
    match asset {
        #[cfg(feature = "bmx")]
        Asset::Bmx(map) => {
            let mut entries: HashSet<Key> = HashSet::new();
            for entry in map.entries() {
                entries.insert(image_key(&Name::from(entry.name()).text, budget, hash)?);
            }
            let Ok(textures) = map.textures() else { return Ok(()) };
            for texture in textures.walk().flatten() {
                if texture.is_external.is_set() {
                    continue;
                }
                let name = Name::from(texture.file_name).text;
                let stored = image_key(&format!("Texture/{name}"), budget, hash)?;
                if entries.contains(&stored) {
                    keys.push(image_key(&name, budget, hash)?);
                }
            }
        }
        #[cfg(feature = "lodka")]
        Asset::Lodka(model) => {
            for part in model.parts().flatten() {
                let Ok(Some(list)) = part.first::<crate::formats::lodka::TextureList<'_>>() else { continue };
                for image in list.textures().flatten() {
                    if image.data.is_empty() {
                        continue;
                    }
                    keys.push(image_key(&Name::from(image.file_name).text, budget, hash)?);
                }
            }
        }
        _ => {}
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(())
}

/// The key of an image's name, within the budget.
fn image_key(name: &str, budget: &Budget, hash: &RandomState) -> Result<Key> {
    budget.charge_work(LOOK_WORK.saturating_add(name.len() as u64))?;
    Ok(key(hash, &folded(name)))
}
