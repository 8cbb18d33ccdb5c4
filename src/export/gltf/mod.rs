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
mod material;
mod mesh;
#[cfg(feature = "mlod")]
mod mlod;
mod motion;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value as Json, json};

use self::glb::Glb;
use self::mesh::{Key, UnwrittenMesh, WrittenMesh};
use super::space::Basis;
use super::{CORNER_WORK, Images, Model, Options, PRIMITIVE_WORK, finite, is_finite};
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::text::Name;
use crate::budget::Reservation as Room;
use crate::geometry::{Alpha, Matrix, Primitive, Primitives, Transform};
use crate::inspect::Inspect;
use crate::outline::Text;

/// The memory of a node in addition to its name, and of a bone before it becomes a node.
const NODE_BYTES: u64 = 512;
const BONE_BYTES: u64 = 256;

/// Builds the file, in pieces.
pub(super) fn write(
    asset: &Asset<'_>,
    options: &Options<'_>,
    images: &mut dyn Images,
    room: &Room<'_>,
) -> Result<Model> {
    let summary = asset.summarize();
    let count = |name| summary.counts.get(name).unwrap_or(0);
    room.hold(BONE_BYTES.saturating_mul(count("nodes").saturating_add(count("bones"))))?;
    let format = asset.format();
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
    if let (Some(name), false) = (options.clip, scene.has_clip) {
        let known = match scene.clips.as_slice() {
            [] => "the model has none".to_owned(),
            clips => format!("there are: {}", clips.join(", ")),
        };
        return Err(Error::unsupported(format!("no animation is called {name}; {known}")));
    }
    let (left_out, unreadable, is_empty) = (scene.left_out, scene.unreadable, scene.made.is_empty());
    let extras = json!({ "format": format.name(), "version": summary.version });
    let about =
        json!({ "version": "2.0", "generator": concat!("meshpeek ", env!("CARGO_PKG_VERSION")), "extras": extras });
    Ok(Model { pieces: scene.finish(&about)?, is_empty, unreadable, left_out })
}

/// A node that may still get children.
struct Node {
    name: String,
    place: Transform,
    parent: Option<usize>,
    children: Vec<usize>,
    mesh: Option<usize>,
    skin: Option<usize>,
    /// True if it is not a part of the scene that is shown.
    hidden: bool,
    extras: Map<String, Json>,
}

struct Scene<'s> {
    glb: Glb<'s>,
    room: &'s Room<'s>,
    options: &'s Options<'s>,
    images: &'s mut dyn Images,
    format: Format,
    basis: Basis,
    nodes: Vec<Node>,
    meshes: BTreeMap<Key, UnwrittenMesh>,
    /// The meshes already written.
    made: HashMap<Key, WrittenMesh>,
    /// Materials, textures and images already written, by their full description.
    materials: HashMap<String, usize>,
    textures: HashMap<(usize, [bool; 2]), usize>,
    pictures: HashMap<(String, bool), Option<usize>>,
    /// The images that are not opaque, and how to show them.
    see_through: HashMap<usize, Alpha>,
    /// Arrays of times already written, by the bits of their numbers.
    times: HashMap<Vec<u32>, usize>,
    /// The first names of animations, for a message.
    clips: Vec<String>,
    /// True if the requested animation exists.
    has_clip: bool,
    left_out: u64,
    unreadable: u64,
}

impl Scene<'_> {
    fn name(&self, text: Text<'_>) -> String {
        match text {
            #[cfg(feature = "lodka")]
            Text::Bytes(bytes) if self.format == Format::Lodka => crate::formats::lodka::to_text(bytes),
            text => Name::from(text).text,
        }
    }

    /// Counts parts that cannot be read.
    fn lose(&mut self, parts: u64) {
        self.unreadable = self.unreadable.saturating_add(parts);
    }

    /// Adds a node at a place in the common space and returns its index.
    fn node(&mut self, name: Text<'_>, parent: Option<usize>, place: &Transform) -> Result<usize> {
        let name = self.name(name);
        self.room.hold(NODE_BYTES.saturating_add(name.len() as u64))?;
        let index = self.nodes.len();
        self.nodes.push(Node {
            name,
            place: self.basis.transform(place),
            parent,
            children: Vec::new(),
            mesh: None,
            skin: None,
            hidden: false,
            extras: Map::new(),
        });
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            parent.children.push(index);
        }
        Ok(index)
    }

    /// Shows a mesh at a node.
    fn show(&mut self, node: usize, mesh: usize, skin: Option<usize>) {
        if let Some(node) = self.nodes.get_mut(node) {
            (node.mesh, node.skin) = (Some(mesh), skin);
        }
    }

    /// Leaves a node without a parent out of the scene.
    fn hide(&mut self, node: usize) {
        self.note(node, "visible", false.into());
        if let Some(node) = self.nodes.get_mut(node) {
            node.hidden = true;
        }
    }

    /// Adds a property of a node that glTF does not define.
    fn note(&mut self, node: usize, key: &str, value: Json) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.extras.insert(key.to_owned(), value);
        }
    }

    /// Returns the next primitive that can be read. Others are counted.
    fn next<'a>(&mut self, all: &mut Primitives<'a>) -> Result<Option<Primitive<'a>>> {
        for primitive in all {
            self.room.work(PRIMITIVE_WORK)?;
            match primitive {
                Ok(primitive) => return Ok(Some(primitive)),
                Err(_) => self.lose(1),
            }
        }
        Ok(None)
    }

    fn finish(mut self, about: &Json) -> Result<Vec<Vec<u8>>> {
        let is_root = |node: &Node| node.parent.is_none() && !node.hidden;
        let roots: Vec<usize> =
            self.nodes.iter().enumerate().filter_map(|(index, node)| is_root(node).then_some(index)).collect();
        let scene = if roots.is_empty() { json!({}) } else { json!({ "nodes": roots }) };
        for node in self.nodes {
            self.glb.push("nodes", node.to_json())?;
        }
        self.glb.finish(about, &scene)
    }
}

impl Node {
    fn to_json(&self) -> Json {
        let mut json = Map::new();
        let mut set = |key: &str, value: Json| json.insert(key.to_owned(), value);
        if !self.name.is_empty() {
            set("name", self.name.as_str().into());
        }
        let Transform { translation, rotation, scale } = self.place;
        let (translation, scale) = (finite(translation, [0.0; 3]), finite(scale, [1.0; 3]));
        if translation != [0.0; 3] {
            set("translation", json!(translation));
        }
        if rotation != [0.0, 0.0, 0.0, 1.0] {
            set("rotation", json!(motion::unit(rotation)));
        }
        if scale != [1.0; 3] {
            set("scale", json!(scale));
        }
        for (key, place) in [("mesh", self.mesh), ("skin", self.skin)] {
            if let Some(place) = place {
                set(key, place.into());
            }
        }
        if !self.children.is_empty() {
            set("children", json!(self.children));
        }
        if !self.extras.is_empty() {
            set("extras", json!(self.extras));
        }
        json.into()
    }
}
