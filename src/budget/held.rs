//! Memory that is held, and work that is charged ahead of time.

use super::Budget;
#[cfg(feature = "scan")]
use super::claim::Claim;
#[cfg(feature = "scan")]
use std::sync::Arc;

/// Memory that is held until this is dropped.
#[derive(Debug)]
pub struct Held {
    pub(super) inside: Budget,
    pub(super) bytes: u64,
    /// The store to which the memory returns on drop.
    pub(super) from: Store,
}

impl Held {
    /// Returns the budget for parts of the data decoded there.
    pub fn budget(&self) -> &Budget {
        &self.inside
    }

    /// Returns all but this many bytes. Call it before anything takes memory from the inner budget.
    #[cfg(feature = "scan")]
    pub(crate) fn shrink(&mut self, bytes: u64) {
        let Some(claim) = &self.inside.counters else { return };
        let kept = bytes.min(self.bytes);
        let freed = self.bytes.saturating_sub(kept);
        match self.from {
            Store::Pool => claim.memory.give(freed),
            Store::Lane if claim.memory.take(kept) => {
                claim.memory.line.leave(claim);
                self.from = Store::Pool;
            }
            _ => {}
        }
        claim.remove(freed);
        self.bytes = kept;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(claim) = &self.inside.counters else { return };
        match self.from {
            Store::Uncounted => {}
            Store::Pool => claim.memory.give(self.bytes),
            Store::Lane => claim.memory.line.leave(claim),
        }
        claim.remove(self.bytes);
    }
}

#[derive(Debug)]
pub(super) enum Store {
    Uncounted,
    Pool,
    Lane,
}

/// Work charged ahead of time, and its memory until this is dropped.
#[cfg(feature = "scan")]
pub(crate) struct Advance {
    pub(super) counters: Option<Arc<Claim>>,
    pub(super) bytes: u64,
}

#[cfg(feature = "scan")]
impl Advance {
    /// Returns the charge, because the caller pays for the same work.
    pub(crate) fn settle(self) {
        if let Some(counters) = &self.counters {
            counters.work.give_back(self.bytes);
        }
    }
}

#[cfg(feature = "scan")]
impl Drop for Advance {
    fn drop(&mut self) {
        if let Some(counters) = &self.counters {
            counters.memory.give(self.bytes);
        }
    }
}
