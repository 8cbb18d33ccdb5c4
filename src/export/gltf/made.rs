//! The meshes of a scene, before and after they are written.

use super::glb::List;

#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    pub(super) model: usize,
    pub(super) mesh: usize,
    /// True for the parts of a mesh that are not drawn.
    pub(super) hidden: bool,
    /// The node, if the vertices were moved for it.
    pub(super) node: Option<usize>,
}

/// A mesh under construction: its primitives are written, the mesh itself is not.
#[derive(Default)]
pub(super) struct UnwrittenMesh {
    pub(super) primitives: List,
    pub(super) is_skinned: bool,
    pub(super) has_loose: bool,
    /// The names of its morph targets.
    pub(super) targets: Vec<String>,
}

/// A written mesh: its index among the meshes, and whether joints move it.
#[derive(Clone, Copy)]
pub(super) struct WrittenMesh {
    pub(super) mesh: usize,
    pub(super) is_skinned: bool,
    /// True if no bone moves some of its vertices, so that they move with the mesh itself.
    pub(super) has_loose: bool,
}
