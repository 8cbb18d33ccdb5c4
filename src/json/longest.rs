//! How long a text may be.

/// The maximum length of a text in bytes. Longer ones are cut.
pub const LONGEST_TEXT: usize = 1 << 16;
