//! The walk of one thread over a file. Threads share the members of an archive, except when only ranges of the file are
//! available.

use std::ops::Range;

use super::beginning::{Shown, describe_beginning};
use super::describe::{ALL, At, Late, LateCheck, Origin, describe_parsed, parse, unreadable};
use super::found::{Found, Sighting};
use super::members::{container, pay, text_bytes};
use super::options::Views;
use super::pending::{Early, MOST_BYTES, Pending, Together};
use super::prefetch::{Prefetch, Waits};
use super::progress::Stretch;
use super::record::Record;
use super::run::Run;
use super::target::Use;
use crate::asset::Asset;
use crate::asset::address::{self, Opened};
use crate::asset::container::{Container, Content, Form, Member};
use crate::asset::stored::Stored;
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::blocks::stream_cache::StreamCache;
use crate::budget::{Budget, Held};
use crate::bytes::Packing;
use crate::formats::zip::Sound;
use crate::inspect::Depth;
use crate::ranges::{Data, Ranges};
use crate::summary::Problem;
use crate::visit::members::{Named, Rest};
use crate::visit::walk::{Archive, Bytes, Flow, Unread, Visitor, enter, walk};

/// From this size on, the checksum of an archive takes longer than asking another thread to help.
const LARGE_ARCHIVE: usize = 1 << 20;

/// How much of a deflated member is read at first for its header.
const BEGINNING: u64 = 2 << 10;

/// The origin of an asset, and its part of the file's progress.
pub(super) struct Spot<'p> {
    pub(super) origin: Origin<'p>,
    pub(super) stretch: Stretch<'p>,
}

impl<'p> Spot<'p> {
    pub(super) fn at<'a>(&'a self, budget: &'a Budget) -> At<'a> {
        At { origin: &self.origin, budget }
    }
}

/// The parts of an asset that the view sees, besides its record.
pub(super) struct InSight<'s, 'a> {
    pub(super) data: &'a [u8],
    pub(super) asset: Option<&'s Asset<'a>>,
    pub(super) budget: &'s Budget,
    pub(super) members: Range<usize>,
}

/// The archive whose members are being visited.
#[derive(Clone, Copy)]
pub(super) struct Inside<'i, 'a> {
    pub(super) data: &'a [u8],
    /// The members' stored sizes are shares of this number, for the progress.
    pub(super) whole: u64,
    /// The budget of the members.
    pub(super) budget: &'i Budget,
}

/// A walk over a file, or over a few members of an archive, and its results.
pub(super) struct Descent<'r, 's> {
    run: &'r Run<'s>,
    pending: Pending<'s>,
    /// True if the last bytes that it looked at have a record. It looks once for a file and once for each member of its
    /// batch; those inside are looked at by others, unless it walks ranges.
    is_recognized: bool,
    /// True for ranges of a file: it reads as little as possible, and visits members one by one. The ranges record missing
    /// bytes.
    by_ranges: bool,
}

impl<'r, 's> Descent<'r, 's> {
    pub(super) fn new(run: &'r Run<'s>) -> Self {
        Self { run, pending: run.pending(), is_recognized: false, by_ranges: false }
    }

    /// Creates a walk over data of which parts may be missing.
    pub(super) fn by_ranges(run: &'r Run<'s>) -> Self {
        Self { by_ranges: true, ..Self::new(run) }
    }

    /// Describes the target of an address and everything inside it. Returns false if it is not in a known format.
    pub(super) fn opened(&mut self, spot: &Spot<'_>, opened: &Opened<address::Content<'_>>, budget: &Budget) -> bool {
        match &opened.content {
            Ok(content) => self.describe(spot, Data::Whole(content), content.budget(), self.fault_of(content)),
            Err(error) => {
                let at = spot.at(budget);
                self.asset(at, unreadable(at, opened.format, opened.bytes, None, error), None);
                true
            }
        }
    }

    /// Returns the error if the target of an address that is stored in place has another checksum, where all of its bytes
    /// are read anyway. An archive around it is not described, so nothing else checks it.
    fn fault_of(&self, content: &address::Content<'_>) -> Option<Error> {
        let scan = self.run.scan;
        if scan.digests || scan.depth == Depth::Verify { content.check().err() } else { None }
    }

    /// Describes these bytes and everything inside them. Returns false if they have no record, because they are not in a
    /// known format. The fault, if there is one, is the first problem of the record, and hides nothing.
    pub(super) fn describe(&mut self, spot: &Spot<'_>, data: Data<'_>, budget: &Budget, fault: Option<Error>) -> bool {
        // The walk of a scan never breaks. It looks at the progress before each member.
        let _ = walk(self, spot, Bytes { data, budget, fault });
        self.is_recognized
    }

