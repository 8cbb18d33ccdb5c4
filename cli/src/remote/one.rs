//! Opens one file by its URL.

use std::io;
use std::ops::Range;
use std::path::Path;

use meshpeek::address::{ContentRanges, Opened, open_member_ranges};
use meshpeek::ranges::{Ranges, ReadAt};
use meshpeek::scan::stores;
use meshpeek::{Budget, FileMap, Limits, Result};

use crate::limits::reached;

use super::stores::Remote;

/// Fetches a whole file.
pub(crate) fn file(path: &Path, remote: &Remote, limits: &Limits) -> Result<FileMap> {
    let stores = remote.stores();
    let source = Stored { file: stores.open(path)?, most: limits.decoded_bytes };
    Ok(source.read_at(0..source.file.byte_len())?.into())
}

/// Fetches the ranges of a file that this member of it needs. Also returns the size of the file.
pub(crate) fn member(
    path: &Path,
    member: &[u8],
    remote: &Remote,
    limits: &Limits,
) -> Result<(Opened<ContentRanges>, u64)> {
    let stores = remote.stores();
    let source = Stored { file: stores.open(path)?, most: limits.decoded_bytes };
    let size = source.file.byte_len();
    let budget = Budget::new(size, limits);
    let opened = Ranges::new(size).load(&source, |ranges| {
        let opened = open_member_ranges(path, ranges, Some(member), &budget)?;
        opened.whole()?;
        Ok(opened)
    })?;
    Ok((opened, size))
}

/// A file of a store. A single read takes at most this many bytes.
struct Stored<'s> {
    file: Box<dyn stores::Stored + 's>,
    most: u64,
}

impl ReadAt for Stored<'_> {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.file.byte_len())
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if range.end.saturating_sub(range.start) > self.most {
            let what = "bytes of a file in memory";
            return Err(reached(what, self.most, "--max-decoded"));
        }
        match self.file.read(&[range])?.pop() {
            Some(bytes) => Ok(bytes),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
