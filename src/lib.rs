//! Inspects 3D game assets without loading them.
//!
//! Assets are models, animations, textures, configs and archives of games. Arrays are read in place. Compressed blocks
//! are decoded only on access.
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
//! | task | start from | cost |
//! | --- | --- | --- |
//! | get the bytes of a file | [`FileMap::open_with`] | a read, or a memory map if you opt in: see [`source`] |
//! | read a stream, such as a pipe, a socket or a decoder of yours | [`FileMap::from_reader`] | a copy in memory, up to [`Limits::decoded_bytes`] |
//! | open bytes in memory | [`Asset::parse`]; with a name, [`Asset::parse_file`] | the header |
//! | recognize a format | [`Format::sniff`] | the first bytes |
//! | get the facts for an index | [`Inspect::summarize`] | headers and tables; compressed streams are walked to find their ends, not decoded |
//! | find every problem in a file | [`Inspect::verify`]; [`Inspect::survey`], to learn also which members of an archive it cannot check | every block is decoded, one at a time; every index is checked |
//! | list every part, field and array of an asset | [`Inspect::outline`] with a [`Visitor`](inspect::Visitor) | what the visitor reads |
//! | get one array by its name, such as `meshes/0/positions` | [`inspect::Selector`], which finds a [`Table`](view::Table) | the path to the array, then the rows that are read |
//! | name the field of every byte | [`dissect::dissect`] | records are read twice; compressed blocks are not decoded |
//! | look up a format's field names and meanings | [`schema::records`] | nothing: they are constants |
//! | read one format through types of its own | its module, such as [`b3d::Scene`](b3d/struct.Scene.html) or [`odol::Model`](odol/struct.Model.html) | what you request |
//! | list the members of an archive | [`container::Container::of`](container/enum.Container.html#method.of), then `members` | the directory |
//! | open one member of an archive, or of an archive in it | [`address::Address`](address/struct.Address.html), [`address::open_member`](address/fn.open_member.html) | that member and the archives around it are inflated |
//! | get only the facts at the start of a file | [`Inspect::summarize_header`] | what the format's [`Depth::Header`] reads |
//! | keep an opened asset together with its bytes | [`OwnedAsset`](struct.OwnedAsset.html) | the cost of opening, and two reference counters |
//! | read a file of which you have only some bytes, as over HTTP | [`ranges`] | the ranges that are needed |
//! | scan an archive of which only byte ranges are available | [`scan::Input::Ranges`](scan/enum.Input.html#variant.Ranges) | at header depth, a few KiB of each asset |
//! | visit every asset in an archive | [`visit::visit`](visit/fn.visit.html) | each member is opened, one at a time |
//! | scan folders full of archives on all cores | [`scan::Scan`](scan/struct.Scan.html) (feature `scan`), as an [iterator](scan/struct.Scan.html#method.iter) or with a callback | a summary of each asset; memory for the assets being processed |
//! | show the progress of a scan | [`scan::Progress`](scan/struct.Progress.html) | an atomic counter |
//! | cancel | [`Until`] for work on a thread; [`scan::Progress::stop`](scan/struct.Progress.html#method.stop), or dropping the iterator, for a scan | a flag that is read every few milliseconds of work |
//! | bound memory, work and results | [`Limits`] for each part, a [`Budget`] for a whole file | a few atomic counters |
//! | use an asset on other threads | [`Asset`] is `Send` and `Sync`; without a lifetime, [`OwnedAsset`](struct.OwnedAsset.html) | two reference counters |
//! | get triangles and materials in one coordinate space | [`geometry`](geometry/index.html) (feature `geometry`) | the arrays that are read |
//! | get bones, clips and poses | [`pose`](pose/index.html) (feature `geometry`) | the tracks that are sampled |
//! | write facts, outlines and arrays as JSON | [`json`](json/index.html) (feature `json`) | what is written |
//! | make Arrow and Parquet tables | the crate `meshpeek-tables` | a summary of each asset |
//! | write a model as glTF, or draw it | [`export`](export/index.html) (feature `export`) | triangles, textures and keys are decoded |
//! | find the file that each asset means, equal assets, or differences of folders | [`answers`](answers/index.html) (feature `scan`) | one or two scans; the names of files and assets are kept |
//! | compare two assets | [`diff::compare`](diff/fn.compare.html) (feature `scan`) | both are read; unequal arrays are decoded |
//! | read a format of your own | [`view`]: cursors, arrays and blocks, and nom's parsers with those of [`grammar`]; [more](#extensibility) | what you request |
//!
//! # How it fits together
//!
//! Each module imports only from modules on lower levels. From the bottom up:
//!
//! | level | module | contains |
//! | --- | --- | --- |
//! | 0 | `base` | limits, errors and their codes, texts, the table of formats |
//! | 1 | `bytes` | cursors, arrays and chunks that borrow from the file |
//! | | [`budget`] | bounds on the total cost of a file |
//! | | [`source`] | the bytes of a file, read or mapped |
//! | 2 | [`codec`] | compressed streams |
//! | | `outline` | parts, fields, arrays, and the visitors of them; descriptions of records |
//! | | [`ranges`] | files from which only some bytes are available |
//! | | [`summary`] | facts, references and problems of an asset |
//! | 3 | `record` | records, each described once: reading and describing them, lists of them |
//! | | `blocks` | arrays that may be compressed |
//! | | [`inspect`] | the operations common to all formats; selectors |
//! | 4 | `check` | rules that `verify` checks values against |
//! | | [`dissect`] | a name for every byte |
//! | 5 | `json` | outlines and dissections as JSON |
//! | 6 | `formats` | a folder for each format, and the zip directory that two of them share |
//! | 7 | `asset` | recognizing and opening any format; archives, addresses in them, owned assets |
//! | 8 | `diff` | differences between two assets |
//! | | `geometry` | triangles and materials of all formats in one coordinate space |
//! | | [`visit`](visit/index.html) | the walk over an asset and everything inside it |
//! | 9 | `pose` | bones and animations of all formats |
//! | | `scan` | many files |
//! | 10 | `answers` | references, equal assets and differences among many files |
//! | 11 | `export` | models as glTF, OBJ and PLY, and pictures of them |
//!
//! [`view`] re-exports the public parts of `bytes`, `record` and `blocks`.
//!
//! The way of a byte, from a path to a record:
//!
//! ```text
//! a path, an address, a URL         scan      finds the files, and shares them among threads
//!   | FileMap, Ranges               source    reads or maps a file; ranges fetches parts of it
//!   | Format::sniff                 asset     recognizes the format by the first bytes
//!   | Asset::parse                  formats   opens a view that borrows from the bytes
//!   |   Cursor, LeArray             bytes     checks each length, and casts arrays in place
//!   |   Record, Block               record    reads fields by their parsers; blocks decodes on demand
//!   | Inspect::survey               inspect   counts, references and problems; check has the rules
//!   |   Container::members          visit     of an archive: each member begins again at Format::sniff
//!   | Summary                       summary   the facts of an asset
//! a Record                          scan      with path, member, digests and stamp
//! ```
//!
//! **Views.** A view is a value that gives access to a part of a file, such as a mesh. It borrows from the bytes.
//! Opening an asset reads its header and only what is needed to find the rest. It makes no allocation that grows with
//! the file. A record (a group of fields) is read on access. An array of fixed-size elements is an [`LeArray`]: a slice
//! of the file, whose elements are little-endian numbers without alignment. Arrays interleaved with other columns are
//! [`Strided`](view::Strided). Lists of records of varying length are a [`List`](view::List), which is walked from its
//! start. Names are [`ByteStr`](view::ByteStr): bytes that are converted to readable text on demand.
//!
//! **Blocks.** An array that may be compressed is a [`Block`](view::Block). It knows its count, offset and stored
//! length. Its `decode` method expands it into memory bounded by [`Limits`], or borrows if the array is not compressed.
//! Ballance maps are the exception: their tables are inflated on first access and kept.
//!
//! **Limits.** Counts and lengths in a file may be wrong. Each is compared with the available bytes before it is used.
//! [`Limits`] bound the cost of a single part. A [`Budget`] bounds the total cost of all parts, such as blocks in
//! archives in archives. [`scan`](scan/index.html) and the program make a budget for each file, which its members
//! share.
//!
//! **Problems.** A part that cannot be read yields an [`Error`]: a kind, a stable [code](summary::Code), the offset,
//! and the location as a path such as `lods[2].faces`. Summaries and `verify` do not stop at the first error. They
//! collect [`Problem`]s and also return the facts that can be read. No input causes a panic, and one damaged part
//! leaves the others readable.
//!
//! [`Problem`]: summary::Problem
//!
//! **Indices.** Views return indices as stored, without checking them. [`get`](LeArray::get) returns `None` for an
//! out-of-range index, never another element. `verify` checks every index against its target.
//!
//! # Names
//!
//! | name | meaning |
//! | --- | --- |
//! | `len()`, `is_empty()`, `get(index)`, `iter()` | a sequence in memory: exact, in `usize` |
//! | `count()` | the number of elements that a block decodes to; a block that repeats one value may have more than fit in memory |
//! | `..._count()` | the number of items of which there is no list, such as `point_count()` |
//! | `..._hint()` | a value that the file states and that only decoding can confirm |
//! | `byte_len()`, `..._byte_len()` | a size in bytes; a struct's field for it is called `bytes` |
//! | `as_bytes()`, `..._bytes()`, `borrowed()` | the bytes themselves, in place |
//! | `to_...()`, `decode...()` | copied or decoded data; borrowed if no copy is needed |
//! | `spanned()` | the same values, each with its byte range |
//! | `name()` | the fixed name of an `enum`'s variant; for a stored code an `Option`, `None` if the code has no meaning |
//!
//! A method that may fail and whose value may be absent returns `Result<Option<T>>`.
//!
//! # Extensibility
//!
//! Types that grow with new formats are `#[non_exhaustive]`. Traits that only this crate implements are sealed:
//! [`Inspect`], [`Element`](view::Element), [`Layout`](view::Layout), `chunk::Header`, and those of single formats. You
//! may implement the others: [`Visitor`](inspect::Visitor), [`ReadAt`](ranges::ReadAt) and [`Table`](view::Table).
//! New methods of these have a default. Structs without `#[non_exhaustive]` get no new fields.
//!
//! A format of your own can use the parts of [`view`], [`grammar`], [`codec`] and [`budget`], and read records that this crate
//! knows (`examples/grammar.rs`). Because [`Inspect`] is sealed, it cannot become an [`Asset`], so scans, reports, tables,
//! geometry and export do not see it.
//!
//! # Coordinate spaces
//!
//! Views return values as stored, in each format's own space. `none` means that the format stores no such values. The
//! docs of each format's module have the details.
//!
//! | format | x, y, z | handed | front faces | V grows | quaternions | matrices | unit |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | b3d | right, up, forward | left | clockwise | down | w, x, y, z, conjugated | none | the author's |
//! | bmx | right, up, forward | left | clockwise | down | none | rows, for row vectors, translation last | the game's |
//! | lodka | right, up, backward | right | counterclockwise | up | x, y, z, w | rows, position last | the model's |
//! | mlod | right, up, forward | left | counterclockwise, normals inward | down | none | none | meter |
//! | odol | right, up, forward, from the bounding center | left | clockwise, normals inward | down | none | rows, for row vectors, position last | meter |
//! | rtm | right, up, forward; in BMTR x and z reversed | left | none | none | x, y, z, w in 1/16384 | rows, for row vectors, position last | meter |
//!
//! For Arma's formats, right and forward are directions of the game's world; its models face backward.
//!
//! # Features
//!
//! Each format has a feature; `formats`, on by default, enables all. `mmap` (memory maps) and `owned`
//! ([`OwnedAsset`](struct.OwnedAsset.html)) are on by default, too. Off by default: `serde` makes summaries
//! serializable, `json` writes JSON, `scan` finds assets in folders and archives, `stores` in object stores of yours,
//! `geometry` gives triangles, materials, bones and poses, and `export` writes them as glTF and draws them. The docs of
//! an item name the feature that it needs.
//!
//! The crate needs `std`, also without features. Errors carry `io::Error` and paths, and threads wait in a [`Budget`] for
//! each other. The maps from names in files hash with random keys, so that no file can make its names collide; maps
//! without `std` would be slower or lack that.
#![deny(unsafe_code, missing_docs, unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::cast_possible_truncation,
        // `clippy.toml` has the threshold.
        clippy::too_many_lines
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Each format uses only some of the shared items.
#![cfg_attr(not(feature = "formats"), allow(unused, unreachable_pub))]

