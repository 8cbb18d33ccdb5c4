//! A scan in progress: describes each file and member, visits its contents, and reports why if that exceeds the budget.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::describe::{ALL, Described, Origin, describe_as, describe_opened, unreadable};
use super::globs::Globs;
use super::in_ranges::{Look, Shown};
use super::known::stamp;
use super::members::{Rest, afford, container, pay, text_bytes};
use super::pending::{Caller, Early, MOST_BYTES, Named, Pending, together};
use super::prefetch::{Prefetch, Waits};
use super::progress::Stretch;
use super::units::Unit;
use super::walk::{NextIf, Target, Use};
use super::workers::{MOST_JOBS, Workers};
use super::{Depth, FileId, Found, Record, Scan, Sighting, Views};
use crate::asset::Asset;
use crate::asset::address::{Address, open_member};
use crate::asset::container::{Container, Form, Member};
use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::blocks::stream_cache::StreamCache;
use crate::budget::{Budget, Held, Memory};
use crate::bytes::Packing;
use crate::ranges::{Data, Ranges};
use crate::summary::Problem;

/// From this size on, the checksum of an archive takes longer than asking another thread to help.
const LARGE_ARCHIVE: usize = 1 << 20;

/// The parts of an asset that the view sees, besides its record.
pub(super) struct InSight<'s, 'a> {
    pub(super) data: &'a [u8],
    pub(super) asset: Option<&'s Asset<'a>>,
    pub(super) budget: &'s Budget,
    pub(super) members: Range<usize>,
}

/// An archive whose members are being visited.
pub(super) struct Inside<'i, 'a> {
    pub(super) container: Container<'a>,
    pub(super) data: &'a [u8],
    pub(super) stretch: &'i Stretch<'i>,
    /// The size of `data`, to convert the members' sizes to progress.
    pub(super) whole: u64,
}

/// The maximum number of bytes charged for opening an archive again. Larger archives are mapped, not read.
const READ_WHOLE: u64 = 4 << 20;

const DEFLATED: Form = Form::Packed(Packing::Deflate);

/// How much of a deflated member is read at first for its header.
const BEGINNING: u64 = 2 << 10;

/// A scan in progress.
pub(super) struct Run<'s> {
    pub(super) scan: &'s Scan,
    /// For the members of archives.
    pub(super) globs: Globs,
    pub(super) workers: Arc<Workers>,
    memory: Memory,
    /// The remaining work for all units of each archive that is scanned in units.
    pub(super) units: Mutex<HashMap<FileId, Budget>>,
    /// The options of the scan, for the stamp of each file.
    pub(super) question: String,
    caller: &'s dyn Caller,
    /// Names of files to show to the view even if they are not assets.
    pub(super) texts: fn(&Path) -> bool,
}

