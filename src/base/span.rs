//! A place in a file.

/// A range of bytes, counted from the start of the asset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Span {
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}
