//! LZSS as written by Bohemia's tools: eight items after each byte of flags, then a checksum of the output.
//!
//! A match counts its distance back from the current end of the output. The bytes before the start of the output are
//! spaces.

use std::ops::ControlFlow;

use super::Codec;
use super::pieces::{Pieces, signed_sum_from, sum_from};
use super::repeat::{self, SPARE};
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::stop;
use crate::bytes::Cursor;

/// The maximum number of decoded bytes per stored byte: 18 for each 2 1/8.
pub(crate) const RATIO: u64 = 9;

/// An upper bound on the number of bytes that one stored byte decodes to.
const MOST_PER_BYTE: usize = 16;

/// The maximum distance of a match.
const FARTHEST: usize = 4095;

/// The size of the checksum after a stream.
const CHECKSUM: u64 = 4;

/// Returns the number of bytes of the stream at the cursor, including the checksum, given its decoded size.
///
/// Takes time linear in the stored bytes, and no memory. Checks everything except the checksum, which needs the decoded
/// bytes.
///
/// # Errors
/// Returns an error at the offset of the first item that breaks a rule: it exceeds the cursor's part or the output, or
/// has distance 0, which readers interpret differently.
pub fn stored_byte_len(stream: Cursor<'_>, decoded_len: u64) -> Result<u64> {
    super::activity::count_walk();
    Codec::Lzss.within_ratio(stream, decoded_len)?;
    let mut after = items(stream, decoded_len, |_| ControlFlow::Continue(()))?;
    after.skip(CHECKSUM)?;
    Ok(stream.left().saturating_sub(after.left()))
}

/// Returns the decoded size of the stream that, with its checksum, is the whole of the cursor's part. Use it for files
/// that are a single stream without a stored size.
///
/// Does not compare the checksum.
///
/// # Errors
/// Returns an error at the offset of the first item that is cut off or has distance 0, and
/// [`Truncated`](crate::ErrorKind::Truncated) if not even the checksum fits.
pub fn decoded_byte_len(stream: Cursor<'_>) -> Result<u64> {
    super::activity::count_walk();
    let Some(len) = stream.left().checked_sub(CHECKSUM) else {
        return Err(Error::truncated(CHECKSUM, stream.left()).at(stream.offset()));
    };
    let mut total = 0_u64;
    let stored_items = stream.clone().split(len)?;
    items(stored_items, TO_THE_END, |item| {
        total = total.saturating_add(item.len());
        ControlFlow::Continue(())
    })?;
    Ok(total)
}

/// Decodes the stream that, with its checksum, is the whole of the cursor's part. It must fill `out` exactly.
///
/// ```
/// use meshpeek::{codec::lzss, view::Cursor};
/// let stream = b"\x27P3D\x64\0\x06\x03\xe9\x37\x03\0\0";
/// let mut out = [0; 13];
/// lzss::decode_into(Cursor::new(stream), &mut out)?;
/// assert_eq!(&out, b"P3D   P3D   \xe9");
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns the errors of [`stored_byte_len`], and an error if the checksum differs. The content of `out` is then
/// unspecified.
pub fn decode_into(stream: Cursor<'_>, out: &mut [u8]) -> Result<()> {
    decode_whole(stream, out, false)
}

/// Returns the sum of the bytes as signed numbers: the checksum of the streams in textures.
pub fn signed_sum(bytes: &[u8]) -> u32 {
    signed_sum_from(0, bytes)
}

