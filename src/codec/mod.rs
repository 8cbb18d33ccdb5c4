//! Compressed streams: where one ends, found without output, and what it expands to.
//!
//! Arma's files do not store how long a compressed stream is, only what it decodes to. Each codec therefore has two
//! functions: `stored_byte_len`, which walks the stream and finds its end with all the checks of a decode but without
//! memory, and `decode_into`, which expands it.

use std::cell::Cell;

use crate::base::error::{Error, Result};
use crate::base::limits::flag;
use crate::base::named::named;
use crate::bytes::{Cursor, Packing};

#[cfg(any(feature = "bmx", feature = "zip"))]
pub(crate) mod deflate;
pub mod lzo;
pub mod lzss;
mod repeat;
pub mod rle;

named! {
    /// How the elements of a block are stored.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Codec {
        /// As they are.
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
    /// The same as arrays in general say it.
    pub const fn packing(self) -> Packing {
        match self {
            Self::Raw => Packing::InPlace,
            Self::Lzo => Packing::Lzo,
            Self::Lzss | Self::LzssSigned => Packing::Lzss,
            Self::Rle => Packing::Rle,
        }
    }

    /// How many bytes from the cursor on are stored for `decoded_len` decoded ones. Linear in that number, except for
    /// [`Raw`](Self::Raw).
    ///
    /// # Errors
    /// Where the bytes of the cursor's part are not such a stream. After a success, decoding succeeds too.
    pub fn stored_byte_len(self, stream: Cursor<'_>, decoded_len: u64) -> Result<u64> {
        match self {
            Self::Raw if decoded_len <= stream.left() => Ok(decoded_len),
            Self::Raw => Err(Error::truncated(decoded_len, stream.left()).at(stream.offset())),
            Self::Lzo => lzo::stored_byte_len(stream, decoded_len),
            Self::Lzss | Self::LzssSigned => lzss::stored_byte_len(stream, decoded_len),
            Self::Rle => rle::stored_byte_len(stream, decoded_len),
        }
    }

    /// Refuses a size that no stream of the bytes left can reach.
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

    /// Decodes the stream that is the whole of the cursor's part and that fills `out` to its last byte.
    ///
    /// # Errors
    /// Where it is not such a stream, or its checksum differs.
    pub fn decode_into(self, stream: Cursor<'_>, out: &mut [u8]) -> Result<()> {
        match self {
            Self::Raw if stream.left() == out.len() as u64 => out.copy_from_slice(stream.rest()),
            Self::Raw => return Err(Error::truncated(out.len() as u64, stream.left()).at(stream.offset())),
            Self::Lzo => lzo::decode_into(stream, out)?,
            Self::Lzss => lzss::decode_into(stream, out)?,
            Self::LzssSigned => lzss::decode_signed_into(stream, out)?,
            Self::Rle => rle::decode_into(stream, out)?,
        }
        Ok(())
    }
}

#[cfg(feature = "scan")]
impl Codec {
    /// Decodes the stream that begins at the cursor and that fills `out` to its last byte; how many bytes it takes.
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

/// How much work the codecs have done on one thread since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// Streams walked to find their end.
    pub walks: u64,
    /// Streams decoded.
    pub decodes: u64,
    /// DEFLATE streams inflated, which are whole tables or files.
    pub inflations: u64,
    /// Bytes that were asked of those decoded and inflated.
    pub bytes: u64,
}

thread_local! {
    static ACTIVITY: Cell<Activity> = const { Cell::new(Activity { walks: 0, decodes: 0, inflations: 0, bytes: 0 }) };
}

/// The work done on this thread so far: the difference of two calls shows what reading something has cost.
pub fn activity() -> Activity {
    ACTIVITY.get()
}

fn count_walk() {
    let now = ACTIVITY.get();
    ACTIVITY.set(Activity { walks: now.walks.wrapping_add(1), ..now });
}

fn count_decode(bytes: usize) {
    let now = ACTIVITY.get();
    let bytes = now.bytes.wrapping_add(bytes as u64);
    ACTIVITY.set(Activity { decodes: now.decodes.wrapping_add(1), bytes, ..now });
}

#[cfg(any(feature = "bmx", feature = "zip"))]
fn count_inflation(bytes: usize) {
    let now = ACTIVITY.get();
    let bytes = now.bytes.wrapping_add(bytes as u64);
    ACTIVITY.set(Activity { inflations: now.inflations.wrapping_add(1), bytes, ..now });
}

/// Refuses a claimed size before memory is taken for it.
///
/// # Errors
/// [`Limit`](crate::ErrorKind::Limit) where it is over the limit.
pub(crate) fn within_limit(decoded_len: u64, limit: u64) -> Result<()> {
    if decoded_len > limit {
        return Err(Error::limit("decoded bytes in a block", limit, flag::DECODED));
    }
    Ok(())
}
