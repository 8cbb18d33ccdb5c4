//! Results in order: what a verb keeps until its end. Rows that memory cannot hold go to a temporary file.

mod order;
mod runs;
mod sorter;

use std::io;
use std::path::Path;

use meshpeek::scan::Record;

use self::order::Order;
pub(crate) use self::sorter::Sorter;
use crate::args::{Common, Inputs};

/// Rows about records, which are made as records arrive and read in order.
pub(crate) struct Sorted {
    order: Order,
    sorter: Sorter,
}

impl Sorted {
    /// In the order of `--sort`, or else of the arguments and the paths below them. Of `--top`, the first rows alone.
    pub(crate) fn new(inputs: &Inputs, top: Option<usize>, common: &Common) -> Self {
        let order = match &inputs.sort {
            Some(key) => Order::Key(key.clone()),
            None => Order::of_arguments(&inputs.paths),
        };
        Self { order, sorter: Sorter::new(top, 1, common) }
    }

    /// In the order of `--sort`. `None` without it: then records are written as they are found.
    pub(crate) fn if_asked(inputs: &Inputs, top: Option<usize>, common: &Common) -> Option<Self> {
        inputs.sort.as_ref()?;
        Some(Self::new(inputs, top, common))
    }

    /// True if the row of this record may be among the first. If not, it need not be made.
    pub(crate) fn wants(&self, record: &Record) -> bool {
        !self.sorter.is_cut() || self.sorter.wants(&self.key(record))
    }

    pub(crate) fn key(&self, record: &Record) -> Vec<u8> {
        let mut key = Vec::new();
        self.order.add_key(&mut key, record);
        key
    }

    pub(crate) fn push(&mut self, record: &Record, row: &[u8]) -> io::Result<()> {
        let key = self.key(record);
        self.push_at(&key, row)
    }

    /// Adds a row that has this [`key`](Self::key).
    pub(crate) fn push_at(&mut self, key: &[u8], row: &[u8]) -> io::Result<()> {
        self.sorter.push(key, row)
    }

    /// Adds a row about a path or member of which there is no record.
    pub(crate) fn push_line(&mut self, path: &Path, member: Option<&str>, row: &[u8]) -> io::Result<()> {
        let mut key = Vec::new();
        self.order.add_place(&mut key, path, member);
        self.push_at(&key, row)
    }

    /// The next row. No row is added after this.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(self.sorter.next()?.map(|(_, row)| row))
    }

    /// Begins again with the first row.
    pub(crate) fn rewind(&mut self) {
        self.sorter.rewind();
    }
}
