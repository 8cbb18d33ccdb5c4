//! Models in formats of other programs, and pictures of them.
//!
//! [`glb`] writes b3d, bmx, lodka, mlod and plain rtm as binary glTF 2.0, [`obj`] and [`ply`] write triangles without
//! bones, and [`picture`] draws. The results are written to any [`Write`](std::io::Write). Nothing is read but the asset: the caller
//! supplies [`Images`], such as those [inside](Embedded) the model. Work, memory and output are charged to a
//! [`Budget`]. No threads are started, so all of it works in a browser.
//!
//! | source | in glTF |
//! | --- | --- |
//! | Blitz3D | ANIMs of equal rate and length are one animation, SEQS are named ones. The base texture is the first that is no lightmap and no reflection; these two are in the `extras` of the material. Black is transparent where the texture says so. Missing normals are smoothed, as the engine does |
//! | Ballance | hidden objects are in the file, but not in its scene |
//! | LODka3D | hidden objects as for Ballance; frames of vertex animations are morph targets |
//! | MLOD of Arma | the finest visual LOD, another one or all. Proxies are left out |
//! | plain RTM | its bones and its animation |
//!
//! A mesh that bones move has a node of its own, because bones alone place it. Colors are converted from sRGB to
//! linear light. Normals are normalized, each vertex keeps its four strongest bone weights, and triangles with
//! missing vertices are dropped. In pictures, normals that oppose their triangles are ignored.
//!
//! ```
//! use meshpeek::export::{self, Embedded, Options};
//! use meshpeek::{Asset, Budget, Limits};
//! # let bytes = std::fs::read("corpus/b3d/everything.b3d").unwrap();
//! let asset = Asset::parse(&bytes)?;
//! let budget = Budget::new(bytes.len() as u64, &Limits::default());
//! let model = export::glb(&asset, &Options::default(), &mut Embedded::new(&asset), &budget)?;
//! let mut file = Vec::new();
//! model.write_to(&mut file)?;
//! assert!(file.starts_with(b"glTF"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chosen;
mod cost;
mod embedded;
mod file_format;
mod gltf;
mod image;
mod model;
mod numbers;
mod options;
mod picture;
mod space;
mod text;

pub use embedded::Embedded;
pub use file_format::FileFormat;
pub use image::{Images, NoImages, Pixels, base_name, is_embeddable};
pub use model::Model;
pub use options::{Lod, Options};
pub use picture::{
    AMBIENT, Canvas, Edges, Flaw, GROUND, LIGHTS, Light, Picture, View, hides_little, picture, picture_on,
};
pub use space::{Space, Up};
pub use text::{obj, ply};

pub use crate::geometry::mirror::Mirror;

use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::budget::{Budget, Reservation};

/// Builds a binary glTF 2.0 file: nodes, meshes, materials with their images, skins, animations and morph targets.
/// Parts that cannot be read are counted and left out.
///
/// # Errors
/// Returns an error if the format is [refused](FileFormat::refused), if no animation has the requested name, if the requested
/// LOD does not exist, or if the model exceeds the budget.
pub fn glb(asset: &Asset<'_>, options: &Options<'_>, images: &mut dyn Images, budget: &Budget) -> Result<Model> {
    if let Some(why) = FileFormat::Glb.refused(asset.format()) {
        return Err(Error::unsupported(why));
    }
    gltf::write(asset, options, images, &Reservation::new(budget))
}
