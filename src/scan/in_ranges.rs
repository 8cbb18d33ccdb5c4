//! The records of an archive of which only ranges are available.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use super::descent::{Descent, Spot};
use super::describe::Origin;
use super::found::{Found, Sighting};
use super::options::{Scan, Views};
use super::pending::Callbacks;
use super::progress::Stretch;
use super::record::Record;
use super::run::Run;
use crate::asset::Asset;
use crate::asset::container::Container;
use crate::base::amount::Amount;
use crate::base::error::Result;
use crate::base::stop;
use crate::budget::Budget;
use crate::inspect::Depth;
use crate::ranges::{Data, Ranges, ReadAt};

/// The maximum number of members whose bytes are requested and kept at once.
const BATCH: usize = 256;
/// The maximum of their bytes, if a record takes more than a header; a single member may have more.
const BATCH_BYTES: u64 = 16 << 20;

impl Scan {
    /// Passes the record of a file, and those of the assets in it at any depth, to the callback until it breaks.
    pub(super) fn run_ranges(
        &self,
        path: &Path,
        mut ranges: Ranges,
        source: &dyn ReadAt,
        callback: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<()> {
        let sizes = ranges.load(source, |ranges| self.member_sizes(path, ranges))?;
        let is_all = self.depth > Depth::Header || self.digests;
        let most = if is_all { BATCH_BYTES } else { u64::MAX };
        for members in (Batches { sizes, most, reached: None }) {
            if self.progress.is_stopped() {
                return Ok(());
            }
            // The bytes of other members are dropped with the copy.
            let mut ranges = ranges.clone();
            for record in ranges.load(source, |ranges| self.records_in_ranges(path, ranges, members.clone()))? {
                if callback(record).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the records that a [scan of ranges](super::Input::Ranges) makes for the members with these indices and
    /// everything inside them; with the first member, also that of the file itself. The end may be greater than the
    /// number of members. If the scan is [stopped](super::Progress::stop), returns the records made so far, or none. Ask for them through
    /// [`Ranges::ask`], [`load`](Ranges::load) or [`load_async`](crate::ranges::load_async).
    ///
    /// # Errors
    /// Returns an error if a glob is invalid.
    pub fn records_in_ranges(&self, path: &Path, ranges: &Ranges, members: Range<usize>) -> Result<Vec<Record>> {
        // The same members may be asked for several times, so this does not count as progress.
        let scan = Self { progress: self.progress.beside(), jobs: Some(1), views: Views::Records, ..self.clone() };
        let mut records = Vec::new();
        let collect = |found, _| {
            if let Found::Asset(record) = found {
                records.push(*record);
            }
            ControlFlow::Continue(())
        };
        Run::new(&scan, &Callbacks::new(|_: &Sighting<'_, '_>| (), collect))?.in_ranges(path, ranges, members);
        Ok(records)
    }

    /// Returns the sizes of the members to visit in a file; none if it is not an archive.
    fn member_sizes(&self, path: &Path, ranges: &Ranges) -> Result<Vec<u64>> {
        let asset = match Asset::parse_file_ranges(path, ranges, &self.limits) {
            Err(error) if error.incomplete().is_some() => return Err(error),
            asset => asset,
        };
        let Ok(asset) = asset else { return Ok(Vec::new()) };
        if !self.archives {
            return Ok(Vec::new());
        }
        let Some(container) = Container::of(&asset) else { return Ok(Vec::new()) };
        Ok(container.members().map_while(Result::ok).map(|member| member.stored_byte_len()).collect())
    }
}

impl Run<'_> {
    /// Describes a file of which only ranges are available, and everything inside its members with these indices.
    fn in_ranges(&self, path: &Path, ranges: &Ranges, members: Range<usize>) {
        let _until = stop::Until::new(self.scan.progress.switch());
        let origin = Origin { members, ..Origin::file(self.scan, path) };
        let spot = Spot { origin, stretch: Stretch::new(&self.scan.progress, ranges.byte_len()) };
        let mut descent = Descent::by_ranges(self);
        descent.describe(&spot, Data::Parts(ranges), &Budget::new(ranges.byte_len(), &self.scan.limits), None);
        descent.hand_over();
    }
}

/// Divides the members of an archive. There is always a first batch, for the file itself.
struct Batches {
    /// The sizes of the members.
    sizes: Vec<u64>,
    /// The most bytes of a batch, unless it has one member.
    most: u64,
    /// The first member of the next batch; `None` before the first batch.
    reached: Option<usize>,
}

impl Iterator for Batches {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = match self.reached {
            None => 0,
            Some(reached) if reached < self.sizes.len() => reached,
            Some(_) => return None,
        };
        let mut end = start;
        let mut bytes = Amount(0_u64);
        for size in self.sizes.iter().skip(start).take(BATCH) {
            // An empty member counts too.
            bytes += *size;
            bytes += 1;
            if end > start && bytes.0 > self.most {
                break;
            }
            end = end.saturating_add(1);
        }
        self.reached = Some(end);
        Some(start..end)
    }
}
