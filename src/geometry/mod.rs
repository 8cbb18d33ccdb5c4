//! Triangles of every format, told alike: [`Asset::primitives`].
//!
//! A [`Primitive`] is what is drawn at once: the triangles of one material in one mesh, at one place. Its arrays are
//! those of the file wherever the bytes are what is asked, and its [matrix](Primitive::world_matrix) leads from them to
//! one space:
//!
//! - right-handed, +Y up, +Z to the front, so that +X is to the left of the model; units as the author has them (meters in
//!   the formats of Arma),
//! - texture coordinates with V growing downwards from the first row of the image,
//! - triangles counterclockwise as seen from their front, once they are in that space,
//! - normals pointing away from that side.
//!
//! It is that of glTF, which most tools read. Blitz3D, Ballance and Arma are left-handed. In the first two x changes its
//! sign, by the matrix; in Arma's, whose models face against z, z does. LODka3D is right-handed as OpenGL is; the file does
//! not say which way is up, and nothing is turned.
//!
//! | format | a primitive is | joints are | in place are |
//! | --- | --- | --- | --- |
//! | b3d | a TRIS of a node's mesh | nodes | positions, normals, colors, texture coordinates |
//! | bmx | the faces of one material in an object's mesh | | positions, normals, texture coordinates |
//! | lodka | a face group of a mesh; the same again for each proxy | bones of the model | positions, normals |
//! | odol | a section of a LOD; in version 7 the faces of one texture | bones of the skeleton | positions that are not compressed |
//! | mlod | the faces of one texture and material in a LOD | | positions |
//!
//! Nothing is decoded or copied before it is asked for. Indices are handed on as stored: [`Values::get`] is `None` for
//! one that points nowhere, `verify` tells of them.
//!
//! ```
//! use meshpeek::Asset;
//! # let bytes = std::fs::read("corpus/b3d/triangle.b3d").unwrap();
//! let asset = Asset::parse(&bytes)?;
//! for primitive in asset.primitives() {
//!     let primitive = primitive?;
//!     let (positions, world) = (primitive.positions()?, primitive.world_matrix());
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
#[cfg(feature = "lodka")]
mod lodka;
mod material;
mod matrix;
#[cfg(feature = "mlod")]
mod mlod;
#[cfg(feature = "odol")]
mod odol;
mod values;
mod weights;
mod weld;

use std::fmt;

pub use material::{Alpha, Material, Texture};
pub use matrix::{Matrix, Transform};
pub use values::Values;
pub use weights::{Influence, Weights};
pub use weld::Welded;

use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::bytes::{Color, Vec2, Vec3};
use crate::check::Facing;
use crate::outline::Text;

/// The triangles of one material in one mesh, at one place.
#[derive(Debug)]
pub struct Primitive<'a> {
    place: Place<'a>,
    world: Matrix,
    shape: Box<dyn Shape<'a> + 'a>,
}

/// Where a primitive belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Place<'a> {
    /// The name of its node, object or mesh, where it has one.
    pub name: Text<'a>,
    /// Its level of detail: the place in the file's order and the resolution, which tells what it is for.
    pub lod: Option<(usize, f32)>,
    /// The place of its model, in files with several (LODka3D); else 0.
    pub model: usize,
    /// The place of what shows it: b3d's node, bmx's object. A LODka3D mesh is shown by itself, and by proxies, which
    /// are counted from 0 over all sets of the model.
    pub node: Option<usize>,
    /// The number of its mesh. Primitives of one mesh share their arrays of vertices, but for texture coordinates of
    /// MLOD.
    pub mesh: usize,
    /// Its place among the primitives of its mesh.
    pub part: usize,
    /// Whether the file says that it is drawn. In ODOL hidden sections are not, nor faces that mark where another model
    /// is to be put.
    pub visible: bool,
}

impl<'a> Place<'a> {
    fn new(name: impl Into<Text<'a>>, mesh: usize, part: usize) -> Self {
        Self { name: name.into(), lod: None, model: 0, node: None, mesh, part, visible: true }
    }
}

/// One corner of a triangle: where its numbers are in the arrays of its primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Corner {
    /// Which of the positions; the same counts for colors, tangents and weights.
    pub position: u32,
    /// Which of the normals.
    pub normal: u32,
    /// Which of the texture coordinates, of the first set and of all others.
    pub uvs: [u32; 2],
}

