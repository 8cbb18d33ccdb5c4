//! Finding the directory from the end of the bytes.

use super::directory::Directory;
use super::entries::{Entries, local_entry};
use super::wire::*;
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::bytes::cursor::Cursor;
use crate::ranges::Data;

/// A number of the end record that the zip64 record has instead.
const WIDE: u32 = u32::MAX;

/// The signature of the first part of an archive on several disks, or of an archive that was meant to be one. It is that
/// of a descriptor.
const MARKERS: [&[u8]; 2] = [b"PK\x07\x08", b"PK00"];

/// An end record, and how its comment fits the bytes after it.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    offset: u64,
    record: &'a EndRecord,
    comment: ByteStr<'a>,
    fit: Fit,
}

/// How the comment of an end record fits the bytes after the record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// It ends with them.
    Exact,
    /// There are bytes after it.
    Before,
    /// Its end is missing.
    Cut,
}

/// The end records among the last bytes.
struct Candidates<'a> {
    tail: &'a [u8],
    /// The offset of the tail.
    start: u64,
    position: usize,
}

impl<'a> Candidates<'a> {
    fn of(data: Data<'a>) -> Result<Self> {
        let longest = (size_of::<EndRecord>() as u64).saturating_add(u16::MAX.into());
        let start = data.size().saturating_sub(longest);
        Ok(Self { tail: data.get(start..data.size())?, start, position: 0 })
    }
}

impl<'a> Iterator for Candidates<'a> {
    type Item = Candidate<'a>;

    fn next(&mut self) -> Option<Candidate<'a>> {
        loop {
            let rest = self.tail.get(self.position..)?;
            let here = self.position.saturating_add(memchr::memmem::find(rest, &EndRecord::SIGNATURE)?);
            self.position = here.saturating_add(1);
            let bytes = self.tail.get(here..)?;
            let Some(record) = EndRecord::at_start(bytes) else { continue };
            let after = bytes.get(size_of::<EndRecord>()..).unwrap_or_default();
            let claimed = usize::from(record.comment_bytes.get());
            let fit = match claimed.cmp(&after.len()) {
                std::cmp::Ordering::Equal => Fit::Exact,
                std::cmp::Ordering::Less => Fit::Before,
                std::cmp::Ordering::Greater => Fit::Cut,
            };
            let comment = ByteStr::new(after.get(..claimed).unwrap_or(after));
            return Some(Candidate { offset: self.start.saturating_add(here as u64), record, comment, fit });
        }
    }
}

/// Returns true if there is an end record, whether or not it leads to a directory.
pub(crate) fn has_end_record(data: Data<'_>) -> Result<bool> {
    Ok(Candidates::of(data)?.next().is_some())
}

/// The result of the search.
pub(super) enum Search<'a> {
    Found(Directory<'a>),
    /// No end record leads to a directory, for this reason.
    Nowhere(Error),
}

