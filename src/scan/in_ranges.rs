//! The records of an archive of which only ranges are available.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use super::describe::{Described, Origin, describe_as, unreadable};
use super::globs::Globs;
use super::members::{Rest, afford, container, pay};
use super::walk::Use;
use super::{Depth, Record, Scan};
use crate::asset::Asset;
use crate::asset::container::{Container, Form, Member};
use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::Budget;
use crate::bytes::Packing;
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
        let globs = Globs::new(Path::new(""), &self.selection.globs)?;
        let mut look = Look { scan: self, globs: &globs, records: Vec::new(), enters: true, is_archive: false };
        let budget = Budget::new(ranges.byte_len(), &self.limits);
        look.look(&Origin::file(path), Data::Parts(ranges), &budget, members);
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
    scan: &'s Scan,
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
    pub(super) fn member_alone(
        scan: &'s Scan,
        globs: &'s Globs,
        origin: &Origin<'_>,
        member: &Member<'_>,
        budget: &Budget,
    ) -> Shown {
        let mut look = Self { scan, globs, records: Vec::new(), enters: false, is_archive: false };
        look.member(origin, member, budget);
        match look.records.pop() {
            _ if look.is_archive => Shown::Further,
            Some(record) => Shown::Record(Box::new(record)),
            None => Shown::Other,
        }
    }

    /// Describes these bytes, unless the members start later, and these of their members.
    fn look(&mut self, origin: &Origin<'_>, data: Data<'_>, budget: &Budget, members: Range<usize>) {
        let Ok(format) = Format::of_file_in(origin.name(), data) else { return };
        if format.is_none() && !origin.is_expected() || self.stops_before(format) {
            return;
        }
        let Described { mut record, opened, record_memory, .. } =
            describe_as(self.scan, origin, format, data, budget, false);
        let asset = opened.as_ref().map(|(asset, _)| asset);
        let inside = asset.and_then(|asset| container(self.scan, origin, asset, &mut record)).map(|container| {
            let (count, error) = afford(origin, container.members(), budget);
            record.summary.problems.extend(error.as_ref().map(Problem::error));
            (container, count)
        });
        if members.start == 0 {
            self.record(origin, record, budget);
        }
        drop(record_memory);
        let Some((container, count)) = inside else { return };
        let mut rest = Rest::new(&container, members.start..members.end.min(count), budget);
        let budget = rest.budget(budget);
        for (name, member) in rest.by_ref() {
            let use_as = self.globs.use_of(member.name());
            if use_as != Use::Nothing {
                self.member(&origin.inside(name, Stored::of(&member), use_as), &member, &budget);
            }
        }
    }

    fn member(&mut self, origin: &Origin<'_>, member: &Member<'_>, budget: &Budget) {
        if let Err((format, error)) = self.content(origin, member, budget)
            && (format.is_some() || origin.is_promised())
        {
            let bytes = member.decoded_byte_len_hint();
            let record = unreadable(self.scan, origin, format, bytes, None, &error, budget);
            self.record(origin, record, budget);
        }
    }

    fn content(
        &mut self,
        origin: &Origin<'_>,
        member: &Member<'_>,
        budget: &Budget,
    ) -> Result<(), (Option<Format>, Error)> {
        let format = member.sniff().map_err(|error| (None, error))?;
        // LZSS is rare, and its beginning alone does not decode.
        let unknown = !matches!(member.form(), Form::InPlace | Form::Packed(Packing::Deflate));
        if !self.stops_before(format) && (format.is_some() || origin.is_promised() || unknown) {
            let content = member.content(budget).map_err(|error| (format, error))?;
            self.look(origin, content.data(), content.budget(), 0..usize::MAX);
        }
        Ok(())
    }

    fn record(&mut self, origin: &Origin<'_>, mut record: Record, budget: &Budget) {
        if !self.enters || pay(self.scan, origin, &mut record, budget).is_some() {
            self.records.push(record);
        }
    }

    fn stops_before(&mut self, format: Option<Format>) -> bool {
        self.is_archive |= !self.enters && is_archive(format);
        self.is_archive
    }
}

pub(super) fn is_archive(format: Option<Format>) -> bool {
    matches!(format, Some(Format::Pbo | Format::Zip))
}
