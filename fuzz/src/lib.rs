//! The fuzz targets as plain functions, called by the fuzzer's targets and by `replay` without a fuzzer.

#[path = "../../tests/it/memory.rs"]
pub mod memory;
mod peers;
mod recipe;
mod seeds;
mod views;
#[path = "../../tests/it/writer/mod.rs"]
mod writer;

pub use seeds::seeds;

macro_rules! targets {
    ($($name:ident)*) => {
        $(pub mod $name;)*

        /// Every target by name.
        pub const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::run)),*];
    };
}

targets! {
    any
    b3d
    b3d_peer
    bisign
    bmx
    bmx_tables
    config_macros
    config_text
    exports
    geometry
    inflate
    lodka
    lua
    lzo
    lzss
    odol
    mlod
    model_cfg
    models
    names
    nested
    paa
    pbo
    rap
    refs
    rtm
    stores
    texheaders
    zip
    zip_lies
    zip_peer
}
