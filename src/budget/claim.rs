//! Claims, the amounts that all claims of a file share, and the line of claims before the lane.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::counter::Counter;
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Error, Result};

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
    /// Creates a claim that holds nothing yet, and may hold `most` bytes. `around` is the claim from which it is
    /// forked.
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

    /// Adds to the bytes held. If that exceeds the maximum, returns an error and adds nothing.
    pub(super) fn add(&self, bytes: u64) -> Result<()> {
        let sum = |held: u64| held.checked_add(bytes).filter(|held| *held <= self.most);
        let added = bytes == 0 || self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum).is_ok();
        if added { Ok(()) } else { Err(too_much(self.most)) }
    }

    /// Subtracts from the bytes held.
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

/// Returns the error for a claim that exceeds this limit.
pub(super) fn too_much(limit: u64) -> Error {
    Error::limit("decoded bytes at once", limit, Code::DecodedBytesLimit)
}

/// The amounts that all claims of a file share, and what else they share.
#[derive(Debug)]
pub(super) struct Counters {
    pub(super) work: Counter,
    pub(super) output: Counter,
    pub(super) members: Counter,
    pub(super) memory: Memory,
    pub(super) help: Option<Arc<dyn Help>>,
}

/// Threads that help with work in small pieces.
pub(crate) trait Help: fmt::Debug + Send + Sync {
    /// Runs the closure on this thread, and at the same time on those that are free.
    fn join_in(&self, work: &(dyn Fn() + Sync));
}

/// The bytes that all claims together may hold, in addition to the claim in the lane.
const POOL: u64 = 64 << 20;

/// The memory for decoded data of a whole run. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pool: Arc<AtomicU64>,
    pub(super) line: Arc<Line>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { pool: Arc::new(POOL.into()), line: Arc::default() }
    }
}

impl Memory {
    /// Takes bytes from the pool. Returns false, and takes none, if it has fewer.
    pub(super) fn take(&self, bytes: u64) -> bool {
        // Most calls take nothing, and threads contend for this counter.
        bytes == 0
            || self.pool.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// Gives bytes back to the pool.
    pub(super) fn give(&self, bytes: u64) {
        if bytes > 0 {
            self.pool.fetch_add(bytes, Ordering::Relaxed);
        }
    }
}

/// The claims in the lane. Each but the first was forked inside the one before it. The number counts how often each
/// entered, for itself and for those after it.
#[derive(Debug, Default)]
pub(super) struct Line {
    users: Mutex<Vec<(Arc<Claim>, Amount<usize>)>>,
    freed: Condvar,
}

impl Line {
    /// Locks the list of the claims in the lane.
    fn users(&self) -> MutexGuard<'_, Vec<(Arc<Claim>, Amount<usize>)>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters the lane. Waits for the claims in it, but not for this claim or for those it was forked inside. Returns
    /// true, as [`try_enter`](Self::try_enter) does if it succeeds.
    pub(super) fn enter(&self, claim: &Arc<Claim>) -> bool {
        let users = self.users();
        let users = self.freed.wait_while(users, |users| !is_open(users, claim));
        add_user(&mut users.unwrap_or_else(PoisonError::into_inner), claim);
        true
    }

    /// Enters the lane if that is possible without waiting. Returns true if it did.
    pub(super) fn try_enter(&self, claim: &Arc<Claim>) -> bool {
        let mut users = self.users();
        let is_open = is_open(&users, claim);
        if is_open {
            add_user(&mut users, claim);
        }
        is_open
    }

    /// Undoes one entry of this claim. Wakes those that wait if a claim has left the lane for good.
    pub(super) fn leave(&self, claim: &Arc<Claim>) {
        let mut users = self.users();
        // Its entry was counted for it and for each claim before it.
        if let Some(place) = users.iter().position(|(user, _)| Arc::ptr_eq(user, claim)) {
            for (_, times) in users.iter_mut().take(place.saturating_add(1)) {
                *times -= 1;
            }
        }
        let before = users.len();
        users.retain(|(_, times)| times.0 > 0);
        let is_freed = users.len() < before;
        drop(users);
        if is_freed {
            self.freed.notify_all();
        }
    }
}

/// Returns true if the claim may enter: the lane is empty, or the claim is already in it, or it was forked inside the
/// last claim there.
fn is_open(users: &[(Arc<Claim>, Amount<usize>)], claim: &Arc<Claim>) -> bool {
    match users.last() {
        Some((last, _)) => claim.is_within(last) || is_user(users, claim),
        None => true,
    }
}

/// Returns true if the claim is in the lane.
fn is_user(users: &[(Arc<Claim>, Amount<usize>)], claim: &Arc<Claim>) -> bool {
    users.iter().any(|(user, _)| Arc::ptr_eq(user, claim))
}

/// Adds the claim to the lane if it is not there, and counts an entry of it, for itself and for each claim before it.
fn add_user(users: &mut Vec<(Arc<Claim>, Amount<usize>)>, claim: &Arc<Claim>) {
    if !is_user(users, claim) {
        users.push((claim.clone(), Amount(0)));
    }
    for (user, times) in users {
        *times += 1;
        if Arc::ptr_eq(user, claim) {
            break;
        }
    }
}
