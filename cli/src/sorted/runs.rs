//! Sorted runs of rows in a temporary file, and one sequence made of several.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use crate::temporary::{Section, Temporary};

/// The bytes that are read from a run at once.
const BUFFER: usize = 64 << 10;

/// A part of a file with sorted rows.
#[derive(Clone, Copy)]
pub(super) struct Run {
    start: u64,
    end: u64,
    /// The bytes of its longest row, with the key.
    longest: usize,
}

impl Run {
    /// The memory for reading it.
    fn memory(&self) -> usize {
        BUFFER + self.longest
    }
}

/// How many of these runs may be read at once with this much memory: at least two.
pub(super) fn fitting(runs: &[Run], most: usize) -> usize {
    let mut memory = 0_usize;
    for (count, run) in runs.iter().enumerate() {
        memory = memory.saturating_add(run.memory());
        if count >= 2 && memory > most {
            return count;
        }
    }
    runs.len()
}

/// Writes a run at the end of a file.
pub(super) struct RunWriter<'t> {
    out: BufWriter<&'t mut Temporary>,
    start: u64,
    longest: usize,
}

impl<'t> RunWriter<'t> {
    pub(super) fn new(file: &'t mut Temporary) -> Self {
        let start = file.end;
        Self { out: BufWriter::with_capacity(BUFFER, file), start, longest: 0 }
    }

    pub(super) fn add(&mut self, key: &[u8], row: &[u8]) -> io::Result<()> {
        self.longest = self.longest.max(key.len() + row.len());
        for part in [key, row] {
            self.out.write_all(&(part.len() as u64).to_le_bytes())?;
        }
        self.out.write_all(key)?;
        self.out.write_all(row)
    }

    pub(super) fn end(mut self) -> io::Result<Run> {
        self.out.flush()?;
        Ok(Run { start: self.start, end: self.out.get_ref().end, longest: self.longest })
    }
}

/// The rows of several runs in order.
pub(super) struct Merge {
    heads: BinaryHeap<Head>,
    /// The row that was read last.
    key: Vec<u8>,
    row: Vec<u8>,
}

impl Merge {
    pub(super) fn of(runs: &[Run], file: &Temporary) -> io::Result<Self> {
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for run in runs {
            let rest = BufReader::with_capacity(BUFFER, file.section(run.start, run.end));
            let mut head = Head { key: Vec::new(), row: Vec::new(), rest };
            if head.step()? {
                heads.push(head);
            }
        }
        Ok(Self { heads, key: Vec::new(), row: Vec::new() })
    }

    pub(super) fn next(&mut self) -> io::Result<Option<(&[u8], &[u8])>> {
        let Some(mut first) = self.heads.peek_mut() else { return Ok(None) };
        std::mem::swap(&mut self.key, &mut first.key);
        std::mem::swap(&mut self.row, &mut first.row);
        if !first.step()? {
            PeekMut::pop(first);
        }
        Ok(Some((&self.key, &self.row)))
    }
}

/// The next row of a run, and the rows after it.
struct Head {
    key: Vec<u8>,
    row: Vec<u8>,
    rest: BufReader<Section>,
}

impl Head {
    /// Reads the next row. Returns false at the end.
    fn step(&mut self) -> io::Result<bool> {
        if self.rest.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let [mut key, mut row] = [[0; 8]; 2];
        self.rest.read_exact(&mut key)?;
        self.rest.read_exact(&mut row)?;
        read(&mut self.rest, &mut self.key, u64::from_le_bytes(key))?;
        read(&mut self.rest, &mut self.row, u64::from_le_bytes(row))?;
        Ok(true)
    }
}

fn read(from: &mut impl Read, into: &mut Vec<u8>, bytes: u64) -> io::Result<()> {
    into.clear();
    match from.take(bytes).read_to_end(into)? as u64 == bytes {
        true => Ok(()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// The heap has the largest head on top, so the order is reversed.
impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        (&other.key, &other.row).cmp(&(&self.key, &self.row))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as fit, and at least two so that merging comes to an end.
    #[test]
    fn as_many_runs_are_read_as_the_memory_holds() {
        for longest in [[0, 0, 0, 0, 0], [1, 0, 7, 0, 1_000_000], [1_000_000, 3, 0, 0, 9], [9, 8, 7, 6, 5]] {
            let all = longest.map(|longest| Run { start: 0, end: 0, longest });
            for count in 0..=all.len() {
                let runs = &all[..count];
                let sums: Vec<usize> =
                    (0..=count).map(|few| runs[..few].iter().map(|run| (64 << 10) + run.longest).sum()).collect();
                for most in sums.iter().flat_map(|&sum| [sum.saturating_sub(1), sum, sum + 1]).chain([usize::MAX]) {
                    let expected = (0..=count).filter(|&few| few <= 2 || sums[few] <= most).max().unwrap();
                    assert_eq!(fitting(runs, most), expected, "{longest:?}: {count} in {most}");
                }
            }
        }
    }
}
