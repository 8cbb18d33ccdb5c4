//! A scene under construction.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value as Json, json};

use super::glb::{Glb, set};
use super::made::{Key, UnwrittenMesh, WrittenMesh};
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::budget::Reservation as Room;
use crate::export::cost::PRIMITIVE_WORK;
use crate::export::image::Images;
use crate::export::numbers::{finite, unit};
use crate::export::options::Options;
use crate::export::space::Basis;
use crate::geometry::{Alpha, Primitive, Primitives, Transform};
use crate::outline::Text;

/// The memory of a node in addition to its name.
pub(super) const NODE_BYTES: u64 = 512;

/// A node that may still get children.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) place: Transform,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    /// True if it is not a part of the scene that is shown.
    pub(super) hidden: bool,
    pub(super) extras: Map<String, Json>,
}

pub(super) struct Scene<'s> {
    pub(super) glb: Glb<'s>,
    pub(super) room: &'s Room<'s>,
    pub(super) options: &'s Options<'s>,
    pub(super) images: &'s mut dyn Images,
    pub(super) format: Format,
    pub(super) basis: Basis,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: BTreeMap<Key, UnwrittenMesh>,
    /// The meshes already written.
    pub(super) made: HashMap<Key, WrittenMesh>,
    /// Materials, textures and images already written, by their full description.
    pub(super) materials: HashMap<String, usize>,
    pub(super) textures: HashMap<(usize, [bool; 2]), usize>,
    pub(super) pictures: HashMap<(String, bool), Option<usize>>,
    /// The images that are not opaque, and how to show them.
    pub(super) see_through: HashMap<usize, Alpha>,
    /// Arrays of times already written, by the bits of their numbers.
    pub(super) times: HashMap<Vec<u32>, usize>,
    /// The first names of animations, for a message.
    pub(super) clips: Vec<String>,
    /// True if the requested animation exists.
    pub(super) has_clip: bool,
    pub(super) left_out: u64,
    pub(super) unreadable: u64,
}

impl Scene<'_> {
    pub(super) fn name(&self, text: Text<'_>) -> String {
        match text {
            #[cfg(feature = "lodka")]
            Text::Bytes(bytes) if self.format == Format::Lodka => crate::formats::lodka::to_text(bytes),
            text => Name::from(text).text,
        }
    }

    /// Counts parts that cannot be read.
    pub(super) fn lose(&mut self, parts: u64) {
        self.unreadable = self.unreadable.saturating_add(parts);
    }

    /// Adds a node at a place in the common space and returns its index.
    pub(super) fn node(&mut self, name: Text<'_>, parent: Option<usize>, place: &Transform) -> Result<usize> {
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
        if let Some(parent) = parent
            && let Some(parent) = self.nodes.get_mut(parent)
        {
            parent.children.push(index);
        }
        Ok(index)
    }

    /// Shows a mesh at a node.
    pub(super) fn show(&mut self, node: usize, mesh: usize, skin: Option<usize>) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.mesh = Some(mesh);
            node.skin = skin;
        }
    }

    /// Leaves a node without a parent out of the scene.
    pub(super) fn hide(&mut self, node: usize) {
        self.note(node, "visible", false.into());
        if let Some(node) = self.nodes.get_mut(node) {
            node.hidden = true;
        }
    }

    /// Adds a property of a node that glTF does not define.
    pub(super) fn note(&mut self, node: usize, key: &str, value: Json) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.extras.insert(key.to_owned(), value);
        }
    }

    /// Returns the next primitive that can be read. Others are counted.
    pub(super) fn next<'a>(&mut self, all: &mut Primitives<'a>) -> Result<Option<Primitive<'a>>> {
        for primitive in all {
            self.room.charge_work(PRIMITIVE_WORK)?;
            match primitive {
                Ok(primitive) => return Ok(Some(primitive)),
                Err(_) => self.lose(1),
            }
        }
        Ok(None)
    }

    pub(super) fn finish(mut self, about: &Json) -> Result<Vec<Vec<u8>>> {
        let mut roots: Vec<usize> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if node.parent.is_none() && !node.hidden {
                roots.push(index);
            }
        }
        let scene = if roots.is_empty() { json!({}) } else { json!({ "nodes": roots }) };
        for node in self.nodes {
            self.glb.push("nodes", node.to_json())?;
        }
        self.glb.finish(about, &scene)
    }
}

impl Node {
    pub(super) fn to_json(&self) -> Json {
        let mut json = json!({});
        if !self.name.is_empty() {
            set(&mut json, "name", self.name.as_str());
        }
        let translation = finite(self.place.translation, [0.0; 3]);
        if translation != [0.0; 3] {
            set(&mut json, "translation", json!(translation));
        }
        let rotation = self.place.rotation;
        if rotation != [0.0, 0.0, 0.0, 1.0] {
            set(&mut json, "rotation", json!(unit(rotation)));
        }
        let scale = finite(self.place.scale, [1.0; 3]);
        if scale != [1.0; 3] {
            set(&mut json, "scale", json!(scale));
        }
        if let Some(mesh) = self.mesh {
            set(&mut json, "mesh", mesh);
        }
        if let Some(skin) = self.skin {
            set(&mut json, "skin", skin);
        }
        if !self.children.is_empty() {
            set(&mut json, "children", json!(self.children));
        }
        if !self.extras.is_empty() {
            set(&mut json, "extras", json!(self.extras));
        }
        json
    }
}
