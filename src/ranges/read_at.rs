//! Sources of bytes by range.

use std::fs::File;
use std::io;
use std::ops::Range;

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
        if let Some(range) = indices(&range)
            && let Some(bytes) = self.get(range)
        {
            return Ok(bytes.to_vec());
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Threads may share the file. On Unix this leaves the file position unchanged. On other systems it moves it.
impl ReadAt for File {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let length = indices(&range).ok_or(io::ErrorKind::InvalidInput)?.len();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(length, 0);
        read_exact_at(self, &mut bytes, range.start)?;
        Ok(bytes)
    }
}

/// Fills `bytes` with those of the file from `start` on.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

/// Fills `bytes` with those of the file from `start` on. One read may return fewer.
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

/// Fills `bytes` with those of the file from `start` on. One thread at a time, because all share the file position.
#[cfg(not(any(unix, windows)))]
fn read_exact_at(mut file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek};
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(start))?;
    file.read_exact(bytes)
}

/// Implements [`ReadAt`] for types that dereference to a source.
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

/// Converts offsets to indices. Returns `None` if they do not fit in memory.
fn indices(range: &Range<u64>) -> Option<Range<usize>> {
    Some(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}
