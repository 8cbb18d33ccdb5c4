//! The records of an archive of which only ranges are available.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use super::describe::{ALL, At, Origin, describe_as};
use super::globs::Globs;
use super::members::{Rest, container, content, pay};
use super::walk::{Use, is_archive};
use super::{Depth, Record, Scan};
use crate::asset::Asset;
use crate::asset::container::{Container, Member};
use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::Budget;
use crate::ranges::{Data, Ranges, ReadAt};
use crate::summary::Problem;

/// The maximum number of members whose bytes are requested and kept at once.
const BATCH: usize = 256;
/// The maximum of their bytes, if a record takes more than a header; a single member may have more.
const BATCH_BYTES: u64 = 16 << 20;

impl Scan {
    /// Passes the record of a file, and those of the assets in it at any depth, to the callback until it breaks. Reads
    /// only the ranges of the source that the records take: at [`Depth::Header`] few of them, and those of up to 256
    /// members at once. `ranges` has the size of the file, and what is available already.
    ///
    /// The records and their order are those of a [scan](Self::run_bytes) of the whole file with one
    /// [job](Self::jobs), with two exceptions. If the header of a deflated member suffices, its checksum is not checked.
    /// And the [limits](crate::Limits::work) on work count for each 256 members.
    ///
    /// ```
    /// # let store = [&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
    /// use std::{ops::ControlFlow, path::Path};
    /// use meshpeek::ranges::{Ranges, ReadAt};
    /// use meshpeek::scan::{Depth, Scan};
    /// let mut scan = Scan::new([""; 0]);
    /// scan.depth = Depth::Header;
    /// let mut formats = Vec::new();
    /// // `store` is anything that implements `ReadAt`.
    /// scan.run_ranges(Path::new("mod.pbo"), Ranges::new(store.byte_len()?), &store, |record| {
    ///     formats.extend(record.summary.format.map(|format| format.name()));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(formats, ["pbo", "b3d"]);
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of the source, and an error if a glob is invalid.
    pub fn run_ranges(
        &self,
        path: &Path,
        mut ranges: Ranges,
        source: &(impl ReadAt + ?Sized),
        mut callback: impl FnMut(Record) -> ControlFlow<()>,
    ) -> Result<()> {
        let sizes = ranges.load(source, |ranges| self.member_sizes(path, ranges))?;
        for members in self.batches(&sizes) {
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

    /// Returns the records that [`run_ranges`](Self::run_ranges) makes for the members with these indices and
    /// everything inside them; with the first member, also that of the file itself. The end may be greater than the
    /// number of members. Ask for them through [`Ranges::ask`], [`load`](Ranges::load) or
    /// [`load_async`](crate::ranges::load_async).
    ///
    /// # Errors
    /// Returns an error if a glob is invalid.
    pub fn records_in_ranges(&self, path: &Path, ranges: &Ranges, members: Range<usize>) -> Result<Vec<Record>> {
        let globs = Globs::of_members(&self.selection.globs)?;
        let mut look = Look { globs: &globs, records: Vec::new(), enters: true, is_archive: false };
        let at = At { origin: &Origin::file(self, path), budget: &Budget::new(ranges.byte_len(), &self.limits) };
        look.look(at, Data::Parts(ranges), None, members);
        Ok(look.records)
    }

    /// Returns the sizes of the members to visit in a file; none if it is not an archive.
    fn member_sizes(&self, path: &Path, ranges: &Ranges) -> Result<Vec<u64>> {
        let asset = match Asset::parse_file_ranges(path, ranges, &self.limits) {
            Err(error) if error.incomplete().is_some() => return Err(error),
            asset => asset,
        };
        let container = asset.ok().as_ref().and_then(Container::of).filter(|_| self.archives);
        let members = container.map(|container| container.members().map_while(Result::ok));
        Ok(members.into_iter().flatten().map(|member| member.stored_byte_len()).collect())
    }

    /// Divides members of these sizes. There is always a first batch, for the file itself.
    fn batches(&self, sizes: &[u64]) -> impl Iterator<Item = Range<usize>> {
        let most = if self.depth > Depth::Header || self.digests { BATCH_BYTES } else { u64::MAX };
        let mut reached = None;
        std::iter::from_fn(move || {
            let start = reached.unwrap_or(0);
            if reached.is_some_and(|reached| reached >= sizes.len()) {
                return None;
            }
            let mut bytes = 0_u64;
            let fits = |size: &&u64| {
                let is_first = bytes == 0;
                bytes = bytes.saturating_add(**size).saturating_add(1);
                is_first || bytes <= most
            };
            let count = sizes.get(start..).unwrap_or_default().iter().take(BATCH).take_while(fits).count();
            let end = start.saturating_add(count);
            reached = Some(end);
            Some(start..end)
        })
    }
}

/// A walk over an archive, which collects the records. Missing bytes are recorded by the ranges.
pub(super) struct Look<'s> {
    globs: &'s Globs,
    records: Vec<Record>,
    /// True if it describes archives and everything inside them. Otherwise it stops before an archive, and its records
    /// are not paid for.
    enters: bool,
    /// True if it stopped before an archive.
    is_archive: bool,
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
    /// Describes a member that is no archive, as far as it is available. Its record is not paid for.
    pub(super) fn member_alone(at: At<'_>, globs: &'s Globs, member: &Member<'_>) -> Shown {
        let mut look = Self { globs, records: Vec::new(), enters: false, is_archive: false };
        look.member(at, member);
        match look.records.pop() {
            _ if look.is_archive => Shown::Further,
            Some(record) => Shown::Record(Box::new(record)),
            None => Shown::Other,
        }
    }

    /// Describes these bytes, unless the members start later, and these of their members. The fault, if there is one, is
    /// the first problem of the record.
    fn look(&mut self, at: At<'_>, data: Data<'_>, fault: Option<Error>, members: Range<usize>) {
        let Ok(format) = Format::of_file_in(at.origin.name(), data) else { return };
        if format.is_none() && !at.origin.is_expected() || self.stops_before(format) {
            return;
        }
        let described = describe_as(at, format, data, false);
        let mut record = described.record;
        if let Some(fault) = &fault {
            record.summary.problems.insert(0, Problem::error(fault));
        }
        let found = described.asset.as_ref().and_then(|asset| container(at, asset, ALL, &mut record));
        if members.start == 0 {
            self.record(at, record);
        }
        drop(described.record_memory);
        let Some((container, visited)) = found else { return };
        let mut rest = Rest::new(&container, members.start..members.end.min(visited.end), at.budget);
        let budget = rest.budget(at.budget);
        for (name, member) in rest.by_ref() {
            let use_as = self.globs.use_of(member.name());
            if use_as != Use::Nothing {
                let origin = at.origin.inside(name, Stored::of(&member), use_as);
                self.member(At { origin: &origin, budget: &budget }, &member);
            }
        }
    }

    fn member(&mut self, at: At<'_>, member: &Member<'_>) {
        let decode = |format| {
            if self.stops_before(format) {
                return Ok(None);
            }
            member.content(at.budget).map(Some)
        };
        match content(at, member, at.origin.is_promised(), decode) {
            Ok(None) | Err(None) => {}
            Ok(Some(content)) => {
                let fault = if at.origin.scan.digests { member.check(at.budget).err() } else { None };
                self.look(At { budget: content.budget(), ..at }, content.data(), fault, ALL);
            }
            Err(Some(record)) => self.record(at, *record),
        }
    }

    fn record(&mut self, at: At<'_>, mut record: Record) {
        if !self.enters || pay(at, &mut record).is_some() {
            self.records.push(record);
        }
    }

    fn stops_before(&mut self, format: Option<Format>) -> bool {
        self.is_archive |= !self.enters && is_archive(format);
        self.is_archive
    }
}
