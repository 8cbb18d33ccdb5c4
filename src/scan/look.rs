//! One file or member: what it is, and if it is an archive, what is in it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::iter::{ParallelBridge, ParallelIterator};

use super::record::Stored;
use super::walk::Target;
use super::{Depth, Digests, Found, Record, Scan, Sighting};
use crate::address::{self, Address, Names, Opened, open_member};
use crate::asset::Asset;
use crate::container::{Budget, Container, Form, Member};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::summary::{Name, Problem, Problems, Summary};

/// Where some bytes were found.
#[derive(Clone)]
pub(super) struct Place<'p> {
    path: &'p Path,
    /// The path inside the file, where it is an archive.
    member: Option<Name>,
    /// How many archives are around.
    depth: u32,
    /// How it lies in the archive.
    stored: Option<Stored>,
    stamp: Option<String>,
}

impl<'p> Place<'p> {
    pub(super) fn file(path: &'p Path) -> Self {
        Self { path, member: None, depth: 0, stored: None, stamp: None }
    }

    /// What an address in this file leads to.
    pub(super) fn opened(path: &'p Path, opened: &Opened<'_>) -> Self {
        let (member, stored) = (opened.member.clone(), opened.stored.clone());
        Self { path, member, depth: opened.depth, stored, stamp: None }
    }

    /// A member of the archive in this place.
    fn inside(&self, name: Name, stored: Stored) -> Self {
        let (member, depth) = (Some(address::join(self.member.as_ref(), name)), self.depth.saturating_add(1));
        Self { path: self.path, member, depth, stored: Some(stored), stamp: None }
    }

    /// The format that its name promises.
    fn promised_format(&self) -> Option<Format> {
        Format::from_extension(self.member.as_ref().map_or(self.path, |member| Path::new(&member.text)))
    }

    fn record(&self, summary: Summary, digests: Option<Digests>) -> Record {
        Record {
            path: self.path.to_owned(),
            member: self.member.clone(),
            summary,
            digests,
            stored: self.stored.clone(),
            prefix: None,
            stamp: self.stamp.clone(),
        }
    }
}

/// The record of some bytes, and the asset that they are; `None` where neither they nor their name are an asset's.
pub(super) fn describe<'a>(scan: &Scan, place: &Place<'_>, data: &'a [u8]) -> Option<(Record, Option<Asset<'a>>)> {
    let format = Format::sniff(data).or_else(|| place.promised_format())?;
    match Asset::parse_with(data, &scan.limits) {
        Ok(asset) => {
            let mut summary = asset.summarize();
            if scan.depth == Depth::Verify {
                let mut problems = Problems::new(&scan.limits);
                asset.verify(&mut problems);
                summary.problems = problems.into_vec();
            }
            let digests = scan.digests.then(|| Digests::of(data, &*asset, &mut summary.problems));
            let mut record = place.record(summary, digests);
            if let Asset::Pbo(archive) = &asset {
                record.prefix = archive.prefix().map(Name::from);
            }
            Some((record, Some(asset)))
        }
        Err(error) => {
            let mut record = unreadable(scan, place, format, data.len() as u64, &error);
            record.digests = scan.digests.then(|| Digests::of_file(Some(data)));
            Some((record, None))
        }
    }
}

/// The record of something that does not open.
fn unreadable(scan: &Scan, place: &Place<'_>, format: Format, bytes: u64, error: &Error) -> Record {
    place.record(Summary::unreadable(format, bytes, error), scan.digests.then(|| Digests::of_file(None)))
}

/// The record of what an address leads to.
pub(super) fn describe_opened(scan: &Scan, path: &Path, opened: &Opened<'_>) -> Option<Record> {
    let place = Place::opened(path, opened);
    match &opened.content {
        Ok(content) => describe(scan, &place, content).map(|(record, _)| record),
        Err(error) => {
            let format = opened.format.or_else(|| place.promised_format())?;
            Some(unreadable(scan, &place, format, opened.bytes, error))
        }
    }
}

/// A scan under way.
pub(super) struct Run<'s, V, F> {
    scan: &'s Scan,
    view: V,
    callback: Mutex<F>,
}

