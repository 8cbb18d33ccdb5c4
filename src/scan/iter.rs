//! The results of a scan as an iterator.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::found::Found;
use super::globs::Globs;
use super::input::Input;
use super::options::Scan;
use super::progress::Progress;
use crate::base::error::Result;

/// The most results that wait for the iterator. The scan pauses when there are more.
const MOST_WAITING: usize = 16;

/// An iterator over the results of a scan, as they are found. Dropping it before the end [stops](Progress::stop) the scan
/// and its [`Progress`]: later runs of the same [`Scan`] find nothing.
#[derive(Debug)]
#[must_use = "the scan ends when its iterator is dropped"]
pub struct Iter {
    results: Option<Receiver<Found>>,
    progress: Progress,
    /// Runs the scan.
    thread: Option<JoinHandle<Result<()>>>,
}

impl Scan {
    /// Returns an iterator over the results, on the caller's thread. So the caller may hold what is not [`Send`], such
    /// as the transaction of a database; `examples/indexer` does. The scan begins at once, on threads of its own, and
    /// pauses while few results have been taken. Dropping the iterator cancels the scan.
    ///
    /// Files that the [selection](Self::selection) leaves out are not results: by default hidden ones, those that ignore
    /// files exclude, and links.
    ///
    /// ```
    /// use meshpeek::scan::{Found, Scan};
    /// let mut vertices = 0;
    /// for found in Scan::new(["corpus"]).iter()? {
    ///     if let Found::Asset(record) = found {
    ///         vertices += record.summary.counts.get("vertices").unwrap_or(0);
    ///     }
    /// }
    /// assert!(vertices > 0);
    ///
    /// // Leaving the loop ends the scan.
    /// let scan = Scan::new(["corpus"]);
    /// for found in scan.iter()? {
    ///     if let Found::Asset(_) = found {
    ///         break;
    ///     }
    /// }
    /// assert!(scan.progress.is_stopped());
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a glob is invalid, or if the system starts no thread. A file that cannot be read is not an
    /// error; it is reported as [`Found::Unreadable`].
    pub fn iter(&self) -> Result<Iter> {
        Globs::of_members(&self.selection.globs)?;
        let (sender, results) = sync_channel(MOST_WAITING);
        let scan = self.clone();
        // Sending fails once the iterator has been dropped.
        let send = move |found| match sender.send(found) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let run = move || scan.run(Input::Paths, |_| (), |found, _| send(found));
        let thread = Builder::new().name("scan".into()).spawn(run)?;
        Ok(Iter { results: Some(results), progress: self.progress.clone(), thread: Some(thread) })
    }
}

impl Iterator for Iter {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let results = self.results.as_ref()?;
        if let Ok(found) = results.recv() {
            return Some(found);
        }
        self.results = None;
        // The scan has ended. Its only error, an invalid glob, was excluded before.
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        None
    }
}

impl Drop for Iter {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        if !thread.is_finished() {
            self.progress.stop();
        }
        self.results = None;
        // A panic of the scan has been printed, and the caller takes no more results.
        let _ = thread.join();
    }
}
