//! The available bytes of a file: buffers that are shared, not copied.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::base::impl_fmt::impl_fmt;

/// A part of a buffer that others may share.
#[derive(Clone)]
pub(super) struct Shared {
    buffer: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Shared {
    /// Creates a part that is the whole buffer.
    pub(super) fn new(buffer: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let range = 0..(*buffer).as_ref().len();
        Self { buffer, range }
    }

    /// Returns the bytes of this part.
    fn bytes(&self) -> &[u8] {
        (*self.buffer).as_ref().get(self.range.clone()).unwrap_or_default()
    }

    /// Returns the number of bytes.
    fn len(&self) -> u64 {
        self.range.len() as u64
    }

    /// Returns a range of this part, cut at its end. It shares the buffer.
    pub(super) fn part(&self, Range { start, end }: Range<u64>) -> Self {
        Self { buffer: self.buffer.clone(), range: self.index(start)..self.index(end) }
    }

    /// Returns the index in the buffer of the byte at this offset of the part, or of the part's end if it has fewer.
    fn index(&self, offset: u64) -> usize {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        self.range.start.saturating_add(offset).min(self.range.end)
    }
}

/// A buffer always returns the same slice.
impl std::panic::UnwindSafe for Shared {}
impl std::panic::RefUnwindSafe for Shared {}

impl_fmt!([] Debug for Shared, |shared| "{} bytes", shared.range.len());

/// Buffers that follow each other without a gap.
#[derive(Clone, Debug, Default)]
struct Run {
    /// Each with the offset of its end, counted from the start of the run.
    pieces: Vec<(u64, Shared)>,
    /// All bytes in one buffer. Made when a read first crosses pieces.
    joined: OnceLock<Arc<Vec<u8>>>,
}

impl Run {
    /// Returns the number of bytes.
    fn len(&self) -> u64 {
        match self.pieces.last() {
            Some((end, _)) => *end,
            None => 0,
        }
    }

    /// Adds a piece at the end.
    fn push(&mut self, piece: Shared) {
        // If the pieces were joined, the joined bytes take their place, so that they are not held twice.
        if let Some(joined) = self.joined.take() {
            self.pieces = vec![(joined.len() as u64, Shared::new(joined))];
        }
        let end = self.len().saturating_add(piece.len());
        self.pieces.push((end, piece));
    }

    /// Returns the bytes from this offset to the end of the piece that has them.
    fn near(&self, offset: u64) -> &[u8] {
        if let Some(joined) = self.joined.get() {
            return after(joined, offset);
        }
        let index = self.pieces.partition_point(|(end, _)| *end <= offset);
        let Some((end, piece)) = self.pieces.get(index) else { return &[] };
        after(piece.bytes(), offset.saturating_sub(end.saturating_sub(piece.len())))
    }

    /// Returns all bytes in one buffer, which is made once.
    fn join(&self) -> &[u8] {
        self.joined.get_or_init(|| Arc::new(self.concatenated()))
    }

    /// Returns a copy of all bytes.
    fn concatenated(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.len()).unwrap_or(0));
        for (_, piece) in &self.pieces {
            bytes.extend_from_slice(piece.bytes());
        }
        bytes
    }
}

/// Returns the bytes from this offset on.
fn after(bytes: &[u8], offset: u64) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.get(start..).unwrap_or_default()
}

/// The available parts of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Keyed by the first byte. Runs do not touch each other.
    runs: BTreeMap<u64, Run>,
}

impl Parts {
    /// Returns the number of available bytes.
    pub(super) fn held(&self) -> u64 {
        self.runs.values().map(Run::len).fold(0, u64::saturating_add)
    }

    /// Returns the run that has the byte at this offset, and the offset of its first byte.
    fn run(&self, offset: u64) -> Option<(u64, &Run)> {
        let (&start, run) = self.runs.range(..=offset).next_back()?;
        if offset < start.saturating_add(run.len()) { Some((start, run)) } else { None }
    }

    /// Returns the offset of the first missing byte from this offset on.
    pub(super) fn reach(&self, offset: u64) -> u64 {
        match self.run(offset) {
            Some((start, run)) => start.saturating_add(run.len()),
            None => offset,
        }
    }

    /// Returns bytes from this offset, at most up to the first missing byte: those that are in one buffer.
    pub(super) fn near(&self, offset: u64) -> &[u8] {
        match self.run(offset) {
            Some((start, run)) => run.near(offset.saturating_sub(start)),
            None => &[],
        }
    }

    /// Returns all bytes from this offset up to the first missing byte. Copies them if they are in several buffers.
    pub(super) fn all(&self, offset: u64) -> &[u8] {
        let Some((start, run)) = self.run(offset) else { return &[] };
        let near = run.near(offset.saturating_sub(start));
        if offset.saturating_add(near.len() as u64) == start.saturating_add(run.len()) {
            return near;
        }
        let skipped = usize::try_from(offset.saturating_sub(start)).unwrap_or(usize::MAX);
        run.join().get(skipped..).unwrap_or_default()
    }

    /// Returns the missing parts of this range.
    pub(super) fn holes(&self, mut range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        std::iter::from_fn(move || self.next_hole(&mut range))
    }

    /// Returns the first missing part of this range, and moves the start of the range after it.
    fn next_hole(&self, range: &mut Range<u64>) -> Option<Range<u64>> {
        let start = self.reach(range.start);
        if start >= range.end {
            return None;
        }
        range.start = match self.runs.range(start..range.end).next() {
            Some((next, _)) => *next,
            None => range.end,
        };
        Some(start..range.start)
    }

    /// Adds bytes where there are none.
    pub(super) fn add(&mut self, offset: u64, bytes: &Shared) {
        let mut left = offset..offset.saturating_add(bytes.len());
        while let Some(Range { start, end }) = self.next_hole(&mut left) {
            self.insert(start, bytes.part(start.saturating_sub(offset)..end.saturating_sub(offset)));
        }
    }

    /// Adds a piece where there are no bytes. It continues the run that ends before it, or starts one, and the run that
    /// starts after it is appended.
    fn insert(&mut self, offset: u64, piece: Shared) {
        let end = offset.saturating_add(piece.len());
        let mut start = offset;
        if let Some((&before, run)) = self.runs.range(..offset).next_back()
            && before.saturating_add(run.len()) == offset
        {
            start = before;
        }
        let mut run = self.runs.remove(&start).unwrap_or_default();
        run.push(piece);
        if let Some(after) = self.runs.remove(&end) {
            for (_, piece) in after.pieces {
                run.push(piece);
            }
        }
        self.runs.insert(start, run);
    }
}
