//! The ground: names, places, limits and errors, which everything above speaks of.

pub(crate) mod code;
pub mod error;
pub(crate) mod format;
pub(crate) mod forward;
pub mod limits;
pub(crate) mod named;
pub(crate) mod sealed;
pub(crate) mod shown;
pub(crate) mod span;
pub(crate) mod text;
