//! How deep a config may nest.

/// The maximum depth of nested classes, and of nested arrays. Real files have up to 9 and 4.
pub(super) const MOST_DEPTH: usize = 64;