// The levels from the bottom up. tests/it/floors.rs checks every import against them.
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
#[cfg(all(feature = "bisign", feature = "pbo"))]
pub mod signatures;

#[cfg(feature = "scan")]
pub mod diff;
#[cfg(feature = "geometry")]
pub mod geometry;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod visit;

#[cfg(feature = "geometry")]
pub mod pose;
#[cfg(feature = "scan")]
pub mod scan;

#[cfg(feature = "scan")]
pub mod answers;

#[cfg(feature = "export")]
pub mod export;

pub use asset::schema;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub use asset::{address, container};
pub use formats::*;

/// Names for the part of a file in which an [`Error`] was found.
pub mod error {
    pub use crate::base::error::Context;
}

/// Bytes of no known [`Format`].
pub mod format {
    pub use crate::base::no_asset::NoAsset;
}

/// Bytes in place: bounded reading, typed arrays, texts and chunks that borrow from the file.
pub mod view {
    pub use crate::base::text::{ByteStr, Utf32Str};
    pub use crate::blocks::{Block, Decoded, Filled};
    pub use crate::bytes::math::Rotation;
    pub use crate::bytes::{
        ByIndex, Color, Column, Cursor, Element, InPlace, LeArray, Packing, Quat, Scalar, Storage, Strided,
        StridedIter, Table, Vec2, Vec3, Wire, chunk, to_native,
    };
    pub use crate::record::list::Entries;
    pub use crate::record::{Interleaved, Layout, List};
}

