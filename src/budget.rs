//! What one outer file may cost, however its parts are packed into each other.
//!
//! Each part of a file is bounded by itself: a member inflates to so much, a block to so much. What is in it multiplies:
//! archives in archives, members with blocks, blocks with the same few bytes. A [`Budget`] bounds the product. It is
//! made for a file, shared by all threads that work on it, and charged **before** each piece of work.
//!
//! # Memory
//!
//! What is decoded and alive at once is bounded too, for a whole run, and with it what grows with a file by other ways:
//! names of members and of other files. Nobody may wait for memory while another waits for
//! his, and what is refused must not depend on which thread came first. So there are two stores. From the *pool* takes
//! whoever comes, as long as it lasts. Who finds it empty takes the *lane*, in which one goes at a time: it has room for
//! all that one chain of decoded parts in decoded parts may hold ([`Limits::decoded_bytes`]), so that who is in it never
//! waits for more. Parts inside have a lane of their own, within the room of the one around them. Who waits for a lane
//! therefore waits for somebody who gets on, whatever he himself holds. What a chain may hold is decided by the file
//! alone: then the error is [`Limit`](crate::ErrorKind::Limit).

#[cfg(feature = "zip")]
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crate::base::error::{Error, Result};
use crate::base::limits::{Limits, flag};

/// How much larger than it is a file counts, so that small ones may have large parts.
const SMALL_WORK: u64 = 2 << 20;
/// The same for results.
const SMALL_OUTPUT: u64 = 1 << 20;

/// Work is done ahead of time only where so much is left.
#[cfg(feature = "scan")]
const AMPLE_WORK: u64 = 64 << 20;

/// How many bytes all threads together may hold, beside the one chain in the lane.
const POOL: u64 = 64 << 20;

/// What is left of what a file may cost. Clones share it.
#[derive(Clone, Debug)]
pub struct Budget {
    /// With the bytes that may still be decoded around what is held already.
    limits: Limits,
    /// `None` where nothing is counted: then the limits of each part hold alone.
    purse: Option<Arc<Share>>,
    /// The way to memory where the pool is empty; `None` for that of the run.
    lane: Option<Arc<Lane>>,
}

/// A thread's hold of a purse. Threads that counted clones of one and the same would wait for each other.
#[derive(Debug)]
struct Share(Arc<Purse>);

impl Deref for Share {
    type Target = Purse;

    fn deref(&self) -> &Purse {
        &self.0
    }
}

#[derive(Debug)]
struct Purse {
    work: Pot,
    output: Pot,
    members: Pot,
    memory: Memory,
    stop: Arc<AtomicBool>,
    #[cfg(feature = "zip")]
    help: Option<Arc<dyn Help>>,
}

/// Threads that join in with work that is shared out piece by piece.
#[cfg(feature = "zip")]
pub(crate) trait Help: fmt::Debug + Send + Sync {
    /// Calls it on this thread, and at the same time on those that are free.
    fn join_in(&self, work: &(dyn Fn() + Sync));
}

#[derive(Debug)]
struct Pot {
    left: AtomicU64,
    whole: u64,
    what: &'static str,
    flag: &'static str,
}

impl Pot {
    fn new(whole: u64, what: &'static str, flag: &'static str) -> Self {
        Self { left: AtomicU64::new(whole), whole, what, flag }
    }

    /// Takes so much; a pot that has not enough is empty from then on, so that what follows costs nothing.
    fn take(&self, amount: u64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount));
        taken.map(drop).map_err(|_| {
            self.left.store(0, Ordering::Relaxed);
            Error::limit(self.what, self.whole, self.flag)
        })
    }
}

impl Budget {
    /// That of a file of so many bytes, with memory of its own.
    pub fn new(bytes: u64, limits: &Limits) -> Self {
        Self::sharing(bytes, limits, &Memory::default())
    }

    /// That of a file of so many bytes, with memory that others use too.
    pub(crate) fn sharing(bytes: u64, limits: &Limits, memory: &Memory) -> Self {
        let times = |small: u64, factor: u32| bytes.saturating_add(small).saturating_mul(factor.into());
        // Who lets more be decoded lets it be looked at: unpacked twice and read twice, by `verify` of an archive.
        let more = limits.decoded_bytes.saturating_sub(Limits::default().decoded_bytes).saturating_mul(4);
        let work = times(SMALL_WORK, limits.work).saturating_add(more);
        let purse = Purse {
            work: Pot::new(work, "bytes decoded and looked at for one file", flag::WORK),
            output: Pot::new(times(SMALL_OUTPUT, limits.output), "bytes of results for one file", flag::OUTPUT),
            members: Pot::new(limits.archive_members.into(), "members in an archive", flag::ARCHIVE_MEMBERS),
            memory: memory.clone(),
            stop: Arc::default(),
            #[cfg(feature = "zip")]
            help: None,
        };
        Self { limits: *limits, lane: None, purse: Some(Arc::new(Share(purse.into()))) }
    }

