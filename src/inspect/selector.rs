//! Selectors: the path of an array through an asset's outline.
//!
//! ```text
//! meshes/0/positions                  item 0 of the list, counted from 0
//! nodes/@Arm_Left/keys/0/records      the first item with this name
//! nodes/@Arm_Left#2/keys/0/records    the third item with this name
//! ```
//!
//! The path of a problem is a selector too: `meshes[0].triangles[1]` means `meshes/0/triangles/1`. An item can also be
//! selected by the name that reports show instead of the name in the file: `lods/@Visual 1` selects `lods/@1`.
//!
//! Digits are always an index, even if an item has that name. In a name, `/`, control characters, bytes that are not
//! UTF-8, a `#` before digits at the end of the name, and a backslash before `x` are written `\xNN`. Listed selectors
//! use indices only.

mod find;
mod list;
mod path;
mod steps;
mod unread;

pub use list::{each, each_until, exists_at_other_indices, names, nearest};
pub use path::Path;
#[cfg(feature = "scan")]
pub(crate) use path::push;
pub use steps::Selector;
