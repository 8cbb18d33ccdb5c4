//! The records of each format: what its fields are called here and in the format's document, and what they mean.

use crate::base::format::Format;
use crate::outline::Schema;

pub use crate::outline::{FieldInfo, Type};

/// The descriptions of a format's records; none for formats that are not built in.
///
/// ```
/// # #[cfg(feature = "mlod")] {
/// use meshpeek::{Format, schema};
/// let header = schema::records(Format::Mlod)[0];
/// assert_eq!((header.name, header.byte_len()), ("FileHeader", Some(12)));
/// assert_eq!(header.fields[2].name, "lod_count");
/// # }
/// ```
pub fn records(format: Format) -> &'static [&'static Schema] {
    format.records()
}
