//! Archives built as the fuzzer's bytes say: where an archive itself is mutated, lengths, streams and checksums seldom
//! stay right.

use meshpeek::container::Container;
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Budget, Limits};

use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// The largest content that is LZSS-packed: the packer is slow.
const PACKED: usize = 1 << 11;

/// Bytes taken as choices; zeros where they have ended.
pub struct Recipe<'a>(pub &'a [u8]);

/// A sound archive, and what its members hold.
pub struct Archive {
    pub bytes: Vec<u8>,
    pub contents: Vec<Vec<u8>>,
}

impl<'a> Recipe<'a> {
    fn take(&mut self, count: u8) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(self.0.len().min(count.into()));
        self.0 = rest;
        taken
    }

    fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// Never empty, and of no folder.
    fn name(&mut self) -> Vec<u8> {
        let length = self.byte() % 16;
        self.take(length).iter().copied().filter(|&byte| byte != 0).chain([b'n']).collect()
    }

    /// A few bytes so many times over, or an archive.
    fn content(&mut self, depth: u32) -> Vec<u8> {
        match self.byte() {
            0 if depth > 0 => self.zip(depth - 1).bytes,
            1 if depth > 0 => self.pbo(depth - 1).bytes,
            times => {
                let length = self.byte();
                self.take(length).repeat(usize::from(times % 32))
            }
        }
    }

    pub fn zip(&mut self, depth: u32) -> Archive {
        let (mut entries, mut contents) = (Vec::new(), Vec::new());
        for _ in 0..self.byte() % 8 {
            let (form, name, content) = (self.byte(), self.name(), self.content(depth));
            let is_packed = form & 1 == 1;
            let entry = if is_packed { Entry::deflated(name, &content) } else { Entry::stored(name, &content) };
            entries.push(if form & 2 == 0 { entry } else { entry.with_descriptor() });
            contents.push(content);
        }
        Archive { bytes: zip(&entries, b"").to_vec(), contents }
    }

    pub fn pbo(&mut self, depth: u32) -> Archive {
        let form = self.byte();
        let (mut writer, mut contents) = (Writer::new(), Vec::new());
        if form & 1 == 0 {
            writer = writer.product(&[(b"prefix", &self.name())]);
        }
        for _ in 0..self.byte() % 8 {
            let (form, name, content) = (self.byte(), self.name(), self.content(depth));
            let is_packed = form & 1 == 1 && content.len() <= PACKED;
            writer = if is_packed { writer.packed(&name, &content) } else { writer.stored(&name, &content) };
            contents.push(content);
        }
        let tail = match form >> 1 & 3 {
            0 => Tail::Bytes(b""),
            1 => Tail::Bytes(&[0; 5]),
            _ => Tail::Sha1,
        };
        Archive { bytes: writer.finish(tail), contents }
    }

    /// Writes other bytes over a few places, or between what is there.
    pub fn bend(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.byte() % 4 {
            let [how, high, low] = [self.byte(), self.byte(), self.byte()];
            let place = usize::from(u16::from_be_bytes([high, low])).min(bytes.len());
            let start = if how & 0x40 == 0 { place } else { bytes.len() - place };
            let piece = self.take(how % 16);
            let over = if how & 0x80 == 0 { piece.len() } else { 0 };
            let end = bytes.len().min(start + over);
            bytes.splice(start..end, piece.iter().copied());
        }
    }
}

impl Archive {
    /// Nothing is wrong with it, and its members hold what they were made of.
    pub fn assert_sound(&self, asset: &Asset<'_>) {
        let limits = Limits::default();
        let mut problems = Problems::new(&limits);
        asset.verify(&mut problems);
        let problems = problems.into_vec();
        assert!(problems.iter().all(|problem| problem.severity != Severity::Error), "{problems:?}");
        let budget = Budget::new(self.bytes.len() as u64, &limits);
        let members = Container::of(asset).expect("an archive").members();
        let contents: Vec<_> =
            members.map(|member| member.unwrap().decode(&budget).unwrap().into_inner().into_owned()).collect();
        assert_eq!(contents, self.contents);
    }
}
