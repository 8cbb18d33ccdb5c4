//! One file or member: what it is, and if it is an archive, what is in it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::iter::{ParallelBridge, ParallelIterator};

use super::walk::Target;
use super::{Depth, Digests, Found, Record, Scan};
use crate::asset::Asset;
use crate::container::{Budget, Container, Form, Member};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::flag;
use crate::source::FileMap;
use crate::summary::{Name, Problem, Problems, Summary};

/// Where some bytes were found.
#[derive(Clone)]
pub(super) struct Place<'p> {
    path: &'p Path,
    /// The path inside the file, where it is an archive.
    member: Option<Name>,
    /// How many archives are around.
    depth: u32,
}

impl<'p> Place<'p> {
    pub(super) fn file(path: &'p Path) -> Self {
        Self { path, member: None, depth: 0 }
    }

    /// A member of the archive in this place.
    fn inside(&self, name: Name) -> Self {
        let member = match &self.member {
            Some(outer) => Name { text: format!("{}!/{}", outer.text, name.text), lossy: outer.lossy || name.lossy },
            None => name,
        };
        Self { path: self.path, member: Some(member), depth: self.depth.saturating_add(1) }
    }

    /// The format that its name promises.
    fn promised_format(&self) -> Option<Format> {
        Format::from_extension(self.member.as_ref().map_or(self.path, |member| Path::new(&member.text)))
    }

    fn record(&self, summary: Summary, digests: Option<Digests>) -> Record {
        Record { path: self.path.to_owned(), member: self.member.clone(), summary, digests }
    }
}

/// The record of some bytes, and the archive that they are; `None` where neither they nor their name are an asset's.
pub(super) fn describe<'a>(scan: &Scan, place: &Place<'_>, data: &'a [u8]) -> Option<(Record, Option<Container<'a>>)> {
    let format = Format::sniff(data).or_else(|| place.promised_format())?;
    match Asset::parse_with(data, &scan.limits) {
        Ok(asset) => {
            let mut summary = asset.summarize();
            if scan.depth == Depth::Verify {
                let mut problems = Problems::new(&scan.limits);
                asset.verify(&mut problems);
                summary.problems = problems.into_vec();
            }
            let digests = scan.digests.then(|| Digests::of(&*asset, &mut summary.problems));
            Some((place.record(summary, digests), Container::of(&asset)))
        }
        Err(error) => Some((unreadable(scan, place, format, data.len() as u64, &error), None)),
    }
}

/// The record of something that does not open.
fn unreadable(scan: &Scan, place: &Place<'_>, format: Format, bytes: u64, error: &Error) -> Record {
    place.record(Summary::unreadable(format, bytes, error), scan.digests.then(Digests::default))
}

/// A scan under way.
pub(super) struct Run<'s, F> {
    scan: &'s Scan,
    callback: Mutex<F>,
}

impl<'s, F: FnMut(Found) -> ControlFlow<()> + Send> Run<'s, F> {
    pub(super) fn new(scan: &'s Scan, callback: F) -> Self {
        Self { scan, callback: Mutex::new(callback) }
    }

    pub(super) fn file(&self, target: &Target) {
        let scan = self.scan;
        match FileMap::open_with(&target.path, scan.access, &scan.limits) {
            Err(error) => self.put(Found::Unreadable(error)),
            Ok(file) => {
                let budget = Budget::new(file.len() as u64, &scan.limits);
                if !self.look(&Place::file(&target.path), &file, &budget) {
                    self.put(Found::NoAsset { path: target.path.clone(), named: target.named });
                }
                if let Err(error) = file.unchanged() {
                    self.put(Found::Unreadable(error.in_file(&target.path)));
                }
                scan.progress.add_file(file.len() as u64);
            }
        }
    }

    /// Tells what these bytes are, and everything inside them; whether they are anything.
    fn look(&self, place: &Place<'_>, data: &[u8], budget: &Budget) -> bool {
        let Some((mut record, container)) = describe(self.scan, place, data) else { return false };
        let container = container.filter(|_| self.scan.archives);
        let too_deep = container.is_some() && place.depth >= self.scan.limits.archive_depth;
        if too_deep {
            let limit = self.scan.limits.archive_depth;
            let error = Error::limit("archives inside each other", limit, flag::ARCHIVE_DEPTH);
            record.summary.problems.push(Problem::error(&error));
        }
        self.asset(record);
        if let Some(container) = container.filter(|_| !too_deep) {
            // What ends the list of members early is a problem of the archive's own record.
            let members = container.members().map_while(Result::ok);
            members.take_while(|_| !self.scan.progress.is_stopped()).par_bridge().for_each(|member| {
                self.member(&place.inside(member.name().into()), &member, budget);
            });
        }
        true
    }

    fn member(&self, place: &Place<'_>, member: &Member<'_>, budget: &Budget) {
        let promised = place.promised_format();
        if let Err((format, error)) = self.member_content(place, member, promised, budget)
            && let Some(format) = format
        {
            self.asset(unreadable(self.scan, place, format, member.size_hint(), &error));
        }
    }

    /// Decodes a member only if it may be an asset. What cannot be decoded is worth a record if it was meant to be one.
    fn member_content(
        &self,
        place: &Place<'_>,
        member: &Member<'_>,
        promised: Option<Format>,
        budget: &Budget,
    ) -> Result<(), (Option<Format>, Error)> {
        let sniffed = member.sniff().map_err(|error| (promised, error))?;
        let format = sniffed.or(promised);
        // LZSS is rare, and its beginning alone does not decode.
        let unknown = !matches!(member.form(), Form::InPlace | Form::Packed(crate::view::Packing::Deflate));
        if format.is_some() || unknown {
            let content = member.decode(budget).map_err(|error| (format, error))?;
            self.look(place, &content, budget);
        }
        Ok(())
    }

    fn asset(&self, record: Record) {
        let wanted = &self.scan.formats;
        if wanted.is_empty() || wanted.contains(&record.summary.format) {
            self.scan.progress.add_asset();
            self.put(Found::Asset(Box::new(record)));
        }
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
