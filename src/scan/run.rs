//! A scan in progress: describes each file and member, visits its contents, and reports why if that exceeds the budget.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::crew::{Crew, MOST_JOBS};
use super::describe::{ALL, Described, Origin, describe_as, describe_opened, unreadable};
use super::finds::{Early, Finds, MOST_BYTES, Named, together};
use super::globs::Globs;
use super::known::stamp;
use super::members::{MEMBER_WORK, Rest, afford, container, pay, text_bytes};
use super::prefetch::{Prefetch, Waits};
use super::progress::Stretch;
use super::units::Unit;
use super::walk::{NextIf, Target, Use};
use super::{FileId, Found, Record, Scan, Sighting};
use crate::asset::Asset;
use crate::asset::address::{Address, open_member};
use crate::asset::container::{Container, Form, Member};
use crate::asset::stored::Stored;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Held, Memory};
use crate::ranges::Data;
use crate::summary::{Problem, Summary};

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
struct Inside<'i, 'a> {
    container: Container<'a>,
    data: &'a [u8],
    stretch: &'i Stretch<'i>,
    /// The size of `data`, to convert the members' sizes to progress.
    whole: u64,
}

/// The maximum number of bytes charged for opening an archive again. Larger archives are mapped, not read.
const READ_WHOLE: u64 = 4 << 20;

/// A scan in progress.
pub(super) struct Run<'s, V, F> {
    pub(super) scan: &'s Scan,
    /// For the members of archives.
    pub(super) globs: Globs,
    pub(super) crew: Arc<Crew>,
    memory: Memory,
    /// The remaining work for all units of each archive that is scanned in units.
    units: Mutex<HashMap<FileId, Budget>>,
    /// The options of the scan, for the stamp of each file.
    pub(super) question: String,
    pub(super) view: V,
    callback: Mutex<F>,
    /// Names of files to show to the view even if they are not assets.
    pub(super) texts: fn(&Path) -> bool,
}

