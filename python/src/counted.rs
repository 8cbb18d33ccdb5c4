//! The counters of a run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use meshpeek::scan::Progress;

/// The counters of a run.
#[derive(Clone, Default)]
pub(crate) struct Counted {
    pub(crate) counts: Progress,
    pub(crate) is_done: Arc<AtomicBool>,
}
