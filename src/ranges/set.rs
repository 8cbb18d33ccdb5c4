//! The ranges that are available, and questions to them.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::asked::{Asked, merge};
use super::parts::{Parts, Shared};
use super::read_at::ReadAt;
use crate::base::error::{Error, Result};

/// The available ranges of a file.
#[derive(Debug, Default)]
pub struct Ranges {
    pub(super) size: u64,
    pub(super) first_read: u64,
    /// Shared with the sections.
    pub(super) parts: Arc<Parts>,
    /// The offset in `parts` of the first byte: 0, except for sections.
    pub(super) start: u64,
    /// If these bytes are decoded from others: the range of the file to add for more of them.
    pub(super) packed: Option<Range<u64>>,
    pub(super) asked: Asked,
}

/// A copy shares the bytes, and has its own list of missing ranges.
impl Clone for Ranges {
    fn clone(&self) -> Self {
        Self { asked: Asked::default(), ..self.sharing() }
    }
}

/// The size of the [first read](Ranges::with_first_read), unless the caller sets it.
const STEP: u64 = 4096;

impl Ranges {
    /// Creates an empty set of ranges for a file of this size.
    pub fn new(size: u64) -> Self {
        Self { size, first_read: STEP, ..Self::default() }
    }

    /// Sets the number of bytes to request first where the size of a header is unknown, 4 KiB by default. If they do
    /// not suffice, later requests at least double them. A larger number means fewer requests and more bytes.
    #[must_use]
    pub fn with_first_read(self, bytes: u64) -> Self {
        Self { first_read: bytes.max(1), ..self }
    }

    /// Returns the same ranges, which share the bytes and the list of missing ranges.
    fn sharing(&self) -> Self {
        let Self { size, first_read, parts, start, packed, asked } = self;
        let parts = parts.clone();
        let packed = packed.clone();
        let asked = asked.clone();
        Self { size: *size, first_read: *first_read, parts, start: *start, packed, asked }
    }

    /// Returns a range of the file as a file of its own, such as a member that its archive stores uncompressed. The
    /// range is cut at the end of the file.
    ///
    /// The section shares the bytes that are available now, and does not have those that are added to the file later: make
    /// it inside the [question](Self::ask) that uses it. [`get`](Self::get) and assets opened in it count from its
    /// start. Missing ranges, and those passed to [`add`](Self::add), count from the start of the file, so that a
    /// question to the file may use sections, and a section [loads](Self::load) from the source of the file.
    #[must_use]
    pub fn section(&self, range: Range<u64>) -> Self {
        let start = range.start.min(self.size);
        let size = range.end.min(self.size).saturating_sub(start);
        Self { size, start: self.start.saturating_add(start), ..self.sharing() }
    }

    /// Returns bytes decoded from this file as a separate file. All of them are available.
    #[cfg(any(feature = "pbo", feature = "zip"))]
    pub(crate) fn whole(&self, bytes: Vec<u8>) -> Self {
        self.packed(bytes.len() as u64, bytes, 0..0)
    }

    /// Returns a file of this size that is decoded from this one: its first bytes, and the range to add for more.
    #[cfg(any(feature = "pbo", feature = "zip"))]
    fn packed(&self, size: u64, head: Vec<u8>, more: Range<u64>) -> Self {
        let first_read = self.first_read;
        let asked = self.asked.clone();
        let mut file = Self { first_read, asked, packed: Some(more), ..Self::new(size) };
        file.put(0, head);
        file
    }

    /// Returns the bytes up to the first missing one.
    #[cfg(feature = "zip")]
    pub(crate) fn beginning(&self) -> &[u8] {
        self.all(0)
    }

    /// Returns a file of this size whose first bytes were decoded from the [beginning](Self::beginning) of this one. For
    /// more of them, more bytes must be added here.
    #[cfg(feature = "zip")]
    pub(crate) fn decoded(&self, size: u64, head: Vec<u8>) -> Self {
        let reach = self.reach(0);
        // At least as many bytes again.
        let more = reach.saturating_add(reach.max(self.first_read)).min(self.size);
        self.packed(size, head, self.in_file(reach..more))
    }

    /// Returns the range of the file to add for these bytes. If they are decoded from a member, this is the stored range
    /// that continues it, whichever bytes are asked for.
    pub(crate) fn in_file(&self, Range { start, end }: Range<u64>) -> Range<u64> {
        match &self.packed {
            Some(packed) => packed.clone(),
            None => self.start.saturating_add(start)..self.start.saturating_add(end),
        }
    }

