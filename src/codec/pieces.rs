//! Decoding in pieces: the whole output is never in memory.
//!
//! A match repeats bytes from a limited distance back, so a window over the output is enough. It holds the bytes that
//! matches may still reach, and those that are not passed on yet.

use std::ops::ControlFlow;

use super::lzo::output::{self, Output};
use super::repeat::{self, put};
use crate::base::error::{Error, Result};
use crate::base::stop;

/// The size of the window. Each time it is full, what matches may reach is moved to its start. In a window of 64 KiB that
/// would be three bytes for each decoded one.
pub(crate) const WINDOW: usize = 1 << 18;

/// The most bytes that are passed on at once.
pub(crate) const LONGEST_PIECE: usize = 1 << 16;

/// Returns the most whole rows of this size that are passed on at once: at least one.
pub(crate) fn rows_of_piece(row: usize) -> usize {
    LONGEST_PIECE.checked_div(row).unwrap_or(0).max(1)
}

/// Rows of more bytes leave too little room in the window.
pub(crate) const LONGEST_ROW: usize = 4096;

/// The most bytes that are added at once.
const STEP: usize = 4096;

/// The bytes that must be free for a short instruction of LZO. They may be written beyond its end.
#[allow(clippy::cast_possible_truncation, reason = "it is 64")]
const ROOM: usize = output::ROOM as usize;

/// Adds the bytes to a sum.
pub(super) fn sum_from(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, &byte| sum.wrapping_add(byte.into()))
}

/// Adds the bytes as signed numbers to a sum.
pub(super) fn signed_sum_from(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, &byte| sum.wrapping_add_signed(byte.cast_signed().into()))
}

/// The window over the output.
pub(super) struct Pieces<'p> {
    window: Vec<u8>,
    /// The end of the bytes in the window that are passed on.
    passed: usize,
    /// The end of the bytes in the window that are there.
    filled: usize,
    /// The bytes of the output before the window.
    before: u64,
    /// The bytes of the whole output.
    total: u64,
    row: usize,
    sink: &'p mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    state: State,
    /// The sums of the bytes passed on, as unsigned and as signed numbers.
    sums: [u32; 2],
    sums_wanted: bool,
}

/// Whether rows are passed on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The sink wants no more.
    Over,
    /// The work on this thread was stopped.
    Stopped,
}

impl<'p> Pieces<'p> {
    /// Creates an output of `total` bytes, of which whole rows of `row` bytes are passed to `sink`.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the window.
    pub(super) fn new(total: u64, row: usize, sink: &'p mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<Self> {
        let Ok(window) = bytemuck::allocation::try_zeroed_vec(WINDOW) else { return Err(Error::out_of_memory()) };
        let row = row.max(1);
        let sums = [0; 2];
        Ok(Self {
            window,
            passed: 0,
            filled: 0,
            before: 0,
            total,
            row,
            sink,
            state: State::Open,
            sums,
            sums_wanted: false,
        })
    }

    /// Puts spaces before the output, which a match may repeat.
    pub(super) fn with_spaces_before(mut self, count: usize) -> Self {
        if let Some(spaces) = self.window.get_mut(..count) {
            spaces.fill(b' ');
            self.passed = count;
            self.filled = count;
        }
        self
    }

    /// Sums the bytes, for a checksum.
    pub(super) fn with_sums(mut self) -> Self {
        self.sums_wanted = true;
        self
    }

    /// Returns the bytes of the whole output.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns true if nothing more is passed on.
    pub(super) fn is_over(&self) -> bool {
        self.state != State::Open
    }

    /// Returns the sums of all bytes, as unsigned and as signed numbers.
    pub(super) fn sums(&self) -> [u32; 2] {
        self.sums
    }

    /// Adds one byte.
    #[inline(always)]
    pub(super) fn push(&mut self, byte: u8) {
        self.make_room(1);
        if let Some(place) = self.window.get_mut(self.filled) {
            *place = byte;
        }
        self.filled = self.filled.wrapping_add(1);
    }

