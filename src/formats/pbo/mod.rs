//! PBO archives, as Bohemia's games since Operation Flashpoint load them.
//!
//! ```text
//! entries of the header, one of them a product with properties
//! entry without a name: the end
//! bytes of all members, back to back in header order
//! tail: nothing, or 00 and a checksum
//! ```
//!
//! There is no magic, no alignment and no table of offsets: a member's offset is the sum of the sizes before it. Nearly
//! all members are stored uncompressed, so a mapped archive returns them in place.
//!
//! Games load archives that were made to confuse readers: duplicate names, names with control characters, sizes beyond
//! the file, products in the middle. All of these are listed; [`verify`](crate::Inspect::verify) reports them as
//! problems.

mod archive;
mod entry;
mod member;
mod summary;
mod tail;
#[cfg(test)]
mod tests;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
mod wire;

pub use archive::Archive;
pub(crate) use archive::SCHEMA;
pub use entry::{Entries, Entry, EntryKind, Property};
pub use member::{Member, Members};
#[cfg_attr(not(feature = "scan"), allow(unused_imports))]
pub(crate) use tail::Checksum;
pub use tail::{Tail, TailKind};
pub use wire::{Fields, Method};
