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
//! Each module imports only modules on lower floors. From the ground up:
//!
//! | floor | module | holds |
//! | --- | --- | --- |
//! | 0 | `base` | limits, errors and their codes, texts, the table of formats |
//! | 1 | `bytes` | cursors, arrays and chunks that borrow from the file |
//! | | [`budget`] | what a file may cost |
//! | | [`source`] | the bytes of a file, read or mapped |
//! | 2 | [`codec`] | compressed streams |
//! | | `outline` | parts, fields, arrays, and who visits them; descriptions of records |
//! | | [`ranges`] | files of which only some bytes are at hand |
//! | | [`summary`] | facts, references and problems of an asset |
//! | 3 | `record` | records described once: reading and describing them, lists of them |
//! | | `blocks` | arrays that may be compressed |
//! | | [`inspect`] | the questions that every format answers; selectors |
//! | 4 | `check` | rules that `verify` holds values to |
//! | | [`dissect`] | a name for every byte |
//! | | `json` | outlines as JSON |
//! | 5 | `formats` | a folder for each format, and the zip directory that two of them share |
//! | 6 | `asset` | recognizing and opening any format; archives, addresses in them, visits, owned assets |
//! | 7 | `diff` | differences between two assets |
//! | | `geometry` | triangles and materials of all formats in one space |
//! | 8 | `pose` | bones and animations of all formats |
//! | | `scan` | many files |
//! | 9 | `arrow` | what a scan finds, as tables |
//!
//! [`view`] shows what users need of `bytes`, `record` and `blocks`.
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
//! request: `serde` makes summaries serializable, `scan` finds assets in folders and archives. What
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

// The floors from the ground up; tests/it/floors.rs holds every import to them.
mod base;

pub mod budget;
mod bytes;
pub mod source;

pub mod codec;
mod outline;
pub mod ranges;
pub mod summary;

mod blocks;
pub mod inspect;
mod record;

mod check;
pub mod dissect;
#[cfg(feature = "json")]
pub mod json;

mod formats;

mod asset;

#[cfg(feature = "scan")]
pub mod diff;
#[cfg(feature = "geometry")]
pub mod geometry;

#[cfg(feature = "geometry")]
pub mod pose;
#[cfg(feature = "scan")]
pub mod scan;

pub use asset::schema;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub use asset::{address, container, visit};
pub use base::{error, limits};
#[cfg(feature = "b3d")]
pub use formats::b3d;
#[cfg(feature = "bmx")]
pub use formats::bmx;
#[cfg(feature = "lodka")]
pub use formats::lodka;
#[cfg(feature = "mlod")]
pub use formats::mlod;
#[cfg(feature = "odol")]
pub use formats::odol;
#[cfg(feature = "pbo")]
pub use formats::pbo;
#[cfg(any(feature = "mlod", feature = "odol"))]
pub use formats::resolution;
#[cfg(feature = "rtm")]
pub use formats::rtm;
#[cfg(feature = "zip")]
pub use formats::zip;

/// Which format some bytes are in.
pub mod format {
    pub use crate::base::format::Format;
    pub use crate::base::no_asset::NoAsset;
}

/// Bytes in place: bounded reading, typed arrays, texts and chunks that borrow from the file.
pub mod view {
    #[doc(inline)]
    pub use crate::base::text::borrowed as text;
    pub use crate::base::text::{ByteStr, Utf32Str};
    pub use crate::blocks::{Block, Decoded, Filled, block};
    pub use crate::bytes::{
        ByIndex, Color, Column, Cursor, Element, InPlace, LeArray, Packing, Quat, Scalar, Storage, Strided,
        StridedIter, Table, Vec2, Vec3, Wire, array, by_index, chunk, cursor, math, parser, to_native,
    };
    #[doc(inline)]
    pub use crate::formats::zip_directory as zip;
    pub use crate::record::{Interleaved, Layout, List, interleaved, list};

    /// Records described once: the traits and types that their descriptions are made of.
    pub mod record {
        pub use crate::outline::{FieldInfo, Schema, Type};
        pub use crate::record::{Apart, Fixed, Flat, Form, Framing, Known, Read, Record, Rest, Stored};
    }
}

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
/// [`Cursor::parse`](view::Cursor::parse), and with their features half floats and what writes records.
#[doc(no_inline)]
pub use {bytemuck, nom, zerocopy};

pub use asset::Asset;
#[cfg(feature = "owned")]
pub use asset::owned::OwnedAsset;
pub use base::error::{Error, ErrorKind, Result};
pub use base::format::Format;
pub use base::limits::Limits;
pub use budget::Budget;
pub use bytes::LeArray;
pub use inspect::{Depth, Inspect};
pub use source::{Access, FileMap};
pub use summary::Summary;

/// Runs what README.md shows of the library.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
