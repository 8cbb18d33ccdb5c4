//! One file or member: what it is, and if it is an archive, what is in it.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::crew::Crew;
use super::globs::Globs;
use super::progress::Stretch;
use super::walk::{Target, Use};
use super::{Depth, Digests, Found, MOST_JOBS, Record, Scan};
use crate::asset::Asset;
use crate::budget::{Budget, Memory};
use crate::container::{Container, Form, Member};
use crate::error::{Error, Result};
use crate::format::{Format, NoAsset};
use crate::limits::flag;
use crate::source::FileMap;
use crate::summary::{Code, Name, Problem, Problems, Summary};

/// Where some bytes were found.
#[derive(Clone)]
pub(super) struct Place<'p> {
    path: &'p Path,
    /// The path inside the file, where it is an archive.
    member: Option<Name>,
    /// How many archives are around.
    depth: u32,
    use_as: Use,
}

impl<'p> Place<'p> {
    pub(super) fn file(path: &'p Path) -> Self {
        Self { path, member: None, depth: 0, use_as: Use::Whole }
    }

    /// A member of the archive in this place.
    fn inside(&self, name: Name, use_as: Use) -> Self {
        let member = match &self.member {
            Some(outer) => Name { text: format!("{}!/{}", outer.text, name.text), lossy: outer.lossy || name.lossy },
            None => name,
        };
        Self { path: self.path, member: Some(member), depth: self.depth.saturating_add(1), use_as }
    }

    /// The innermost name: of the member, where it is one.
    fn name(&self) -> &Path {
        self.member.as_ref().map_or(self.path, |member| Path::new(&member.text))
    }

    /// The format that its name promises.
    fn promised_format(&self) -> Option<Format> {
        Format::from_extension(self.name())
    }

    fn record(&self, summary: Summary, digests: Option<Digests>) -> Record {
        Record { path: self.path.to_owned(), member: self.member.clone(), summary, digests }
    }
}

/// What a look at some bytes gives.
pub(super) struct Described<'a> {
    pub(super) record: Record,
    /// The archive that they are.
    container: Option<Container<'a>>,
}

/// The record of some bytes; `None` where neither they nor their name are an asset's, and where they are a text that only
/// shares its name with assets.
pub(super) fn describe<'a>(scan: &Scan, place: &Place<'_>, data: &'a [u8], budget: &Budget) -> Option<Described<'a>> {
    let known = Format::of_file(place.name(), data);
    let promised = || place.promised_format().filter(|_| NoAsset::of(data) != NoAsset::Text);
    let format = known.or_else(promised)?;
    let bytes = data.len() as u64;
    let opened =
        budget.work(bytes.saturating_add(RECORD_WORK)).and_then(|()| Asset::parse_as(known, data, budget.limits()));
    // What an asset decodes for itself is looked at as often as its own bytes are.
    let opened = opened.and_then(|asset| {
        let kept = asset.kept_bytes();
        let held = budget.work(kept.saturating_mul(2)).and_then(|()| budget.hold(kept))?;
        Ok((asset, held, bytes.saturating_add(kept)))
    });
    let (asset, held, bytes) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let record = unreadable(scan, place, format, bytes, &error);
            return Some(Described { record, container: None });
        }
    };
    let mut summary = asset.summarize();
    if scan.depth == Depth::Verify {
        let mut problems = Problems::within(held.budget().clone());
        match budget.work(bytes) {
            Ok(()) => asset.verify(&mut problems),
            Err(error) => problems.error(&error),
        }
        let met = std::mem::replace(&mut summary.problems, problems.into_vec());
        // What a summary leaves out for its size, verifying does not look for.
        let cut = met.into_iter().filter(|problem| problem.code == Code::Limit);
        let cut: Vec<_> = cut.filter(|problem| !summary.problems.contains(problem)).collect();
        summary.problems.extend(cut);
    }
    let digests = scan.digests.then(|| Digests::of(&*asset, held.budget(), bytes, &mut summary.problems));
    Some(Described { record: place.record(summary, digests), container: Container::of(&asset) })
}