    /// Adds these bytes.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(STEP) {
            self.make_room(part.len());
            let end = self.filled.wrapping_add(part.len());
            if let Some(place) = self.window.get_mut(self.filled..end) {
                place.copy_from_slice(part);
            }
            self.filled = end;
        }
    }

    /// Adds `length` bytes by repeating those from `distance` back on.
    pub(super) fn repeat_back(&mut self, distance: usize, length: u64) {
        let mut left = length;
        while left > 0 && !self.is_over() {
            #[allow(clippy::cast_possible_truncation, reason = "it is at most a step")]
            let part = left.min(STEP as u64) as usize;
            self.make_room(part);
            repeat::doubling(&mut self.window, self.filled, distance, part);
            self.filled = self.filled.wrapping_add(part);
            left = left.wrapping_sub(part as u64);
        }
    }

    /// Passes on what is left. Returns true if the sink wants no more. Then the walk over the stream ended early, and its
    /// result means nothing.
    ///
    /// # Errors
    /// Returns an error if the work on this thread was stopped.
    pub(super) fn finish(&mut self) -> Result<bool> {
        self.pass_on();
        match self.state {
            State::Open => Ok(false),
            State::Over => Ok(true),
            State::Stopped => Err(stop::error()),
        }
    }

    /// Passes on whole rows if the window has no room for this many bytes, and moves what a match may reach to its
    /// start.
    #[inline(always)]
    fn make_room(&mut self, count: usize) {
        if self.filled.wrapping_add(count) > WINDOW {
            self.slide();
        }
    }

    #[cold]
    fn slide(&mut self) {
        self.pass_on();
        // A part of a row is shorter than what matches reach, so it stays.
        let start = self.filled.saturating_sub(output::FARTHEST).min(self.passed);
        self.window.copy_within(start..self.filled, 0);
        self.before = self.before.saturating_add(start as u64);
        self.passed = self.passed.wrapping_sub(start);
        self.filled = self.filled.wrapping_sub(start);
    }

    fn pass_on(&mut self) {
        if self.is_over() {
            self.passed = self.filled;
            return;
        }
        // A few bytes of a stream may decode to gigabytes.
        if stop::is_set() {
            return self.end(State::Stopped);
        }
        let there = self.filled.saturating_sub(self.passed);
        let end = self.filled.saturating_sub(there.checked_rem(self.row).unwrap_or(0));
        let rows = self.window.get(self.passed..end).unwrap_or_default();
        if rows.is_empty() {
            return;
        }
        if self.sums_wanted {
            let [unsigned, signed] = self.sums;
            self.sums = [sum_from(unsigned, rows), signed_sum_from(signed, rows)];
        }
        self.passed = end;
        for piece in rows.chunks(self.row.saturating_mul(rows_of_piece(self.row))) {
            if (self.sink)(piece).is_break() {
                return self.end(State::Over);
            }
        }
    }

    /// Ends the output. Nothing more fits, so the walk over the stream ends at its next instruction.
    fn end(&mut self, state: State) {
        self.state = state;
        self.total = self.before.saturating_add(self.filled as u64);
    }
}

