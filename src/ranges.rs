//! Files from which only byte ranges are available: in an object store, over HTTP, in a browser.
//!
//! [`Ranges`] holds the available ranges. [`Asset::parse_ranges`](crate::Asset::parse_ranges) opens an asset in them.
//! So do the methods of [PBO](crate::pbo::Archive::parse_ranges), [zip](crate::zip::Archive::parse_ranges) and
//! [ODOL](crate::odol::Model::parse_ranges). An operation that needs a missing byte fails with
//! [`Incomplete`](crate::ErrorKind::Incomplete), which names the range to add before you ask again. Missing bytes are
//! never replaced by other data.
//!
//! Ask through [`Ranges::ask`] or [`Ranges::load`], which return complete answers only. Operations that cannot fail,
//! such as [`summarize`](crate::Inspect::summarize) and outlines, report missing bytes as problems if you call them
//! directly. `ask` detects this and fails with `Incomplete`.
//!
//! Opening an archive needs its directory. Opening an ODOL model needs its header and tables, but all bytes in version
//! 7, where the header follows the LODs. After that, [`Depth::Header`](crate::Depth::Header) needs nothing more, a LOD
//! its own range, and a member its header and bytes. All other formats, including Ballance maps, need all bytes to
//! open.
//!
//! With blocking reads, [`Ranges::load`] continues until there is an answer:
//!
//! ```
//! use meshpeek::ranges::{Ranges, ReadAt};
//! use meshpeek::{Asset, Inspect, Limits};
//! # let store = [&b"a.txt\0"[..], &[0; 16], &[0, 0, 9, 0], &[0; 21], &[7; 0x9_0000]].concat();
//! let mut ranges = Ranges::new(store.byte_len()?); // of anything that implements `ReadAt`
//! let limits = Limits::default();
//! let summary = ranges.load(&store, |ranges| Ok(Asset::parse_ranges(ranges, &limits)?.summarize_header()))?;
//! assert_eq!(summary.counts.get("members"), Some(1));
//! assert!(ranges.held() < ranges.byte_len() / 10);
//! # Ok::<(), meshpeek::Error>(())
//! ```
//!
//! Otherwise, fetch the range in any way, and ask again:
//!
//! ```
//! # use meshpeek::{Asset, Limits, ranges::Ranges};
//! # let store = b"BB3D\x04\0\0\0\x01\0\0\0".to_vec();
//! # let fetch = |range: std::ops::Range<u64>| std::future::ready(store[range.start as usize..range.end as usize].to_vec());
//! # pollster::block_on(async {
//! # let mut ranges = Ranges::new(12);
//! let format = loop {
//!     match ranges.ask(|ranges| Ok(Asset::parse_ranges(ranges, &Limits::default())?.format())) {
//!         Ok(format) => break format,
//!         Err(error) => {
//!             let Some(range) = error.incomplete() else { return Err(error) };
//!             ranges.add(range.start, fetch(range).await);
//!         }
//!     }
//! };
//! # Ok(()) }).unwrap();
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::base::error::{Error, ErrorKind, Result};
use crate::bytes::Cursor;
use crate::source::FileMap;

/// A source of bytes by range.
pub trait ReadAt {
    /// Returns the number of bytes in the source.
    ///
    /// # Errors
    /// Returns the errors of the source.
    fn byte_len(&self) -> io::Result<u64>;

    /// Reads all bytes of this range, which is always within the [size](Self::byte_len).
    ///
    /// # Errors
    /// Returns the errors of the source.
    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>>;
}

impl ReadAt for [u8] {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let bytes = indices(&range).and_then(|range| self.get(range));
        bytes.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Threads may share the file. On Unix this leaves the file position unchanged. On other systems it moves it.
impl ReadAt for File {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let length = indices(&range).map(|range| range.len()).ok_or(io::ErrorKind::InvalidInput)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(length, 0);
        read_exact_at(self, &mut bytes, range.start)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, start) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = bytes.get_mut(read..).unwrap_or_default();
                start = start.saturating_add(read as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// One thread at a time, because all share the file position.
#[cfg(not(any(unix, windows)))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek};
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(start))?;
    file.read_exact(bytes)
}