    /// The purse, as long as nobody shares it.
    fn own_purse(&mut self) -> Option<&mut Purse> {
        let share = self.purse.as_mut().and_then(Arc::get_mut)?;
        Arc::get_mut(&mut share.0)
    }

    /// The same, refusing further work once the flag is set: for work that somebody may want to end.
    #[must_use]
    pub fn until(mut self, stop: Arc<AtomicBool>) -> Self {
        if let Some(purse) = self.own_purse() {
            purse.stop = stop;
        }
        self
    }

    /// The same with others who help: see [`share_out`](Self::share_out).
    #[cfg(feature = "scan")]
    pub(crate) fn helped_by(mut self, help: Arc<dyn Help>) -> Self {
        if let Some(purse) = self.own_purse() {
            purse.help = Some(help);
        }
        self
    }

    /// The same for one thread, which does not wait for others while it clones it.
    #[cfg(feature = "scan")]
    pub(crate) fn of_thread(&self) -> Self {
        let purse = self.purse.as_ref().map(|purse| Arc::new(Share(purse.0.clone())));
        Self { limits: self.limits, purse, lane: self.lane.clone() }
    }

    /// Calls it on this thread, and at the same time on those that may help.
    #[cfg(feature = "zip")]
    pub(crate) fn share_out(&self, work: &(dyn Fn() + Sync)) {
        match self.purse.as_ref().and_then(|purse| purse.help.as_ref()) {
            Some(help) => help.join_in(work),
            None => work(),
        }
    }

    /// None: nothing is counted, and each part is bounded by the limits alone.
    pub fn unlimited(limits: &Limits) -> Self {
        Self { limits: *limits, purse: None, lane: None }
    }

    /// The limits for what is opened within this budget: of [`Limits::decoded_bytes`] those that are left.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Charges for bytes that are about to be decoded, or to be looked at one by one.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) where less is left, and from then on; where the run was stopped, too.
    pub fn work(&self, bytes: u64) -> Result<()> {
        let Some(purse) = &self.purse else { return Ok(()) };
        if purse.stop.load(Ordering::Relaxed) {
            return Err(std::io::Error::from(std::io::ErrorKind::Interrupted).into());
        }
        purse.work.take(bytes)
    }

    /// Charges for bytes of results.
    ///
    /// # Errors
    /// As [`work`](Self::work).
    pub fn output(&self, bytes: u64) -> Result<()> {
        self.purse.as_ref().map_or(Ok(()), |purse| purse.output.take(bytes))
    }

    /// Charges for the members of an archive, those of archives in it among them.
    ///
    /// # Errors
    /// As [`work`](Self::work).
    pub fn members(&self, count: u64) -> Result<()> {
        self.purse.as_ref().map_or(Ok(()), |purse| purse.members.take(count))
    }

    /// Charges for bytes that are about to be decoded, and takes memory for them.
    ///
    /// # Errors
    /// As [`work`](Self::work) and [`hold`](Self::hold).
    pub fn take(&self, bytes: u64) -> Result<Held> {
        // That they are too many for themselves says more than that others were before them.
        self.room_beside(bytes)?;
        self.work(bytes)?;
        self.hold(bytes)
    }

    /// What is left beside so many more decoded bytes.
    fn room_beside(&self, bytes: u64) -> Result<u64> {
        let limit = self.limits.decoded_bytes;
        limit.checked_sub(bytes).ok_or_else(|| Error::limit("decoded bytes at once", limit, flag::DECODED))
    }

    /// Takes memory for bytes that are about to be decoded. Waits where others have it, but never for somebody who waits.
    ///
    /// Who holds some already asks the [budget of that](Held::budget) for more.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) where they, with those around them, are more than [`Limits::decoded_bytes`];
    /// perhaps also where the same thread holds some of this very budget.
    pub fn hold(&self, bytes: u64) -> Result<Held> {
        let limits = Limits { decoded_bytes: self.room_beside(bytes)?, ..self.limits };
        let mut inside = Self { limits, purse: self.purse.clone(), lane: self.lane.clone() };
        let from = match &self.purse {
            Some(purse) if !purse.memory.take(bytes) => {
                let lane = self.lane.as_ref().unwrap_or(&purse.memory.lane);
                if !lane.enter() {
                    return Err(Error::limit("decoded bytes side by side", self.limits.decoded_bytes, flag::DECODED));
                }
                inside.lane = Some(Arc::default());
                Store::Lane(lane.clone())
            }
            Some(_) => Store::Pool(bytes),
            None => Store::Uncounted,
        };
        Ok(Held { inside, from })
    }

