//! Bounds the amount that a run may write.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use meshpeek::scan::Progress;

use crate::limits::reached;

/// The allowance for the program's own messages.
const OWN: u64 = 1 << 20;
/// The allowance for each file: its name, and the report that it cannot be read.
const OF_A_FILE: u64 = 64 << 10;
/// Each file counts as this much larger than it is, as in [`meshpeek::Limits::output`].
const SMALL: u64 = 1 << 20;

/// The amount that the run may write, in proportion to the amount it has read: `--max-output` for each byte. All
/// streams of the program use it, so it bounds every verb. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results(Arc<State>);

#[derive(Debug, Default)]
struct State {
    written: AtomicU64,
    files: AtomicU64,
    /// Files that were found in folders without a scan.
    found: AtomicU64,
    bytes: AtomicU64,
    factor: OnceLock<u32>,
    scan: OnceLock<Progress>,
}

impl Results {
    /// Sets how many bytes may be written for each byte read.
    pub(crate) fn limit(&self, factor: u32) {
        self.0.factor.get_or_init(|| factor);
    }

    /// Counts the files that this scan opens as read.
    pub(crate) fn scans(&self, progress: &Progress) {
        self.0.scan.get_or_init(|| progress.clone());
    }

    /// Counts a file found in a folder.
    pub(crate) fn found(&self) {
        self.0.found.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts this many bytes as read, from a file or an archive.
    pub(crate) fn read(&self, bytes: u64) {
        self.0.files.fetch_add(1, Ordering::Relaxed);
        let add = |read: u64| Some(read.saturating_add(bytes));
        let _ = self.0.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Counts this many bytes that are about to be written.
    pub(crate) fn take(&self, bytes: u64) -> io::Result<()> {
        let written = self.0.written.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        // Most runs write little and can skip the computation.
        if written <= OWN {
            return Ok(());
        }
        let most = self.most();
        if written <= most {
            return Ok(());
        }
        let what = "bytes of results for what was read";
        Err(reached(what, most, "--max-output"))
    }

    fn most(&self) -> u64 {
        let State { files, found, bytes, factor, scan, .. } = &*self.0;
        let mut scanned = 0;
        let mut opened = 0;
        if let Some(scan) = scan.get() {
            scanned = scan.begun();
            opened = scan.opened_bytes();
        }
        // The files that a person names share one allowance.
        let files = files.load(Ordering::Relaxed).min(1).saturating_add(scanned);
        let files = files.saturating_add(found.load(Ordering::Relaxed));
        let bytes = bytes.load(Ordering::Relaxed).saturating_add(opened);
        let factor = u64::from(factor.get().copied().unwrap_or(0));
        let read = files.saturating_mul(SMALL).saturating_add(bytes);
        files.saturating_mul(OF_A_FILE).saturating_add(read.saturating_mul(factor)).saturating_add(OWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_limit_grows_with_the_input() {
        let results = Results::default();
        results.limit(2);
        results.take(OWN).unwrap();
        let error = results.take(1).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "more than {OWN} bytes of results for what was read (1 MiB), the limit set for reading; --max-output raises it"
            )
        );
        results.read(1000);
        results.take(OF_A_FILE + 2 * (SMALL + 1000) - 1).unwrap();
        assert!(results.clone().take(1).is_err());
        results.read(u64::MAX);
        results.take(u64::MAX / 2).unwrap();
    }
}
