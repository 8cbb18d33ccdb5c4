//! The record of one file or member, whether it opens or not.

use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use super::config_names::is_surely_config;
use super::lint;
use super::options::{Scan, Views};
use super::record::{Digests, Record};
use super::target::Use;
use crate::asset::Asset;
use crate::asset::address::{self, Content, Opened};
use crate::asset::stored::Stored;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::no_asset::NoAsset;
use crate::base::text::{ByteStr, Name};
use crate::blocks::stream_cache::StreamCache;
use crate::budget::{Budget, Held};
use crate::formats::pbo::{self, Checksum};
use crate::formats::rap::looks::{self, Least};
use crate::formats::rap::syntax;
use crate::formats::rap::text::Reader;
use crate::formats::zip::{self, Sound};
use crate::inspect::{Depth, Inspect as _, report_tear};
use crate::ranges::Data;
use crate::summary::{Problem, Problems, References, Summary};

/// The location of some bytes.
#[derive(Clone)]
pub(super) struct Origin<'p> {
    pub(super) scan: &'p Scan,
    pub(super) path: &'p Path,
    /// The path inside the file, if the file is an archive.
    pub(super) member: Option<Name>,
    /// The number of enclosing archives.
    pub(super) depth: u32,
    pub(super) use_as: Use,
    /// How the archive stores it.
    pub(super) stored: Option<Stored>,
    pub(super) stamp: Option<String>,
    /// The time of the last change of the file or member.
    pub(super) modified: Option<SystemTime>,
    /// The range of members to scan, if this is an archive.
    pub(super) members: Range<usize>,
    /// The remaining work for all units of the archive, if it is scanned in units.
    pub(super) units: Option<&'p Budget>,
    /// True if the caller named it. Then it has a record even if it is no asset.
    pub(super) named: bool,
}

/// The range of all members.
pub(super) const ALL: Range<usize> = 0..usize::MAX;

impl<'p> Origin<'p> {
    pub(super) fn file(scan: &'p Scan, path: &'p Path) -> Self {
        Self {
            scan,
            path,
            member: None,
            depth: 0,
            use_as: Use::Whole,
            stored: None,
            stamp: None,
            modified: None,
            members: ALL,
            units: None,
            named: true,
        }
    }

    /// The origin of what an address in this file opened.
    pub(super) fn opened(scan: &'p Scan, path: &'p Path, opened: &Opened<Content<'_>>) -> Self {
        let mut origin = Self::file(scan, path);
        origin.member = opened.member.clone();
        origin.depth = opened.depth;
        origin.stored = opened.stored.clone();
        if let Some(stored) = &opened.stored {
            origin.modified = stored.modified;
        }
        origin
    }

    /// The origin of a member of this archive.
    pub(super) fn inside(&self, name: Name, stored: Stored, use_as: Use) -> Self {
        let mut origin = Self::file(self.scan, self.path);
        origin.member = Some(address::MemberPath::join(self.member.as_ref(), name));
        origin.depth = self.depth.saturating_add(1);
        origin.use_as = use_as;
        origin.modified = stored.modified;
        origin.stored = Some(stored);
        origin.named = false;
        origin
    }

    /// Returns the innermost name: that of the member, if there is one.
    pub(super) fn name(&self) -> &Path {
        match &self.member {
            Some(member) => Path::new(address::unnumbered(&member.text)),
            None => self.path,
        }
    }

    /// Returns true if it has a record even if it is not an asset.
    pub(super) fn is_expected(&self) -> bool {
        self.named || self.is_promised()
    }

    /// Returns true if its name ends like an asset's.
    pub(super) fn is_promised(&self) -> bool {
        Format::from_extension(self.name()).is_some()
    }

    /// Charges for work that all units of the archive share.
    pub(super) fn charge_units(&self, bytes: u64) -> Result<()> {
        match self.units {
            Some(units) => units.charge_work(bytes),
            None => Ok(()),
        }
    }

    /// Returns the record in a box, as a [`Found`](super::Found) has it. A record is large, so moving it is slow.
    pub(super) fn record(&self, summary: Summary, digests: Option<Digests>) -> Box<Record> {
        Box::new(Record {
            path: self.path.to_owned(),
            member: self.member.clone(),
            summary,
            digests,
            stored: self.stored.clone(),
            prefix: None,
            stamp: self.stamp.clone(),
            modified: self.modified,
        })
    }
}

/// The location of some bytes, and the budget that they are charged to.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) origin: &'a Origin<'a>,
    pub(super) budget: &'a Budget,
}

/// The result of describing some bytes.
pub(super) struct Described<'p, 'a> {
    pub(super) record: Box<Record>,
    /// The asset, if it was parsed and surveyed.
    pub(super) asset: Option<&'p Asset<'a>>,
    /// The memory that the asset takes. `None` if it decodes nothing for itself.
    pub(super) held: Option<Held>,
    /// The memory that the record takes.
    pub(super) record_memory: Option<Held>,
    /// Deferred work.
    pub(super) late: Option<Late<'a>>,
}

