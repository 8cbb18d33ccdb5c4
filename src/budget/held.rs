//! Memory that is held, and work that is charged ahead of time.

use std::sync::Arc;

use super::claim::{Claim, Line};
use super::remaining::Budget;
use crate::base::error::Result;
use crate::base::limits::Limits;

/// The work that must remain for blocks to be decoded ahead of time.
#[cfg(feature = "scan")]
const AMPLE_WORK: u64 = 64 << 20;

/// Memory that is held until this is dropped.
#[derive(Debug)]
pub struct Held {
    inside: Budget,
    bytes: u64,
    /// The store to which the memory returns on drop.
    from: Store,
}

impl Held {
    /// Returns the budget for parts of the data decoded there.
    pub fn budget(&self) -> &Budget {
        &self.inside
    }

    /// Gives back all memory but this many bytes. Call it before anything takes memory from the inner budget.
    #[cfg(feature = "scan")]
    pub(crate) fn shrink(&mut self, bytes: u64) {
        let Some(claim) = &self.inside.counters else { return };
        let kept = bytes.min(self.bytes);
        let freed = self.bytes.saturating_sub(kept);
        match self.from {
            Store::Pool => claim.memory.give(freed),
            // The lane has room for a whole claim, so it is left as soon as the pool has room for the rest.
            Store::Lane if claim.memory.take(kept) => {
                claim.memory.line.leave(claim);
                self.from = Store::Pool;
            }
            _ => {}
        }
        claim.remove(freed);
        self.bytes = kept;
    }

    /// Gives back the memory, and the charge for the work too, because the caller pays for the same work.
    #[cfg(feature = "scan")]
    pub(crate) fn refund(self) {
        if let Some(claim) = &self.inside.counters {
            claim.work.give_back(self.bytes);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(claim) = &self.inside.counters else { return };
        match self.from {
            Store::Uncounted => {}
            Store::Pool => claim.memory.give(self.bytes),
            Store::Lane => claim.memory.line.leave(claim),
            #[cfg(feature = "scan")]
            // Never counted for the claim, so nothing is removed from it.
            Store::Ahead => return claim.memory.give(self.bytes),
        }
        claim.remove(self.bytes);
    }
}

/// Where held memory was taken from.
#[derive(Debug)]
enum Store {
    /// Nowhere: the budget counts nothing, or there was no memory.
    Uncounted,
    Pool,
    Lane,
    /// The pool, but the bytes do not count for the claim.
    #[cfg(feature = "scan")]
    Ahead,
}

impl Budget {
    /// Charges for bytes that are about to be decoded, and takes memory for them.
    ///
    /// # Errors
    /// Returns the errors of [`charge_work`](Self::charge_work) and [`hold`](Self::hold).
    pub fn charge_and_hold(&self, bytes: u64) -> Result<Held> {
        // If the bytes alone exceed the limit, that error says more than one about spent work.
        self.room_beside(bytes)?;
        self.charge_work(bytes)?;
        self.hold(bytes)
    }

    /// Takes memory for bytes that are about to be decoded. Waits while other claims have it, but never for this claim
    /// or for a claim that is itself waiting.
    ///
    /// To take memory for parts of the held data, use its [own budget](Held::budget), whose [limits](Self::limits) are
    /// those that remain.
    ///
    /// # Errors
    /// Returns a [`Limit`](crate::ErrorKind::Limit) error if these bytes, together with all others that this
    /// [claim](super#memory) holds, exceed [`Limits::decoded_bytes`].
    pub fn hold(&self, bytes: u64) -> Result<Held> {
        let (held, _) = self.hold_or(bytes, Line::enter)?;
        Ok(held)
    }

    /// Like [`hold`](Self::hold), but never waits. Returns `None` if other claims have the memory now.
    ///
    /// # Errors
    /// Returns the errors of [`hold`](Self::hold).
    pub fn try_hold(&self, bytes: u64) -> Result<Option<Held>> {
        let (held, is_there) = self.hold_or(bytes, Line::try_enter)?;
        Ok(if is_there { Some(held) } else { None })
    }

    /// Takes memory from the pool, or else from the lane if `enter` returns true. The `bool` is true if it got the
    /// memory.
    fn hold_or(&self, bytes: u64, enter: fn(&Line, &Arc<Claim>) -> bool) -> Result<(Held, bool)> {
        let limits = Limits { decoded_bytes: self.room_beside(bytes)?, ..self.limits };
        let inside = Self { limits, counters: self.counters.clone(), stop: self.stop.clone() };
        let Some(claim) = &self.counters else { return Ok((Held { inside, bytes, from: Store::Uncounted }, true)) };
        claim.add(bytes)?;
        // From here on, dropping `held` returns what was taken.
        let mut held = Held { inside, bytes, from: Store::Uncounted };
        if claim.memory.take(bytes) {
            held.from = Store::Pool;
        } else if enter(&claim.memory.line, claim) {
            held.from = Store::Lane;
        }
        let is_there = !matches!(held.from, Store::Uncounted);
        Ok((held, is_there))
    }

    /// Charges for bytes that are decoded ahead of time, and takes memory for them. Returns `None` if memory or work is
    /// scarce, so that others are not affected.
    #[cfg(feature = "scan")]
    pub(crate) fn take_ahead(&self, bytes: u64) -> Option<Held> {
        let Some(claim) = &self.counters else {
            return Some(Held { inside: self.clone(), bytes, from: Store::Uncounted });
        };
        if self.is_stopped() || !claim.memory.take(bytes) {
            return None;
        }
        let held = Held { inside: self.clone(), bytes, from: Store::Ahead };
        // Without enough work, dropping `held` gives the memory back.
        if claim.work.take_spare(bytes, AMPLE_WORK) { Some(held) } else { None }
    }
}

#[cfg(all(test, feature = "scan"))]
mod tests {
    use crate::base::limits::Limits;
    use crate::budget::{Budget, Memory};

    #[test]
    fn what_cannot_be_taken_ahead_changes_nothing() {
        let (memory, limits) = (Memory::default(), Limits::default());
        let size = limits.decoded_bytes;
        let other = Budget::sharing(size, &limits, &memory);
        let budget = Budget::sharing(size, &limits, &memory);
        let room = budget.room();
        let all = other.hold(64 << 20).unwrap();
        assert!(budget.take_ahead(1).is_none());
        assert_eq!(budget.room(), room);
        drop(all);
        // The memory that is taken ahead does not count for the claim, and comes back.
        for _ in 0..3 {
            let ahead = budget.take_ahead(64 << 20).unwrap();
            assert_eq!(budget.room(), room);
            assert!(other.take_ahead(1).is_none());
            drop(ahead);
        }
        let held = budget.hold(1).unwrap();
        assert_eq!(budget.room(), room - 1);
        drop(held);
        assert_eq!(budget.room(), room);
    }
}
