//! An asset of any format.

use std::path::Path;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::format::{Format, NoAsset};
use crate::inspect::{Depth, Inspect, Outline, Region};
use crate::limits::Limits;
use crate::ranges::{Data, Ranges};
use crate::summary::{Problems, Summary};

macro_rules! assets {
    ($($(#[$doc:meta])* $feature:literal $variant:ident($module:ident::$type:ident) = $format:pat,)*) => {
        /// An opened asset of any format, borrowed from its bytes. It answers what [`Inspect`] asks.
        ///
        /// ```
        /// # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
        /// use meshpeek::{Asset, Inspect};
        /// let asset = Asset::parse(bytes)?;
        /// let summary = asset.summarize();
        /// println!("{}: {} vertices", summary.format, summary.counts.get("vertices").unwrap_or(0));
        /// # Ok::<(), meshpeek::Error>(())
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        // All are views of a file; nobody holds so many at once that their sizes matter.
        #[allow(clippy::large_enum_variant)]
        pub enum Asset<'a> {
            $($(#[$doc])* #[cfg(feature = $feature)] $variant(crate::$module::$type<'a>),)*
            /// Never met: keeps the lifetime in use where no format is built in.
            #[doc(hidden)]
            Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
        }

        impl<'a> Asset<'a> {
            fn open(format: Format, data: &'a [u8], limits: &Limits) -> Result<Self> {
                // Without formats there is nothing to open.
                let _ = (data, limits);
                match format {
                    $(#[cfg(feature = $feature)] $format => {
                        match crate::$module::$type::parse_with(data, limits) {
                            Ok(asset) => Ok(Self::$variant(asset)),
                            Err(error) => Err(described(error, format, data)),
                        }
                    })*
                    #[allow(unreachable_patterns)]
                    _ => {
                        let message = format!("{}, which this build leaves out", format.title());
                        Err(Error::unsupported(message).of_format(format))
                    }
                }
            }
        }

        impl<'a> Asset<'a> {
            fn inner(&self) -> &(dyn Inspect + 'a) {
                match self {
                    $(#[cfg(feature = $feature)] Self::$variant(asset) => asset,)*
                    Self::Never(never, _) => match *never {},
                }
            }
        }
    };
}

assets! {
    /// A Blitz3D scene.
    "b3d" B3d(b3d::Scene) = Format::B3d,
    /// A Ballance map.
    "bmx" Bmx(bmx::Map) = Format::Bmx,
    /// A LODka3D model.
    "lodka" Lodka(lodka::Model) = Format::Lodka,
    /// A binarised Arma model.
    "odol" Odol(odol::Model) = Format::Odol,
    /// An MLOD model.
    "mlod" Mlod(mlod::Model) = Format::Mlod,
    /// A PBO archive.
    "pbo" Pbo(pbo::Archive) = Format::Pbo,
    /// An Arma animation.
    "rtm" Rtm(rtm::Motion) = Format::Bmtr | Format::Rtm,
    /// A zip archive.
    "zip" Zip(zip::Archive) = Format::Zip,
}

impl<'a> Asset<'a> {
    /// Opens the bytes as whatever format they start like. Reads the header only.
    ///
    /// # Errors
    /// Where they start like none: [`Unsupported`](crate::ErrorKind::Unsupported) for a Git LFS pointer, which stands for a file
    /// that is elsewhere; [`Malformed`](crate::ErrorKind::Malformed) where there is no byte;
    /// [`Unrecognized`](crate::ErrorKind::Unrecognized) for anything else. What that format's `parse` fails with.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
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
        #[cfg(any(feature = "odol", feature = "pbo", feature = "zip"))]
        let described = |error: Error, format| match error.incomplete() {
            Some(_) => error,
            None => described(error, format, data.from(0)),
        };
        match format {
            #[cfg(feature = "odol")]
            Some(format @ Format::Odol) => crate::odol::Model::parse_ranges(ranges, limits)
                .map(Self::Odol)
                .map_err(|error| described(error, format)),
            #[cfg(feature = "pbo")]
            Some(format @ Format::Pbo) => crate::pbo::Archive::parse_ranges(ranges, limits)
                .map(Self::Pbo)
                .map_err(|error| described(error, format)),
            #[cfg(feature = "zip")]
            Some(format @ Format::Zip) => crate::zip::Archive::parse_ranges(ranges, limits)
                .map(Self::Zip)
                .map_err(|error| described(error, format)),
            Some(_) => Self::parse_as(format, data.get(0..data.size())?, limits),
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
    fn format(&self) -> Format {
        self.inner().format()
    }

    fn limits(&self) -> Limits {
        self.inner().limits()
    }

    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        self.inner().survey(depth, problems)
    }

    fn outline(&self, out: &mut Outline<'_>) {
        self.inner().outline(out);
    }

    fn dissect(&self, out: &mut Outline<'_>) {
        self.inner().dissect(out);
    }

    fn size(&self) -> u64 {
        self.inner().size()
    }

    fn regions(&self, sink: &mut dyn FnMut(Region<'_>)) {
        self.inner().regions(sink);
    }

    fn digest_names(&self) -> &'static [&'static str] {
        self.inner().digest_names()
    }

    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        self.inner().digest(name, budget, sink)
    }

    fn kept_bytes(&self) -> u64 {
        self.inner().kept_bytes()
    }
}

/// The error of an asset that does not open: of this format, and of this version where the format keeps that in plain
/// sight.
#[cold]
#[allow(dead_code, reason = "without formats there is nothing to open")]
fn described(error: Error, format: Format, data: &[u8]) -> Error {
    let error = error.of_format(format);
    match stored_version(format, data) {
        Some(version) => error.of_version(version),
        None => error,
    }
}

fn stored_version(format: Format, data: &[u8]) -> Option<u32> {
    let number = |at: usize| data.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    match format {
        Format::B3d => number(8).filter(|version| i32::try_from(*version).is_ok()),
        Format::Bmtr | Format::Mlod => number(4),
        Format::Odol if data.starts_with(b"ODOL") => number(4),
        Format::Lodka => char::from(*data.get(7)?).to_digit(10),
        Format::Rtm => Some(101),
        _ => None,
    }
}
