//! The units that a scan has yet to take.

use std::iter::Peekable;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::unit::Unit;
use crate::base::error::Result;

/// The caller's list of units.
type List<'u> = &'u mut (dyn Iterator<Item = Result<Unit>> + Send);

/// Units in the caller's order, for several threads.
pub(super) struct UnitList<'u>(Mutex<Peekable<List<'u>>>);

impl<'u> UnitList<'u> {
    pub(super) fn new(units: List<'u>) -> Self {
        Self(Mutex::new(units.peekable()))
    }

    /// Takes the next unit.
    pub(super) fn next(&self) -> Option<Result<Unit>> {
        self.lock().next()
    }

    fn lock(&self) -> MutexGuard<'_, Peekable<List<'u>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A list of units, whatever its lifetime.
pub(super) trait LaterUnits: Sync {
    /// Takes the next unit if it is a part of the same archive as `first`, from the member with this index on or later.
    fn next_part(&self, first: &Unit, reached: usize) -> Option<Unit>;
}

impl LaterUnits for UnitList<'_> {
    fn next_part(&self, first: &Unit, reached: usize) -> Option<Unit> {
        let mut list = self.lock();
        let Some(Ok(unit)) = list.peek() else { return None };
        if unit.path != first.path || unit.stamp != first.stamp || unit.members().start < reached {
            return None;
        }
        list.next()?.ok()
    }
}
