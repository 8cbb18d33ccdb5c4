#![doc = include_str!("../README.md")]
#![deny(unsafe_code, missing_docs, unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::cast_possible_truncation
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod address;
pub mod asset;
pub mod budget;
// Each format uses a part of it.
#[cfg_attr(not(all(feature = "b3d", feature = "bmx", feature = "odol", feature = "rtm")), allow(dead_code))]
mod check;
pub mod codec;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod container;
#[cfg(feature = "scan")]
pub mod diff;
pub mod dissect;
pub mod error;
pub mod format;
pub mod inspect;
pub mod limits;
pub mod schema;
pub mod source;
pub mod summary;
pub mod view;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod visit;

#[cfg(feature = "b3d")]
pub mod b3d;
#[cfg(feature = "bmx")]
pub mod bmx;
#[cfg(feature = "lodka")]
pub mod lodka;
#[cfg(feature = "mlod")]
pub mod mlod;
#[cfg(feature = "odol")]
pub mod odol;
#[cfg(feature = "pbo")]
pub mod pbo;
#[cfg(any(feature = "mlod", feature = "odol"))]
pub mod resolution;
#[cfg(feature = "rtm")]
pub mod rtm;
#[cfg(feature = "scan")]
pub mod scan;
#[cfg(feature = "zip")]
pub mod zip;

pub use asset::Asset;
pub use budget::Budget;
pub use error::{Error, ErrorKind, Result};
pub use format::Format;
pub use inspect::Inspect;
pub use limits::Limits;
pub use source::{Access, FileMap};
pub use summary::Summary;
pub use view::LeArray;
