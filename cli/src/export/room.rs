//! What an export may still take: a budget, and memory of it for what grows piece by piece.

use std::cell::{Cell, RefCell};

use meshpeek::budget::Held;
use meshpeek::{Budget, Result};

/// What making a vertex or triangle costs, in bytes of work.
pub(super) const CORNER_WORK: u64 = 64;

/// What is taken and charged for at once, so that small pieces cost little.
const STEP: u64 = 1 << 20;
const WORK_STEP: u64 = 1 << 16;

pub(crate) struct Room<'b> {
    outer: &'b Budget,
    memory: RefCell<Memory>,
    /// Work that is still to be charged for.
    due: Cell<u64>,
}

#[derive(Default)]
struct Memory {
    held: Vec<Held>,
    /// Bytes of it that nothing lies in yet.
    left: u64,
}

impl<'b> Room<'b> {
    pub(crate) fn new(outer: &'b Budget) -> Self {
        Self { outer, memory: RefCell::default(), due: Cell::default() }
    }

    /// The budget for what is decoded beside it.
    pub(super) fn budget(&self) -> Budget {
        self.memory.borrow().held.last().map_or(self.outer, Held::budget).clone()
    }

    /// Charges for bytes that are about to be made or looked at.
    pub(super) fn work(&self, bytes: u64) -> Result<()> {
        let due = self.due.get().saturating_add(bytes);
        self.due.set(if due < WORK_STEP { due } else { 0 });
        if due < WORK_STEP { Ok(()) } else { self.outer.work(due) }
    }

    /// Takes memory for bytes that are about to be kept.
    pub(super) fn keep(&self, bytes: u64) -> Result<()> {
        let left = self.memory.borrow().left;
        if let Some(more) = bytes.checked_sub(left).filter(|more| *more > 0) {
            let step = more.max(STEP);
            // A chain of memory in memory would tell of what is left, not of the limit.
            let held = self.budget().hold(step).or_else(|_| self.outer.hold(u64::MAX))?;
            let mut memory = self.memory.borrow_mut();
            memory.held.push(held);
            memory.left += step;
        }
        self.memory.borrow_mut().left -= bytes;
        Ok(())
    }

    /// Charges for bytes that are about to be made, and keeps them.
    pub(super) fn kept(&self, bytes: u64) -> Result<()> {
        self.work(bytes)?;
        self.keep(bytes)
    }

    /// Has bytes back that were kept and are no more.
    pub(super) fn give(&self, bytes: u64) {
        self.memory.borrow_mut().left += bytes;
    }

    /// Charges for bytes of the result, and keeps them.
    pub(super) fn output(&self, bytes: u64) -> Result<()> {
        self.outer.output(bytes)?;
        self.keep(bytes)
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        // The rest is done; who goes on with the budget will be told.
        let _ = self.outer.work(self.due.get());
    }
}
