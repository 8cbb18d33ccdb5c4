//! Sorts what is kept until the end of a search.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::scan::Scan;

/// Sorts rows of bytes by their keys. A program that writes files may keep there what does not fit into memory.
pub trait Sort: Send {
    /// Adds a row. No row is added after the first call of [`next`](Self::next).
    ///
    /// # Errors
    /// Returns an error if the row cannot be kept.
    fn push(&mut self, key: &[u8], row: &[u8]) -> Result<()>;

    /// Returns the next key and row: the smallest by the bytes of the key, of equal keys the smallest by the bytes of the
    /// row. Returns `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the rows cannot be read back.
    fn next(&mut self) -> Result<Option<(&[u8], &[u8])>>;
}

/// The memory that a search may take.
pub(super) struct Room<'s> {
    scan: &'s Scan,
    taken: AtomicU64,
}

impl<'s> Room<'s> {
    /// The memory for an entry besides its text.
    const BESIDE: u64 = 64;

    pub(super) fn new(scan: &'s Scan) -> Self {
        Self { scan, taken: AtomicU64::new(0) }
    }

    /// Takes memory for a text and its entry.
    pub(super) fn take(&self, bytes: usize) -> Result<()> {
        let bytes = Self::BESIDE.saturating_add(bytes as u64);
        let taken = self.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let most = self.scan.limits.decoded_bytes.saturating_add(self.scan.progress.opened_bytes());
        if taken > most {
            return Err(Error::limit("bytes of names and digests of assets", most, Code::DecodedBytesLimit));
        }
        Ok(())
    }

    fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(Self::BESIDE.saturating_add(bytes as u64), Ordering::Relaxed);
    }
}

/// Rows in memory.
pub(super) struct InMemory<'r> {
    room: &'r Room<'r>,
    rows: Vec<(Vec<u8>, Vec<u8>)>,
    is_sorted: bool,
    current: (Vec<u8>, Vec<u8>),
}

impl<'r> InMemory<'r> {
    pub(super) fn new(room: &'r Room<'r>) -> Self {
        Self { room, rows: Vec::new(), is_sorted: false, current: Default::default() }
    }
}

impl Sort for InMemory<'_> {
    fn push(&mut self, key: &[u8], row: &[u8]) -> Result<()> {
        self.room.take(key.len().saturating_add(row.len()))?;
        self.rows.push((key.to_vec(), row.to_vec()));
        Ok(())
    }

    fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        if !self.is_sorted {
            // The first row is at the end, so that rows are removed as they are read.
            self.rows.sort_unstable_by(|a, b| b.cmp(a));
            self.is_sorted = true;
        }
        let Some(row) = self.rows.pop() else { return Ok(None) };
        self.current = row;
        let (key, row) = &self.current;
        self.room.give_back(key.len().saturating_add(row.len()));
        Ok(Some((key, row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn scan(decoded_bytes: u64) -> Scan {
        let mut scan = Scan::new(["x"]);
        scan.limits.decoded_bytes = decoded_bytes;
        scan
    }

    #[test]
    fn each_entry_takes_its_bytes_and_64_up_to_the_limit() {
        for most in [0, 63, 64, 65, 127, 128, 1_000] {
            for bytes in [0, 1, 36, 1_000, usize::MAX] {
                let scan = scan(most);
                let room = Room::new(&scan);
                let fit = (0..100).take_while(|_| room.take(bytes).is_ok()).count() as u64;
                assert_eq!(fit, most / (bytes as u64).saturating_add(64), "{bytes} in {most}");
                let error = room.take(bytes).unwrap_err();
                let ErrorKind::Limit { what, limit } = error.kind() else { panic!("{error}") };
                assert_eq!(
                    (*what, *limit, error.code()),
                    ("bytes of names and digests of assets", most, Code::DecodedBytesLimit)
                );
            }
        }
    }

    #[test]
    fn rows_come_in_order_and_each_gives_its_memory_back() {
        let rows: Vec<(Vec<u8>, Vec<u8>)> = (0..40_usize)
            .map(|number| (vec![(number * 7 % 5) as u8; number % 3], vec![(number * 3 % 4) as u8; number % 4]))
            .collect();
        let size = |(key, row): &(Vec<u8>, Vec<u8>)| (key.len() + row.len()) as u64 + 64;
        let whole: u64 = rows.iter().map(size).sum();
        // All fit exactly, and one byte less does not hold the last.
        for (most, is_enough) in [(whole, true), (whole - 1, false)] {
            let scan = scan(most);
            let room = Room::new(&scan);
            let mut sort = InMemory::new(&room);
            let pushed = rows.iter().take_while(|(key, row)| sort.push(key, row).is_ok()).count();
            assert_eq!(pushed, if is_enough { rows.len() } else { rows.len() - 1 });
            if !is_enough {
                continue;
            }
            let mut expected = rows.clone();
            expected.sort();
            let mut left = whole;
            for row in &expected {
                let (found_key, found_row) = sort.next().unwrap().unwrap();
                assert_eq!((found_key, found_row), (row.0.as_slice(), row.1.as_slice()));
                left -= size(row);
                assert_eq!(room.taken.load(Ordering::Relaxed), left);
            }
            assert!(sort.next().unwrap().is_none() && sort.next().unwrap().is_none());
            // The room is free for the next rows.
            let mut again = InMemory::new(&room);
            assert!(rows.iter().all(|(key, row)| again.push(key, row).is_ok()));
        }
    }
}
