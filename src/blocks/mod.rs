//! Arrays that may be compressed: found in the file, decoded on access.

pub(crate) mod block;
mod decoded;
#[cfg(feature = "scan")]
pub(crate) mod stream_cache;

pub use block::{Block, Filled};
pub use decoded::Decoded;
