//! Blitz3D scenes, `.b3d`.
//!
//! A file is one chunk BB3D. A chunk is a tag, a length and a body of that length, which may contain chunks:
//!
//! ```text
//! BB3D  version
//!   TEXS  textures: name, flags, blend, position, scale, rotation
//!   BRUS  brushes: name, color, shininess, blend, fx, indices of textures
//!   NODE  name, position, scale, rotation
//!     MESH  brush
//!       VRTS  vertices: position [normal] [color] [texture coordinates]
//!       TRIS  brush, triangles: three vertices each
//!     BONE  weights: vertex, weight
//!     KEYS  animation keys: frame [position] [scale] [rotation]
//!     ANIM  flags, frames, frames per second
//!     SEQS  a named range of frames; PIVO  empty: both are not in the spec, only some writers add them
//!     NODE  ...
//! ```
//!
//! No counts are stored; a list ends with its chunk. Chunks may come in any order, but chunks that others refer to by
//! index come first. Unknown chunks are skipped and can be listed ([`Scene::walk`]).
//!
//! Numbers are little-endian, nothing is aligned.
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z forward |
//! | handedness | left |
//! | front faces | clockwise |
//! | V | down from the top |
//! | quaternions | w, x, y, z; the conjugate of the usual ([`rotation_xyzw`]) |
//! | matrices | none stored; a node's is translation x rotation x scale ([`Node::local_matrix`]) |
//! | units | the author's |
//!
//! Reading allocates nothing but one small frame for each level of nodes.

mod animation;
mod bounds;
mod material;
mod mesh;
mod node;
mod outline;
mod summary;
mod verify;
mod walk;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
pub(crate) mod wire;

pub use animation::{Animation, KeyLayout, Keys, Sequence, Tracks};
pub use material::{
    Brush, BrushBlend, BrushFx, Brushes, Material, Materials, Texture, TextureBlend, TextureFlags, Textures,
};
pub use mesh::{Bone, Mesh, TexCoords, TriangleList, Triangles, Vertices, WeightList};
pub use node::{Node, NodeHead, rotation_xyzw};
pub use walk::{ChunkKind, Step, Walk};
pub use wire::{NativeWeight, NodeFields, Triangle, VertexLayout, Weight};

use nom::Parser as _;
use nom::error::context;

use crate::base::error::{Context as _, Error, Result};
use crate::base::limits::Limits;
use crate::bytes::Cursor;
use crate::bytes::chunk::{Chunk, Chunks, Header as _, Tag};
use crate::bytes::parser::in_place;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;
use wire::{ChunkHeader, SceneHead};

/// The records of a scene.
pub(crate) const SCHEMA: &[&Schema] = &[
    ChunkHeader::SCHEMA,
    SceneHead::SCHEMA,
    Texture::SCHEMA,
    wire::BrushListHead::SCHEMA,
    Brush::SCHEMA,
    NodeHead::SCHEMA,
    wire::NodeFields::SCHEMA,
    wire::MeshHead::SCHEMA,
    Vertices::SCHEMA,
    wire::VertexLayout::SCHEMA,
    mesh::VERTEX,
    TriangleList::SCHEMA,
    wire::Triangle::SCHEMA,
    WeightList::SCHEMA,
    wire::Weight::SCHEMA,
    Keys::SCHEMA,
    animation::KEY,
    wire::AnimationFields::SCHEMA,
    Sequence::SCHEMA,
];

/// The offset of the body of BB3D, and that of the chunks in it, which follow the version.
const BODY: u64 = size_of::<ChunkHeader>() as u64;
const CHILDREN: u64 = BODY.saturating_add(size_of::<SceneHead>() as u64);