impl Corner {
    /// A corner of a format that has one number for all.
    fn vertex(vertex: u32) -> Self {
        Self { position: vertex, normal: vertex, uvs: [vertex; 2] }
    }

    /// Which of the texture coordinates of a set.
    pub fn uv(&self, set: usize) -> u32 {
        let [first, others] = self.uvs;
        if set == 0 { first } else { others }
    }
}

/// Triangles, one by one.
type Corners<'a> = Box<dyn Iterator<Item = Result<[Corner; 3]>> + 'a>;

/// What a format tells of a primitive.
trait Shape<'a>: fmt::Debug + Send + Sync {
    fn positions(&self) -> Result<Values<'a, Vec3>>;
    fn vertex_count(&self) -> Result<usize> {
        self.positions().map(|positions| positions.len())
    }
    fn normals(&self) -> Result<Option<Values<'a, Vec3>>>;
    fn tangents(&self) -> Result<Option<[Values<'a, Vec3>; 2]>> {
        Ok(None)
    }
    fn uv_sets(&self) -> Result<usize>;
    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>>;
    fn colors(&self) -> Result<Option<Values<'a, Color>>> {
        Ok(None)
    }
    fn is_indexed_by_corner(&self) -> bool {
        false
    }
    fn corners(&self) -> Corners<'a>;
    fn weights(&self) -> Result<Option<Weights>> {
        Ok(None)
    }
    fn material(&self) -> Result<Option<Material<'a>>>;
}

impl<'a> Primitive<'a> {
    fn new(place: Place<'a>, world: Matrix, shape: impl Shape<'a> + 'a) -> Self {
        Self { place, world, shape: Box::new(shape) }
    }

    /// Where it belongs.
    pub fn place(&self) -> &Place<'a> {
        &self.place
    }

    /// What leads from its arrays to the [space](self) of all formats, the mirror of left-handed ones included: for
    /// positions as [`Matrix::point`], for normals as [`Matrix::normal`], for tangents as [`Matrix::direction`].
    pub fn world_matrix(&self) -> Matrix {
        self.world
    }

    /// The positions as stored, in the space of its mesh.
    ///
    /// # Errors
    /// Where they cannot be read or decoded.
    pub fn positions(&self) -> Result<Values<'a, Vec3>> {
        self.shape.positions()
    }

    /// How many positions. Decodes nothing.
    ///
    /// # Errors
    /// Where they cannot be found.
    pub fn vertex_count(&self) -> Result<usize> {
        self.shape.vertex_count()
    }

    /// The normals in the space of its mesh, pointing out of the body; `None` where the format or the mesh has none.
    /// In place, but for ODOL and MLOD, whose stored ones point into it.
    ///
    /// # Errors
    /// Where they cannot be read or decoded.
    pub fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        self.shape.normals()
    }

    /// For each position the directions in which u and v grow, in the space of its mesh; only ODOL has them.
    ///
    /// # Errors
    /// Where they cannot be read or decoded.
    pub fn tangents(&self) -> Result<Option<[Values<'a, Vec3>; 2]>> {
        self.shape.tangents()
    }

    /// How many sets of texture coordinates there are.
    ///
    /// # Errors
    /// Where they cannot be found.
    pub fn uv_sets(&self) -> Result<usize> {
        self.shape.uv_sets()
    }

    /// A set of texture coordinates, v growing downwards; `None` behind the last set. In place in b3d and bmx.
    ///
    /// # Errors
    /// Where they cannot be read or decoded.
    pub fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        self.shape.uvs(set)
    }

    /// The colors of the positions; only b3d has them.
    ///
    /// # Errors
    /// Where they cannot be read.
    pub fn colors(&self) -> Result<Option<Values<'a, Color>>> {
        self.shape.colors()
    }

    /// Whether normals and texture coordinates have numbers of their own: bmx, lodka and mlod. Then
    /// [`corners`](Self::corners) tells them, and [`to_welded`](Self::to_welded) makes one number of them.
    pub fn is_indexed_by_corner(&self) -> bool {
        self.shape.is_indexed_by_corner()
    }

    /// The triangles as places among the positions, counterclockwise from their front in the space of all formats;
    /// strips, fans and quadrangles made triangles. Numbers that point nowhere are handed on, negative ones as
    /// [`u32::MAX`].
    pub fn triangles(&self) -> impl Iterator<Item = Result<[u32; 3]>> + 'a {
        self.corners().map(|corners| Ok(corners?.map(|corner| corner.position)))
    }

    /// The triangles with all numbers of their corners.
    pub fn corners(&self) -> impl Iterator<Item = Result<[Corner; 3]>> + 'a {
        self.shape.corners()
    }

    /// Which joints move each position, in new memory; `None` where none does. In b3d this walks all nodes of the scene
    /// the first time.
    ///
    /// # Errors
    /// Where they cannot be read or decoded.
    pub fn to_weights(&self) -> Result<Option<Weights>> {
        self.shape.weights()
    }

    /// Whether its normals do not face as its triangles do: an exporter left them in the axes of another program, or
    /// turned them inside out. `false` where it has none. Looks at every triangle.
    ///
    /// # Errors
    /// Where triangles, positions or normals cannot be read or decoded.
    pub fn has_wrong_normals(&self) -> Result<bool> {
        let Some(normals) = self.normals()? else { return Ok(false) };
        let (positions, world) = (self.positions()?, self.world);
        let (turn, mut facing) = (world.normals(), Facing::default());
        for corners in self.corners() {
            let of = |corner: Corner| {
                let (position, normal) = (corner.position as usize, corner.normal as usize);
                Some((world.point(positions.array(position)?), turn(normals.array(normal)?)))
            };
            if let [Some(a), Some(b), Some(c)] = corners?.map(of) {
                facing.add([a.0, b.0, c.0], [a.1, b.1, c.1]);
            }
        }
        Ok(facing.is_wrong())
    }

    /// How it looks; `None` where the file does not say. The first time, b3d and lodka read their lists of materials.
    ///
    /// # Errors
    /// Where the material cannot be read.
    pub fn material(&self) -> Result<Option<Material<'a>>> {
        self.shape.material()
    }
}

