//! Damages files in typical ways, and in ways that an attacker would choose.

use std::ops::ControlFlow;

use meshpeek::dissect::{dissect_until, overview};
use meshpeek::{Asset, inspect::Span};

/// Pseudorandom numbers, the same on every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end.max(1)
    }
}

/// A file and the locations of its parts.
pub struct Source {
    pub bytes: Vec<u8>,
    parts: Vec<Span>,
}

impl Source {
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut parts = Vec::new();
        if let Ok(asset) = Asset::parse(&bytes) {
            let size = bytes.len() as u64;
            overview(&|sink| dissect_until(&asset, size, sink), &mut |line| {
                let inside = |span: &Span| span.offset + span.bytes <= size && span.bytes > 0;
                parts.extend(line.span.filter(inside));
                if parts.len() < 1000 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
        Self { bytes, parts }
    }

    /// Returns one of its parts, or any range if it has none.
    fn range(&self, random: &mut Random) -> std::ops::Range<usize> {
        let Some(part) = self.parts.get(random.below(self.parts.len())) else {
            let start = random.below(self.bytes.len());
            return start..start + random.below(self.bytes.len() - start);
        };
        part.offset as usize..(part.offset + part.bytes) as usize
    }

    /// Returns a copy with a few bits flipped, numbers replaced, parts swapped, or a part replaced by one of another
    /// file.
    pub fn mutated(&self, other: &Self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        match random.below(5) {
            0 => (0..=random.below(8)).for_each(|_| flip(&mut bytes, random)),
            1 | 2 => (0..=random.below(3)).for_each(|_| bump(&mut bytes, random)),
            3 => {
                // Swaps two parts. If one contains the other, it is duplicated.
                let (a, b) = (self.range(random), self.range(random));
                let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
                bytes.splice(second.clone(), self.bytes[first.clone()].iter().copied());
                if first.end <= second.start {
                    bytes.splice(first, self.bytes[second].iter().copied());
                }
            }
            _ => {
                let (place, piece) = (self.range(random), other.range(random));
                bytes.splice(place, other.bytes[piece].iter().copied());
            }
        }
        bytes
    }
}

/// Flips one bit.
fn flip(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

/// Changes a number of one, two, four or eight bytes a little or a lot.
fn bump(bytes: &mut [u8], random: &mut Random) {
    let width = 1 << random.below(4);
    let at = random.below((bytes.len() + 1).saturating_sub(width));
    let Some(field) = bytes.get_mut(at..at + width) else { return };
    let mut wide = [0; 8];
    wide[..width].copy_from_slice(field);
    let old = u64::from_le_bytes(wide);
    let top = 1 << (8 * width - 1);
    let new = [
        0,
        u64::MAX,
        top,
        top - 1,
        old.wrapping_add(1),
        old.wrapping_sub(1),
        old.wrapping_mul(2),
        old.wrapping_add(1 << random.below(8 * width)),
    ][random.below(8)];
    field.copy_from_slice(&new.to_le_bytes()[..width]);
}

/// Returns a copy with this many bytes altered.
pub fn altered(bytes: &[u8], count: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..count {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 + random.below(255) as u8;
        }
    }
    bytes
}