impl Output for &mut Pieces<'_> {
    #[inline(always)]
    fn len(&self) -> u64 {
        self.before.wrapping_add(self.filled as u64)
    }

    #[inline(always)]
    fn left(&self) -> u64 {
        self.total.saturating_sub(self.len())
    }

    fn add(&mut self, literals: &[u8]) {
        self.append(literals);
    }

    #[allow(clippy::cast_possible_truncation, reason = "it is at most the farthest distance of an instruction")]
    fn repeat(&mut self, distance: u64, length: u64) {
        self.repeat_back(distance as usize, length);
    }

    #[inline(always)]
    fn add_quickly(&mut self, window: &[u8; output::WINDOW], count: usize) {
        self.make_room(ROOM);
        if let Some(&literals) = window.get(1..).and_then(<[u8]>::first_chunk::<{ output::WINDOW - 2 }>) {
            put(&mut self.window, self.filled, literals);
        }
        self.filled = self.filled.wrapping_add(count);
    }

    #[inline(always)]
    fn repeat_quickly(&mut self, distance: usize, length: usize, literals: [u8; 4], count: usize) {
        self.make_room(ROOM);
        repeat::in_blocks(&mut self.window, self.filled, distance, length);
        put(&mut self.window, self.filled.wrapping_add(length), literals);
        self.filled = self.filled.wrapping_add(length).wrapping_add(count);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::{LONGEST_PIECE, WINDOW};
    use crate::bytes::Cursor;
    use crate::codec::Codec;

    /// Numbers that look random.
    struct Noise(u64);

    impl Noise {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % end
        }
    }

    /// A stream of LZSS of at least this size, with near and far matches, and what it decodes to. Its first match
    /// reaches before the output.
    fn lzss(noise: &mut Noise, size: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut stream, mut out) = (Vec::new(), Vec::<u8>::new());
        while out.len() < size {
            let flags = noise.below(256);
            stream.push(flags as u8);
            for bit in 0..8 {
                if flags >> bit & 1 == 1 {
                    let byte = noise.below(256) as u8;
                    stream.push(byte);
                    out.push(byte);
                    continue;
                }
                let (distance, length) = (1 + noise.below(4095), 3 + noise.below(16));
                stream.extend([distance as u8, (distance >> 4 & 0xf0) as u8 | (length - 3) as u8]);
                for _ in 0..length {
                    out.push(match out.len().checked_sub(distance) {
                        Some(from) => out[from],
                        None => b' ',
                    });
                }
            }
        }
        let sum = out.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into()));
        stream.extend(sum.to_le_bytes());
        (stream, out)
    }

    /// A stream of LZSS with the checksum of textures, which sums the bytes as signed numbers.
    fn signed_lzss(noise: &mut Noise, size: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut stream, out) = lzss(noise, size);
        stream.truncate(stream.len() - 4);
        let sum = out.iter().fold(0_u32, |sum, &byte| sum.wrapping_add_signed(byte.cast_signed().into()));
        stream.extend(sum.to_le_bytes());
        (stream, out)
    }

    /// A stream of LZO of at least this size: literals, and matches of every reach, some of them long.
    fn lzo(noise: &mut Noise, size: usize) -> (Vec<u8>, Vec<u8>) {
        let mut out: Vec<u8> = (0..238).map(|_| noise.below(256) as u8).collect();
        let mut stream = vec![255];
        stream.extend(&out);
        while out.len() < size {
            let (distance, length) = match noise.below(3) {
                0 => (1 + noise.below(2048.min(out.len())), 3 + noise.below(6)),
                1 => (1 + noise.below(16_384.min(out.len())), 33 + 255 * noise.below(40) + 1 + noise.below(255)),
                _ if out.len() <= 16_385 => continue,
                _ => (16_385 + noise.below((49_151 - 16_384).min(out.len() - 16_384)), 9 + 1 + noise.below(255)),
            };
            let literals = noise.below(4);
            match length {
                3..=8 => {
                    let low = (length - 1) << 5 | ((distance - 1) & 7) << 2 | literals;
                    stream.extend([low as u8, ((distance - 1) >> 3) as u8]);
                }
                _ => {
                    let (first, more, field) = match distance.checked_sub(16_384) {
                        Some(field) if field > 0 => (16 | field >> 14 << 3, length - 9, field),
                        _ => (32, length - 33, distance - 1),
                    };
                    stream.push(first as u8);
                    stream.extend(vec![0; (more - 1) / 255]);
                    stream.push(((more - 1) % 255 + 1) as u8);
                    let pair = ((field & 0x3fff) << 2 | literals) as u16;
                    stream.extend(pair.to_le_bytes());
                }
            }
            for _ in 0..length {
                out.push(out[out.len() - distance]);
            }
            for _ in 0..literals {
                let byte = noise.below(256) as u8;
                stream.push(byte);
                out.push(byte);
            }
        }
        stream.extend([0x11, 0, 0]);
        (stream, out)
    }

    /// Runs of literals and of one byte.
    fn rle(noise: &mut Noise, size: usize) -> (Vec<u8>, Vec<u8>) {
        let (mut stream, mut out) = (Vec::new(), Vec::new());
        while out.len() < size {
            let (count, byte) = (1 + noise.below(128), noise.below(256) as u8);
            if noise.below(2) == 0 {
                stream.push(count as u8 - 1);
                stream.extend(vec![byte; count]);
            } else {
                stream.extend([127 + count as u8, byte]);
            }
            out.extend(vec![byte; count]);
        }
        (stream, out)
    }

    type Maker = fn(&mut Noise, usize) -> (Vec<u8>, Vec<u8>);
    const MAKERS: [(Codec, Maker); 5] = [
        (Codec::Lzss, lzss),
        (Codec::LzssSigned, lzss),
        (Codec::LzssSigned, signed_lzss),
        (Codec::Lzo, lzo),
        (Codec::Rle, rle),
    ];

    #[test]
    fn pieces_of_every_codec_are_the_whole() {
        let mut noise = Noise(7);
        for (codec, make) in MAKERS {
            for size in [1, 1_000, WINDOW - 100, 4 * WINDOW] {
                let (stream, whole) = make(&mut noise, size);
                let mut out = vec![0; whole.len()];
                codec.decode_into(Cursor::new(&stream), &mut out).unwrap();
                assert!(out == whole, "{codec} {size}");
                for row in [1, 2, 12, 14, 4096].into_iter().filter(|row| whole.len().is_multiple_of(*row)) {
                    let mut found = Vec::new();
                    let mut collect = |rows: &[u8]| {
                        assert!(rows.len() <= LONGEST_PIECE && rows.len().is_multiple_of(row));
                        found.extend_from_slice(rows);
                        ControlFlow::Continue(())
                    };
                    codec.decode_in_pieces(Cursor::new(&stream), whole.len() as u64, row, &mut collect).unwrap();
                    assert!(found == whole, "{codec} {size} {row}");
                }
                let mut calls = 0;
                let mut once = |_: &[u8]| {
                    calls += 1;
                    ControlFlow::Break(())
                };
                codec.decode_in_pieces(Cursor::new(&stream), whole.len() as u64, 1, &mut once).unwrap();
                assert_eq!(calls, 1);
            }
        }
    }

    /// One changed byte, one byte less, one more, and other sizes: the same error, and no wrong row before it but those
    /// before a wrong checksum.
    #[test]
    fn damaged_streams_have_the_same_errors() {
        let mut noise = Noise(9);
        for (codec, make) in MAKERS {
            let (sound, whole) = make(&mut noise, 200_000);
            for round in 0..200 {
                let (mut stream, mut size) = (sound.clone(), whole.len());
                match round % 4 {
                    0 => stream.truncate(stream.len() - 1 - noise.below(100)),
                    1 => stream.push(0),
                    2 => size = size + 2 - noise.below(5),
                    _ => {
                        let place = noise.below(stream.len());
                        stream[place] ^= 1 << noise.below(8);
                    }
                }
                let mut out = vec![0; size];
                let expected = codec.decode_into(Cursor::new(&stream), &mut out);
                let mut found = Vec::new();
                let result = codec.decode_in_pieces(Cursor::new(&stream), size as u64, 1, &mut |rows| {
                    found.extend_from_slice(rows);
                    ControlFlow::Continue(())
                });
                let text = |result: Result<(), crate::Error>| result.err().map(|error| error.to_string());
                let is_whole = expected.is_ok();
                assert_eq!(text(result), text(expected), "{codec} {round}");
                assert!(if is_whole { found == out } else { out.starts_with(&found) }, "{codec} {round}");
            }
        }
    }
}
