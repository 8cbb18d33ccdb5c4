//! Files that are not in the file system, such as those of an object store.
//!
//! A [`Scan`](super::Scan) with [`stores`](super::Scan::stores) reads such files by ranges. Records are those of the
//! same bytes in a file, except for the path and the stamp. With [`Depth::Header`](crate::Depth::Header) it reads the
//! directory of an archive and the beginning of each member, and checks no CRC-32 of a stored member. With
//! [`Depth::Summary`](crate::Depth::Summary) it reads a PBO or zip member by member. For
//! [`Depth::Verify`](crate::Depth::Verify), for digests and for all other files it reads the whole file. It holds at
//! most [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) of a file at once.

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::base::error::{Error, Result};
use crate::base::limits::flag;
use crate::ranges::{Ranges, ReadAt};

/// Opens paths that are not in the file system.
pub trait Stores: Debug + Send + Sync {
    /// Returns true if this path is in a store.
    fn has(&self, path: &Path) -> bool;

    /// Lists the file of this path, or all files below it.
    ///
    /// # Errors
    /// Returns the errors of the store, such as `NotFound` if there is no such file and nothing below.
    fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>>;

    /// Opens a file.
    ///
    /// # Errors
    /// Returns the errors of the store.
    fn open(&self, path: &Path) -> Result<Box<dyn Stored + '_>>;
}

/// A file that a store lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: PathBuf,
    /// True if the caller named this exact file. Then it has a record whatever it is.
    pub named: bool,
}

/// A file in a store. It stays the same while it is open, or reading fails.
pub trait Stored: Send + Sync {
    /// Returns the size of the file.
    fn byte_len(&self) -> u64;

    /// Returns a text that changes with the file, or `None` if the store has none.
    fn stamp(&self) -> Option<String>;

    /// Returns the time of the last change, if it is known.
    fn modified(&self) -> Option<SystemTime>;

    /// Reads all bytes of these ranges, which ascend and do not overlap, if possible at the same time.
    ///
    /// # Errors
    /// Returns the errors of the store, and an error if the file has changed since it was opened.
    fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}

/// A file of a store, or a member that it stores uncompressed.
#[derive(Clone, Copy)]
pub(super) struct Place<'f> {
    file: &'f dyn Stored,
    start: u64,
    size: u64,
    /// The most bytes to read at once.
    most: u64,
}

impl<'f> Place<'f> {
    /// The whole file.
    pub(super) fn of(file: &'f dyn Stored, most: u64) -> Self {
        Self { file, start: 0, size: file.byte_len(), most }
    }

    /// The part of this place in the range.
    #[must_use]
    pub(super) fn part(self, range: Range<u64>) -> Self {
        let start = self.start.saturating_add(range.start.min(self.size));
        Self { start, size: range.end.min(self.size).saturating_sub(range.start), ..self }
    }

    /// Returns its size.
    pub(super) fn size(self) -> u64 {
        self.size
    }

    /// Adds these ranges to those that are available, with neighbours joined.
    ///
    /// # Errors
    /// Returns the errors of the store.
    pub(super) fn add(self, wanted: &[Range<u64>], ranges: &mut Ranges) -> io::Result<()> {
        let wanted = joined(wanted, self.size / SPARE_PART);
        let there: Vec<_> = wanted.iter().map(|range| self.outer(range)).collect();
        let pieces = self.file.read(&there)?;
        for (range, bytes) in wanted.iter().zip(&pieces) {
            if bytes.len() as u64 != range.end.saturating_sub(range.start) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        if pieces.len() != wanted.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (range, bytes) in wanted.iter().zip(pieces) {
            ranges.add(range.start, bytes);
        }
        Ok(())
    }

    fn outer(self, range: &Range<u64>) -> Range<u64> {
        self.start.saturating_add(range.start)..self.start.saturating_add(range.end)
    }
}

impl ReadAt for Place<'_> {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.end > self.size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if range.end.saturating_sub(range.start) > self.most {
            let error = Error::limit("bytes of a file in memory", self.most, flag::DECODED);
            return Err(io::Error::other(error.to_string()));
        }
        self.file.read(&[self.outer(&range)])?.pop().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// One in this many bytes of a file may be read only to save requests.
const SPARE_PART: u64 = 100;
/// Ranges with fewer bytes between them are always joined: a request takes as many.
const NEAR: u64 = 1 << 10;

/// Joins ranges that touch, then those with the smallest gaps, as long as all gaps together are within `spare`.
fn joined(wanted: &[Range<u64>], spare: u64) -> Vec<Range<u64>> {
    let mut all: Vec<_> = wanted.iter().filter(|range| range.start < range.end).cloned().collect();
    all.sort_unstable_by_key(|range| range.start);
    let mut gaps: Vec<u64> = Vec::with_capacity(all.len());
    let mut reached = all.first().map_or(0, |range| range.start);
    for range in &all {
        gaps.push(range.start.saturating_sub(reached));
        reached = reached.max(range.end);
    }
    gaps.sort_unstable();
    let mut left = spare;
    let mut most = NEAR;
    for gap in gaps {
        let Some(rest) = left.checked_sub(gap) else { break };
        (left, most) = (rest, most.max(gap));
    }
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(all.len());
    for range in all {
        match joined.last_mut() {
            Some(last) if range.start.saturating_sub(last.end) <= most => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn the_smallest_gaps_are_read_over_first() {
        let wanted = [0..10, 10..20, 5_000..5_010, 8_000..8_010, 100_000..100_001];
        assert_eq!(joined(&wanted, 0), [0..20, 5_000..5_010, 8_000..8_010, 100_000..100_001]);
        assert_eq!(joined(&wanted, 3_500), [0..20, 5_000..8_010, 100_000..100_001]);
        assert_eq!(joined(&wanted, 8_000), [0..8_010, 100_000..100_001]);
        assert_eq!(joined(&wanted, u64::MAX), [0..100_001]);
        assert_eq!(joined(&[7..9, 3..8, 4..4], 0), [3..9]);
        assert!(joined(&[], 9).is_empty());
    }
}
