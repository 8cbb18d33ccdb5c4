//! What one outer file may cost, however its parts are packed into each other.
//!
//! Each part of a file is bounded by itself: a member inflates to so much, a block to so much. What is in it multiplies:
//! archives in archives, members with blocks, blocks with the same few bytes. A [`Budget`] bounds the product. It is
//! made for a file, shared by all threads that work on it, and charged **before** each piece of work.
//!
//! # Memory
//!
//! What is decoded and alive at once is bounded too, for a whole run, and with it what grows with a file by other ways:
//! names of members and of other files. Memory belongs to a *claim*: a budget, its clones and all that is held through
//! them are one claim, on whatever threads they are used. A claim holds at most [`Limits::decoded_bytes`], in one piece
//! or in many; more is an error ([`Limit`](crate::ErrorKind::Limit)). That depends on the file alone, never on other
//! claims. [`Budget::fork`] makes a further claim for another thread or task.
//!
//! There are two stores. All claims take from the *pool* of 64 MiB while it lasts. A claim that finds it empty takes the
//! *lane*, which one claim has at a time, and with it the claims forked inside it. The lane has room for a whole claim, so
//! the claim in it never waits for more, and every other claim waits only for one that gets on. Together they hold the
//! pool and one claim.
//!
//! # Threads
//!
//! Threads that work on one file each take a fork. A thread that waits for its helpers lets them fork a budget of its own,
//! so that they share its lane.
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
//! A task that waits in [`take`](Budget::take) blocks the thread that another task needs to get on. In an executor, and in
//! a pool whose threads steal work, use [`try_take`](Budget::try_take), which never waits, and yield where it gives
//! nothing. Or do the whole job, from the first `take` to the drop, in a thread that may block, such as that of
//! `spawn_blocking`.
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
//! A [`Reservation`] takes memory and work in steps, for code that builds something piece by piece.

use std::cell::{Cell, RefCell};
#[cfg(feature = "zip")]
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::base::error::{Error, Result};
use crate::base::limits::{Limits, flag};

/// How much larger than it is a file counts, so that small ones may have large parts.
const SMALL_WORK: u64 = 2 << 20;
/// The same for results.
const SMALL_OUTPUT: u64 = 1 << 20;

/// Work is done ahead of time only where so much is left.
#[cfg(feature = "scan")]
const AMPLE_WORK: u64 = 64 << 20;

/// How many bytes all claims together may hold, beside the one in the lane.
const POOL: u64 = 64 << 20;

/// What is left of what a file may cost. Clones share it, and are one [claim](self#memory).
#[derive(Clone, Debug)]
pub struct Budget {
    /// With the bytes that may still be decoded around what is held already.
    limits: Limits,
    /// `None` where nothing is counted: then the limits of each part hold alone.
    purse: Option<Arc<Claim>>,
}

/// The holder of memory. A fork also keeps threads from waiting for each other while they count clones.
#[derive(Debug)]
struct Claim {
    purse: Arc<Purse>,
    /// The claim that it was forked from.
    around: Option<Arc<Claim>>,
    /// All that is held, and the most that may be.
    held: AtomicU64,
    most: u64,
}

impl Claim {
    fn new(purse: Arc<Purse>, around: Option<Arc<Claim>>, most: u64) -> Arc<Self> {
        Arc::new(Self { purse, around, held: AtomicU64::new(0), most })
    }

    /// Whether it is this one, or was forked inside it.
    fn is_within(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        std::iter::successors(Some(self), |claim| claim.around.as_ref()).any(|claim| Arc::ptr_eq(claim, other))
    }