/// Parsers for a grammar of your own, to combine with those of [`nom`]: [`Cursor`](view::Cursor) is an input of nom,
/// and [`Error`] the error of its parsers. `examples/grammar.rs` reads a container of its own.
///
/// Most records have a `parser`, such as that of `b3d::Texture`. If a record depends on the file around it, its
/// parser takes the context of the format: `odol::Layout`, `paa::Layout` or `mlod::Form`. A record that depends on the
/// record around it, such as the stage of a material, has no public parser: read the record around it. The records of
/// Ballance maps and LODka3D models are read through [outlines](inspect) and [geometry] alone.
///
/// This module has the parsers that belong to no record:
///
/// ```
/// use meshpeek::grammar::cstr;
/// use meshpeek::nom::{Parser, bytes::complete::tag, multi::length_count, number::complete::le_u16};
/// use meshpeek::view::Cursor;
///
/// let mut cursor = Cursor::new(b"NAME\x05\0\x02\0a\0bc\0");
/// let grammar = (tag("NAME"), le_u16, length_count(le_u16, cstr));
/// let (_, number, names) = cursor.parse(grammar)?;
/// assert_eq!((number, names.len()), (5, 2));
/// # Ok::<(), meshpeek::Error>(())
/// ```
pub mod grammar {
    pub use crate::bytes::parser::{ReadFn, Reading, bytes, cstr, in_place, reading};
    pub use crate::record::Of;
}

/// Assertions of the fuzz targets about records that are not public. Each takes the bytes of a file, or a map, and
/// panics if what holds for all files does not hold for this one.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing {
    #[cfg(feature = "bmx")]
    pub use crate::formats::bmx::invariants::{check as bmx, check_map as bmx_map};
    #[cfg(feature = "lodka")]
    pub use crate::formats::lodka::invariants::check as lodka;
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
/// The crates whose types appear in this crate's API: stored numbers, casts, parsers for
/// [`Cursor::parse`](view::Cursor::parse), and, with their features, half floats and serialization.
#[doc(no_inline)]
pub use {bytemuck, nom, zerocopy};

pub use asset::Asset;
#[cfg(feature = "owned")]
pub use asset::owned::OwnedAsset;
pub use base::error::{Error, ErrorKind, Result};
pub use base::format::Format;
pub use base::limits::Limits;
pub use base::stop::Until;
pub use budget::Budget;
pub use bytes::LeArray;
pub use inspect::{Depth, Inspect};
pub use source::{Access, FileMap};
pub use summary::Summary;

/// Runs the library examples of README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
