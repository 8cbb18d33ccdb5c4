//! The bytes to fetch first of a file in a store, and of the members of an archive in it. Larger first reads take more
//! bytes, and fewer requests.

use std::iter::Peekable;
use std::ops::Range;
use std::path::Path;

use super::place::sum;
use crate::asset::container::{Form, Member};
use crate::asset::stored::Stored;
use crate::base::amount::Amount;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::bytes::Packing;
use crate::inspect::Depth;
use crate::ranges::Ranges;
use crate::scan::descent::Spot;
use crate::scan::describe::Origin;
use crate::scan::target::{Use, is_archive};

/// The maximum number of bytes to fetch for the members of a batch at once. A larger member is fetched alone.
const AT_ONCE: u64 = 4 << 20;
/// The maximum number of members of a batch.
const MOST_AT_ONCE: usize = 256;
/// One byte of this many of the members of a batch is read at first, if that saves requests.
const FIRST_OF_BATCH: u64 = 44;
/// The first read of a file: this part of it, within these bounds.
const FIRST_OF_FILE: u64 = 512;
const FIRST: [u64; 2] = [4 << 10, 64 << 10];
/// The bytes that show whether a member whose name promises no asset is one.
const HEAD: u64 = 128;
/// Other members of this size are fetched whole, instead of their beginning first.
const SMALL: u64 = 16 << 10;
/// The bytes of a local header of a zip, with its extra fields but without the name.
const LOCAL: u64 = 30 + 64;

/// Returns what to fetch first of a file of this size.
pub(super) fn of_file(bytes: u64) -> Range<u64> {
    let [least, most] = FIRST;
    0..(bytes / FIRST_OF_FILE).clamp(least, most).min(bytes)
}

/// Returns the maximum number of bytes to fetch for the members of a batch at once. Half of what may be in memory is left
/// for what they turn out to need.
pub(super) fn at_once(budget: &Budget) -> u64 {
    AT_ONCE.min(budget.limits().decoded_bytes / 2)
}

/// A member, and what to fetch of it first.
pub(super) struct Part<'a> {
    name: Name,
    pub(super) member: Member<'a>,
    use_as: Use,
    range: Range<u64>,
    /// Further bytes that save a second request for some members.
    more: u64,
    /// True if further ranges of its content are fetched as they are needed. Otherwise the range contains all of it.
    pub(super) by_ranges: bool,
}

impl<'a> Part<'a> {
    /// `depth` is `None` if all of the member is needed. `size` is that of the archive.
    pub(super) fn new(name: Name, member: Member<'a>, use_as: Use, depth: Option<Depth>, size: u64) -> Self {
        let (start, local) = match &member {
            Member::Pbo(member) => (member.offset, 0),
            Member::Zip(member) => (member.header_offset(), LOCAL.saturating_add(member.name().len() as u64)),
        };
        let bytes = member.stored_byte_len();
        let mut first = First { least: bytes, more: 0 };
        let mut by_ranges = false;
        if let Some(beginning) = First::of_member(&member, depth)
            && beginning.least.saturating_add(beginning.more) < bytes
        {
            first = beginning;
            by_ranges = true;
        }
        let end = start.saturating_add(first.least).saturating_add(local).min(size);
        let more = first.more.min(size.saturating_sub(end));
        Part { name, member, use_as, range: start.min(end)..end, more, by_ranges }
    }

    /// Returns the origin of the member inside that of the archive.
    pub(super) fn origin<'o>(&self, around: &Origin<'o>, ranges: &Ranges) -> Origin<'o> {
        around.inside(self.name.clone(), Stored::of(&self.member.in_ranges(ranges)), self.use_as)
    }

    /// Returns the origin of the member, and its part of the archive's progress. The file has `file_bytes`.
    pub(super) fn spot<'o>(&self, around: &Spot<'o>, ranges: &Ranges, file_bytes: u64) -> Spot<'o> {
        let stretch = around.stretch.part(self.member.stored_byte_len(), file_bytes);
        Spot { origin: self.origin(&around.origin, ranges), stretch }
    }

    fn bytes(&self) -> u64 {
        sum(std::slice::from_ref(&self.range))
    }
}

/// The bytes to fetch first from the beginning of a file.
struct First {
    /// The bytes that its header usually fits into.
    least: u64,
    /// Further ones for larger headers.
    more: u64,
}

