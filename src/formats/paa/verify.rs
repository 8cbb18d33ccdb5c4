//! Checks textures, and collects the facts of a summary on the way.

use std::collections::BTreeSet;

use super::wire::{Kind, Swizzle};
use super::{Mip, Tag, TagData, Texture, tag};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error};
use crate::base::place::{Locate, Root};
use crate::base::span::Span;
use crate::bytes::Table;
use crate::check::{Below, Broken, Check};
use crate::codec::lzss::signed_sum;
use crate::summary::{Blocks, Counts, Problems, Severity, Summary};

/// One walk over the mips. If `deep` is set, it also checks the tags and decodes every mip.
pub(super) struct Survey<'s, 'a> {
    texture: &'s Texture<'a>,
    deep: bool,
    problems: &'s mut Problems,
    blocks: Blocks,
    /// The offsets of the mips.
    offsets: Vec<u64>,
    /// The width and height of the previous mip.
    before: Option<[u16; 2]>,
}

impl<'s, 'a> Survey<'s, 'a> {
    /// Prepares a walk over the mips. Problems that it finds go to `problems`.
    pub(super) fn new(texture: &'s Texture<'a>, deep: bool, problems: &'s mut Problems) -> Self {
        Self { texture, deep, problems, blocks: Blocks::default(), offsets: Vec::new(), before: None }
    }

    /// Walks over the mips. Returns the summary with what it found. If a mip cannot be read, those after it are not
    /// found, and the end mark is not checked.
    pub(super) fn run(mut self, summary: Summary) -> Summary {
        let mut mips = self.texture.mips();
        let mut is_whole = true;
        loop {
            let offset = mips.offset();
            let Some(mip) = mips.next() else { break };
            let Some(mip) = self.problems.ok(mip) else {
                is_whole = false;
                break;
            };
            self.mip(&mip, offset);
            self.offsets.push(offset);
        }
        if is_whole {
            self.end(mips.rest());
        }
        if self.deep {
            self.tags(is_whole);
            self.palette();
        }
        let counts = Counts::known([("mips", self.offsets.len() as u64)]);
        Summary { counts, blocks: self.blocks, ..summary }
    }

    /// Adds the pixels of the mip at this offset to the summary, and in a deep survey checks its sides and its pixels.
    fn mip(&mut self, mip: &Mip<'a>, offset: u64) {
        let index = self.offsets.len();
        let place = Root.item("mips", index);
        let sides = [mip.width(), mip.height()];
        let halved = self.before.map(|sides| sides.map(|side| (side / 2).max(1)));
        self.before = Some(sides);
        let Some(block) = self.problems.ok_in(place, mip.block()) else { return };
        self.blocks.add(block.storage(), block.decoded_byte_len());
        if !self.deep {
            return;
        }
        if let Some(halved) = halved
            && halved != sides
        {
            let [width, height] = halved;
            let message =
                format_args!("{} x {}, half of the one before is {width} x {height}", mip.width(), mip.height());
            self.problems.report_at(Severity::Warning, place, offset, message);
        }
        // The graphics interfaces of the games need such sides, and every real texture has them.
        if index == 0 && self.texture.kind().is_blocks() && !sides.iter().all(|side| side.is_power_of_two()) {
            let message =
                format_args!("{} x {}, sides of compressed textures are powers of two", mip.width(), mip.height());
            self.problems.report_at(Severity::Warning, place, offset, message);
        }
        if mip.sides.is_marked && !self.texture.kind().is_blocks() {
            let message = "marked as LZO, which only DXT kinds are";
            self.problems.report_at(Severity::Warning, place, offset, message);
        }
        let decoded = self.problems.budget().decode(&block);
        let Some(decoded) = self.problems.ok_in(place, decoded) else { return };
        let packing = block.packing();
        if packing == crate::bytes::Packing::Lzss {
            // Decoding accepts both sums.
            let sum = mip.stored_bytes().as_bytes().last_chunk().map(|sum| u32::from_le_bytes(*sum));
            if sum != Some(signed_sum(&decoded)) {
                let sum_offset = (Amount(block.offset()) + block.stored_byte_len() - 4).0;
                let error = Error::malformed("the checksum sums unsigned bytes, not signed ones").at(sum_offset);
                self.problems.warning(&place.locate(error));
            }
        }
        if self.texture.kind() == Kind::P8 {
            let check = Check::new(Below(self.texture.palette().len() as u64));
            let check = check.array(block.offset(), decoded.iter().map(|&index| index.into()));
            check.report("pixels", self.problems, place);
        }
    }

