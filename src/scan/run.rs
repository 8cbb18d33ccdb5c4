//! A scan in progress: describes each file and member, visits its contents, and reports why if that exceeds the budget.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::describe::{ALL, At, Late, LateCheck, Origin, describe_as, unreadable};
use super::found::{Found, Sighting};
use super::globs::Globs;
use super::identity::FileId;
use super::in_ranges::{Look, Shown};
use super::known::stamp;
use super::members::{container, pay, text_bytes};
use super::options::{Scan, Views};
use super::pending::{Caller, Early, MOST_BYTES, Pending, Together};
use super::prefetch::{Prefetch, Waits};
use super::progress::Stretch;
use super::record::Record;
use super::target::{Target, Use};
use super::unit_list::LaterUnits;
use super::workers::{MOST_JOBS, Workers};
use crate::asset::Asset;
use crate::asset::address::{Address, Content, Opened, open_member};
use crate::asset::container::{Container, Form, Member};
use crate::asset::stored::Stored;
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::stop;
use crate::blocks::stream_cache::StreamCache;
use crate::budget::{Budget, Held, Memory};
use crate::bytes::Packing;
use crate::formats::zip::Sound;
use crate::inspect::Depth;
use crate::ranges::{Data, Ranges};
use crate::summary::Problem;
use crate::visit::members::{Named, Reading, Rest, read};

/// From this size on, the checksum of an archive takes longer than asking another thread to help.
const LARGE_ARCHIVE: usize = 1 << 20;

/// The parts of an asset that the view sees, besides its record.
pub(super) struct InSight<'s, 'a> {
    pub(super) data: &'a [u8],
    pub(super) asset: Option<&'s Asset<'a>>,
    pub(super) budget: &'s Budget,
    pub(super) members: Range<usize>,
}

/// The present state of a file, by its metadata.
#[derive(Default)]
struct Version {
    /// A text that changes with the file and the options of the scan.
    stamp: Option<String>,
    /// The time of the last change.
    modified: Option<SystemTime>,
}

/// The bytes of an archive whose members are being visited.
#[derive(Clone, Copy)]
pub(super) struct Inside<'i, 'a> {
    pub(super) data: &'a [u8],
    pub(super) stretch: &'i Stretch<'i>,
    /// The size of `data`, to convert the members' sizes to progress.
    pub(super) whole: u64,
}

/// The maximum number of bytes charged for opening an archive again. Larger archives are mapped, not read.
const READ_WHOLE: u64 = 4 << 20;

/// How much of a deflated member is read at first for its header.
const BEGINNING: u64 = 2 << 10;

/// A scan in progress.
pub(super) struct Run<'s> {
    pub(super) scan: &'s Scan,
    /// For the members of archives.
    pub(super) globs: Globs,
    pub(super) workers: Arc<Workers>,
    pub(super) memory: Memory,
    /// The remaining work for all units of each archive that is scanned in units.
    pub(super) budgets_of_units: Mutex<HashMap<FileId, Budget>>,
    /// The options of the scan, for the stamp of each file.
    pub(super) question: String,
    pub(super) caller: &'s dyn Caller,
    /// Names of files to show to the view even if they are not assets.
    pub(super) texts: fn(&Path) -> bool,
    /// The units that follow, if units are scanned.
    pub(super) units_left: Option<&'s dyn LaterUnits>,
    /// Files of stores that may be read again at the end.
    #[cfg(feature = "stores")]
    pub(super) unread: Mutex<Vec<super::stores::Unread>>,
}

impl<'s> Run<'s> {
    /// Prepares a scan, without texts and units.
    pub(super) fn new(scan: &'s Scan, caller: &'s dyn Caller) -> Result<Self> {
        let jobs = match scan.jobs {
            Some(jobs) if jobs > 0 => jobs,
            _ => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        };
        Ok(Self {
            scan,
            globs: Globs::of_members(&scan.selection.globs)?,
            workers: Arc::new(Workers::new(jobs.min(MOST_JOBS))),
            memory: Memory::default(),
            budgets_of_units: Mutex::default(),
            question: scan.question(),
            caller,
            texts: |_| false,
            units_left: None,
            #[cfg(feature = "stores")]
            unread: Mutex::default(),
        })
    }

