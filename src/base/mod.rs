//! The base that all modules use: limits, errors, texts and format names.

pub(crate) mod code;
pub mod error;
pub(crate) mod format;
pub(crate) mod forward;
pub mod limits;
pub(crate) mod named;
pub(crate) mod no_asset;
pub(crate) mod sealed;
pub(crate) mod shown;
pub(crate) mod span;
pub(crate) mod stop;
pub(crate) mod text;
