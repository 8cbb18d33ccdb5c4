//! What decides how long a scan of a file takes: its blocks, and the instructions of its LZO streams. With these figures
//! one compares the files that the bench makes with real ones.

use meshpeek::{Asset, Inspect};

use super::assets::{self, Asset as File};
use super::streams::Known;

/// Prints them for each file and for each kind.
pub fn all() {
    println!("| file | bytes | blocks stored | packed | packed bytes | of unpacked | bytes per LZO instruction |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for kind in ["b3d", "lodka", "odol", "rtm"] {
        let mut all = Figures::default();
        for file in assets::assets(&[kind]) {
            let figures = Figures::of(&file);
            figures.print(&file.name);
            all.add(&figures);
        }
        all.print(&format!("all {kind}"));
    }
}

#[derive(Default)]
struct Figures {
    bytes: u64,
    stored: u64,
    packed: u64,
    packed_bytes: u64,
    unpacked_bytes: u64,
    instructions: u64,
}

impl Figures {
    fn of(file: &File) -> Self {
        let mut figures = Self { bytes: file.bytes.len() as u64, ..Self::default() };
        let Ok(asset) = Asset::parse(&file.bytes[..]) else { return figures };
        let blocks = asset.summarize().blocks;
        figures.stored = blocks.stored;
        figures.packed = blocks.packed;
        figures.packed_bytes = blocks.packed_bytes;
        figures.unpacked_bytes = blocks.unpacked_bytes;
        for stream in Known::of(&file.bytes).streams {
            figures.instructions += instructions(&file.bytes[stream.offset..]);
        }
        figures
    }

    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.stored += other.stored;
        self.packed += other.packed;
        self.packed_bytes += other.packed_bytes;
        self.unpacked_bytes += other.unpacked_bytes;
        self.instructions += other.instructions;
    }

    fn print(&self, name: &str) {
        let Self { bytes, stored, packed, packed_bytes, unpacked_bytes, instructions } = self;
        if *packed == 0 {
            return println!("| {name} | {bytes} | {stored} | 0 | | | |");
        }
        let of_unpacked = *packed_bytes as f64 / *unpacked_bytes as f64;
        let each = *packed_bytes as f64 / *instructions as f64;
        println!("| {name} | {bytes} | {stored} | {packed} | {packed_bytes} | {of_unpacked:.2} | {each:.1} |");
    }
}

/// The number of instructions in the sound LZO stream that these bytes start with.
fn instructions(stream: &[u8]) -> u64 {
    let (mut at, mut before, mut count) = (0, 0, 0);
    if stream[0] > 17 {
        before = usize::from(stream[0]) - 17;
        (at, count) = (1 + before, 1);
    }
    loop {
        let first = usize::from(stream[at]);
        count += 1;
        // The bytes of the instruction without literals, and the byte whose two low bits count the literals after it.
        let (bytes, tail) = match first {
            64.. => (2, 0),
            32.. => long(stream, at, 31, 2),
            17 if stream[at + 1..at + 3] == [0, 0] => return count,
            16.. => long(stream, at, 7, 2),
            _ if before == 0 => {
                let (length, head) = length(stream, at, 15);
                at += head + length + 3;
                // As after four literals or more.
                before = 4;
                continue;
            }
            _ => (2, 0),
        };
        before = usize::from(stream[at + tail] & 3);
        at += bytes + before;
    }
}

/// The bytes of a match whose length has this mask, with so many bytes of distance after it.
fn long(stream: &[u8], at: usize, mask: u8, distance: usize) -> (usize, usize) {
    let (_, head) = length(stream, at, mask);
    (head + distance, head)
}

/// The length in an instruction, and the bytes that hold it: 0 means that zero bytes of 255 each follow, and the rest.
fn length(stream: &[u8], at: usize, mask: u8) -> (usize, usize) {
    let first = usize::from(stream[at] & mask);
    if first > 0 {
        return (first, 1);
    }
    let zeros = stream[at + 1..].iter().take_while(|&&byte| byte == 0).count();
    (usize::from(mask) + 255 * zeros + usize::from(stream[at + 1 + zeros]), 2 + zeros)
}
