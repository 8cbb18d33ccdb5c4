//! Triangles of every format through one API: [`Asset::primitives`].
//!
//! A [`Primitive`] is one draw call: the triangles of one material in one mesh, at one place in the model. The last
//! column of the table below says which arrays are read in place. A primitive's [matrix](Primitive::world_matrix) maps
//! its arrays to a common space:
//!
//! - right-handed; the model faces +Z, +Y is up, so +X is to the left of the model,
//! - in the author's units (meters in the formats of Arma),
//! - from the origin of the author's tool. ODOL stores positions from the bounding center; the matrix adds it,
//! - texture coordinates with V growing downwards from the first row of the image,
//! - triangles whose corners are counterclockwise as seen from the front, after the matrix is applied,
//! - normals that point out of the front side.
//!
//! This is the space of glTF, which most tools read. Blitz3D, Ballance and Arma are left-handed. For the first two, the
//! matrix changes the sign of x. Arma's models face -Z, so for them it changes the sign of z. LODka3D is right-handed
//! like OpenGL. LODka3D files do not say which way is up, and the matrix does not rotate them.
//!
//! In LODka3D, a proxy is a further instance of a mesh. In ODOL and MLOD, it is a face that marks the place of another
//! model.
//!
//! | format | a primitive is | joints are | in place are |
//! | --- | --- | --- | --- |
//! | b3d | a TRIS of a node's mesh | nodes | positions, normals, colors, texture coordinates |
//! | bmx | the faces of one material in an object's mesh | | positions, normals, texture coordinates |
//! | lodka | a face group of a mesh, once more for each proxy | bones of the model | positions, normals |
//! | odol | a section of a LOD; in version 7 the faces of one texture | bones of the skeleton | positions that are not compressed |
//! | mlod | the faces of one texture and material in a LOD | | positions |
//!
//! Nothing is decoded or copied before you request it. Indices are returned as stored: [`Values::get`] returns `None`
//! for an index that is out of range, and `verify` reports it.
//!
//! ```
//! use meshpeek::Asset;
//! # let bytes = std::fs::read("corpus/b3d/triangle.b3d").unwrap();
//! let asset = Asset::parse(&bytes)?;
//! for primitive in asset.primitives() {
//!     let primitive = primitive?;
//!     let (positions, world) = (primitive.positions()?, primitive.world_matrix);
//!     for triangle in primitive.triangles() {
//!         for vertex in triangle? {
//!             println!("{:?}", positions.array(vertex as usize).map(|position| world.point(position)));
//!         }
//!     }
//! }
//! # Ok::<(), meshpeek::Error>(())
//! ```

#[cfg(feature = "b3d")]
pub(crate) mod b3d;
#[cfg(feature = "bmx")]
mod bmx;
#[cfg(any(feature = "b3d", feature = "lodka", feature = "odol"))]
mod cut;
#[cfg(any(feature = "mlod", feature = "odol"))]
mod fans;
#[cfg(feature = "lodka")]
pub(crate) mod lodka;
mod material;
mod matrix;
mod mesh;
pub(crate) mod mirror;
#[cfg(feature = "mlod")]
mod mlod;
#[cfg(feature = "odol")]
mod odol;
mod primitive;
mod values;
mod weights;
mod weld;

pub use material::{Alpha, Material, Role, Texture, UvTransform, linear};
pub use matrix::{Matrix, Transform};
pub use mesh::{Mesh, smooth_normals};
pub use primitive::{Corner, Morph, Place, Primitive, Primitives};
pub use values::Values;
pub use weights::{Influence, Weights};
pub use weld::Welded;

use crate::asset::Asset;

impl Asset<'_> {
    /// Returns an iterator over all primitives, in the order of the file. It is empty for formats without triangles. A
    /// part that cannot be read yields an error. Others follow if they can be found.
    ///
    /// This inflates the tables of a Ballance map, unless they already are. In formats where each face names its
    /// material (bmx, mlod), the faces of a mesh are sorted when its first primitive is reached, which takes four bytes
    /// of memory for each face. All other data is read on request.
    pub fn primitives(&self) -> Primitives<'_> {
        match self {
            #[cfg(feature = "b3d")]
            Self::B3d(scene) => Box::new(b3d::primitives(*scene)),
            #[cfg(feature = "bmx")]
            Self::Bmx(map) => bmx::primitives(map),
            #[cfg(feature = "lodka")]
            Self::Lodka(model) => Box::new(lodka::primitives(*model)),
            #[cfg(feature = "odol")]
            Self::Odol(model) => Box::new(odol::primitives(model)),
            #[cfg(feature = "mlod")]
            Self::Mlod(model) => Box::new(mlod::primitives(*model)),
            _ => Box::new(std::iter::empty()),
        }
    }
}