/// The deferred check of an archive. Its record is not complete without it.
pub(super) struct Late<'a> {
    pub(super) check: LateCheck<'a>,
    /// Problems found before.
    problems: Problems,
}

/// What of an archive is checked while or after its members are visited.
pub(super) enum LateCheck<'a> {
    /// The checksum of a PBO.
    Checksum { archive: pbo::Archive<'a>, checksum: Checksum<'a> },
    /// The content of the members of a zip, except those with these indices. Most are decoded when they are visited.
    Content { archive: zip::Archive<'a>, shared: Vec<usize> },
}

impl Late<'_> {
    /// Inserts all problems before those that were found later. The content of members that are known to be sound is not
    /// decoded again.
    pub(super) fn report(mut self, sound: &Sound, problems: &mut Vec<Problem>) {
        match self.check {
            LateCheck::Checksum { archive, checksum } => {
                archive.report_checksum(checksum, &mut self.problems);
            }
            LateCheck::Content { archive, shared } => {
                archive.noting(sound).check_content(&shared, &mut self.problems);
            }
        }
        problems.splice(..0, self.problems.into_vec());
    }
}

/// Describes some bytes.
pub(super) fn describe(at: At<'_>, data: &[u8]) -> Box<Record> {
    let format = Format::of_file(at.origin.name(), data);
    let data = Data::Whole(data);
    describe_parsed(at, format, data, &parse(at, format, data), false).record
}

/// Charges for looking at some bytes, and parses them in this format.
pub(super) fn parse<'a>(at: At<'_>, format: Option<Format>, data: Data<'a>) -> Result<Asset<'a>> {
    at.budget.charge_work(data.size().saturating_add(RECORD_WORK))?;
    Asset::parse_in(format, data, at.budget.limits())
}

/// Describes bytes that were parsed in this format. If `puts_off`, an expensive check of an archive is deferred, and the
/// record's problems with it.
pub(super) fn describe_parsed<'p, 'a>(
    at: At<'_>,
    format: Option<Format>,
    data: Data<'a>,
    parsed: &'p Result<Asset<'a>>,
    puts_off: bool,
) -> Described<'p, 'a> {
    let surveyed = match parsed {
        Ok(asset) => survey(at, data, asset, puts_off),
        Err(error) => Err(error.clone()),
    };
    match surveyed {
        Ok(described) => described,
        Err(error) => {
            let mut record = unreadable(at, format, data.size(), Some(data), &error);
            if at.origin.named {
                add_names_of_text(at, data, &mut record);
            }
            Described { record, asset: None, held: None, record_memory: None, late: None }
        }
    }
}

/// Adds the names in a text, if it is a config.
fn add_names_of_text(At { origin, budget }: At<'_>, data: Data<'_>, record: &mut Record) {
    let Some(problem) = record.summary.problems.first_mut() else { return };
    if problem.code != Code::Text {
        return;
    }
    // The text is examined, and then read.
    if budget.charge_work(data.size().saturating_mul(2)).is_err() {
        return;
    }
    let Ok(text) = data.head(data.size()) else { return };
    if !is_surely_config(origin.name()) && !looks::is_config(text, Least::Entry) {
        return;
    }
    problem.message = NoAsset::Config.message().into();
    let mut references = References::new(&origin.scan.limits);
    for event in Reader::new(text) {
        if let Some(ask) = event.ask() {
            references.add(ask.kind, ByteStr::new(&ask.name));
        }
    }
    let mut problems = Problems::new(&origin.scan.limits);
    record.summary.references = references.into_vec(&mut problems);
    if origin.scan.depth == Depth::Verify && budget.charge_work(data.size()).is_ok() {
        syntax::check(text, &mut problems);
    }
    record.summary.problems.append(&mut problems.into_vec());
}

/// Names the damage to a binary that was saved as text. Of ranges, the first bytes may have to be requested.
fn recognize_text(data: Data<'_>, summary: &mut Summary) {
    if summary.is_damaged()
        && let Ok(head) = data.head(Summary::TEXT_HEAD)
    {
        summary.recognize_text(head);
    }
}

