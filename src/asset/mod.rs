//! An asset of any format: recognizing it, opening it, reaching the assets inside it, and keeping it.

#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod address;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod container;
#[cfg(feature = "owned")]
pub(crate) mod owned;
mod registry;
pub mod schema;
pub(crate) mod sniff;
#[cfg(feature = "scan")]
pub(crate) mod stored;
#[cfg(any(feature = "pbo", feature = "zip"))]
pub mod visit;

use std::path::Path;

use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::no_asset::NoAsset;
use crate::budget::Budget;
use crate::inspect::Inspect;
use crate::ranges::{Data, Ranges};

pub use registry::Asset;

impl<'a> Asset<'a> {
    /// Opens the bytes in the format that they start like. Reads only the header.
    ///
    /// # Errors
    /// Returns an [`Unrecognized`](crate::ErrorKind::Unrecognized) error if no format matches. Otherwise returns the
    /// errors of that format's `parse`.
    #[inline]
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// Opens the bytes like [`parse`](Self::parse), with the given limits.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    #[inline]
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::parse_as(Format::sniff(data), data, limits)
    }

    /// Opens a file with this name. The name helps to recognize PBO archives whose bytes are ambiguous.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_file(path: &Path, data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::parse_as(Format::of_file(path, data), data, limits)
    }

    /// Opens [ranges](crate::ranges) in the format that they start like. PBO and zip archives need their directories,
    /// ODOL models their header and tables, and all other formats all bytes.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse), and an [`Incomplete`](crate::ErrorKind::Incomplete) error if some
    /// of these bytes are missing.
    pub fn parse_ranges(ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
        let data = Data::Parts(ranges);
        let format = Format::sniff_in(data)?;
        match format {
            Some(format) => Self::open_ranges(format, ranges, limits)
                .map_err(|error| registry::described(error, format, data.from(0))),
            None => {
                data.get(0..data.size().min(4096))?;
                Err(NoAsset::of(data.from(0)).error())
            }
        }
    }

    /// Opens ranges in this format.
    #[cfg(any(feature = "pbo", feature = "zip"))]
    pub(crate) fn open_as(format: Format, ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
        Self::open_ranges(format, ranges, limits)
            .map_err(|error| registry::described(error, format, Data::Parts(ranges).from(0)))
    }

    /// Returns the format that the asset was opened as.
    pub fn format(&self) -> Format {
        self.about().0
    }

    /// Opens an asset and charges a budget for examining the bytes and for what the asset decodes for itself.
    #[cfg(any(feature = "pbo", feature = "zip"))]
    pub(crate) fn open_within(
        format: Option<Format>,
        data: &'a [u8],
        budget: &Budget,
    ) -> Result<(Self, crate::budget::Held)> {
        budget.work(data.len() as u64)?;
        let asset = Self::parse_as(format, data, budget.limits())?;
        let kept = asset.kept_bytes();
        budget.work(kept.saturating_mul(2))?;
        Ok((asset, budget.hold(kept)?))
    }

    /// Opens an asset whose format is already known, or known to be none.
    pub(crate) fn parse_as(format: Option<Format>, data: &'a [u8], limits: &Limits) -> Result<Self> {
        match format {
            Some(format) => Self::open(format, data, limits),
            None => Err(NoAsset::of(data).error()),
        }
    }
}
