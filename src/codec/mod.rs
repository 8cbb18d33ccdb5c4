//! Compressed streams: finding the end of one without output, and decoding it.
//!
//! Arma's files store the decoded size of a compressed stream, but not its stored size. Each codec therefore has two
//! functions: `stored_byte_len` walks the stream and finds its end, with all checks of a decoder but without
//! allocating. `decode_into` decodes it.

use std::cell::Cell;

use crate::base::error::{Error, Result};
use crate::base::limits::flag;
use crate::base::word_enum::word_enum;
use crate::bytes::{Cursor, Packing};

#[cfg(any(feature = "bmx", feature = "zip"))]
pub(crate) mod deflate;
pub mod lzo;
pub mod lzss;
#[cfg(feature = "methods")]
pub(crate) mod methods;
mod repeat;
pub mod rle;

word_enum! {
    /// How the elements of a block are stored.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Codec {
        /// Uncompressed.
        Raw = "raw",
        /// One LZO1X stream.
        Lzo = "lzo",
        /// One LZSS stream with its checksum.
        Lzss = "lzss",
        /// One LZSS stream whose checksum may sum the bytes as signed numbers.
        LzssSigned = "lzss_signed",
        /// One stream of literal and repeated bytes.
        Rle = "rle",
    }
}

impl Codec {
    /// Returns the corresponding [`Packing`].
    pub const fn packing(self) -> Packing {
        match self {
            Self::Raw => Packing::InPlace,
            Self::Lzo => Packing::Lzo,
            Self::Lzss | Self::LzssSigned => Packing::Lzss,
            Self::Rle => Packing::Rle,
        }
    }

    /// Returns the stored size of the stream at the cursor, given its decoded size. Takes time linear in the stored
    /// size; constant time for [`Raw`](Self::Raw).
    ///
    /// # Errors
    /// Returns an error if the bytes of the cursor's part are not such a stream. If this succeeds, only the checksum of
    /// an LZSS stream can make decoding fail.
    pub fn stored_byte_len(self, stream: Cursor<'_>, decoded_len: u64) -> Result<u64> {
        match self {
            Self::Raw => stream.clone().skip(decoded_len).map(|()| decoded_len),
            Self::Lzo => lzo::stored_byte_len(stream, decoded_len),
            Self::Lzss | Self::LzssSigned => lzss::stored_byte_len(stream, decoded_len),
            Self::Rle => rle::stored_byte_len(stream, decoded_len),
        }
    }

    /// Returns an error if no stream of the bytes left can decode to this size.
    pub(crate) fn within_ratio(self, stream: Cursor<'_>, decoded_len: u64) -> Result<()> {
        let ratio = match self {
            Self::Raw => 1,
            Self::Lzo => lzo::RATIO,
            Self::Lzss | Self::LzssSigned => lzss::RATIO,
            Self::Rle => rle::RATIO,
        };
        if decoded_len > stream.left().saturating_mul(ratio) {
            let message = format!("{} bytes cannot hold {decoded_len} packed ones", stream.left());
            return Err(stream.error(message));
        }
        Ok(())
    }

    /// Decodes the stream that is the whole of the cursor's part. It must fill `out` exactly.
    ///
    /// # Errors
    /// Returns an error if it is not such a stream, or if its checksum differs.
    pub fn decode_into(self, stream: Cursor<'_>, out: &mut [u8]) -> Result<()> {
        match self {
            Self::Raw if stream.left() == out.len() as u64 => out.copy_from_slice(stream.rest()),
            Self::Raw => return Err(Error::truncated(out.len() as u64, stream.left()).at(stream.offset())),
            Self::Lzo => lzo::decode_into(stream, out)?,
            Self::Lzss => lzss::decode_into(stream, out)?,
            Self::LzssSigned => lzss::decode_whole(stream, out, true)?,
            Self::Rle => rle::decode_into(stream, out)?,
        }
        Ok(())
    }
}

#[cfg(feature = "scan")]
impl Codec {
    /// Decodes the stream at the cursor, which must fill `out` exactly. Returns its stored size.
    pub(crate) fn decode_first(self, stream: Cursor<'_>, out: &mut [u8]) -> Result<u64> {
        match self {
            Self::Raw => {
                let stored = stream.clone().bytes(out.len() as u64)?;
                out.copy_from_slice(stored);
                Ok(out.len() as u64)
            }
            Self::Lzo => lzo::decode_first(stream, out),
            Self::Lzss => lzss::decode_first(stream, out, false),
            Self::LzssSigned => lzss::decode_first(stream, out, true),
            Self::Rle => rle::decode_first(stream, out),
        }
    }
}

/// Counters of codec work on one thread since the thread started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The number of streams walked to find their end.
    pub walks: u64,
    /// The number of streams decoded.
    pub decodes: u64,
    /// The number of DEFLATE streams inflated, each a whole table or file.
    pub inflations: u64,
    /// The total size that was requested of the streams decoded and inflated.
    pub bytes: u64,
}

thread_local! {
    static ACTIVITY: Cell<Activity> = const { Cell::new(Activity { walks: 0, decodes: 0, inflations: 0, bytes: 0 }) };
}

/// Returns the work done on this thread so far. The difference of two calls is the cost of the code between them.
pub fn activity() -> Activity {
    ACTIVITY.get()
}

/// Counts a stream that was walked without decoding.
fn count_walk() {
    let mut done = ACTIVITY.get();
    done.walks = done.walks.wrapping_add(1);
    ACTIVITY.set(done);
}

/// Counts a stream that is decoded to this many bytes.
fn count_decode(bytes: usize) {
    let mut done = ACTIVITY.get();
    done.decodes = done.decodes.wrapping_add(1);
    done.bytes = done.bytes.wrapping_add(bytes as u64);
    ACTIVITY.set(done);
}

/// Counts a DEFLATE stream that is inflated to at most this many bytes.
fn count_inflation(bytes: usize) {
    let mut done = ACTIVITY.get();
    done.inflations = done.inflations.wrapping_add(1);
    done.bytes = done.bytes.wrapping_add(bytes as u64);
    ACTIVITY.set(done);
}

/// Returns an error if the stream of this size, which ends with `last`, is not the whole of the cursor's part.
fn check_end(stream: Cursor<'_>, stored_len: u64, last: &str) -> Result<()> {
    let mut after = stream;
    after.skip(stored_len)?;
    if after.is_empty() { Ok(()) } else { Err(after.error(format!("bytes after {last}"))) }
}

/// Checks a claimed size against the limit before memory is allocated for it.
///
/// # Errors
/// Returns [`Limit`](crate::ErrorKind::Limit) if it exceeds the limit.
pub(crate) fn within_limit(decoded_len: u64, limit: u64) -> Result<()> {
    if decoded_len > limit {
        return Err(Error::limit("decoded bytes in a block", limit, flag::DECODED));
    }
    Ok(())
}
