//! Finding duplicates.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::budget::Held;
use crate::summary::Problems;

/// The duplicates among some items. Holds memory of the budget while it lives.
pub(crate) struct Repeated {
    /// The index of each duplicate, and of the first item of its kind.
    again: Peekable<IntoIter<(usize, usize)>>,
    _held: Option<Held>,
}

impl Repeated {
    /// Finds the duplicates among `count` items, each with its index. Finds none if there is no memory for it.
    pub(crate) fn find<T: Hash>(count: usize, all: impl Iterator<Item = (usize, T)>, problems: &mut Problems) -> Self {
        // 16 bytes for each item, and as many for each duplicate.
        let held = problems.budget().hold((count as u64).saturating_mul(32));
        let Some(held) = problems.ok(held) else {
            return Self { again: Vec::new().into_iter().peekable(), _held: None };
        };
        let hash = RandomState::new();
        let mut hashes: Vec<(u64, usize)> = all.map(|(place, one)| (hash.hash_one(one), place)).collect();
        // Items with the same hash count as the same. The first of each kind comes first.
        hashes.sort_unstable();
        let mut again = Vec::new();
        for kind in hashes.chunk_by(|(one, _), (other, _)| one == other) {
            let Some(((_, first), others)) = kind.split_first() else { continue };
            for (_, place) in others {
                again.push((*place, *first));
            }
        }
        again.sort_unstable();
        Self { again: again.into_iter().peekable(), _held: Some(held) }
    }

    /// Returns true if there are no duplicates left.
    pub(crate) fn is_empty(&self) -> bool {
        self.again.len() == 0
    }

    /// Returns the index of the first of its kind if the item at this index is a duplicate. Call with ascending
    /// indices.
    pub(crate) fn first_of(&mut self, place: usize) -> Option<usize> {
        let (_, first) = self.again.next_if(|(again, _)| *again == place)?;
        Some(first)
    }
}
