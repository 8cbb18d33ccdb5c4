//! LZO1X as used in Arma's files: literals and matches in instructions of one to a few bytes, up to an end mark.
//!
//! The control flow does not depend on decoded bytes, so the end of a stream can be found by adding lengths. The same
//! walk serves both, with an output that writes or one that only counts.

pub(super) mod output;
mod quick;

use self::output::{Count, Fill, Output};
use self::quick::Before;
use super::Codec;
use super::pieces::Pieces;
use crate::base::error::{Error, Result};
use crate::base::stop;
use crate::bytes::Cursor;

/// The maximum number of decoded bytes per stored byte: each zero byte in the extension of a length adds 255.
pub(super) const RATIO: u64 = 255;

/// The bytes to read before the switch is checked again. Short instructions decode to 17 times as many at most.
const PIECE: usize = stop::PIECE / 16;

/// Returns the number of bytes of the stream at the cursor, including the end mark, given its decoded size.
///
/// Takes time linear in the stored bytes, and no memory. Performs all checks of a decoder: each read is inside the
/// cursor's part, each match is inside the output so far, and the output ends at `decoded_len` with the end mark
/// `11 00 00`.
///
/// ```
/// use meshpeek::{codec::lzo, view::Cursor};
/// let stream = b"\x14abc\xa9\0X\x04\x02\x11\0\0 and more";
/// assert_eq!(lzo::stored_byte_len(Cursor::new(stream), 12)?, 12);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns an error at the offset of the first instruction that breaks a rule.
pub fn stored_byte_len(stream: Cursor<'_>, decoded_len: u64) -> Result<u64> {
    super::activity::count_walk();
    Codec::Lzo.within_ratio(stream, decoded_len)?;
    walk(stream, Count::new(decoded_len))
}

/// Decodes the stream that is the whole of the cursor's part. It must fill `out` exactly.
///
/// # Errors
/// Returns the errors of [`stored_byte_len`], and an error if there are bytes after the end mark. The content of `out`
/// is then unspecified.
pub fn decode_into(stream: Cursor<'_>, out: &mut [u8]) -> Result<()> {
    super::bounds::check_end(stream, decode_first(stream, out)?, "the end mark of LZO")
}

/// Decodes a stream that others may follow. Returns its stored size.
pub(super) fn decode_first(stream: Cursor<'_>, out: &mut [u8]) -> Result<u64> {
    super::activity::count_decode(out.len() as u64);
    walk(stream, Fill::new(out))
}

/// Decodes the stream that is the whole of the cursor's part, in pieces.
pub(super) fn decode_in_pieces(stream: Cursor<'_>, mut out: Pieces<'_>) -> Result<()> {
    super::activity::count_decode(out.total());
    let result = walk(stream, &mut out);
    if out.finish()? {
        return Ok(());
    }
    super::bounds::check_end(stream, result?, "the end mark of LZO")
}

/// Passes the decoded stream at the cursor to the output. Returns its stored size.
fn walk(stream: Cursor<'_>, out: impl Output) -> Result<u64> {
    let decoded_len = out.left();
    // The bytes of the stream before `rest`.
    let taken = |rest: &[u8]| stream.left().saturating_sub(rest.len() as u64);
    match instructions(stream.rest(), out) {
        Ok(after) => Ok(taken(after)),
        Err((fault, rest)) => Err(fault.into_error(rest, decoded_len).at(stream.offset().saturating_add(taken(rest)))),
    }
}

/// The ways in which an instruction can be wrong.
#[derive(Clone, Copy)]
enum Fault {
    /// Some of its bytes or literals are missing: it takes this many bytes.
    Truncated(u64),
    /// The match starts before the first byte of the output.
    TooFarBack,
    /// The output would get longer than claimed.
    TooLong,
    /// It starts like the end mark, and goes on in another way.
    EndMark,
    /// The end mark comes after this many bytes of output.
    TooShort(u64),
    /// The switch of this thread is set.
    Stopped,
}

