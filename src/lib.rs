//! Looks into 3D game assets without loading them: arrays are viewed where they lie in the file, a compressed block is
//! decoded only when somebody reads it.
//!
//! ```
//! # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
//! use meshpeek::{Asset, Inspect};
//! let asset = Asset::parse(bytes)?;
//! let summary = asset.summarize();
//! println!("{}: {:?} vertices", asset.format(), summary.counts.get("vertices"));
//! # Ok::<(), meshpeek::Error>(())
//! ```
//!
//! # Where to start
//!
//! | wish | start from | what it costs |
//! | --- | --- | --- |
//! | the bytes of a file | [`FileMap::open_with`] | a read, or a map on the caller's word: see [`source`] |
//! | what a file is | [`Format::sniff`] | its first bytes |
//! | the facts that an index keeps | [`Asset::parse`], [`Inspect::summarize`] | headers and tables; compressed streams are walked to find their ends, not decoded |
//! | all that is wrong with a file | [`Inspect::verify`] | every block decoded once, one at a time; every index looked at |
//! | every part, field and array, whatever the format | [`Inspect::outline`] with a [`Visitor`](inspect::Visitor) | what the visitor reads |
//! | one array by its name, such as `meshes/0/positions` | [`inspect::Selector`], which finds a [`Table`](view::Table) | the way there, then the rows that are read |
//! | a name for every byte | [`dissect::dissect`] | each record read twice, nothing decoded |
//! | what a format's fields are called and mean | [`schema::records`] | nothing: they are constants |
//! | the views of one format | its module, such as [`b3d::Scene`](b3d/struct.Scene.html) or [`odol::Model`](odol/struct.Model.html) | what is asked for |
//! | one member of an archive, however deep | [`address::Address`](address/struct.Address.html), [`address::open_member`](address/fn.open_member.html) | that member inflated, and those around it |
//! | a file's own facts with the fewest pages touched | [`Inspect::summarize_header`] | what the format's [`Depth::Header`] reads |
//! | a view that keeps its bytes | [`OwnedAsset`](struct.OwnedAsset.html) | what opening costs, and two counters |
//! | a file of which only ranges can be had | [`ranges`] | the ranges that are needed |
//! | everything in an archive | [`visit::visit`](visit/fn.visit.html) | each member looked at, one alive at a time |
//! | folders full of archives, on all cores | [`scan::Scan`](scan/struct.Scan.html) (feature `scan`) | a summary of each asset; memory for the assets at hand |
//! | what differs between two assets | [`diff::compare`](diff/fn.compare.html) (feature `scan`) | both read, unequal arrays decoded |
//!
//! # How it fits together
//!
//! **Views.** Opening an asset reads its header and checks what else must hold for the rest to be found; it allocates
//! nothing that grows with the file. What it gives borrows from the bytes: a record is read when it is asked for, an array
//! of fixed-size elements is an [`LeArray`], cast in place, whose elements are little-endian numbers without alignment.
//! Arrays among other columns are [`Strided`](view::Strided); lists of records of varying length are a
//! [`List`](view::List), walked from the front. Names are [`ByteStr`](view::ByteStr): bytes, with a text for people made
//! on demand.
//!
//! **Blocks.** What may be compressed is a [`Block`](view::Block). It knows its count, place and stored length; a method
//! called `decode` expands it, into memory that [`Limits`] bounds, and borrows where nothing is compressed. Ballance maps
//! are the exception: their tables are inflated when first asked for, and kept.
//!
//! **Limits.** Counts and lengths in a file are claims: each is compared with the bytes that are there before anything is
//! done with it. [`Limits`] bound what one part may cost. What parts cost together (archives in archives with blocks in
//! them) is charged to a [`Budget`], which [`scan`](scan/index.html) and the program make for each outer file.
//!
//! **Problems.** What cannot be read is an [`Error`]: a kind, a stable [code](summary::Code), the offset, and the place as
//! a path such as `lods[2].faces`. Summaries and `verify` do not end at the first: they collect [`Problem`]s, and give
//! what is sound beside them. No input panics, and one damaged part leaves the others readable.
//!
//! [`Problem`]: summary::Problem
//!
//! **Indices.** Views give indices as stored, and do not look where they point: [`get`](LeArray::get) with one that leads
//! outside is `None`, never another element. `verify` holds every index to what it points into.
//!
//! # Names
//!
//! | name | is |
//! | --- | --- |
//! | `len()`, `is_empty()`, `get(index)`, `iter()` | a sequence at hand: exact, in `usize` |
//! | `count()` | how many elements a block decodes to; of a fill more than any memory holds |
//! | `..._count()` | how many things of one kind there are, where no view of them is |
//! | `..._hint()` | the file's word for something that only decoding would prove |
//! | `byte_len()`, `..._byte_len()` | a size in bytes; as a field of numbers `bytes` |
//! | `as_bytes()`, `..._bytes()`, `borrowed()` | the bytes themselves, where they lie |
//! | `to_...()`, `decode...()` | what is copied or decoded: borrowed where it need not be |
//! | `spanned()` | the same with the place of each |
//! | `name()` | the word for an `enum`'s variant; of a code as stored an `Option`, for codes without a meaning |
//!
//! What may fail and may not be there is a `Result<Option<T>>`.
//!
//! # What may grow
//!
//! Records, facts and kinds that formats add to are `#[non_exhaustive]`. Traits that only this crate implements are sealed:
//! [`Inspect`], [`Element`](view::Element), [`Layout`](view::Layout), `chunk::Header`, those of single formats. The others
//! get what they get with a default: [`Visitor`](inspect::Visitor), [`ReadAt`](ranges::ReadAt), [`Table`](view::Table), and
//! what [records](view::record) are made of. Structs without `#[non_exhaustive]` are whole as they are.
//!
//! # Spaces
//!
//! Views give what is stored, each format in its own space; the first page of each module has the same facts and more.
//!
//! | format | x, y, z | handed | front faces | V grows | quaternions | matrices | unit |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | b3d | right, up, forward | left | clockwise | down | w, x, y, z, conjugated | none | the author's |
//! | bmx | right, up, forward | left | clockwise | down | none | rows, for row vectors, translation last | the game's |
//! | lodka | right, up, backward | right | counterclockwise | up | x, y, z, w | rows, position last | the model's |
//! | mlod | right, up, forward | left | counterclockwise, normals inward | down | none | none | meter |
//! | odol | right, up, forward, from the bounding center | left | clockwise, normals inward | down | none | rows, for row vectors, position last | meter |
//! | rtm | right, up, forward; in BMTR x and z turned | left | none | none | x, y, z, w in 1/16384 | rows, for row vectors, position last | meter |
//!
//! # Features
//!
//! Each format has one, all on by default. `mmap` brings the map; `owned` keeps bytes with their views; `zlib-rs` is the faster of two DEFLATE backends. On
//! request: `serde` makes summaries serializable, `scan` finds assets in folders and archives, `cli` is the program. What
//! is gated says so.
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
// Each format uses a part of what they share.
#![cfg_attr(
    not(all(
        feature = "b3d",
        feature = "bmx",
        feature = "lodka",
        feature = "mlod",
        feature = "odol",
        feature = "rtm"
    )),
    allow(unused)
)]

