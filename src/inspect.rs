//! The interface of all formats.
//!
//! [`Inspect`] surveys, outlines and digests an asset. [`outline`](Inspect::outline) passes every part, field and array
//! to a [`Visitor`], so a program can write JSON, list arrays or check that everything is readable without knowing the
//! format.

pub mod array;
mod asset;
pub mod selector;

pub use array::Array;
#[cfg(feature = "scan")]
pub(crate) use asset::report_tear;
pub use asset::{Depth, Inspect, outline_within_limits};
pub(crate) use asset::{bound_of, no_digest};
pub use selector::Selector;

pub use crate::base::span::Span;
pub use crate::outline::Text;
pub use crate::outline::{Field, FieldValue, Outline, Part, PartArray, StoredAt, Value, Visitor, Wants, to_bytes};