/// What making a record costs, in bytes of [work](Budget::work).
const RECORD_WORK: u64 = 4096;
/// What looking at a member costs: at its entry alone, and where its beginning is inflated to see what it is.
const MEMBER_WORK: [u64; 2] = [256, 2048];
/// What a record takes of the results, beside its names and problems.
const RECORD_BYTES: u64 = 768;

/// The record of something that does not open.
fn unreadable(scan: &Scan, place: &Place<'_>, format: Format, bytes: u64, error: &Error) -> Record {
    place.record(Summary::unreadable(format, bytes, error), scan.digests.then(Digests::default))
}

/// A scan under way.
pub(super) struct Run<'s, F> {
    scan: &'s Scan,
    /// For the members of archives.
    globs: Globs,
    pub(super) crew: Crew,
    memory: Memory,
    callback: Mutex<F>,
}

impl<'s, F: FnMut(Found) -> ControlFlow<()> + Send> Run<'s, F> {
    pub(super) fn new(scan: &'s Scan, globs: Globs, callback: F) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let crew = Crew::new(scan.jobs.filter(|&jobs| jobs > 0).unwrap_or_else(cores).min(MOST_JOBS));
        Self { scan, globs, crew, memory: Memory::default(), callback: Mutex::new(callback) }
    }

    pub(super) fn file(&self, target: &Target) {
        let scan = self.scan;
        if target.use_as == Use::Nothing {
            return self.put(Found::PassedOver { path: target.path.clone(), named: target.named });
        }
        let open = if target.named { FileMap::open_with } else { FileMap::open_found };
        match open(&target.path, scan.access, &scan.limits) {
            Err(error) => self.put(Found::Unreadable(error)),
            Ok(file) => {
                let budget =
                    Budget::sharing(file.len() as u64, &scan.limits, &self.memory).until(scan.progress.switch());
                let stretch = Stretch::new(&scan.progress, file.len() as u64);
                let place = Place { use_as: target.use_as, ..Place::file(&target.path) };
                if !self.look(&place, &file, &budget, &stretch) {
                    self.put(Found::NoAsset { path: target.path.clone(), named: target.named });
                }
                if let Err(error) = file.unchanged() {
                    self.put(Found::Unreadable(error.in_file(&target.path)));
                }
                scan.progress.add_file();
            }
        }
    }

    /// Tells what these bytes are, and everything inside them; whether they are anything.
    fn look(&self, place: &Place<'_>, data: &[u8], budget: &Budget, stretch: &Stretch<'_>) -> bool {
        let Some(Described { mut record, container }) = describe(self.scan, place, data, budget) else { return false };
        let container = container.filter(|_| self.scan.archives);
        let too_deep = container.is_some() && place.depth >= self.scan.limits.archive_depth;
        if too_deep {
            let limit = self.scan.limits.archive_depth;
            let error = Error::limit("archives inside each other", limit, flag::ARCHIVE_DEPTH);
            record.summary.problems.push(Problem::error(&error));
        }
        let inside = container.filter(|_| !too_deep).map(|container| {
            let (count, error) = self.afford(place, &container, budget);
            record.summary.problems.extend(error.as_ref().map(Problem::error));
            (container, count)
        });
        self.asset(place, record, budget);
        if let Some((container, count)) = inside {
            let shared = container.overlapping();
            // What ends the list of members early is a problem of the archive's own record.
            let members = container.members().map_while(Result::ok).take(count).enumerate();
            let members = members.filter(|(index, _)| shared.binary_search(index).is_err());
            self.crew.each(members.take_while(|_| !self.scan.progress.is_stopped()), |(_, member)| {
                let stretch = stretch.part(member.stored_size(), data.len() as u64);
                let use_as = self.globs.use_of(member.name());
                if use_as != Use::Nothing {
                    self.member(&place.inside(member.name().into(), use_as), &member, budget, &stretch);
                }
            });
        }
        true
    }

