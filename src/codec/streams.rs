//! The streams of each codec.

use std::ops::ControlFlow;

use super::kind::Codec;
use super::pieces::Pieces;
use super::{lzo, lzss, rle};
use crate::base::error::{Error, Result};
use crate::bytes::Cursor;

impl Codec {
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

impl Codec {
    /// Decodes the stream that is the whole of the cursor's part, to this size. Passes whole rows of `row` bytes to
    /// `sink`, until it returns `Break`. Takes [`WINDOW`](super::pieces::WINDOW) bytes of memory.
    ///
    /// # Errors
    /// Returns the errors of [`decode_into`](Self::decode_into). Rows before the error are passed on first. A wrong
    /// checksum is found after all rows.
    pub(crate) fn decode_in_pieces(
        self,
        stream: Cursor<'_>,
        decoded_len: u64,
        row: usize,
        sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        match self {
            Self::Raw => {
                // It is the only piece, so it does not matter whether the sink wants more.
                let _ = sink(stream.rest());
                Ok(())
            }
            Self::Lzo => lzo::decode_in_pieces(stream, Pieces::new(decoded_len, row, sink)?),
            Self::Lzss => lzss::decode_in_pieces(stream, Pieces::new(decoded_len, row, sink)?, false),
            Self::LzssSigned => lzss::decode_in_pieces(stream, Pieces::new(decoded_len, row, sink)?, true),
            Self::Rle => rle::decode_in_pieces(stream, Pieces::new(decoded_len, row, sink)?),
        }
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
