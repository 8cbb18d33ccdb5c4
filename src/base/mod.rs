//! The base that all modules use: limits, errors, texts and format names.

pub(crate) mod amount;
pub(crate) mod code;
pub(crate) mod delegate;
pub(crate) mod error;
pub(crate) mod extension;
pub(crate) mod format;
pub(crate) mod impl_fmt;
pub(crate) mod limits;
pub(crate) mod no_asset;
pub(crate) mod place;
pub(crate) mod sealed;
pub(crate) mod span;
pub(crate) mod stop;
pub(crate) mod text;
pub(crate) mod word_enum;