macro_rules! read_at_through {
    ($([$($generic:tt)*] $type:ty),*) => {$(
        impl<$($generic)*> ReadAt for $type {
            fn byte_len(&self) -> io::Result<u64> {
                (**self).byte_len()
            }

            fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
                (**self).read_at(range)
            }
        }
    )*};
}

read_at_through! {
    [] Vec<u8>,
    [] FileMap,
    [R: ReadAt + ?Sized] &R,
    [R: ReadAt + ?Sized] Box<R>,
    [R: ReadAt + ?Sized] std::sync::Arc<R>
}

/// A range of another source as a separate source, such as a member that its archive stores uncompressed.
#[derive(Clone, Debug)]
pub struct Section<R> {
    source: R,
    range: Range<u64>,
}

impl<R: ReadAt> Section<R> {
    /// Creates a source from these bytes of another.
    pub fn new(source: R, range: Range<u64>) -> Self {
        Self { source, range }
    }
}

impl<R: ReadAt> ReadAt for Section<R> {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.range.end.saturating_sub(self.range.start))
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let start = self.range.start.saturating_add(range.start);
        let end = self.range.start.saturating_add(range.end);
        if end > self.range.end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.source.read_at(start..end)
    }
}

/// The available ranges of a file.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    size: u64,
    /// Keyed by the first byte. Parts do not touch each other.
    parts: BTreeMap<u64, Vec<u8>>,
    asked: Asked,
}

/// Requested ranges that are not available.
#[derive(Debug, Default)]
struct Asked(Mutex<Missing>);

#[derive(Debug, Default)]
struct Missing {
    /// The total number of such requests.
    count: u64,
    /// The most recent of them.
    recent: VecDeque<Range<u64>>,
}

/// The maximum number of missing ranges kept.
const MOST_MISSING: usize = 256;

/// A copy starts empty.
impl Clone for Asked {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Asked {
    fn with<T>(&self, work: impl FnOnce(&mut Missing) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, range: Range<u64>) {
        self.with(|missing| {
            missing.count = missing.count.saturating_add(1);
            if missing.recent.len() >= MOST_MISSING {
                missing.recent.pop_front();
            }
            missing.recent.push_back(range);
        });
    }

    fn count(&self) -> u64 {
        self.with(|missing| missing.count)
    }

    /// Returns the requests after this count, as far as they are kept.
    fn since(&self, count: u64) -> Vec<Range<u64>> {
        self.with(|missing| {
            let new = usize::try_from(missing.count.saturating_sub(count)).unwrap_or(usize::MAX);
            missing.recent.iter().skip(missing.recent.len().saturating_sub(new)).cloned().collect()
        })
    }
}

impl Ranges {
    /// Creates an empty set of ranges for a file of this size.
    pub fn new(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    /// Returns the size of the file.
    pub fn byte_len(&self) -> u64 {
        self.size
    }

    /// Returns the number of its bytes that are available.
    pub fn held(&self) -> u64 {
        self.parts.values().fold(0, |sum, part| sum.saturating_add(part.len() as u64))
    }

    /// Adds the bytes that start at `offset`. Bytes that are already available stay. Bytes after the end of the file
    /// are dropped. Copies the parts that it joins.
    pub fn add(&mut self, offset: u64, bytes: impl Into<Vec<u8>>) {
        let mut bytes = bytes.into();
        bytes.truncate(usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX));
        let end = offset.saturating_add(bytes.len() as u64);
        if bytes.is_empty() {
            return;
        }
        let (mut start, mut joined) = (offset, bytes);
        // From the last to the first part that it touches.
        while let Some((&other, part)) = self.parts.range(..=end).next_back() {
            let other_end = other.saturating_add(part.len() as u64);
            if other_end < start {
                break;
            }
            let Some(part) = self.parts.remove(&other) else { break };
            joined = join((start, joined), (other, part));
            start = start.min(other);
        }
        self.parts.insert(start, joined);
    }