impl<'s, T, V, F> Run<'s, V, F>
where
    V: Fn(&Sighting<'_, '_>) -> T + Sync,
    F: FnMut(Found, Option<T>) -> ControlFlow<()> + Send,
{
    pub(super) fn new(scan: &'s Scan, view: V, callback: F) -> Self {
        Self { scan, view, callback: Mutex::new(callback) }
    }

    pub(super) fn file(&self, target: &Target) {
        let scan = self.scan;
        let address = match target.named {
            true => Address::parse(&target.path),
            false => Address { file: target.path.clone(), member: None },
        };
        // Taken before the file is read: what is written meanwhile shows in the next one.
        let stamp = address.member.is_none().then(|| scan.stamp(&address.file)).flatten();
        if let Some(stamp) = &stamp
            && scan.known.as_ref().is_some_and(|known| known.has(&address.file, stamp))
        {
            scan.progress.add_file(address.file.metadata().map_or(0, |metadata| metadata.len()));
            return self.put(Found::Unchanged(address.file));
        }
        match address.open(scan.access, &scan.limits) {
            Err(error) => self.put(Found::Unreadable(error)),
            Ok(file) => {
                self.address(&address, stamp, &file, target);
                if let Err(error) = file.unchanged() {
                    self.put(Found::Unreadable(error.in_file(&address.file)));
                }
                scan.progress.add_file(file.len() as u64);
            }
        }
    }

    fn address(&self, address: &Address, stamp: Option<String>, data: &[u8], target: &Target) {
        let scan = self.scan;
        let budget = Budget::new(data.len() as u64, &scan.limits);
        let found = open_member(data, address.member.as_deref(), &budget, &scan.limits).map(|opened| {
            if let Ok(content) = &opened.content {
                let place = Place { stamp, ..Place::opened(&address.file, &opened) };
                return self.look(&place, content, &budget);
            }
            describe_opened(scan, &address.file, &opened).map(|record| self.asset(record, None)).is_some()
        });
        match found {
            Ok(true) => {}
            Ok(false) => self.put(Found::NoAsset { path: target.path.clone(), named: target.named }),
            Err(error) => self.put(Found::Unreadable(error.in_file(&target.path))),
        }
    }

    /// Tells what these bytes are, and everything inside them; whether they are anything.
    fn look(&self, place: &Place<'_>, data: &[u8], budget: &Budget) -> bool {
        let Some((mut record, asset)) = describe(self.scan, place, data) else { return false };
        let container = asset.as_ref().and_then(Container::of).filter(|_| self.scan.archives);
        let too_deep = container.is_some() && place.depth >= self.scan.limits.archive_depth;
        if too_deep {
            let limit = self.scan.limits.archive_depth.into();
            let error = Error::new(ErrorKind::Limit { what: "archives inside each other", limit });
            record.summary.problems.push(Problem::error(&error));
        }
        self.asset(record, Some((data, asset.as_ref())));
        if let Some(container) = container.filter(|_| !too_deep) {
            let mut names = Names::of(&container);
            // What ends the list of members early is a problem of the archive's own record.
            let members = container.members().map_while(Result::ok).map(|member| (names.next(member.name()), member));
            members.take_while(|_| !self.scan.progress.is_stopped()).par_bridge().for_each(|(name, member)| {
                self.member(&place.inside(name, Stored::of(&member)), &member, budget);
            });
        }
        true
    }

    fn member(&self, place: &Place<'_>, member: &Member<'_>, budget: &Budget) {
        let promised = place.promised_format();
        if let Err((format, error)) = self.member_content(place, member, promised, budget)
            && let Some(format) = format
        {
            self.asset(unreadable(self.scan, place, format, member.size_hint(), &error), None);
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

    fn asset(&self, record: Record, opened: Option<(&[u8], Option<&Asset<'_>>)>) {
        let wanted = &self.scan.formats;
        if wanted.is_empty() || wanted.contains(&record.summary.format) {
            self.scan.progress.add_asset();
            let seen = opened.map(|(data, asset)| (self.view)(&Sighting { record: &record, data, asset }));
            self.hand_over(Found::Asset(Box::new(record)), seen);
        }
    }

    /// Hands over what is no asset.
    pub(super) fn put(&self, found: Found) {
        self.hand_over(found, None);
    }

    /// Hands over one find at a time, until nobody wants more.
    fn hand_over(&self, found: Found, seen: Option<T>) {
        // A callback that panicked has ended its thread's work; the panic passes on when the threads are joined.
        let mut callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.scan.progress.is_stopped() && callback(found, seen).is_break() {
            self.scan.progress.stop();
        }
    }
}
