//! The lists of a map, one for each kind of record.

use super::index::IndexEntry;
use super::list::List;
use super::map::Map;
use super::material::Material;
use super::mesh::Mesh;
use super::object::Object;
use super::texture::Texture;
use super::wire;
use crate::base::error::Result;
use crate::outline::Schema;
use crate::record::Fixed;

/// The records of the five tables.
pub(crate) const SCHEMA: &[&Schema] = &[
    wire::IndexStart::SCHEMA,
    IndexEntry::SCHEMA,
    Object::SCHEMA,
    Mesh::SCHEMA,
    wire::Face::SCHEMA,
    wire::FaceV10::SCHEMA,
    Material::SCHEMA,
    wire::Colors::SCHEMA,
    Texture::SCHEMA,
];

impl Map<'_> {
    /// Returns the objects. Decompresses `index.bm` on first access, and `object.bm` with the first object.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub(crate) fn objects(&self) -> Result<List<'_, Object<'_>>> {
        List::new(self)
    }

    /// Returns the meshes. Decompresses `index.bm` on first access, and `mesh.bm` with the first mesh.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub(crate) fn meshes(&self) -> Result<List<'_, Mesh<'_>>> {
        List::new(self)
    }

    /// Returns the materials. Decompresses `index.bm` on first access, and `material.bm` with the first material.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub(crate) fn materials(&self) -> Result<List<'_, Material<'_>>> {
        List::new(self)
    }

    /// Returns the textures. Decompresses `index.bm` on first access, and `texture.bm` with the first texture.
    ///
    /// # Errors
    /// Returns the errors of [`version`](Self::version).
    pub(crate) fn textures(&self) -> Result<List<'_, Texture<'_>>> {
        List::new(self)
    }
}