    /// Scans all of these.
    pub(super) fn over(&self, targets: &mut (dyn Iterator<Item = Result<Target>> + Send)) {
        let progress = &self.scan.progress;
        let _until = stop::Until::new(Some(progress.switch()));
        self.workers.each_that_comes(targets.take_while(|_| !progress.is_stopped()), |target| {
            progress.begin();
            match target {
                Ok(target) => self.target(target),
                Err(error) => self.put(Found::Unreadable(error)),
            }
        });
        #[cfg(feature = "stores")]
        self.unread_again();
    }

    fn target(&self, target: Target) {
        if target.use_as == Use::Nothing {
            return self.put(Found::PassedOver { path: target.path, named: target.named });
        }
        #[cfg(feature = "stores")]
        if let Some(stores) = self.scan.store_of(&target.path) {
            return self.stored(stores, target);
        }
        self.file(&target);
    }

    fn file(&self, target: &Target) {
        let scan = self.scan;
        let address = target.address();
        if let Some(unit) = &target.unit
            && let Err(error) = unit.unchanged(&address.file, scan)
        {
            return self.put(Found::Unreadable(error));
        }
        if target.use_as == Use::Whole
            && target.unit.is_none()
            && let Some(bytes) = self.unchanged(&address)
        {
            scan.progress.open(bytes);
            return self.skip(address, bytes);
        }
        let is_over = || scan.progress.is_stopped();
        let (file, metadata) = match address.open_with_metadata(scan.access, &scan.limits, target.named, &is_over) {
            Ok(opened) => opened,
            Err(error) => return self.put(Found::Unreadable(error)),
        };
        let mut version = Version::default();
        // Use the metadata from before reading: later writes show in the next one.
        if let Some(metadata) = &metadata
            && address.member.is_none()
        {
            version.modified = metadata.modified().ok();
            version.stamp = stamp(metadata, &self.question);
        }
        scan.progress.open(file.len() as u64);
        let found = self.address(&address, version, &file, target);
        let is_there = self.report_unless_asset(target, found);
        if let Err(error) = file.unchanged() {
            self.put(Found::Unreadable(error.in_file(&address.file)));
        }
        if is_there {
            scan.progress.add_file();
        }
    }

    /// Reports a target that is not an asset, or cannot be read. Returns true unless it cannot be read.
    pub(super) fn report_unless_asset(&self, target: &Target, is_asset: Result<bool>) -> bool {
        match is_asset {
            Ok(true) => {}
            Ok(false) => self.put(Found::NoAsset(target.path.clone())),
            Err(error) => {
                self.put(Found::Unreadable(error.in_file(&target.path)));
                return false;
            }
        }
        true
    }

    /// Returns the size of a file that has not changed since an earlier scan.
    fn unchanged(&self, address: &Address) -> Option<u64> {
        if address.member.is_some() {
            return None;
        }
        let known = self.scan.known.as_ref()?;
        let metadata = address.file.metadata().ok()?;
        let stamp = stamp(&metadata, &self.question)?;
        if known.has(&address.file, &stamp) { Some(metadata.len()) } else { None }
    }

    /// Reports a file that has not changed since an earlier scan.
    pub(super) fn skip(&self, address: Address, bytes: u64) {
        drop(Stretch::new(&self.scan.progress, bytes));
        self.scan.progress.add_file();
        self.put(Found::Unchanged(address.file));
    }

    /// Returns the members of this target, and for these the budget and the progress.
    pub(super) fn share(&self, target: &Target, whole: u64) -> (Range<usize>, Budget, Stretch<'s>) {
        let mut members = ALL;
        let mut bytes = whole;
        if let Some(unit) = &target.unit
            && unit.range.is_some()
        {
            members = unit.members();
            // The numbers of a unit are claims.
            bytes = unit.bytes.min(whole);
        }
        // The unit with the first part also processes the archive as a whole.
        let budget = self.budget(if members.start == 0 { whole } else { bytes });
        (members, budget, Stretch::new(&self.scan.progress, bytes))
    }

