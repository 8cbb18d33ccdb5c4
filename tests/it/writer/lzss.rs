//! A small LZSS packer: the longest match of the last 4095 bytes, else a literal.

use std::collections::HashMap;

/// The stream with its checksum.
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

/// The longest match; it may begin so many spaces before the first byte.
const LONGEST: usize = 18;

/// Where in the bytes behind the spaces each three bytes are, by the last place before another one.
struct Matches {
    bytes: Vec<u8>,
    last: HashMap<[u8; 3], usize>,
    before: Vec<Option<usize>>,
}

impl Matches {
    fn new(plain: &[u8]) -> Self {
        let bytes = [&[b' '; LONGEST][..], plain].concat();
        Self { bytes, last: HashMap::new(), before: Vec::new() }
    }

    /// Length and distance of the longest match there, the nearest of several. Places go up.
    fn longest(&mut self, place: usize) -> Option<(usize, usize)> {
        let place = place + LONGEST;
        let most = (self.bytes.len() - place).min(LONGEST);
        let three = |at: usize| self.bytes.get(at..at + 3).map(|three| <[u8; 3]>::try_from(three).unwrap());
        for at in self.before.len()..place {
            self.before.push(three(at).and_then(|three| self.last.insert(three, at)));
        }
        let mut candidate = three(place).and_then(|three| self.last.get(&three).copied());
        let mut best: Option<(usize, usize)> = None;
        while let Some(at) = candidate.filter(|at| place - at < 4096) {
            let length = (0..most).take_while(|i| self.bytes[at + i] == self.bytes[place + i]).count();
            if best.is_none_or(|(longest, _)| length > longest) {
                best = Some((length, place - at));
            }
            candidate = self.before[at].filter(|_| length < most);
        }
        best
    }
}
