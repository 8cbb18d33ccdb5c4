//! Run-length streams of the oldest textures, according to their engine's source. No such file is available.
//!
//! A control byte below 128 is followed by literals, one more than its value. Any other control byte repeats the next
//! byte, 1 to 128 times.

use std::iter::zip;

use super::Codec;
use super::pieces::Pieces;
use crate::base::error::{Error, Result};
use crate::bytes::Cursor;

/// The maximum number of decoded bytes per stored byte: 128 for two.
pub(super) const RATIO: u64 = 64;

/// Returns the number of bytes of the stream at the cursor, given its decoded size.
///
/// Takes time linear in the stored bytes, and no memory.
///
/// # Errors
/// Returns an error at the offset of the first run that exceeds the cursor's part or the output.
pub fn stored_byte_len(stream: Cursor<'_>, decoded_len: u64) -> Result<u64> {
    super::activity::count_walk();
    Codec::Rle.within_ratio(stream, decoded_len)?;
    let mut runs = Runs::new(stream, decoded_len);
    while runs.next()?.is_some() {}
    Ok(runs.stored_len())
}

/// Decodes the stream that is the whole of the cursor's part. It must fill `out` exactly.
///
/// ```
/// use meshpeek::{codec::rle, view::Cursor};
/// let mut out = [0; 6];
/// rle::decode_into(Cursor::new(b"\x01ab\x83c"), &mut out)?;
/// assert_eq!(&out, b"abcccc");
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`stored_byte_len`], and an error if there are bytes after the last run. The content of `out`
/// is then unspecified.
pub fn decode_into(stream: Cursor<'_>, out: &mut [u8]) -> Result<()> {
    super::bounds::check_end(stream, decode_first(stream, out)?, "the last run of RLE")
}

/// Decodes a stream that others may follow. Returns its stored size.
pub(super) fn decode_first(stream: Cursor<'_>, out: &mut [u8]) -> Result<u64> {
    super::activity::count_decode(out.len() as u64);
    let decoded_len = out.len() as u64;
    let mut free = out;
    let mut runs = Runs::new(stream, decoded_len);
    while let Some(Run { bytes, length }) = runs.next()? {
        let (place, after) = std::mem::take(&mut free).split_at_mut_checked(length).unwrap_or_default();
        for (place, byte) in zip(place, bytes.iter().cycle()) {
            *place = *byte;
        }
        free = after;
    }
    Ok(runs.stored_len())
}

/// Decodes the stream that is the whole of the cursor's part, in pieces.
pub(super) fn decode_in_pieces(stream: Cursor<'_>, mut out: Pieces<'_>) -> Result<()> {
    super::activity::count_decode(out.total());
    let mut runs = Runs::new(stream, out.total());
    let result = all(&mut runs, &mut out);
    if out.finish()? {
        return Ok(());
    }
    result?;
    super::bounds::check_end(stream, runs.stored_len(), "the last run of RLE")
}

/// Decodes all runs, or those that the output wants.
fn all(runs: &mut Runs<'_>, out: &mut Pieces<'_>) -> Result<()> {
    while !out.is_over()
        && let Some(Run { bytes, length }) = runs.next()?
    {
        out.append(bytes);
        // A run of one byte repeats it, and any other is as long as its bytes.
        out.repeat_back(1, length.saturating_sub(bytes.len()) as u64);
    }
    Ok(())
}

/// The bytes to repeat, and the length to which they are repeated.
struct Run<'a> {
    bytes: &'a [u8],
    length: usize,
}

/// The runs of a stream that make up `decoded_len` bytes.
struct Runs<'a> {
    stream: Cursor<'a>,
    rest: Cursor<'a>,
    decoded_len: u64,
    /// The decoded bytes of the runs that are left.
    left: u64,
}

impl<'a> Runs<'a> {
    /// Creates an iterator over the runs from the cursor on.
    fn new(stream: Cursor<'a>, decoded_len: u64) -> Self {
        Self { stream, rest: stream, decoded_len, left: decoded_len }
    }

    /// Returns the next run, or `None` once the runs make up the decoded size.
    fn next(&mut self) -> Result<Option<Run<'a>>> {
        if self.left == 0 {
            return Ok(None);
        }
        let start = self.rest.offset();
        let control = self.rest.u8()?;
        let length = usize::from(control & 0x7f).saturating_add(1);
        let Some(left) = self.left.checked_sub(length as u64) else {
            let message = format!("RLE stream decodes to more than {} bytes", self.decoded_len);
            return Err(Error::malformed(message).at(start));
        };
        self.left = left;
        let stored = if control < 0x80 { length } else { 1 };
        Ok(Some(Run { bytes: self.rest.bytes(stored as u64)?, length }))
    }

    /// Returns the stored size of the runs so far.
    fn stored_len(&self) -> u64 {
        self.stream.left().saturating_sub(self.rest.left())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `abcccc`, and a byte more.
    const STREAM: &[u8] = b"\x01ab\x83c!";

    #[test]
    fn walk_and_decoder_agree() {
        let mut out = [0; 6];
        assert_eq!(stored_byte_len(Cursor::new(STREAM), 6).unwrap(), 5);
        decode_into(Cursor::new(&STREAM[..5]), &mut out).unwrap();
        assert_eq!(&out, b"abcccc");
        let mut out = [0; 128];
        decode_into(Cursor::new(&[0xff, 7]), &mut out).unwrap();
        assert_eq!(out, [7; 128]);
        assert_eq!(stored_byte_len(Cursor::new(&[]), 0).unwrap(), 0);
    }

    #[test]
    fn each_rule_is_checked_at_its_run() {
        let fault = |stream: &[u8], len| {
            let walked = stored_byte_len(Cursor::with_offset(stream, 0x10), len as u64).unwrap_err();
            let decoded = decode_into(Cursor::with_offset(stream, 0x10), &mut vec![0; len]).unwrap_err();
            assert_eq!(walked.offset(), decoded.offset());
            walked.to_string()
        };
        assert_eq!(fault(STREAM, 5), "at 0x13: RLE stream decodes to more than 5 bytes");
        assert_eq!(fault(&STREAM[..4], 6), "at 0x14: needs 1 byte, 0 left");
        assert_eq!(fault(&STREAM[..2], 6), "at 0x11: needs 2 bytes, 1 left");
        let error = decode_into(Cursor::new(STREAM), &mut [0; 6]).unwrap_err();
        assert_eq!(error.to_string(), "at 0x5: bytes after the last run of RLE");
        assert!(stored_byte_len(Cursor::new(STREAM), 64 * 6 + 1).unwrap_err().to_string().contains("cannot hold"));
    }
}
