//! An asset of any format: what it is, how it opens, what lies in it, and how to keep it.

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
use crate::base::forward::forward;
use crate::base::limits::Limits;
use crate::base::no_asset::NoAsset;
use crate::budget::Budget;
use crate::inspect::{Depth, Inspect, Region};
use crate::outline::Outline;
use crate::ranges::{Data, Ranges};
use crate::summary::{Problems, Summary};

pub use registry::Asset;

impl<'a> Asset<'a> {
    /// Opens the bytes as whatever format they start like. Reads the header only.
    ///
    /// # Errors
    /// [`Unrecognized`](crate::ErrorKind::Unrecognized) if they start like none. The errors of that format's `parse`.
    #[inline]
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    #[inline]
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::parse_as(Format::sniff(data), data, limits)
    }

    /// The same for a file of this name, which tells of PBO archives what their bytes may not.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_file(path: &Path, data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::parse_as(Format::of_file(path, data), data, limits)
    }

    /// Opens [ranges](crate::ranges) as whatever format they start like. PBO and zip archives take their directories,
    /// ODOL models header and tables, the others all bytes.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); [`Incomplete`](crate::ErrorKind::Incomplete) where these are not all here.
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

    /// The format that it was opened as.
    pub fn format(&self) -> Format {
        self.inner().format()
    }

    /// The same at a budget's expense: it pays for a look at the bytes and for what the asset decodes for itself.
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

    /// The same where the format is known already, or known to be none.
    pub(crate) fn parse_as(format: Option<Format>, data: &'a [u8], limits: &Limits) -> Result<Self> {
        match format {
            Some(format) => Self::open(format, data, limits),
            None => Err(NoAsset::of(data).error()),
        }
    }
}

/// Each question goes to the asset inside, those that formats answer alike too.
impl Inspect for Asset<'_> {
    forward! {
        inner:
        fn about(&self) -> (Format, &Limits, u64);
        fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary;
        fn outline(&self, out: &mut Outline<'_>);
        fn dissect(&self, out: &mut Outline<'_>);
        fn regions(&self, sink: &mut dyn FnMut(Region<'_>));
        fn digest_names(&self) -> &'static [&'static str];
        fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()>;
        fn digests(&self, names: &[&str], budget: &Budget, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<Result<()>>;
        fn kept_bytes(&self) -> u64;
    }
}
