//! Requested ranges that are not available.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::amount::Amount;

/// The maximum number of requests kept.
const MOST_MISSING: usize = 1 << 16;

/// The requests of a file and all its sections.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(Arc<Mutex<Missing>>);

#[derive(Debug, Default)]
struct Missing {
    /// The total number of such requests.
    count: Amount<u64>,
    /// The most recent of them, in bytes of the file.
    recent: VecDeque<Range<u64>>,
}

impl Asked {
    /// Locks the list.
    fn missing(&self) -> MutexGuard<'_, Missing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request. Drops the oldest one if there are too many.
    pub(super) fn note(&self, range: Range<u64>) {
        let mut missing = self.missing();
        missing.count += 1;
        if missing.recent.len() >= MOST_MISSING {
            missing.recent.pop_front();
        }
        missing.recent.push_back(range);
    }

    /// Returns the number of requests so far, including those that were dropped.
    pub(super) fn count(&self) -> u64 {
        self.missing().count.0
    }

    /// Returns the requests after this count, as far as they are kept.
    pub(super) fn since(&self, count: u64) -> Vec<Range<u64>> {
        let missing = self.missing();
        let new = usize::try_from((missing.count - count).0).unwrap_or(usize::MAX);
        missing.recent.iter().skip(missing.recent.len().saturating_sub(new)).cloned().collect()
    }
}

/// Sorts ranges, and merges those that overlap or touch.
pub(super) fn merge(ranges: &mut Vec<Range<u64>>) {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, before| {
        let touches = next.start <= before.end;
        if touches {
            before.end = before.end.max(next.end);
        }
        touches
    });
}
