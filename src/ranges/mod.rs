//! Files from which only byte ranges are available: in an object store, over HTTP, in a browser.
//!
//! [`Ranges`] holds the available ranges. [`Asset::parse_ranges`](crate::Asset::parse_ranges) opens an asset in them, and
//! so does the method of that name of each format's view. Ask questions through [`Ranges::ask`], [`Ranges::load`] or
//! [`load_async`], which return complete answers only. If bytes are missing, `ask` fails with
//! [`Incomplete`](crate::ErrorKind::Incomplete), and [`Error::incomplete_ranges`](crate::Error::incomplete_ranges) returns all ranges that are known to
//! be needed. Add them and ask again. Missing bytes are never replaced by other data.
//!
//! Methods that you call directly on an asset, outside `ask`, report missing bytes as errors or problems: as
//! `Incomplete`, or as the end of the file where a walk reaches them.
//!
//! # Needed ranges
//!
//! Recognizing a file needs its first 11 bytes; up to 4 KiB more if they are a text; up to 64 KiB if they may be a PBO
//! without properties. Recognizing a zip needs the same ranges as opening it. The table lists the further ranges, by
//! format and [`Depth`](crate::Depth).
//!
//! | format | to open | then [`Header`](crate::Depth::Header) | then [`Summary`](crate::Depth::Summary) |
//! | --- | --- | --- | --- |
//! | b3d | 12 bytes | the chunks TEXS and BRUS, and 8 bytes of each chunk beside them | all |
//! | bmx | the last 65,557 bytes, the zip's directory | `index.bm` | the tables `object.bm`, `mesh.bm` and `texture.bm` that have records |
//! | lodka | 20 bytes | 12 bytes of each chunk, of those beside it, and of those in it, to the third level | all |
//! | odol | the header and tables; all in version 7 | nothing | all LODs |
//! | bmtr, rtm | the bytes before the first frame | nothing | all |
//! | mlod | 12 bytes | nothing | all |
//! | paa | the bytes before the first mip | 11 bytes of each mip | all |
//! | rap | 16 bytes | nothing | all |
//! | texheaders | 12 bytes | nothing | all |
//! | bikey, bisign | the key | the signatures | nothing |
//! | pbo | the header | nothing | the bytes after the members |
//! | zip | the last 65,557 bytes, the directory; all if it is lost | nothing | nothing |
//!
//! [`Verify`](crate::Depth::Verify) needs all bytes. Where the size of a header is unknown, the
//! [first read](Ranges::with_first_read) requests 4 KiB, and further ones at least double the bytes; that of a PBO grows by
//! what its first members suggest, at most eightfold. A damaged header may take all bytes, because more of them could complete it.
//!
//! # Archives
//!
//! A stored member is a [section](Ranges::section) of its archive. A deflated member is inflated as far as its bytes are
//! available, so a question about its header needs only its beginning; its checksum and size are then not checked. A
//! member packed with LZSS is needed whole. All of this nests. [`visit_ranges`](../visit/fn.visit_ranges.html) passes the
//! assets in an archive, [`open_member_ranges`](../address/fn.open_member_ranges.html) opens one, and
//! [`Input::Ranges`](../scan/enum.Input.html#variant.Ranges) makes the records of a scan.
//!
//! With blocking reads, [`Ranges::load`] continues until there is an answer:
//!
//! ```
//! use meshpeek::ranges::{Ranges, ReadAt};
//! use meshpeek::{Asset, Inspect, Limits};
//! # let store = [&b"a.txt\0"[..], &[0; 16], &[0, 0, 9, 0], &[0; 21], &[7; 0x9_0000]].concat();
//! let mut ranges = Ranges::new(store.byte_len()?); // of anything that implements `ReadAt`
//! let limits = Limits::default();
//! let summary = ranges.load(&store, |ranges| Ok(Asset::parse_ranges(ranges, &limits)?.summarize_header()))?;
//! assert_eq!(summary.counts.get("members"), Some(1));
//! assert!(ranges.held() < ranges.byte_len() / 10);
//! # Ok::<(), meshpeek::Error>(())
//! ```
//!
//! Otherwise, fetch the ranges in any way, and ask again:
//!
//! ```
//! # use meshpeek::{Asset, Limits, ranges::Ranges};
//! # let store = b"BB3D\x04\0\0\0\x01\0\0\0".to_vec();
//! # let fetch = |range: std::ops::Range<u64>| std::future::ready(store[range.start as usize..range.end as usize].to_vec());
//! # pollster::block_on(async {
//! # let mut ranges = Ranges::new(12);
//! let format = loop {
//!     match ranges.ask(|ranges| Ok(Asset::parse_ranges(ranges, &Limits::default())?.format())) {
//!         Ok(format) => break format,
//!         Err(error) => {
//!             if error.incomplete().is_none() {
//!                 return Err(error);
//!             }
//!             for range in error.incomplete_ranges() {
//!                 ranges.add(range.start, fetch(range.clone()).await);
//!             }
//!         }
//!     }
//! };
//! # Ok(()) }).unwrap();
//! ```

mod asked;
mod data;
mod fetch;
mod parts;
mod read_at;
mod set;

#[cfg_attr(not(feature = "odol"), allow(unused_imports))]
pub(crate) use self::data::{Data, missing};
pub use self::fetch::{Fetch, load_async};
pub use self::read_at::{ReadAt, Section};
pub use self::set::Ranges;
