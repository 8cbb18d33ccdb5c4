//! Archives built from the fuzzer's bytes. If an archive itself is mutated, lengths, streams and checksums rarely stay
//! correct.

use std::sync::OnceLock;

use meshpeek::container::{Container, Form};
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Budget, Inspect, Limits};

use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{archives, b3d, bmx, bytes::Bytes, corpus, lodka, mlod, odol, rtm};

/// The maximum size of content to pack with LZSS, except zeros in archives made to be expensive: the packer is slow.
const PACKED: usize = 1 << 9;

/// The maximum total size of members before packing, so that building is fast.
const ENOUGH: usize = 1 << 16;
/// The maximum total size of members of archives made to be expensive.
const MUCH: usize = 1 << 22;

/// Bytes used as choices; zeros after their end.
pub struct Recipe<'a> {
    choices: &'a [u8],
    /// True if the archive may be odd: members that share bytes, wrong claims.
    odd: bool,
    /// The total size of members so far.
    built: usize,
}

/// A valid archive, and the contents of its members.
pub struct Archive {
    pub bytes: Vec<u8>,
    pub contents: Vec<Vec<u8>>,
}

impl<'a> Recipe<'a> {
    /// Creates choices for valid archives.
    pub fn sound(choices: &'a [u8]) -> Self {
        Self { choices, odd: false, built: 0 }
    }

    /// Creates choices for archives made to be expensive.
    pub fn odd(choices: &'a [u8]) -> Self {
        Self { odd: true, ..Self::sound(choices) }
    }

    pub fn take(&mut self, count: u8) -> &'a [u8] {
        let (taken, rest) = self.choices.split_at(self.choices.len().min(count.into()));
        self.choices = rest;
        taken
    }

    pub fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// A name that is never empty, and not that of a folder.
    fn name(&mut self) -> Vec<u8> {
        let length = self.byte() % 16;
        self.take(length).iter().copied().filter(|&byte| byte != 0).chain([b'n']).collect()
    }

    /// Content: a few bytes repeated, an archive or a model.
    fn content(&mut self, depth: u32) -> Vec<u8> {
        let (enough, zeros) = if self.odd { (MUCH, 18) } else { (ENOUGH, 13) };
        let content = match self.byte() {
            _ if self.built > enough => Vec::new(),
            0 if depth > 0 => self.zip(depth - 1).bytes,
            1 if depth > 0 => self.pbo(depth - 1).bytes,
            2 => self.model(),
            3 => vec![0; 1 << (self.byte() % zeros)],
            4 if self.odd => archives::quilt((self.byte() % 64).into(), 1 << (self.byte() % 18)),
            times => {
                let length = self.byte();
                self.take(length).repeat(usize::from(times % 32))
            }
        };
        self.built += content.len();
        content
    }

    /// A model of any format, usually with many small parts or few large ones.
    fn model(&mut self) -> Vec<u8> {
        let [kind, high, low] = [self.byte(), self.byte(), self.byte()];
        let count = u16::from_be_bytes([high & 0x0f, low]);
        let many = |start: Bytes, part: &Bytes| (0..count).fold(start, |all, _| all.part(part)).to_vec();
        match kind % 12 {
            0 => b3d::scene([b3d::chunk(b"XXXX", Bytes::new().raw(vec![0; 16 * usize::from(count)]))]).to_vec(),
            1 => b3d::scene([b3d::nested((count % 600).into())]).to_vec(),
            2 => {
                let texture = |all: Bytes, index| all.cstr(format!("{index}")).raw([0; 28]);
                b3d::scene([b3d::chunk(b"TEXS", (0..count).fold(Bytes::new(), texture))]).to_vec()
            }
            3 => {
                let tags: Vec<_> = (0..count).map(|index| mlod::tag(&format!("proxy:{index}"), b"")).collect();
                mlod::model(&[mlod::lod(0, &[], &tags, 1.0)]).to_vec()
            }
            4 => many(Bytes::new().raw("LODka3D1"), &lodka::list(b"LOD1", [])),
            5 => odol::Model::new(40 + u32::from(high >> 4) % 10, vec![odol::Lod::strip(1.0, count % 2048)]).to_vec(),
            6 => {
                // One stored value is repeated for any number of normals.
                let normals = odol::Array::Fill([0, 0, 511], u32::from(count) << (high >> 4));
                let lod = odol::Lod { normals, ..odol::Lod::empty(1.0) };
                odol::Model::new(49, vec![lod; 3]).to_vec()
            }
            7 => odol::whole(40 + u32::from(high >> 4) % 14, 3 + count % 64).to_vec(),
            8 => rtm::motion(3 + u32::from(high) % 3, (low % 32).into(), high.into(), rtm::NONE).binarised().to_vec(),
            9 => rtm::motion(3, (low % 8).into(), high.into(), rtm::NONE).plain().to_vec(),
            10 => {
                // Cached, because making one is slow.
                static MAPS: OnceLock<[Vec<u8>; 5]> = OnceLock::new();
                let maps = MAPS.get_or_init(|| [10, 11, 12, 13, 14].map(|version| bmx::full(version).packed()));
                maps[usize::from(high) % maps.len()].clone()
            }
            _ => {
                static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
                let files = FILES.get_or_init(corpus);
                files[usize::from(count) % files.len()].1.clone()
            }
        }
    }

    pub fn zip(&mut self, depth: u32) -> Archive {
        let (mut entries, mut contents) = (Vec::new(), Vec::new());
        for _ in 0..self.byte() % 8 {
            let (form, name, content) = (self.byte(), self.name(), self.content(depth));
            let is_packed = form & 1 == 1;
            let entry = if is_packed { Entry::deflated(name, &content) } else { Entry::stored(name, &content) };
            let mut entry = if form & 2 == 0 { entry } else { entry.with_descriptor() };
            if self.odd {
                match form >> 2 & 7 {
                    1 => entry.header_offset = Some(0),
                    2 => entry = entry.both(|header| header.unpacked = header.unpacked.wrapping_shl(form.into())),
                    _ => {}
                }
            }
            entries.push(entry);
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
            let is_zero = self.odd && content.iter().all(|&byte| byte == 0);
            let is_packed = form & 1 == 1 && (content.len() <= PACKED || is_zero);
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

    /// Overwrites bytes at a few positions, or inserts some.
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
    /// Checks that the archive is valid, and that its members have the contents that they were made of.
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
        // If nothing may be decoded, only uncompressed data can be read.
        let nothing = Budget::new(self.bytes.len() as u64, &limits.with_work(0));
        for (member, content) in Container::of(asset).expect("an archive").members().flatten().zip(&self.contents) {
            let is_free = matches!(member.form(), Form::InPlace) || content.is_empty();
            assert_eq!(member.view(&nothing).is_ok(), is_free, "{} is decoded for nothing", member.name());
        }
    }
}
