//! The records of each format: the names of their fields here and in the format's documentation, and their meanings.

use crate::base::format::Format;
pub use crate::outline::{FieldInfo, Rule, Schema, Type};

/// Returns the descriptions of a format's records, or an empty slice if the format is not built in.
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
