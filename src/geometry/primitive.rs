//! The triangles of one material in one mesh.

use std::fmt;
use std::sync::OnceLock;

use super::material::Material;
use super::matrix::Matrix;
use super::values::Values;
use super::weights::Weights;
use crate::base::error::{Error, Result};
use crate::base::stop;
use crate::bytes::{Color, Vec2, Vec3};
use crate::check::Facing;
#[cfg(any(feature = "mlod", feature = "odol"))]
use crate::formats::resolution::Resolution;
use crate::outline::Text;

/// The triangles of one material in one mesh, at one place.
#[derive(Debug)]
pub struct Primitive<'a> {
    /// Where it is in the file.
    pub place: Place<'a>,
    /// The matrix from its arrays to the common [space](super), including the mirror of left-handed formats. Use
    /// [`Matrix::point`] for positions, [`Matrix::normal`] for normals and [`Matrix::direction`] for tangents.
    pub world_matrix: Matrix,
    pub(super) shape: Box<dyn Shape<'a> + 'a>,
}

/// Where a primitive is in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Place<'a> {
    /// The name of its node, object or mesh, if it has one.
    pub name: Text<'a>,
    /// Its level of detail: the index in the file's order and the resolution, which shows the purpose of the LOD.
    pub lod: Option<(usize, f32)>,
    /// The index of its model, in files with several (LODka3D); else 0.
    pub model: usize,
    /// The index of the node (b3d) or object (bmx) that shows it, or of the proxy (lodka), counted over all sets of
    /// proxies of the model. `None` if the mesh is not shown through one of these.
    pub node: Option<usize>,
    /// The index of its mesh. Primitives of one mesh share their vertex arrays. In MLOD, they have separate texture
    /// coordinates.
    pub mesh: usize,
    /// Its index among the primitives of its mesh.
    pub part: usize,
    /// True if the file says that it is drawn. In ODOL and MLOD, faces that mark the place of another model (proxies)
    /// are not drawn. In ODOL, hidden sections are not drawn either. Collision and shadow meshes are not hidden:
    /// [`is_visual`](Self::is_visual) tells them apart.
    pub visible: bool,
}

impl<'a> Place<'a> {
    pub(super) fn new(name: impl Into<Text<'a>>, mesh: usize, part: usize) -> Self {
        Self { name: name.into(), lod: None, model: 0, node: None, mesh, part, visible: true }
    }

    /// Returns true if its LOD is one seen from outside. Returns false for LODs with another purpose: collision,
    /// shadows, views of the crew. A primitive without a LOD is visual.
    ///
    /// A renderer draws the primitives that are visual and [`visible`](Self::visible), of one LOD. The finest is that of
    /// the smallest resolution in [`lod`](Self::lod).
    ///
    /// ```
    /// use meshpeek::Asset;
    /// # let bytes = std::fs::read("corpus/b3d/triangle.b3d").unwrap();
    /// for primitive in Asset::parse(&bytes)?.primitives() {
    ///     let place = primitive?.place;
    ///     assert!(place.is_visual() && place.visible && place.lod_name().is_none());
    /// }
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    pub fn is_visual(&self) -> bool {
        #[cfg(any(feature = "mlod", feature = "odol"))]
        if let Some((_, resolution)) = self.lod {
            return Resolution(resolution).is_visual();
        }
        true
    }

    /// Returns the name of its LOD, such as `Geometry`, `Shadow Volume 0`, or `2.5` for a visual one. Returns `None` if
    /// it has no LOD.
    pub fn lod_name(&self) -> Option<String> {
        #[cfg(any(feature = "mlod", feature = "odol"))]
        if let Some((_, resolution)) = self.lod {
            return Some(Resolution(resolution).to_string());
        }
        None
    }
}

/// One corner of a triangle: its indices into the arrays of its primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Corner {
    /// The index of the position. Colors, tangents and weights use the same index.
    pub position: u32,
    /// The index of the normal.
    pub normal: u32,
    /// The indices of the texture coordinates: in the first set, and in all others.
    pub uvs: [u32; 2],
}