    fn add(&self, bytes: u64) -> Result<()> {
        let sum = |held: u64| held.checked_add(bytes).filter(|held| *held <= self.most);
        let added = bytes == 0 || self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).is_ok();
        if added { Ok(()) } else { Err(too_much(self.most)) }
    }

    fn remove(&self, bytes: u64) {
        if bytes > 0 {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Deref for Claim {
    type Target = Purse;

    fn deref(&self) -> &Purse {
        &self.purse
    }
}

fn too_much(limit: u64) -> Error {
    Error::limit("decoded bytes at once", limit, flag::DECODED)
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
    whole: AtomicU64,
    what: &'static str,
    flag: &'static str,
}

impl Pot {
    fn new(whole: u64, what: &'static str, flag: &'static str) -> Self {
        Self { left: AtomicU64::new(whole), whole: AtomicU64::new(whole), what, flag }
    }

    /// Takes so much; a pot that has not enough is empty from then on, so that what follows costs nothing.
    fn take(&self, amount: u64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(amount));
        taken.map(drop).map_err(|_| {
            self.left.store(0, Ordering::Relaxed);
            Error::limit(self.what, self.whole.load(Ordering::Relaxed), self.flag)
        })
    }

    /// Adds so much, unless it was found empty.
    fn add(&self, amount: u64) {
        let more = |left: u64| Some(left.saturating_add(amount));
        let is_left = |left: u64| more(left).filter(|_| left > 0);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_left).is_ok() {
            let _ = self.whole.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
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
        Self { limits: *limits, purse: Some(Claim::new(purse.into(), None, limits.decoded_bytes)) }
    }

    /// The purse, as long as nobody shares it.
    fn own_purse(&mut self) -> Option<&mut Purse> {
        let claim = self.purse.as_mut().and_then(Arc::get_mut)?;
        Arc::get_mut(&mut claim.purse)
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

    /// The same budget with a [claim](self#memory) of its own, for another thread or task. What it takes counts beside
    /// what is held around it, not beside what else this claim holds.
    ///
    /// A thread that holds memory through one claim and takes it through another may wait for itself.
    #[must_use]
    pub fn fork(&self) -> Self {
        let fork = |claim: &Arc<Claim>| Claim::new(claim.purse.clone(), Some(claim.clone()), self.limits.decoded_bytes);
        Self { limits: self.limits, purse: self.purse.as_ref().map(fork) }
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
        Self { limits: *limits, purse: None }
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

    /// Counts further bytes to the file, such as those of an image beside it that is read too.
    pub fn add_bytes(&self, bytes: u64) {
        if let Some(purse) = &self.purse {
            purse.work.add(bytes.saturating_mul(self.limits.work.into()));
            purse.output.add(bytes.saturating_mul(self.limits.output.into()));
        }
    }

    /// Whether so many bytes of work and of results may be charged now, and memory for so many taken. Unlike a charge that
    /// fails, this leaves the budget as it is, so that one part can be left out.
    pub fn affords(&self, work: u64, output: u64, memory: u64) -> bool {
        let Some(claim) = &self.purse else { return memory <= self.limits.decoded_bytes };
        let has = |pot: &Pot, amount: u64| pot.left.load(Ordering::Relaxed) >= amount;
        has(&claim.work, work) && has(&claim.output, output) && self.room() >= memory
    }

    /// How many bytes this claim may still hold here.
    fn room(&self) -> u64 {
        let left = |claim: &Arc<Claim>| claim.most.saturating_sub(claim.held.load(Ordering::Relaxed));
        self.purse.as_ref().map_or(u64::MAX, left).min(self.limits.decoded_bytes)
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

    /// As [`take`](Self::take), but never waits: `None` where other claims have the memory now. Then nothing is charged.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn try_take(&self, bytes: u64) -> Result<Option<Held>> {
        let held = self.try_hold(bytes)?;
        held.map(|held| self.work(bytes).map(|()| held)).transpose()
    }

    /// What is left beside so many more decoded bytes.
    fn room_beside(&self, bytes: u64) -> Result<u64> {
        let limit = self.limits.decoded_bytes;
        limit.checked_sub(bytes).ok_or_else(|| too_much(limit))
    }

    /// Takes memory for bytes that are about to be decoded. Waits where other claims have it, but never for this one, and
    /// never for one that waits.
    ///
    /// For parts of what is held ask its [own budget](Held::budget), whose [limits](Self::limits) are what is left.
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) where they, with all that this [claim](self#memory) holds, are more than
    /// [`Limits::decoded_bytes`].
    pub fn hold(&self, bytes: u64) -> Result<Held> {
        self.hold_or(bytes, Line::enter).map(|(held, _)| held)
    }

    /// As [`hold`](Self::hold), but never waits: `None` where other claims have the memory now.
    ///
    /// # Errors
    /// As [`hold`](Self::hold).
    pub fn try_hold(&self, bytes: u64) -> Result<Option<Held>> {
        self.hold_or(bytes, Line::try_enter).map(|(held, is_there)| is_there.then_some(held))
    }

    /// Takes memory: from the pool, else by `enter`. Whether it could.
    fn hold_or(&self, bytes: u64, enter: fn(&Line, &Arc<Claim>) -> bool) -> Result<(Held, bool)> {
        let limits = Limits { decoded_bytes: self.room_beside(bytes)?, ..self.limits };
        let inside = Self { limits, purse: self.purse.clone() };
        let Some(claim) = &self.purse else { return Ok((Held { inside, bytes, from: Store::Uncounted }, true)) };
        claim.add(bytes)?;
        // From here on dropping it gives back what was taken.
        let mut held = Held { inside, bytes, from: Store::Uncounted };
        if claim.memory.take(bytes) {
            held.from = Store::Pool;
        } else if enter(&claim.memory.line, claim) {
            held.from = Store::Lane;
        }
        let is_there = !matches!(held.from, Store::Uncounted);
        Ok((held, is_there))
    }

    /// The same for what is no part of anything decoded, such as names: as many bytes of it as there is room for.
    #[cfg(feature = "scan")]
    pub(crate) fn hold_up_to(&self, bytes: u64) -> Result<Held> {
        self.hold(bytes.min(self.room()))
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
    purse: Option<Arc<Claim>>,
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
    line: Arc<Line>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { pool: Arc::new(POOL.into()), line: Arc::default() }
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

/// The claims in the lane, each but the first forked inside the one before it, with how often each entered: for itself,
/// and for those after it.
#[derive(Debug, Default)]
struct Line {
    users: Mutex<Vec<(Arc<Claim>, usize)>>,
    freed: Condvar,
}

impl Line {
    fn users(&self) -> MutexGuard<'_, Vec<(Arc<Claim>, usize)>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the lane; not for this claim, nor for those that it was forked inside.
    fn enter(&self, claim: &Arc<Claim>) -> bool {
        let users = self.users();
        let users = self.freed.wait_while(users, |users| !is_open(users, claim));
        add_user(&mut users.unwrap_or_else(PoisonError::into_inner), claim);
        true
    }

    fn try_enter(&self, claim: &Arc<Claim>) -> bool {
        let mut users = self.users();
        let is_open = is_open(&users, claim);
        if is_open {
            add_user(&mut users, claim);
        }
        is_open
    }

    fn leave(&self, claim: &Arc<Claim>) {
        let mut users = self.users();
        let place = users.iter().position(|(user, _)| Arc::ptr_eq(user, claim));
        let around = place.map_or(0, |place| place.saturating_add(1));
        users.iter_mut().take(around).for_each(|(_, times)| *times = times.saturating_sub(1));
        let before = users.len();
        users.retain(|(_, times)| *times > 0);
        let is_freed = users.len() < before;
        drop(users);
        if is_freed {
            self.freed.notify_all();
        }
    }
}

/// Whether the claim may enter: it is in the lane already, or the last there is one that it was forked inside.
fn is_open(users: &[(Arc<Claim>, usize)], claim: &Arc<Claim>) -> bool {
    let is_in = || users.iter().any(|(user, _)| Arc::ptr_eq(user, claim));
    users.last().is_none_or(|(last, _)| claim.is_within(last)) || is_in()
}

fn add_user(users: &mut Vec<(Arc<Claim>, usize)>, claim: &Arc<Claim>) {
    if !users.iter().any(|(user, _)| Arc::ptr_eq(user, claim)) {
        users.push((claim.clone(), 0));
    }
    for (user, times) in users {
        *times = times.saturating_add(1);
        if Arc::ptr_eq(user, claim) {
            break;
        }
    }
}

/// Memory that is taken, until this is dropped.
#[derive(Debug)]
pub struct Held {
    inside: Budget,
    bytes: u64,
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
        let Some(claim) = &self.inside.purse else { return };
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
        let Some(claim) = &self.inside.purse else { return };
        match self.from {
            Store::Uncounted => {}
            Store::Pool => claim.memory.give(self.bytes),
            Store::Lane => claim.memory.line.leave(claim),
        }
        claim.remove(self.bytes);
    }
}

#[derive(Debug)]
enum Store {
    Uncounted,
    Pool,
    Lane,
}

/// What is taken and charged for at once, so that small pieces cost little.
const STEP: u64 = 1 << 20;
const WORK_STEP: u64 = 1 << 16;

/// Memory and work of a budget for something that is built piece by piece. All pieces are one [claim](self#memory) with
/// the budget, and are given back together when this is dropped.
///
/// ```
/// use meshpeek::budget::Reservation;
/// use meshpeek::{Budget, Limits};
///
/// let budget = Budget::new(0, &Limits { decoded_bytes: 1 << 26, ..Limits::default() });
/// let reservation = Reservation::new(&budget);
/// let mut rows: Vec<[u64; 2]> = Vec::new();
/// for row in 0..1000 {
///     reservation.kept(16)?;
///     rows.push([row, row * row]);
/// }
/// assert!(reservation.keep(1 << 26).is_err());
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct Reservation<'b> {
    budget: &'b Budget,
    held: RefCell<Vec<Held>>,
    /// Bytes of what is held that nothing uses yet.
    left: Cell<u64>,
    /// Work that is still to be charged for.
    due: Cell<u64>,
}

impl<'b> Reservation<'b> {
    /// Nothing so far.
    pub fn new(budget: &'b Budget) -> Self {
        Self { budget, held: RefCell::default(), left: Cell::default(), due: Cell::default() }
    }

    /// The budget for what is decoded beside it.
    pub fn budget(&self) -> &'b Budget {
        self.budget
    }

    /// Charges for bytes that are about to be made or looked at. Small amounts are charged for together, the last of them
    /// when this is dropped.
    ///
    /// # Errors
    /// As [`Budget::work`].
    pub fn work(&self, bytes: u64) -> Result<()> {
        let due = self.due.get().saturating_add(bytes);
        self.due.set(if due < WORK_STEP { due } else { 0 });
        if due < WORK_STEP { Ok(()) } else { self.budget.work(due) }
    }

    /// Takes memory for bytes that are about to be kept. Waits as [`Budget::hold`] does.
    ///
    /// # Errors
    /// As [`Budget::hold`].
    pub fn keep(&self, bytes: u64) -> Result<()> {
        self.reserve(bytes, |step| self.budget.hold(step).map(Some)).map(drop)
    }

    /// As [`keep`](Self::keep), but never waits: `false` where other claims have the memory now.
    ///
    /// # Errors
    /// As [`Budget::hold`].
    pub fn try_keep(&self, bytes: u64) -> Result<bool> {
        self.reserve(bytes, |step| self.budget.try_hold(step))
    }

    fn reserve(&self, bytes: u64, hold: impl Fn(u64) -> Result<Option<Held>>) -> Result<bool> {
        let more = bytes.saturating_sub(self.left.get());
        if more > 0 {
            // The last piece before the limit may be smaller than a step.
            let step = more.max(STEP);
            let held = hold(step).map(|held| (held, step)).or_else(|_| hold(more).map(|held| (held, more)))?;
            let (Some(held), step) = held else { return Ok(false) };
            self.held.borrow_mut().push(held);
            self.left.set(self.left.get().saturating_add(step));
        }
        self.left.set(self.left.get().saturating_sub(bytes));
        Ok(true)
    }

    /// Charges for bytes that are about to be made, and takes memory for them.
    ///
    /// # Errors
    /// As [`work`](Self::work) and [`keep`](Self::keep).
    pub fn kept(&self, bytes: u64) -> Result<()> {
        self.work(bytes)?;
        self.keep(bytes)
    }

    /// Whether so many bytes of work and of results may be charged now, and memory for so many taken; see
    /// [`Budget::affords`].
    pub fn affords(&self, work: u64, output: u64, memory: u64) -> bool {
        let more = memory.saturating_sub(self.left.get());
        self.budget.affords(work.saturating_add(self.due.get()), output, more)
    }

    /// Takes back bytes that were kept and are no more, for what is kept next.
    pub fn give(&self, bytes: u64) {
        self.left.set(self.left.get().saturating_add(bytes));
    }

    /// Charges for bytes of the result, and takes memory for them.
    ///
    /// # Errors
    /// As [`Budget::output`] and [`keep`](Self::keep).
    pub fn output(&self, bytes: u64) -> Result<()> {
        self.budget.output(bytes)?;
        self.keep(bytes)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        // The rest is done; the next charge meets an empty budget.
        let _ = self.budget.work(self.due.get());
    }
}
