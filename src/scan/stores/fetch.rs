//! Fetches the bytes of a file in a store that show what the file or its members are.

use std::ops::Range;

use super::first_reads::{Batch, Part, at_once};
use super::{Place, sum};
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::budget::{Budget, Held};
use crate::ranges::{Data, Ranges, missing};
use crate::scan::describe::{Origin, describe_as};
use crate::scan::globs::Globs;
use crate::scan::in_ranges::{Look, Shown};
use crate::scan::{Depth, Record, Scan};

/// The least to fetch where the beginning of a member is too small.
pub(super) const MORE: u64 = 3 << 10;
/// How often to fetch more of some members at once. After that, each is on its own.
const ROUNDS: usize = 6;

/// A file of a store, and the scan that reads it.
pub(super) struct Fetch<'f> {
    pub(super) scan: &'f Scan,
    /// For the members of archives.
    pub(super) globs: &'f Globs,
    pub(super) place: Place<'f>,
}

impl Fetch<'_> {
    /// Fetches all of a file or of a section of one.
    pub(super) fn all(&self, ranges: &mut Ranges) -> Result<()> {
        let size = ranges.byte_len();
        self.place.load(ranges, |ranges| ranges.get(0..size).map(drop))
    }

    /// Fetches all stored bytes of a member.
    pub(super) fn stored(&self, part: &Part<'_>, ranges: &mut Ranges) -> Result<()> {
        self.place.load(ranges, |ranges| missing(part.member.in_ranges(ranges).stored_bytes()))
    }

    pub(super) fn format(&self, origin: &Origin<'_>, ranges: &mut Ranges) -> Result<Option<Format>> {
        self.place.load(ranges, |ranges| Format::of_file_in(origin.name(), Data::Parts(ranges)))
    }

    /// Describes an asset, and fetches the list of its members. Also returns the memory that the record takes.
    pub(super) fn described(
        &self,
        origin: &Origin<'_>,
        format: Option<Format>,
        ranges: &mut Ranges,
        budget: &Budget,
    ) -> Result<(Record, Option<Held>)> {
        self.place.load(ranges, |ranges| {
            let described = describe_as(self.scan, origin, format, Data::Parts(ranges), budget, false);
            if let Some(container) = described.opened.as_ref().and_then(|(asset, _)| Container::of(asset)) {
                container.overlapping();
                container.members().take_while(Result::is_ok).for_each(drop);
            }
            Ok((described.record, described.record_memory))
        })
    }

    /// Fetches these first ranges of the members of a batch, and as much more as shows what they are. Also returns the
    /// memory that this takes beyond the first ranges.
    pub(super) fn beginnings(
        &self,
        origin: &Origin<'_>,
        batch: &Batch<'_>,
        (mut wanted, mut spare): (Vec<Range<u64>>, u64),
        ranges: &mut Ranges,
        budget: &Budget,
    ) -> Result<(Vec<Shown>, Vec<Held>)> {
        let mut shown: Vec<Option<Shown>> = batch.parts.iter().map(|_| None).collect();
        let (mut held, mut left) = (Vec::new(), at_once(budget));
        for _ in 0..ROUNDS {
            self.place.add_within(&wanted, spare, ranges)?;
            (spare, wanted) = (0, Vec::new());
            for (part, shown) in batch.parts.iter().zip(&mut shown).filter(|(_, shown)| shown.is_none()) {
                match ranges.ask(|ranges| self.shown(origin, part, ranges, budget)) {
                    Ok(found) => *shown = Some(found),
                    Err(error) => match left.checked_sub(sum(error.incomplete_ranges())) {
                        Some(less) => {
                            left = less;
                            wanted.extend_from_slice(error.incomplete_ranges());
                        }
                        None => *shown = Some(Shown::Further),
                    },
                }
            }
            if wanted.is_empty() || self.scan.progress.is_stopped() {
                break;
            }
            let Ok(more) = budget.hold(sum(&wanted)) else { break };
            held.push(more);
        }
        Ok((shown.into_iter().map(|shown| shown.unwrap_or(Shown::Further)).collect(), held))
    }

    /// Returns what the available bytes of a member show. The ranges note what is missing.
    fn shown(&self, origin: &Origin<'_>, part: &Part<'_>, ranges: &Ranges, budget: &Budget) -> Result<Shown> {
        let member = part.member.in_ranges(ranges);
        if !part.by_ranges {
            // The local header of a zip may be larger than expected.
            return missing(member.stored_bytes()).map(|()| Shown::Further);
        }
        if self.scan.depth > Depth::Header {
            return missing(member.sniff()).map(|()| Shown::Further);
        }
        Ok(Look::member_alone(self.scan, self.globs, &part.origin(origin, ranges), &member, budget))
    }
}
