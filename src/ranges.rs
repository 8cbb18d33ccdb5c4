//! Files of which ranges are at hand, not the whole: in an object store, behind HTTP, in a browser.
//!
//! [`Ranges`] holds the ranges that are here. [`Asset::parse_ranges`](crate::Asset::parse_ranges) and those of
//! [PBO](crate::pbo::Archive::parse_ranges), [zip](crate::zip::Archive::parse_ranges) and
//! [ODOL](crate::odol::Model::parse_ranges) open what is in them. Whatever then needs bytes that are not here fails with
//! [`Incomplete`](crate::ErrorKind::Incomplete), which names the range to add before asking again. Nothing is ever read
//! in the place of what is not here.
//!
//! Ask through [`Ranges::ask`] or [`Ranges::load`]: they give whole answers only. Questions that cannot fail, such as
//! [`summarize`](crate::Inspect::summarize) and outlines, report missing bytes as problems if they are asked directly.
//! `ask` notices that and fails with `Incomplete`.
//!
//! Opening an archive takes its directory, opening an ODOL model its header and tables (of version 7, behind whose LODs
//! the header lies, all of it); after that [`Depth::Header`](crate::Depth::Header) needs nothing more, a LOD its own
//! range, a member its header and bytes. The other formats, Ballance maps among them, take all bytes to open.
//!
//! With reads that block, [`Ranges::load`] goes on until there is an answer:
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
//! Without, the caller waits for the range in whatever way there is, and asks again:
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
    /// How many bytes there are.
    ///
    /// # Errors
    /// Those of the source.
    fn byte_len(&self) -> io::Result<u64>;

    /// Reads these bytes, which are never outside the [size](Self::byte_len): all of them.
    ///
    /// # Errors
    /// Those of the source.
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

/// Threads may share the file. Unix leaves the place where others read next, other systems move it.
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

/// One thread at a time, as all move the same place.
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

/// A range of another source as a source of its own, such as a member that lies in its archive as it is.
#[derive(Clone, Debug)]
pub struct Section<R> {
    source: R,
    range: Range<u64>,
}

impl<R: ReadAt> Section<R> {
    /// These bytes of the source.
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

/// The ranges of a file that are here.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    size: u64,
    /// By their first byte. They do not touch one another.
    parts: BTreeMap<u64, Vec<u8>>,
    asked: Asked,
}

/// Ranges that were asked for and are not here.
#[derive(Debug, Default)]
struct Asked(Mutex<Missing>);

#[derive(Debug, Default)]
struct Missing {
    /// How often some were.
    count: u64,
    /// The last of them.
    recent: VecDeque<Range<u64>>,
}

/// How many missing ranges are kept.
const MOST_MISSING: usize = 256;

/// A copy starts with none.
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

    /// Those since the count was this, as far as they are kept.
    fn since(&self, count: u64) -> Vec<Range<u64>> {
        self.with(|missing| {
            let new = usize::try_from(missing.count.saturating_sub(count)).unwrap_or(usize::MAX);
            missing.recent.iter().skip(missing.recent.len().saturating_sub(new)).cloned().collect()
        })
    }
}

impl Ranges {
    /// None so far of a file of this size.
    pub fn new(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    /// The size of the file.
    pub fn byte_len(&self) -> u64 {
        self.size
    }

    /// How many of its bytes are here.
    pub fn held(&self) -> u64 {
        self.parts.values().fold(0, |sum, part| sum.saturating_add(part.len() as u64))
    }

    /// Adds the bytes that start at `offset`. Those that are here already stay, those behind the end are left out.
    /// Copies what it joins.
    pub fn add(&mut self, offset: u64, bytes: impl Into<Vec<u8>>) {
        let mut bytes = bytes.into();
        bytes.truncate(usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX));
        let end = offset.saturating_add(bytes.len() as u64);
        if bytes.is_empty() {
            return;
        }
        let (mut start, mut joined) = (offset, bytes);
        // From the last to the first that it touches.
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

    /// These bytes.
    ///
    /// # Errors
    /// [`Incomplete`](ErrorKind::Incomplete) where not all are here, [`Truncated`](ErrorKind::Truncated) where they reach
    /// over the end of the file.
    pub fn get(&self, range: Range<u64>) -> Result<&[u8]> {
        Data::Parts(self).get(range)
    }

    /// Asks a question, and gives the answer only if it is whole: if no byte was missing that the question looked for.
    ///
    /// Questions that other threads ask at the same time count too.
    ///
    /// # Errors
    /// [`Incomplete`](ErrorKind::Incomplete) where a byte was missing; else that of the question.
    pub fn ask<T>(&self, question: impl FnOnce(&Self) -> Result<T>) -> Result<T> {
        self.ask_once(question).map_err(|(error, _)| error)
    }

    /// The answer; or the error, and all that is missing for an answer as far as is known.
    fn ask_once<T>(&self, question: impl FnOnce(&Self) -> Result<T>) -> Result<T, (Error, Vec<Range<u64>>)> {
        let before = self.asked.count();
        let answer = question(self);
        let told = answer.as_ref().err().and_then(Error::incomplete);
        let mut missing = self.asked.since(before);
        missing.extend(told.clone());
        // What is here already cannot be what it lacks.
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

    /// [Asks](Self::ask), adds from the source what is missing for an answer, and asks again, until there is one.
    ///
    /// # Errors
    /// Those of the source, and of the answer.
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
                // Some of it may have come with the range before.
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

    /// What is here from this offset on, up to the first byte that is not.
    fn from(&self, offset: u64) -> &[u8] {
        let Some((start, part)) = self.parts.range(..=offset).next_back() else { return &[] };
        let skipped = usize::try_from(offset.saturating_sub(*start)).unwrap_or(usize::MAX);
        part.get(skipped..).unwrap_or_default()
    }
}

/// Two parts that touch, the bytes of the second where both have some.
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

/// The bytes of an asset: all, or those ranges that are here.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(any(feature = "odol", feature = "pbo")), allow(dead_code))]
pub(crate) enum Data<'a> {
    Whole(&'a [u8]),
    Parts(&'a Ranges),
}

/// What is asked for where nobody can tell how far a header reaches; after that as much again as is here.
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

    /// What is here from this offset on, up to the first byte that is not.
    #[inline]
    pub(crate) fn from(self, offset: u64) -> &'a [u8] {
        match self {
            Self::Whole(bytes) => usize::try_from(offset).ok().and_then(|start| bytes.get(start..)).unwrap_or_default(),
            Self::Parts(ranges) => ranges.from(offset),
        }
    }

    /// A cursor over them.
    pub(crate) fn cursor(self, offset: u64) -> Cursor<'a> {
        Cursor::with_offset(self.from(offset), offset.min(self.size()))
    }

    /// These bytes, all of them.
    pub(crate) fn get(self, range: Range<u64>) -> Result<&'a [u8]> {
        self.find(range).inspect_err(|error| self.note(error))
    }

    /// Where an error is about bytes that are not here, keeps in mind which.
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

    /// What is read from this offset on. Where that fails, and more bytes could help, these are missing.
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

/// The error where it is that bytes are missing; any other is for whoever asks for what it is about.
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
        // "XeX" began inside "cd" and reached "gh".
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
