//! What a scan looks for, and how.

#[cfg(feature = "stores")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::known::Known;
use super::progress::Progress;
use super::record::hex;
use super::selection::Selection;
#[cfg(feature = "stores")]
use super::stores::Stores;
use super::unit::UnitsBy;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::inspect::Depth;
use crate::source::Access;

/// A scan over files and folders.
///
/// ```
/// use meshpeek::Format;
/// use meshpeek::scan::{Depth, Found, Scan};
/// let mut scan = Scan::new(["corpus"]);
/// scan.depth = Depth::Header;
/// scan.formats = vec![Format::Odol, Format::Mlod];
/// let models = scan.iter()?.filter(|found| matches!(found, Found::Asset(_)));
/// assert!(models.count() > 0);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    pub(crate) paths: Vec<PathBuf>,
    /// Which files to scan in folders.
    pub selection: Selection,
    /// The depth to which each asset is read.
    pub depth: Depth,
    /// True to check also what each asset needs to work in its game, at [`Depth::Verify`]. The problems have codes of the
    /// class `lint`.
    pub lint: bool,
    /// True to inflate only the beginning of a zip member where [`Depth::Header`] needs no more. The member's checksum
    /// and size are then not checked, and it is not passed to `view`. Ranges and stores always do this.
    pub beginnings: bool,
    /// How much of each asset the callback `view` of [`run`](Self::run) reads. This changes no result, only
    /// how long the scan takes.
    pub views: Views,
    /// The formats of assets to scan; all if it is empty. An archive that could not all be read has a record nevertheless,
    /// because it may have such members; so does data in no known format whose name does not promise another format.
    pub formats: Vec<Format>,
    /// True to compute the digests that identify each asset's content.
    pub digests: bool,
    /// True to scan inside archives.
    pub archives: bool,
    /// The number of files and members to process at once, 256 at most. `None` uses one job per core.
    pub jobs: Option<usize>,
    /// How each file's bytes are accessed. They are read, unless the caller [opts in](Access::map_large) to maps.
    pub access: Access,
    /// True to prefetch members of mapped archives, once a thread has had to wait for data from the disk.
    pub read_ahead: bool,
    /// The limits for each asset, and for each file together with its members.
    pub limits: Limits,
    /// Opens the paths that are not in the file system, such as URLs.
    #[cfg(feature = "stores")]
    pub stores: Option<Arc<dyn Stores>>,
    /// How the units of a [plan](Self::plan) recognize files that have changed.
    pub units_by: UnitsBy,
    /// Records of an earlier scan. Files that have not changed since are skipped.
    pub known: Option<Arc<Known>>,
    /// Counters that grow during the scan. Keep a clone to read them.
    pub progress: Progress,
}

/// How much of each asset the callback of [`Scan::run`] reads. The scan finds the compressed streams of an asset
/// for its record. It can remember them for a callback that needs them again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Views {
    /// The record, or little more.
    #[default]
    Records,
    /// The outline, or some arrays. The end of each stream is found once.
    Outlines,
    /// Most arrays. Streams are decoded while their ends are found. At most 4 MiB of an asset are kept at once.
    Arrays,
}

impl Scan {
    /// Creates a scan of these files and folders, including everything below the folders. A path may be an
    /// [address](crate::address); `-` is standard input.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
            selection: Selection::default(),
            depth: Depth::default(),
            lint: false,
            beginnings: false,
            views: Views::default(),
            formats: Vec::new(),
            digests: false,
            archives: true,
            jobs: None,
            access: Access::READ,
            read_ahead: true,
            limits: Limits::default(),
            #[cfg(feature = "stores")]
            stores: None,
            units_by: UnitsBy::default(),
            known: None,
            progress: Progress::default(),
        }
    }

    /// The files and folders that were named.
    pub fn named(&self) -> &[PathBuf] {
        &self.paths
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = Result<PathBuf>> + Send {
        self.paths.iter().cloned().map(Ok)
    }

    /// Returns the stores if they have this path.
    #[cfg(feature = "stores")]
    pub(super) fn store_of(&self, path: &Path) -> Option<&dyn Stores> {
        self.stores.as_deref().filter(|stores| stores.has(path))
    }

    /// Returns true if records of this format are requested.
    pub(super) fn wants(&self, format: Option<Format>) -> bool {
        self.formats.is_empty() || format.is_some_and(|format| self.formats.contains(&format))
    }

    /// Returns the requested records, as a few letters.
    pub(super) fn question(&self) -> String {
        let Self { depth, lint, beginnings, formats, digests, archives, limits, selection, .. } = self;
        let globs = &selection.globs;
        let mut asked =
            format!("{} {depth:?} {formats:?} {digests} {archives} {limits:?} {globs:?}", env!("CARGO_PKG_VERSION"));
        if *lint {
            asked.push_str(" lint");
        }
        if *beginnings && *depth == Depth::Header {
            asked.push_str(" beginnings");
        }
        #[cfg(feature = "names")]
        asked.push_str(crate::formats::zip::names::encoding().unwrap_or_default());
        let mut letters = hex(Sha256::digest(asked).as_slice());
        letters.truncate(8);
        letters
    }
}