    /// Returns the size of the file.
    pub fn byte_len(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes of the file that are available.
    pub fn held(&self) -> u64 {
        self.parts.held()
    }

    /// Adds the bytes that start at `offset`. Bytes that are already available stay. Bytes after the end of the file are
    /// dropped, and all bytes if this is decoded from a member: its archive's file takes them.
    pub fn add(&mut self, offset: u64, bytes: impl Into<Vec<u8>>) {
        self.add_shared(offset, bytes.into());
    }

    /// Adds bytes like [`add`](Self::add), which are shared and not copied, such as an `Arc<[u8]>`, a `FileMap` or a
    /// `Bytes` of the crate of that name. It must always return the same slice. Only when a read first crosses buffers
    /// that touch, these are copied into one, once.
    pub fn add_shared(&mut self, offset: u64, bytes: impl AsRef<[u8]> + Send + Sync + 'static) {
        if self.packed.is_none() {
            self.put(offset, bytes);
        }
    }

    /// Adds the bytes that start at `offset` of the file, without those after the end of the file or section.
    fn put(&mut self, offset: u64, bytes: impl AsRef<[u8]> + Send + Sync + 'static) {
        let end = self.start.saturating_add(self.size);
        let bytes = Shared::new(Arc::new(bytes)).part(0..end.saturating_sub(offset));
        Arc::make_mut(&mut self.parts).add(offset, &bytes);
    }

    /// Asks a question, and returns the answer only if no byte was missing that the question needed.
    ///
    /// Questions that other threads ask at the same time also count.
    ///
    /// # Errors
    /// Returns an [`Incomplete`](crate::ErrorKind::Incomplete) error if a byte was missing.
    /// [`Error::incomplete_ranges`] returns all ranges that are known to be needed. Otherwise returns the error of the
    /// question.
    pub fn ask<T>(&self, question: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        let before = self.asked.count();
        let answer = question(self);
        let incomplete = answer.as_ref().err().map(Error::incomplete_ranges).unwrap_or_default();
        let mut missing = self.asked.since(before);
        missing.extend_from_slice(incomplete);
        merge(&mut missing);
        if self.packed.is_none() {
            missing = missing.into_iter().flat_map(|range| self.parts.holes(range)).collect();
        }
        // An error may be about bytes that were added after its section was made. They are there for the next question.
        if missing.is_empty() { answer } else { Err(Error::lacking(missing)) }
    }

    /// [Asks](Self::ask) a question, adds the missing ranges from the source, and asks again until there is an answer.
    /// [`load_async`](super::load_async) does the same with a source that is awaited.
    ///
    /// # Errors
    /// Returns the errors of the source and of the question. Returns [`Unsupported`](crate::ErrorKind::Unsupported) if
    /// this is decoded from a member: ask its archive's file.
    pub fn load<T>(&mut self, source: &(impl ReadAt + ?Sized), question: impl Fn(&Self) -> Result<T>) -> Result<T> {
        loop {
            let error = match self.ask(&question) {
                Err(error) if error.incomplete().is_some() => error,
                answer => return answer,
            };
            for range in error.incomplete_ranges() {
                self.add_read(range, source.read_at(range.clone())?)?;
            }
        }
    }

    /// Adds the bytes that a source returned for this range. They must fill it.
    pub(super) fn add_read(
        &mut self,
        range: &Range<u64>,
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<()> {
        if bytes.as_ref().len() as u64 != range.end.saturating_sub(range.start) {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        if self.packed.is_some() {
            return Err(Error::unsupported("more decoded bytes need more bytes of the file"));
        }
        let held = self.held();
        self.add_shared(range.start, bytes);
        // Otherwise the same question would be asked forever.
        if self.held() > held { Ok(()) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::ErrorKind;
    use crate::ranges::Section;

    #[test]
    fn bytes_that_are_here_stay_and_reads_cross_buffers() {
        let mut ranges = Ranges::new(10);
        for (offset, bytes) in [(6, "gh"), (2, "cd"), (8, "ijXX"), (3, "XeX"), (20, "X"), (0, "")] {
            ranges.add(offset, bytes);
        }
        // "XeX" starts inside "cd" and reaches "gh".
        assert_eq!(ranges.held(), 8);
        assert_eq!(ranges.get(2..10).unwrap(), b"cdeXghij");
        assert_eq!(ranges.get(1..4).unwrap_err().incomplete(), Some(1..4));
        assert_eq!(ranges.get(9..11).unwrap_err().to_string(), "at 0x9: needs 2 bytes, 1 left");
        ranges.add(0, "abXXXXXXXX");
        assert_eq!(ranges.get(0..10).unwrap(), b"abcdeXghij");
    }

    #[test]
    fn buffers_are_shared_until_a_read_crosses_them() {
        let (first, second): (Arc<[u8]>, Arc<[u8]>) = (Arc::from(*b"abcd"), Arc::from(*b"efgh"));
        let mut ranges = Ranges::new(8);
        ranges.add_shared(4, second.clone());
        ranges.add_shared(0, first.clone());
        assert_eq!(ranges.get(1..3).unwrap().as_ptr(), first[1..].as_ptr());
        assert_eq!(ranges.clone().section(5..9).get(0..2).unwrap().as_ptr(), second[1..].as_ptr());
        assert_eq!(ranges.get(3..5).unwrap(), b"de");
        assert_eq!(Arc::strong_count(&first), 2);
    }

    #[test]
    fn missing_bytes_of_a_section_are_requested_from_the_file() {
        let mut ranges = Ranges::new(100);
        ranges.add(20, "twenty");
        let ask = |ranges: &Ranges| {
            let section = ranges.section(20..40).section(3..200);
            let lacks: Vec<_> = [0..2, 5..6, 10..17].map(|range| section.get(range).err()).into();
            assert_eq!((section.byte_len(), section.get(0..3)?), (17, &b"nty"[..]));
            assert!(lacks[0].is_none() && section.get(16..18).unwrap_err().incomplete().is_none());
            Ok(())
        };
        assert_eq!(ranges.ask(ask).unwrap_err().incomplete_ranges(), [28..29, 33..40]);
        ranges.load(&[0; 100][..], ask).unwrap();
        assert_eq!(ranges.held(), 6 + 1 + 7);
    }

    #[test]
    fn a_source_that_gives_too_little_is_an_error() {
        struct Short;
        impl ReadAt for Short {
            fn byte_len(&self) -> io::Result<u64> {
                Ok(9)
            }
            fn read_at(&self, _: Range<u64>) -> io::Result<Vec<u8>> {
                Ok(vec![1])
            }
        }
        let ask = |ranges: &Ranges| ranges.get(0..9).map(drop);
        assert!(matches!(Ranges::new(9).load(&Short, ask).unwrap_err().kind(), ErrorKind::Io(_)));
        assert!(Section::new(Short, 3..6).read_at(2..4).is_err());
        assert_eq!(Section::new(b"abcdef".to_vec(), 3..6).read_at(1..3).unwrap(), b"ef");
    }
}
