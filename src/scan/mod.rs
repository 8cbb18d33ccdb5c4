//! Indexes many files: one [`Record`] for each asset in files, folders and archives.
//!
//! Threads share the work by file, and inside archives by member, so one large archive keeps all cores busy. Records
//! are not collected: the callback gets each one as soon as it is ready, and its file or member is then closed.

mod describe;
pub mod dupes;
pub mod folders;
mod globs;
mod identity;
mod ignored;
mod in_ranges;
mod known;
mod later_units;
mod lint;
mod members;
mod order;
mod pending;
mod prefetch;
mod progress;
mod record;
pub mod refs;
mod run;
#[cfg(feature = "stores")]
pub mod stores;
mod units;
mod walk;
mod workers;

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use globs::Globs;
pub use identity::FileId;
pub use known::Known;
pub use order::add_sort_key;
pub use progress::Progress;
pub use record::{Digests, Record, time_text};
pub use units::{Unit, UnitsBy};
pub use walk::Selection;

use self::describe::{At, Origin};
use self::pending::Callbacks;
use self::run::Run;
#[cfg(feature = "stores")]
use self::stores::Stores;
use self::walk::Target;
use crate::asset::Asset;
use crate::asset::address::{Address, Content, Opened};
pub use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
pub use crate::inspect::Depth;
use crate::inspect::Inspect as _;
use crate::source::Access;
#[cfg(doc)]
use crate::summary::Summary;

/// A scan over files and folders.
///
/// ```
/// use std::ops::ControlFlow;
/// use meshpeek::scan::{Found, Scan};
/// let mut vertices = 0;
/// Scan::new(["corpus"]).run(|found| {
///     if let Found::Asset(record) = found {
///         vertices += record.summary.counts.get("vertices").unwrap_or(0);
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert!(vertices > 0);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    paths: Vec<PathBuf>,
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
    /// How much of each asset the callback `view` of [`run_with`](Self::run_with) reads. This changes no result, only
    /// how long the scan takes.
    pub views: Views,
    /// The formats of assets to scan; all if it is empty.
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

/// How much of each asset the callback of [`Scan::run_with`] reads. The scan finds the compressed streams of an asset
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

