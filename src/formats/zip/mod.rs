//! Zip archives, as containers of other files.
//!
//! ```text
//! each file: a header, its name, its bytes
//! directory: an entry for each file
//! end record, comment
//! ```
//!
//! The directory is read in place and decides which files there are. In an archive that is cut before its directory,
//! the headers are read instead, and that is an error in its record. Uncompressed files are slices of the archive;
//! deflated ones are inflated on access. Spec: PKWARE APPNOTE 4.3.

mod archive;
#[cfg(test)]
mod claims_tests;
mod headers;
mod member;
#[cfg(feature = "names")]
pub(crate) mod names;
mod overlap;
mod summary;
#[cfg(test)]
pub(crate) mod tests;

pub use archive::Archive;
#[cfg(feature = "scan")]
pub(crate) use archive::Sound;
pub(crate) use member::Checksum;
pub use member::{Member, Members, Method};
#[cfg(feature = "names")]
pub use names::read_names_as;

pub(crate) use crate::formats::zip_directory::SCHEMA;
pub use crate::formats::zip_directory::{CentralEntry, Directory, Entries, LocalEntry};