impl Fault {
    /// Creates the error. `rest` are the bytes from the instruction on.
    #[cold]
    fn into_error(self, rest: &[u8], decoded_len: u64) -> Error {
        match self {
            Self::Truncated(needed) => Error::truncated(needed, rest.len() as u64),
            Self::TooFarBack => Error::malformed("LZO match reaches back before the first byte"),
            Self::TooLong => Error::malformed(format!("LZO stream decodes to more than {decoded_len} bytes")),
            Self::EndMark => Error::malformed("LZO end mark is not 11 00 00"),
            Self::Stopped => stop::error(),
            Self::TooShort(len) => Error::malformed(format!("LZO stream decodes to {len} bytes, not {decoded_len}")),
        }
    }
}

/// Decodes instructions into `out`, up to the end mark. Returns the bytes after it, or the first fault and the bytes
/// from its instruction on.
///
/// An instruction is at least as long as the end mark, or followed by it, so three bytes are always available. Lengths
/// cannot overflow 64 bits: each is at most 255 times the number of bytes from which it was read.
///
/// The first byte `t` of an instruction, and `before`, decide what it is:
///
/// | `t` | instruction | distance | length |
/// | --- | --- | --- | --- |
/// | 64 and more | match | 1 to 2,048 | 3 to 8 |
/// | 32 to 63 | match | 1 to 16,384 | 3 and more |
/// | 16 to 31 | match, or the end mark | 16,385 to 49,151 | 3 and more |
/// | below 16, no literals before | literals | | 4 and more |
/// | below 16, few literals before | match | 1 to 1,024 | 2 |
/// | below 16, many literals before | match | 2,049 to 3,072 | 3 |
///
/// After each match, 0 to 3 literals follow, as two bits of the instruction say.
fn instructions(src: &[u8], mut out: impl Output) -> Result<&[u8], (Fault, &[u8])> {
    let mut before = Before::None;
    let mut rest = first_literals(src, &mut before, &mut out)?;
    // The position at which the switch is checked next, counted in the bytes left to read.
    let mut look = src.len();
    loop {
        if rest.len() <= look {
            look = rest.len().saturating_sub(PIECE);
            if stop::is_set() {
                return Err((Fault::Stopped, rest));
            }
        }
        // Short instructions, up to one that is not.
        let piece = rest.get(..PIECE).unwrap_or(rest);
        let taken;
        (taken, before) = quick::run(piece, before, &mut out);
        rest = rest.get(taken..).unwrap_or_default();
        let [t, a, b, ..] = *rest else {
            return Err((Fault::Truncated(3), rest));
        };
        // The distance, the length, the bytes of the instruction, and the byte that counts its literals.
        let (distance, length, head, last) = if t >= 64 {
            ((u64::from(a) << 3 | u64::from(t >> 2 & 7)).wrapping_add(1), u64::from(t >> 5).wrapping_add(1), 2, t)
        } else if t >= 16 {
            let mask = if t >= 32 { 31 } else { 7 };
            let FarMatch { length, head, low, high } = match t & mask {
                0 => long_match(rest, u64::from(mask).wrapping_add(2))?,
                short => FarMatch { length: u64::from(short).wrapping_add(2), head: 3, low: a, high: b },
            };
            let field = u64::from(high) << 6 | u64::from(low >> 2);
            if t >= 32 {
                (field.wrapping_add(1), length, head, low)
            } else if field == 0 && t & 8 == 0 {
                // A distance of 16,384 is that of the end mark, not of a match.
                let is_end_mark = length == 3 && low == 0;
                return if is_end_mark { after_end(rest, head, &out) } else { Err((Fault::EndMark, rest)) };
            } else {
                (field.wrapping_add(u64::from(t & 8) << 11).wrapping_add(16_384), length, head, low)
            }
        } else if before == Before::None {
            let (count, head) = match t {
                0 => extended(rest, 18)?,
                short => (u64::from(short).wrapping_add(3), 1),
            };
            rest = literals(rest, head, count, &mut out)?;
            before = Before::Many;
            continue;
        } else {
            let near = (u64::from(a) << 2 | u64::from(t >> 2)).wrapping_add(1);
            if before == Before::Many { (near.wrapping_add(2048), 3, 2, t) } else { (near, 2, 2, t) }
        };
        if distance > out.len() {
            return Err((Fault::TooFarBack, rest));
        }
        if length > out.left() {
            return Err((Fault::TooLong, rest));
        }
        out.repeat(distance, length);
        let count = last & 3;
        rest = literals(rest, head, count.into(), &mut out)?;
        before = if count == 0 { Before::None } else { Before::Few };
    }
}

