//! What is there more than once.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::budget::Held;
use crate::summary::Problems;

/// Which of some are there again. Takes memory of the budget as long as it is kept.
pub(crate) struct Repeated {
    /// The places of each, and of the first of its kind.
    again: Peekable<IntoIter<(usize, usize)>>,
    _held: Option<Held>,
}

impl Repeated {
    /// Looks for them among so many, each with its place; for none where there is no memory for it.
    pub(crate) fn find<T: Hash>(count: usize, all: impl Iterator<Item = (usize, T)>, problems: &mut Problems) -> Self {
        // 16 bytes for each, and as many for each that is there again.
        let held = problems.budget().hold((count as u64).saturating_mul(32));
        let Some(held) = problems.ok(held) else {
            return Self { again: Vec::new().into_iter().peekable(), _held: None };
        };
        let hash = RandomState::new();
        let mut hashes: Vec<(u64, usize)> = all.map(|(place, one)| (hash.hash_one(one), place)).collect();
        hashes.sort_unstable();
        let kinds = hashes.chunk_by(|(one, _), (other, _)| one == other);
        let mut again: Vec<_> = kinds
            .filter_map(<[_]>::split_first)
            .flat_map(|((_, first), again)| again.iter().map(|&(_, place)| (place, *first)))
            .collect();
        again.sort_unstable();
        Self { again: again.into_iter().peekable(), _held: Some(held) }
    }

    /// The place of the first of its kind, where the one at this place is there again. Places go up.
    pub(crate) fn first_of(&mut self, place: usize) -> Option<usize> {
        self.again.next_if(|(again, _)| *again == place).map(|(_, first)| first)
    }
}
