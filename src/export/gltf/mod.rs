//! Writes a scene as glTF: nodes, meshes, materials, skins and animations.
//!
//! Meshes and nodes of left-handed formats are mirrored as described in [`geometry`](crate::geometry), so that no node
//! needs a scale of -1.

#[cfg(feature = "b3d")]
mod b3d;
#[cfg(feature = "bmx")]
mod bmx;
mod glb;
mod joints;
#[cfg(feature = "lodka")]
mod lodka;
mod made;
mod material;
mod mesh;
#[cfg(feature = "mlod")]
mod mlod;
mod motion;
mod scene;

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use self::glb::Glb;
use self::scene::Scene;
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::Reservation as Room;
use crate::export::image::Images;
use crate::export::model::Model;
use crate::export::options::Options;
use crate::export::space::Basis;
use crate::inspect::Inspect;

/// The memory of a bone before it becomes a node.
const BONE_BYTES: u64 = 256;

/// Builds the file, in pieces.
pub(super) fn write(
    asset: &Asset<'_>,
    options: &Options<'_>,
    images: &mut dyn Images,
    room: &Room<'_>,
) -> Result<Model> {
    let format = asset.format();
    // A map has no counts of nodes and bones, and its whole summary would read every texture.
    let is_map = format == Format::Bmx;
    let summary = if is_map { asset.summarize_header() } else { asset.summarize() };
    let nodes = summary.counts.get("nodes").unwrap_or(0);
    let bones = summary.counts.get("bones").unwrap_or(0);
    room.hold(BONE_BYTES.saturating_mul(nodes.saturating_add(bones)))?;
    let mut scene = Scene {
        glb: Glb::new(room),
        room,
        options,
        images,
        format,
        basis: Basis::new(&options.space, format),
        nodes: Vec::new(),
        meshes: BTreeMap::new(),
        made: HashMap::new(),
        materials: HashMap::new(),
        textures: HashMap::new(),
        pictures: HashMap::new(),
        see_through: HashMap::new(),
        times: HashMap::new(),
        clips: Vec::new(),
        has_clip: false,
        left_out: 0,
        unreadable: 0,
    };
    match asset {
        #[cfg(feature = "b3d")]
        Asset::B3d(file) => scene.blitz(asset, file)?,
        #[cfg(feature = "bmx")]
        Asset::Bmx(map) => scene.ballance(asset, map)?,
        #[cfg(feature = "lodka")]
        Asset::Lodka(file) => scene.lodka(asset, file)?,
        #[cfg(feature = "mlod")]
        Asset::Mlod(file) => scene.arma(asset, file)?,
        #[cfg(all(feature = "rtm", feature = "mlod"))]
        Asset::Rtm(_) => scene.motion(asset)?,
        _ => {}
    }
    if let Some(name) = options.clip
        && !scene.has_clip
    {
        let known = match scene.clips.as_slice() {
            [] => "the model has none".to_owned(),
            clips => format!("there are: {}", clips.join(", ")),
        };
        return Err(Error::unsupported(format!("no animation is called {name}; {known}")));
    }
    let mut model = Model {
        pieces: Vec::new(),
        is_empty: scene.made.is_empty(),
        unreadable: scene.unreadable,
        left_out: scene.left_out,
    };
    let extras = json!({ "format": format.name(), "version": summary.version });
    let about =
        json!({ "version": "2.0", "generator": concat!("meshpeek ", env!("CARGO_PKG_VERSION")), "extras": extras });
    model.pieces = scene.finish(&about)?;
    Ok(model)
}
