//! The node tree: the NODE chunk.

use super::animation::{Animation, Keys, Sequence, Tracks};
use super::mesh::{Bone, Mesh};
use super::wire::{ChunkHeader, NodeFields};
use crate::base::amount::Amount;
use crate::base::error::{Context, Result};
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::chunk::{Chunk, Chunks, Tag};
use crate::record::grammar;
use crate::record::parser::{in_place, inline, text_to_nul};

grammar! {
    /// The head of NODE, before its chunks.
    NodeHead<'a> named name {
        /// Its name as stored. Several nodes may share one; some writers append more lines.
        #[label("name")] name: ByteStr<'a> = text_to_nul(),
        /// Its local coordinate system.
        transform: &'a NodeFields = inline(in_place()),
    }
}

/// An entity of the scene: a mesh, a bone, or neither (a pivot).
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The name as stored. Several nodes may share one; some writers append more lines.
    pub name: ByteStr<'a>,
    /// The index among all nodes in file order, counted from 0.
    pub index: usize,
    /// The index of the parent node.
    pub parent: Option<usize>,
    /// The number of ancestors.
    pub depth: u32,
    pub(super) transform: &'a NodeFields,
    /// The NODE chunk itself.
    pub chunk: Chunk<'a, ChunkHeader>,
    /// The mesh that bones here and below refer to, unless a nearer one comes.
    pub(super) mesh_above: Option<Mesh<'a>>,
}

impl<'a> Node<'a> {
    /// Returns its position relative to the parent node.
    pub fn position(&self) -> [f32; 3] {
        self.transform.position.to_array()
    }

    /// Returns its scale.
    pub fn scale(&self) -> [f32; 3] {
        self.transform.scale.to_array()
    }

    /// Returns its rotation as stored: w, x, y, z. See [`rotation_xyzw`] for the convention.
    pub fn rotation(&self) -> [f32; 4] {
        self.transform.rotation.to_array()
    }

    /// Returns a cursor at its first chunk.
    pub(super) fn children(&self) -> Cursor<'a> {
        let mut body = self.chunk.body();
        // A zero byte ends the name.
        let fields = Amount(self.name.len() as u64) + 1 + size_of::<NodeFields>() as u64;
        // The fields were read when the node was parsed.
        let _ = body.skip(fields.0);
        body
    }

    /// Returns its chunks in file order, including child nodes and unknown chunks.
    pub fn chunks(&self) -> Chunks<'a, ChunkHeader> {
        Chunks::new(self.children())
    }

    /// Returns its geometry, if it is a mesh. Linear in the number of its chunks, like the following methods.
    ///
    /// # Errors
    /// Returns an error if the MESH chunk ends before its own field.
    pub fn mesh(&self) -> Result<Option<Mesh<'a>>> {
        self.meshes().next().transpose()
    }

    /// Returns its MESH chunks in file order. The format expects at most one.
    pub fn meshes(&self) -> impl Iterator<Item = Result<Mesh<'a>>> + use<'a> {
        self.tagged(b"MESH").map(|chunk| Mesh::parse(chunk).within("mesh"))
    }

    /// Returns its weights, if it is a bone.
    ///
    /// # Errors
    /// Returns an error if the BONE chunk is cut short or is not a whole number of weights.
    pub fn bone(&self) -> Result<Option<Bone<'a>>> {
        self.bones().next().transpose()
    }

    /// Returns its BONE chunks in file order. The format expects at most one.
    pub fn bones(&self) -> impl Iterator<Item = Result<Bone<'a>>> + use<'a> {
        Bones { chunks: self.chunks(), mesh: self.mesh_above }
    }

    /// Returns its lists of animation keys in file order; none, one or several.
    pub fn keys(&self) -> impl Iterator<Item = Result<Keys<'a>>> + use<'a> {
        self.tagged(b"KEYS").enumerate().map(|(index, chunk)| Keys::parse(&chunk).within_item("keys", index))
    }

    /// Returns the animation that starts here, if there is one.
    ///
    /// # Errors
    /// Returns an error if the ANIM chunk does not consist of exactly its three fields.
    pub fn animation(&self) -> Result<Option<Animation>> {
        let Some(chunk) = self.tagged(b"ANIM").next() else { return Ok(None) };
        Animation::parse(&chunk).within("animation").map(Some)
    }

    /// Returns its named ranges of frames in file order, which some writers add. Not in the spec.
    pub fn sequences(&self) -> impl Iterator<Item = Result<Sequence<'a>>> + use<'a> {
        self.tagged(b"SEQS").enumerate().map(|(index, chunk)| Sequence::parse(&chunk).within_item("sequences", index))
    }

    /// Returns true if it has a PIVO chunk, with which some writers mark a pivot. Not in the spec.
    pub fn is_marked_pivot(&self) -> bool {
        self.tagged(b"PIVO").next().is_some()
    }

    /// Returns all its keys merged by frame. Allocates in proportion to them.
    ///
    /// # Errors
    /// Returns an error if one of its KEYS chunks cannot be read.
    pub fn to_tracks(&self) -> Result<Tracks> {
        let mut tracks = Tracks::default();
        for keys in self.keys() {
            tracks.add(&keys?);
        }
        Ok(tracks)
    }

    /// Returns its local transform as a matrix for column vectors: translation x rotation x scale, rows first, in the
    /// file's left-handed space. Takes the stored quaternion's convention into account.
    pub fn local_matrix(&self) -> [[f32; 4]; 3] {
        let [x, y, z, w] = rotation_xyzw(self.rotation());
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let [sx, sy, sz] = self.scale();
        let [px, py, pz] = self.position();
        let [row_x, row_y, row_z] = rotation.map(|[a, b, c]| [a * sx, b * sy, c * sz]);
        [[row_x[0], row_x[1], row_x[2], px], [row_y[0], row_y[1], row_y[2], py], [row_z[0], row_z[1], row_z[2], pz]]
    }

    /// Returns its chunks with this tag in file order. Ends without an error at a chunk whose header is cut short.
    pub(super) fn tagged(&self, tag: &'static [u8; 4]) -> impl Iterator<Item = Chunk<'a, ChunkHeader>> + use<'a> {
        self.chunks().flatten().filter(|chunk| chunk.tag() == Tag(*tag))
    }
}

/// The bones of a node.
struct Bones<'a> {
    chunks: Chunks<'a, ChunkHeader>,
    /// The mesh that the next bone refers to.
    mesh: Option<Mesh<'a>>,
}

impl<'a> Iterator for Bones<'a> {
    type Item = Result<Bone<'a>>;

    fn next(&mut self) -> Option<Result<Bone<'a>>> {
        for chunk in self.chunks.by_ref().flatten() {
            if chunk.tag().0 == *b"BONE" {
                return Some(Bone::parse(&chunk, self.mesh).within("bone"));
            }
            // The bones after a MESH refer to it. An unreadable MESH is reported by `Node::meshes`.
            if chunk.tag().0 == *b"MESH"
                && let Ok(mesh) = Mesh::parse(chunk)
            {
                self.mesh = Some(mesh);
            }
        }
        None
    }
}

/// Converts a stored rotation (w, x, y, z) to the usual convention and order: x, y, z, w with `v' = q v q*`.
///
/// Blitz3D stores the conjugate of what most libraries expect, so this negates the vector part. The identity rotation,
/// 1 0 0 0, is the same in both.
pub fn rotation_xyzw([w, x, y, z]: [f32; 4]) -> [f32; 4] {
    [-x, -y, -z, w]
}
