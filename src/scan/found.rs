//! The results of a scan.

use std::ops::Range;
use std::path::PathBuf;

use super::record::Record;
#[cfg(doc)]
use super::selection::Selection;
use crate::asset::Asset;
use crate::base::error::Error;
use crate::budget::Budget;
#[cfg(doc)]
use crate::summary::Summary;

/// A result of a scan.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// An asset, or a file or member that looks like one by its name but is not.
    Asset(Box<Record>),
    /// A file in a folder that is not an asset and has no extension of a format. Any other file that is not an asset
    /// has a [record](Summary::is_asset).
    NoAsset(PathBuf),
    /// A file that has not changed since the scan of the [known records](super::Scan::known). Those records are still
    /// valid for it.
    Unchanged(PathBuf),
    /// A file or folder that cannot be read.
    Unreadable(Error),
    /// A later part of an archive, from a [unit](super::Unit) that does not begin at the first member. The first part
    /// has the archive's own record.
    Continued(PathBuf),
    /// A file that [`Selection::except`] excludes.
    Excluded {
        /// The file.
        path: PathBuf,
        /// True if the caller named this exact file.
        named: bool,
    },
}

/// An asset that a scan has open.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sighting<'s, 'a> {
    /// Its record.
    pub record: &'s Record,
    /// Its bytes.
    pub data: &'a [u8],
    /// The asset itself. `None` if the bytes cannot be read in the format that they or their name indicate.
    pub asset: Option<&'s Asset<'a>>,
    /// The remaining budget of its file.
    pub budget: &'s Budget,
    /// For an archive: the indices of the members that the scan visits. They have been charged to the budget.
    pub members: Range<usize>,
    /// True if this is a later part of an archive. Then the record contains only its path and format.
    pub is_continued: bool,
}
