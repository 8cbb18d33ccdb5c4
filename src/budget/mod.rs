//! Bounds on the total cost of one outer file, however its parts are nested.
//!
//! [`Limits`] bound each part by itself, such as the size of an inflated member or of a decoded block. Nesting
//! multiplies these: archives in archives, members with blocks, blocks over the same few bytes. A [`Budget`] bounds the
//! product. It is created for a file, shared by all threads that work on it, and charged **before** each piece of work.
//!
//! # Memory
//!
//! A budget also bounds the decoded data in memory at one time, for a whole run. Other data that grows with a file,
//! such as the names of members and of other files, counts as well. Memory belongs to a *claim*. A budget, its clones
//! and all memory held through them form one claim, on whatever threads they are used. A claim holds at most
//! [`Limits::decoded_bytes`], in one piece or in many. More is an error ([`Limit`](crate::ErrorKind::Limit)). This
//! depends on the file alone, never on other claims. [`Budget::fork`] makes another claim for another thread or task.
//!
//! Memory comes from a shared *pool* of 64 MiB. When it is empty, one claim at a time, together with the claims forked
//! inside it, continues in a reserve, the *lane*. The lane has room for a whole claim, so its owner never waits for more,
//! and every other claim waits only for one that makes progress. In total, all claims hold at most the pool and one full
//! claim. A fork in the lane may exceed this, because it has a full claim in addition to those it was forked inside: see
//! [`Budget::fork`].
//!
//! # Threads
//!
//! Each thread that works on a file takes a fork. A thread that waits for helpers lets them fork its own budget, so
//! that they share its lane.
//!
//! ```
//! use meshpeek::{Budget, Limits};
//!
//! let budget = Budget::new(1 << 20, &Limits::default());
//! std::thread::scope(|scope| {
//!     for _ in 0..4 {
//!         let budget = budget.fork();
//!         scope.spawn(move || {
//!             let held = budget.take(1 << 16)?; // waits where other threads have the memory
//!             let more = budget.take(1 << 16)?; // never waits for the line above
//!             drop((held, more));
//!             Ok::<(), meshpeek::Error>(())
//!         });
//!     }
//! });
//! ```
//!
//! # Tasks
//!
//! A task that waits in [`take`](Budget::take) blocks its thread, which another task may need to make progress. In an
//! executor, or in a work-stealing thread pool, use [`try_take`](Budget::try_take), which never waits, and yield if it
//! returns `None`. Alternatively, do the whole job, from the first `take` to the drop, in a thread that may block, such
//! as that of `spawn_blocking`.
//!
//! ```
//! # use meshpeek::{Budget, Result, budget::Held};
//! # async fn yield_now() {}
//! async fn take(budget: &Budget, bytes: u64) -> Result<Held> {
//!     loop {
//!         match budget.try_take(bytes)? {
//!             Some(held) => return Ok(held),
//!             None => yield_now().await,
//!         }
//!     }
//! }
//! # let budget = Budget::new(0, &Default::default());
//! # pollster::block_on(take(&budget, 5)).unwrap();
//! ```
//!
//! # Memory that grows
//!
//! A [`Reservation`] takes memory and work in steps, for code that builds a value piece by piece.

mod claim;
mod held;
mod line;
mod reservation;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::claim::{Claim, Counters, too_much};
use self::held::Store;
use self::line::Line;
use crate::base::error::Result;
use crate::base::limits::{Limits, flag};
use crate::base::stop;

pub(crate) use self::claim::Counter;
#[cfg(feature = "scan")]
pub(crate) use self::claim::Help;
#[cfg(feature = "scan")]
pub(crate) use self::held::Advance;
pub use self::held::Held;
pub(crate) use self::line::Memory;
pub use self::reservation::Reservation;

/// Added to the size of a file, so that small files may have large parts.
const SMALL_WORK: u64 = 2 << 20;
/// Added to the size of a file for results.
const SMALL_OUTPUT: u64 = 1 << 20;

/// The work that must remain for blocks to be decoded ahead of time.
#[cfg(feature = "scan")]
const AMPLE_WORK: u64 = 64 << 20;

/// The remaining budget of a file. Clones share it, and form one [claim](self#memory).
#[derive(Clone, Debug)]
pub struct Budget {
    /// `decoded_bytes` is reduced by the decoded data around the current part.
    limits: Limits,
    /// `None` if nothing is counted. Then only the limits of each part apply.
    counters: Option<Arc<Claim>>,
}