#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod address;
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod asset;
pub mod budget;
mod check;
pub mod codec;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod container;
#[cfg(feature = "scan")]
pub mod diff;
pub mod dissect;
pub mod error;
pub mod format;
mod forward;
#[cfg(feature = "geometry")]
pub mod geometry;
pub mod inspect;
#[cfg(feature = "json")]
pub mod json;
pub mod limits;
mod named;
#[cfg(feature = "owned")]
mod owned;
#[cfg(feature = "geometry")]
pub mod pose;
pub mod ranges;
mod registry;
pub mod schema;
mod sealed;
mod shown;
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

#[cfg(feature = "rtm")]
#[doc(no_inline)]
pub use half;
#[cfg(feature = "serde")]
#[doc(no_inline)]
pub use serde;
#[cfg(feature = "json")]
#[doc(no_inline)]
pub use serde_json;
/// The crates whose types this one hands out or asks for: numbers as stored, casts, parsers for
/// [`Cursor::parse`](view::Cursor::parse), and with their features half floats and what writes records; those of tables
/// are in [`arrow`](arrow/index.html).
#[doc(no_inline)]
pub use {bytemuck, nom, zerocopy};

pub use asset::Asset;
pub use budget::Budget;
pub use error::{Error, ErrorKind, Result};
pub use format::Format;
pub use inspect::{Depth, Inspect};
pub use limits::Limits;
#[cfg(feature = "owned")]
pub use owned::OwnedAsset;
pub use source::{Access, FileMap};
pub use summary::Summary;
pub use view::LeArray;

/// Runs what README.md shows of the library.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