/// Primitives, one by one.
type Boxed<'a> = Box<dyn Iterator<Item = Result<Primitive<'a>>> + 'a>;

/// What stands for a part that cannot be read.
fn one<'a>(error: Error) -> Boxed<'a> {
    Box::new(std::iter::once(Err(error)))
}

/// The primitives of an asset.
pub struct Primitives<'a>(Boxed<'a>);

impl<'a> Iterator for Primitives<'a> {
    type Item = Result<Primitive<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl fmt::Debug for Primitives<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Primitives(..)")
    }
}

impl Asset<'_> {
    /// Everything with triangles, in the order of the file; nothing for animations and archives. An error stands for a
    /// part that cannot be read; others follow where they can be found.
    ///
    /// Of a Ballance map the tables are inflated, as for any question. Where faces name their material one by one (bmx,
    /// mlod), those of a mesh are put in order when its first primitive is reached: four bytes for each. All else is read
    /// when it is asked for.
    pub fn primitives(&self) -> Primitives<'_> {
        match self {
            #[cfg(feature = "b3d")]
            Self::B3d(scene) => Primitives(Box::new(b3d::primitives(*scene))),
            #[cfg(feature = "bmx")]
            Self::Bmx(map) => Primitives(bmx::primitives(map)),
            #[cfg(feature = "lodka")]
            Self::Lodka(model) => Primitives(Box::new(lodka::primitives(*model))),
            #[cfg(feature = "odol")]
            Self::Odol(model) => Primitives(Box::new(odol::primitives(model))),
            #[cfg(feature = "mlod")]
            Self::Mlod(model) => Primitives(Box::new(mlod::primitives(*model))),
            _ => Primitives(Box::new(std::iter::empty())),
        }
    }
}

/// The triangles of faces, each with its four corners and how many of them count: as fans, in the file's order.
#[cfg(any(feature = "odol", feature = "mlod"))]
fn fans<C: Copy>(mut faces: impl Iterator<Item = Result<([C; 4], usize)>>) -> impl Iterator<Item = Result<[C; 3]>> {
    let mut second = None;
    std::iter::from_fn(move || {
        loop {
            if let Some(triangle) = second.take() {
                return Some(Ok(triangle));
            }
            match faces.next()? {
                Ok((_, ..3)) => {}
                Ok(([a, b, c, d], count)) => {
                    second = (count > 3).then_some([a, c, d]);
                    return Some(Ok([a, b, c]));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    })
}
