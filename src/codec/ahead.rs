//! Memory that one thread fills, while another touches the rest of it.
//!
//! The system clears each page of new memory when it is first written. For a large member of a zip, that takes a fifth of
//! the time of a scan. A thread that is free can do it ahead of the one that decodes the member.

use std::collections::VecDeque;
use std::slice::ChunksMut;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::base::stop;

/// How many touched pieces may wait to be filled. Memory that a broken stream does not fill is not touched much further.
const MOST_READY: usize = 16;
/// Each page has at least this size.
const PAGE: usize = 4096;

/// Memory in pieces, each of which is filled once, in order.
pub(super) struct Ahead<'m> {
    pieces: Mutex<Pieces<'m>>,
    changed: Condvar,
}

struct Pieces<'m> {
    /// Those that no thread has touched.
    fresh: ChunksMut<'m, u8>,
    /// Those that were touched, in order.
    ready: VecDeque<&'m mut [u8]>,
    /// True while a thread touches the piece between these two.
    is_touching: bool,
    /// True if a thread touches pieces.
    has_helper: bool,
    /// True once no more pieces are filled.
    is_over: bool,
}

impl<'m> Ahead<'m> {
    pub(super) fn new(memory: &'m mut [u8]) -> Self {
        let pieces = Pieces {
            fresh: memory.chunks_mut(stop::PIECE),
            ready: VecDeque::new(),
            is_touching: false,
            has_helper: false,
            is_over: false,
        };
        Self { pieces: Mutex::new(pieces), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Pieces<'m>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, pieces: MutexGuard<'g, Pieces<'m>>) -> MutexGuard<'g, Pieces<'m>> {
        self.changed.wait(pieces).unwrap_or_else(PoisonError::into_inner)
    }

    /// Touches pieces until all are touched, or until no more are filled. Returns at once if another thread does this.
    pub(super) fn help(&self) {
        let mut pieces = self.lock();
        if pieces.has_helper {
            return;
        }
        pieces.has_helper = true;
        while !pieces.is_over {
            if pieces.ready.len() >= MOST_READY {
                pieces = self.wait(pieces);
                continue;
            }
            let Some(piece) = pieces.fresh.next() else { return };
            pieces.is_touching = true;
            drop(pieces);
            for byte in piece.iter_mut().step_by(PAGE) {
                *byte = 0;
            }
            pieces = self.lock();
            pieces.is_touching = false;
            pieces.ready.push_back(piece);
            self.changed.notify_all();
        }
    }

    /// Returns the pieces to fill. The thread that helps ends when this is dropped.
    pub(super) fn filling(&self) -> Filling<'_, 'm> {
        Filling(self)
    }
}

/// The pieces to fill, in order.
pub(super) struct Filling<'f, 'm>(&'f Ahead<'m>);

impl<'m> Iterator for Filling<'_, 'm> {
    type Item = &'m mut [u8];

    fn next(&mut self) -> Option<&'m mut [u8]> {
        let mut pieces = self.0.lock();
        loop {
            if let Some(piece) = pieces.ready.pop_front() {
                self.0.changed.notify_all();
                return Some(piece);
            }
            if !pieces.is_touching {
                return pieces.fresh.next();
            }
            pieces = self.0.wait(pieces);
        }
    }
}

impl Drop for Filling<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn each_piece_is_filled_once_and_in_order_with_any_number_of_helpers() {
        for length in [0, 1, stop::PIECE, 40 * stop::PIECE + 1] {
            for helpers in 0..3 {
                let mut memory = vec![0; length];
                let ahead = Ahead::new(&mut memory);
                thread::scope(|scope| {
                    for _ in 0..helpers {
                        scope.spawn(|| ahead.help());
                    }
                    for (number, piece) in ahead.filling().enumerate() {
                        piece.fill(number as u8 + 1);
                    }
                });
                drop(ahead);
                let expected = (0..length).map(|place| (place / stop::PIECE) as u8 + 1);
                assert!(memory.iter().copied().eq(expected), "{length} bytes, {helpers} helpers");
            }
        }
    }

    #[test]
    fn a_helper_touches_little_that_is_not_filled_and_ends_with_the_filling() {
        let mut memory = vec![1; 40 * stop::PIECE];
        let ahead = Ahead::new(&mut memory);
        thread::scope(|scope| {
            let helper = scope.spawn(|| ahead.help());
            let mut filling = ahead.filling();
            assert!(filling.next().is_some());
            while ahead.lock().ready.len() < MOST_READY {
                thread::yield_now();
            }
            drop(filling);
            helper.join().unwrap();
        });
        drop(ahead);
        let touched = memory.chunks(stop::PIECE).filter(|piece| piece[0] == 0).count();
        assert!((MOST_READY..MOST_READY + 2).contains(&touched), "{touched}");
    }
}
