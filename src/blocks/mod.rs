//! Arrays that may be compressed: found where they lie, decoded when they are asked for.

#[cfg(feature = "scan")]
pub(crate) mod ahead;
pub mod block;
mod decoded;

pub use block::{Block, Filled};
pub use decoded::Decoded;
