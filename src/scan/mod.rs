//! Indexes many files: one [`Record`] for each asset in files, folders and archives.
//!
//! Threads share the work by file, and inside archives by member, so one large archive keeps all cores busy. Records
//! are not collected: the callback gets each one as soon as it is ready, and its file or member is then closed.

mod beginning;
pub(crate) mod config_names;
mod descent;
mod describe;
mod entries;
mod files;
mod found;
mod globs;
mod identity;
mod ignored;
mod in_ranges;
mod input;
mod iter;
mod known;
mod later_units;
mod left_out;
#[cfg(feature = "json")]
pub(crate) mod line;
mod lint;
mod members;
mod options;
pub(crate) mod order;
mod pending;
mod prefetch;
mod progress;
mod record;
mod run;
mod selection;
#[cfg(feature = "stores")]
pub mod stores;
pub(crate) mod target;
mod unit;
mod unit_list;
mod units;
mod walk;
mod workers;

pub use found::{Found, Sighting};
pub use globs::Globs;
pub use identity::FileId;
pub use input::{Input, Subject};
pub use iter::Iter;
pub use known::Known;
pub use options::{Scan, Views};
pub use order::add_sort_key;
pub use progress::{LeftOut, Progress};
pub(crate) use record::hex;
pub use record::{Digests, Record, time_text};
pub use selection::Selection;
pub use unit::{Unit, UnitsBy};

pub use crate::asset::stored::Stored;
pub use crate::inspect::Depth;
