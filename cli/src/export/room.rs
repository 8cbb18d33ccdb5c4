//! The remaining budget of an export.

pub(crate) use meshpeek::budget::Reservation as Room;

/// The cost of building a vertex or triangle, in bytes of work.
pub(super) const CORNER_WORK: u64 = 64;
