//! Bounded reading, typed arrays and chunks, all borrowed from the file.

pub(crate) mod array;
pub(crate) mod batch;
pub(crate) mod by_index;
pub mod chunk;
pub(crate) mod columns;
pub(crate) mod cursor;
pub(crate) mod math;
pub(crate) mod parser;
mod path;
pub(crate) mod shapes;
mod table;
mod wire;

pub use array::{Element, LeArray, Strided, StridedIter, to_native};
pub use by_index::ByIndex;
pub use cursor::Cursor;
pub use math::{Color, Quat, Vec2, Vec3};
pub use table::{Column, InPlace, Packing, Scalar, Storage, Table};
pub use wire::Wire;
