//! The formats, one folder each, with its records, views, outline and checks.

#[cfg(feature = "b3d")]
pub mod b3d;
#[cfg(feature = "bisign")]
pub mod bisign;
#[cfg(feature = "bmx")]
pub mod bmx;
#[cfg(feature = "lodka")]
pub mod lodka;
#[cfg(feature = "mlod")]
pub mod mlod;
#[cfg(feature = "odol")]
pub mod odol;
#[cfg(feature = "paa")]
pub mod paa;
#[cfg(feature = "pbo")]
pub mod pbo;
#[cfg(feature = "rap")]
pub mod rap;
#[cfg(any(feature = "mlod", feature = "odol"))]
pub mod resolution;
#[cfg(feature = "rtm")]
pub mod rtm;
#[cfg(feature = "texheaders")]
pub mod texheaders;
#[cfg(feature = "zip")]
pub mod zip;
pub(crate) mod zip_directory;

use crate::base::error::Result;
use crate::base::format::formats;
use crate::base::limits::Limits;
use crate::ranges::{Data, Ranges};

/// Generates the functions besides `parse` that open a file in every format.
macro_rules! openings {
    ($($(#[$about:meta])* $feature:literal $asset:ident($module:ident::$type:ident) $formats:tt)+) => {$(
        #[cfg(feature = $feature)]
        impl<'a> $module::$type<'a> {
            /// Opens a file like [`parse`](Self::parse), with these limits.
            ///
            /// # Errors
            /// Returns the errors of [`parse`](Self::parse).
            pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
                Self::open(Data::Whole(data), limits)
            }

            /// Opens a file that is available only in ranges. [`ranges`](crate::ranges) lists those that it needs.
            ///
            /// # Errors
            /// Returns the errors of [`parse`](Self::parse), and [`Incomplete`](crate::ErrorKind::Incomplete) if bytes
            /// are missing.
            pub fn parse_ranges(ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
                Self::open(Data::Parts(ranges), limits)
            }
        }
    )+};
}
formats!(openings);
