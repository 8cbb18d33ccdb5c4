//! The budget of a file, and what is charged to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(feature = "scan")]
use super::claim::Help;
use super::claim::{Claim, Counters, Memory, too_much};
use super::counter::Counter;
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::base::stop;

/// Added to the size of a file, so that small files may have large parts.
const SMALL_WORK: u64 = 2 << 20;
/// Added to the size of a file for results.
const SMALL_OUTPUT: u64 = 1 << 20;

/// The remaining budget of a file. Clones share it, and form one [claim](super#memory).
#[derive(Clone, Debug)]
pub struct Budget {
    /// `decoded_bytes` is reduced by the decoded data around the current part.
    pub(super) limits: Limits,
    /// `None` if nothing is counted. Then only the limits of each part apply.
    pub(super) counters: Option<Arc<Claim>>,
    /// The flag of the thread that created this budget, if it had one: reading it is faster than reading that of the current
    /// thread. Otherwise, the flag of the current thread is used.
    pub(super) stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// Creates the budget of a file of this size, with its own memory.
    pub fn new(bytes: u64, limits: &Limits) -> Self {
        Self::sharing(bytes, limits, &Memory::default())
    }

    /// Creates the budget of a file of this size, with shared memory.
    pub(crate) fn sharing(bytes: u64, limits: &Limits, memory: &Memory) -> Self {
        // A higher limit for decoded data also allows more work: `verify` of an archive unpacks twice and reads twice.
        let more = (Amount(limits.decoded_bytes) - Limits::default().decoded_bytes) * 4;
        let work = (Amount(bytes) + SMALL_WORK) * u64::from(limits.work) + more;
        let output = (Amount(bytes) + SMALL_OUTPUT) * u64::from(limits.output);
        let counters = Counters {
            work: Counter::new(work.0, "bytes decoded and looked at for one file", Code::WorkLimit),
            output: Counter::new(output.0, "bytes of results for one file", Code::OutputLimit),
            members: Counter::new(limits.archive_members.into(), "members in an archive", Code::ArchiveMembersLimit),
            memory: memory.clone(),
            help: None,
        };
        let claim = Claim::new(counters.into(), None, limits.decoded_bytes);
        Self { limits: *limits, counters: Some(claim), stop: stop::switch() }
    }

    /// Returns true if the caller [stopped](crate::Until) the work.
    pub(super) fn is_stopped(&self) -> bool {
        match &self.stop {
            Some(stop) => stop.load(Ordering::Relaxed),
            None => stop::is_guarded() && stop::is_set(),
        }
    }

    /// Returns an error if the caller stopped the work. Charges nothing.
    pub(crate) fn check_stop(&self) -> Result<()> {
        if self.is_stopped() { Err(stop::error()) } else { Ok(()) }
    }

    /// Puts the [claim](super#memory) inside that of another budget, as if it were forked there, with the limits of
    /// that budget.
    #[cfg(feature = "scan")]
    pub(crate) fn inside(mut self, around: &Self) -> Self {
        self.limits = around.limits;
        if let Some(claim) = self.counters.as_mut().and_then(Arc::get_mut) {
            claim.around.clone_from(&around.counters);
            claim.most = around.limits.decoded_bytes;
        }
        self
    }

    /// Adds helpers for [`share_out`](Self::share_out). Does nothing if nothing is counted, or if a clone or a fork
    /// shares this budget, which must not change for others.
    #[cfg(feature = "scan")]
    pub(crate) fn helped_by(mut self, help: Arc<dyn Help>) -> Self {
        if let Some(claim) = self.counters.as_mut().and_then(Arc::get_mut)
            && let Some(counters) = Arc::get_mut(&mut claim.counters)
        {
            counters.help = Some(help);
        }
        self
    }

    /// Returns the same budget with its own [claim](super#memory), for another thread or task.
    ///
    /// The new claim may hold as much as the [limits](Self::limits) here allow: [`Limits::decoded_bytes`], less the data
    /// whose [own budget](super::Held::budget) this is. Other memory that this claim holds does not count, because then the
    /// limit would depend on when a thread forks. So a claim can keep 200 MiB of its 256 MiB while a fork holds another
    /// 256 MiB. To make them count, fork the budget of the held memory.
    ///
    /// A thread that holds memory through one claim and takes it through another may deadlock with itself.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut fork = Self { limits: self.limits, counters: None, stop: self.stop.clone() };
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
        Self { limits: *limits, counters: None, stop: stop::switch() }
    }

    /// Returns the limits for parts opened within this budget. Its [`Limits::decoded_bytes`] are those that remain.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Charges for bytes that are about to be decoded or examined one by one.
    ///
    /// # Errors
    /// Returns a [`Limit`](crate::ErrorKind::Limit) error if less work remains; all later charges fail too. Returns
    /// [`Cancelled`](crate::ErrorKind::Cancelled) if the caller [stopped](crate::Until) the work.
    pub fn charge_work(&self, bytes: u64) -> Result<()> {
        self.check_stop()?;
        match &self.counters {
            Some(counters) => counters.work.take(bytes),
            None => Ok(()),
        }
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
    pub fn can_afford(&self, work: u64, output: u64, memory: u64) -> bool {
        let Some(claim) = &self.counters else { return memory <= self.limits.decoded_bytes };
        claim.work.has(work) && claim.output.has(output) && self.room() >= memory
    }

    /// Returns the bytes of memory that may still be held: those that this claim has left, at most
    /// [`Limits::decoded_bytes`].
    pub(crate) fn room(&self) -> u64 {
        let Some(claim) = &self.counters else { return self.limits.decoded_bytes };
        let left = claim.most.saturating_sub(claim.held.load(Ordering::Relaxed));
        left.min(self.limits.decoded_bytes)
    }

    /// Charges for bytes of results.
    ///
    /// # Errors
    /// Returns an error if less output remains; all later charges for output fail too.
    pub fn charge_output(&self, bytes: u64) -> Result<()> {
        match &self.counters {
            Some(counters) => counters.output.take(bytes),
            None => Ok(()),
        }
    }

    /// Charges for the members of an archive, including those of archives in it.
    ///
    /// # Errors
    /// Returns an error if fewer members remain; all later charges for members fail too.
    pub fn charge_members(&self, count: u64) -> Result<()> {
        match &self.counters {
            Some(counters) => counters.members.take(count),
            None => Ok(()),
        }
    }

    /// Returns the decoded bytes that remain after this many more, or an error if fewer remain.
    pub(super) fn room_beside(&self, bytes: u64) -> Result<u64> {
        let left = self.limits.decoded_bytes;
        // The message names the whole limit: what is left of it, perhaps nothing, would mislead.
        let limit = match &self.counters {
            Some(claim) => claim.most,
            None => left,
        };
        left.checked_sub(bytes).ok_or_else(|| too_much(limit))
    }
}
