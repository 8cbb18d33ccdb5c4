//! Writes a scene as glTF: nodes, meshes, materials, skins and animations.
//!
//! Meshes and nodes of left-handed formats are mirrored as described in `meshpeek::geometry`, so that no node needs a
//! scale of -1.

mod b3d;
mod bmx;
mod glb;
mod lodka;
mod material;
mod mesh;
mod motion;

use std::collections::{BTreeMap, HashMap};

use meshpeek::geometry::{Primitive, Primitives, Transform};
use meshpeek::inspect::Text;
use meshpeek::pose::Matrix;
use meshpeek::summary::Name;
use meshpeek::{Asset, Inspect, Result};
use serde_json::{Map, Value as Json, json};

use self::glb::Glb;
use self::mesh::{Kept, Key};
use super::Written;
use super::images::Images;
use super::room::{CORNER_WORK, Room};

/// The cost of a primitive, in bytes of work.
const PRIMITIVE_WORK: u64 = 256;
/// The memory of a node in addition to its name, and of a bone before it becomes a node.
const NODE_BYTES: u64 = 512;
const BONE_BYTES: u64 = 256;

/// Builds the file, in pieces.
pub(super) fn write(asset: &Asset<'_>, images: &mut Images<'_>, room: &Room<'_>) -> Result<Written> {
    let summary = asset.summarize();
    let count = |name| summary.counts.get(name).unwrap_or(0);
    room.keep(BONE_BYTES * (count("nodes") + count("bones")))?;
    let mut scene = Scene {
        glb: Glb::new(room),
        room,
        images,
        is_lodka: matches!(asset, Asset::Lodka(_)),
        nodes: Vec::new(),
        meshes: BTreeMap::new(),
        materials: HashMap::new(),
        textures: HashMap::new(),
        times: HashMap::new(),
        has_meshes: false,
        left_out: 0,
        unreadable: 0,
    };
    match asset {
        Asset::B3d(file) => scene.blitz(asset, file)?,
        Asset::Bmx(map) => scene.ballance(asset, map)?,
        Asset::Lodka(file) => scene.lodka(asset, file)?,
        _ => {}
    }
    let (left_out, unreadable, is_empty) = (scene.left_out, scene.unreadable, !scene.has_meshes);
    let extras = json!({ "format": asset.format().name(), "version": summary.version });
    let about =
        json!({ "version": "2.0", "generator": concat!("meshpeek ", env!("CARGO_PKG_VERSION")), "extras": extras });
    Ok(Written { pieces: scene.finish(&about)?, is_empty, unreadable, left_out, flaw: None })
}

/// A node that may still get children.
struct Node {
    name: String,
    place: Transform,
    parent: Option<usize>,
    children: Vec<usize>,
    mesh: Option<usize>,
    skin: Option<usize>,
    extras: Map<String, Json>,
}

struct Scene<'s, 'i> {
    glb: Glb<'s>,
    room: &'s Room<'s>,
    images: &'s mut Images<'i>,
    /// True for LODka3D, which is right-handed already and has its own kind of texts.
    is_lodka: bool,
    nodes: Vec<Node>,
    meshes: BTreeMap<Key, Kept>,
    /// Materials and textures already written, by their full description.
    materials: HashMap<String, usize>,
    textures: HashMap<(String, [bool; 2]), Option<usize>>,
    /// Arrays of times already written, by the bits of their numbers.
    times: HashMap<Vec<u32>, usize>,
    has_meshes: bool,
    left_out: u64,
    unreadable: u64,
}

fn is_finite(numbers: &[f32]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Returns `numbers` if all are finite, else `other`.
fn finite<const N: usize>(numbers: [f32; N], other: [f32; N]) -> [f32; N] {
    if is_finite(&numbers) { numbers } else { other }
}

impl Scene<'_, '_> {
    fn name(&self, text: Text<'_>) -> String {
        match text {
            Text::Bytes(bytes) if self.is_lodka => meshpeek::lodka::to_text(bytes),
            text => Name::from(text).text,
        }
    }

    /// Adds a node and returns its index.
    fn node(&mut self, name: Text<'_>, parent: Option<usize>, place: &Transform) -> Result<usize> {
        let name = self.name(name);
        self.room.keep(NODE_BYTES + name.len() as u64)?;
        let index = self.nodes.len();
        self.nodes.push(Node {
            name,
            place: *place,
            parent,
            children: Vec::new(),
            mesh: None,
            skin: None,
            extras: Map::new(),
        });
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            parent.children.push(index);
        }
        Ok(index)
    }

    /// Adds a property of a node that glTF does not define.
    fn note(&mut self, node: usize, key: &str, value: Json) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.extras.insert(key.to_owned(), value);
        }
    }

    /// The next primitive that can be read. Others are counted.
    fn next<'a>(&mut self, all: &mut Primitives<'a>) -> Result<Option<Primitive<'a>>> {
        for primitive in all {
            self.room.work(PRIMITIVE_WORK)?;
            match primitive {
                Ok(primitive) => return Ok(Some(primitive)),
                Err(_) => self.unreadable += 1,
            }
        }
        Ok(None)
    }

    fn finish(mut self, about: &Json) -> Result<Vec<Vec<u8>>> {
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.nodes[node].parent.is_none()).collect();
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