/// Decodes the stream that is the whole of the cursor's part, in pieces.
pub(super) fn decode_in_pieces(stream: Cursor<'_>, out: Pieces<'_>, may_be_signed: bool) -> Result<()> {
    super::activity::count_decode(out.total());
    let mut out = out.with_spaces_before(FARTHEST).with_sums();
    let total = out.total();
    let result = items(stream, total, |item| {
        match item {
            Item::Literal(byte) => out.push(byte),
            Item::Match { distance, length } => out.repeat_back(distance, length as u64),
        }
        if out.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if out.finish()? {
        return Ok(());
    }
    let mut after = result?;
    let [unsigned, signed] = out.sums();
    check_sum(&mut after, unsigned, || may_be_signed.then_some(signed))?;
    super::bounds::check_end(stream, stream.left().saturating_sub(after.left()), "the checksum of LZSS")
}

/// Reads the checksum, which is that of the decoded bytes, or the one that `other` returns.
fn check_sum(after: &mut Cursor<'_>, summed: u32, other: impl FnOnce() -> Option<u32>) -> Result<()> {
    let checksum = *after;
    let stored = after.u32()?;
    if stored != summed && Some(stored) != other() {
        let sums = format!("LZSS checksum is {stored:#x}, of the decoded bytes {summed:#x}");
        return Err(checksum.error(sums).coded(Code::Checksum));
    }
    Ok(())
}

/// Decodes a stream like [`decode_into`], and if it may be signed, also accepts [`signed_sum`] as its checksum.
pub(super) fn decode_whole(stream: Cursor<'_>, out: &mut [u8], may_be_signed: bool) -> Result<()> {
    super::bounds::check_end(stream, decode_first(stream, out, may_be_signed)?, "the checksum of LZSS")
}

/// Decodes a stream that others may follow. Returns its stored size.
pub(super) fn decode_first(stream: Cursor<'_>, out: &mut [u8], may_be_signed: bool) -> Result<u64> {
    super::activity::count_decode(out.len() as u64);
    let mut filled = 0;
    let mut after = items(stream, out.len() as u64, |item| {
        filled = item.put(out, filled);
        ControlFlow::Continue(())
    })?;
    check_sum(&mut after, sum_from(0, out), || may_be_signed.then(|| signed_sum(out)))?;
    Ok(stream.left().saturating_sub(after.left()))
}

/// An item of a stream.
#[derive(Clone, Copy)]
enum Item {
    /// A byte as it is.
    Literal(u8),
    /// 3 to 18 bytes from 1 to 4095 back.
    Match { distance: usize, length: usize },
}

impl Item {
    /// Returns the number of bytes that it decodes to.
    fn len(self) -> u64 {
        match self {
            Self::Literal(_) => 1,
            Self::Match { length, .. } => length as u64,
        }
    }

    /// Writes it after the first `filled` bytes. Returns the new number of filled bytes.
    fn put(self, out: &mut [u8], filled: usize) -> usize {
        match self {
            Self::Literal(byte) => {
                if let Some(place) = out.get_mut(filled) {
                    *place = byte;
                }
                filled.saturating_add(1)
            }
            Self::Match { distance, length } => {
                let end = filled.saturating_add(length);
                // A copy in blocks may write more bytes than the match has, and cannot read the spaces before the
                // output.
                if distance <= filled && end.saturating_add(SPARE) <= out.len() {
                    repeat::in_blocks(out, filled, distance, length);
                    return end;
                }
                for index in filled..end {
                    let byte = match index.checked_sub(distance) {
                        Some(from) => out.get(from).copied().unwrap_or(b' '),
                        None => b' ',
                    };
                    if let Some(place) = out.get_mut(index) {
                        *place = byte;
                    }
                }
                end
            }
        }
    }
}

/// In place of a decoded length: the items go on to the end of the input.
const TO_THE_END: u64 = u64::MAX;

/// Calls `emit` with the items of the stream until they make up `decoded_len` bytes, or [`TO_THE_END`], or until it
/// returns `Break`. Returns the cursor after them.
#[inline(always)]
fn items(stream: Cursor<'_>, decoded_len: u64, mut emit: impl FnMut(Item) -> ControlFlow<()>) -> Result<Cursor<'_>> {
    let src = stream.rest();
    let at = |rest: &[u8]| stream.offset().saturating_add(src.len().saturating_sub(rest.len()) as u64);
    let mut rest = src;
    let mut left = decoded_len;
    // The position at which the switch is checked next, counted in the bytes left to read.
    let mut look = src.len();
    'flags: while left > 0 {
        if rest.len() <= look {
            look = rest.len().saturating_sub(stop::PIECE / MOST_PER_BYTE);
            if stop::is_set() {
                return Err(stop::error());
            }
        }
        let Some((&flags, mut items)) = rest.split_first() else {
            if decoded_len == TO_THE_END {
                break;
            }
            return Err(Error::truncated(1, 0).at(at(rest)));
        };
        for bit in 0..8 {
            rest = items;
            if left == 0 || decoded_len == TO_THE_END && rest.is_empty() {
                break 'flags;
            }
            let item;
            // A set bit is a literal. A clear one is a match: 12 bits of distance, and 4 of length.
            if flags >> bit & 1 == 1 {
                let Some((&byte, after)) = rest.split_first() else {
                    return Err(Error::truncated(1, 0).at(at(rest)));
                };
                (item, items) = (Item::Literal(byte), after);
            } else {
                let Some((&[low, high], after)) = rest.split_first_chunk() else {
                    return Err(Error::truncated(2, rest.len() as u64).at(at(rest)));
                };
                let distance = usize::from(low) | usize::from(high & 0xf0) << 4;
                if distance == 0 {
                    return Err(Error::malformed("LZSS match with distance 0").at(at(rest)));
                }
                (item, items) = (Item::Match { distance, length: usize::from(high & 15).wrapping_add(3) }, after);
            }
            let Some(room) = left.checked_sub(item.len()) else {
                return Err(
                    Error::malformed(format!("LZSS stream decodes to more than {decoded_len} bytes")).at(at(rest))
                );
            };
            left = room;
            if emit(item).is_break() {
                break 'flags;
            }
        }
        rest = items;
    }
    Ok(Cursor::with_offset(rest, at(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const P3D: &[u8] = &[0x27, b'P', b'3', b'D', 0x64, 0x00, 0x06, 0x03, 0xe9, 0x37, 0x03, 0x00, 0x00];

    fn len(src: &[u8], decoded_len: u64) -> Result<u64> {
        stored_byte_len(Cursor::with_offset(src, 0x100), decoded_len)
    }

    fn fault(src: &[u8], decoded_len: u64) -> String {
        len(src, decoded_len).unwrap_err().to_string()
    }

    #[test]
    fn the_end_is_found_before_other_bytes() {
        assert_eq!(len(P3D, 13).unwrap(), 13);
        assert_eq!(len(&[P3D, &[1, 2, 3]].concat(), 13).unwrap(), 13);
        assert_eq!(decoded_byte_len(Cursor::new(P3D)).unwrap(), 13);
        for cut in 0..P3D.len() {
            assert!(len(&P3D[..cut], 13).is_err(), "{cut}");
        }
        assert_eq!(len(&[0; 4], 0).unwrap(), 4);
        // Eight literals use up a byte of flags, and no further flags are read.
        assert_eq!(len(&[0xff, 1, 2, 3, 4, 5, 6, 7, 8, 36, 0, 0, 0], 8).unwrap(), 13);
        assert_eq!(decoded_byte_len(Cursor::new(&[0xff, 1, 2, 3, 4, 5, 6, 7, 8, 36, 0, 0, 0])).unwrap(), 8);
        assert!(decoded_byte_len(Cursor::new(&[0; 3])).is_err());
    }

    #[test]
    fn matches_before_the_start_are_spaces_and_overlaps_repeat() {
        let mut out = [0; 13];
        decode_into(Cursor::new(P3D), &mut out).unwrap();
        assert_eq!(&out, b"P3D   P3D   \xe9");
        // One literal, then 18 from 1 back.
        let mut out = [0; 19];
        let sum = 19 * 0x61_u32;
        decode_into(Cursor::new(&[&[1, b'a', 1, 15][..], &sum.to_le_bytes()].concat()), &mut out).unwrap();
        assert_eq!(out, [b'a'; 19]);
    }

    #[test]
    fn each_rule_is_checked_at_its_item() {
        assert_eq!(fault(P3D, 5), "at 0x104: LZSS stream decodes to more than 5 bytes");
        assert_eq!(fault(&[1, b'a', 0, 15, 0, 0, 0, 0], 19), "at 0x102: LZSS match with distance 0");
        assert_eq!(fault(&P3D[..5], 13), "at 0x104: needs 2 bytes, 1 left");
        assert_eq!(fault(&P3D[..12], 13), "at 0x109: needs 4 bytes, 3 left");
        assert_eq!(fault(P3D, 118), "at 0x100: 13 bytes cannot hold 118 packed ones");
    }

    #[test]
    fn a_texture_may_sum_signed_bytes() {
        let mut stream = P3D.to_vec();
        let decode = |stream: &[u8]| decode_whole(Cursor::new(stream), &mut [0; 13], true);
        assert!(decode(&stream).is_ok());
        stream[9..11].copy_from_slice(&567_u16.to_le_bytes());
        assert!(decode(&stream).is_ok());
        stream[9] += 1;
        assert_eq!(decode(&stream).unwrap_err().offset(), Some(9));
        assert_eq!((signed_sum(&[0xff, 0x80, 3]), signed_sum(&[])), (0_u32.wrapping_sub(126), 0));
    }

    #[test]
    fn the_checksum_is_of_unsigned_bytes() {
        let mut stream = P3D.to_vec();
        stream[9..11].copy_from_slice(&567_u16.to_le_bytes());
        assert!(len(&stream, 13).is_ok());
        let error = decode_into(Cursor::with_offset(&stream, 0x100), &mut [0; 13]).unwrap_err();
        assert_eq!(error.to_string(), "at 0x109: LZSS checksum is 0x237, of the decoded bytes 0x337");
        let more = [P3D, &[7]].concat();
        let error = decode_into(Cursor::new(&more), &mut [0; 13]).unwrap_err();
        assert_eq!(error.to_string(), "at 0xd: bytes after the checksum of LZSS");
    }
}
