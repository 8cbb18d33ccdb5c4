//! Texts as stored in files, and as readable text.

mod ansi;
mod any;
pub(crate) mod borrowed;
mod folded;
mod name;

pub use ansi::{AnsiStr, to_cp1251, to_text};
pub use any::Text;
pub use borrowed::{ByteStr, Utf32Str};
pub(crate) use folded::{folded, is_same_name};
pub use name::Name;