/// A result of a scan.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// An asset, or a file or member that looks like one by its name but is not.
    Asset(Box<Record>),
    /// A file in a folder that is not an asset and has no extension of a format. Any other file that is not an asset
    /// has a [record](Summary::is_asset).
    NoAsset(PathBuf),
    /// A file that has not changed since the scan of the [known records](Scan::known). Those records are still valid
    /// for it.
    Unchanged(PathBuf),
    /// A file or folder that cannot be read.
    Unreadable(Error),
    /// A later part of an archive, from a [unit](Unit) that does not begin at the first member. The first part has the
    /// archive's own record.
    Continued(PathBuf),
    /// A file that [`Selection::except`] excludes.
    PassedOver {
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

    /// Passes each result to the callback as it is found, until the callback returns `Break`. The callback never runs
    /// on two threads at once. While it runs, further results wait.
    ///
    /// # Errors
    /// Returns an error if a glob is invalid. A file that cannot be read is not an error; it is reported as
    /// [`Found::Unreadable`].
    pub fn run(&self, callback: impl FnMut(Found) -> ControlFlow<()> + Send) -> Result<()> {
        self.run_over(self.paths(), callback)
    }

    /// Like [`run`](Self::run), over paths that arrive one by one, such as the lines of a list. Each is processed as
    /// soon as it arrives. An error in place of a path is reported as [`Found::Unreadable`].
    ///
    /// # Errors
    /// Returns an error under the conditions of [`run`](Self::run).
    pub fn run_over(
        &self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send,
        mut callback: impl FnMut(Found) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        self.run_over_with(paths, |_| (), |found, _| callback(found))
    }

    /// Like [`run`](Self::run), and calls `view` on each asset while it is open. The callback gets the result of `view`
    /// with the asset's record. `view` runs on many threads at once. It is not called if an asset's bytes are not
    /// available.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// use meshpeek::scan::{Scan, Sighting};
    /// use meshpeek::Asset;
    /// let bones = |seen: &Sighting<'_, '_>| match seen.asset {
    ///     Some(Asset::Rtm(motion)) => motion.bones().len(),
    ///     _ => 0,
    /// };
    /// let mut all = 0;
    /// Scan::new(["corpus/rtm"]).run_with(bones, |_, bones| {
    ///     all += bones.unwrap_or(0);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(all > 0);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error under the conditions of [`run`](Self::run).
    pub fn run_with<T: Send>(
        &self,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        self.run_over_with(self.paths(), view, callback)
    }

    /// Combines [`run_over`](Self::run_over) and [`run_with`](Self::run_with).
    ///
    /// # Errors
    /// Returns an error under the conditions of [`run`](Self::run).
    pub fn run_over_with<T: Send>(
        &self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let caller = Callbacks::new(view, callback);
        Run::new(self, &caller)?.over(&mut self.walk(paths));
        Ok(())
    }

    /// Like [`run_with`](Self::run_with), and also calls `view` on files with these names that are not assets.
    fn run_showing<T: Send>(
        &self,
        texts: fn(&Path) -> bool,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let caller = Callbacks::new(view, callback);
        Run { texts, ..Run::new(self, &caller)? }.over(&mut self.walk(self.paths()));
        Ok(())
    }

    /// Like [`run_showing`](Self::run_showing), over the target of an address in the file with these bytes.
    fn run_in_showing<T: Send>(
        &self,
        (address, data): (&Address, &[u8]),
        texts: fn(&Path) -> bool,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let caller = Callbacks::new(view, callback);
        Run { texts, ..Run::new(self, &caller)? }.in_bytes(address, data)
    }

    /// Like [`run_with`](Self::run_with), over [units](Self::plan) instead of paths. A file that has changed since its
    /// unit was made is reported as [`Found::Unreadable`]. Units of one archive that follow each other, as in a plan,
    /// share one open file. For other units the archive is opened again, as often as its [`Limits::work`] allows.
    ///
    /// # Errors
    /// Returns an error under the conditions of [`run`](Self::run).
    pub fn run_units<T: Send>(
        &self,
        units: impl Iterator<Item = Result<Unit>> + Send,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let units = Mutex::new(units.peekable());
        let units = || units.lock().unwrap_or_else(PoisonError::into_inner);
        let next_if = |fits: &dyn Fn(&Unit) -> bool| units().next_if(|unit| unit.as_ref().is_ok_and(fits))?.ok();
        let target = |unit: Unit| self.selection.named(unit.path.clone(), Some(unit));
        let mut targets = std::iter::from_fn(|| units().next()).map(|unit| unit.map(target));
        let caller = Callbacks::new(view, callback);
        Run { next_if: &next_if, ..Run::new(self, &caller)? }.over(&mut targets);
        Ok(())
    }

    /// Like [`run_with`](Self::run_with), over these bytes. The path need not exist: it only names the file in records.
    /// With one [job](Self::jobs), this uses no folders, files or threads.
    ///
    /// ```
    /// # let bytes = &[&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
    /// use std::{ops::ControlFlow, path::Path};
    /// use meshpeek::scan::{Found, Scan};
    /// let mut scan = Scan::new([""; 0]);
    /// scan.jobs = Some(1);
    /// let mut formats = Vec::new();
    /// scan.run_bytes(Path::new("mod.pbo"), bytes, |_| (), |found, _| {
    ///     if let Found::Asset(record) = found {
    ///         formats.extend(record.summary.format.map(|format| format.name()));
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(formats, ["pbo", "b3d"]);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error under the conditions of [`run`](Self::run).
    pub fn run_bytes<T: Send>(
        &self,
        path: &Path,
        data: &[u8],
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let caller = Callbacks::new(view, callback);
        Run::new(self, &caller)?.bytes(path, data);
        Ok(())
    }

    /// Returns the number of files to scan and their total size. Walks all folders but opens no file. Stops early if
    /// the scan stops.
    ///
    /// # Errors
    /// Returns an error if a glob is invalid.
    pub fn measure(&self) -> Result<(u64, u64)> {
        Globs::of_members(&self.selection.globs)?;
        let targets = self.walk(self.paths()).take_while(|_| !self.progress.is_stopped());
        let sizes = targets.flatten().map(|target| target.path.metadata().map_or(0, |metadata| metadata.len()));
        Ok(sizes.fold((0, 0), |(files, bytes), size| (files.saturating_add(1), bytes.saturating_add(size))))
    }

    /// Returns all files below these paths, in folders and in stores.
    fn walk<'w>(
        &'w self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send + 'w,
    ) -> impl Iterator<Item = Result<Target>> + Send + 'w {
        let below = |root: PathBuf| {
            #[cfg(feature = "stores")]
            if let Some(stores) = self.store_of(&root) {
                return self.selection.walk_store(root, self.archives, stores);
            }
            self.selection.walk(root, self.archives)
        };
        paths.flat_map(move |root| root.and_then(below).unwrap_or_else(|error| Box::new(std::iter::once(Err(error)))))
    }

    /// Returns the stores if they have this path.
    #[cfg(feature = "stores")]
    fn store_of(&self, path: &Path) -> Option<&dyn Stores> {
        self.stores.as_deref().filter(|stores| stores.has(path))
    }

    /// The files and folders that were named.
    pub fn named(&self) -> &[PathBuf] {
        &self.paths
    }

    fn paths(&self) -> impl Iterator<Item = Result<PathBuf>> + Send {
        self.paths.iter().cloned().map(Ok)
    }

    /// Returns the record of these bytes. The path names the file in the record. The bytes need not be an
    /// [asset](Summary::is_asset). For an archive, this is its own record, without those of its members.
    pub fn record(&self, path: &Path, data: &[u8]) -> Record {
        self.described(path, data.len() as u64, |at| describe::describe(at, data))
    }

    /// Like [`record`](Self::record), for an asset that you have already opened from these bytes.
    pub fn record_of_asset(&self, path: &Path, data: &[u8], asset: &Asset<'_>) -> Record {
        self.described(path, data.len() as u64, |at| describe::describe_asset(at, data, asset))
    }

    /// Returns the [record](Self::record) of an asset opened from [ranges](crate::ranges). Verifying and
    /// digests need all bytes, so the [depth](Self::depth) is at most [`Depth::Summary`] and there are no digests. Call
    /// it in [`Ranges::ask`](crate::ranges::Ranges::ask) or [`load`](crate::ranges::Ranges::load).
    pub fn record_in_ranges(&self, path: &Path, asset: &Asset<'_>) -> Record {
        let scan = Self { depth: self.depth.min(Depth::Summary), digests: false, ..self.clone() };
        scan.described(path, asset.size(), |at| describe::describe_asset(at, &[], asset))
    }

    /// Returns the record of the target of an [address](crate::address) in the file of this path. A scan of the whole
    /// file gives the same record.
    pub fn record_of(&self, path: &Path, opened: &Opened<Content<'_>>) -> Record {
        let (origin, budget) = (Origin::opened(self, path, opened), Budget::new(opened.bytes, &self.limits));
        match &opened.content {
            Ok(content) => describe::describe(At { origin: &origin, budget: content.budget() }, content),
            Err(error) => {
                describe::unreadable(At { origin: &origin, budget: &budget }, opened.format, opened.bytes, None, error)
            }
        }
    }

    fn described(&self, path: &Path, bytes: u64, describe: impl FnOnce(At<'_>) -> Record) -> Record {
        describe(At { origin: &Origin::file(self, path), budget: &Budget::new(bytes, &self.limits) })
    }
}