impl First {
    /// Returns the first bytes of a member, or `None` if all of it is needed.
    fn of_member(member: &Member<'_>, depth: Option<Depth>) -> Option<Self> {
        let depth = depth?;
        let bytes = member.stored_byte_len();
        let promised = Format::from_extension(Path::new(&member.name().to_text_lossy()));
        let beginning = beginning(promised, bytes);
        match (member.form(), depth) {
            (Form::InPlace, Depth::Header) => Some(beginning),
            // Headers deflate to half of their size.
            (Form::Packed(Packing::Deflate), Depth::Header) if !is_archive(promised) => {
                Some(Self { least: beginning.least / 2, more: beginning.more / 2 })
            }
            (Form::InPlace, _) if is_archive(promised) => Some(beginning),
            (Form::InPlace | Form::Packed(Packing::Deflate), _) if promised.is_none() && bytes > SMALL => {
                Some(beginning)
            }
            _ => None,
        }
    }
}

/// Returns the first bytes of a file of this format and size.
fn beginning(format: Option<Format>, bytes: u64) -> First {
    let least = match format {
        None | Some(Format::Rap | Format::Zip) => HEAD,
        Some(Format::Paa) => 512,
        // Two thirds of the headers of ODOL take up to 1280 bytes, and almost all others end before 4352.
        Some(Format::Mlod | Format::Odol) => {
            let least = (bytes / 64).clamp(1280, 4352);
            return First { least, more: (bytes / 32).clamp(least, 4352).saturating_sub(least) };
        }
        Some(Format::Bmtr | Format::Rtm) => 1408,
        Some(Format::Pbo) => 2 << 10,
        // The headers of the others are spread over the file.
        Some(_) => 4 << 10,
    };
    First { least, more: 0 }
}

/// Members to fetch at once.
pub(super) struct Batch<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// The sum of what to fetch first of them.
    bytes: u64,
    /// The maximum of it, unless there is one member.
    at_once: u64,
}

impl Batch<'_> {
    fn has_room_for(&self, part: &Part<'_>) -> bool {
        self.bytes == 0 || self.bytes.saturating_add(part.bytes()) <= self.at_once
    }

    /// Returns the first ranges to fetch. Each is longer by its further bytes, if those are few.
    pub(super) fn first_ranges(&self, archive: &Ranges) -> FirstRanges {
        let mut stored = Amount(0);
        let mut more = Amount(0);
        for part in &self.parts {
            stored += part.member.stored_byte_len();
            more += part.more;
        }
        let allowed = (stored.0 / FIRST_OF_BATCH).min(self.at_once);
        let mut spare = allowed.saturating_sub(self.bytes);
        let is_longer = more.0 <= spare;
        if is_longer {
            spare = spare.saturating_sub(more.0);
        }
        let mut wanted = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let more = if is_longer { part.more } else { 0 };
            wanted.push(archive.in_file(part.range.start..part.range.end.saturating_add(more)));
        }
        FirstRanges { wanted, spare }
    }
}

/// The ranges to fetch first for the members of a batch.
pub(super) struct FirstRanges {
    /// The ranges, in the file that contains the archive.
    pub(super) wanted: Vec<Range<u64>>,
    /// The bytes between them that may be read to save requests.
    pub(super) spare: u64,
}

/// Divides members into batches, to each of which [`at_once`] applies.
pub(super) struct Batches<I: Iterator> {
    parts: Peekable<I>,
    at_once: u64,
}

impl<'a, I: Iterator<Item = Part<'a>>> Batches<I> {
    pub(super) fn new(parts: I, at_once: u64) -> Self {
        Self { parts: parts.peekable(), at_once }
    }
}

impl<'a, I: Iterator<Item = Part<'a>>> Iterator for Batches<I> {
    type Item = Batch<'a>;

