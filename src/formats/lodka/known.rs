//! The parts of a model that other chunks refer to by name or index, in any order.

use std::collections::{HashMap, HashSet};

use super::content::Content;
use super::{Chunk, Kind, Node, Nodes};
use crate::base::amount::Amount;
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

/// The bytes of memory to reserve for each name in a set or map.
const NAME: u64 = 48;

impl<'a> Known<'a> {
    /// Collects the names and sizes from all chunks of a LOD1. Returns an error if `budget` has no memory for them.
    pub(super) fn of(part: &Chunk<'a>, budget: &Budget) -> Result<Self> {
        let held = budget.hold(count_names(part).saturating_mul(NAME))?;
        let mut meshes = Vec::new();
        let mut materials = HashSet::new();
        let mut collections: HashMap<AnsiStr<'a>, Option<u64>> = HashMap::new();
        // The content of a list that cannot be read is unknown.
        let mut has_all_materials = true;
        let mut has_all_collections = true;
        for node in nodes(part) {
            match (node.kind, node.content()) {
                (Kind::Mesh, Ok(Content::Mesh(mesh))) => meshes.push(Some((mesh.name, mesh.positions.len()))),
                (Kind::Mesh, _) => meshes.push(None),
                (_, Ok(Content::MaterialList(list))) => {
                    for material in list.materials.flatten() {
                        materials.insert(material.name);
                    }
                }
                (Kind::MaterialList, Err(_)) => has_all_materials = false,
                (_, Ok(Content::MorphCollections(morphs))) => {
                    for morph in morphs.collections() {
                        // A second collection with this name must have as many frames as the first.
                        let frames = collections.entry(morph.name).or_insert(Some(morph.frame_count));
                        if *frames != Some(morph.frame_count) {
                            *frames = None;
                        }
                    }
                }
                (Kind::MorphCollections, Err(_)) => has_all_collections = false,
                _ => {}
            }
        }
        let is_whole = is_whole(part);
        Ok(Self {
            meshes: if is_whole { Some(meshes) } else { None },
            materials: if is_whole && has_all_materials { Some(materials) } else { None },
            collections: if is_whole && has_all_collections { Some(collections) } else { None },
            _held: Some(held),
        })
    }

    /// Returns the number of meshes, or a number above all others if it is unknown.
    pub(super) fn mesh_count(&self) -> u64 {
        match &self.meshes {
            Some(meshes) => meshes.len() as u64,
            None => u64::MAX,
        }
    }

    /// Returns the name and vertex count of the mesh at `index`, or `None` if it does not exist or is unknown.
    pub(super) fn mesh(&self, index: i32) -> Option<(AnsiStr<'a>, usize)> {
        *self.meshes.as_ref()?.get(usize::try_from(index).ok()?)?
    }

    /// Returns true if there is a material with this name, if the name is empty, or if the materials are unknown.
    pub(super) fn has_material(&self, name: AnsiStr<'_>) -> bool {
        match &self.materials {
            Some(materials) => name.is_empty() || materials.contains(&name),
            None => true,
        }
    }
}

/// Returns true if the model has all bytes that its chunks claim.
fn is_whole(part: &Chunk<'_>) -> bool {
    for node in Nodes::part(part, 0) {
        let Ok(node) = node else { return false };
        if node.body().is_err() {
            return false;
        }
    }
    true
}

/// Returns the chunks of a model whose headers can be read.
fn nodes<'a>(part: &Chunk<'a>) -> impl Iterator<Item = Node<'a>> {
    Nodes::part(part, 0).flatten()
}

/// Returns the number of names that [`Known::of`] keeps in a set or map, repeated ones included: those of materials and
/// collections.
fn count_names(part: &Chunk<'_>) -> u64 {
    let mut names = Amount(0);
    for node in nodes(part) {
        names += match node.content() {
            Ok(Content::MaterialList(list)) => list.materials.flatten().count(),
            Ok(Content::MorphCollections(morphs)) => morphs.collections().count(),
            _ => 0,
        };
    }
    names.0 as u64
}