impl Corner {
    /// A corner of a format that has one index for all arrays.
    pub(super) fn vertex(vertex: u32) -> Self {
        Self { position: vertex, normal: vertex, uvs: [vertex; 2] }
    }

    /// Returns the index of the texture coordinates in a set.
    pub fn uv(&self, set: usize) -> u32 {
        let [first, others] = self.uvs;
        if set == 0 { first } else { others }
    }
}

/// An alternative shape of a mesh: a frame of a vertex animation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Morph<'a> {
    /// The name of the animation's collection; empty if it has none.
    pub name: Text<'a>,
    /// A position for each position of the mesh, in the same space.
    pub positions: Values<'a, Vec3>,
}

/// A value computed on first use, and kept.
pub(super) type Cache<T> = OnceLock<Result<T>>;

pub(super) fn cached<T>(cache: &Cache<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    stop::kept(cache, make)
}

pub(super) type Corners<'a> = Box<dyn Iterator<Item = Result<[Corner; 3]>> + Send + 'a>;

pub(super) type TakeTriangle<'t> = &'t mut dyn FnMut([Corner; 3]) -> Result<()>;

/// The access to a primitive that each format implements.
pub(super) trait Shape<'a>: fmt::Debug + Send + Sync {
    fn positions(&self) -> Result<Values<'a, Vec3>>;
    fn vertex_count(&self) -> Result<usize> {
        Ok(self.positions()?.len())
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
    fn are_normals_smoothed(&self) -> bool {
        false
    }
    fn morphs(&self) -> Result<Vec<Morph<'a>>> {
        Ok(Vec::new())
    }
    fn is_indexed_by_corner(&self) -> bool {
        false
    }
    fn corners(&self) -> Corners<'a>;
    /// Calls `take` with each of [`corners`](Self::corners), without a box between them.
    fn each_triangle(&self, take: TakeTriangle<'_>) -> Result<()> {
        for corners in self.corners() {
            take(corners?)?;
        }
        Ok(())
    }
    /// The likely number of triangles.
    fn likely_triangles(&self) -> usize {
        0
    }
    fn weights(&self) -> Result<Option<Weights>> {
        Ok(None)
    }
    fn material(&self) -> Result<Option<Material<'a>>>;
}

impl<'a> Primitive<'a> {
    pub(super) fn new(place: Place<'a>, world_matrix: Matrix, shape: impl Shape<'a> + 'a) -> Self {
        Self { place, world_matrix, shape: Box::new(shape) }
    }