    fn next(&mut self) -> Option<Batch<'a>> {
        let first = self.parts.next()?;
        // A first member that needs nothing leaves room for one of any size.
        let mut batch = Batch { bytes: first.bytes(), parts: vec![first], at_once: self.at_once };
        while batch.parts.len() < MOST_AT_ONCE
            && let Some(part) = self.parts.next_if(|part| batch.has_room_for(part))
        {
            batch.bytes = batch.bytes.saturating_add(part.bytes());
            batch.parts.push(part);
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Asset;
    use crate::asset::container::Container;
    use crate::base::limits::Limits;

    #[test]
    fn the_first_read_of_a_file_is_a_512th_within_bounds() {
        const MIB: u64 = 1 << 20;
        for bytes in
            [0, 1, 4095, 4096, 4097, MIB, 2 * MIB, 2 * MIB + 511, 2 * MIB + 512, 32 * MIB - 1, 32 * MIB, u64::MAX]
        {
            let expected = match bytes {
                ..=4096 => bytes,
                _ if bytes < 2 * MIB => 4096,
                _ if bytes > 32 * MIB => 65_536,
                _ => bytes / 512,
            };
            assert_eq!(of_file(bytes), 0..expected, "{bytes}");
        }
        for (decoded_bytes, expected) in
            [(0, 0), (3, 1), (8 * MIB - 1, 4 * MIB - 1), (8 * MIB, 4 * MIB), (u64::MAX, 4 * MIB)]
        {
            let limits = Limits::default().with_decoded_bytes(decoded_bytes);
            assert_eq!(at_once(&Budget::new(0, &limits)), expected, "{decoded_bytes}");
        }
    }

    /// The bytes that headers of this format take, and those of larger ones.
    fn expected_beginning(format: Option<Format>, bytes: u64) -> (u64, u64) {
        match format.map(Format::name) {
            None | Some("rap" | "zip") => (128, 0),
            Some("paa") => (512, 0),
            Some("rtm" | "bmtr") => (1408, 0),
            Some("pbo") => (2048, 0),
            // A 64th of the model, and as much again.
            Some("mlod" | "odol") if bytes < 40_960 => (1280, 0),
            Some("mlod" | "odol") if bytes < 81_920 => (1280, bytes / 32 - 1280),
            Some("mlod" | "odol") if bytes < 139_264 => (bytes / 64, bytes / 32 - bytes / 64),
            Some("mlod" | "odol") if bytes < 278_528 => (bytes / 64, 4352 - bytes / 64),
            Some("mlod" | "odol") => (4352, 0),
            Some(_) => (4096, 0),
        }
    }

    #[test]
    fn each_format_has_its_first_bytes() {
        for format in [None].into_iter().chain(Format::ALL.iter().copied().map(Some)) {
            for edge in [0, 1280, 40_960, 81_920, 139_264, 278_528, 1 << 30] {
                for bytes in [u64::saturating_sub(edge, 64), u64::saturating_sub(edge, 1), edge, edge + 1, edge + 64] {
                    let First { least, more } = beginning(format, bytes);
                    assert_eq!((least, more), expected_beginning(format, bytes), "{format:?} {bytes}");
                }
            }
        }
    }

    /// An archive with members of these names and sizes, without their bytes.
    fn pbo(members: &[(&str, u64)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, size) in members.iter().chain(&[("", 0)]) {
            bytes.extend([name.as_bytes(), &[0; 17], &(*size as u32).to_le_bytes()].concat());
        }
        bytes
    }

    #[test]
    fn all_of_a_member_is_fetched_first_unless_its_beginning_says_enough() {
        let sizes = [0, 1, 127, 128, 129, 1279, 1280, 1281, 4096, 16_384, 16_385, 100_000, 1 << 20];
        for name in ["a.p3d", "a.paa", "a.rtm", "a.pbo", "a.zip", "a.b3d", "a.cpp", "a"] {
            let promised = Format::from_extension(Path::new(name));
            for bytes in sizes {
                let header = pbo(&[("before", 7), (name, bytes)]);
                let start = header.len() as u64 + 7;
                let asset = Asset::parse_file(Path::new("x.pbo"), &header, &Limits::default()).unwrap();
                let member = || Container::of(&asset).unwrap().members().nth(1).unwrap().unwrap();
                for depth in [None, Some(Depth::Header), Some(Depth::Summary), Some(Depth::Verify)] {
                    let (least, more) = expected_beginning(promised, bytes);
                    let is_enough = match depth {
                        None => false,
                        Some(Depth::Header) => true,
                        _ => is_archive(promised) || promised.is_none() && bytes > 16_384,
                    };
                    let by_ranges = is_enough && least + more < bytes;
                    let (least, more) = if by_ranges { (least, more) } else { (bytes, 0) };
                    for size in [start + bytes + 21, start + bytes, start + bytes / 2, start, start - 3] {
                        let part = Part::new(Name::from(Path::new("a")), member(), Use::Whole, depth, size);
                        let end = size.min(start + least);
                        let case = format!("{name} of {bytes} bytes to {depth:?} in {size}");
                        assert_eq!(part.range, start.min(end)..end, "{case}");
                        assert_eq!((part.by_ranges, part.more), (by_ranges, more.min(size - end)), "{case}");
                    }
                }
            }
        }
    }

    /// The numbers of parts in each batch of parts with these sizes.
    fn batches(sizes: &[u64], at_once: u64) -> Vec<usize> {
        let header = pbo(&[("a", 0)]);
        let asset = Asset::parse_file(Path::new("x.pbo"), &header, &Limits::default()).unwrap();
        let mut parts = Vec::new();
        for bytes in sizes {
            let member = Container::of(&asset).unwrap().members().next().unwrap().unwrap();
            let mut part = Part::new(Name::from(Path::new("a")), member, Use::Whole, None, 0);
            part.range = 5..5 + bytes;
            parts.push(part);
        }
        Batches::new(parts.into_iter(), at_once).map(|batch| batch.parts.len()).collect()
    }

    #[test]
    fn batches_hold_256_members_and_the_bytes_that_are_fetched_at_once() {
        for (sizes, at_once, expected) in [
            (&[][..], 10, &[][..]),
            (&[10], 10, &[1]),
            (&[11, 1], 10, &[1, 1]),
            (&[5, 5, 1], 10, &[2, 1]),
            (&[5, 6, 4, 1], 10, &[1, 2, 1]),
            (&[10, 0, 0, 1], 10, &[3, 1]),
            // What needs nothing leaves room for one of any size.
            (&[0, 0, 11, 1], 10, &[3, 1]),
            (&[1, 1, 1], 0, &[1, 1, 1]),
        ] {
            assert_eq!(batches(sizes, at_once), expected, "{sizes:?}");
        }
        for (count, expected) in [(255, &[255][..]), (256, &[256]), (257, &[256, 1]), (513, &[256, 256, 1])] {
            assert_eq!(batches(&vec![1; count], 1000), expected);
        }
    }

    /// The first ranges of members in an archive at 100,000: their sizes, what is read of each first, and what more.
    fn first(members: &[(u64, u64, u64)], at_once: u64) -> (Vec<Range<u64>>, u64) {
        let names: Vec<(&str, u64)> = members.iter().map(|(bytes, ..)| ("a", *bytes)).collect();
        let header = pbo(&names);
        let asset = Asset::parse_file(Path::new("x.pbo"), &header, &Limits::default()).unwrap();
        let mut parts = Vec::new();
        for (number, (member, (_, least, more))) in Container::of(&asset).unwrap().members().zip(members).enumerate() {
            let mut part = Part::new(Name::from(Path::new("a")), member.unwrap(), Use::Whole, None, 0);
            let start = number as u64 * 10_000;
            (part.range, part.more) = (start..start + least, *more);
            parts.push(part);
        }
        let bytes = members.iter().map(|(_, least, _)| least).sum();
        let archive = Ranges::new(1 << 30).section(100_000..1 << 29);
        let FirstRanges { wanted, spare } = Batch { parts, bytes, at_once }.first_ranges(&archive);
        let from_archive = |range: &Range<u64>| range.start - 100_000..range.end - 100_000;
        (wanted.iter().map(from_archive).collect(), spare)
    }

    #[test]
    fn members_are_read_further_if_a_44th_of_the_batch_allows_it_for_all() {
        for bytes in [0_u64, 4_400, 44_000, 440_000] {
            for least in [10_u64, 100, 500] {
                for more in [[0_u64, 0], [300, 0], [300, 200], [5_000, 4_000]] {
                    for at_once in [100, 1_000, 1_500, 1 << 20] {
                        let members = more.map(|more| (bytes, least, more));
                        let allowed = (2 * bytes / 44).min(at_once);
                        let left = allowed.saturating_sub(2 * least);
                        let is_longer = more[0] + more[1] <= left;
                        let [first_more, last_more] = if is_longer { more } else { [0, 0] };
                        let wanted = [0..least + first_more, 10_000..10_000 + least + last_more];
                        let spare = left - first_more - last_more;
                        assert_eq!(first(&members, at_once), (wanted.to_vec(), spare), "{members:?} {at_once}");
                    }
                }
            }
        }
    }
}
