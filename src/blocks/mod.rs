//! Arrays that may be compressed: found in the file, decoded on access.

#[cfg(feature = "scan")]
pub(crate) mod ahead;
pub mod block;
mod decoded;

pub use block::{Block, Filled};
pub use decoded::Decoded;
