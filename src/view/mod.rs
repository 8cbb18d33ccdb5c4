//! Bytes in place: bounded reading, typed arrays, texts and chunks that borrow from the file.

pub mod array;
pub mod block;
pub mod chunk;
pub mod cursor;
pub mod math;
mod path;
pub mod text;
#[cfg(any(feature = "b3d", feature = "rtm"))]
pub(crate) mod wire;
pub mod zip;

pub use array::{Column, Element, LeArray, Packing, Scalar, Storage, Strided, Table};
pub use block::{Block, Filled};
pub use cursor::{Cursor, Wire};
pub use math::{Color, Quat, Vec2, Vec3};
pub use text::{ByteStr, Utf32Str};
