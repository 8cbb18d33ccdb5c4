//! Claims, and the amounts that all claims of a file share.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::line::Memory;
use crate::base::error::{Error, Result};
use crate::base::limits::flag;

/// An owner of memory. Forking also avoids contention between threads over the clone counter.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) counters: Arc<Counters>,
    /// The claim from which this one was forked.
    pub(super) around: Option<Arc<Claim>>,
    /// The bytes held, and the maximum.
    pub(super) held: AtomicU64,
    pub(super) most: u64,
}

impl Claim {
    pub(super) fn new(counters: Arc<Counters>, around: Option<Arc<Claim>>, most: u64) -> Arc<Self> {
        Arc::new(Self { counters, around, held: AtomicU64::new(0), most })
    }

    /// Returns true if this claim is `other` or was forked inside it.
    pub(super) fn is_within(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        let mut inner = Some(self);
        while let Some(claim) = inner {
            if Arc::ptr_eq(claim, other) {
                return true;
            }
            inner = claim.around.as_ref();
        }
        false
    }

    pub(super) fn add(&self, bytes: u64) -> Result<()> {
        let sum = |held: u64| held.checked_add(bytes).filter(|held| *held <= self.most);
        let added = bytes == 0 || self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).is_ok();
        if added { Ok(()) } else { Err(too_much(self.most)) }
    }

    pub(super) fn remove(&self, bytes: u64) {
        if bytes > 0 {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Deref for Claim {
    type Target = Counters;

    fn deref(&self) -> &Counters {
        &self.counters
    }
}

pub(super) fn too_much(limit: u64) -> Error {
    Error::limit("decoded bytes at once", limit, flag::DECODED)
}

#[derive(Debug)]
pub(super) struct Counters {
    pub(super) work: Counter,
    pub(super) output: Counter,
    pub(super) members: Counter,
    pub(super) memory: Memory,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) help: Option<Arc<dyn Help>>,
}

/// Threads that help with work in small pieces.
pub(crate) trait Help: fmt::Debug + Send + Sync {
    /// Runs the closure on this thread, and at the same time on those that are free.
    fn join_in(&self, work: &(dyn Fn() + Sync));
}

/// An amount from which parts are taken until it is spent.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(super) left: AtomicU64,
    pub(super) whole: AtomicU64,
    what: &'static str,
    flag: &'static str,
}

impl Counter {
    pub(crate) fn new(whole: u64, what: &'static str, flag: &'static str) -> Self {
        Self { left: AtomicU64::new(whole), whole: AtomicU64::new(whole), what, flag }
    }

    /// Takes this amount. If too little is left, the pot is empty from then on, so that later calls cost nothing.
    pub(crate) fn take(&self, amount: u64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount));
        if taken.is_err() {
            self.left.store(0, Ordering::Relaxed);
            return Err(Error::limit(self.what, self.whole.load(Ordering::Relaxed), self.flag));
        }
        Ok(())
    }

    /// Takes from what is left if this much stays. Returns false if it does not.
    #[cfg(feature = "scan")]
    pub(super) fn take_spare(&self, amount: u64, ample: u64) -> bool {
        let spare = |left: u64| left.checked_sub(amount).filter(|left| *left >= ample);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spare).is_ok()
    }

    /// Returns true if at least this much is left.
    pub(super) fn has(&self, amount: u64) -> bool {
        self.left.load(Ordering::Relaxed) >= amount
    }

    /// Adds this amount, unless the pot ran empty before.
    pub(super) fn add(&self, amount: u64) {
        if self.give_back(amount) {
            let more = |whole: u64| Some(whole.saturating_add(amount));
            let _ = self.whole.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }

    /// Adds to what is left. An empty counter stays empty: then returns false.
    pub(super) fn give_back(&self, amount: u64) -> bool {
        let more = |left: u64| if left > 0 { Some(left.saturating_add(amount)) } else { None };
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}
