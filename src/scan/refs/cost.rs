//! Bounds on what it costs to resolve references.

use std::sync::OnceLock;

use crate::base::error::{Error, Result};
use crate::base::limits::{Limits, flag};
use crate::budget::Counter;

/// What remains for resolving all references.
#[derive(Debug)]
pub(super) struct Cost {
    /// Bytes of paths that are built and looked up.
    compared: Counter,
    /// Bytes of addresses that links give.
    named: Counter,
    /// The first error.
    failed: OnceLock<Error>,
}

impl Cost {
    /// The amounts for files of this size.
    pub(super) fn new(files: u64, bytes: u64, limits: &Limits) -> Self {
        /// Each file counts as this much larger than it is, and so do all together.
        const SMALL: u64 = 1 << 20;
        let bytes = files.saturating_add(1).saturating_mul(SMALL).saturating_add(bytes);
        let compared = bytes.saturating_mul(limits.work.into());
        let named = bytes.saturating_mul(limits.output.into()).saturating_add(SMALL);
        Self {
            compared: Counter::new(compared, "bytes of paths looked up for references", flag::WORK),
            named: Counter::new(named, "bytes of addresses that references mean", flag::OUTPUT),
            failed: OnceLock::new(),
        }
    }

    /// Charges for looking up a path of this length.
    pub(super) fn compare(&self, bytes: usize) -> Result<()> {
        /// What looking up the shortest path costs.
        const LOOKUP: u64 = 128;
        self.compared.take((bytes as u64).saturating_add(LOOKUP))
    }

    /// Charges for an address. Returns false if too little is left, which [`check`](Self::check) then reports.
    pub(super) fn name(&self, bytes: usize) -> bool {
        let Err(error) = self.named.take(bytes as u64) else { return true };
        self.failed.get_or_init(|| error);
        false
    }

    /// Returns the error if an address was not given.
    pub(super) fn check(&self) -> Result<()> {
        match self.failed.get() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}
