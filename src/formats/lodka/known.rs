//! The parts of a model that other chunks refer to by name or index, in any order.

use std::collections::{HashMap, HashSet};

use super::content::Content;
use super::{Chunk, Kind, Nodes};
use crate::base::error::Result;
use crate::base::text::AnsiStr;
use crate::budget::{Budget, Held};

/// Names and sizes of the parts that others refer to.
#[derive(Default)]
pub(super) struct Known<'a> {
    /// Names and vertex counts of the meshes, `None` for one that cannot be read. `None` as a whole if a chunk is cut
    /// short, because other meshes may have followed.
    pub(super) meshes: Option<Vec<Option<(AnsiStr<'a>, usize)>>>,
    /// The names of the materials. `None` if a chunk is cut short.
    materials: Option<HashSet<AnsiStr<'a>>>,
    /// The collections of morph animations by name, with their number of frames: `None` if several collections with the
    /// same name have different numbers. `None` as a whole if a chunk is cut short.
    pub(super) collections: Option<HashMap<AnsiStr<'a>, Option<u64>>>,
    /// The reserved memory for the names, which may be short and numerous.
    _held: Option<Held>,
}

/// The maximum memory of a name in a set.
const NAME: u64 = 48;

impl<'a> Known<'a> {
    /// Collects them from all chunks of a LOD1.
    pub(super) fn of(part: &Chunk<'a>, budget: &Budget) -> Result<Self> {
        let nodes = || Nodes::part(part, 0).flatten();
        let contents = || nodes().filter_map(|node| node.content().ok());
        let lists = || {
            contents().filter_map(|content| match content {
                Content::MaterialList(list) if list.kind != 0 => Some(list.materials.flatten()),
                _ => None,
            })
        };
        let collections = || {
            let morphs = contents().filter_map(|content| match content {
                Content::MorphCollections(morphs) => Some(morphs.collections()),
                _ => None,
            });
            morphs.flatten()
        };
        let names = lists().flatten().count().saturating_add(collections().count()) as u64;
        let held = budget.hold(names.saturating_mul(NAME))?;
        let whole = Nodes::part(part, 0).all(|node| node.is_ok_and(|node| node.body().is_ok()));
        // The content of a list that cannot be read is unknown.
        let is_read = |kind| whole && nodes().all(|node| node.kind != kind || node.content().is_ok());
        let meshes = nodes().filter(|node| node.kind == Kind::Mesh).map(|node| match node.content() {
            Ok(Content::Mesh(mesh)) => Some((mesh.name, mesh.positions.len())),
            _ => None,
        });
        let names = lists().flatten().map(|material| material.name);
        let mut frames: HashMap<AnsiStr<'a>, Option<u64>> = HashMap::new();
        for morph in collections() {
            let known = frames.entry(morph.name).or_insert(Some(morph.frame_count));
            *known = known.filter(|count| *count == morph.frame_count);
        }
        Ok(Self {
            meshes: whole.then(|| meshes.collect()),
            materials: is_read(Kind::MaterialList).then(|| names.collect()),
            collections: is_read(Kind::MorphCollections).then_some(frames),
            _held: Some(held),
        })
    }

    /// Returns the number of meshes, or a number above all others if it is unknown.
    pub(super) fn mesh_count(&self) -> u64 {
        self.meshes.as_ref().map_or(u64::MAX, |meshes| meshes.len() as u64)
    }

    /// Returns the name and vertex count of a mesh.
    pub(super) fn mesh(&self, index: i32) -> Option<(AnsiStr<'a>, usize)> {
        *self.meshes.as_ref()?.get(usize::try_from(index).ok()?)?
    }

    /// Returns true if there is a material with this name, if the name is empty, or if the materials are unknown.
    pub(super) fn has_material(&self, name: AnsiStr<'_>) -> bool {
        name.is_empty() || self.materials.as_ref().is_none_or(|materials| materials.contains(&name))
    }
}
