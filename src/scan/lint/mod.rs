//! Checks of what models, textures and animations need to work in their games. They run only if
//! [`Scan::lint`](super::Scan::lint) is set, after the survey.
//!
//! | code | the game's rule | where it is from |
//! | --- | --- | --- |
//! | `lint.components` | collision needs selections `ComponentNN` | the games' wiki, page LOD; 257 of 258 models with cooked shapes have one shape for each |
//! | `lint.closed`, `lint.convex` | components are closed and convex | the same page; the game logs `Strange convex component03` |
//! | `lint.mass` | the geometry has a mass | the same page; 21 of 25 models of Arma have one, but 4 of 11 of DayZ |
//! | `lint.lod_order` | each coarser visual LOD has fewer faces | the same page |
//! | `lint.lod_twice` | a resolution stands for one LOD | the game's tools keep one of two |
//! | `lint.texgens` | a material has the transforms 0 to 7 | `TexGen0` to `TexGen7` are all that 471 real materials have |
//! | `lint.size` | sides of textures are at most 4096 | none of 3,449 real textures is larger |
//! | `lint.alpha` | a color texture named `_ca` has alpha | the games' wiki, page on naming textures |
//! | `lint.surfaces` | Luanti wants a texture for each TRIS | its loader makes a mesh buffer for each |
//! | `lint.frames` | keys are at 0 to one more than the frames of ANIM | 11 of 11 real models; their first frame is 1 |
//! | `lint.unweighted` | each vertex of a mesh with bones has one | such vertices stay where they are |

#[cfg(any(feature = "mlod", feature = "odol"))]
mod geometry;
mod materials;
#[cfg(any(feature = "mlod", feature = "odol"))]
mod models;
#[cfg(feature = "b3d")]
mod scenes;
#[cfg(feature = "paa")]
mod textures;

use std::path::Path;

use crate::asset::Asset;
use crate::summary::Problems;

/// Checks an asset with this name.
pub(super) fn check(asset: &Asset<'_>, name: &Path, problems: &mut Problems) {
    match asset {
        #[cfg(feature = "b3d")]
        Asset::B3d(scene) => scenes::check(scene, problems),
        #[cfg(feature = "mlod")]
        Asset::Mlod(model) => models::mlod(model, problems),
        #[cfg(feature = "odol")]
        Asset::Odol(model) => models::odol(model, problems),
        #[cfg(feature = "paa")]
        Asset::Paa(texture) => textures::check(texture, name, problems),
        Asset::Rap(config) => materials::check(config, problems),
        _ => {}
    }
}