    /// Returns the budget of a file of this size.
    pub(super) fn budget(&self, bytes: u64) -> Budget {
        let budget = Budget::sharing(bytes, &self.scan.limits, &self.memory);
        budget.until(self.scan.progress.switch()).helped_by(self.workers.clone())
    }

    /// Describes bytes that are not open yet.
    pub(super) fn bytes(&self, path: &Path, data: &[u8]) {
        let _until = stop::Until::new(Some(self.scan.progress.switch()));
        self.scan.progress.begin();
        self.scan.progress.open(data.len() as u64);
        let (budget, stretch) = (self.budget(data.len() as u64), Stretch::new(&self.scan.progress, data.len() as u64));
        let mut pending = self.pending();
        let at = At { origin: &Origin::file(self.scan, path), budget: &budget };
        self.look(at, data, None, &stretch, &mut pending);
        self.hand_over(&mut pending);
        self.scan.progress.add_file();
    }

    /// Describes the target of an address in the file with these bytes.
    pub(super) fn in_bytes(&self, address: &Address, data: &[u8]) -> Result<()> {
        let progress = &self.scan.progress;
        let _until = stop::Until::new(Some(progress.switch()));
        progress.begin();
        progress.open(data.len() as u64);
        let target = self.scan.selection.named(address.file.clone(), None);
        self.address(address, Version::default(), data, &target)?;
        Ok(())
    }

    /// Describes the target of an address. Returns false if it is not in a known format.
    fn address(&self, address: &Address, version: Version, data: &[u8], target: &Target) -> Result<bool> {
        let whole = data.len() as u64;
        let (members, budget, stretch) = self.share(target, whole);
        let mut units = None;
        if members != ALL {
            let budget_of_units = self.budget_of_units(&address.file, whole);
            // A small archive is read whole for each unit that opens it again.
            let read = if members.start == 0 { whole } else { whole.min(READ_WHOLE) };
            if let Err(error) = budget_of_units.work(read) {
                self.put(Found::Unreadable(error.in_file(&address.file)));
                return Ok(true);
            }
            units = Some(budget_of_units);
        }
        let opened = open_member(&address.file, data, address.member.as_deref(), &budget)?;
        let origin = Origin::opened(self.scan, &address.file, &opened);
        let origin = Origin {
            stamp: version.stamp,
            modified: version.modified.or(origin.modified),
            use_as: target.use_as,
            members,
            units: units.as_ref(),
            named: target.is_expected(),
            ..origin
        };
        if let Some(unit) = &target.unit
            && let Ok(content) = &opened.content
            && origin.members.start > 0
        {
            let at = At { origin: &origin, budget: content.budget() };
            if let Err(error) = self.look_on(at, content, stretch, unit) {
                self.put(Found::Unreadable(error.in_file(origin.path)));
            }
            return Ok(true);
        }
        let mut pending = self.pending();
        let found = self.opened(At { origin: &origin, budget: &budget }, &opened, &stretch, &mut pending);
        self.hand_over(&mut pending);
        Ok(found)
    }

    /// Returns the error if the target of an address that is stored in place has another checksum, where all of its bytes
    /// are read anyway. An archive around it is not described, so nothing else checks it.
    fn fault_of(&self, content: &Content<'_>) -> Option<Error> {
        if self.scan.digests || self.scan.depth == Depth::Verify { content.check().err() } else { None }
    }

    /// Describes the target of an address and everything inside it. Returns false if it is not in a known format.
    pub(super) fn opened(
        &self,
        at: At<'_>,
        opened: &Opened<Content<'_>>,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) -> bool {
        match &opened.content {
            Ok(content) => {
                let fault = self.fault_of(content);
                self.look(At { budget: content.budget(), ..at }, content, fault, stretch, pending)
            }
            Err(error) => {
                self.asset(at, unreadable(at, opened.format, opened.bytes, None, error), None, pending);
                true
            }
        }
    }

