//! Reports the progress of a scan and ends it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(doc)]
use super::selection::Selection;

/// The files and folders that a scan leaves out, as its [`Selection`] says. What a pattern excludes is not counted, nor
/// are files that a store of URLs lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Hidden and ignored files that have the extension of a format or config, and hidden and ignored folders, each with all
    /// that is in it. Folders called `.git` are not counted.
    pub hidden_or_ignored: u64,
    /// Symbolic links that are not followed.
    pub links: u64,
    /// Folders at [`Selection::folder_depth`], each with all that is in it.
    pub folders_too_deep: u64,
}

/// Counters that grow during a scan, and a switch to end it. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<State>);

#[derive(Debug, Default)]
struct State {
    files: AtomicU64,
    bytes: Arc<AtomicU64>,
    assets: AtomicU64,
    targets: AtomicU64,
    opened: AtomicU64,
    stopped: Arc<AtomicBool>,
    hidden_or_ignored: AtomicU64,
    links: AtomicU64,
    folders_too_deep: AtomicU64,
}

impl Progress {
    /// Files processed so far.
    pub fn files(&self) -> u64 {
        self.0.files.load(Ordering::Relaxed)
    }

    /// Bytes processed so far: the sizes of finished files, plus the finished members of files in progress.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Assets found so far, including archives and their members.
    pub fn assets(&self) -> u64 {
        self.0.assets.load(Ordering::Relaxed)
    }

    /// Files begun, including those that cannot be read.
    pub fn begun(&self) -> u64 {
        self.0.targets.load(Ordering::Relaxed)
    }

    /// Returns what the scan left out below its paths. Each path adds its numbers when its walk ends, so they are 0 before
    /// that, and incomplete after a scan that was [stopped](Self::stop).
    pub fn left_out(&self) -> LeftOut {
        LeftOut {
            hidden_or_ignored: self.0.hidden_or_ignored.load(Ordering::Relaxed),
            links: self.0.links.load(Ordering::Relaxed),
            folders_too_deep: self.0.folders_too_deep.load(Ordering::Relaxed),
        }
    }

    /// Returns the sizes of the files opened so far. They determine the bound of the results.
    pub fn opened_bytes(&self) -> u64 {
        self.0.opened.load(Ordering::Relaxed)
    }

    /// Ends the scan. Work in progress is abandoned and no more results are handed over.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Returns true if the scan was ended early, by [`stop`](Self::stop) or by its callback.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Returns the switch itself, for code that does not depend on scans.
    pub(super) fn switch(&self) -> Arc<AtomicBool> {
        self.0.stopped.clone()
    }

    /// Returns counters for a second scan of some of the same files. They share only the switch and the bytes, which
    /// begin again at 0.
    pub(crate) fn again(&self) -> Self {
        self.set_bytes(0);
        let (bytes, stopped) = (self.0.bytes.clone(), self.0.stopped.clone());
        Self(Arc::new(State { bytes, stopped, ..State::default() }))
    }

    /// Returns counters for other work of the same run. They share only the switch.
    pub(crate) fn beside(&self) -> Self {
        Self(Arc::new(State { stopped: self.0.stopped.clone(), ..State::default() }))
    }

    pub(crate) fn set_bytes(&self, bytes: u64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn add_file(&self) {
        self.0.files.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_left_out(&self, left_out: LeftOut) {
        self.0.hidden_or_ignored.fetch_add(left_out.hidden_or_ignored, Ordering::Relaxed);
        self.0.links.fetch_add(left_out.links, Ordering::Relaxed);
        self.0.folders_too_deep.fetch_add(left_out.folders_too_deep, Ordering::Relaxed);
    }

    pub(super) fn begin(&self) {
        self.0.targets.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn open(&self, bytes: u64) {
        // Sizes are claims of the file system, and some may be wrong.
        let add = |opened: u64| Some(opened.saturating_add(bytes));
        let _ = self.0.opened.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    pub(super) fn add_assets(&self, count: u64) {
        self.0.assets.fetch_add(count, Ordering::Relaxed);
    }
}

/// A part of a file in progress. Its bytes are counted when it is dropped, once, and never more than the file's size in
/// total, whatever sizes its members claim.
pub(super) struct Stretch<'p> {
    progress: &'p Progress,
    /// The bytes of the file that belong to this part.
    pub(super) bytes: u64,
    /// How many of them are not yet assigned to a subpart.
    left: AtomicU64,
}

impl<'p> Stretch<'p> {
    pub(super) fn new(progress: &'p Progress, bytes: u64) -> Self {
        Self { progress, bytes, left: bytes.into() }
    }

    /// The subpart that corresponds to `bytes` of this part's `whole` bytes, as stored or decoded.
    pub(super) fn part(&self, bytes: u64, whole: u64) -> Self {
        let share = if whole == self.bytes {
            bytes
        } else {
            let share = u128::from(self.bytes).saturating_mul(bytes.into()).checked_div(whole.into());
            u64::try_from(share.unwrap_or(0)).unwrap_or(u64::MAX)
        };
        // The closure always returns a value, so the update cannot fail.
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(share)));
        Self::new(self.progress, share.min(left.unwrap_or(0)))
    }
}

impl Drop for Stretch<'_> {
    fn drop(&mut self) {
        let left = *self.left.get_mut();
        // Threads contend for this number.
        if left > 0 {
            self.progress.0.bytes.fetch_add(left, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_along_and_never_more_than_the_whole() {
        let progress = Progress::default();
        let file = Stretch::new(&progress, 1_000);
        drop(file.part(300, 1_000));
        assert_eq!(progress.bytes(), 300);
        // An archive of 500 bytes that decodes to 50,000, with a member of half that size.
        let archive = file.part(500, 1_000);
        drop(archive.part(25_000, 50_000));
        assert_eq!(progress.bytes(), 550);
        drop(archive);
        assert_eq!(progress.bytes(), 800);
        drop(file.part(u64::MAX, 1));
        drop(file.part(5, 0));
        assert_eq!(progress.bytes(), 1_000);
        drop(file);
        assert_eq!(progress.bytes(), 1_000);
    }
}