    /// Returns the positions as stored, in the space of its mesh.
    ///
    /// # Errors
    /// Returns an error if they cannot be read or decoded.
    pub fn positions(&self) -> Result<Values<'a, Vec3>> {
        self.shape.positions()
    }

    /// Returns the number of positions. Decodes nothing.
    ///
    /// # Errors
    /// Returns an error if the positions cannot be found.
    pub fn vertex_count(&self) -> Result<usize> {
        self.shape.vertex_count()
    }

    /// Returns the normals in the space of its mesh, pointing out of the body. Returns `None` if the format or the mesh
    /// has none. Reads them in place, except for ODOL and MLOD, whose stored normals point into the body.
    ///
    /// # Errors
    /// Returns an error if they cannot be read or decoded.
    pub fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        self.shape.normals()
    }

    /// Returns true if the engine computes smooth normals for a mesh that has none, as Blitz3D does. Use
    /// [`smooth_normals`](super::smooth_normals) for the same result. In the other formats, such a mesh is flat.
    pub fn are_normals_smoothed(&self) -> bool {
        self.shape.are_normals_smoothed()
    }

    /// Returns the shapes of its vertex animations, frame by frame. Only lodka has them.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn morphs(&self) -> Result<Vec<Morph<'a>>> {
        self.shape.morphs()
    }

    /// Returns for each position the directions in which u and v grow, in the space of its mesh. Only ODOL has them.
    ///
    /// # Errors
    /// Returns an error if they cannot be read or decoded.
    pub fn tangents(&self) -> Result<Option<[Values<'a, Vec3>; 2]>> {
        self.shape.tangents()
    }

    /// Returns the number of sets of texture coordinates.
    ///
    /// # Errors
    /// Returns an error if the sets cannot be found.
    pub fn uv_sets(&self) -> Result<usize> {
        self.shape.uv_sets()
    }

    /// Returns a set of texture coordinates, with v growing downwards. Returns `None` after the last set. Reads them in
    /// place in b3d and bmx.
    ///
    /// # Errors
    /// Returns an error if they cannot be read or decoded.
    pub fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        self.shape.uvs(set)
    }

    /// Returns a color for each position. Only b3d has them.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn colors(&self) -> Result<Option<Values<'a, Color>>> {
        self.shape.colors()
    }

    /// Returns true if normals and texture coordinates have separate indices (bmx, lodka and mlod). Then
    /// [`corners`](Self::corners) returns them, and [`to_welded`](Self::to_welded) merges them into one index.
    pub fn is_indexed_by_corner(&self) -> bool {
        self.shape.is_indexed_by_corner()
    }

    /// Returns the triangles as indices of positions, counterclockwise from their front in the common space. Strips,
    /// fans and quadrangles are converted to triangles. Indices out of range are returned unchanged, negative ones as
    /// [`u32::MAX`].
    pub fn triangles(&self) -> impl Iterator<Item = Result<[u32; 3]>> + Send + 'a {
        self.corners().map(|corners| Ok(corners?.map(|corner| corner.position)))
    }

    /// Returns the triangles with all indices of their corners.
    pub fn corners(&self) -> impl Iterator<Item = Result<[Corner; 3]>> + Send + 'a {
        self.shape.corners()
    }

    /// Returns the joints that move each position, in new memory. Returns `None` if no joint does. In b3d, the first
    /// call walks all nodes of the scene.
    ///
    /// # Errors
    /// Returns an error if they cannot be read or decoded.
    pub fn to_weights(&self) -> Result<Option<Weights>> {
        self.shape.weights()
    }

    /// Returns true if its normals do not point out of the front of its triangles. Some exporters invert them, or leave
    /// them in the axes of another program. Returns `false` if it has no normals. Reads every triangle.
    ///
    /// # Errors
    /// Returns an error if triangles, positions or normals cannot be read or decoded.
    pub fn has_wrong_normals(&self) -> Result<bool> {
        let Some(normals) = self.normals()? else { return Ok(false) };
        let positions = self.positions()?;
        let world = self.world_matrix;
        let turn = world.normals();
        let mut facing = Facing::default();
        for corners in self.corners() {
            let corners = corners?;
            let points = three(&positions, corners.map(|corner| corner.position));
            let normals = three(&normals, corners.map(|corner| corner.normal));
            if let (Some(points), Some(normals)) = (points, normals) {
                facing.add(points.map(|point| world.point(point)), normals.map(turn));
            }
        }
        Ok(facing.is_wrong())
    }

    /// Returns its material. Returns `None` if the file does not have one. In b3d and lodka, the first call reads the
    /// list of materials.
    ///
    /// # Errors
    /// Returns an error if the material cannot be read.
    pub fn material(&self) -> Result<Option<Material<'a>>> {
        self.shape.material()
    }
}

/// The primitives of an asset, or of a part of it.
pub type Primitives<'a> = Box<dyn Iterator<Item = Result<Primitive<'a>>> + Send + 'a>;

/// Returns the values at three indices, unless one is out of range.
fn three(values: &Values<'_, Vec3>, [a, b, c]: [u32; 3]) -> Option<[[f32; 3]; 3]> {
    Some([values.array(a as usize)?, values.array(b as usize)?, values.array(c as usize)?])
}

/// Yields an error for a part that cannot be read.
pub(super) fn one<'a>(error: Error) -> Primitives<'a> {
    Box::new(std::iter::once(Err(error)))
}
