//! Files that are not in the file system, such as those of an object store.
//!
//! A [`Scan`](super::Scan) with [`stores`](super::Scan::stores) reads such files by ranges. Records are those of the
//! same bytes in a file, except for the path and the stamp. With [`Depth::Header`](crate::Depth::Header) it reads the
//! directory of an archive and the beginning of each member, and checks no CRC-32. With
//! [`Depth::Summary`](crate::Depth::Summary) it reads a PBO or zip member by member. For
//! [`Depth::Verify`](crate::Depth::Verify), for digests and for all other files it reads the whole file. It reads at
//! most [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) of a file at once, and takes as much memory again to join
//! a member that arrives in several pieces, or a file of up to 16 MiB.

mod fetch;
mod first_reads;
mod place;
mod plan;
mod run;
mod store;
mod unread;
mod walk;

pub use store::{Listed, Retry, Stored, Stores};
pub(super) use unread::Unread;
