//! The records of an archive of which only ranges are available.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use super::describe::{ALL, At, Described, Origin, describe_as, unreadable};
use super::globs::Globs;
use super::members::{container, pay};
use super::options::Scan;
use super::record::Record;
use super::target::{Use, is_archive};
use crate::asset::Asset;
use crate::asset::container::{Container, Content, Member};
use crate::asset::stored::Stored;
use crate::base::amount::Amount;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::budget::Budget;
use crate::inspect::Depth;
use crate::ranges::{Data, Ranges, ReadAt};
use crate::summary::Problem;
use crate::visit::walk::{Archive, Bytes, Flow, Unread, Visitor, enter, walk};

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
    /// number of members. Ask for them through [`Ranges::ask`], [`load`](Ranges::load) or
    /// [`load_async`](crate::ranges::load_async).
    ///
    /// # Errors
    /// Returns an error if a glob is invalid.
    pub fn records_in_ranges(&self, path: &Path, ranges: &Ranges, members: Range<usize>) -> Result<Vec<Record>> {
        let globs = Globs::of_members(&self.selection.globs)?;
        let mut look = Look::new(self, &globs, true);
        let origin = Origin { members, ..Origin::file(self, path) };
        let budget = &Budget::new(ranges.byte_len(), &self.limits);
        let _ = walk(&mut look, &origin, Bytes { data: Data::Parts(ranges), budget, fault: None });
        Ok(look.records)
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

/// Collects the records of a walk. Missing bytes are noted by the ranges.
pub(super) struct Look<'s> {
    globs: &'s Globs,
    records: Vec<Record>,
    /// True if it describes archives and everything inside them. Otherwise it stops before an archive, and its records
    /// are not paid for.
    enters: bool,
    /// True if it stopped before an archive.
    is_archive: bool,
    /// True if it checks the checksums of members.
    checks: bool,
}

/// The result of reading the beginning of a member.
pub(super) enum Shown {
    /// The member is not an asset.
    Other,
    Record(Box<Record>),
    /// More of the member is needed.
    Further,
}

impl<'s> Look<'s> {
    fn new(scan: &Scan, globs: &'s Globs, enters: bool) -> Self {
        Self { globs, records: Vec::new(), enters, is_archive: false, checks: scan.digests }
    }

    /// Describes a member that is no archive, as far as it is available. Its record is not paid for.
    pub(super) fn member_alone(at: At<'_>, globs: &'s Globs, member: &Member<'_>) -> Shown {
        let mut look = Look::new(at.origin.scan, globs, false);
        let _ = enter(&mut look, at.origin, member, at.budget);
        match look.records.pop() {
            _ if look.is_archive => Shown::Further,
            Some(record) => Shown::Record(Box::new(record)),
            None => Shown::Other,
        }
    }

    /// Returns true if it looks at a member or file in this format.
    fn takes(&mut self, format: Option<Format>) -> bool {
        self.is_archive |= !self.enters && is_archive(format);
        !self.is_archive
    }

    fn record(&mut self, at: At<'_>, mut record: Record) {
        if !self.enters || pay(at, &mut record).is_some() {
            self.records.push(record);
        }
    }
}

impl Visitor for Look<'_> {
    type Place<'p> = Origin<'p>;

    /// Describes these bytes, unless the members to visit start later.
    fn look<'a>(&mut self, origin: &Origin<'_>, bytes: Bytes<'_, 'a>) -> Flow<Option<Archive<'a>>> {
        let Bytes { data, budget, fault } = bytes;
        let at = At { origin, budget };
        let Ok(format) = Format::of_file_in(origin.name(), data) else { return Flow::Continue(None) };
        if format.is_none() && !origin.is_expected() || !self.takes(format) {
            return Flow::Continue(None);
        }
        let Described { mut record, asset, held, record_memory, .. } = describe_as(at, format, data, false);
        if let Some(fault) = &fault {
            record.summary.problems.insert(0, Problem::error(fault));
        }
        let found = asset.and_then(|asset| container(at, &asset, ALL, &mut record));
        if origin.members.start == 0 {
            self.record(at, record);
        }
        drop(record_memory);
        let Some((container, visited)) = found else { return Flow::Continue(None) };
        let members = origin.members.start..origin.members.end.min(visited.end);
        Flow::Continue(Some(Archive { data, container, members, held }))
    }

    fn members(&mut self, origin: &Origin<'_>, archive: &Archive<'_>, around: &Budget) -> Flow {
        let members = archive.rest(around);
        let budget = members.budget(around);
        for (name, member) in members {
            let use_as = self.globs.use_of(member.name());
            if use_as != Use::Nothing {
                enter(self, &origin.inside(name, Stored::of(&member), use_as), &member, &budget)?;
            }
        }
        Flow::Continue(())
    }

    fn is_promised(&self, origin: &Origin<'_>) -> bool {
        origin.is_promised()
    }

    fn content<'a>(
        &mut self,
        member: &Member<'a>,
        format: Option<Format>,
        budget: &Budget,
    ) -> Result<Option<Content<'a>>> {
        if !self.takes(format) {
            return Ok(None);
        }
        member.content(budget).map(Some)
    }

    fn checks(&self) -> bool {
        self.checks
    }

    fn unread(&mut self, origin: &Origin<'_>, unread: Unread<'_>) -> Flow {
        let at = At { origin, budget: unread.budget };
        self.record(at, unreadable(at, unread.format, unread.byte_len, None, &unread.error));
        Flow::Continue(())
    }
}
