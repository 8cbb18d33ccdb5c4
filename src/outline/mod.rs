//! Outlines: the parts, fields and arrays of an asset of any format, passed to a [`Visitor`].

mod numbers;
mod part;
mod schema;
mod sink;
mod value;
mod visitor;

pub use crate::base::text::Text;
pub(crate) use numbers::{Numbers, next};
pub use part::{Field, FieldValue, Part, PartArray, StoredAt};
pub(crate) use schema::rows_of;
pub use schema::{FieldInfo, Rule, Schema, Type};
pub(crate) use sink::{Silent, Sink};
pub use value::Value;
pub(crate) use visitor::Bound;
pub use visitor::{Outline, Visitor, Wants, to_bytes};
