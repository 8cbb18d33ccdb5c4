//! What an export may still take.

pub(crate) use meshpeek::budget::Reservation as Room;

/// What making a vertex or triangle costs, in bytes of work.
pub(super) const CORNER_WORK: u64 = 64;
