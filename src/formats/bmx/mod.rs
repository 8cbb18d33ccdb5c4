//! Ballance maps, `.bmx`: five tables in a zip, after BM specification 1.4.
//!
//! | entry of the zip | holds |
//! | --- | --- |
//! | `index.bm` | VERSION, then NAME, TYPE and OFFSET of every record of the other four |
//! | `object.bm` | the objects: mesh or component, world matrix, visibility, groups |
//! | `mesh.bm` | the meshes: positions, texture coordinates, normals, faces |
//! | `material.bm` | the materials: colors, switches, texture |
//! | `texture.bm` | the textures: file name, and whether the game has the image |
//! | `Texture/` and a file name | an image embedded in the map |
//!
//! Objects refer to their mesh, faces to their material and materials to their texture by index: the position among the
//! index entries of that TYPE.
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z forward |
//! | handedness | left |
//! | front faces | clockwise |
//! | V | down from the top: 0 is the upper edge; programs write the negated V of Blender |
//! | quaternions | none |
//! | matrices | row by row, for row vectors (p' = p M), the translation in the last row |
//! | units | those of the game |
//!
//! [`axes`] converts points, texture coordinates, triangles and matrices to those of 3ds Max and Blender and back.
//!
//! The records have no types of their own here: [`outline`](crate::Inspect::outline) passes their fields and arrays to a
//! [visitor](crate::inspect::Visitor), and [`geometry`](crate::geometry) has the meshes in the common space.
//!
//! Opening reads the zip's directory. A table is inflated on first access, once for a [`Map`], into memory that the map
//! owns and its views borrow. An uncompressed table is read in place. Images are inflated on demand and not kept.
//! Nothing else is copied, and nothing is written.
//!
//! Supports versions 10 to 14. Version 14 has two layouts, distinguished by the size of `material.bm`: programs of
//! April 2022 wrote materials of 57 bytes, all later ones write 61.
//!
//! The images of external textures and the models of [`Component`]s are in the game, not in the file.
//!
//! Inflating uses flate2 with zlib-rs, which is pure Rust. Summarizing a map with a mesh table of 77 MB (17 MB in the
//! file) takes 181 ms.
// Only geometry, exports and scans read some of the records.
#![cfg_attr(not(all(feature = "export", feature = "scan")), allow(dead_code, unused_imports))]

mod archive;
pub mod axes;
mod component;
mod index;
#[cfg(feature = "fuzzing")]
pub(crate) mod invariants;
mod list;
mod map;
mod material;
mod mesh;
mod object;
mod outline;
mod records;
mod summary;
mod table;
mod texture;
mod verify;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
pub(crate) mod wire;

pub(crate) use archive::Entry;
pub use component::Component;
pub(crate) use index::{IndexEntry, IndexPlace};
pub(crate) use list::{List, Placed};
pub use map::Map;
pub(crate) use material::Material;
pub(crate) use mesh::{Faces, Mesh};
pub(crate) use object::Object;
pub(crate) use records::SCHEMA;
pub(crate) use table::Kind;
pub use table::Tables;
pub(crate) use texture::Texture;