/// Returns the chunk if it is BB3D.
fn expect_scene(chunk: Chunk<'_, ChunkHeader>) -> Result<Chunk<'_, ChunkHeader>> {
    if chunk.tag() == Tag(*b"BB3D") { Ok(chunk) } else { Err(Error::malformed("does not start with BB3D")) }
}

/// Returns the version if this reader supports it. As in the spec, the major version is version / 100, and only major
/// version 0 is supported.
fn known_version(head: &SceneHead) -> Result<i32> {
    match head.version.get() {
        version @ ..100 => Ok(version),
        version => Err(Error::unsupported(format!("Blitz3D scene of version {version}, newer than this reader"))),
    }
}

/// A Blitz3D scene, borrowed from its bytes.
///
/// ```
/// # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
/// let scene = meshpeek::b3d::Scene::parse(bytes)?;
/// for node in scene.nodes() {
///     let node = node?;
///     if let Some(mesh) = node.mesh()? {
///         for position in mesh.vertices()?.positions().iter() {
///             println!("{}: {:?}", node.name, position.to_array());
///         }
///     }
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    data: Data<'a>,
    header: &'a ChunkHeader,
    version: i32,
    limits: Limits,
}

impl<'a> Scene<'a> {
    /// Opens a scene: reads only the header of BB3D and its version. A file that is cut short opens; missing data is
    /// reported when it is accessed, and by `verify`.
    ///
    /// # Errors
    /// Returns an error if the bytes do not start with BB3D, end before the version, or have a newer major version.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a scene like [`parse`](Self::parse), with these limits, of a file that may be available only in ranges.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let start = Cursor::new(data.head(CHILDREN)?).parse(Chunk::parser().map_res(expect_scene))?;
        let version = start.body().parse(context("version", in_place()).map_res(known_version))?;
        Ok(Self { data, header: start.header(), version, limits: *limits })
    }

    /// Returns the offset after the chunk BB3D, at most the size of the file.
    fn end(&self) -> u64 {
        BODY.saturating_add(self.header.byte_len_hint().into()).min(self.data.size())
    }

    /// Returns a cursor at the first chunk below BB3D.
    fn children(&self) -> Cursor<'a> {
        let mut children = self.chunk().body();
        match children.skip(CHILDREN.saturating_sub(BODY)) {
            Ok(()) => children,
            // Does not happen: the version was read when the scene was opened.
            Err(_) => Cursor::with_offset(&[], CHILDREN),
        }
    }

    /// Returns the version as stored: major x 100 + minor. 1 in all known files.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// Returns the textures, in the order in which brushes number them.
    pub fn textures(&self) -> Textures<'a> {
        Textures::within(self.data, CHILDREN..self.end())
    }

    /// Returns the brushes, in the order in which triangles number them.
    pub fn brushes(&self) -> Brushes<'a> {
        Brushes::within(self.data, CHILDREN..self.end())
    }

    /// Returns an iterator over all nodes in file order, parents before children. The spec allows one root; several are
    /// listed.
    ///
    /// A node that cannot be read, or a chunk next to nodes that cannot be read, is an error; the others follow.
    pub fn nodes(&self) -> impl Iterator<Item = Result<Node<'a>>> + use<'a> {
        self.walk().filter_map(|step| match step {
            Ok(Step { part: ChunkKind::Node(node), .. }) => Some(Ok(node)),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        })
    }

    /// Returns a walk over every chunk below BB3D, depth first.
    pub fn walk(&self) -> Walk<'a> {
        Walk::new(self.children(), self.limits.depth)
    }

    /// Returns the chunks directly below BB3D.
    pub fn chunks(&self) -> Chunks<'a, ChunkHeader> {
        Chunks::new(self.children())
    }

    /// Returns the BB3D chunk itself.
    pub fn chunk(&self) -> Chunk<'a, ChunkHeader> {
        Chunk::of(self.header, self.data.rest(BODY))
    }

    /// Returns the error of a scene that claims more bytes than the file has.
    pub(crate) fn cut(&self) -> Option<Error> {
        let claimed = u64::from(self.header.byte_len_hint());
        let left = self.data.size().saturating_sub(BODY);
        if claimed > left { Some(Error::truncated(claimed, left).at(BODY).within("length")) } else { None }
    }

    /// Returns the bytes after BB3D, which are not part of the scene; none in all known files.
    pub fn trailing(&self) -> &'a [u8] {
        self.data.rest(self.end()).rest()
    }
}
