//! An asset of any format.

#[cfg(feature = "b3d")]
use crate::b3d;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::inspect::Inspect;
use crate::limits::Limits;

/// An opened asset of any format, borrowed from its bytes.
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
pub enum Asset<'a> {
    /// A Blitz3D scene.
    #[cfg(feature = "b3d")]
    B3d(b3d::Scene<'a>),
    /// Never met: keeps the lifetime in use where no format is built in.
    #[doc(hidden)]
    None(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
}

impl<'a> Asset<'a> {
    /// Opens the bytes as whatever format they start like. Reads the header only.
    ///
    /// # Errors
    /// [`Unrecognized`](ErrorKind::Unrecognized) where they start like none; what that format's `parse` fails with.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let format = Format::sniff(data).ok_or_else(|| Error::new(ErrorKind::Unrecognized))?;
        match format {
            #[cfg(feature = "b3d")]
            Format::B3d => b3d::Scene::parse_with(data, limits).map(Self::B3d),
            #[allow(unreachable_patterns)]
            _ => Err(Error::unsupported(format!("{}, which this build leaves out", format.title()))),
        }
    }

    /// Its format.
    pub fn format(&self) -> Format {
        match self {
            #[cfg(feature = "b3d")]
            Self::B3d(_) => Format::B3d,
            Self::None(never, _) => match *never {},
        }
    }
}

impl<'a> std::ops::Deref for Asset<'a> {
    type Target = dyn Inspect + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            #[cfg(feature = "b3d")]
            Self::B3d(scene) => scene,
            Self::None(never, _) => match *never {},
        }
    }
}