impl<'s, T, V, F> Run<'s, V, F>
where
    T: Send,
    V: Fn(&Sighting<'_, '_>) -> T + Sync,
    F: FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
{
    pub(super) fn new(scan: &'s Scan, globs: Globs, view: V, callback: F) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let crew = Arc::new(Crew::new(scan.jobs.filter(|&jobs| jobs > 0).unwrap_or_else(cores).min(MOST_JOBS)));
        let (memory, question, callback) = (Memory::default(), scan.question(), Mutex::new(callback));
        Self { scan, globs, crew, memory, units: Mutex::default(), question, view, callback, texts: |_| false }
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
        if let Some(stores) = scan.stores.as_deref().filter(|stores| stores.has(&target.path)) {
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
        match address.open_told(scan.access, &scan.limits, target.named) {
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
        budget.until(self.scan.progress.switch()).helped_by(self.crew.clone())
    }

    /// Returns the budget that all units of this archive share, for opening it and listing its members.
    fn budget_of_units(&self, path: &Path, bytes: u64) -> Budget {
        let budget = || Budget::new(bytes, &self.scan.limits);
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        FileId::of(path).map_or_else(|_| budget(), |id| units.entry(id).or_insert_with(budget).clone())
    }

    /// Describes bytes that are not open yet.
    pub(super) fn bytes(&self, path: &Path, data: &[u8]) {
        self.scan.progress.begin();
        self.scan.progress.open(data.len() as u64);
        let (budget, stretch) = (self.budget(data.len() as u64), Stretch::new(&self.scan.progress, data.len() as u64));
        let mut finds = Finds::default();
        self.look(&Origin::file(path), data, &budget, &stretch, &mut finds);
        self.hand_over(&mut finds);
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
        let mut finds = Finds::default();
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
                return self.look(&origin, content, content.budget(), &stretch, &mut finds);
            }
            self.asset(&origin, describe_opened(scan, &address.file, &opened, &budget), None, &budget, &mut finds);
            true
        });
        self.hand_over(&mut finds);
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
        finds: &mut Finds<T>,
    ) -> bool {
        let format = Format::of_file(origin.name(), data);
        if format.is_none() && !origin.is_expected() && !(self.texts)(origin.name()) {
            return false;
        }
        let puts_off = origin.depth == 0 && data.len() >= LARGE_ARCHIVE && self.crew.is_many();
        let Described { mut record, opened, told, late } =
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
            self.crew.beside(step, || {
                if let Some((inside, _)) = &inside {
                    let mut rest = Rest::new(&inside.container, members.clone(), budget);
                    let budget = rest.budget(budget);
                    self.members(origin, inside, &mut rest, &budget, Some(&early));
                }
            });
            late.tell(&mut record.summary.problems);
        }
        let inner = told.as_ref().map_or(budget, Held::budget);
        let open = InSight { data, asset, budget: inner, members: members.clone() };
        self.asset(origin, record, Some(open), budget, finds);
        drop(told);
        if let Some((inside, _)) = inside {
            self.hand_over(finds);
            let (mut early, done) = early.into_parts();
            self.hand_over(&mut early);
            let mut rest = Rest::new(&inside.container, done..members.end, budget);
            let budget = rest.budget(budget);
            self.members(origin, &inside, &mut rest, &budget, None);
        }
        true
    }

    /// Visits a later part of an archive, and the parts after it that follow in the list of units. The record of the
    /// archive comes with its first part.
    fn look_on(
        &self,
        origin: &Origin<'_>,
        data: &[u8],
        budget: &Budget,
        mut stretch: Stretch<'s>,
        first: &Unit,
        next_if: &NextIf<'_>,
    ) -> Result<()> {
        let mut origin = origin.clone();
        let format = Format::of_file(origin.name(), data);
        let asset = Asset::parse_as(format, data, budget.limits())?;
        if !self.scan.archives {
            return Ok(());
        }
        let (Some(container), Some(format)) = (Container::of(&asset), format) else {
            let start = origin.members.start;
            return Err(Error::malformed(format!("no archive, though a unit begins with its member {start}")));
        };
        let count = container.members().map_while(Result::ok).count();
        let [by_entry, _] = MEMBER_WORK;
        // Each entry is read for the count, the names and the shared bytes.
        origin.charge_units((count as u64).saturating_mul(by_entry).saturating_mul(3))?;
        let mut rest = Rest::new(&container, 0..count, budget);
        let around = rest.budget(budget);
        let mut budget = around.clone();
        let path = origin.path;
        let record = origin.record(Summary::new(format, data.len() as u64), None);
        loop {
            let inside = Inside { container, data, stretch: &stretch, whole: stretch.bytes() };
            if let Err(error) = self.part(&origin, (&record, &asset), &inside, &mut rest, &budget) {
                self.put(Found::Unreadable(error.in_file(path)));
            }
            let reached = rest.reached;
            let is_file = origin.member.is_none();
            let is_same = |unit: &Unit| is_file && unit.path == first.path && unit.stamp == first.stamp;
            let follows = |unit: &Unit| is_same(unit) && unit.members().start >= reached;
            let Some(unit) = next_if(&follows) else { return Ok(()) };
            let bytes = unit.bytes.min(data.len() as u64);
            (stretch, budget) = (Stretch::new(&self.scan.progress, bytes), self.budget(bytes).inside(&around));
            origin.members = unit.members();
            self.scan.progress.begin();
            self.scan.progress.open(data.len() as u64);
            self.scan.progress.add_file();
        }
    }

    /// Visits one part of an archive.
    fn part<'a>(
        &self,
        origin: &Origin<'_>,
        (record, asset): (&Record, &Asset<'_>),
        inside: &Inside<'_, 'a>,
        rest: &mut Rest<'a>,
        budget: &Budget,
    ) -> Result<()> {
        let Range { start, end } = origin.members;
        rest.skip_to(start);
        let (count, error) = afford(origin, rest.members.clone().take(end.saturating_sub(start)), budget);
        let is_there = rest.reached == start;
        rest.end = start.saturating_add(count);
        let ends = || Error::malformed(format!("its members end before {}, which a unit names", rest.end));
        let error = error.or_else(|| (!is_there || rest.end < end).then(ends));
        let members = start..rest.end;
        let (data, is_continued) = (inside.data, true);
        let seen = (self.view)(&Sighting { record, data, asset: Some(asset), budget, members, is_continued });
        self.hand_over(&mut Finds::of(Found::Continued(origin.path.to_owned()), Some(seen)));
        self.members(origin, inside, rest, budget, None);
        error.map_or(Ok(()), Err)
    }

    /// Visits these members of an archive, which have been charged; early, as many of them as possible. An error that
    /// cuts the list of members short is a problem of the archive's own record.
    fn members<'a>(
        &self,
        origin: &Origin<'_>,
        &Inside { data, stretch, whole, .. }: &Inside<'_, 'a>,
        members: &mut Rest<'a>,
        budget: &Budget,
        early: Option<&Early<T>>,
    ) {
        // Data packed in another archive was loaded with that archive.
        let waits = Waits::from_now_on(self.scan.read_ahead && origin.depth == 0);
        let members = Prefetch::new(data, self.scan.depth, waits, members);
        let is_next =
            |named: &Named<'_>| !self.scan.progress.is_stopped() && early.is_none_or(|early| early.takes(named));
        self.crew.each(together(members.take_while(is_next)), |members| {
            let mut finds = early.map_or_else(Finds::default, Early::finds);
            let budget = budget.fork();
            let bytes = members.iter().map(|(_, member)| member.stored_byte_len()).fold(0, u64::saturating_add);
            let stretch = stretch.part(bytes, whole);
            for (name, member) in members {
                // The progress of small members is reported when all of them are done.
                let size = member.stored_byte_len();
                let stretch = stretch.part(if size < MOST_BYTES { 0 } else { size }, bytes);
                let use_as = self.globs.use_of(member.name());
                if use_as != Use::Nothing && !self.scan.progress.is_stopped() {
                    let origin = origin.inside(name, Stored::of(&member), use_as);
                    self.member(&origin, &member, &budget, &stretch, &mut finds);
                }
            }
            match early {
                Some(early) => early.keep(finds),
                None => self.hand_over(&mut finds),
            }
        });
    }

    pub(super) fn member(
        &self,
        origin: &Origin<'_>,
        member: &Member<'_>,
        budget: &Budget,
        stretch: &Stretch<'_>,
        finds: &mut Finds<T>,
    ) {
        if let Err((format, error)) = self.member_content(origin, member, budget, stretch, finds)
            && (format.is_some() || origin.is_promised() || (self.texts)(origin.name()))
        {
            let bytes = member.decoded_byte_len_hint();
            let record = unreadable(self.scan, origin, format, bytes, None, &error, budget);
            self.asset(origin, record, None, budget, finds);
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
        finds: &mut Finds<T>,
    ) -> Result<(), (Option<Format>, Error)> {
        let format = member.sniff().map_err(|error| (None, error))?;
        // LZSS is rare, and its beginning alone does not decode.
        let unknown = !matches!(member.form(), Form::InPlace | Form::Packed(crate::bytes::Packing::Deflate));
        if format.is_some() || origin.is_promised() || unknown || (self.texts)(origin.name()) {
            let content = member.decode(budget).map_err(|error| (format, error))?;
            self.look(origin, &content, content.budget(), stretch, finds);
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
        finds: &mut Finds<T>,
    ) {
        let Some(bytes) = pay(self.scan, origin, &mut record, budget) else { return };
        let around = record.member.as_ref().map_or(0, text_bytes);
        // Of a text, the view may give references that are not in the record.
        let shown = open.as_ref().filter(|open| open.asset.is_none()).map_or(0, |open| open.data.len() as u64);
        let seen = open.map(|InSight { data, asset, budget, members }| {
            (self.view)(&Sighting { record: &record, data, asset, budget, members, is_continued: false })
        });
        if finds.add(Found::Asset(Box::new(record)), seen, bytes.saturating_add(around).saturating_add(shown)) {
            self.hand_over(finds);
        }
    }

    /// Reports a result that is not an asset.
    pub(super) fn put(&self, found: Found) {
        self.hand_over(&mut Finds::of(found, None));
    }

    /// Hands over one result at a time, until the callback breaks.
    pub(super) fn hand_over(&self, finds: &mut Finds<T>) {
        self.scan.progress.add_assets(finds.assets());
        // A callback that panicked has ended its thread's work. The panic continues when the threads are joined.
        let mut callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner);
        for (found, seen) in finds.take() {
            if !self.scan.progress.is_stopped() && callback(found, seen).is_break() {
                self.scan.progress.stop();
            }
        }
    }
}
