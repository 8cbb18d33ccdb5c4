//! The records of each format: what its fields are called here and in the format's document, and what they mean.

use crate::format::Format;
use crate::view::record::Schema;

pub use crate::view::record::{FieldInfo, Type};

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
    match format {
        #[cfg(feature = "b3d")]
        Format::B3d => crate::b3d::SCHEMA,
        #[cfg(feature = "bmx")]
        Format::Bmx => crate::bmx::SCHEMA,
        #[cfg(feature = "rtm")]
        Format::Bmtr => crate::rtm::BINARISED,
        #[cfg(feature = "rtm")]
        Format::Rtm => crate::rtm::PLAIN,
        #[cfg(feature = "mlod")]
        Format::Mlod => crate::mlod::SCHEMA,
        #[cfg(feature = "lodka")]
        Format::Lodka => crate::lodka::SCHEMA,
        #[cfg(feature = "odol")]
        Format::Odol => crate::odol::SCHEMA,
        #[cfg(feature = "pbo")]
        Format::Pbo => crate::pbo::SCHEMA,
        #[cfg(feature = "zip")]
        Format::Zip => crate::view::zip::SCHEMA,
        #[allow(unreachable_patterns)]
        _ => &[],
    }
}
