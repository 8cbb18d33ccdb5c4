//! The bytes to fetch first of a file in a store, and of the members of an archive in it. Larger first reads take more
//! bytes, and fewer requests.

use std::ops::Range;
use std::path::Path;

use super::sum;
use crate::asset::container::{Form, Member};
use crate::asset::stored::Stored;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::bytes::Packing;
use crate::ranges::Ranges;
use crate::scan::Depth;
use crate::scan::describe::Origin;
use crate::scan::walk::{Use, is_archive};

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
        let promised = Format::from_extension(Path::new(&member.name().to_text_lossy()));
        let beginning = Some(beginning(promised, bytes));
        let first = match (member.form(), depth) {
            (_, None) => None,
            (Form::InPlace, Some(Depth::Header)) => beginning,
            // Headers deflate to half of their size.
            (Form::Packed(Packing::Deflate), Some(Depth::Header)) if !is_archive(promised) => {
                beginning.map(|(least, more)| (least / 2, more / 2))
            }
            // A zip has a CRC-32 of all bytes.
            (Form::InPlace, _) if matches!(member, Member::Zip(_)) => None,
            (Form::InPlace, _) if promised.is_none() && bytes > SMALL || is_archive(promised) => beginning,
            _ => None,
        };
        let first = first.filter(|(least, more)| least.saturating_add(*more) < bytes);
        let (least, more) = first.unwrap_or((bytes, 0));
        let end = start.saturating_add(least).saturating_add(local).min(size);
        let more = more.min(size.saturating_sub(end));
        Part { name, member, use_as, range: start.min(end)..end, more, by_ranges: first.is_some() }
    }

    /// Returns the origin of the member inside that of the archive.
    pub(super) fn origin<'o>(&self, around: &Origin<'o>, ranges: &Ranges) -> Origin<'o> {
        around.inside(self.name.clone(), Stored::of(&self.member.in_ranges(ranges)), self.use_as)
    }

    fn bytes(&self) -> u64 {
        sum(std::slice::from_ref(&self.range))
    }
}

/// Returns the bytes from the beginning of a file of this format and size that its header usually fits into, and further
/// ones for larger headers.
fn beginning(format: Option<Format>, bytes: u64) -> (u64, u64) {
    let least = match format {
        None | Some(Format::Rap | Format::Zip) => HEAD,
        Some(Format::Paa) => 512,
        // Two thirds of the headers of ODOL take up to 1280 bytes, and almost all others end before 4352.
        Some(Format::Mlod | Format::Odol) => {
            let least = (bytes / 64).clamp(1280, 4352);
            return (least, (bytes / 32).clamp(least, 4352).saturating_sub(least));
        }
        Some(Format::Bmtr | Format::Rtm) => 1408,
        Some(Format::Pbo) => 2 << 10,
        // The headers of the others are spread over the file.
        Some(_) => 4 << 10,
    };
    (least, 0)
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
    /// Returns the first ranges to fetch, in the file that contains the archive, and the bytes between them that may be
    /// read to save requests. Each range is longer by its further bytes, if those are few.
    pub(super) fn first_ranges(&self, archive: &Ranges) -> (Vec<Range<u64>>, u64) {
        let sum = |bytes: fn(&Part<'_>) -> u64| self.parts.iter().map(bytes).fold(0, u64::saturating_add);
        let allowed = (sum(|part| part.member.stored_byte_len()) / FIRST_OF_BATCH).min(self.at_once);
        let (spare, more) = (allowed.saturating_sub(self.bytes), sum(|part| part.more));
        let is_longer = more <= spare;
        let range = |part: &Part<'_>| {
            let more = if is_longer { part.more } else { 0 };
            archive.in_file(part.range.start..part.range.end.saturating_add(more))
        };
        let ranges = self.parts.iter().map(range).collect();
        (ranges, if is_longer { spare.saturating_sub(more) } else { spare })
    }
}

/// Divides members into batches, to each of which [`at_once`] applies.
pub(super) fn batches<'a>(parts: impl Iterator<Item = Part<'a>>, at_once: u64) -> impl Iterator<Item = Batch<'a>> {
    let mut parts = parts.peekable();
    std::iter::from_fn(move || {
        let mut batch = Batch { parts: Vec::new(), bytes: 0, at_once };
        let fits = |part: &Part<'_>, bytes: u64| bytes == 0 || bytes.saturating_add(part.bytes()) <= at_once;
        while batch.parts.len() < MOST_AT_ONCE
            && let Some(part) = parts.next_if(|part| fits(part, batch.bytes))
        {
            batch.bytes = batch.bytes.saturating_add(part.bytes());
            batch.parts.push(part);
        }
        (!batch.parts.is_empty()).then_some(batch)
    })
}
