//! Texts as stored in files, and as readable text.

#[cfg(feature = "lodka")]
mod ansi;
pub mod borrowed;
#[cfg(any(feature = "pbo", feature = "zip"))]
mod folded;
mod name;

#[cfg(feature = "lodka")]
pub use ansi::{AnsiStr, to_cp1251, to_text};
pub use borrowed::{ByteStr, Utf32Str};
#[cfg(any(feature = "pbo", feature = "zip"))]
pub(crate) use folded::{folded, is_same_name};
pub use name::{Name, StoredText};
