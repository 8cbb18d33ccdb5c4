//! Assets of which only ranges are read.

use std::iter::zip;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use meshpeek::address::{Names, locate};
use meshpeek::container::{Container, Form, Member};
use meshpeek::scan::Stored;
use meshpeek::summary::{Code, Name};
use meshpeek::{Asset, Error, Format, Limits};

use super::{Data, Open};
use crate::open::{Bytes, Owner};
use crate::remote::Remote;

/// An asset in ranges.
pub(super) struct InRanges {
    pub(super) remote: Remote,
    /// Its format, or the reason that it cannot be read.
    pub(super) format: Result<Format, Error>,
    /// Without a readable format: the one that it starts like.
    pub(super) sniffed: Option<Format>,
    /// The same asset with all its bytes, once something needs them.
    whole: OnceLock<Arc<Open>>,
    /// The names of its members, once they are asked for by number.
    names: OnceLock<Vec<Name>>,
}

/// The bytes that show a format.
const HEAD: u64 = 4096;

/// The content of a member.
enum Part {
    /// As it is in the archive.
    Section(std::ops::Range<u64>),
    Decoded(Result<Vec<u8>, Error>),
}

/// The content of a member of an archive of this size. An error is one of the source: bytes that are not there yet.
fn part_of_member(open: &Open, member: &Member<'_>, size: u64) -> Result<(Stored, Part), Error> {
    let stored = Stored::of(member);
    if let Some(offset) = stored.offset {
        let end = offset.saturating_add(stored.bytes);
        // A member that ends after the archive has the error that decoding it gives.
        if member.form() == Form::InPlace && end <= size {
            return Ok((stored, Part::Section(offset..end)));
        }
    }
    match member.decode(&open.budget()) {
        Ok(content) => Ok((stored, Part::Decoded(Ok(content.into_inner().into_owned())))),
        // The caller fetches these bytes and asks again.
        Err(error) if error.incomplete().is_some() => Err(error),
        Err(error) => Ok((stored, Part::Decoded(Err(error)))),
    }
}

impl InRanges {
    /// Finds the format.
    pub(super) fn new(remote: Remote, name: &Path, limits: &Limits) -> Result<Self, Error> {
        let format = remote.load(|ranges| match Asset::parse_file_ranges(name, ranges, limits) {
            Ok(asset) => Ok(Ok(asset.format())),
            // Only an error of the source is one of this call.
            Err(error) if error.incomplete().is_some() => Err(error),
            Err(error) => Ok(Err(error)),
        })?;
        let head = 0..remote.byte_len().min(HEAD);
        let sniffed = match &format {
            Ok(format) => Some(*format),
            Err(_) => remote.load(|ranges| Ok(Format::of_file(name, ranges.get(head.clone())?)))?,
        };
        Ok(Self { remote, format, sniffed, whole: OnceLock::new(), names: OnceLock::new() })
    }
}

/// Works on an archive in ranges.
fn with_container<T>(
    open: &Open,
    inside: &InRanges,
    work: impl Fn(&Container<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    inside.remote.load(|ranges| {
        let asset = Asset::parse_file_ranges(open.own_name(), ranges, &open.limits)?;
        let Some(container) = Container::of(&asset) else {
            let text = format!("{} is no archive to go into", asset.format().title());
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, text).into());
        };
        work(&container)
    })
}

impl Open {
    /// The same asset with all its bytes, or `None` if it has them.
    pub(super) fn whole(&self) -> Result<Option<Arc<Self>>, Error> {
        let Some(inside) = &self.remote else { return Ok(None) };
        if let Some(whole) = inside.whole.get() {
            return Ok(Some(whole.clone()));
        }
        let data = Bytes::whole(Owner::Decoded(inside.remote.all()?));
        let mut whole = Self::with_data(self.path.clone(), data, &self.limits, self.own_name());
        whole.member = self.member.clone();
        whole.stored = self.stored.clone();
        whole.depth = self.depth;
        Ok(Some(inside.whole.get_or_init(|| Arc::new(whole)).clone()))
    }

    /// The member of this name, or of this path through nested archives.
    pub(super) fn member_in_ranges(&self, inside: &InRanges, names: &[u8]) -> Result<Self, Error> {
        self.may_go_deeper()?;
        let size = inside.remote.byte_len();
        let (name, rest, found) = with_container(self, inside, |container| {
            let located = locate(container, names)?;
            let found = part_of_member(self, &located.found.member, size)?;
            Ok((located.name, located.rest.map(<[u8]>::to_vec), found))
        })?;
        let member = self.open_part(inside, name, found)?;
        match rest {
            Some(rest) => member.member(&rest),
            None => Ok(member),
        }
    }

    /// The members' names, which are kept. Their memory counts as results.
    pub(super) fn names_in_ranges<'i>(&self, inside: &'i InRanges) -> Result<&'i [Name], Error> {
        if let Some(names) = inside.names.get() {
            return Ok(names);
        }
        let names = with_container(self, inside, |container| {
            let budget = self.budget();
            let mut names = Names::of(container);
            let mut all = Vec::new();
            for member in container.members() {
                let Ok(member) = member else { break };
                let name = names.next(member.name());
                budget.charge_output(64 + name.text.len() as u64)?;
                all.push(name);
            }
            Ok(all)
        })?;
        Ok(inside.names.get_or_init(|| names))
    }

    /// The member with this number.
    pub(super) fn member_at_in_ranges(&self, inside: &InRanges, index: usize) -> Result<Option<Self>, Error> {
        self.may_go_deeper()?;
        let Some(name) = self.names_in_ranges(inside)?.get(index) else { return Ok(None) };
        let size = inside.remote.byte_len();
        let found = with_container(self, inside, |container| match container.members().nth(index) {
            Some(member) => Ok(Some(part_of_member(self, &member?, size)?)),
            None => Ok(None),
        })?;
        match found {
            Some(found) => Ok(Some(self.open_part(inside, name.clone(), found)?)),
            None => Ok(None),
        }
    }

    /// The number of the first member from this one on that a walk opens, or of that after the last one.
    pub(super) fn next_in_ranges(&self, inside: &InRanges, from: usize, every: bool) -> Result<usize, Error> {
        let names = self.names_in_ranges(inside)?;
        with_container(self, inside, |container| {
            let shared = container.overlapping();
            let mut index = from;
            for (name, member) in zip(names.iter().skip(from), container.members().skip(from)) {
                let is_wanted = every || super::walker::may_be_asset(self.path.as_path(), name, &member?)?;
                if is_wanted && shared.binary_search(&index).is_err() {
                    return Ok(index);
                }
                index += 1;
            }
            Ok(index)
        })
    }

    fn open_part(&self, inside: &InRanges, name: Name, (stored, part): (Stored, Part)) -> Result<Self, Error> {
        let data = match part {
            Part::Section(range) => Data::Ranges(inside.remote.section(range)),
            Part::Decoded(bytes) => Data::Here(bytes.map(|bytes| Bytes::whole(Owner::Decoded(bytes)))),
        };
        self.inside(name, 1, Some(stored), data)
    }

    pub(super) fn may_go_deeper(&self) -> Result<(), Error> {
        let limit = self.limits.archive_depth;
        if self.depth >= limit {
            return Err(Error::limit("archives inside each other", limit, Code::ArchiveDepthLimit));
        }
        Ok(())
    }
}
