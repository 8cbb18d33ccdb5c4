//! Fast decoding of short instructions, which are nearly all of a stream, by a table lookup of their first byte.
//!
//! The bottleneck of a decoder is finding the start of the next instruction. A table gives it from the first byte and
//! the preceding state. Only one kind of instruction also needs two bits of the second byte. Long or wrong
//! instructions, and those near an end, are left to the walk that checks each instruction.

use super::output::{Output, ROOM, WINDOW};

/// The number of literals directly before an instruction, which decides the meaning of one below 16.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Before {
    None = 0,
    /// 1 to 3, after a match.
    Few = 256,
    /// 4 or more.
    Many = 512,
}

/// A match whose length is in the first byte, and the other facts in that byte.
#[derive(Clone, Copy)]
#[repr(align(8))]
struct Short {
    /// The distance, without the part in other bytes.
    base: u16,
    /// The number of bits by which to shift that part down.
    shift: u8,
    length: u8,
    /// The number of literals after it.
    literals: u8,
    /// The bytes of the instruction, including literals, or 0 if it is not a short instruction.
    bytes: u8,
}

/// Indexed by the preceding state, and by the first byte.
#[allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "what goes wrong goes wrong in the compiler"
)]
static SHORT: [Short; 768] = {
    let mut all = [Short { base: 0, shift: 0, length: 0, literals: 0, bytes: 0 }; 768];
    let mut index = 0;
    while index < all.len() {
        let first = index as u8;
        let (base, shift, length, literals, head) = match (index >> 8, first) {
            // A near match: three bits of distance here, eight in the second byte.
            (_, 64..) => ((first >> 2 & 7) as u16 + 1, 5, (first >> 5) + 1, first & 3, 2),
            // A far match: its distance and the number of its literals are in the two bytes after it. The length of
            // first byte 32 is in further bytes.
            (_, 33..64) => (1, 10, (first & 31) + 2, 0, 3),
            // Matches after few and after many literals: two bits of distance here, eight in the second byte.
            (1, ..16) => ((first >> 2) as u16 + 1, 6, 2, first & 3, 2),
            (2, ..16) => ((first >> 2) as u16 + 2049, 6, 3, first & 3, 2),
            _ => (0, 0, 0, 0, 0),
        };
        all[index] = Short { base, shift, length, literals, bytes: head + literals };
        index += 1;
    }
    all
};

/// Decodes short instructions until one needs the full walk. Returns the number of bytes that were read, and the
/// preceding state.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "of a word only the bits are meant that are left")]
pub(super) fn run(src: &[u8], mut before: Before, out: &mut impl Output) -> (usize, Before) {
    let mut at = 0_usize;
    let mut first = src.first().map_or(0, |&first| first.into());
    while let Some(window) = src.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>())
        && out.left() >= ROOM
    {
        let index = before as usize | first;
        // Literals after a match without any.
        if let 1..16 = index {
            let count = first.wrapping_add(3);
            out.add_quickly(window, count);
            at = at.wrapping_add(count).wrapping_add(1);
            before = Before::Many;
            first = src.get(at).map_or(0, |&first| first.into());
            continue;
        }
        let Some(short) = SHORT.get(index) else { break };
        let word = window.first_chunk().copied().map_or(0, u64::from_le_bytes);
        // Only matches of this kind have two bytes of distance, with their number of literals in the lower byte.
        let far = first & 0xe0 == 32;
        let (mask, late_literals) = if far { (0xff_ff00, (word >> 8) as usize & 3) } else { (0xff00, 0) };
        let distance = (word & mask).wrapping_shr(short.shift.into()).wrapping_add(short.base.into());
        if short.bytes == 0 || distance > out.len() {
            break;
        }
        let bytes = usize::from(short.bytes).wrapping_add(late_literals);
        let count = usize::from(short.literals).wrapping_add(late_literals);
        let literals = from_byte(word, bytes.wrapping_sub(count)) as u32;
        out.repeat_quickly(distance as usize, short.length.into(), literals.to_le_bytes(), count);
        before = if count == 0 { Before::None } else { Before::Few };
        // Faster than reading from its position, which has to be known first.
        first = from_byte(word, bytes) as usize & 255;
        at = at.wrapping_add(bytes);
    }
    (at, before)
}

/// Returns the word starting at this one of its eight bytes.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "a word has few bytes")]
fn from_byte(word: u64, index: usize) -> u64 {
    word.wrapping_shr((index as u32) << 3)
}