    /// Visits a member of the archive at this spot, unless a glob excludes it or the scan was stopped.
    fn member(
        &mut self,
        around: &Spot<'_>,
        archive: Data<'_>,
        (name, member): Named<'_>,
        stretch: Stretch<'_>,
        budget: &Budget,
    ) {
        let use_as = self.run.globs.use_of(member.name());
        if use_as == Use::Nothing || self.run.scan.progress.is_stopped() {
            return;
        }
        let origin = around.origin.inside(name, Stored::of(&member), use_as);
        let spot = Spot { origin, stretch };
        if !self.beginning(&spot, &member, archive, budget) {
            let _ = enter(self, &spot, &member, budget);
        }
    }

    /// Describes a deflated member of this archive by its beginning. Returns false if it needs all of it.
    fn beginning(&mut self, spot: &Spot<'_>, member: &Member<'_>, archive: Data<'_>, budget: &Budget) -> bool {
        let Data::Whole(archive) = archive else { return false };
        let Run { scan, texts, .. } = self.run;
        let at = spot.at(budget);
        let is_asked = scan.beginnings && scan.depth == Depth::Header && !scan.digests;
        let is_small = member.decoded_byte_len_hint() <= BEGINNING;
        if !is_asked || is_small || member.form() != Form::Packed(Packing::Deflate) || texts(at.origin.name()) {
            return false;
        }
        let mut ranges = Ranges::new(archive.len() as u64).with_first_read(BEGINNING);
        let question = |ranges: &Ranges| Ok(describe_beginning(at, &member.in_ranges(ranges)));
        match ranges.load(archive, question) {
            Ok(Shown::Record(record)) => self.asset(at, record, None),
            Ok(Shown::Other) => {}
            Ok(Shown::Further) | Err(_) => return false,
        }
        true
    }

    /// Reports a record, if it is requested. Its content beyond names has not been charged yet.
    pub(super) fn asset(&mut self, at: At<'_>, mut record: Box<Record>, open: Option<InSight<'_, '_>>) {
        let Some(bytes) = pay(at, &mut record) else { return };
        let around = record.member.as_ref().map_or(0, text_bytes);
        // Of a text, the view may give references that are not in the record.
        let mut shown = 0;
        match open {
            Some(InSight { data, asset, budget, members }) => {
                if asset.is_none() {
                    shown = data.len() as u64;
                }
                let sighting = Sighting { record: &record, data, asset, budget, members, is_continued: false };
                self.pending.see(Some(&sighting));
            }
            None => self.pending.see(None),
        }
        if self.pending.add(Found::Asset(record), bytes.saturating_add(around).saturating_add(shown)) {
            self.hand_over();
        }
    }

    /// Hands over the results so far.
    pub(super) fn hand_over(&mut self) {
        self.run.hand_over(&mut self.pending);
    }
}

impl Visitor for Descent<'_, '_> {
    type Place<'p> = Spot<'p>;

