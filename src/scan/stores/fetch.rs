//! Fetches the bytes of a file in a store that show what the file or its members are.

use std::ops::Range;

use super::first_reads::{Batch, Part, at_once};
use super::{Place, sum};
use crate::base::error::Result;
use crate::budget::Held;
use crate::inspect::Depth;
use crate::ranges::{Ranges, missing};
use crate::scan::describe::At;
use crate::scan::in_ranges::{Look, Shown};
use crate::scan::run::Run;

/// The least to fetch where the beginning of a member is too small.
pub(super) const MORE: u64 = 3 << 10;
/// How often to fetch more of some members at once. After that, each is on its own.
const ROUNDS: usize = 6;

impl Run<'_> {
    /// Fetches these first ranges of the members of a batch, and as much more as shows what they are. Also returns the
    /// memory that this takes beyond the first ranges.
    pub(super) fn beginnings(
        &self,
        at: At<'_>,
        place: Place<'_>,
        batch: &Batch<'_>,
        (mut wanted, mut spare): (Vec<Range<u64>>, u64),
        ranges: &mut Ranges,
    ) -> Result<(Vec<Shown>, Vec<Held>)> {
        let mut shown: Vec<Option<Shown>> = batch.parts.iter().map(|_| None).collect();
        let (mut held, mut left) = (Vec::new(), at_once(at.budget));
        for _ in 0..ROUNDS {
            place.add(&wanted, spare, ranges)?;
            (spare, wanted) = (0, Vec::new());
            for (part, shown) in batch.parts.iter().zip(&mut shown).filter(|(_, shown)| shown.is_none()) {
                match ranges.ask(|ranges| self.shown(at, part, ranges)) {
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
            let Ok(more) = at.budget.hold(sum(&wanted)) else { break };
            held.push(more);
        }
        Ok((shown.into_iter().map(|shown| shown.unwrap_or(Shown::Further)).collect(), held))
    }

    /// Returns what the available bytes of a member show. The ranges note what is missing.
    fn shown(&self, at: At<'_>, part: &Part<'_>, ranges: &Ranges) -> Result<Shown> {
        let member = part.member.in_ranges(ranges);
        if !part.by_ranges {
            // The local header of a zip may be larger than expected.
            return missing(member.stored_bytes()).map(|()| Shown::Further);
        }
        if self.scan.depth > Depth::Header {
            return missing(member.sniff()).map(|()| Shown::Further);
        }
        let origin = part.origin(at.origin, ranges);
        Ok(Look::member_alone(At { origin: &origin, ..at }, &self.globs, &member))
    }
}
