//! Fetches the bytes of a file in a store that show what the file or its members are.

use std::iter::zip;
use std::ops::Range;

use super::first_reads::{Batch, FirstRanges, Part, at_once};
use super::place::{Place, sum};
use crate::asset::container::{Form, Member};
use crate::base::error::Result;
use crate::budget::Held;
use crate::inspect::Depth;
use crate::ranges::{Ranges, missing};
use crate::scan::beginning::{Shown, describe_beginning};
use crate::scan::describe::At;
use crate::scan::run::Run;

/// The least to fetch where the beginning of a member is too small.
pub(super) const MORE: u64 = 3 << 10;
/// How often to fetch more of some members at once. After that, each is on its own.
const ROUNDS: usize = 6;

/// The members of a batch as their beginnings show them.
pub(super) struct Beginnings {
    /// Each member, or `None` if its beginning does not say enough.
    pub(super) shown: Vec<Option<Shown>>,
    /// The memory that the bytes take beyond the first ranges.
    pub(super) held: Vec<Held>,
}

impl Run<'_> {
    /// Fetches the first ranges of the members of a batch, and as much more as shows what they are.
    pub(super) fn beginnings(
        &self,
        at: At<'_>,
        place: Place<'_>,
        batch: &Batch<'_>,
        first: FirstRanges,
        ranges: &mut Ranges,
    ) -> Result<Beginnings> {
        let FirstRanges { mut wanted, mut spare } = first;
        let mut found = Beginnings { shown: batch.parts.iter().map(|_| None).collect(), held: Vec::new() };
        let mut left = at_once(at.budget);
        for _ in 0..ROUNDS {
            place.add(&wanted, spare, ranges)?;
            wanted.clear();
            spare = 0;
            for (part, shown) in zip(&batch.parts, &mut found.shown) {
                if shown.is_none() {
                    *shown = self.shown_within(&mut left, at, part, ranges, &mut wanted);
                }
            }
            if wanted.is_empty() || self.scan.progress.is_stopped() {
                break;
            }
            let Ok(more) = at.budget.hold(sum(&wanted)) else { break };
            found.held.push(more);
        }
        Ok(found)
    }

    /// Returns what the available bytes of a member show, or `None` if more of them are needed: these are then `wanted`.
    /// A member that needs more than is `left` of the bytes of a batch is visited alone.
    fn shown_within(
        &self,
        left: &mut u64,
        at: At<'_>,
        part: &Part<'_>,
        ranges: &Ranges,
        wanted: &mut Vec<Range<u64>>,
    ) -> Option<Shown> {
        let error = match ranges.ask(|ranges| self.shown(at, part, ranges)) {
            Ok(shown) => return Some(shown),
            Err(error) => error,
        };
        let missing = error.incomplete_ranges();
        let Some(less) = left.checked_sub(sum(missing)) else { return Some(Shown::Further) };
        *left = less;
        wanted.extend_from_slice(missing);
        None
    }

    /// Returns what the available bytes of a member show. The ranges note what is missing.
    fn shown(&self, at: At<'_>, part: &Part<'_>, ranges: &Ranges) -> Result<Shown> {
        let member = part.member.in_ranges(ranges);
        if !part.by_ranges {
            // The local header of a zip may be larger than expected.
            return missing(member.stored_bytes()).map(|()| Shown::Further);
        }
        let origin = part.origin(at.origin, ranges);
        if self.scan.depth > Depth::Header {
            if !origin.is_promised() && matches!(part.member.form(), Form::Packed(_)) {
                return may_be_asset(&member);
            }
            return missing(member.sniff()).map(|()| Shown::Further);
        }
        Ok(describe_beginning(At { origin: &origin, ..at }, &member))
    }
}

/// Looks at the beginning of a packed member whose name promises no asset. Returns `Further` if it may be one, and
/// `Other` if it is none.
fn may_be_asset(member: &Member<'_>) -> Result<Shown> {
    if member.is_link() {
        return Ok(Shown::Other);
    }
    match member.sniff() {
        Ok(None) if !member.hides_beginning() => Ok(Shown::Other),
        Ok(_) => Ok(Shown::Further),
        Err(error) if error.incomplete().is_some() => Err(error),
        Err(_) => Ok(Shown::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Asset;
    use crate::asset::container::Container;
    use crate::base::limits::Limits;

    #[test]
    fn a_member_is_no_asset_if_its_beginning_is_there_and_shows_none() {
        for (data, is_known) in
            [(&b"ODOL\x07\0\0\0 and more"[..], true), (b"nothing that is known", false), (b"", false)]
        {
            // Of a packed member, only all of the bytes show what it is.
            for is_packed in [false, true] {
                let method: u32 = if is_packed { 0x4370_7273 } else { 0 };
                let mut archive = b"a\0".to_vec();
                for number in [method, 100, 0, 0, data.len() as u32] {
                    archive.extend(number.to_le_bytes());
                }
                archive.extend([&[0; 21], data].concat());
                let asset = Asset::parse_file(std::path::Path::new("a.pbo"), &archive, &Limits::default()).unwrap();
                let member = Container::of(&asset).unwrap().members().next().unwrap().unwrap();
                let is_hidden = member.hides_beginning();
                assert_eq!(is_hidden, is_packed);
                let is_further = matches!(may_be_asset(&member), Ok(Shown::Further));
                assert_eq!(is_further, is_known || is_hidden, "{data:?} {is_packed}");
            }
        }
    }
}
