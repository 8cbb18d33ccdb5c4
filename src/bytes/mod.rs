//! Bounded reading, typed arrays and chunks, all borrowed from the file.

pub mod array;
pub(crate) mod batch;
pub mod by_index;
pub mod chunk;
pub(crate) mod columns;
pub mod cursor;
pub mod math;
pub mod parser;
mod path;
pub(crate) mod shapes;

pub use array::{Column, Element, InPlace, LeArray, Packing, Scalar, Storage, Strided, StridedIter, Table, to_native};
pub use by_index::ByIndex;
pub use cursor::{Cursor, Wire};
pub use math::{Color, Quat, Vec2, Vec3};
