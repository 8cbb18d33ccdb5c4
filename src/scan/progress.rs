//! How far a scan is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that grow while a scan runs. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    files: AtomicU64,
    bytes: AtomicU64,
    assets: AtomicU64,
}

impl Progress {
    /// Files looked at so far.
    pub fn files(&self) -> u64 {
        self.0.files.load(Ordering::Relaxed)
    }

    /// Their sizes together.
    pub fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Assets found so far, archives and their members among them.
    pub fn assets(&self) -> u64 {
        self.0.assets.load(Ordering::Relaxed)
    }

    pub(super) fn add_file(&self, bytes: u64) {
        self.0.files.fetch_add(1, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn add_asset(&self) {
        self.0.assets.fetch_add(1, Ordering::Relaxed);
    }
}
