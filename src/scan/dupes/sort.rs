//! Sorts what is kept until the end of a search.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::error::{Error, Result};
use crate::base::limits::flag;
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
            return Err(Error::limit("bytes of names and digests of assets", most, flag::DECODED));
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
