//! Scans files of stores by ranges.

use std::ops::Range;
use std::path::Path;

use super::describe::{ALL, Described, Origin, describe_as, unreadable};
use super::finds::Finds;
use super::members::{Rest, afford, container};
use super::progress::Stretch;
use super::run::{InSight, Run};
use super::stores::{Place, Stored as File, Stores};
use super::units::Unit;
use super::walk::{Target, Use};
use super::{Depth, Found, Record, Sighting};
use crate::asset::Asset;
use crate::asset::address::{Address, open_member_ranges};
use crate::asset::container::{Container, Form, Member};
use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Held};
use crate::bytes::Packing;
use crate::ranges::{Data, Ranges};
use crate::summary::{Problem, Summary};

/// The bytes to fetch for some members at once. A larger member is fetched alone.
const AT_ONCE: u64 = 16 << 20;
/// The members to fetch at once.
const MOST_AT_ONCE: usize = 8192;
/// The first read of a file: this part of it, within these bounds.
const FIRST_PART: u64 = 512;
const FIRST: [u64; 2] = [4 << 10, 64 << 10];
/// The bytes that show whether a member whose name promises no asset is one.
const HEAD: u64 = 128;
/// Other members of this size are fetched whole, instead of their beginning first.
const SMALL: u64 = 16 << 10;
/// The bytes of a local header of a zip, with its extra fields but without the name.
const LOCAL: u64 = 30 + 64;

/// What to fetch of a member.
struct Part {
    index: usize,
    range: Range<u64>,
    /// True if further ranges of its content are fetched as they are needed. Otherwise the range contains all of it.
    by_ranges: bool,
}

/// The bytes from the beginning of a file in this format that its header usually fits into.
const fn beginning(format: Option<Format>) -> u64 {
    match format {
        None | Some(Format::Rap | Format::Zip) => HEAD,
        Some(Format::Mlod | Format::Paa) => 512,
        Some(Format::Bmtr | Format::Rtm) => 1536,
        // Most headers of ODOL fit into this, too.
        Some(Format::Pbo | Format::Odol) => 2 << 10,
        // The headers of the others are spread over the file.
        Some(_) => 4 << 10,
    }
}

