//! The destination of decoded bytes, which are counted or written.

use crate::codec::repeat::{self, put};

/// The number of input bytes that must be available: the longest short instruction, and the first byte of the next.
pub(in crate::codec) const WINDOW: usize = 20;

/// The maximum distance of a match.
pub(in crate::codec) const FARTHEST: usize = 49_151;

/// The number of output bytes that must be free.
pub(in crate::codec) const ROOM: u64 = 64;

/// Receives the decoded bytes.
pub(in crate::codec) trait Output {
    /// Returns the number of bytes so far.
    fn len(&self) -> u64;

    /// Returns the number of bytes still to come.
    fn left(&self) -> u64;

    /// Adds these bytes. There must be room for them.
    fn add(&mut self, literals: &[u8]);

    /// Adds `length` bytes by repeating those from `distance` back on. They must exist, and there must be room.
    fn repeat(&mut self, distance: u64, length: u64);

    /// Adds `count` literals that follow the first byte of the window. There must be [`ROOM`] for more.
    fn add_quickly(&mut self, window: &[u8; WINDOW], count: usize);

    /// Adds a short match and up to three literals after it. There must be [`ROOM`] for more.
    fn repeat_quickly(&mut self, distance: usize, length: usize, literals: [u8; 4], count: usize);
}

/// Only counts the bytes.
pub(super) struct Count {
    len: u64,
    total: u64,
}

impl Count {
    /// Creates an output that ends after `total` bytes.
    pub(super) fn new(total: u64) -> Self {
        Self { len: 0, total }
    }
}

impl Output for Count {
    #[inline(always)]
    fn len(&self) -> u64 {
        self.len
    }

    #[inline(always)]
    fn left(&self) -> u64 {
        self.total.wrapping_sub(self.len)
    }

    #[inline(always)]
    fn add(&mut self, literals: &[u8]) {
        self.len = self.len.wrapping_add(literals.len() as u64);
    }

    #[inline(always)]
    fn repeat(&mut self, _: u64, length: u64) {
        self.len = self.len.wrapping_add(length);
    }

    #[inline(always)]
    fn add_quickly(&mut self, _: &[u8; WINDOW], count: usize) {
        self.len = self.len.wrapping_add(count as u64);
    }

    #[inline(always)]
    fn repeat_quickly(&mut self, _: usize, length: usize, _: [u8; 4], count: usize) {
        self.len = self.len.wrapping_add(length as u64).wrapping_add(count as u64);
    }
}

/// Writes the bytes one after another.
pub(super) struct Fill<'o> {
    out: &'o mut [u8],
    len: usize,
}

impl<'o> Fill<'o> {
    /// Creates an output that ends with `out`.
    pub(super) fn new(out: &'o mut [u8]) -> Self {
        Self { out, len: 0 }
    }
}

impl Output for Fill<'_> {
    #[inline(always)]
    fn len(&self) -> u64 {
        self.len as u64
    }

    #[inline(always)]
    fn left(&self) -> u64 {
        self.out.len().wrapping_sub(self.len) as u64
    }

    #[inline(always)]
    fn add(&mut self, literals: &[u8]) {
        if let Some(place) = self.out.get_mut(self.len..).and_then(|ahead| ahead.get_mut(..literals.len())) {
            place.copy_from_slice(literals);
        }
        self.len = self.len.wrapping_add(literals.len());
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "both are at most the output's length")]
    fn repeat(&mut self, distance: u64, length: u64) {
        repeat::doubling(self.out, self.len, distance as usize, length as usize);
        self.len = self.len.wrapping_add(length as usize);
    }

    #[inline(always)]
    fn add_quickly(&mut self, window: &[u8; WINDOW], count: usize) {
        // As many bytes as there can be literals. Those after `count` are overwritten later.
        if let Some(&literals) = window.get(1..).and_then(<[u8]>::first_chunk::<{ WINDOW - 2 }>) {
            put(self.out, self.len, literals);
        }
        self.len = self.len.wrapping_add(count);
    }

    #[inline(always)]
    fn repeat_quickly(&mut self, distance: usize, length: usize, literals: [u8; 4], count: usize) {
        repeat::in_blocks(self.out, self.len, distance, length);
        put(self.out, self.len.wrapping_add(length), literals);
        self.len = self.len.wrapping_add(length).wrapping_add(count);
    }
}

/// The longest short match, the excess of its last block, and its literals.
const _: () = assert!(ROOM >= 33 + repeat::SPARE as u64 + 4);