    /// Pays for a look at the members of an archive and for a record of each, before the archive's own record is handed
    /// over, so that it can tell where the budget ends. How many members can be looked at, and why not all.
    fn afford(&self, place: &Place<'_>, container: &Container<'_>, budget: &Budget) -> (usize, Option<Error>) {
        let around = place.member.as_ref().map_or(0, text_bytes);
        let mut count = 0_usize;
        for member in container.members().map_while(Result::ok) {
            let [by_entry, by_beginning] = MEMBER_WORK;
            let work = if member.form() == Form::InPlace { by_entry } else { by_beginning };
            let name = (member.name().len() as u64).saturating_mul(LONGEST_ESCAPE);
            let results = RECORD_BYTES.saturating_add(around).saturating_add(name);
            let paid = budget.members(1).and_then(|()| budget.work(work)).and_then(|()| budget.output(results));
            if let Err(error) = paid {
                return (count, Some(error));
            }
            count = count.saturating_add(1);
        }
        (count, None)
    }

    fn member(&self, place: &Place<'_>, member: &Member<'_>, budget: &Budget, stretch: &Stretch<'_>) {
        let promised = place.promised_format();
        if let Err((format, error)) = self.member_content(place, member, promised, budget, stretch)
            && let Some(format) = format
        {
            self.asset(place, unreadable(self.scan, place, format, member.size_hint(), &error), budget);
        }
    }

    /// Decodes a member only if it may be an asset. What cannot be decoded is worth a record if it was meant to be one.
    fn member_content(
        &self,
        place: &Place<'_>,
        member: &Member<'_>,
        promised: Option<Format>,
        budget: &Budget,
        stretch: &Stretch<'_>,
    ) -> Result<(), (Option<Format>, Error)> {
        let sniffed = member.sniff().map_err(|error| (promised, error))?;
        let format = sniffed.or(promised);
        // LZSS is rare, and its beginning alone does not decode.
        let unknown = !matches!(member.form(), Form::InPlace | Form::Packed(crate::view::Packing::Deflate));
        if format.is_some() || unknown {
            let content = member.decode(budget).map_err(|error| (format, error))?;
            self.look(place, &content, content.budget(), stretch);
        }
        Ok(())
    }

    /// Hands over a record, if it is one of those asked for. What it tells beside its names has not been paid for.
    fn asset(&self, place: &Place<'_>, mut record: Record, budget: &Budget) {
        let wanted = &self.scan.formats;
        if place.use_as != Use::Whole || !wanted.is_empty() && !wanted.contains(&record.summary.format) {
            return;
        }
        let summary = &mut record.summary;
        let around = record.member.as_ref().map_or(0, text_bytes);
        let references = summary.references.iter().map(|reference| text_bytes(&reference.name).saturating_add(40));
        // A line of its own for each.
        let problems = summary.problems.iter().map(|problem| (problem.message.len() as u64).saturating_add(around));
        let problems = problems.map(|bytes| bytes.saturating_add(100));
        if let Err(error) = budget.output(references.chain(problems).fold(0, u64::saturating_add)) {
            summary.references.clear();
            summary.problems = vec![Problem::error(&error)];
        }
        self.scan.progress.add_asset();
        self.put(Found::Asset(Box::new(record)));
    }

    /// Hands over one find at a time, until nobody wants more.
    pub(super) fn put(&self, found: Found) {
        // A callback that panicked has ended its thread's work; the panic passes on when the threads are joined.
        let mut callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.scan.progress.is_stopped() && callback(found).is_break() {
            self.scan.progress.stop();
        }
    }
}

/// The most bytes that one byte of a name takes in a record: `\u0001`.
const LONGEST_ESCAPE: u64 = 6;

/// The bytes that a text takes in a record.
fn text_bytes(name: &Name) -> u64 {
    let escaped = name.text.bytes().filter(u8::is_ascii_control).count() as u64;
    let quoted = name.text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count() as u64;
    (name.text.len() as u64).saturating_add(quoted).saturating_add(escaped.saturating_mul(LONGEST_ESCAPE))
}
