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
mod table;
mod wire;

pub use array::{Element, LeArray, Strided, StridedIter, to_native};
pub use by_index::ByIndex;
pub use cursor::Cursor;
pub use math::{Color, Quat, Vec2, Vec3};
pub use table::{Column, InPlace, Packing, Scalar, Storage, Table};
pub use wire::Wire;
