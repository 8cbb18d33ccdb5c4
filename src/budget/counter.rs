//! Amounts from which parts are taken.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::code::Code;
use crate::base::error::{Error, Result};

/// An amount from which parts are taken until it is spent.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(super) left: AtomicU64,
    /// The amount before anything was taken.
    pub(super) whole: AtomicU64,
    /// The counted things, in the plural, for the error.
    what: &'static str,
    /// The code of the limit.
    code: Code,
}

impl Counter {
    /// Creates a counter of which nothing is taken. An error names `what` it counts, and has the `code` of the limit.
    pub(crate) fn new(whole: u64, what: &'static str, code: Code) -> Self {
        Self { left: AtomicU64::new(whole), whole: AtomicU64::new(whole), what, code }
    }

    /// Takes this amount. If too little is left, returns an error, and the counter is empty from then on, so that later
    /// calls fail too.
    pub(crate) fn take(&self, amount: u64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount));
        if taken.is_err() {
            self.left.store(0, Ordering::Relaxed);
            return Err(Error::limit(self.what, self.whole.load(Ordering::Relaxed), self.code));
        }
        Ok(())
    }

    /// Takes this amount if at least `ample` stays. Otherwise takes nothing and returns false.
    #[cfg(feature = "scan")]
    pub(super) fn take_spare(&self, amount: u64, ample: u64) -> bool {
        let spare = |left: u64| left.checked_sub(amount).filter(|left| *left >= ample);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spare).is_ok()
    }

    /// Returns true if at least this much is left.
    pub(super) fn has(&self, amount: u64) -> bool {
        self.left.load(Ordering::Relaxed) >= amount
    }

    /// Adds this amount to what is left and to the whole, unless the counter is empty.
    pub(super) fn add(&self, amount: u64) {
        if self.give_back(amount) {
            let more = |whole: u64| Some(whole.saturating_add(amount));
            let _ = self.whole.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }

    /// Adds this amount to what is left. An empty counter stays empty: then returns false.
    pub(super) fn give_back(&self, amount: u64) -> bool {
        let more = |left: u64| if left > 0 { Some(left.saturating_add(amount)) } else { None };
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}