impl<'s> Run<'s> {
    pub(super) fn new(scan: &'s Scan, globs: Globs, caller: &'s dyn Caller) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let workers = Arc::new(Workers::new(scan.jobs.filter(|&jobs| jobs > 0).unwrap_or_else(cores).min(MOST_JOBS)));
        let (memory, question) = (Memory::default(), scan.question());
        Self { scan, globs, workers, memory, units: Mutex::default(), question, caller, texts: |_| false }
    }

    /// Shows files with these names to the view even if they are not assets.
    pub(super) fn showing(self, texts: fn(&Path) -> bool) -> Self {
        Self { texts, ..self }
    }

    pub(super) fn file(&self, target: &Target, next_if: &NextIf<'_>) {
        let scan = self.scan;
        if target.use_as == Use::Nothing {
            return self.put(Found::PassedOver { path: target.path.clone(), named: target.named });
        }
        #[cfg(feature = "stores")]
        if let Some(stores) = scan.store_of(&target.path) {
            return self.stored(stores, target);
        }
        let address = match target.named {
            true => Address::parse(&target.path),
            false => Address { file: target.path.clone(), member: None },
        };
        if let Some(Err(error)) = target.unit.as_ref().map(|unit| unit.unchanged(&address.file, scan)) {
            return self.put(Found::Unreadable(error));
        }
        if target.use_as == Use::Whole
            && target.unit.is_none()
            && let Some(bytes) = self.unchanged(&address)
        {
            drop(Stretch::new(&scan.progress, bytes));
            scan.progress.open(bytes);
            scan.progress.add_file();
            return self.put(Found::Unchanged(address.file));
        }
        match address.open_with_metadata(scan.access, &scan.limits, target.named) {
            Err(error) => self.put(Found::Unreadable(error)),
            Ok((file, metadata)) => {
                // Use the metadata from before reading: later writes show in the next one.
                let metadata = metadata.filter(|_| address.member.is_none());
                let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
                let stamp = metadata.and_then(|metadata| stamp(&metadata, &self.question));
                scan.progress.open(file.len() as u64);
                let is_there = self.address(&address, (stamp, modified), &file, target, next_if);
                if let Err(error) = file.unchanged() {
                    self.put(Found::Unreadable(error.in_file(&address.file)));
                }
                if is_there {
                    scan.progress.add_file();
                }
            }
        }
    }

    /// Returns the size of a file that has not changed since an earlier scan.
    fn unchanged(&self, address: &Address) -> Option<u64> {
        let known = self.scan.known.as_ref().filter(|_| address.member.is_none())?;
        let metadata = address.file.metadata().ok()?;
        known.has(&address.file, &stamp(&metadata, &self.question)?).then_some(metadata.len())
    }

    /// Returns the budget of a file of this size.
    pub(super) fn budget(&self, bytes: u64) -> Budget {
        let budget = Budget::sharing(bytes, &self.scan.limits, &self.memory);
        budget.until(self.scan.progress.switch()).helped_by(self.workers.clone())
    }

    /// Describes bytes that are not open yet.
    pub(super) fn bytes(&self, path: &Path, data: &[u8]) {
        self.scan.progress.begin();
        self.scan.progress.open(data.len() as u64);
        let (budget, stretch) = (self.budget(data.len() as u64), Stretch::new(&self.scan.progress, data.len() as u64));
        let mut pending = self.pending();
        self.look(&Origin::file(path), data, &budget, &stretch, &mut pending);
        self.hand_over(&mut pending);
        self.scan.progress.add_file();
    }

    /// Describes the target of an address. Returns false if it does not exist.
    fn address(
        &self,
        address: &Address,
        (stamp, modified): (Option<String>, Option<SystemTime>),
        data: &[u8],
        target: &Target,
        next_if: &NextIf<'_>,
    ) -> bool {
        let scan = self.scan;
        let members = target.unit.as_ref().map_or(ALL, Unit::members);
        let whole = data.len() as u64;
        // The numbers of a unit are claims.
        let bytes = target.unit.as_ref().filter(|_| members != ALL).map_or(whole, |unit| unit.bytes.min(whole));
        // The unit with the first part also processes the archive as a whole.
        let worth = if members.start == 0 { whole } else { bytes };
        let budget = self.budget(worth);
        let units = (members != ALL).then(|| self.budget_of_units(&address.file, whole));
        // A small archive is read whole for each unit that opens it again.
        let read = if members.start == 0 { whole } else { whole.min(READ_WHOLE) };
        if let Some(Err(error)) = units.as_ref().map(|units| units.work(read)) {
            self.put(Found::Unreadable(error.in_file(&address.file)));
            return true;
        }
        let stretch = Stretch::new(&scan.progress, bytes);
        let mut pending = self.pending();
        let found = open_member(&address.file, data, address.member.as_deref(), &budget).map(|opened| {
            let named = target.named && target.unit.as_ref().is_none_or(|unit| unit.named);
            let use_as = target.use_as;
            let units = units.as_ref();
            let opened_as = Origin::opened(&address.file, &opened);
            let modified = modified.or(opened_as.modified);
            let origin = Origin { stamp, modified, use_as, members, units, named, ..opened_as };
            if let Ok(content) = &opened.content {
                if let Some(unit) = target.unit.as_ref().filter(|_| origin.members.start > 0) {
                    let looked = self.look_on(&origin, content, content.budget(), stretch, unit, next_if);
                    if let Err(error) = looked {
                        self.put(Found::Unreadable(error.in_file(origin.path)));
                    }
                    return true;
                }
                return self.look(&origin, content, content.budget(), &stretch, &mut pending);
            }
            self.asset(&origin, describe_opened(scan, &address.file, &opened, &budget), None, &budget, &mut pending);
            true
        });
        self.hand_over(&mut pending);
        let is_there = found.is_ok();
        match found {
            Ok(true) => {}
            Ok(false) => self.put(Found::NoAsset(target.path.clone())),
            Err(error) => self.put(Found::Unreadable(error.in_file(&target.path))),
        }
        is_there
    }

    /// Describes these bytes and everything inside them. Returns false if they are not in a known format.
    pub(super) fn look(
        &self,
        origin: &Origin<'_>,
        data: &[u8],
        budget: &Budget,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) -> bool {
        let format = Format::of_file(origin.name(), data);
        if format.is_none() && !origin.is_expected() && !(self.texts)(origin.name()) {
            return false;
        }
        let views = self.scan.views;
        let streams = (views != Views::Records).then(|| StreamCache::over(data, budget, views == Views::Arrays));
        let puts_off = origin.depth == 0 && data.len() >= LARGE_ARCHIVE && self.workers.is_many();
        let Described { mut record, opened, record_memory, late } =
            describe_as(self.scan, origin, format, Data::Whole(data), budget, puts_off);
        let asset = opened.as_ref().map(|(asset, _)| asset);
        let inside = asset.and_then(|asset| container(self.scan, origin, asset, &mut record)).map(|container| {
            let (count, error) = afford(origin, container.members().take(origin.members.end), budget);
            record.summary.problems.extend(error.as_ref().map(Problem::error));
            (Inside { container, data, stretch, whole: data.len() as u64 }, count)
        });
        let members = 0..inside.as_ref().map_or(0, |(_, count)| *count);
        let early = Early::default();
        if let Some(mut late) = late {
            let step = || {
                let goes_on = late.checksum.step();
                if !goes_on {
                    early.end();
                }
                goes_on
            };
            self.workers.beside(step, || {
                if let Some((inside, _)) = &inside {
                    let mut rest = Rest::new(&inside.container, members.clone(), budget);
                    let budget = rest.budget(budget);
                    self.members(origin, inside, &mut rest, &budget, Some(&early));
                }
            });
            late.report(&mut record.summary.problems);
        }
        let inner = record_memory.as_ref().map_or(budget, Held::budget);
        let open = InSight { data, asset, budget: inner, members: members.clone() };
        self.asset(origin, record, Some(open), budget, pending);
        drop((record_memory, streams));
        if let Some((inside, _)) = inside {
            self.hand_over(pending);
            let (early, done) = early.into_parts();
            early.into_iter().for_each(|mut pending| self.hand_over(&mut pending));
            let mut rest = Rest::new(&inside.container, done..members.end, budget);
            let budget = rest.budget(budget);
            self.members(origin, &inside, &mut rest, &budget, None);
        }
        true
    }

    /// Visits these members of an archive, which have been charged; early, as many of them as possible. An error that
    /// cuts the list of members short is a problem of the archive's own record.
    pub(super) fn members<'a>(
        &self,
        origin: &Origin<'_>,
        &Inside { data, stretch, whole, .. }: &Inside<'_, 'a>,
        members: &mut Rest<'a>,
        budget: &Budget,
        early: Option<&Early<'s>>,
    ) {
        // Data packed in another archive was loaded with that archive.
        let waits = Waits::from_now_on(self.scan.read_ahead && origin.depth == 0);
        let members = Prefetch::new(data, self.scan.depth, waits, members);
        let is_next =
            |named: &Named<'_>| !self.scan.progress.is_stopped() && early.is_none_or(|early| early.takes(named));
        self.workers.each(together(members.take_while(is_next)), |members| {
            let mut pending = self.pending().waiting(early.is_some());
            let budget = budget.fork();
            let bytes = members.iter().map(|(_, member)| member.stored_byte_len()).fold(0, u64::saturating_add);
            let stretch = stretch.part(bytes, whole);
            for (name, member) in members {
                // The progress of small members is reported when all of them are done.
                let size = member.stored_byte_len();
                let stretch = stretch.part(if size < MOST_BYTES { 0 } else { size }, bytes);
                let use_as = self.globs.use_of(member.name());
                if use_as != Use::Nothing && !self.scan.progress.is_stopped() {
                    let inside = origin.inside(name, Stored::of(&member), use_as);
                    if !self.beginning(&inside, &member, data, &budget, &mut pending) {
                        self.member(&inside, &member, &budget, &stretch, &mut pending);
                    }
                }
            }
            match early {
                Some(early) => early.keep(pending),
                None => self.hand_over(&mut pending),
            }
        });
    }

    /// Describes a deflated member of this archive by its beginning. Returns false if it needs all of it.
    fn beginning(
        &self,
        origin: &Origin<'_>,
        member: &Member<'_>,
        archive: &[u8],
        budget: &Budget,
        pending: &mut Pending<'_>,
    ) -> bool {
        let scan = self.scan;
        let is_asked = scan.beginnings && scan.depth == Depth::Header && !scan.digests;
        let is_small = member.decoded_byte_len_hint() <= BEGINNING;
        if !is_asked || is_small || member.form() != DEFLATED || (self.texts)(origin.name()) {
            return false;
        }
        let mut ranges = Ranges::new(archive.len() as u64).with_first_read(BEGINNING);
        let question =
            |ranges: &Ranges| Ok(Look::member_alone(scan, &self.globs, origin, &member.in_ranges(ranges), budget));
        match ranges.load(archive, question) {
            Ok(Shown::Record(record)) => self.asset(origin, *record, None, budget, pending),
            Ok(Shown::Other) => {}
            Ok(Shown::Further) | Err(_) => return false,
        }
        true
    }

    pub(super) fn member(
        &self,
        origin: &Origin<'_>,
        member: &Member<'_>,
        budget: &Budget,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) {
        if let Err((format, error)) = self.member_content(origin, member, budget, stretch, pending)
            && (format.is_some() || origin.is_promised() || (self.texts)(origin.name()))
        {
            let bytes = member.decoded_byte_len_hint();
            let record = unreadable(self.scan, origin, format, bytes, None, &error, budget);
            self.asset(origin, record, None, budget, pending);
        }
    }

    /// Decodes a member only if it may be an asset. A member that cannot be decoded has a record if its name indicates
    /// an asset.
    fn member_content(
        &self,
        origin: &Origin<'_>,
        member: &Member<'_>,
        budget: &Budget,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) -> Result<(), (Option<Format>, Error)> {
        let format = member.sniff().map_err(|error| (None, error))?;
        // LZSS is rare, and its beginning alone does not decode.
        let unknown = !matches!(member.form(), Form::InPlace | DEFLATED);
        if format.is_some() || origin.is_promised() || unknown || (self.texts)(origin.name()) {
            let content = member.decode(budget).map_err(|error| (format, error))?;
            self.look(origin, &content, content.budget(), stretch, pending);
        }
        Ok(())
    }

    /// Reports a record, if it is requested. Its content beyond names has not been charged yet.
    pub(super) fn asset(
        &self,
        origin: &Origin<'_>,
        mut record: Record,
        open: Option<InSight<'_, '_>>,
        budget: &Budget,
        pending: &mut Pending<'_>,
    ) {
        let Some(bytes) = pay(self.scan, origin, &mut record, budget) else { return };
        let around = record.member.as_ref().map_or(0, text_bytes);
        // Of a text, the view may give references that are not in the record.
        let shown = open.as_ref().filter(|open| open.asset.is_none()).map_or(0, |open| open.data.len() as u64);
        let sighting = open.map(|InSight { data, asset, budget, members }| Sighting {
            record: &record,
            data,
            asset,
            budget,
            members,
            is_continued: false,
        });
        pending.see(sighting.as_ref());
        if pending.add(Found::Asset(Box::new(record)), bytes.saturating_add(around).saturating_add(shown)) {
            self.hand_over(pending);
        }
    }

    /// Reports a result that is not an asset.
    pub(super) fn put(&self, found: Found) {
        self.put_seen(found, None);
    }

    /// Reports a result, and calls the view.
    pub(super) fn put_seen(&self, found: Found, sighting: Option<&Sighting<'_, '_>>) {
        let mut pending = self.pending();
        pending.see(sighting);
        pending.add(found, 0);
        self.hand_over(&mut pending);
    }

    /// Creates an empty batch of results.
    pub(super) fn pending(&self) -> Pending<'s> {
        Pending::new(self.caller)
    }

    /// Hands over one result at a time, until the callback breaks.
    pub(super) fn hand_over(&self, pending: &mut Pending<'_>) {
        self.scan.progress.add_assets(pending.assets());
        pending.hand_over(&self.scan.progress);
    }
}
