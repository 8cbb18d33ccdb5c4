//! raP: Arma configs in binary form, such as `config.bin`, `mission.sqm` and `.rvmat`, and their text form.
//!
//! ```text
//! "\0raP", u32 0, u32 8, u32 address of the enums
//! body of the root class, then the bodies of the classes in it, depth first
//!     text parent, count, entries: classes (by address), values, arrays, ...; u32 address after the class
//! u32 count, enums: text name, u32 value
//! ```
//!
//! The packer armake2 writes no address after the classes.
//!
//! A config has no coordinate space: it describes materials and the classes of the game.
//!
//! [`Config`] reads the binary form in place, and writes it as text. [`text`] finds references in the text form, and
//! compiles it. A file with any extension may have either form; only the first four bytes distinguish them. Binary
//! configs of Operation Flashpoint store classes in another way and are rejected.

mod class;
mod codes;
mod config;
mod depth;
#[cfg(feature = "scan")]
pub(crate) mod looks;
pub(crate) mod macros;
pub(crate) mod names;
mod order;
mod summary;
#[cfg(feature = "scan")]
pub(crate) mod syntax;
pub mod text;
mod value;
mod walk;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
mod wire;
mod write_text;

pub use class::{Class, Entries, Entry};
pub use codes::{EntryKind, ValueType};
pub use config::Config;
pub(crate) use config::SCHEMA;
pub use names::kind_of;
pub use value::{Array, Item, Items, Number, Value};
pub use walk::{Step, Walk};
pub use wire::{ArrayEntry, ClassEntry, Enum, NamedEntry, ValueEntry};