    /// Returns the bytes of this range.
    ///
    /// # Errors
    /// Returns an [`Incomplete`](ErrorKind::Incomplete) error if some are missing, or a
    /// [`Truncated`](ErrorKind::Truncated) error if the range exceeds the end of the file.
    pub fn get(&self, range: Range<u64>) -> Result<&[u8]> {
        Data::Parts(self).get(range)
    }

    /// Asks a question, and returns the answer only if no byte was missing that the question needed.
    ///
    /// Questions that other threads ask at the same time also count.
    ///
    /// # Errors
    /// Returns an [`Incomplete`](ErrorKind::Incomplete) error if a byte was missing. Otherwise returns the error of the
    /// question.
    pub fn ask<T>(&self, question: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.ask_once(question).map_err(|(error, _)| error)
    }

    /// Returns the answer, or the error and all ranges known to be missing.
    fn ask_once<T>(&self, question: impl FnOnce(&Self) -> Result<T>) -> Result<T, (Error, Vec<Range<u64>>)> {
        let before = self.asked.count();
        let answer = question(self);
        let told = answer.as_ref().err().and_then(Error::incomplete);
        let mut missing = self.asked.since(before);
        missing.extend(told.clone());
        // Available bytes are not missing.
        missing.retain(|range| Data::Parts(self).find(range.clone()).is_err());
        missing.sort_unstable_by_key(|range| (range.start, range.end));
        match answer {
            Err(error) if told.is_some() || missing.is_empty() => Err((error, missing)),
            Ok(answer) if missing.is_empty() => Ok(answer),
            _ => {
                let range = missing.first().cloned().unwrap_or_default();
                Err((Error::new(ErrorKind::Incomplete { range }), missing))
            }
        }
    }

    /// [Asks](Self::ask) a question, adds the missing ranges from the source, and asks again until there is an answer.
    ///
    /// # Errors
    /// Returns the errors of the source and of the question.
    pub fn load<T>(&mut self, source: &(impl ReadAt + ?Sized), question: impl Fn(&Self) -> Result<T>) -> Result<T> {
        loop {
            let (error, missing) = match self.ask_once(&question) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if missing.is_empty() {
                return Err(error);
            }
            for range in missing {
                // Part of it may have come with an earlier range.
                let Err(error) = Data::Parts(self).find(range) else { continue };
                let Some(range) = error.incomplete() else { return Err(error) };
                let bytes = source.read_at(range.clone())?;
                if bytes.len() as u64 != range.end.saturating_sub(range.start) {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
                self.add(range.start, bytes);
            }
        }
    }

    /// Returns the bytes from this offset up to the first missing byte.
    fn from(&self, offset: u64) -> &[u8] {
        let Some((start, part)) = self.parts.range(..=offset).next_back() else { return &[] };
        let skipped = usize::try_from(offset.saturating_sub(*start)).unwrap_or(usize::MAX);
        part.get(skipped..).unwrap_or_default()
    }
}

/// Joins two parts that touch. The bytes of the second win.
fn join((start, new): (u64, Vec<u8>), (other, old): (u64, Vec<u8>)) -> Vec<u8> {
    let new_end = start.saturating_add(new.len() as u64);
    let old_end = other.saturating_add(old.len() as u64);
    let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    let mut joined = Vec::new();
    joined.extend_from_slice(new.get(..index(other.saturating_sub(start))).unwrap_or_default());
    joined.extend_from_slice(&old);
    if new_end > old_end {
        joined.extend_from_slice(new.get(index(old_end.saturating_sub(start))..).unwrap_or_default());
    }
    joined
}

fn indices(range: &Range<u64>) -> Option<Range<usize>> {
    Some(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

/// The bytes of an asset: all of them, or the available ranges.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(any(feature = "odol", feature = "pbo")), allow(dead_code))]
pub(crate) enum Data<'a> {
    Whole(&'a [u8]),
    Parts(&'a Ranges),
}

/// The first request if the extent of a header is unknown. Later requests double the available bytes.
const STEP: u64 = 4096;

#[cfg_attr(not(any(feature = "odol", feature = "pbo")), allow(dead_code))]
impl<'a> Data<'a> {
    #[inline]
    pub(crate) fn size(self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Parts(ranges) => ranges.byte_len(),
        }
    }

    /// Returns the bytes from this offset up to the first missing byte.
    #[inline]
    pub(crate) fn from(self, offset: u64) -> &'a [u8] {
        match self {
            Self::Whole(bytes) => usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default(),
            Self::Parts(ranges) => ranges.from(offset),
        }
    }

    /// Returns a cursor over the bytes from this offset.
    pub(crate) fn cursor(self, offset: u64) -> Cursor<'a> {
        Cursor::with_offset(self.from(offset), offset.min(self.size()))
    }

    /// Returns all bytes of this range.
    pub(crate) fn get(self, range: Range<u64>) -> Result<&'a [u8]> {
        self.find(range).inspect_err(|error| self.note(error))
    }

