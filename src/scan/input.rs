//! The input of a scan, and the subject of a record.

use std::fmt;
use std::path::{Path, PathBuf};

#[cfg(doc)]
use super::options::Scan;
use super::unit::Unit;
use crate::asset::Asset;
use crate::asset::address::{Content, Opened};
use crate::base::error::Result;
use crate::ranges::{Ranges, ReadAt};

/// The files that a [scan](Scan::run) reads.
#[non_exhaustive]
pub enum Input<'i> {
    /// The paths that the scan was [created](Scan::new) with. A file that two of them lead to is read and reported twice.
    Paths,
    /// Paths that arrive one by one, such as the lines of a list. Each is processed as soon as it arrives. An error in
    /// place of a path is a result of the scan.
    List(&'i mut (dyn Iterator<Item = Result<PathBuf>> + Send)),
    /// [Units](Scan::plan). A file that has changed since its unit was made is not read, which is a result of the scan.
    /// Units of one archive that follow each other, as in a plan, share one open file. For other units the archive is
    /// opened again, as often as its [`Limits::work`](crate::Limits::work) allows.
    Units(&'i mut (dyn Iterator<Item = Result<Unit>> + Send)),
    /// The bytes of one file. The path need not exist: it only names the file in records. With one [job](Scan::jobs),
    /// the scan uses no folders, files or threads.
    Bytes {
        /// The name of the file.
        path: &'i Path,
        /// All of its bytes.
        data: &'i [u8],
    },
    /// One file of which only ranges are available. The scan reads only the ranges that the records take: at
    /// [`Depth::Header`](super::Depth::Header) few of them, and those of up to 256 members at once.
    ///
    /// The records and their order are those of a scan of the whole file with one [job](Scan::jobs), with two
    /// exceptions. If the header of a deflated member suffices, its checksum is not checked. And the
    /// [limits](crate::Limits::work) on work count for each 256 members. The scan calls no `view`, and its progress does
    /// not count.
    Ranges {
        /// The name of the file.
        path: &'i Path,
        /// The size of the file, and the ranges that are available already.
        ranges: Ranges,
        /// Reads the other ranges.
        source: &'i dyn ReadAt,
    },
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Paths => "Paths",
            Self::List(_) => "List",
            Self::Units(_) => "Units",
            Self::Bytes { .. } => "Bytes",
            Self::Ranges { .. } => "Ranges",
        };
        formatter.debug_struct(name).finish_non_exhaustive()
    }
}

/// The subject of a [record](Scan::record). Bytes convert into it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Subject<'s> {
    /// The bytes of a file, which need not be an asset.
    Bytes(&'s [u8]),
    /// An asset that you have opened, and the bytes of its file.
    Asset(&'s [u8], &'s Asset<'s>),
    /// An asset that you have opened from [ranges](crate::ranges). Verifying and digests need all bytes, so the record is
    /// at most of [`Depth::Summary`](super::Depth::Summary), without digests. Ask for it in
    /// [`Ranges::ask`](crate::ranges::Ranges::ask) or [`load`](crate::ranges::Ranges::load).
    Ranges(&'s Asset<'s>),
    /// The target of an [address](crate::address) in the file. A scan of the whole file gives the same record.
    Opened(&'s Opened<Content<'s>>),
}

impl<'s, B: AsRef<[u8]> + ?Sized> From<&'s B> for Subject<'s> {
    fn from(bytes: &'s B) -> Self {
        Self::Bytes(bytes.as_ref())
    }
}
