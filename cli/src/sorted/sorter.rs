//! Sorts rows of bytes by their keys, in memory that is bounded.

use std::io;

use super::runs::{Merge, Run, RunWriter, fitting};
use crate::args::Common;
use crate::temporary::{Space, Temporary};

/// A run holds this much besides `--max-decoded`.
const POOL: u64 = 64 << 20;
/// Rows take at most this part of what a run holds.
const PART: u64 = 4;

/// Rows with keys. Rows are read in the order of the bytes of their keys, those with equal keys in the order of their own
/// bytes, so the order does not depend on threads. What exceeds the memory is written to a temporary file, in sorted runs.
pub(crate) struct Sorter {
    /// The bytes that rows may take in memory.
    most: usize,
    /// How many rows are read.
    top: Option<usize>,
    /// The keys and rows in memory, one after the other.
    bytes: Vec<u8>,
    spans: Vec<Span>,
    runs: Vec<Run>,
    file: Option<Temporary>,
    space: Space,
    /// The key of a row before which there are enough rows.
    last: Option<Vec<u8>>,
    reading: Reading,
}

/// The place of a row in memory.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    /// The end of the key.
    middle: usize,
    end: usize,
}

enum Reading {
    NotYet,
    /// The number of rows read, of those in memory.
    Memory(usize),
    /// The number of rows read, of those in the file.
    File(usize, Merge),
}

impl Sorter {
    /// Creates an empty one, which reads the first `top` rows. All `count` that a verb has at once share the memory.
    pub(crate) fn new(top: Option<usize>, count: u64, common: &Common) -> Self {
        let most = common.limits.limits().decoded_bytes.saturating_add(POOL) / PART / count;
        Self::with_memory(usize::try_from(most).unwrap_or(usize::MAX), top, &common.space)
    }

    fn with_memory(most: usize, top: Option<usize>, space: &Space) -> Self {
        Self {
            most,
            top,
            bytes: Vec::new(),
            spans: Vec::new(),
            runs: Vec::new(),
            file: None,
            space: space.clone(),
            last: None,
            reading: Reading::NotYet,
        }
    }

    /// True if rows at the end are left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.top.is_some()
    }

    /// True if a row with this key may be read.
    pub(crate) fn wants(&self, key: &[u8]) -> bool {
        self.last.as_ref().is_none_or(|last| key <= last.as_slice())
    }

    pub(crate) fn push(&mut self, key: &[u8], row: &[u8]) -> io::Result<()> {
        if !self.wants(key) {
            return Ok(());
        }
        let needed = key.len() + row.len() + size_of::<Span>();
        if !self.spans.is_empty() && self.memory() + needed > self.most {
            self.make_room(needed)?;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(row);
        self.spans.push(Span { start, middle: start + key.len(), end: self.bytes.len() });
        // Sorting now and then keeps few rows.
        if let Some(top) = self.top
            && self.spans.len() > top.saturating_mul(2).saturating_add(1_000)
        {
            self.keep_first(top);
        }
        Ok(())
    }

    /// The next key and row. No row is added after this.
    pub(crate) fn next(&mut self) -> io::Result<Option<(&[u8], &[u8])>> {
        if let Reading::NotYet = self.reading {
            self.reading = self.read()?;
        }
        let most = self.top.unwrap_or(usize::MAX);
        match &mut self.reading {
            Reading::Memory(count) if *count < most => {
                let Some(span) = self.spans.get(*count) else { return Ok(None) };
                *count += 1;
                Ok(Some((&self.bytes[span.start..span.middle], &self.bytes[span.middle..span.end])))
            }
            Reading::File(count, merge) if *count < most => {
                *count += 1;
                merge.next()
            }
            _ => Ok(None),
        }
    }

    /// Begins again with the first row.
    pub(crate) fn rewind(&mut self) {
        self.reading = Reading::NotYet;
    }

    fn read(&mut self) -> io::Result<Reading> {
        if self.runs.is_empty() {
            self.sort();
            return Ok(Reading::Memory(0));
        }
        if !self.spans.is_empty() {
            self.write_run()?;
        }
        // The memory is for merging now.
        self.bytes = Vec::new();
        self.spans = Vec::new();
        self.merge()
    }

    fn memory(&self) -> usize {
        self.bytes.len() + self.spans.len() * size_of::<Span>()
    }

    fn sort(&mut self) {
        let bytes = &self.bytes;
        let parts = |span: &Span| (&bytes[span.start..span.middle], &bytes[span.middle..span.end]);
        // Rows mostly arrive in order.
        self.spans.sort_by(|a, b| parts(a).cmp(&parts(b)));
    }

    /// Makes room for this many bytes, or else for all that one row needs.
    fn make_room(&mut self, needed: usize) -> io::Result<()> {
        if let Some(top) = self.top {
            self.keep_first(top);
            // If few were left out, this would be repeated too soon.
            let is_enough = self.memory() <= self.most / 2 && self.memory() + needed <= self.most;
            if is_enough {
                return Ok(());
            }
        }
        self.write_run()
    }

    /// Keeps the first rows of those in memory.
    fn keep_first(&mut self, top: usize) {
        self.sort();
        self.spans.truncate(top);
        if let Some(span) = self.spans.last()
            && self.spans.len() == top
        {
            self.last = Some(self.bytes[span.start..span.middle].to_vec());
        }
        self.spans.sort_unstable_by_key(|span| span.start);
        let mut end = 0;
        for span in &mut self.spans {
            self.bytes.copy_within(span.start..span.end, end);
            let key = span.middle - span.start;
            let whole = span.end - span.start;
            *span = Span { start: end, middle: end + key, end: end + whole };
            end = span.end;
        }
        self.bytes.truncate(end);
    }

    /// Writes the rows in memory to the file.
    fn write_run(&mut self) -> io::Result<()> {
        self.sort();
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(Temporary::new(&self.space)?),
        };
        let mut run = RunWriter::new(file);
        for span in self.spans.iter().take(self.top.unwrap_or(usize::MAX)) {
            run.add(&self.bytes[span.start..span.middle], &self.bytes[span.middle..span.end])?;
        }
        self.runs.push(run.end()?);
        self.spans.clear();
        self.bytes.clear();
        Ok(())
    }

    /// Merges runs until those that are left can be read at once.
    fn merge(&mut self) -> io::Result<Reading> {
        let top = self.top.unwrap_or(usize::MAX);
        while let Some(file) = &self.file {
            let count = fitting(&self.runs, self.most);
            if count == self.runs.len() {
                return Ok(Reading::File(0, Merge::of(&self.runs, file)?));
            }
            let mut next = Temporary::new(&self.space)?;
            let mut merged = Vec::new();
            let mut rest = self.runs.as_slice();
            while !rest.is_empty() {
                let (group, after) = rest.split_at(fitting(rest, self.most));
                let mut rows = Merge::of(group, file)?;
                let mut run = RunWriter::new(&mut next);
                let mut left = top;
                while left > 0
                    && let Some((key, row)) = rows.next()?
                {
                    run.add(key, row)?;
                    left -= 1;
                }
                merged.push(run.end()?);
                rest = after;
            }
            self.runs = merged;
            self.file = Some(next);
        }
        Ok(Reading::Memory(0))
    }
}

