//! A walk over every chunk of a scene, depth first, without recursion.

use super::mesh::Mesh;
use super::node::{Node, NodeHead};
use super::wire::ChunkHeader;
use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::place::Locate;
use crate::bytes::Cursor;
use crate::bytes::chunk::Chunk;
use crate::record::Read as _;

/// One chunk found on a [`Walk`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The number of enclosing chunks; 1 for the children of BB3D.
    pub depth: u32,
    /// The chunk itself.
    pub chunk: Chunk<'a, ChunkHeader>,
    /// The kind of chunk.
    pub part: ChunkKind<'a>,
    /// The index of the node that contains it, or that it is.
    pub node: Option<usize>,
}

/// The kind of a chunk, determined by its tag and its parent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ChunkKind<'a> {
    /// TEXS.
    Textures,
    /// BRUS.
    Brushes,
    /// NODE.
    Node(Node<'a>),
    /// MESH.
    Mesh(Mesh<'a>),
    /// VRTS of this mesh.
    Vertices(Mesh<'a>),
    /// TRIS of this mesh.
    Triangles(Mesh<'a>),
    /// BONE, and the mesh that it refers to.
    Bone(Option<Mesh<'a>>),
    /// KEYS.
    Keys,
    /// ANIM.
    Animation,
    /// SEQS, which is not in the spec.
    Sequence,
    /// PIVO, which is not in the spec.
    Pivot,
    /// A tag that the format does not define in this place.
    Unknown,
}

/// An iterator over all chunks below BB3D in file order, parents before children.
///
/// A broken chunk is an error, and the walk continues with the chunks after it. Uses one small frame for each level of
/// nesting, up to [`Limits::depth`](crate::Limits::depth).
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// BB3D and the open chunks in it, outermost first.
    frames: Vec<Frame<'a>>,
    /// The number of nodes so far.
    nodes: usize,
    depth_limit: u32,
}

/// A chunk whose children are being walked.
#[derive(Clone, Debug)]
struct Frame<'a> {
    /// The children that are left.
    children: Cursor<'a>,
    inside: Inside<'a>,
}

/// The chunk of a frame.
#[derive(Clone, Debug)]
enum Inside<'a> {
    Scene,
    /// A node's index, and the mesh that its bones refer to so far.
    Node(usize, Option<Mesh<'a>>),
    /// The index of a mesh's node, and the mesh.
    Mesh(usize, Mesh<'a>),
}

impl<'a> Walk<'a> {
    /// Creates a walk over BB3D, with a cursor at its first chunk.
    pub(super) fn new(children: Cursor<'a>, depth_limit: u32) -> Self {
        // Enough for most scenes.
        let mut frames = Vec::with_capacity(8);
        frames.push(Frame { children, inside: Inside::Scene });
        Self { frames, nodes: 0, depth_limit }
    }

    /// Enters a chunk in the innermost frame, which is in this node or outside all nodes. Returns the item of the
    /// iterator, so that a step, which is large, is written only once.
    #[inline(always)]
    fn enter(&mut self, depth: u32, node: Option<usize>, chunk: Chunk<'a, ChunkHeader>) -> Option<Result<Step<'a>>> {
        let step = |part| Some(Ok(Step { depth, chunk, part, node }));
        let frame = self.frames.last_mut()?;
        match (&chunk.tag().0, &mut frame.inside) {
            (b"TEXS", Inside::Scene) => step(ChunkKind::Textures),
            (b"BRUS", Inside::Scene) => step(ChunkKind::Brushes),
            // A node at the root has no parent and no mesh above.
            (b"NODE", Inside::Scene) => self.enter_node(depth, None, None, chunk),
            (b"NODE", Inside::Node(_, mesh)) => {
                let mesh = *mesh;
                self.enter_node(depth, node, mesh, chunk)
            }
            (b"MESH", Inside::Node(node, above)) => {
                let mesh = match Mesh::parse(chunk).within("mesh").within_item("nodes", *node) {
                    Ok(mesh) => mesh,
                    Err(error) => return Some(Err(error)),
                };
                // The bones after this mesh refer to it.
                *above = Some(mesh);
                let frame = Frame { children: mesh.children(), inside: Inside::Mesh(*node, mesh) };
                self.frames.push(frame);
                step(ChunkKind::Mesh(mesh))
            }
            (b"BONE", Inside::Node(_, mesh)) => step(ChunkKind::Bone(*mesh)),
            (b"KEYS", Inside::Node(..)) => step(ChunkKind::Keys),
            (b"ANIM", Inside::Node(..)) => step(ChunkKind::Animation),
            (b"SEQS", Inside::Node(..)) => step(ChunkKind::Sequence),
            (b"PIVO", Inside::Node(..)) => step(ChunkKind::Pivot),
            (b"VRTS", Inside::Mesh(_, mesh)) => step(ChunkKind::Vertices(*mesh)),
            (b"TRIS", Inside::Mesh(_, mesh)) => step(ChunkKind::Triangles(*mesh)),
            _ => step(ChunkKind::Unknown),
        }
    }

    /// Enters a NODE, whose bones refer to `mesh_above` until a MESH comes. Returns the item of the iterator.
    #[inline(always)]
    fn enter_node(
        &mut self,
        depth: u32,
        parent: Option<usize>,
        mesh_above: Option<Mesh<'a>>,
        chunk: Chunk<'a, ChunkHeader>,
    ) -> Option<Result<Step<'a>>> {
        // A node that cannot be read has an index, too.
        let index = self.nodes;
        self.nodes = self.nodes.saturating_add(1);
        if depth > self.depth_limit {
            return Some(Err(
                Error::limit("levels of nested nodes", self.depth_limit, Code::DepthLimit).at(chunk.offset())
            ));
        }
        let mut children = chunk.body();
        match NodeHead::read(&mut children, ()).within_item("nodes", index) {
            Ok(NodeHead { name, transform }) => {
                self.frames.push(Frame { children, inside: Inside::Node(index, mesh_above) });
                // BB3D counts for the depth of a step, but is not an ancestor of a node.
                let node = Node { name, index, parent, depth: depth.saturating_sub(1), transform, chunk, mesh_above };
                Some(Ok(Step { depth, chunk, part: ChunkKind::Node(node), node: Some(index) }))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

/// The place in the node with this index, or outside all nodes.
#[derive(Clone, Copy)]
pub(super) struct InNode(pub(super) Option<usize>);

impl Locate for InNode {
    #[cold]
    fn locate(&self, error: Error) -> Error {
        match self.0 {
            Some(index) => error.within_item("nodes", index),
            None => error,
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Result<Step<'a>>;

    // Inlined with everything that makes a step: steps are large, and copying them took longer than the walk.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let depth = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
            let frame = self.frames.last_mut()?;
            let node = match frame.inside {
                Inside::Scene => None,
                Inside::Node(node, _) | Inside::Mesh(node, _) => Some(node),
            };
            let end = match Chunk::next(&mut frame.children) {
                Ok(Some(chunk)) => return self.enter(depth, node, chunk),
                end => end,
            };
            // The frame is done: no chunk is left in it, or the next one cannot be read.
            self.frames.pop();
            if let Err(error) = end {
                return Some(Err(InNode(node).locate(error)));
            }
        }
    }
}
