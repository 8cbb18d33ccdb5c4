//! Everything that is tested through the public face.

mod codec;
mod corpus;
mod memory;
mod writer;

mod b3d;
#[cfg(feature = "cli")]
mod cli;
mod lodka;

// What the fuzz targets do, so that it cannot rot unseen.
#[path = "../../fuzz/src/any.rs"]
mod any;
