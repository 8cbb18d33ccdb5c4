//! The bytes of an asset, as formats read them.

use std::cell::Cell;
use std::ops::Range;

use super::set::Ranges;
use crate::base::error::{Error, ErrorKind, Result};
use crate::bytes::Cursor;
use crate::source;

/// The bytes of an asset: all of them, or the available ranges.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Data<'a> {
    /// All bytes.
    Whole(&'a [u8]),
    /// Those that are available.
    Parts(&'a Ranges),
}

impl<'a> Data<'a> {
    /// Returns the size of the asset, available or not.
    #[inline]
    pub(crate) fn size(self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Parts(ranges) => ranges.byte_len(),
        }
    }

    /// Returns true if the bytes are in a map of which a part was lost, because the file was cut.
    pub(crate) fn is_torn(self) -> bool {
        match self {
            Self::Whole(bytes) => source::is_torn(bytes),
            // Parts are in memory.
            Self::Parts(_) => false,
        }
    }

    /// Returns bytes from this offset: all up to the end, or those up to the first missing byte that are in one buffer.
    /// After [`get`](Self::get) of a range, these include the range.
    #[inline]
    pub(crate) fn from(self, offset: u64) -> &'a [u8] {
        match self {
            Self::Whole(bytes) => usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default(),
            Self::Parts(ranges) => ranges.cut(offset, ranges.parts.near(ranges.start.saturating_add(offset))),
        }
    }

    /// Returns a cursor over the bytes [from](Self::from) this offset.
    #[inline]
    pub(crate) fn cursor(self, offset: u64) -> Cursor<'a> {
        Cursor::with_offset(self.from(offset), offset.min(self.size()))
    }

    /// Returns a cursor over all bytes from this offset to the end. If some are missing, they are recorded, and the
    /// cursor ends before them.
    #[inline]
    pub(crate) fn rest(self, offset: u64) -> Cursor<'a> {
        if let Self::Parts(_) = self {
            // The cursor shows how far the bytes reach. `Ranges::ask` sees what is missing.
            let _ = self.get(offset.min(self.size())..self.size());
        }
        self.cursor(offset)
    }

    /// Returns all bytes of this range. If some are missing, they are recorded.
    pub(crate) fn get(self, range: Range<u64>) -> Result<&'a [u8]> {
        self.find(range).map_err(|error| self.noted(error))
    }

    /// Returns all bytes of this range. If some are missing, requests at least as many as in a first read.
    // With `inline` alone, whether the headers of small chunks are read by calls differs from build to build.
    #[inline(always)]
    pub(crate) fn ahead(self, range: Range<u64>) -> Result<&'a [u8]> {
        self.find(range.clone()).map_err(|error| self.noted(self.widened(error, range)))
    }

    /// Widens the range of an error about missing bytes to that of a first read. Returns any other error unchanged.
    #[cold]
    fn widened(self, error: Error, range: Range<u64>) -> Error {
        match self {
            Self::Parts(ranges) if error.incomplete().is_some() => {
                let start = ranges.reach(range.start);
                let end = range.end.max(start.saturating_add(ranges.first_read)).min(self.size());
                Error::new(ErrorKind::Incomplete { range: ranges.in_file(start..end) })
            }
            _ => error,
        }
    }

    /// Returns the first bytes, at most this many.
    #[inline]
    pub(crate) fn head(self, most: u64) -> Result<&'a [u8]> {
        match self {
            Self::Whole(bytes) => Ok(usize::try_from(most).ok().and_then(|most| bytes.get(..most)).unwrap_or(bytes)),
            Self::Parts(_) => self.get(0..self.size().min(most)),
        }
    }

    /// Returns the bytes of the first read: as many as the caller set, but at least 16.
    pub(crate) fn first(self) -> Result<&'a [u8]> {
        match self {
            Self::Whole(bytes) => Ok(bytes),
            Self::Parts(ranges) => self.head(ranges.first_read.max(16)),
        }
    }

    /// Records the range of an error about missing bytes. Returns the error.
    #[cold]
    fn noted(self, error: Error) -> Error {
        if let (Self::Parts(ranges), Some(range)) = (self, error.incomplete()) {
            ranges.asked.note(range);
        }
        error
    }

    /// Returns all bytes of this range. Records nothing.
    #[inline]
    fn find(self, Range { start, end }: Range<u64>) -> Result<&'a [u8]> {
        // If it does not fit in memory, no buffer is that long.
        let needed = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
        if let Some(bytes) = self.from(start).get(..needed) {
            return Ok(bytes);
        }
        let further = self.find_further(start..end)?;
        further.get(..needed).ok_or_else(|| self.lacks(start..end))
    }

    /// Returns the bytes from the start of the range on, for a range that is not in one buffer: all up to the first
    /// missing byte, copied into one.
    #[cold]
    fn find_further(self, range: Range<u64>) -> Result<&'a [u8]> {
        match self {
            Self::Parts(ranges) if range.end <= ranges.reach(range.start) => Ok(ranges.all(range.start)),
            _ => Err(self.lacks(range)),
        }
    }

    /// Returns the error for a range of which bytes are missing, or after the end of the asset.
    #[cold]
    fn lacks(self, Range { start, end }: Range<u64>) -> Error {
        let size = self.size();
        if end > size {
            return Error::truncated(end.saturating_sub(start), size.saturating_sub(start)).at(start);
        }
        let range = match self {
            Self::Parts(ranges) => ranges.in_file(ranges.reach(start)..end),
            Self::Whole(_) => start..end,
        };
        Error::new(ErrorKind::Incomplete { range })
    }

    /// Reads from this offset. If that fails and more bytes could help, these are recorded as missing.
    pub(crate) fn read<T>(self, offset: u64, read: impl FnMut(&mut Cursor<'a>) -> Result<T>) -> Result<T> {
        self.read_expecting(offset, &Cell::new(0), read)
    }

    /// Reads like [`read`](Self::read). If the available bytes do not suffice, requests as many as `read` expects to need
    /// in total, but at least as many as are available, and at most eight times as many.
    #[inline]
    pub(crate) fn read_expecting<T>(
        self,
        offset: u64,
        expected: &Cell<u64>,
        mut read: impl FnMut(&mut Cursor<'a>) -> Result<T>,
    ) -> Result<T> {
        let mut cursor = self.cursor(offset);
        let Self::Parts(ranges) = self else { return read(&mut cursor) };
        let reach = ranges.reach(offset);
        let result = read(&mut cursor);
        // The result, and the end of the bytes that it had.
        let (result, end) = match result {
            // The first buffer was not enough, and others follow it.
            Err(_) if cursor.offset().saturating_add(cursor.left()) < reach => {
                cursor = Cursor::with_offset(ranges.all(offset), offset);
                (read(&mut cursor), reach)
            }
            result => (result, reach.max(offset.min(self.size()))),
        };
        result.map_err(|error| {
            let available = end.saturating_sub(offset);
            // More bytes do not help at the end of the asset, nor with errors of these kinds. Otherwise, the end of the
            // bytes that the error says are needed, or 0.
            let needed_end = match error.kind() {
                _ if end >= self.size() => return error,
                ErrorKind::Unsupported(_) | ErrorKind::Encrypted(_) | ErrorKind::Limit { .. } => return error,
                ErrorKind::Io(_) | ErrorKind::Incomplete { .. } | ErrorKind::Cancelled => return error,
                ErrorKind::Truncated { needed, .. } => error.offset().unwrap_or(0).saturating_add(*needed),
                ErrorKind::Malformed(_) | ErrorKind::Unrecognized(_) => 0,
            };
            let step = expected.get().saturating_sub(available).clamp(available, available.saturating_mul(7));
            let step = step.max(ranges.first_read);
            let next_end = needed_end.max(end.saturating_add(step)).min(self.size());
            self.noted(Error::new(ErrorKind::Incomplete { range: ranges.in_file(end..next_end) }))
        })
    }
}

impl Ranges {
    /// Returns the bytes of this range.
    ///
    /// # Errors
    /// Returns an [`Incomplete`](crate::ErrorKind::Incomplete) error if some are missing, or a
    /// [`Truncated`](crate::ErrorKind::Truncated) error if the range exceeds the end of the file.
    pub fn get(&self, range: Range<u64>) -> Result<&[u8]> {
        Data::Parts(self).get(range)
    }

    /// Cuts bytes that start at this offset at the end of the section.
    fn cut<'a>(&self, offset: u64, bytes: &'a [u8]) -> &'a [u8] {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        bytes.get(..left).unwrap_or(bytes)
    }

    /// Returns all bytes from this offset up to the first missing byte.
    pub(super) fn all(&self, offset: u64) -> &[u8] {
        self.cut(offset, self.parts.all(self.start.saturating_add(offset)))
    }

    /// Returns the offset of the first missing byte from this offset on.
    pub(super) fn reach(&self, offset: u64) -> u64 {
        let reach = self.parts.reach(self.start.saturating_add(offset));
        reach.saturating_sub(self.start).clamp(offset, self.size.max(offset))
    }
}

/// Passes on errors about missing bytes only. Other errors appear when their part is requested.
#[cfg_attr(not(feature = "odol"), allow(dead_code))]
pub(crate) fn missing<T>(result: Result<T>) -> Result<()> {
    match result {
        Err(error) if error.incomplete().is_some() => Err(error),
        _ => Ok(()),
    }
}
