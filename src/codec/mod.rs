//! Compressed streams: finding the end of one without output, and decoding it.
//!
//! Arma's files store the decoded size of a compressed stream, but not its stored size. Each codec therefore has two
//! functions: `stored_byte_len` walks the stream and finds its end, with all checks of a decoder but without
//! allocating. `decode_into` decodes it.

mod activity;
mod bounds;
#[cfg(any(feature = "bmx", feature = "zip"))]
pub(crate) mod deflate;
mod kind;
pub mod lzo;
pub mod lzss;
#[cfg(feature = "methods")]
pub(crate) mod methods;
pub(crate) mod pieces;
mod repeat;
pub mod rle;
mod streams;

pub use activity::{Activity, activity};
pub(crate) use bounds::within_limit;
pub use kind::Codec;