impl Budget {
    /// Creates the budget of a file of this size, with its own memory.
    pub fn new(bytes: u64, limits: &Limits) -> Self {
        Self::sharing(bytes, limits, &Memory::default())
    }

    /// Creates the budget of a file of this size, with shared memory.
    pub(crate) fn sharing(bytes: u64, limits: &Limits, memory: &Memory) -> Self {
        // A higher limit for decoded data also allows more work: `verify` of an archive unpacks twice and reads twice.
        let more = limits.decoded_bytes.saturating_sub(Limits::default().decoded_bytes).saturating_mul(4);
        let work = bytes.saturating_add(SMALL_WORK).saturating_mul(limits.work.into()).saturating_add(more);
        let output = bytes.saturating_add(SMALL_OUTPUT).saturating_mul(limits.output.into());
        let counters = Counters {
            work: Counter::new(work, "bytes decoded and looked at for one file", flag::WORK),
            output: Counter::new(output, "bytes of results for one file", flag::OUTPUT),
            members: Counter::new(limits.archive_members.into(), "members in an archive", flag::ARCHIVE_MEMBERS),
            memory: memory.clone(),
            stop: Arc::default(),
            help: None,
        };
        Self { limits: *limits, counters: Some(Claim::new(counters.into(), None, limits.decoded_bytes)) }
    }

    /// Returns the counters while nothing else shares it.
    fn own_counters(&mut self) -> Option<&mut Counters> {
        let claim = self.counters.as_mut().and_then(Arc::get_mut)?;
        Arc::get_mut(&mut claim.counters)
    }

    /// Refuses further work once the flag is set, so that the work can be cancelled.
    #[must_use]
    pub fn until(mut self, stop: Arc<AtomicBool>) -> Self {
        if let Some(counters) = self.own_counters() {
            counters.stop = stop;
        }
        self
    }

    /// Puts the [claim](self#memory) inside that of another budget, as if it were forked there.
    #[cfg(feature = "scan")]
    pub(crate) fn inside(mut self, around: &Self) -> Self {
        self.limits = around.limits;
        if let Some(claim) = self.counters.as_mut().and_then(Arc::get_mut) {
            claim.around.clone_from(&around.counters);
            claim.most = around.limits.decoded_bytes;
        }
        self
    }

    /// Adds helpers for [`share_out`](Self::share_out).
    #[cfg(feature = "scan")]
    pub(crate) fn helped_by(mut self, help: Arc<dyn Help>) -> Self {
        if let Some(counters) = self.own_counters() {
            counters.help = Some(help);
        }
        self
    }