/// Reads the literals that a first byte of 18 and more counts, and sets `before` if there are any. Returns the bytes
/// after them.
#[inline(always)]
fn first_literals<'s>(
    src: &'s [u8],
    before: &mut Before,
    out: &mut impl Output,
) -> Result<&'s [u8], (Fault, &'s [u8])> {
    let Some(&first @ 18..) = src.first() else { return Ok(src) };
    let count = first.wrapping_sub(17);
    *before = if count < 4 { Before::Few } else { Before::Many };
    literals(src, 1, count.into(), out)
}

/// A match of at most 16 or 48 KiB back.
struct FarMatch {
    length: u64,
    /// The bytes of the instruction.
    head: usize,
    /// The last two bytes, which have the distance and the number of literals.
    low: u8,
    high: u8,
}

/// Reads a match whose length is at least `base` and is stored in further bytes.
#[inline(always)]
fn long_match(rest: &[u8], base: u64) -> Result<FarMatch, (Fault, &[u8])> {
    let (length, head) = extended(rest, base)?;
    let distance = rest.get(head..).unwrap_or_default();
    let Some(&[low, high]) = distance.first_chunk() else {
        return Err((Fault::Truncated((head as u64).saturating_add(2)), rest));
    };
    Ok(FarMatch { length, head: head.wrapping_add(2), low, high })
}

/// Returns the bytes after the end mark, which has `head` bytes, if the output is complete.
fn after_end<'s>(rest: &'s [u8], head: usize, out: &impl Output) -> Result<&'s [u8], (Fault, &'s [u8])> {
    match rest.get(head..) {
        Some(after) if out.left() == 0 => Ok(after),
        _ => Err((Fault::TooShort(out.len()), rest)),
    }
}

/// Skips an instruction of `head` bytes and its literals, which go to the output. Returns the bytes after them.
#[inline(always)]
fn literals<'s>(rest: &'s [u8], head: usize, count: u64, out: &mut impl Output) -> Result<&'s [u8], (Fault, &'s [u8])> {
    if count > out.left() {
        return Err((Fault::TooLong, rest));
    }
    let split = rest.get(head..).zip(usize::try_from(count).ok());
    let Some((literals, after)) = split.and_then(|(literals, count)| literals.split_at_checked(count)) else {
        return Err((Fault::Truncated((head as u64).wrapping_add(count)), rest));
    };
    out.add(literals);
    Ok(after)
}

/// Returns a length with its extension, and the end of the extension: 255 for each zero byte, plus the first other
/// byte.
#[inline(always)]
fn extended(rest: &[u8], base: u64) -> Result<(u64, usize), (Fault, &[u8])> {
    match *rest {
        [_, last, ..] if last > 0 => Ok((base.wrapping_add(last.into()), 2)),
        _ => extended_far(rest, base),
    }
}