impl<T, V, F> Run<'_, V, F>
where
    T: Send,
    V: Fn(&Sighting<'_, '_>) -> T + Sync,
    F: FnMut(Found, Option<T>) -> std::ops::ControlFlow<()> + Send,
{
    /// Describes a file of a store and everything inside it.
    pub(super) fn stored(&self, stores: &dyn Stores, target: &Target) {
        let scan = self.scan;
        let address = match target.named {
            true => Address::parse(&target.path),
            false => Address { file: target.path.clone(), member: None },
        };
        let unreadable = |error: Error| self.put(Found::Unreadable(error.in_file(&address.file)));
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
            Err(error) => return self.put(Found::Unreadable(error.in_file(&target.path))),
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
        let (mut finds, mut ranges) = (Finds::default(), Ranges::new(place.size()));
        let named = target.named && target.unit.as_ref().is_none_or(|unit| unit.named);
        let of_file = Origin { stamp, named, use_as: target.use_as, members, ..Origin::file(&address.file) };
        let of_file = Origin { modified: file.modified(), ..of_file };
        let found = match &address.member {
            None => {
                let [least, most] = FIRST;
                let first = (place.size() / FIRST_PART).clamp(least, most).min(place.size());
                place.add(std::slice::from_ref(&(0..first)), &mut ranges)?;
                self.look_in(&of_file, place, &mut ranges, &budget, &stretch, &mut finds)
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
                    Ok(content) => Ok(self.look(&origin, content, content.budget(), &stretch, &mut finds)),
                    Err(error) => {
                        let record = unreadable(self.scan, &origin, opened.format, opened.bytes, None, error, &budget);
                        self.asset(&origin, record, None, &budget, &mut finds);
                        Ok(true)
                    }
                }
            }
        };
        self.hand_over(&mut finds);
        found
    }

    /// Describes the asset in this place and everything inside it, with the ranges of the place that are available.
    /// Returns false if it is not in a known format.
    ///
    /// # Errors
    /// Returns the errors of the store.
    fn look_in(
        &self,
        origin: &Origin<'_>,
        place: Place<'_>,
        ranges: &mut Ranges,
        budget: &Budget,
        stretch: &Stretch<'_>,
        finds: &mut Finds<T>,
    ) -> Result<bool> {
        let (scan, size) = (self.scan, ranges.byte_len());
        let format = place.load(ranges, |ranges| Format::of_file_in(origin.name(), Data::Parts(ranges)))?;
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
                    self.asset(origin, record, None, budget, finds);
                    return Ok(true);
                }
            };
            place.load(ranges, |ranges| ranges.get(0..size).map(drop))?;
            return Ok(self.look(origin, ranges.get(0..size)?, held.budget(), stretch, finds));
        };
        let (mut record, told) = place.load(ranges, |ranges| {
            let described = describe_as(scan, origin, format, Data::Parts(ranges), budget, false);
            if let Some(container) = described.opened.as_ref().and_then(|(asset, _)| Container::of(asset)) {
                container.overlapping();
                container.members().take_while(Result::is_ok).for_each(drop);
            }
            Ok((described.record, described.told))
        })?;
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
        let inner = told.as_ref().map_or(budget, Held::budget);
        let asset = asset.as_ref();
        if origin.members.start == 0 {
            let open = InSight { data: &[], asset, budget: inner, members: members.clone() };
            self.asset(origin, record, Some(open), budget, finds);
        } else {
            let record = origin.record(Summary::new(known, size), None);
            let (members, is_continued) = (members.clone(), true);
            let seen = Sighting { record: &record, data: &[], asset, budget: inner, members, is_continued };
            let seen = (self.view)(&seen);
            self.hand_over(&mut Finds::of(Found::Continued(origin.path.to_owned()), Some(seen)));
        }
        drop(told);
        if members.is_empty() {
            return Ok(true);
        }
        self.hand_over(finds);
        self.members_in(origin, (known, place), ranges, members, budget, stretch).map(|()| true)
    }

    /// Visits these members of an archive whose directory is available.
    fn members_in(
        &self,
        origin: &Origin<'_>,
        (format, place): (Format, Place<'_>),
        directory: &Ranges,
        members: Range<usize>,
        budget: &Budget,
        stretch: &Stretch<'_>,
    ) -> Result<()> {
        let asset = Asset::parse_in(Some(format), Data::Parts(directory), budget.limits())?;
        let Some(container) = Container::of(&asset) else { return Ok(()) };
        let listed = container.members().map_while(Result::ok).enumerate();
        let listed = listed.take(members.end).skip(members.start);
        let used = listed.filter(|(_, member)| self.globs.use_of(member.name()) != Use::Nothing);
        let mut parts = used.map(|(index, member)| self.part_of(index, &member, directory.byte_len())).peekable();
        let failed = std::sync::Mutex::new(Ok(()));
        while parts.peek().is_some() && !self.scan.progress.is_stopped() {
            let (mut batch, mut bytes) = (Vec::new(), 0_u64);
            let fits = |bytes: u64, part: &Part| {
                bytes == 0 || bytes.saturating_add(part.range.end.saturating_sub(part.range.start)) <= AT_ONCE
            };
            while batch.len() < MOST_AT_ONCE
                && let Some(part) = parts.next_if(|part| fits(bytes, part))
            {
                bytes = bytes.saturating_add(part.range.end.saturating_sub(part.range.start));
                batch.push(part);
            }
            // A member that is too large is reported when it is its turn.
            let held = budget.hold(bytes);
            let mut ranges = directory.clone();
            if held.is_ok() {
                let wanted: Vec<_> = batch.iter().map(|part| directory.in_file(part.range.clone())).collect();
                place.add(&wanted, &mut ranges)?;
            }
            let inner = held.as_ref().map_or(budget, Held::budget);
            let asset = Asset::parse_in(Some(format), Data::Parts(&ranges), budget.limits())?;
            let Some(container) = Container::of(&asset) else { return Ok(()) };
            let span =
                batch.first().map_or(0, |part| part.index)..batch.last().map_or(0, |part| part.index.saturating_add(1));
            let mut rest = Rest::new(&container, span, inner);
            let inner = rest.budget(inner);
            let named = batch.into_iter().filter_map(|part| Some((rest.at(part.index)?, part)));
            self.crew.each(named, |((name, member), part)| {
                let (budget, mut finds) = (inner.fork(), Finds::default());
                let stretch = stretch.part(member.stored_byte_len(), place.size());
                let use_as = self.globs.use_of(member.name());
                let origin = |member: &Member<'_>| origin.inside(name.clone(), Stored::of(member), use_as);
                let found = match &held {
                    _ if self.scan.progress.is_stopped() => Ok(()),
                    Err(error) => {
                        let origin = origin(&member);
                        let record =
                            unreadable(self.scan, &origin, None, member.stored_byte_len(), None, error, &budget);
                        if origin.is_promised() {
                            self.asset(&origin, record, None, &budget, &mut finds);
                        }
                        Ok(())
                    }
                    Ok(_) => {
                        self.member_in(&origin, &member, &part, (format, place), &ranges, &budget, &stretch, &mut finds)
                    }
                };
                self.hand_over(&mut finds);
                if let Err(error) = found {
                    let mut failed = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    if failed.is_ok() {
                        *failed = Err(error);
                    }
                }
            });
            let failed =
                std::mem::replace(&mut *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner), Ok(()));
            failed?;
        }
        Ok(())
    }

    /// Returns what to fetch first of a member of an archive of this size.
    fn part_of(&self, index: usize, member: &Member<'_>, size: u64) -> Part {
        let (start, local) = match member {
            Member::Pbo(member) => (member.offset(), 0),
            Member::Zip(member) => (member.header_offset(), LOCAL.saturating_add(member.name().len() as u64)),
        };
        let bytes = member.stored_byte_len();
        let name = member.name().to_text_lossy();
        let name = Path::new(&name);
        let promised = Format::from_extension(name);
        let is_zip = matches!(member, Member::Zip(_));
        let first = match (member.form(), self.scan.depth) {
            _ if self.scan.digests || (self.texts)(name) => None,
            (Form::InPlace, Depth::Header) => Some(beginning(promised)),
            (Form::Packed(Packing::Deflate), Depth::Header) if !is_archive(promised) => Some(beginning(promised)),
            // A zip has a CRC-32 of all bytes.
            (Form::InPlace, _) if is_zip => None,
            (Form::InPlace, _) if promised.is_none() && bytes > SMALL || is_archive(promised) => {
                Some(beginning(promised))
            }
            _ => None,
        };
        let first = first.filter(|first| *first < bytes);
        let fetched = first.unwrap_or(bytes).saturating_add(local);
        let end = start.saturating_add(fetched).min(size);
        Part { index, range: start.min(end)..end, by_ranges: first.is_some() }
    }

    /// Describes a member of which this part is available.
    #[allow(clippy::too_many_arguments, reason = "the archive, the member and where its results go")]
    fn member_in<'o>(
        &self,
        origin: &dyn Fn(&Member<'_>) -> Origin<'o>,
        member: &Member<'_>,
        part: &Part,
        (format, place): (Format, Place<'_>),
        ranges: &Ranges,
        budget: &Budget,
        stretch: &Stretch<'_>,
        finds: &mut Finds<T>,
    ) -> Result<()> {
        // The local header of a zip may be larger than expected.
        let is_there = |member: &Member<'_>| match member {
            Member::Zip(member) if part.by_ranges => member.local().map(drop),
            Member::Zip(member) => member.stored_bytes().map(drop),
            Member::Pbo(_) => Ok(()),
        };
        if is_there(member).is_err_and(|error| error.incomplete().is_some()) {
            let mut own = ranges.clone();
            load_nth(&mut own, (format, place), part.index, budget, is_there)?;
            let asset = Asset::parse_in(Some(format), Data::Parts(&own), budget.limits())?;
            return match nth(&asset, part.index) {
                Some(member) => self.member_in(origin, &member, part, (format, place), &own, budget, stretch, finds),
                None => Ok(()),
            };
        }
        let origin = origin(member);
        if !part.by_ranges {
            self.member(&origin, member, budget, stretch, finds);
            return Ok(());
        }
        let start = match member {
            Member::Pbo(member) => member.content_offset(),
            Member::Zip(member) => member.content_offset(),
        };
        match (start, member.form()) {
            (Some(start), Form::InPlace) => {
                let mut here = ranges.clone().section(start..start.saturating_add(member.stored_byte_len()));
                self.look_in(&origin, place, &mut here, budget, stretch, finds).map(drop)
            }
            (Some(_), Form::Packed(Packing::Deflate)) => {
                self.packed(&origin, member, part, (format, place), ranges, budget, stretch, finds)
            }
            // Its error needs none of its bytes.
            _ => {
                self.member(&origin, member, budget, stretch, finds);
                Ok(())
            }
        }
    }

    /// Describes a deflated member by its beginning, or by more of it if that does not suffice.
    #[allow(clippy::too_many_arguments, reason = "the archive, the member and where its results go")]
    fn packed(
        &self,
        origin: &Origin<'_>,
        member: &Member<'_>,
        part: &Part,
        (format, place): (Format, Place<'_>),
        ranges: &Ranges,
        budget: &Budget,
        stretch: &Stretch<'_>,
        finds: &mut Finds<T>,
    ) -> Result<()> {
        let peek = |member: &Member<'_>| self.peek(origin, member, budget);
        let peeked = match ranges.ask(|_| Ok(peek(member))) {
            Err(error) if error.incomplete().is_some() => {
                let mut own = ranges.clone();
                place.load(&mut own, |ranges| {
                    let asset = Asset::parse_in(Some(format), Data::Parts(ranges), budget.limits())?;
                    Ok(nth(&asset, part.index).map_or(Peeked::Other, |member| peek(&member)))
                })?
            }
            peeked => peeked?,
        };
        match peeked {
            Peeked::Other => {}
            Peeked::Record(record) => self.asset(origin, *record, None, budget, finds),
            Peeked::Whole => {
                let mut own = ranges.clone();
                let all = |member: &Member<'_>| match member {
                    Member::Zip(member) => member.stored_bytes().map(drop),
                    Member::Pbo(member) => member.stored_bytes().map(drop),
                };
                load_nth(&mut own, (format, place), part.index, budget, all)?;
                let asset = Asset::parse_in(Some(format), Data::Parts(&own), budget.limits())?;
                if let Some(member) = nth(&asset, part.index) {
                    self.member(origin, &member, budget, stretch, finds);
                }
            }
        }
        Ok(())
    }

    /// Describes a deflated member as far as it is available. The ranges note what is missing.
    fn peek(&self, origin: &Origin<'_>, member: &Member<'_>, budget: &Budget) -> Peeked {
        let looked = || {
            let format = member.sniff().map_err(|error| (None, error))?;
            if format.is_none() && !origin.is_promised() {
                return Ok(Peeked::Other);
            }
            if is_archive(format) {
                return Ok(Peeked::Whole);
            }
            let content = member.content(budget).map_err(|error| (format, error))?;
            let format = Format::of_file_in(origin.name(), content.data()).map_err(|error| (format, error))?;
            let Described { record, .. } =
                describe_as(self.scan, origin, format, content.data(), content.budget(), false);
            Ok(Peeked::Record(Box::new(record)))
        };
        looked().unwrap_or_else(|(format, error): (Option<Format>, Error)| {
            if format.is_none() && !origin.is_promised() {
                return Peeked::Other;
            }
            let bytes = member.decoded_byte_len_hint();
            Peeked::Record(Box::new(unreadable(self.scan, origin, format, bytes, None, &error, budget)))
        })
    }
}

/// What the beginning of a member shows.
enum Peeked {
    /// It is no asset.
    Other,
    Record(Box<Record>),
    /// All of it is needed.
    Whole,
}

/// Loads what a question about a member needs.
fn load_nth(
    ranges: &mut Ranges,
    (format, place): (Format, Place<'_>),
    index: usize,
    budget: &Budget,
    question: impl Fn(&Member<'_>) -> Result<()>,
) -> Result<()> {
    place.load(ranges, |ranges| {
        let asset = Asset::parse_in(Some(format), Data::Parts(ranges), budget.limits())?;
        // Other errors are those of the member's record.
        match nth(&asset, index).map_or(Ok(()), |member| question(&member)) {
            Err(error) if error.incomplete().is_some() => Err(error),
            _ => Ok(()),
        }
    })
}

fn is_archive(format: Option<Format>) -> bool {
    matches!(format, Some(Format::Pbo | Format::Zip))
}

fn nth<'a>(asset: &Asset<'a>, index: usize) -> Option<Member<'a>> {
    Container::of(asset)?.members().nth(index)?.ok()
}
