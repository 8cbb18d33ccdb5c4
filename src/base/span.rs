//! A range of bytes in a file.

/// A range of bytes, counted from the start of the asset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Span {
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
}

impl Span {
    /// Creates the range of this many bytes from `offset` on.
    pub const fn new(offset: u64, bytes: u64) -> Self {
        Self { offset, bytes }
    }

    /// Returns the offset after the last byte.
    pub fn end(self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}
