//! Files that are not in the file system, such as those of an object store.
//!
//! A [`Scan`](super::Scan) with [`stores`](super::Scan::stores) reads such files by ranges. Records are those of the
//! same bytes in a file, except for the path and the stamp. With [`Depth::Header`](crate::Depth::Header) it reads the
//! directory of an archive and the beginning of each member, and checks no CRC-32. With
//! [`Depth::Summary`](crate::Depth::Summary) it reads a PBO or zip member by member. For
//! [`Depth::Verify`](crate::Depth::Verify), for digests and for all other files it reads the whole file. It reads at
//! most [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) of a file at once, and takes as much memory again to join
//! a member that arrives in several pieces, or a file of up to 16 MiB.

mod fetch;
mod first_reads;
mod plan;
mod run;
mod walk;

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::ranges::Ranges;

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

/// A file of a store as a source of ranges, which reads some bytes more to save requests.
#[derive(Clone, Copy)]
struct Place<'f> {
    file: &'f dyn Stored,
    /// The most bytes to read at once.
    most: u64,
}

impl Place<'_> {
    fn size(self) -> u64 {
        self.file.byte_len()
    }

    /// Adds these ranges to those that are available, with neighbours joined. Does not read those that are there. Reads
    /// at least `spare` bytes between ranges to save requests.
    fn add(self, wanted: &[Range<u64>], spare: u64, ranges: &mut Ranges) -> io::Result<()> {
        let mut missing = Vec::new();
        for range in wanted {
            if ranges.get(range.clone()).is_err() {
                missing.push(range.clone());
            }
        }
        let wanted = joined_within(&missing, spare.max(sum(&missing) / BETWEEN_PART));
        let pieces = self.file.read(&wanted)?;
        if pieces.len() != wanted.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (range, bytes) in wanted.iter().zip(&pieces) {
            if bytes.len() as u64 != range.end.saturating_sub(range.start) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        for (range, bytes) in wanted.iter().zip(pieces) {
            ranges.add(range.start, bytes);
        }
        Ok(())
    }

    /// Reads this range in one piece.
    fn whole(self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let length = range.end.saturating_sub(range.start);
        let bytes = self.file.read(&[range])?.pop().unwrap_or_default();
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    /// Asks a question like [`Ranges::load`], and reads all missing ranges at once.
    fn load<T>(self, ranges: &mut Ranges, question: impl Fn(&Ranges) -> Result<T>) -> Result<T> {
        let before = ranges.held();
        let mut rounds = 0_u32;
        loop {
            let error = match ranges.ask(&question) {
                Err(error) if error.incomplete().is_some() => error,
                answer => return answer,
            };
            let (mut missing, held) = (error.incomplete_ranges().to_vec(), ranges.held());
            let read = held.saturating_sub(before);
            rounds = rounds.saturating_add(1);
            // Chunks may follow each other through the whole file, each in a round of its own.
            let spare = self.most.saturating_sub(read).saturating_sub(sum(&missing));
            if let Some(last) = missing.last_mut().filter(|_| rounds > FEW_ROUNDS) {
                let more = (read / 2).min(spare);
                last.end = last.end.saturating_add(more).min(self.size());
            }
            if read.saturating_add(sum(&missing)) > self.most {
                return Err(Error::limit("bytes of a file in memory", self.most, Code::DecodedBytesLimit));
            }
            self.add(&missing, 0, ranges)?;
            // Otherwise the same question would be asked forever.
            if ranges.held() == held {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
        }
    }
}

/// After this many rounds of a question, further ones read half as many bytes more as were read so far.
const FEW_ROUNDS: u32 = 6;
/// One byte between ranges may be read for this many inside them, to save requests.
const BETWEEN_PART: u64 = 8;
/// Ranges with fewer bytes between them are always joined: a request takes as many.
const NEAR: u64 = 1 << 10;
/// Ranges with more bytes between them are not joined.
const FAR: u64 = 16 << 10;

/// Returns the bytes of all these ranges.
fn sum(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().fold(0, |sum, range| sum.saturating_add(range.end.saturating_sub(range.start)))
}

/// Joins ranges that touch, then those with the smallest gaps, as long as all gaps together are within `spare`.
fn joined_within(wanted: &[Range<u64>], spare: u64) -> Vec<Range<u64>> {
    let mut all: Vec<_> = wanted.iter().filter(|range| range.start < range.end).cloned().collect();
    all.sort_unstable_by_key(|range| range.start);
    let mut gaps: Vec<u64> = Vec::with_capacity(all.len());
    let mut reached = all.first().map_or(0, |range| range.start);
    for range in &all {
        gaps.push(range.start.saturating_sub(reached));
        reached = reached.max(range.end);
    }
    let mut order: Vec<usize> = (0..gaps.len()).collect();
    order.sort_by_key(|&index| gaps.get(index));
    let (mut left, mut is_read) = (spare, vec![false; gaps.len()]);
    for index in order {
        if let (Some(&gap), Some(is_read)) = (gaps.get(index), is_read.get_mut(index)) {
            *is_read = gap <= NEAR.max(left.min(FAR));
            left = left.saturating_sub(gap);
        }
    }
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(all.len());
    for (range, is_read) in all.into_iter().zip(is_read) {
        match joined.last_mut() {
            Some(last) if is_read => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::joined_within;

    #[test]
    fn the_smallest_gaps_are_read_over_first() {
        let wanted = [0..10, 10..20, 5_000..5_010, 8_000..8_010, 100_000..100_001];
        assert_eq!(joined_within(&wanted, 0), [0..20, 5_000..5_010, 8_000..8_010, 100_000..100_001]);
        assert_eq!(joined_within(&wanted, 3_500), [0..20, 5_000..8_010, 100_000..100_001]);
        assert_eq!(joined_within(&wanted, 8_000), [0..8_010, 100_000..100_001]);
        // Of several gaps of one size, as many as fit.
        let equal = [0..10, 5_010..5_020, 10_020..10_030];
        assert_eq!(joined_within(&equal, 9_999), [0..5_020, 10_020..10_030]);
        assert_eq!(joined_within(&equal, 10_000), std::slice::from_ref(&(0..10_030)));
        // What is far is not.
        assert_eq!(joined_within(&wanted, u64::MAX), [0..8_010, 100_000..100_001]);
        assert_eq!(joined_within(&[7..9, 3..8, 4..4], 0), std::slice::from_ref(&(3..9)));
        assert!(joined_within(&[], 9).is_empty());
    }
}
