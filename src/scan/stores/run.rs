//! Scans files of stores by ranges.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::fetch::{self, Fetch};
use super::first_reads::{self, Batch, Part, at_once, batches};
use crate::scan::describe::{ALL, Origin, unreadable};

use super::{Place, Stored as File, Stores, sum};
use crate::asset::Asset;
use crate::asset::address::{Address, open_member_ranges};
use crate::asset::container::{Container, Content, Form, Member};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Held};
use crate::ranges::{Data, Ranges};
use crate::scan::in_ranges::{Shown, is_archive};
use crate::scan::members::{Rest, afford, container};
use crate::scan::pending::Pending;
use crate::scan::progress::Stretch;
use crate::scan::run::{InSight, Run};
use crate::scan::units::Unit;
use crate::scan::walk::{Target, Use};
use crate::scan::{Depth, Found, Sighting};
use crate::summary::{Problem, Summary};

impl Run<'_> {
    /// Describes a file of a store and everything inside it.
    pub(in crate::scan) fn stored(&self, stores: &dyn Stores, target: &Target) {
        let scan = self.scan;
        let address = match target.named {
            true => Address::parse(&target.path),
            false => Address { file: target.path.clone(), member: None },
        };
        let unreadable = |error: Error| {
            // A read that the end of the scan cuts short has not failed.
            if !scan.progress.is_stopped() {
                self.put(Found::Unreadable(error.in_file(&address.file)));
            }
        };
        let file = match stores.open(&address.file) {
            Ok(file) => file,
            Err(error) => return unreadable(error),
        };
        let stamp = file.stamp();
        if target.unit.as_ref().is_some_and(|unit| unit.stamp.is_some() && unit.stamp != stamp) {
            return unreadable(std::io::Error::other("changed since it was cut into units").into());
        }
        let stamp = stamp.map(|stamp| format!("{stamp}:{}", self.question)).filter(|_| address.member.is_none());
        scan.progress.open(file.byte_len());
        let is_known = |stamp: &String| scan.known.as_ref().is_some_and(|known| known.has(&address.file, stamp));
        let is_all = target.use_as == Use::Whole && target.unit.is_none();
        if is_all && stamp.as_ref().is_some_and(is_known) {
            drop(Stretch::new(&scan.progress, file.byte_len()));
            scan.progress.add_file();
            return self.put(Found::Unchanged(address.file));
        }
        match self.stored_address(&address, stamp, &*file, target) {
            Ok(true) => {}
            Ok(false) => self.put(Found::NoAsset(target.path.clone())),
            Err(error) if !scan.progress.is_stopped() => {
                return self.put(Found::Unreadable(error.in_file(&target.path)));
            }
            Err(_) => return,
        }
        scan.progress.add_file();
    }

    fn stored_address(
        &self,
        address: &Address,
        stamp: Option<String>,
        file: &dyn File,
        target: &Target,
    ) -> Result<bool> {
        let place = Place::of(file, self.scan.limits.decoded_bytes);
        let members = target.unit.as_ref().map_or(ALL, Unit::members);
        let bytes = target.unit.as_ref().filter(|_| members != ALL).map_or(place.size(), |unit| unit.bytes);
        let budget = self.budget(if members.start == 0 { place.size() } else { bytes.min(place.size()) });
        let stretch = Stretch::new(&self.scan.progress, bytes.min(place.size()));
        let (mut pending, mut ranges) = (self.pending(), Ranges::new(place.size()));
        let named = target.named && target.unit.as_ref().is_none_or(|unit| unit.named);
        let of_file = Origin { stamp, named, use_as: target.use_as, members, ..Origin::file(&address.file) };
        let of_file = Origin { modified: file.modified(), ..of_file };
        let found = match &address.member {
            None => {
                place.add(std::slice::from_ref(&first_reads::of_file(place.size())), &mut ranges)?;
                let fetch = Fetch { scan: self.scan, globs: &self.globs, place };
                self.look_in(&of_file, &fetch, &mut ranges, &budget, &stretch, &mut pending)
            }
            Some(member) => {
                let opened = place.load(&mut ranges, |ranges| {
                    let opened = open_member_ranges(&address.file, ranges, Some(member), &budget)?;
                    opened.whole()?;
                    Ok(opened)
                })?;
                let opened = opened.whole()?;
                let inside = Origin::opened(&address.file, &opened);
                let modified = of_file.modified.or(inside.modified);
                let origin = Origin { modified, use_as: target.use_as, named, ..inside };
                match &opened.content {
                    Ok(content) => Ok(self.look(&origin, content, content.budget(), &stretch, &mut pending)),
                    Err(error) => {
                        let record = unreadable(self.scan, &origin, opened.format, opened.bytes, None, error, &budget);
                        self.asset(&origin, record, None, &budget, &mut pending);
                        Ok(true)
                    }
                }
            }
        };
        self.hand_over(&mut pending);
        found
    }

    /// Describes a file, or an asset inside one, and everything inside it. Some of its ranges may be available.
    /// Returns false if it is not in a known format.
    ///
    /// # Errors
    /// Returns the errors of the store.
    fn look_in(
        &self,
        origin: &Origin<'_>,
        fetch: &Fetch<'_>,
        ranges: &mut Ranges,
        budget: &Budget,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) -> Result<bool> {
        let (scan, size) = (self.scan, ranges.byte_len());
        let format = fetch.format(origin, ranges)?;
        if format.is_none() && !origin.is_expected() && !(self.texts)(origin.name()) {
            return Ok(false);
        }
        let is_listed = is_archive(format) && scan.depth <= Depth::Summary;
        let by_ranges = !scan.digests && (is_listed || scan.depth == Depth::Header && format.is_some());
        let Some(known) = format.filter(|_| by_ranges) else {
            let held = match budget.hold(size) {
                Ok(held) => held,
                Err(error) => {
                    let record = unreadable(scan, origin, format, size, None, &error, budget);
                    self.asset(origin, record, None, budget, pending);
                    return Ok(true);
                }
            };
            fetch.all(ranges)?;
            return Ok(self.look(origin, ranges.get(0..size)?, held.budget(), stretch, pending));
        };
        let (mut record, record_memory) = fetch.described(origin, format, ranges, budget)?;
        let ranges = &*ranges;
        let asset = Asset::parse_in(format, Data::Parts(ranges), budget.limits()).ok();
        let inside = asset.as_ref().and_then(|asset| container(scan, origin, asset, &mut record));
        let mut members = 0..0;
        if let Some(container) = inside {
            let Range { start, end } = origin.members;
            let (count, error) = afford(origin, container.members().take(end).skip(start), budget);
            record.summary.problems.extend(error.as_ref().map(Problem::error));
            members = start..start.saturating_add(count);
        }
        let inner = record_memory.as_ref().map_or(budget, Held::budget);
        let asset = asset.as_ref();
        if origin.members.start == 0 {
            let open = InSight { data: &[], asset, budget: inner, members: members.clone() };
            self.asset(origin, record, Some(open), budget, pending);
        } else {
            let record = origin.record(Summary::new(known, size), None);
            let (members, is_continued) = (members.clone(), true);
            let sighting = Sighting { record: &record, data: &[], asset, budget: inner, members, is_continued };
            self.put_seen(Found::Continued(origin.path.to_owned()), Some(&sighting));
        }
        drop(record_memory);
        if members.is_empty() {
            return Ok(true);
        }
        self.hand_over(pending);
        self.members_in(origin, (known, fetch), ranges, members, budget, stretch).map(|()| true)
    }

    /// Visits these members of an archive whose directory is available, some at once on each thread.
    fn members_in(
        &self,
        origin: &Origin<'_>,
        (format, fetch): (Format, &Fetch<'_>),
        directory: &Ranges,
        members: Range<usize>,
        budget: &Budget,
        stretch: &Stretch<'_>,
    ) -> Result<()> {
        let asset = Asset::parse_in(Some(format), Data::Parts(directory), budget.limits())?;
        let Some(container) = Container::of(&asset) else { return Ok(()) };
        let mut rest = Rest::new(&container, members, budget);
        let budget = rest.budget(budget);
        let failed = Mutex::new(None);
        let failure = || failed.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = rest.by_ref().filter_map(|(name, member)| {
            let use_as = self.globs.use_of(member.name());
            if use_as == Use::Nothing {
                return None;
            }
            let needs_all = self.scan.digests || (self.texts)(Path::new(&member.name().to_text_lossy()));
            let depth = (!needs_all).then_some(self.scan.depth);
            Some(Part::new(name, member, use_as, depth, directory.byte_len()))
        });
        let goes_on = |_: &Batch<'_>| !self.scan.progress.is_stopped() && failure().is_none();
        self.workers.each(batches(parts, at_once(&budget)).take_while(goes_on), |batch| {
            let visited = self.batch_in(origin, fetch, directory, &batch, &budget.fork(), stretch);
            if let Err(error) = visited {
                failure().get_or_insert(error);
            }
        });
        let failed = failure().take();
        failed.map_or(Ok(()), Err)
    }

    /// Visits the members of a batch. Fetches the bytes that are missing of all of them at once.
    fn batch_in(
        &self,
        origin: &Origin<'_>,
        fetch: &Fetch<'_>,
        directory: &Ranges,
        batch: &Batch<'_>,
        budget: &Budget,
        stretch: &Stretch<'_>,
    ) -> Result<()> {
        let mut pending = self.pending();
        let first = batch.first_ranges(directory);
        // A member that is too large is reported when it is its turn.
        let held = budget.hold(sum(&first.0).saturating_add(first.1));
        let budget = held.as_ref().map_or(budget, Held::budget);
        let mut ranges = directory.clone().with_first_read(fetch::MORE);
        let (shown, _further) = match &held {
            Ok(_) => fetch.beginnings(origin, batch, first, &mut ranges, budget)?,
            Err(_) => Default::default(),
        };
        let shown = shown.into_iter().chain(std::iter::repeat_with(|| Shown::Further));
        for (part, shown) in batch.parts.iter().zip(shown) {
            if self.scan.progress.is_stopped() {
                break;
            }
            let stretch = stretch.part(part.member.stored_byte_len(), fetch.place.size());
            let origin = part.origin(origin, &ranges);
            match (&held, shown) {
                (Err(error), _) => {
                    let bytes = part.member.stored_byte_len();
                    if origin.is_promised() {
                        let record = unreadable(self.scan, &origin, None, bytes, None, error, budget);
                        self.asset(&origin, record, None, budget, &mut pending);
                    }
                }
                (_, Shown::Record(record)) => {
                    let content = part.member.in_ranges(&ranges).content(budget).ok();
                    let data = content.as_ref().map(Content::data);
                    let asset =
                        data.and_then(|data| Asset::parse_in(record.summary.format, data, budget.limits()).ok());
                    let open = InSight { data: &[], asset: asset.as_ref(), budget, members: 0..0 };
                    self.asset(&origin, *record, Some(open), budget, &mut pending);
                }
                (_, Shown::Other) => {}
                (_, Shown::Further) => self.further(&origin, part, fetch, &ranges, budget, &stretch, &mut pending)?,
            }
        }
        self.hand_over(&mut pending);
        Ok(())
    }

    /// Visits a member that its beginning does not describe.
    #[allow(clippy::too_many_arguments, reason = "the member, where it is and where its results go")]
    fn further(
        &self,
        origin: &Origin<'_>,
        part: &Part<'_>,
        fetch: &Fetch<'_>,
        ranges: &Ranges,
        budget: &Budget,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) -> Result<()> {
        let mut ranges = ranges.clone();
        if part.by_ranges {
            let start = match part.member.in_ranges(&ranges) {
                Member::Pbo(member) => member.content_offset(),
                Member::Zip(member) => member.content_offset(),
            };
            if let (Form::InPlace, Some(start)) = (part.member.form(), start) {
                let mut here = ranges.section(start..start.saturating_add(part.member.stored_byte_len()));
                return self.look_in(origin, fetch, &mut here, budget, stretch, pending).map(drop);
            }
            fetch.stored(part, &mut ranges)?;
        }
        self.member(origin, &part.member.in_ranges(&ranges), budget, stretch, pending);
        Ok(())
    }
}
