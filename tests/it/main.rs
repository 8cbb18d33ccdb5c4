//! Everything that is tested through the public face.

mod codec;
mod writer;