    fn look<'a>(&mut self, spot: &Spot<'_>, bytes: Bytes<'_, 'a>) -> Flow<Option<Archive<'a>>> {
        let Bytes { data, budget, fault } = bytes;
        let Run { scan, texts, workers, .. } = self.run;
        let origin = &spot.origin;
        let at = spot.at(budget);
        // The ranges have recorded missing bytes.
        let Ok(format) = Format::of_file_in(origin.name(), data) else { return Flow::Continue(None) };
        // Views and deferred checks need all bytes.
        let (bytes, is_whole) = match data {
            Data::Whole(bytes) => (bytes, true),
            Data::Parts(_) => (&[][..], false),
        };
        self.is_recognized = format.is_some() || origin.is_expected() || texts(origin.name());
        if !self.is_recognized {
            return Flow::Continue(None);
        }
        let streams = if is_whole { streams_for(scan.views, bytes, budget) } else { None };
        let is_zip = format == Some(Format::Zip);
        let is_worth_it = is_zip || bytes.len() >= LARGE_ARCHIVE && workers.is_many();
        let puts_off = is_whole && origin.depth == 0 && is_worth_it;
        let parsed = parse(at, format, data);
        let described = describe_parsed(at, format, data, &parsed, puts_off);
        let (mut record, asset) = (described.record, described.asset);
        if let Some(fault) = &fault {
            record.summary.problems.insert(0, Problem::error(fault));
        }
        let mut archive = None;
        let mut members = 0..0;
        // For ranges, all members are charged, so that every batch gets the same record of the archive.
        let charged = if is_whole { 0..origin.members.end } else { ALL };
        if let Some(asset) = asset
            && let Some((container, visited)) = container(at, asset, charged, &mut record)
        {
            archive = Some(container);
            members = origin.members.start..origin.members.end.min(visited.end);
        }
        let early = Early::default();
        if let Some(late) = described.late {
            let visit = |archive: &Container<'_>| {
                let rest = Rest::new(archive, members.clone(), budget);
                self.run.members_of(spot, bytes, rest, budget, Some(&early));
            };
            self.run.check_late(late, archive.as_ref(), &early, &visit, &mut record.summary.problems);
        }
        let inner = described.record_memory.as_ref().map_or(budget, Held::budget);
        // The archive's own record is reported with its first members.
        if origin.members.start == 0 {
            self.asset(at, record, Some(InSight { data: bytes, asset, budget: inner, members: members.clone() }));
        } else {
            self.run.put(Found::Continued(origin.path.to_owned()));
        }
        drop(described.record_memory);
        drop(streams);
        let Some(container) = archive else { return Flow::Continue(None) };
        self.hand_over();
        let (batches, done) = early.into_parts();
        for mut batch in batches {
            self.run.hand_over(&mut batch);
        }
        let members = members.start.saturating_add(done)..members.end;
        Flow::Continue(Some(Archive { data, container, members, held: described.held }))
    }

    fn members(&mut self, spot: &Spot<'_>, archive: &Archive<'_>, around: &Budget) -> Flow {
        let members = archive.rest(around);
        match archive.data {
            Data::Whole(bytes) => self.run.members_of(spot, bytes, members, around, None),
            Data::Parts(_) => {
                let budget = members.budget(around);
                for named in members {
                    self.member(spot, archive.data, named, spot.stretch.part(0, 1), &budget);
                }
            }
        }
        Flow::Continue(())
    }

    fn is_promised(&self, spot: &Spot<'_>) -> bool {
        spot.origin.is_promised() || (self.run.texts)(spot.origin.name())
    }

    fn content<'a>(&mut self, member: &Member<'a>, _: Option<Format>, budget: &Budget) -> Result<Option<Content<'a>>> {
        if self.by_ranges {
            return member.content(budget).map(Some);
        }
        member.view(budget).map(|bytes| Some(Content::Whole(bytes)))
    }

    fn checks(&self) -> bool {
        self.run.scan.digests
    }

    fn unread(&mut self, spot: &Spot<'_>, unread: Unread<'_>) -> Flow {
        let at = spot.at(unread.budget);
        self.asset(at, unreadable(at, unread.format, unread.byte_len, None, &unread.error), None);
        Flow::Continue(())
    }
}

/// Returns the cache that the view needs for streams in these bytes.
fn streams_for<'a>(views: Views, bytes: &'a [u8], budget: &Budget) -> Option<StreamCache<'a>> {
    match views {
        Views::Records => None,
        Views::Outlines => Some(StreamCache::over(bytes, budget, false)),
        Views::Arrays => Some(StreamCache::over(bytes, budget, true)),
    }
}

impl<'s> Run<'s> {
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

    /// Visits these members of the archive in `data`, which have been charged; early, as many of them as possible. An
    /// error that cuts the list of members short is a problem of the archive's own record.
    fn members_of<'a>(
        &self,
        spot: &Spot<'_>,
        data: &'a [u8],
        mut rest: Rest<'a>,
        around: &Budget,
        early: Option<&Early<'s>>,
    ) {
        let budget = &rest.budget(around);
        let inside = Inside { data, whole: data.len() as u64, budget };
        self.members(spot, inside, &mut rest, early);
    }

    /// Visits members like [`members_of`](Self::members_of), with their own budget.
    pub(super) fn members<'a>(
        &self,
        spot: &Spot<'_>,
        inside: Inside<'_, 'a>,
        members: &mut Rest<'a>,
        early: Option<&Early<'s>>,
    ) {
        let Inside { data, whole, budget: within } = inside;
        // Data packed in another archive was loaded with that archive.
        let waits = Waits::from_now_on(self.scan.read_ahead && spot.origin.depth == 0);
        let members = Prefetch::new(data, self.scan.depth, waits, members);
        let is_next = |named: &Named<'_>| !self.scan.progress.is_stopped() && Early::takes_if(early, named);
        self.workers.each(Together(members.take_while(is_next)), |members| {
            let mut descent = Descent::new(self);
            descent.pending = descent.pending.waiting(early.is_some());
            let budget = within.fork();
            let mut bytes = Amount(0);
            for (_, member) in &members {
                bytes += member.stored_byte_len();
            }
            let stretch = spot.stretch.part(bytes.0, whole);
            for named in members {
                // The progress of small members is reported when all of them are done.
                let (_, member) = &named;
                let size = member.stored_byte_len();
                let stretch = stretch.part(if size < MOST_BYTES { 0 } else { size }, bytes.0);
                descent.member(spot, Data::Whole(data), named, stretch, &budget);
            }
            match early {
                Some(early) => early.keep(descent.pending),
                None => descent.hand_over(),
            }
        });
    }
}