/// Describes an asset.
fn survey<'p, 'a>(at: At<'_>, data: Data<'_>, asset: &'p Asset<'a>, puts_off: bool) -> Result<Described<'p, 'a>> {
    let At { origin: Origin { scan, .. }, budget } = at;
    // Data that an asset decodes for itself is examined as often as its own bytes.
    let kept = asset.kept_bytes();
    budget.charge_work(kept.saturating_mul(2))?;
    // Most assets decode nothing for themselves.
    let held = if kept > 0 { Some(budget.hold(kept)?) } else { None };
    let around = held.as_ref().map_or(budget, Held::budget);
    let bytes = asset.size().saturating_add(kept);
    // This is all that is known before the survey.
    let names = bytes.saturating_mul(NAMES_PER_BYTE).min(scan.limits.reference_bytes.saturating_mul(2));
    let names = if names < FEW_NAMES { 0 } else { names };
    let mut record_memory = around.hold(names.min(around.room()))?;
    let mut problems = Problems::within(record_memory.budget().clone());
    let mut depth = scan.depth;
    if depth == Depth::Verify
        && let Err(error) = budget.charge_work(bytes)
    {
        problems.error(&error);
        depth = Depth::Summary;
    }
    let decodes = depth == Depth::Verify;
    let all = data;
    let data = if decodes || scan.digests { data.head(data.size())? } else { &[] };
    let reads_streams = decodes || scan.digests && scan.views == Views::Records;
    let _ahead = if reads_streams { Some(StreamCache::over(data, record_memory.budget(), decodes)) } else { None };
    let (mut summary, check) = survey_in_parts(asset, depth, decodes && puts_off, &mut problems);
    report_tear(asset, &mut problems);
    if decodes && scan.lint {
        match budget.charge_work(bytes) {
            Ok(()) => lint::check(asset, at.origin.name(), &mut problems),
            Err(error) => problems.error(&error),
        }
    }
    let late = match check {
        Some(check) => Some(Late { check, problems }),
        None => {
            summary.problems = problems.into_vec();
            None
        }
    };
    record_memory.shrink(bytes_of_names(&summary).saturating_mul(2));
    // Deferred problems are those of archives.
    recognize_text(all, &mut summary);
    let mut digests = None;
    if scan.digests {
        digests = Some(Digests::of(data, asset, record_memory.budget(), bytes, &mut summary.problems));
    }
    let mut record = at.origin.record(summary, digests);
    if let Asset::Pbo(archive) = asset {
        record.prefix = archive.prefix().map(Name::from);
    }
    Ok(Described { record, asset: Some(asset), held, record_memory: Some(record_memory), late })
}

/// Surveys an asset. If a check of it may be deferred, returns that check.
fn survey_in_parts<'a>(
    asset: &Asset<'a>,
    depth: Depth,
    may_defer: bool,
    problems: &mut Problems,
) -> (Summary, Option<LateCheck<'a>>) {
    if let Asset::Zip(archive) = asset
        && may_defer
    {
        let (summary, shared) = archive.survey_but_content(depth, problems);
        return (summary, Some(LateCheck::Content { archive: *archive, shared }));
    }
    if let Asset::Pbo(archive) = asset
        && may_defer
        && let Ok(Some(checksum)) = archive.checksum()
    {
        let summary = archive.survey_but_checksum(depth, problems);
        return (summary, Some(LateCheck::Checksum { archive: *archive, checksum }));
    }
    (asset.survey(depth, problems), None)
}

/// The bytes that the references of a record take.
fn bytes_of_names(summary: &Summary) -> u64 {
    let mut bytes = 0_u64;
    for reference in &summary.references {
        let name = reference.name.text.len() as u64;
        bytes = bytes.saturating_add(name.saturating_add(64));
    }
    bytes
}

/// Describes an asset that is already open.
pub(super) fn describe_asset(at: At<'_>, data: &[u8], asset: &Asset<'_>) -> Box<Record> {
    let data = Data::Whole(data);
    match survey(at, data, asset, false) {
        Ok(described) => described.record,
        Err(error) => unreadable(at, asset.format(), asset.size(), Some(data), &error),
    }
}

/// The most bytes of a record that the names of other files take per byte of an asset. The shortest name takes two
/// bytes in the asset and 64 more in the record, doubled while a list grows.
const NAMES_PER_BYTE: u64 = 64;
/// Amounts up to this are not counted: each thread has one record at a time.
const FEW_NAMES: u64 = 64 << 10;

/// The cost of making a record, in bytes of [work](Budget::charge_work).
const RECORD_WORK: u64 = 4096;

/// Returns the record of something that does not open, in this format if it is known. `bytes` is its size, and `data`
/// its content if that is available.
pub(super) fn unreadable(
    At { origin, budget }: At<'_>,
    format: impl Into<Option<Format>>,
    bytes: u64,
    data: Option<Data<'_>>,
    error: &Error,
) -> Box<Record> {
    let mut digests = None;
    if origin.scan.digests {
        let mut whole = None;
        if let Some(data) = data {
            whole = data.head(data.size()).ok();
        }
        digests = Some(Digests::of_file(whole, budget));
    }
    let mut summary = Summary::unreadable(format, bytes, error);
    if let Some(data) = data {
        recognize_text(data, &mut summary);
    }
    let mut record = origin.record(summary, digests);
    if !record.summary.is_asset() && !origin.is_promised() {
        // If the scan was not given this exact path, its record must not be reused for another.
        record.stamp = None;
    }
    record
}
