//! A file to scan, and what of it.

use std::path::PathBuf;

use super::unit::Unit;
use crate::asset::address::Address;
use crate::base::error::Result;
use crate::base::format::Format;

/// A file that the walk found.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    /// True if the caller named this exact file.
    pub(crate) named: bool,
    pub(crate) use_as: Use,
    /// The part of it that belongs to a unit, if units are scanned.
    pub(crate) unit: Option<Unit>,
}

/// The files below a path.
pub(crate) type Targets<'t> = Box<dyn Iterator<Item = Result<Target>> + Send + 't>;

/// How to handle a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Scan it and everything inside it.
    Whole,
    /// Scan only its contents.
    Inside,
    /// Skip it.
    Nothing,
}

impl Target {
    /// Returns the file, and the member if the caller named one.
    pub(crate) fn address(&self) -> Address {
        match self.named {
            true => Address::parse(&self.path),
            false => Address { file: self.path.clone(), member: None },
        }
    }

    /// Returns true if it has a record even if it is not an asset.
    pub(crate) fn is_expected(&self) -> bool {
        self.named && self.unit.as_ref().is_none_or(|unit| unit.named)
    }
}

/// Returns true for files that are opened to find others inside them.
pub(crate) fn is_archive(format: Option<Format>) -> bool {
    matches!(format, Some(Format::Pbo | Format::Zip))
}
