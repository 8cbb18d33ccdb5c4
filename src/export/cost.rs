//! What building a model or a picture costs.

/// The cost of building a vertex or triangle, in bytes of work.
pub(super) const CORNER_WORK: u64 = 64;

/// The cost of a primitive, in bytes of work, and its memory.
pub(super) const PRIMITIVE_WORK: u64 = 256;

pub(super) const PRIMITIVE_BYTES: u64 = 768;