    /// Checks the bytes after the last mip.
    fn end(&mut self, mut rest: crate::bytes::Cursor<'_>) {
        let offset = rest.offset();
        let place = Root.field("end");
        if self.offsets.is_empty() {
            self.problems.report_at(Severity::Error, place, offset, "no mip");
        }
        let left = rest.left();
        match rest.read::<super::EndMark>() {
            Err(_) => {
                let message = format_args!("an end mark of {left} bytes, not 6");
                self.problems.report_at(Severity::Warning, place, offset, message);
            }
            Ok(mark) if mark.unread.get() != 0 => {
                let unread = mark.unread.get();
                let message = format_args!("ends with {unread:#x}, not 0");
                self.problems.report_at(Severity::Warning, place, offset, message);
            }
            Ok(_) => {}
        }
        if left > size_of::<super::EndMark>() as u64 {
            self.problems.warning(&Error::trailing(rest.left(), "the end mark").at(rest.offset()));
        }
    }

    /// Checks each tag, and that their names are ASCII and there once. `is_whole` is true if all mips were found.
    fn tags(&mut self, is_whole: bool) {
        let mut seen = BTreeSet::new();
        let mut repeated = Check::new(Broken::new(Code::Duplicate, "there twice"));
        let mut odd = Check::new(Broken::new(Code::Name, "not ASCII letters"));
        for (index, (tag, span)) in self.texture.tags().spanned().enumerate() {
            // Real textures have five tags. The limit keeps a hostile file from using unbounded memory.
            let is_first = seen.len() > MOST_NAMES || seen.insert(*tag.name.as_bytes());
            repeated.look(span.offset, tag.name, is_first);
            odd.look(span.offset, tag.name, tag.name.as_bytes().iter().all(u8::is_ascii_graphic));
            self.tag(&tag, index, span, is_whole);
        }
        repeated.report("names", self.problems, Root.field("tags"));
        odd.report("names", self.problems, Root.field("tags"));
    }

    /// Checks the length and the data of the tag at `index`, which takes this span. Offsets are compared with those of
    /// the mips if all mips were found.
    fn tag(&mut self, tag: &Tag<'a>, index: usize, span: Span, is_whole: bool) {
        let place = Root.item("tags", index);
        // The signature, the name and the length are before the data, 4 bytes each.
        let data_offset = span.offset.saturating_add(12);
        self.problems.ok_in(place, tag::check_length(tag).map_err(|error| error.at(data_offset)));
        match tag.data {
            // Only in the lowest byte: some writers set all upper bits.
            TagData::Flags(flags) if flags & 0xfc != 0 => {
                let error = Error::malformed(format!("flags {flags:#x}, of which two bits are known")).at(data_offset);
                self.problems.warning(&place.locate(error.coded(Code::UnknownCode)));
            }
            TagData::Swizzle(swizzle) => {
                let Swizzle { alpha, red, green, blue } = swizzle;
                for (field, source) in [("alpha", alpha), ("red", red), ("green", green), ("blue", blue)] {
                    if source.name().is_none() {
                        let error = Error::malformed(format!("{field} from the unknown source {}", source.0));
                        let error = error.at(data_offset);
                        self.problems.warning(&place.locate(error.coded(Code::UnknownCode)));
                    }
                }
            }
            TagData::Offsets(offsets) => {
                if !is_whole {
                    return;
                }
                let mut check = Check::new(Broken::new(Code::Range, "not that of the mip, or not 0 after the last"));
                for (mip, offset) in offsets.iter().enumerate() {
                    // Zeros follow the offset of the last mip.
                    let actual = self.offsets.get(mip).copied().unwrap_or(0);
                    let at = (Amount(mip as u64) * 4 + offsets.offset()).0;
                    check.look(at, offset.get(), u64::from(offset.get()) == actual);
                }
                check.report("offsets", self.problems, place);
            }
            _ => {}
        }
    }

    /// Warns about a palette if the pixels are not indices into it.
    fn palette(&mut self) {
        let palette = self.texture.palette();
        if self.texture.kind() != Kind::P8 && !palette.is_empty() {
            let kind = self.texture.kind().name().unwrap_or("this kind");
            let error = Error::malformed(format!("{} colors, which {kind} does not use", palette.len()));
            self.problems.warning(&error.at(palette.offset()).within("palette"));
        }
    }
}

/// The maximum number of tag names kept to find duplicates.
const MOST_NAMES: usize = 1000;
