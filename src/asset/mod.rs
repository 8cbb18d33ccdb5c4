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
        Self::parse_in(Format::sniff(data), Data::Whole(data), limits)
    }

    /// Opens a file with this name. The name helps to recognize PBO archives whose bytes are ambiguous.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_file(path: &Path, data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::parse_file_in(path, Data::Whole(data), limits)
    }

    /// Opens [ranges](crate::ranges) in the format that they start like. [`ranges`](crate::ranges) lists the bytes that
    /// each format needs.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse), and an [`Incomplete`](crate::ErrorKind::Incomplete) error if some
    /// of these bytes are missing.
    pub fn parse_ranges(ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
        let data = Data::Parts(ranges);
        Self::parse_in(Format::sniff_in(data)?, data, limits)
    }

    /// Opens [ranges](crate::ranges) of a file with this name, like [`parse_file`](Self::parse_file).
    ///
    /// # Errors
    /// Returns the errors of [`parse_ranges`](Self::parse_ranges).
    pub fn parse_file_ranges(path: &Path, ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
        Self::parse_file_in(path, Data::Parts(ranges), limits)
    }

    /// Returns the format that the asset was opened as.
    pub fn format(&self) -> Format {
        self.about().0
    }

    /// Opens an asset and charges a budget for examining the bytes and for what the asset decodes for itself.
    #[cfg(any(feature = "pbo", feature = "zip"))]
    pub(crate) fn open_within(
        format: Option<Format>,
        data: Data<'a>,
        budget: &Budget,
    ) -> Result<(Self, crate::budget::Held)> {
        budget.charge_work(data.size())?;
        let asset = Self::parse_in(format, data, budget.limits())?;
        let kept = asset.kept_bytes();
        budget.charge_work(kept.saturating_mul(2))?;
        Ok((asset, budget.hold(kept)?))
    }

    pub(crate) fn parse_file_in(path: &Path, data: Data<'a>, limits: &Limits) -> Result<Self> {
        Self::parse_in(Format::of_file_in(path, data)?, data, limits)
    }

    /// Opens an asset whose format is already known, or known to be none.
    pub(crate) fn parse_in(format: Option<Format>, data: Data<'a>, limits: &Limits) -> Result<Self> {
        match format {
            Some(format) => Self::open(format, data, limits),
            None => Err(NoAsset::of(data.head(NoAsset::HEAD)?).error()),
        }
    }
}