    /// The same for what is no part of anything decoded, such as names: as many bytes of it as there is room for.
    ///
    /// # Errors
    /// Only where the same thread holds some of this very budget.
    #[cfg(feature = "scan")]
    pub(crate) fn hold_up_to(&self, bytes: u64) -> Result<Held> {
        self.hold(bytes.min(self.limits.decoded_bytes))
    }

    /// Charges for bytes that are decoded before anybody asks, and takes memory for them. `None` where it might matter to
    /// others: where memory is short, or work.
    #[cfg(feature = "scan")]
    pub(crate) fn advance(&self, bytes: u64) -> Option<Advance> {
        let Some(purse) = &self.purse else { return Some(Advance { purse: None, bytes }) };
        if purse.stop.load(Ordering::Relaxed) || !purse.memory.take(bytes) {
            return None;
        }
        let advance = Advance { purse: Some(purse.clone()), bytes };
        let spare = |left: u64| left.checked_sub(bytes).filter(|&left| left >= AMPLE_WORK);
        purse.work.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spare).is_ok().then_some(advance)
    }
}

/// What was charged ahead of time, and its memory, until this is dropped.
#[cfg(feature = "scan")]
pub(crate) struct Advance {
    purse: Option<Arc<Share>>,
    bytes: u64,
}

#[cfg(feature = "scan")]
impl Advance {
    /// Gives the charge back to one who pays for the same.
    pub(crate) fn settle(self) {
        if let Some(purse) = &self.purse {
            // One that was found empty stays so.
            let more = |left: u64| (left > 0).then(|| left.saturating_add(self.bytes));
            let _ = purse.work.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }
}

#[cfg(feature = "scan")]
impl Drop for Advance {
    fn drop(&mut self) {
        if let Some(purse) = &self.purse {
            purse.memory.give(self.bytes);
        }
    }
}

/// Memory for what is decoded, of a whole run. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pool: Arc<AtomicU64>,
    lane: Arc<Lane>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { pool: Arc::new(POOL.into()), lane: Arc::default() }
    }
}

impl Memory {
    fn take(&self, bytes: u64) -> bool {
        // Most take nothing, and threads wait for each other over this number.
        bytes == 0
            || self.pool.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    fn give(&self, bytes: u64) {
        if bytes > 0 {
            self.pool.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

/// Memory that one chain of decoded parts uses at a time.
#[derive(Debug, Default)]
struct Lane {
    user: Mutex<Option<ThreadId>>,
    freed: Condvar,
}

impl Lane {
    /// Waits for the lane; not for this very thread, which would be for ever: then it is not entered.
    fn enter(&self) -> bool {
        let me = thread::current().id();
        let user = self.user.lock().unwrap_or_else(PoisonError::into_inner);
        if *user == Some(me) {
            return false;
        }
        *self.freed.wait_while(user, |user| user.is_some()).unwrap_or_else(PoisonError::into_inner) = Some(me);
        true
    }

    fn leave(&self) {
        *self.user.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.freed.notify_one();
    }
}

/// Memory that is taken, until this is dropped.
#[derive(Debug)]
pub struct Held {
    inside: Budget,
    /// Given back when dropped.
    from: Store,
}

impl Held {
    /// The budget for parts of what is decoded there.
    pub fn budget(&self) -> &Budget {
        &self.inside
    }

    /// Gives back all but so many bytes. To be called before anybody takes more in the budget of what is held.
    #[cfg(feature = "scan")]
    pub(crate) fn shrink(&mut self, bytes: u64) {
        let Some(purse) = &self.inside.purse else { return };
        match &mut self.from {
            Store::Pool(held) => {
                let kept = bytes.min(*held);
                purse.memory.give(held.saturating_sub(kept));
                *held = kept;
            }
            Store::Lane(lane) if purse.memory.take(bytes) => {
                lane.leave();
                self.inside.lane = Some(lane.clone());
                self.from = Store::Pool(bytes);
            }
            _ => {}
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        match (&self.from, &self.inside.purse) {
            (Store::Pool(bytes), Some(purse)) => purse.memory.give(*bytes),
            (Store::Lane(lane), _) => lane.leave(),
            _ => {}
        }
    }
}

#[derive(Debug)]
enum Store {
    Uncounted,
    Pool(u64),
    Lane(Arc<Lane>),
}
