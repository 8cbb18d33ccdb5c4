//! Bytes in place: bounded reading, typed arrays, texts and chunks that borrow from the file.

#[cfg(feature = "scan")]
pub(crate) mod ahead;
pub mod array;
pub(crate) mod batch;
pub mod block;
pub mod by_index;
pub mod chunk;
#[cfg(any(feature = "b3d", feature = "lodka", feature = "odol", feature = "rtm"))]
pub(crate) mod codes;
#[cfg(any(feature = "bmx", feature = "lodka"))]
pub(crate) mod columns;
pub mod cursor;
pub mod interleaved;
// What one format needs to be described, another does not.
pub mod list;
pub mod math;
pub mod parser;
mod path;
pub mod record;
#[cfg(any(feature = "bmx", feature = "lodka", feature = "odol"))]
pub(crate) mod shapes;
pub mod text;
pub mod zip;

pub use array::{Column, Element, InPlace, LeArray, Packing, Scalar, Storage, Strided, StridedIter, Table, to_native};
pub use block::{Block, Filled};
pub use by_index::ByIndex;
pub use cursor::{Cursor, Wire};
pub use interleaved::{Interleaved, Layout};
pub use list::List;
pub use math::{Color, Quat, Vec2, Vec3};
pub use text::{ByteStr, Utf32Str};
