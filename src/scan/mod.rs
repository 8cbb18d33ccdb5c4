//! Many files: one [`Record`] for each asset in files, folders and archives.
//!
//! Work is shared by file, and inside archives by member, so that one large archive keeps all cores busy. Nothing is
//! collected: each record is handed over as soon as it is there, and what was opened for it is closed again.

mod crew;
mod describe;
pub mod dupes;
mod finds;
pub mod folders;
mod globs;
mod identity;
mod ignored;
mod known;
mod prefetch;
mod prefix;
mod progress;
mod record;
pub mod refs;
mod run;
mod units;
mod walk;

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use identity::FileId;
pub use known::Known;
pub use progress::Progress;
pub use record::{Digests, Record};
pub use units::Unit;
pub use walk::Selection;

use self::globs::Globs;
use self::walk::Target;
use crate::asset::Asset;
use crate::asset::address::Opened;
pub use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::budget::Budget;
pub use crate::inspect::Depth;
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
    /// Which files of folders.
    pub selection: Selection,
    /// How closely to look.
    pub depth: Depth,
    /// Only assets of these formats; all where it is empty.
    pub formats: Vec<Format>,
    /// Whether to read what identifies each asset's content.
    pub digests: bool,
    /// Whether to look into archives.
    pub archives: bool,
    /// How many files and members to work on at once, 256 at most; as many as there are cores where it is `None`.
    pub jobs: Option<usize>,
    /// How to get at each file's bytes: read, unless the caller [answers](Access::map_large) for maps.
    pub access: Access,
    /// Whether to ask the system for members of mapped archives before they are looked at, once somebody had to wait for it.
    pub read_ahead: bool,
    /// What each asset, and each file with all that is in it, may cost.
    pub limits: Limits,
    /// Records that an earlier scan gave: files that have not changed since are passed over.
    pub known: Option<Arc<Known>>,
    /// Counts along, for whoever holds a clone of it.
    pub progress: Progress,
}

/// What a scan comes upon.
#[derive(Debug)]
#[non_exhaustive]
pub enum Found {
    /// An asset, or what is found in the place of one.
    Asset(Box<Record>),
    /// A file of a folder that is not an asset and whose name does not end like one's. Any other file that is not an asset
    /// has a [record](Summary::is_asset).
    NoAsset(PathBuf),
    /// A file that has not changed since the scan whose [records](Scan::known) are at hand: they are what would be found
    /// in it.
    Unchanged(PathBuf),
    /// A file or folder that cannot be read.
    Unreadable(Error),
    /// A later part of an archive, of which a [unit](Unit) is made: the archive's own record is found with its first part.
    Continued(PathBuf),
    /// One of the files that [`Selection::except`] leaves out.
    PassedOver {
        /// The file.
        path: PathBuf,
        /// Whether the caller named this very file.
        named: bool,
    },
}

/// An asset while a scan has it open.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sighting<'s, 'a> {
    /// Its record.
    pub record: &'s Record,
    /// Its bytes.
    pub data: &'a [u8],
    /// The asset itself; `None` where the bytes cannot be read as what they or their name promise.
    pub asset: Option<&'s Asset<'a>>,
    /// What is left of what its file may cost.
    pub budget: &'s Budget,
    /// Of an archive: which of its members the scan looks at, by their places among all. They have been paid for.
    pub members: Range<usize>,
    /// Whether this is a later part of an archive: the record then only says where it is, and what.
    pub is_continued: bool,
}