    /// Returns the same budget with its own [claim](self#memory), for another thread or task.
    ///
    /// The new claim may hold as much as the [limits](Self::limits) here allow: [`Limits::decoded_bytes`], less the data
    /// whose [own budget](Held::budget) this is. Other memory that this claim holds does not count, because then the
    /// limit would depend on when a thread forks. So a claim can keep 200 MiB of its 256 MiB while a fork holds another
    /// 256 MiB. To make them count, fork the budget of the held memory.
    ///
    /// A thread that holds memory through one claim and takes it through another may deadlock with itself.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut fork = Self::unlimited(&self.limits);
        if let Some(claim) = &self.counters {
            fork.counters = Some(Claim::new(claim.counters.clone(), Some(claim.clone()), self.limits.decoded_bytes));
        }
        fork
    }

    /// Runs the closure on this thread, and at the same time on those that may help.
    pub(crate) fn share_out(&self, work: &(dyn Fn() + Sync)) {
        if let Some(counters) = &self.counters
            && let Some(help) = &counters.help
        {
            return help.join_in(work);
        }
        work();
    }

    /// Creates a budget without counting. Only the limits of each part apply.
    pub fn unlimited(limits: &Limits) -> Self {
        Self { limits: *limits, counters: None }
    }

    /// Returns the limits for parts opened within this budget. Its [`Limits::decoded_bytes`] are those that remain.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Charges for bytes that are about to be decoded or examined one by one.
    ///
    /// # Errors
    /// Returns a [`Limit`](crate::ErrorKind::Limit) error if less work remains; all later charges fail too. Returns an
    /// error if the run was stopped.
    pub fn work(&self, bytes: u64) -> Result<()> {
        let Some(counters) = &self.counters else { return Ok(()) };
        if counters.stop.load(Ordering::Relaxed) {
            return Err(stop::error());
        }
        counters.work.take(bytes)
    }

    /// Adds bytes to the size of the file, such as those of a separate image that is read with it.
    pub fn add_bytes(&self, bytes: u64) {
        if let Some(counters) = &self.counters {
            counters.work.add(bytes.saturating_mul(self.limits.work.into()));
            counters.output.add(bytes.saturating_mul(self.limits.output.into()));
        }
    }

    /// Returns true if this much work and output could be charged now, and this much memory taken. Unlike a failed
    /// charge, it does not change the budget. Use it to skip a single part.
    pub fn affords(&self, work: u64, output: u64, memory: u64) -> bool {
        let Some(claim) = &self.counters else { return memory <= self.limits.decoded_bytes };
        claim.work.has(work) && claim.output.has(output) && self.room() >= memory
    }

    /// Returns the bytes that this claim may still hold here.
    fn room(&self) -> u64 {
        let Some(claim) = &self.counters else { return self.limits.decoded_bytes };
        let left = claim.most.saturating_sub(claim.held.load(Ordering::Relaxed));
        left.min(self.limits.decoded_bytes)
    }

    /// Charges for bytes of results.
    ///
    /// # Errors
    /// Returns an error if less output remains; all later charges for output fail too.
    pub fn output(&self, bytes: u64) -> Result<()> {
        match &self.counters {
            Some(counters) => counters.output.take(bytes),
            None => Ok(()),
        }
    }

    /// Charges for the members of an archive, including those of archives in it.
    ///
    /// # Errors
    /// Returns an error if fewer members remain; all later charges for members fail too.
    pub fn members(&self, count: u64) -> Result<()> {
        match &self.counters {
            Some(counters) => counters.members.take(count),
            None => Ok(()),
        }
    }

    /// Charges for bytes that are about to be decoded, and takes memory for them.
    ///
    /// # Errors
    /// Returns the errors of [`work`](Self::work) and [`hold`](Self::hold).
    pub fn take(&self, bytes: u64) -> Result<Held> {
        // If the bytes alone exceed the limit, that error says more than one about spent work.
        self.room_beside(bytes)?;
        self.work(bytes)?;
        self.hold(bytes)
    }

    /// Like [`take`](Self::take), but never waits. Returns `None`, and charges nothing, if other claims have the memory
    /// now.
    ///
    /// # Errors
    /// Returns the errors of [`take`](Self::take).
    pub fn try_take(&self, bytes: u64) -> Result<Option<Held>> {
        let Some(held) = self.try_hold(bytes)? else { return Ok(None) };
        self.work(bytes)?;
        Ok(Some(held))
    }

    /// Returns the decoded bytes that remain after this many more.
    fn room_beside(&self, bytes: u64) -> Result<u64> {
        let limit = self.limits.decoded_bytes;
        limit.checked_sub(bytes).ok_or_else(|| too_much(limit))
    }

    /// Takes memory for bytes that are about to be decoded. Waits while other claims have it, but never for this claim
    /// or for a claim that is itself waiting.
    ///
    /// To take memory for parts of the held data, use its [own budget](Held::budget), whose [limits](Self::limits) are
    /// those that remain.
    ///
    /// # Errors
    /// Returns a [`Limit`](crate::ErrorKind::Limit) error if these bytes, together with all others that this
    /// [claim](self#memory) holds, exceed [`Limits::decoded_bytes`].
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

    /// Takes memory from the pool, or else through `enter`. The `bool` is true if it got the memory.
    fn hold_or(&self, bytes: u64, enter: fn(&Line, &Arc<Claim>) -> bool) -> Result<(Held, bool)> {
        let limits = Limits { decoded_bytes: self.room_beside(bytes)?, ..self.limits };
        let inside = Self { limits, counters: self.counters.clone() };
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

    /// Like [`hold`](Self::hold), for data that is not part of anything decoded, such as names. Takes at most the
    /// remaining bytes.
    #[cfg(feature = "scan")]
    pub(crate) fn hold_up_to(&self, bytes: u64) -> Result<Held> {
        self.hold(bytes.min(self.room()))
    }

    /// Charges for bytes that are decoded ahead of time, and takes memory for them. Returns `None` if memory or work is
    /// scarce, so that others are not affected.
    #[cfg(feature = "scan")]
    pub(crate) fn advance(&self, bytes: u64) -> Option<Advance> {
        let Some(counters) = &self.counters else { return Some(Advance { counters: None, bytes }) };
        if counters.stop.load(Ordering::Relaxed) || !counters.memory.take(bytes) {
            return None;
        }
        let advance = Advance { counters: Some(counters.clone()), bytes };
        if counters.work.take_spare(bytes, AMPLE_WORK) { Some(advance) } else { None }
    }
}
