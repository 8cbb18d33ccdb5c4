//! What the fuzz targets do, as plain functions: the targets feed them, and so does `replay`, without a fuzzer.

pub mod any;
pub mod b3d;
pub mod lodka;
pub mod lzo;
pub mod lzss;

/// Every target by name.
pub const TARGETS: &[(&str, fn(&[u8]))] =
    &[("any", any::run), ("b3d", b3d::run), ("lodka", lodka::run), ("lzo", lzo::run), ("lzss", lzss::run)];
