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
    pub(super) fn new(buffer: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let range = 0..(*buffer).as_ref().len();
        Self { buffer, range }
    }

    fn bytes(&self) -> &[u8] {
        (*self.buffer).as_ref().get(self.range.clone()).unwrap_or_default()
    }

    fn len(&self) -> u64 {
        self.range.len() as u64
    }

    pub(super) fn part(&self, Range { start, end }: Range<u64>) -> Self {
        let index = |offset: u64| {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            self.range.start.saturating_add(offset).min(self.range.end)
        };
        Self { buffer: self.buffer.clone(), range: index(start)..index(end) }
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
    fn len(&self) -> u64 {
        self.pieces.last().map_or(0, |(end, _)| *end)
    }

    fn push(&mut self, piece: Shared) {
        if let Some(joined) = self.joined.take() {
            self.pieces = vec![(joined.len() as u64, Shared::new(joined))];
        }
        let end = self.len().saturating_add(piece.len());
        self.pieces.push((end, piece));
    }

    /// Returns the bytes from this offset to the end of the piece that has them.
    fn near(&self, offset: u64) -> &[u8] {
        let skip = |bytes, offset: u64| usize::try_from(offset).ok().and_then(|start| <[u8]>::get(bytes, start..));
        if let Some(joined) = self.joined.get() {
            return skip(joined, offset).unwrap_or_default();
        }
        let index = self.pieces.partition_point(|(end, _)| *end <= offset);
        let Some((end, piece)) = self.pieces.get(index) else { return &[] };
        skip(piece.bytes(), offset.saturating_sub(end.saturating_sub(piece.len()))).unwrap_or_default()
    }

    fn join(&self) -> &[u8] {
        self.joined.get_or_init(|| {
            let mut bytes = Vec::with_capacity(usize::try_from(self.len()).unwrap_or(0));
            self.pieces.iter().for_each(|(_, piece)| bytes.extend_from_slice(piece.bytes()));
            Arc::new(bytes)
        })
    }
}

/// The available parts of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Keyed by the first byte. Runs do not touch each other.
    runs: BTreeMap<u64, Run>,
}

impl Parts {
    pub(super) fn held(&self) -> u64 {
        self.runs.values().fold(0, |sum, run| sum.saturating_add(run.len()))
    }

    /// Returns the offset of the first missing byte from this offset on, and the run up to it.
    fn run(&self, offset: u64) -> Option<(u64, &Run)> {
        let (&start, run) = self.runs.range(..=offset).next_back()?;
        (offset < start.saturating_add(run.len())).then_some((start, run))
    }

    /// Returns the offset of the first missing byte from this offset on.
    pub(super) fn reach(&self, offset: u64) -> u64 {
        self.run(offset).map_or(offset, |(start, run)| start.saturating_add(run.len()))
    }

    /// Returns bytes from this offset, at most up to the first missing byte: those that are in one buffer.
    pub(super) fn near(&self, offset: u64) -> &[u8] {
        self.run(offset).map_or(&[], |(start, run)| run.near(offset.saturating_sub(start)))
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
        let runs = (start < range.end).then(|| self.runs.range(start..range.end))?;
        range.start = { runs }.next().map_or(range.end, |(start, _)| *start);
        Some(start..range.start)
    }

    /// Adds bytes where there are none.
    pub(super) fn add(&mut self, offset: u64, bytes: &Shared) {
        let mut left = offset..offset.saturating_add(bytes.len());
        while let Some(Range { start, end }) = self.next_hole(&mut left) {
            self.insert(start, bytes.part(start.saturating_sub(offset)..end.saturating_sub(offset)));
        }
    }

    /// Adds a piece to the run that it touches.
    fn insert(&mut self, offset: u64, piece: Shared) {
        let end = offset.saturating_add(piece.len());
        let before = self.runs.range_mut(..offset).next_back();
        let before = before.filter(|(start, run)| start.saturating_add(run.len()) == offset).map(|(&start, _)| start);
        let start = before.unwrap_or(offset);
        let mut run = before.and_then(|start| self.runs.remove(&start)).unwrap_or_default();
        run.push(piece);
        let after = self.runs.remove(&end).map(|run| run.pieces).unwrap_or_default();
        after.into_iter().for_each(|(_, piece)| run.push(piece));
        self.runs.insert(start, run);
    }
}