    /// Describes these bytes and everything inside them. Returns false if they are not in a known format. The fault, if
    /// there is one, is the first problem of the record, and hides nothing.
    pub(super) fn look(
        &self,
        at: At<'_>,
        data: &[u8],
        fault: Option<Error>,
        stretch: &Stretch<'_>,
        pending: &mut Pending<'_>,
    ) -> bool {
        let At { origin, budget } = at;
        let format = Format::of_file(origin.name(), data);
        if format.is_none() && !origin.is_expected() && !(self.texts)(origin.name()) {
            return false;
        }
        let views = self.scan.views;
        let streams = match views {
            Views::Records => None,
            Views::Outlines => Some(StreamCache::over(data, budget, false)),
            Views::Arrays => Some(StreamCache::over(data, budget, true)),
        };
        let is_zip = format == Some(Format::Zip);
        let is_worth_it = is_zip || data.len() >= LARGE_ARCHIVE && self.workers.is_many();
        let puts_off = origin.depth == 0 && is_worth_it;
        let described = describe_as(at, format, Data::Whole(data), puts_off);
        let (mut record, asset) = (described.record, described.asset.as_ref());
        if let Some(fault) = &fault {
            record.summary.problems.insert(0, Problem::error(fault));
        }
        let mut archive = None;
        let mut members = 0..0;
        if let Some(asset) = asset
            && let Some((container, visited)) = container(at, asset, 0..origin.members.end, &mut record)
        {
            archive = Some(container);
            members = visited;
        }
        let inside = Inside { data, stretch, whole: data.len() as u64 };
        let early = Early::default();
        if let Some(late) = described.late {
            let visit = |archive: &Container<'_>| self.members_of(at, archive, members.clone(), inside, Some(&early));
            self.check_late(late, archive.as_ref(), &early, &visit, &mut record.summary.problems);
        }
        let inner = described.record_memory.as_ref().map_or(budget, Held::budget);
        self.asset(at, record, Some(InSight { data, asset, budget: inner, members: members.clone() }), pending);
        drop(described.record_memory);
        drop(streams);
        let Some(archive) = archive else { return true };
        self.hand_over(pending);
        let (batches, done) = early.into_parts();
        for mut batch in batches {
            self.hand_over(&mut batch);
        }
        self.members_of(at, &archive, done..members.end, inside, None);
        true
    }

