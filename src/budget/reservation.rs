//! Memory that grows.

use std::cell::{Cell, RefCell};

use super::held::Held;
use super::remaining::Budget;
use crate::base::error::Result;

/// Memory is taken in steps of this size, so that small pieces cost little.
const STEP: u64 = 1 << 20;
/// Work is charged in steps of this size.
const WORK_STEP: u64 = 1 << 16;

/// Memory and work of a budget for a value that is built piece by piece. All pieces belong to the [claim](super#memory)
/// of the budget, and are released together when this is dropped.
///
/// ```
/// use meshpeek::budget::Reservation;
/// use meshpeek::{Budget, Limits};
///
/// let budget = Budget::new(0, &Limits::default().with_decoded_bytes(1 << 26));
/// let reservation = Reservation::new(&budget);
/// let mut rows: Vec<[u64; 2]> = Vec::new();
/// for row in 0..1000 {
///     reservation.charge_and_hold(16)?;
///     rows.push([row, row * row]);
/// }
/// assert!(reservation.hold(1 << 26).is_err());
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct Reservation<'b> {
    budget: &'b Budget,
    held: RefCell<Vec<Held>>,
    /// Bytes held but not used yet.
    left: Cell<u64>,
    /// Work not charged yet.
    due: Cell<u64>,
}

impl<'b> Reservation<'b> {
    /// Creates an empty reservation.
    pub fn new(budget: &'b Budget) -> Self {
        Self { budget, held: RefCell::default(), left: Cell::default(), due: Cell::default() }
    }

    /// Returns the budget for other data decoded at the same time.
    pub fn budget(&self) -> &'b Budget {
        self.budget
    }

    /// Charges for bytes that are about to be made or examined. Small amounts are charged together, the last of them
    /// when this is dropped.
    ///
    /// # Errors
    /// Returns the errors of [`Budget::charge_work`].
    pub fn charge_work(&self, bytes: u64) -> Result<()> {
        let due = self.due.get().saturating_add(bytes);
        if due < WORK_STEP {
            self.due.set(due);
            return Ok(());
        }
        self.due.set(0);
        self.budget.charge_work(due)
    }

    /// Takes memory for bytes that are about to be kept. Waits like [`Budget::hold`].
    ///
    /// # Errors
    /// Returns the errors of [`Budget::hold`].
    pub fn hold(&self, bytes: u64) -> Result<()> {
        let more = bytes.saturating_sub(self.left.get());
        if more > 0 {
            let mut step = more.max(STEP);
            let mut held = self.budget.hold(step);
            if held.is_err() {
                // The last piece before the limit may be smaller than a step.
                step = more;
                held = self.budget.hold(step);
            }
            self.held.borrow_mut().push(held?);
            self.left.set(self.left.get().saturating_add(step));
        }
        self.left.set(self.left.get().saturating_sub(bytes));
        Ok(())
    }

    /// Charges for bytes that are about to be made, and takes memory for them.
    ///
    /// # Errors
    /// Returns the errors of [`charge_work`](Self::charge_work) and [`hold`](Self::hold).
    pub fn charge_and_hold(&self, bytes: u64) -> Result<()> {
        self.charge_work(bytes)?;
        self.hold(bytes)
    }

    /// Returns true if this much work and output could be charged now, and this much memory taken. See
    /// [`Budget::can_afford`].
    pub fn can_afford(&self, work: u64, output: u64, memory: u64) -> bool {
        let more = memory.saturating_sub(self.left.get());
        self.budget.can_afford(work.saturating_add(self.due.get()), output, more)
    }

    /// Gives back bytes that were kept and are no longer needed. Later calls of [`hold`](Self::hold) can use them.
    pub fn give(&self, bytes: u64) {
        self.left.set(self.left.get().saturating_add(bytes));
    }

    /// Charges for bytes of the result, and takes memory for them.
    ///
    /// # Errors
    /// Returns the errors of [`Budget::charge_output`] and [`hold`](Self::hold).
    pub fn charge_output(&self, bytes: u64) -> Result<()> {
        self.budget.charge_output(bytes)?;
        self.hold(bytes)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        // The work is done already. If it exceeds the budget, the next charge fails.
        let _ = self.budget.charge_work(self.due.get());
    }
}

#[cfg(test)]
mod tests {
    use super::{Reservation, STEP};
    use crate::base::code::Code;
    use crate::base::error::Result;
    use crate::base::limits::Limits;
    use crate::budget::Budget;

    /// Each call charges one or two of memory, work and output.
    #[test]
    fn each_call_charges_what_it_says() {
        let ample = Limits::default();
        let no_memory = Limits { decoded_bytes: 0, ..ample };
        let no_work = Limits { decoded_bytes: ample.decoded_bytes, work: 0, ..ample };
        let no_output = Limits { output: 0, ..ample };
        let bytes = 4 * STEP;
        type Call = fn(&Reservation<'_>, u64) -> Result<()>;
        let calls: [(Call, [bool; 3]); 4] = [
            (|room, bytes| room.hold(bytes), [true, false, false]),
            (|room, bytes| room.charge_work(bytes), [false, true, false]),
            (|room, bytes| room.charge_and_hold(bytes), [true, true, false]),
            (|room, bytes| room.charge_output(bytes), [true, false, true]),
        ];
        for (number, (call, charged)) in calls.into_iter().enumerate() {
            for (limits, is_charged, code) in [
                (no_memory, charged[0], Code::DecodedBytesLimit),
                (no_work, charged[1], Code::WorkLimit),
                (no_output, charged[2], Code::OutputLimit),
            ] {
                let budget = Budget::new(0, &limits);
                let result = call(&Reservation::new(&budget), bytes.max(2 << 20));
                assert_eq!(result.err().map(|error| error.code()), is_charged.then_some(code), "{number} {code}");
            }
        }
    }
}
