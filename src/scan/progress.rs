//! How far a scan is, and how to end it early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts that grow while a scan runs, and the switch that ends it. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<State>);

#[derive(Debug, Default)]
struct State {
    files: AtomicU64,
    bytes: AtomicU64,
    assets: AtomicU64,
    stopped: Arc<AtomicBool>,
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

    /// Ends the scan: what is being looked at is left, nothing further is handed over.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the scan was ended early, by [`stop`](Self::stop) or by its callback.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// The switch itself, for what must know of it without knowing of scans.
    pub(super) fn switch(&self) -> Arc<AtomicBool> {
        self.0.stopped.clone()
    }

    pub(super) fn add_file(&self, bytes: u64) {
        self.0.files.fetch_add(1, Ordering::Relaxed);
        self.0.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn add_asset(&self) {
        self.0.assets.fetch_add(1, Ordering::Relaxed);
    }
}
