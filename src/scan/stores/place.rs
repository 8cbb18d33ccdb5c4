//! The ranges of a file of a store: which are read together, and how many bytes.

use std::io;
use std::ops::Range;

use super::store::Stored;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::ranges::Ranges;

/// A file of a store as a source of ranges, which reads some bytes more to save requests.
#[derive(Clone, Copy)]
pub(super) struct Place<'f> {
    pub(super) file: &'f dyn Stored,
    /// The most bytes to read at once.
    pub(super) most: u64,
}

impl Place<'_> {
    pub(super) fn size(self) -> u64 {
        self.file.byte_len()
    }

    /// Adds these ranges to those that are available, with neighbours joined. Does not read those that are there. Reads
    /// at least `spare` bytes between ranges to save requests.
    pub(super) fn add(self, wanted: &[Range<u64>], spare: u64, ranges: &mut Ranges) -> io::Result<()> {
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
    pub(super) fn whole(self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let length = range.end.saturating_sub(range.start);
        let bytes = self.file.read(&[range])?.pop().unwrap_or_default();
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    /// Asks a question like [`Ranges::load`], and reads all missing ranges at once.
    pub(super) fn load<T>(self, ranges: &mut Ranges, question: impl Fn(&Ranges) -> Result<T>) -> Result<T> {
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
pub(super) fn sum(ranges: &[Range<u64>]) -> u64 {
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
    use std::time::SystemTime;

    use super::*;

    /// A file of this many bytes, which count from 0. `more_bytes` is added to the length of the first piece of
    /// each read, and `more_pieces` to the number of pieces.
    #[derive(Debug, Default)]
    struct Fake {
        bytes: u64,
        more_bytes: i64,
        more_pieces: i64,
    }

    impl Stored for Fake {
        fn byte_len(&self) -> u64 {
            self.bytes
        }

        fn stamp(&self) -> Option<String> {
            None
        }

        fn modified(&self) -> Option<SystemTime> {
            None
        }

        fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
            let mut pieces: Vec<Vec<u8>> = Vec::new();
            for range in ranges {
                assert!(range.end <= self.bytes, "{range:?}");
                pieces.push(range.clone().map(|place| place as u8).collect());
            }
            if let Some(first) = pieces.first_mut() {
                first.resize(first.len().saturating_add_signed(self.more_bytes as isize), 0);
            }
            pieces.resize(pieces.len().saturating_add_signed(self.more_pieces as isize), Vec::new());
            Ok(pieces)
        }
    }

    #[test]
    fn only_pieces_of_the_lengths_that_were_asked_for_are_accepted() {
        for more_bytes in [-20, -1, 0, 1, 20] {
            for more_pieces in [-2, -1, 0, 1] {
                let file = Fake { bytes: 100_000, more_bytes, more_pieces };
                let place = Place { file: &file, most: u64::MAX };
                let is_exact = more_bytes == 0 && more_pieces == 0;
                let mut ranges = Ranges::new(file.bytes);
                // Far from each other, so that these are pieces of their own.
                let wanted = [10..20, 50_000..50_030];
                let added = place.add(&wanted, 0, &mut ranges);
                assert_eq!(added.is_ok(), is_exact, "{more_bytes} {more_pieces}");
                for range in wanted {
                    let expected: Vec<u8> = range.clone().map(|place| place as u8).collect();
                    let found = ranges.get(range).ok().map(<[u8]>::to_vec);
                    assert_eq!(found, Some(expected).filter(|_| is_exact), "{more_bytes} {more_pieces}");
                }
                assert_eq!(place.whole(5..25).is_ok(), is_exact, "{more_bytes} {more_pieces}");
            }
        }
    }

    #[test]
    fn a_question_is_answered_if_all_that_it_needs_is_within_the_limit() {
        // One round, few rounds, and enough of them that further ones read more than was asked for.
        for step in [10_000, 3_000, 500] {
            for needed in [500_u64, 9_500, 10_000] {
                for most in [0, needed - 1, needed, needed + 1, needed * 2] {
                    for bytes in [needed, needed + 1, 1_000_000] {
                        let file = Fake { bytes, ..Fake::default() };
                        let place = Place { file: &file, most };
                        let mut ranges = Ranges::new(bytes);
                        let answer = place.load(&mut ranges, |ranges| {
                            let mut sum = 0;
                            for start in (0..needed).step_by(step) {
                                let end = start.saturating_add(step as u64).min(needed);
                                sum += ranges.get(start..end)?.len() as u64;
                            }
                            Ok(sum)
                        });
                        let case = format!("{needed} of {bytes} bytes by {step}, at most {most}");
                        match answer {
                            Ok(sum) => assert!(needed <= most && sum == needed, "{case}"),
                            Err(error) => {
                                assert!(needed > most, "{case}: {error}");
                                assert_eq!(error.code(), Code::DecodedBytesLimit, "{case}");
                            }
                        }
                        assert!(ranges.held() <= most, "{case}: {} were read", ranges.held());
                    }
                }
            }
        }
    }

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

    /// A file of zeros that notes what is read.
    #[derive(Default)]
    struct Noted(u64, std::sync::Mutex<Vec<Vec<Range<u64>>>>);

    impl Noted {
        fn reads(&self) -> Vec<Vec<Range<u64>>> {
            std::mem::take(&mut self.1.lock().unwrap())
        }
    }

    impl Stored for Noted {
        fn byte_len(&self) -> u64 {
            self.0
        }

        fn stamp(&self) -> Option<String> {
            None
        }

        fn modified(&self) -> Option<SystemTime> {
            None
        }

        fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
            self.1.lock().unwrap().push(ranges.to_vec());
            Ok(ranges.iter().map(|range| vec![0; (range.end - range.start) as usize]).collect())
        }
    }

    #[test]
    fn what_is_there_is_not_read_again_and_a_gap_is_read_if_it_is_small_for_what_is_missing() {
        for length in [10_u64, 20_000, 80_000] {
            for gap in [1_u64, 1024, 1025, 4_000, 5_000, 5_001, 16_384, 16_385, 20_000] {
                for spare in [0_u64, 4_000, 100_000] {
                    for there in [None, Some(0), Some(1)] {
                        let wanted = [0..length, length + gap..2 * length + gap];
                        let file = Noted(1 << 20, Default::default());
                        let place = Place { file: &file, most: u64::MAX };
                        let mut ranges = Ranges::new(file.0);
                        if let Some(there) = there {
                            ranges.add(wanted[there].start, vec![0; length as usize]);
                        }
                        place.add(&wanted, spare, &mut ranges).unwrap();
                        let missing = if there.is_some() { length } else { 2 * length };
                        let allowed = spare.max(missing / 8).clamp(1024, 16_384);
                        let whole = 0..2 * length + gap;
                        let expected = match there {
                            Some(there) => vec![wanted[1 - there].clone()],
                            None if gap <= allowed => vec![whole],
                            None => wanted.to_vec(),
                        };
                        assert_eq!(file.reads(), [expected], "{length} {gap} {spare} {there:?}");
                        assert!(wanted.iter().all(|range| ranges.get(range.clone()).is_ok()));
                    }
                }
            }
        }
    }

    #[test]
    fn after_six_rounds_a_question_reads_half_as_many_bytes_more_as_before() {
        let (size, step) = (100_000_u64, 100_u64);
        for before in [0, 1_000] {
            let file = Noted(size, Default::default());
            let place = Place { file: &file, most: u64::MAX };
            let mut ranges = Ranges::new(size);
            // What was there before does not count.
            ranges.add(0, vec![0; before as usize]);
            let whole = place.load(&mut ranges, |ranges| {
                for start in (0..size).step_by(step as usize) {
                    ranges.get(start..start + step)?;
                }
                Ok(())
            });
            assert!(whole.is_ok());
            let (mut end, mut rounds, mut expected) = (before, 0, Vec::new());
            while end < size {
                rounds += 1;
                // The first of the parts that is not there, as far as it is not.
                let next = end / step * step + step;
                let more = if rounds > 6 { (end - before) / 2 } else { 0 };
                let start = end;
                end = (next + more).min(size);
                expected.push((start, end));
            }
            let reads: Vec<(u64, u64)> = file.reads().iter().map(|read| (read[0].start, read[0].end)).collect();
            assert_eq!(reads.last().map(|(_, end)| *end), Some(size));
            assert_eq!(reads.len(), expected.len(), "{reads:?} {expected:?}");
            assert_eq!(reads[..6], expected[..6]);
        }
    }
}
