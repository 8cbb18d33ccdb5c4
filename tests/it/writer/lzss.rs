//! A small LZSS packer: the longest match in the last 4095 bytes, else a literal.

/// Returns the stream with its checksum.
pub fn pack(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut matches = Matches::new(plain);
    let mut place = 0;
    while place < plain.len() {
        let flags_at = out.len();
        out.push(0);
        for bit in 0..8 {
            if place == plain.len() {
                break;
            }
            if let Some((length, distance)) = matches.longest(place) {
                out.push(distance as u8);
                out.push((distance >> 4) as u8 & 0xf0 | (length - 3) as u8);
                place += length;
            } else {
                out[flags_at] |= 1 << bit;
                out.push(plain[place]);
                place += 1;
            }
        }
    }
    let sum = plain.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into()));
    out.extend_from_slice(&sum.to_le_bytes());
    out
}

/// The maximum length of a match, and the number of spaces before the first byte in which one may start.
const LONGEST: usize = 18;

/// Finds earlier occurrences of three bytes: the last position for each hash, and for each position the previous one
/// with the same hash.
struct Matches {
    bytes: Vec<u8>,
    last: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
}

/// The number of bits of a hash.
const HASH: u32 = 12;

impl Matches {
    fn new(plain: &[u8]) -> Self {
        let bytes = [&[b' '; LONGEST][..], plain].concat();
        Self { bytes, last: vec![None; 1 << HASH], before: Vec::new() }
    }

    fn hash(&self, at: usize) -> Option<usize> {
        let &[a, b, c] = self.bytes.get(at..)?.first_chunk()?;
        Some((u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9e37_79b1) >> (32 - HASH)) as usize)
    }

    /// Returns length and distance of the longest match at this position, the nearest of several. Positions must
    /// increase.
    fn longest(&mut self, place: usize) -> Option<(usize, usize)> {
        let place = place + LONGEST;
        for at in self.before.len()..place {
            self.before.push(self.hash(at).and_then(|hash| self.last[hash].replace(at)));
        }
        let mut candidate = self.hash(place).and_then(|hash| self.last[hash]);
        let here = &self.bytes[place..(place + LONGEST).min(self.bytes.len())];
        let (mut longest, mut distance) = (2, 0);
        while let Some(at) = candidate.filter(|at| place - at < 4096 && longest < here.len()) {
            // Most candidates differ at the byte that would make them longer.
            if self.bytes[at + longest] == here[longest] {
                let length = here.iter().zip(&self.bytes[at..]).take_while(|(here, there)| here == there).count();
                if length > longest {
                    (longest, distance) = (length, place - at);
                }
            }
            candidate = self.before[at];
        }
        (distance > 0).then_some((longest, distance))
    }
}
