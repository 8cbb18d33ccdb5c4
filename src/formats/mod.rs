//! The formats, one folder each, with its records, views, outline and checks.

#[cfg(feature = "b3d")]
pub mod b3d;
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
#[cfg(feature = "zip")]
pub mod zip;
pub mod zip_directory;
