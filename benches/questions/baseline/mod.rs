//! The usual way to read: the whole file into memory, every number into a `Vec`.

pub mod b3d;
pub mod lzss;
pub mod odol;
