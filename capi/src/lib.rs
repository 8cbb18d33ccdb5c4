//! The C interface of meshpeek. `include/meshpeek.h`, generated from this crate, is its documentation.
//!
//! One file per kind of handle: assets, sources, arrays, meshes, rigs, errors. Every function runs inside [`call::call`], which
//! turns errors and panics into a status. All unsafe code reads or writes memory of the caller.

// `clippy.toml` has the threshold.
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![allow(non_camel_case_types)]

mod array;
mod asset;
mod bytes;
mod call;
mod error;
mod export;
mod failure;
mod handle;
mod image;
mod json;
mod member;
mod mesh;
mod rig;
mod source;

/// The version of this interface. It grows whenever a function or struct changes its meaning or layout. New functions
/// do not change it.
pub const MESHPEEK_ABI: u32 = 1;

/// Returns the interface version of the library that runs. Compare it with MESHPEEK_ABI of the header.
#[unsafe(no_mangle)]
pub extern "C" fn meshpeek_abi() -> u32 {
    MESHPEEK_ABI
}

/// Returns the version of the library, such as "0.3.0".
#[unsafe(no_mangle)]
pub extern "C" fn meshpeek_version() -> *const std::ffi::c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