    /// Records the range of an error about missing bytes.
    fn note(self, error: &Error) {
        if let (Self::Parts(ranges), Some(range)) = (self, error.incomplete()) {
            ranges.asked.note(range);
        }
    }

    fn find(self, range: Range<u64>) -> Result<&'a [u8]> {
        let Range { start, end } = range;
        let here = self.from(start);
        let needed = end.saturating_sub(start);
        let bytes = usize::try_from(needed).ok().and_then(|needed| here.get(..needed));
        bytes.ok_or_else(|| match self.size() {
            size if end > size => Error::truncated(needed, size.saturating_sub(start)).at(start),
            _ => Error::new(ErrorKind::Incomplete { range: start.saturating_add(here.len() as u64)..end }),
        })
    }

    /// Reads from this offset. If that fails and more bytes could help, these are recorded as missing.
    pub(crate) fn read<T>(self, offset: u64, read: impl FnOnce(&mut Cursor<'a>) -> Result<T>) -> Result<T> {
        let mut cursor = self.cursor(offset);
        let end = cursor.offset().saturating_add(cursor.left());
        let here = cursor.left();
        read(&mut cursor).map_err(|error| {
            let needed = match error.kind() {
                _ if end >= self.size() => return error,
                ErrorKind::Unsupported(_) | ErrorKind::Encrypted(_) | ErrorKind::Limit { .. } => return error,
                ErrorKind::Io(_) | ErrorKind::Incomplete { .. } => return error,
                ErrorKind::Truncated { needed, .. } => error.offset().unwrap_or(0).saturating_add(*needed),
                ErrorKind::Malformed(_) | ErrorKind::Unrecognized(_) => 0,
            };
            let next = needed.max(end.saturating_add(here.max(STEP))).min(self.size());
            let error = Error::new(ErrorKind::Incomplete { range: end..next });
            self.note(&error);
            error
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_is_joined_and_what_is_here_stays() {
        let mut ranges = Ranges::new(10);
        for (offset, bytes) in [(6, "gh"), (2, "cd"), (8, "ijXX"), (3, "XeX"), (20, "X"), (0, "")] {
            ranges.add(offset, bytes);
        }
        // "XeX" starts inside "cd" and reaches "gh".
        assert_eq!((ranges.parts.len(), ranges.held()), (1, 8));
        assert_eq!(ranges.get(2..10).unwrap(), b"cdeXghij");
        assert_eq!(ranges.get(1..4).unwrap_err().incomplete(), Some(1..4));
        assert_eq!(ranges.get(9..11).unwrap_err().to_string(), "at 0x9: needs 2 bytes, 1 left");
        ranges.add(0, "abXXXXXXXX");
        assert_eq!(ranges.get(0..10).unwrap(), b"abcdeXghij");
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
