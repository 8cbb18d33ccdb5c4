//! The bytes after the last member.

use sha1::{Digest, Sha1};

use super::archive::Archive;
use crate::base::error::{Error, Result};
use crate::base::stop;

/// The bytes after the last member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tail<'a> {
    /// The offset of the tail: the sum of all sizes.
    pub offset: u64,
    /// All bytes up to the end of the file.
    pub bytes: &'a [u8],
}

/// The forms of a [`Tail`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TailKind<'a> {
    /// No bytes, as in Operation Flashpoint.
    None,
    /// A zero byte and four more, as in Operation Flashpoint Elite.
    Short(&'a [u8; 4]),
    /// A zero byte and the SHA-1 of all bytes before it, as in all later games.
    Sha1(&'a [u8; 20]),
    /// Something else.
    Unknown,
}

impl<'a> Tail<'a> {
    /// Returns its kind, determined by its length and first byte.
    pub fn kind(&self) -> TailKind<'a> {
        let Some((first, rest)) = self.bytes.split_first() else { return TailKind::None };
        if *first != 0 {
            return TailKind::Unknown;
        }
        if let Ok(checksum) = rest.try_into() {
            return TailKind::Short(checksum);
        }
        if let Ok(sha1) = rest.try_into() {
            return TailKind::Sha1(sha1);
        }
        TailKind::Unknown
    }
}

impl TailKind<'_> {
    /// Returns the name for reports.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Short(_) => "short",
            Self::Sha1(_) => "sha1",
            Self::Unknown => "unknown",
        }
    }
}

/// A checksum computation in progress.
pub(crate) struct Checksum<'a> {
    sum: Sha1,
    /// The bytes that are not read yet.
    pieces: std::slice::Chunks<'a, u8>,
    stored: &'a [u8; 20],
    is_stopped: bool,
}

/// The number of bytes of one step, which takes about a millisecond.
const PIECE: usize = 1 << 20;

impl Checksum<'_> {
    /// Reads the next piece. Returns false at the end, or if the thread was asked to stop.
    pub(crate) fn step(&mut self) -> bool {
        let Some(piece) = self.pieces.next() else { return false };
        if stop::is_set() {
            self.is_stopped = true;
            return false;
        }
        self.sum.update(piece);
        true
    }

    /// Returns true if the bytes have the stored checksum.
    ///
    /// # Errors
    /// Returns an error if not all of them were read, because the thread was asked to stop.
    pub(crate) fn holds(self) -> Result<bool> {
        if self.is_stopped {
            return Err(stop::error());
        }
        Ok(self.sum.finalize()[..] == self.stored[..])
    }
}

impl<'a> Archive<'a> {
    /// Returns the bytes after the last member.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if the members exceed the end of the file, so that the tail
    /// is unknown.
    pub fn tail(&self) -> Result<Tail<'a>> {
        let size = self.data.size();
        if self.data_end > size {
            let needed = self.data_end.saturating_sub(self.data_offset);
            let left = size.saturating_sub(self.data_offset);
            return Err(Error::truncated(needed, left).at(self.data_offset));
        }
        Ok(Tail { offset: self.data_end, bytes: self.data.get(self.data_end..size)? })
    }

    /// Returns all bytes before the tail.
    ///
    /// # Errors
    /// Returns the errors of [`tail`](Self::tail).
    #[cfg(feature = "bisign")]
    pub(crate) fn bytes_before_tail(&self) -> Result<&'a [u8]> {
        let tail = self.tail()?;
        self.data.get(0..tail.offset)
    }

    /// Returns whether the stored SHA-1 is that of the bytes before it, or `None` if none is stored. Reads the whole
    /// archive.
    ///
    /// # Errors
    /// Returns the errors of [`tail`](Self::tail), and [`Cancelled`](crate::ErrorKind::Cancelled) if the caller
    /// [stopped](crate::Until) it.
    pub fn checksum_holds(&self) -> Result<Option<bool>> {
        let Some(mut checksum) = self.checksum()? else { return Ok(None) };
        while checksum.step() {}
        Ok(Some(checksum.holds()?))
    }

    /// Returns the SHA-1 to be computed piece by piece, or `None` if none is stored.
    pub(crate) fn checksum(&self) -> Result<Option<Checksum<'a>>> {
        Ok(match self.tail()?.kind() {
            TailKind::Sha1(stored) => {
                let pieces = self.data.get(0..self.data_end)?.chunks(PIECE);
                Some(Checksum { sum: Sha1::new(), pieces, stored, is_stopped: false })
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_known_by_its_length_after_a_zero() {
        for length in 0..=64 {
            for first in [0, 1, 255] {
                let mut bytes = vec![7; length];
                if let Some(byte) = bytes.first_mut() {
                    *byte = first;
                }
                let tail = Tail { offset: 9, bytes: &bytes };
                let expected = match (length, first) {
                    (0, _) => "none",
                    (5, 0) => "short",
                    (21, 0) => "sha1",
                    _ => "unknown",
                };
                assert_eq!(tail.kind().name(), expected, "{length} bytes from {first}");
            }
        }
    }
}