    /// Does a deferred check, and visits members of the archive at the same time. Adds the problems before the others.
    fn check_late(
        &self,
        mut late: Late<'_>,
        archive: Option<&Container<'_>>,
        early: &Early<'s>,
        visit: &(dyn Fn(&Container<'_>) + Sync),
        problems: &mut Vec<Problem>,
    ) {
        let sound = Sound::default();
        match &mut late.check {
            LateCheck::Checksum { checksum, .. } => {
                let step = || {
                    let goes_on = checksum.step();
                    if !goes_on {
                        early.end();
                    }
                    goes_on
                };
                self.workers.beside(step, || archive.into_iter().for_each(visit));
            }
            LateCheck::Content { archive: zip, .. } => {
                if archive.is_some() {
                    visit(&Container::Zip(zip.noting(&sound)));
                }
            }
        }
        late.report(&sound, problems);
    }

    /// Visits the members with these indices of an archive, which have been charged; early, as many as possible.
    fn members_of(
        &self,
        at: At<'_>,
        archive: &Container<'_>,
        members: Range<usize>,
        inside: Inside<'_, '_>,
        early: Option<&Early<'s>>,
    ) {
        let mut rest = Rest::new(archive, members, at.budget);
        let budget = rest.budget(at.budget);
        self.members(At { budget: &budget, ..at }, inside, &mut rest, early);
    }

    /// Visits these members of an archive, which have been charged; early, as many of them as possible. An error that
    /// cuts the list of members short is a problem of the archive's own record.
    pub(super) fn members<'a>(
        &self,
        at: At<'_>,
        Inside { data, stretch, whole }: Inside<'_, 'a>,
        members: &mut Rest<'a>,
        early: Option<&Early<'s>>,
    ) {
        // Data packed in another archive was loaded with that archive.
        let waits = Waits::from_now_on(self.scan.read_ahead && at.origin.depth == 0);
        let members = Prefetch::new(data, self.scan.depth, waits, members);
        let is_next = |named: &Named<'_>| !self.scan.progress.is_stopped() && Early::takes_if(early, named);
        self.workers.each(Together(members.take_while(is_next)), |members| {
            let mut pending = self.pending().waiting(early.is_some());
            let budget = at.budget.fork();
            let mut bytes = Amount(0);
            for (_, member) in &members {
                bytes += member.stored_byte_len();
            }
            let stretch = stretch.part(bytes.0, whole);
            for (name, member) in members {
                // The progress of small members is reported when all of them are done.
                let size = member.stored_byte_len();
                let stretch = stretch.part(if size < MOST_BYTES { 0 } else { size }, bytes.0);
                let use_as = self.globs.use_of(member.name());
                if use_as == Use::Nothing || self.scan.progress.is_stopped() {
                    continue;
                }
                let origin = at.origin.inside(name, Stored::of(&member), use_as);
                let at = At { origin: &origin, budget: &budget };
                if !self.beginning(at, &member, data, &mut pending) {
                    self.member(at, &member, &stretch, &mut pending);
                }
            }
            match early {
                Some(early) => early.keep(pending),
                None => self.hand_over(&mut pending),
            }
        });
    }

    /// Describes a deflated member of this archive by its beginning. Returns false if it needs all of it.
    fn beginning(&self, at: At<'_>, member: &Member<'_>, archive: &[u8], pending: &mut Pending<'_>) -> bool {
        let scan = self.scan;
        let is_asked = scan.beginnings && scan.depth == Depth::Header && !scan.digests;
        let is_small = member.decoded_byte_len_hint() <= BEGINNING;
        if !is_asked || is_small || member.form() != Form::Packed(Packing::Deflate) || (self.texts)(at.origin.name()) {
            return false;
        }
        let mut ranges = Ranges::new(archive.len() as u64).with_first_read(BEGINNING);
        let question = |ranges: &Ranges| Ok(Look::member_alone(at, &self.globs, &member.in_ranges(ranges)));
        match ranges.load(archive, question) {
            Ok(Shown::Record(record)) => self.asset(at, *record, None, pending),
            Ok(Shown::Other) => {}
            Ok(Shown::Further) | Err(_) => return false,
        }
        true
    }

    pub(super) fn member(&self, at: At<'_>, member: &Member<'_>, stretch: &Stretch<'_>, pending: &mut Pending<'_>) {
        let is_expected = at.origin.is_promised() || (self.texts)(at.origin.name());
        match read(member, is_expected, at.budget, |_| member.view(at.budget).map(Some)) {
            Reading::Other => {}
            Reading::Content(content) => {
                let fault = if self.scan.digests { member.check(at.budget).err() } else { None };
                self.look(At { budget: content.budget(), ..at }, &content, fault, stretch, pending);
            }
            Reading::Unread { format, error } => {
                let record = unreadable(at, format, member.decoded_byte_len_hint(), None, &error);
                self.asset(at, record, None, pending);
            }
        }
    }

    /// Reports a record, if it is requested. Its content beyond names has not been charged yet.
    pub(super) fn asset(
        &self,
        at: At<'_>,
        mut record: Record,
        open: Option<InSight<'_, '_>>,
        pending: &mut Pending<'_>,
    ) {
        let Some(bytes) = pay(at, &mut record) else { return };
        let around = record.member.as_ref().map_or(0, text_bytes);
        // Of a text, the view may give references that are not in the record.
        let mut shown = 0;
        match open {
            Some(InSight { data, asset, budget, members }) => {
                if asset.is_none() {
                    shown = data.len() as u64;
                }
                pending.see(Some(&Sighting { record: &record, data, asset, budget, members, is_continued: false }));
            }
            None => pending.see(None),
        }
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