impl Scan {
    /// A scan over these files and folders, the latter with all below them. A path may be an
    /// [address](crate::address); `-` is standard input.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
            selection: Selection::default(),
            depth: Depth::default(),
            formats: Vec::new(),
            digests: false,
            archives: true,
            jobs: None,
            access: Access::READ,
            read_ahead: true,
            limits: Limits::default(),
            known: None,
            progress: Progress::default(),
        }
    }

    /// Hands over what is found, as it is found, until the callback breaks off. The callback is never called twice at
    /// once; while it runs, the next finds wait.
    ///
    /// # Errors
    /// Where a glob is no pattern. A file that cannot be read is no error here but
    /// [`Found::Unreadable`].
    pub fn run(&self, callback: impl FnMut(Found) -> ControlFlow<()> + Send) -> Result<()> {
        self.run_over(self.paths(), callback)
    }

    /// The same over paths that come one by one, such as the lines of a list; each is looked at as soon as it is there.
    /// An error in place of a path is handed over as [`Found::Unreadable`].
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_over(
        &self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send,
        mut callback: impl FnMut(Found) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        self.run_over_with(paths, |_| (), |found, _| callback(found))
    }

    /// [`run`](Self::run) with a look at each asset while it is open: what `view` makes of it is handed over beside its
    /// record. `view` is called on many threads at once; where an asset's bytes cannot be had, it is not.
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
    /// As [`run`](Self::run).
    pub fn run_with<T: Send>(
        &self,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        self.run_over_with(self.paths(), view, callback)
    }

    /// Both: paths that come one by one, and a look at each asset.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_over_with<T: Send>(
        &self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        self.run_through(self.selection.walk(paths, self.archives), view, callback)
    }

    /// The same over [units](Self::plan) in place of paths. A file that is not as it was when they were made is
    /// handed over as [`Found::Unreadable`].
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_units<T: Send>(
        &self,
        units: impl Iterator<Item = Result<Unit>> + Send,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        self.run_through(units.map(|unit| unit.map(|unit| self.selection.unit(unit))), view, callback)
    }

    fn run_through<T: Send>(
        &self,
        targets: impl Iterator<Item = Result<Target>> + Send,
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        let globs = Globs::new(Path::new(""), &self.selection.globs)?;
        let run = run::Run::new(self, globs, view, callback);
        let targets = targets.take_while(|_| !self.progress.is_stopped());
        run.crew.each_that_comes(targets, |target| {
            self.progress.begin();
            match target {
                Ok(target) => run.file(&target),
                Err(error) => run.put(Found::Unreadable(error)),
            }
        });
        Ok(())
    }

    /// [`run_with`](Self::run_with) over these bytes, as a file of this path, which need not exist: with one
    /// [job](Self::jobs) without folders, files and threads.
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
    /// As [`run`](Self::run).
    pub fn run_bytes<T: Send>(
        &self,
        path: &Path,
        data: &[u8],
        view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
        callback: impl FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
    ) -> Result<()> {
        run::Run::new(self, Globs::new(Path::new(""), &self.selection.globs)?, view, callback).bytes(path, data);
        Ok(())
    }

    /// How many files there are to look at, and their sizes together. Walks all folders; opens no file. Ends early where
    /// the scan does.
    ///
    /// # Errors
    /// Where a glob is no pattern.
    pub fn measure(&self) -> Result<(u64, u64)> {
        Globs::new(Path::new(""), &self.selection.globs)?;
        let targets = self.selection.walk(self.paths(), self.archives).take_while(|_| !self.progress.is_stopped());
        let sizes = targets.flatten().map(|target| target.path.metadata().map_or(0, |metadata| metadata.len()));
        Ok(sizes.fold((0, 0), |(files, bytes), size| (files.saturating_add(1), bytes.saturating_add(size))))
    }

    fn paths(&self) -> impl Iterator<Item = Result<PathBuf>> + Send {
        self.paths.iter().cloned().map(Ok)
    }

    /// The record of these bytes, as a file of this path, which need not be an [asset](Summary::is_asset). Of an archive this
    /// is its own record.
    pub fn record(&self, path: &Path, data: &[u8]) -> Record {
        let budget = Budget::new(data.len() as u64, &self.limits);
        describe::describe(self, &describe::Origin::file(path), data, &budget)
    }

    /// The [record](Self::record) of an asset that these bytes have been opened as, which is not opened once more.
    pub fn record_of_asset(&self, path: &Path, data: &[u8], asset: &Asset<'_>) -> Record {
        let budget = Budget::new(data.len() as u64, &self.limits);
        describe::describe_asset(self, path, data, asset, &budget)
    }

    /// The record of what an [address](crate::address) in the file of this path leads to, as a scan of the whole file
    /// gives it.
    pub fn record_of(&self, path: &Path, opened: &Opened<'_>) -> Record {
        let budget = Budget::new(opened.bytes, &self.limits);
        describe::describe_opened(self, path, opened, &budget)
    }
}