/// Finds the directory to which an end record leads. Of several end records, one whose comment ends with the bytes is
/// preferred to one before other bytes, and that to one whose comment is cut. Of several alike, the last is taken, but two
/// that end with the bytes are an error, because readers differ in which they take.
pub(super) fn find(data: Data<'_>) -> Result<Search<'_>> {
    let mut broken = None;
    for fit in [Fit::Exact, Fit::Before, Fit::Cut] {
        let mut found: Option<Directory<'_>> = None;
        for candidate in Candidates::of(data)? {
            if candidate.fit != fit {
                continue;
            }
            match candidate.directory(data) {
                Ok(directory) => {
                    if let Some(earlier) = found
                        && fit == Fit::Exact
                    {
                        let earlier = earlier.end_offset;
                        let offset = candidate.offset;
                        let message = format!("two zip end records fit, at {earlier:#x} and {offset:#x}");
                        return Err(Error::malformed(message).at(earlier));
                    }
                    found = Some(directory);
                }
                Err(error) if error.incomplete().is_some() => return Err(error),
                Err(error) => broken = broken.or(Some(error)),
            }
        }
        let Some(directory) = found else { continue };
        // An end record among the files of another archive belongs to a member, so it is not the end.
        let is_inside = fit != Fit::Exact && directory.prefix > 0 && begins_with_entry(data)?;
        if !is_inside {
            return Ok(Search::Found(directory.with_prefix()?));
        }
    }
    if let Some(directory) = find_by_entries(data)? {
        return Ok(Search::Found(directory));
    }
    Ok(Search::Nowhere(broken.unwrap_or_else(|| Error::malformed("zip archive without an end record"))))
}

/// Finds the directory by its entries, before an end record that ends with the bytes. If there are fewer entries than it
/// says, the headers before the files are better. If it is of several disks and its first file is not here, there is none.
fn find_by_entries(data: Data<'_>) -> Result<Option<Directory<'_>>> {
    let Some(candidate) = Candidates::of(data)?.find(|candidate| candidate.fit == Fit::Exact) else { return Ok(None) };
    let Some(directory) = candidate.directory_by_entries(data)? else { return Ok(None) };
    if directory.claim().is_marked() && !directory.leads_to_file()? {
        return Ok(None);
    }
    let count = directory.entries().filter(Result::is_ok).count() as u64;
    if directory.entry_count == Some(count) || !begins_with_entry(data)? {
        return Ok(Some(directory));
    }
    Ok(None)
}

/// Returns true if the bytes begin with the header of a file, or with a marker before it.
pub(super) fn begins_with_entry(data: Data<'_>) -> Result<bool> {
    let start = if is_marked(data)? { 4 } else { 0 };
    is_local_at(data, start)
}

/// Returns true if the bytes begin with a marker: they are an archive on several disks, or were meant to become one.
pub(super) fn is_marked(data: Data<'_>) -> Result<bool> {
    let head = data.head(4)?;
    Ok(MARKERS.iter().any(|marker| head.starts_with(marker)))
}

impl<'a> Candidate<'a> {
    /// Finds the directory to which this record leads.
    fn directory(&self, data: Data<'a>) -> Result<Directory<'a>> {
        let locator = locator(data, self.offset)?;
        let mut directory = Directory::empty(data, self.offset);
        directory.end = *self.record;
        directory.comment = self.comment;
        if let Some(locator) = locator
            && let Some((offset, record)) = zip64_record(data, self.offset, locator)?
        {
            directory.stop = offset;
            directory.zip64 = Some(record);
            let found = directory.claimed_by(&Claim::of_zip64(record));
            match found {
                Err(error) if error.incomplete().is_none() && !self.is_wide() => {}
                found => return found,
            }
        }
        // The classic record may have the numbers, too.
        if locator.is_some() && directory.zip64.is_none() && self.is_wide() {
            let offset = self.offset.saturating_sub(size_of::<Zip64Locator>() as u64);
            return Err(Error::malformed("zip64 locator that leads to no record").at(offset));
        }
        directory.claimed_by(&Claim::of_classic(self.record))
    }

    /// Finds the directory by its entries: those that end at this record, or at that of zip64. This reads all bytes.
    fn directory_by_entries(&self, data: Data<'a>) -> Result<Option<Directory<'a>>> {
        let bytes = data.get(0..self.offset)?;
        let mut directory = Directory::empty(data, self.offset);
        directory.end = *self.record;
        directory.comment = self.comment;
        if let Some(locator) = locator(data, self.offset)?
            && let Some((offset, record)) = zip64_record(data, self.offset, locator)?
        {
            directory.stop = offset;
            directory.zip64 = Some(record);
        }
        let claim = directory.claim();
        directory.entry_count = Some(claim.entries);
        let end = usize::try_from(directory.stop).unwrap_or(usize::MAX);
        let Some(start) = entries_before(bytes.get(..end).unwrap_or_default()) else { return Ok(None) };
        directory.start = start;
        directory.prefix = start.saturating_sub(claim.offset);
        Ok(Some(directory.with_prefix()?))
    }

    /// Returns true if the location of the directory is in the zip64 record alone.
    fn is_wide(&self) -> bool {
        self.record.directory_bytes.get() == WIDE || self.record.directory_offset.get() == WIDE
    }
}

/// What an end record says of the directory.
pub(super) struct Claim {
    pub(super) disk: u64,
    pub(super) directory_disk: u64,
    pub(super) disk_entries: u64,
    pub(super) entries: u64,
    pub(super) bytes: u64,
    pub(super) offset: u64,
}

impl Claim {
    /// Returns the numbers of a classic end record.
    pub(super) fn of_classic(record: &EndRecord) -> Self {
        Self {
            disk: record.disk.get().into(),
            directory_disk: record.directory_disk.get().into(),
            disk_entries: record.disk_entries.get().into(),
            entries: record.entries.get().into(),
            bytes: record.directory_bytes.get().into(),
            offset: record.directory_offset.get().into(),
        }
    }

    /// Returns the numbers of a zip64 end record.
    pub(super) fn of_zip64(record: &Zip64EndRecord) -> Self {
        Self {
            disk: record.disk.get().into(),
            directory_disk: record.directory_disk.get().into(),
            disk_entries: record.disk_entries.get(),
            entries: record.entries.get(),
            bytes: record.directory_bytes.get(),
            offset: record.directory_offset.get(),
        }
    }

    /// Returns true if the archive is marked as one of several disks.
    fn is_marked(&self) -> bool {
        self.disk > 0 || self.directory_disk > 0
    }
}

impl<'a> Directory<'a> {
    /// Returns the directory that an end record claims. An archive in one piece may be marked by mistake as one of
    /// several disks; its files are here all the same.
    fn claimed_by(mut self, claim: &Claim) -> Result<Self> {
        self.entry_count = Some(claim.entries);
        let is_marked = claim.is_marked();
        match self.locate(claim.offset, claim.bytes) {
            Err(error) if error.incomplete().is_some() || !is_marked => return Err(error),
            Err(_) => return Err(several_disks(self.end_offset, claim.disk)),
            Ok(()) => {}
        }
        if is_marked && !self.leads_to_file()? {
            return Err(several_disks(self.end_offset, claim.disk));
        }
        Ok(self)
    }

    /// Sets the start and the prefix of the directory that ends at `stop`, from its claimed offset and size. Where the
    /// two contradict each other, the one that leads to an entry is right, and the claims are compared by
    /// [`check`](Self::check).
    fn locate(&mut self, offset: u64, bytes: u64) -> Result<()> {
        let by_size = self.stop.checked_sub(bytes);
        if by_size == Some(offset) {
            self.start = offset;
            self.prefix = 0;
            self.data.get(self.start..self.stop)?;
            if bytes > 0 && !is_central_at(self.data, offset, self.stop)? {
                return Err(self.nowhere(offset, bytes));
            }
            return Ok(());
        }
        let mut places = [None; 3];
        if let Some(start) = by_size
            && let Some(prefix) = start.checked_sub(offset)
        {
            places[0] = Some((start, prefix));
        }
        // The earlier one first, so that no entry is lost.
        let by_offset = if offset < self.stop { Some(offset) } else { None };
        places[1] = by_offset.min(by_size).or(by_offset).or(by_size).map(|start| (start, 0));
        places[2] = by_offset.max(by_size).map(|start| (start, 0));
        let mut first = None;
        for (start, prefix) in places.into_iter().flatten() {
            if !is_central_at(self.data, start, self.stop)? {
                continue;
            }
            self.start = start;
            self.prefix = prefix;
            self.data.get(self.start..self.stop)?;
            if self.leads_to_file()? {
                return Ok(());
            }
            first = first.or(Some((start, prefix)));
        }
        // An empty archive after other bytes.
        let is_empty = bytes == 0 && self.entry_count == Some(0);
        let Some((start, prefix)) = first.or(places[0].filter(|_| is_empty)) else {
            return Err(self.nowhere(offset, bytes));
        };
        self.start = start;
        self.prefix = prefix;
        Ok(())
    }

    /// Sets the prefix so that the first entry leads to the header with its name, if there is one and the claims do not
    /// lead to it. Reads all bytes up to that header. The work is linear, so this is done once, for the directory that was
    /// found.
    fn with_prefix(mut self) -> Result<Self> {
        let claim = self.claim();
        let bytes = self.stop.saturating_sub(self.start);
        let is_plain = self.prefix == 0 && claim.offset == self.start && claim.bytes == bytes;
        if is_plain || self.leads_to_file()? {
            return Ok(self);
        }
        let Some(Ok(entry)) = self.entries().next() else { return Ok(self) };
        let bytes = self.data.get(0..self.start)?;
        for place in memchr::memmem::find_iter(bytes, &LocalHeader::SIGNATURE) {
            let Some(prefix) = (place as u64).checked_sub(entry.header_offset) else { continue };
            let local = self.data.read(place as u64, |cursor| local_entry(*cursor));
            if local.is_ok_and(|local| local.name == entry.name) {
                self.prefix = prefix;
                break;
            }
        }
        Ok(self)
    }

    /// Returns what the end record says of the directory, or that of zip64 if there is one.
    pub(super) fn claim(&self) -> Claim {
        match self.zip64 {
            Some(record) => Claim::of_zip64(record),
            None => Claim::of_classic(&self.end),
        }
    }

    fn nowhere(&self, offset: u64, bytes: u64) -> Error {
        let message = format!("zip directory of {bytes} bytes at {offset:#x} does not end at its end record");
        Error::malformed(message).at(self.stop)
    }

    /// Returns true if the header of a file is where one of the first entries says, with its name. One entry alone may be
    /// wrong.
    fn leads_to_file(&self) -> Result<bool> {
        for entry in self.entries().map_while(Result::ok).take(4) {
            let offset = self.prefix.saturating_add(entry.header_offset);
            if is_local_at(self.data, offset)? && self.local(offset)?.name == entry.name {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the offset of the first entry from which entries follow one another up to the end of these bytes. The work is
/// in proportion to the bytes.
fn entries_before(bytes: &[u8]) -> Option<u64> {
    // The fixed part of an entry has 46 bytes.
    let mut steps = bytes.len() / 46;
    for start in memchr::memmem::find_iter(bytes, &CentralHeader::SIGNATURE) {
        let mut entries = Entries::new(Cursor::with_offset(bytes.get(start..)?, start as u64), 0);
        let mut is_sound = true;
        for entry in entries.by_ref() {
            is_sound = entry.is_ok();
            steps = steps.checked_sub(1)?;
        }
        if is_sound && entries.left() == 0 {
            return Some(start as u64);
        }
    }
    None
}

/// Returns the zip64 record to which a locator leads, and its offset.
fn zip64_record<'a>(
    data: Data<'a>,
    end_offset: u64,
    locator: &Zip64Locator,
) -> Result<Option<(u64, &'a Zip64EndRecord)>> {
    let bytes = size_of::<Zip64EndRecord>() as u64;
    let locator_offset = end_offset.saturating_sub(size_of::<Zip64Locator>() as u64);
    // With bytes before the archive, the record is not at its claimed offset, but it is still before its locator.
    for offset in [locator.record_offset.get(), locator_offset.saturating_sub(bytes)] {
        let end = offset.saturating_add(bytes);
        if end > locator_offset {
            continue;
        }
        if let Some(record) = Zip64EndRecord::at_start(data.get(offset..end)?) {
            return Ok(Some((offset, record)));
        }
    }
    Ok(None)
}

pub(super) fn locator(data: Data<'_>, end_offset: u64) -> Result<Option<&Zip64Locator>> {
    let Some(offset) = end_offset.checked_sub(size_of::<Zip64Locator>() as u64) else { return Ok(None) };
    Ok(Zip64Locator::at_start(data.get(offset..end_offset)?))
}

/// Returns true if an entry of the directory starts at this offset.
fn is_central_at(data: Data<'_>, offset: u64, stop: u64) -> Result<bool> {
    let end = offset.saturating_add(size_of::<CentralHeader>() as u64);
    Ok(end <= stop && CentralHeader::at_start(data.get(offset..end)?).is_some())
}

/// Returns true if the header of a file is at this offset.
fn is_local_at(data: Data<'_>, offset: u64) -> Result<bool> {
    let end = offset.saturating_add(size_of::<LocalHeader>() as u64);
    if end > data.size() || LocalHeader::at_start(data.get(offset..end)?).is_none() {
        return Ok(false);
    }
    match data.read(offset, |cursor| local_entry(*cursor)) {
        Err(error) if error.incomplete().is_some() => Err(error),
        entry => Ok(entry.is_ok()),
    }
}

/// `disk` is the number of the last disk, counted from 0.
fn several_disks(offset: u64, disk: u64) -> Error {
    let part = disk.saturating_add(1);
    let message = format!("zip archive on several disks, of which this is part {part}, the last");
    Error::unsupported(message).at(offset)
}
