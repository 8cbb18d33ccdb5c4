//! What the fuzz targets do, as plain functions: the targets feed them, and so does `replay`, without a fuzzer.

pub mod any;
pub mod b3d;
pub mod bmx;
pub mod bmx_tables;
pub mod lzo;
pub mod lzss;
pub mod rtm;

/// Every target by name.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("any", any::run),
    ("b3d", b3d::run),
    ("bmx", bmx::run),
    ("bmx_tables", bmx_tables::run),
    ("lzo", lzo::run),
    ("lzss", lzss::run),
    ("rtm", rtm::run),
];