/// Does what [`extended`] does, for a length with zero bytes.
fn extended_far(rest: &[u8], base: u64) -> Result<(u64, usize), (Fault, &[u8])> {
    let mut zeros = 0_u64;
    for (index, &byte) in rest.iter().enumerate().skip(1) {
        if byte != 0 {
            let length = zeros.saturating_mul(255).saturating_add(base).saturating_add(u64::from(byte));
            return Ok((length, index.saturating_add(1)));
        }
        zeros = zeros.wrapping_add(1);
    }
    Err((Fault::Truncated((rest.len() as u64).saturating_add(1)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &[u8] = &[0x14, b'a', b'b', b'c', 0xa9, 0, b'X', 0x04, 0x02, 0x11, 0, 0];
    const LONG: &[u8] = b"\x00\x01meshpeek reads odol\x20\0\x02\0\0\x11\0\0";

    fn len(src: &[u8], decoded_len: u64) -> Result<u64> {
        stored_byte_len(Cursor::with_offset(src, 0x100), decoded_len)
    }

    fn fault(src: &[u8], decoded_len: u64) -> String {
        len(src, decoded_len).unwrap_err().to_string()
    }

    #[test]
    fn the_end_is_found_before_other_bytes() {
        for (stream, decoded_len) in [(ABC, 12), (LONG, 309)] {
            assert_eq!(len(stream, decoded_len).unwrap(), stream.len() as u64);
            let more = [stream, &[0x11, 0, 0, 9]].concat();
            assert_eq!(len(&more, decoded_len).unwrap(), stream.len() as u64);
            for cut in 0..stream.len() {
                assert!(len(&stream[..cut], decoded_len).is_err(), "{cut}");
            }
            for wrong in [0, decoded_len - 1, decoded_len + 1, u64::MAX] {
                assert!(len(stream, wrong).is_err(), "{wrong}");
            }
        }
        assert_eq!(len(&[0x11, 0, 0], 0).unwrap(), 3);
    }

    #[test]
    fn worked_examples_decode() {
        let mut out = [0; 12];
        decode_into(Cursor::new(ABC), &mut out).unwrap();
        assert_eq!(&out, b"abcabcabcXab");
        let mut out = [0; 309];
        decode_into(Cursor::new(LONG), &mut out).unwrap();
        assert!(out.starts_with(b"meshpeek reads odol") && out[19..].iter().all(|&b| b == b'l'));
        let more = [ABC, &[7]].concat();
        let error = decode_into(Cursor::new(&more), &mut [0; 12]).unwrap_err();
        assert_eq!(error.to_string(), "at 0xc: bytes after the end mark of LZO");
        let error = decode_into(Cursor::new(ABC), &mut [0; 13]).unwrap_err();
        assert_eq!(error.to_string(), "at 0x9: LZO stream decodes to 12 bytes, not 13");
    }

    #[test]
    fn each_rule_is_checked_at_its_instruction() {
        // Four literals, then a match of 3 at distance 5, one before the start. Then the same at distance 4.
        let mut stream = [0x15, 1, 2, 3, 4, 0x50, 0x00, 0x11, 0, 0];
        assert_eq!(fault(&stream, 7), "at 0x105: LZO match reaches back before the first byte");
        stream[5] = 0x4c;
        assert_eq!(len(&stream, 7).unwrap(), 10);
        assert_eq!(fault(&stream, 6), "at 0x105: LZO stream decodes to more than 6 bytes");
        assert_eq!(fault(&stream, 8), "at 0x107: LZO stream decodes to 7 bytes, not 8");
        assert_eq!(fault(&stream, 3), "at 0x100: LZO stream decodes to more than 3 bytes");
        for (index, byte) in [(7, 0x12), (8, 1)] {
            let mut bent = stream;
            bent[index] = byte;
            assert_eq!(fault(&bent, 7), "at 0x107: LZO end mark is not 11 00 00");
        }
        assert_eq!(fault(&stream[..9], 7), "at 0x107: needs 3 bytes, 2 left");
        assert_eq!(fault(&stream[..4], 7), "at 0x100: needs 5 bytes, 4 left");
        assert_eq!(fault(&[0x12, 9, 0x20, 0, 0, 0], 7), "at 0x102: needs 5 bytes, 4 left");
        assert_eq!(fault(&stream, 2551), "at 0x100: 10 bytes cannot hold 2551 packed ones");
    }

    #[test]
    fn instructions_below_16_depend_on_the_literals_before_them() {
        // 18 + 8 * 255 + 246 = 2304 literals, then in state 4: a match of 3 at distance 2049.
        let far = [&[0, 0, 0, 0, 0, 0, 0, 0, 0, 246][..], &[5; 2304], &[0x00, 0x00, 0x11, 0, 0]].concat();
        assert_eq!(len(&far, 2307).unwrap(), far.len() as u64);
        // 1 literal, then in state 1: a match of 2 at distance 1. Then in state 0: 4 literals.
        let near = [0x12, 9, 0x00, 0x00, 0x01, 8, 7, 6, 5, 0x11, 0, 0];
        assert_eq!(len(&near, 7).unwrap(), 12);
    }
}