impl meshpeek::answers::dupes::Sort for Sorter {
    fn push(&mut self, key: &[u8], row: &[u8]) -> meshpeek::Result<()> {
        Ok(Self::push(self, key, row)?)
    }

    fn next(&mut self) -> meshpeek::Result<Option<(&[u8], &[u8])>> {
        Ok(Self::next(self)?)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::verbs::Cli;

    /// Numbers that are the same in each run of the test.
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % most
        }

        /// Few different bytes, so that many keys are equal or begin alike.
        fn bytes(&mut self, most: u64) -> Vec<u8> {
            (0..self.below(most)).map(|_| [0, 1, 0x7f, 0xff][self.below(4) as usize]).collect()
        }
    }

    fn space(most: u64) -> Space {
        let space = Space::default();
        space.limit(most);
        space
    }

    fn all(sorter: &mut Sorter) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = Vec::new();
        while let Some((key, row)) = sorter.next().unwrap() {
            rows.push((key.to_vec(), row.to_vec()));
        }
        rows
    }

    #[test]
    fn rows_in_little_memory_are_those_of_a_sort_in_memory() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut passes = 0;
        for round in 0..300 {
            let count = [0, 1, 2, 40, 700, 3000][round % 6];
            let mut rows: Vec<_> = (0..count).map(|_| (random.bytes(6), random.bytes(40))).collect();
            if round % 5 == 0 {
                // Longer than the memory.
                rows.extend((0..3).map(|_| (random.bytes(6), random.bytes(9000))));
            }
            let memory = 1 << random.below(17);
            let top = (round % 3 == 0).then(|| random.below(count + 2) as usize);
            let mut sorter = Sorter::with_memory(memory, top, &space(u64::MAX));
            // One row may be longer than the memory.
            let mut most = memory;
            for (key, row) in &rows {
                sorter.push(key, row).unwrap();
                most = most.max(key.len() + row.len() + size_of::<Span>());
                assert!(sorter.memory() <= most);
            }
            passes += u32::from(sorter.runs.len() > 2);
            rows.sort();
            rows.truncate(top.unwrap_or(usize::MAX));
            assert_eq!(all(&mut sorter), rows, "round {round}: {count} rows in {memory} bytes, the first {top:?}");
            assert_eq!(sorter.next().unwrap(), None);
            sorter.rewind();
            assert_eq!(all(&mut sorter), rows, "round {round}, again");
        }
        assert!(passes > 50, "{passes}");
    }

    #[test]
    fn a_limit_bounds_what_is_written_and_names_its_flag() {
        let space = space(10_000);
        let mut sorter = Sorter::with_memory(1_000, None, &space);
        let error = (0..100_u8).find_map(|key| sorter.push(&[key], &[0; 200]).err()).unwrap();
        assert_eq!(
            error.to_string(),
            "more than 10000 bytes of temporary files, the limit set for reading; --max-temporary raises it"
        );
        // Its bytes can be used again.
        drop(sorter);
        let mut sorter = Sorter::with_memory(1_000, None, &space);
        for key in 0..30_u8 {
            sorter.push(&[key], &[0; 200]).unwrap();
        }
        assert!(sorter.file.is_some());
    }

    #[test]
    fn rows_that_fit_exactly_stay_in_memory() {
        let row = 10 + 30 + size_of::<Span>();
        for count in 2..6 {
            for (memory, is_file) in [(count * row - 1, true), (count * row, false), (count * row + 1, false)] {
                // Without a file there is no need of space for one.
                let mut sorter = Sorter::with_memory(memory, None, &space(if is_file { u64::MAX } else { 0 }));
                for number in 0..count {
                    sorter.push(&[number as u8; 10], &[0; 30]).unwrap();
                }
                assert_eq!(sorter.file.is_some(), is_file, "{count} rows in {memory} bytes");
                assert_eq!(all(&mut sorter).len(), count);
            }
        }
    }

    /// `SECURITY.md`: a quarter of what a run holds, which the sorters of a verb share.
    #[test]
    fn sorters_hold_a_quarter_of_what_a_run_holds() {
        for (decoded, bytes) in [("0", 0), ("1M", 1 << 20), ("256M", 256 << 20), ("2G", 2 << 30)] {
            let common = Cli::try_parse_from(["meshpeek", "limits", "--max-decoded", decoded]).unwrap().common;
            for count in [1, 2] {
                let expected = (bytes + (64 << 20)) / 4 / count;
                assert_eq!(Sorter::new(None, count, &common).most as u64, expected, "{decoded} {count}");
            }
        }
    }

    #[test]
    fn every_pass_gives_its_space_back() {
        // Runs of one row each, which are merged two at a time in several passes.
        let rows = || (0..32_u8).map(|number| ([number * 7 % 32], vec![number; 200]));
        let written = 32 * (16 + 1 + 200);
        // The file that is read and the next one.
        for (most, is_enough) in [(2 * written, true), (2 * written - 1, false), (written, false)] {
            let space = space(most);
            for _ in 0..3 {
                let mut sorter = Sorter::with_memory(1, None, &space);
                let mut result = rows().try_for_each(|(key, row)| sorter.push(&key, &row));
                if result.is_ok() {
                    result = sorter.next().map(drop);
                }
                assert_eq!(result.is_ok(), is_enough, "{most}: {result:?}");
                drop(sorter);
                // All of it can be used again.
                let mut file = Temporary::new(&space).unwrap();
                assert!(io::Write::write_all(&mut file, &vec![0; most as usize]).is_ok());
            }
        }
    }

    #[test]
    fn a_row_with_the_key_of_the_last_one_is_wanted() {
        for top in [1, 2, 5] {
            // Rows that memory cannot hold make room: the first of them are kept.
            let mut sorter = Sorter::with_memory(60_000, Some(top), &space(u64::MAX));
            assert!(sorter.is_cut() && sorter.wants(&[255]));
            for number in (10..2_010_u32).rev() {
                sorter.push(&number.to_be_bytes(), &[0; 20]).unwrap();
            }
            let last = sorter.last.clone().unwrap();
            let number = u32::from_be_bytes(last.as_slice().try_into().unwrap());
            assert!(sorter.wants(&last) && sorter.wants(&(number - 1).to_be_bytes()), "{top}");
            assert!(!sorter.wants(&(number + 1).to_be_bytes()), "{top}");
            // Of rows with its key, the smaller ones are read.
            let before: Vec<_> = (10..10 + top as u32 - 1).map(|number| number.to_be_bytes().to_vec()).collect();
            sorter.push(&(9 + top as u32).to_be_bytes(), b"").unwrap();
            let rows = all(&mut sorter);
            assert_eq!(rows.iter().map(|(key, _)| key.clone()).take(top - 1).collect::<Vec<_>>(), before);
            assert_eq!(rows.last().unwrap(), &((9 + top as u32).to_be_bytes().to_vec(), Vec::new()), "{top}");
        }
    }
}
