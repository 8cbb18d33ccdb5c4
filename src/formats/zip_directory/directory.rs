//! The directory: found from the end of the bytes, or replaced by the local headers.

use zerocopy::FromZeros;
use zerocopy::little_endian::U32;

use super::entries::{CentralEntry, Entries, LocalEntry, local_entry};
use super::wire::*;
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::bytes::cursor::Cursor;
use crate::bytes::parser::up_to;
use crate::ranges::Data;

/// The location of an archive's directory.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    pub(crate) data: Data<'a>,
    /// The offset of the directory.
    pub start: u64,
    /// The offset of the end of the directory.
    pub stop: u64,
    /// The number of bytes before the archive, by which its own offsets are shifted.
    pub prefix: u64,
    /// The end record; the classic one of a zip64 archive.
    pub end: EndRecord,
    /// The offset of the end record.
    pub end_offset: u64,
    /// The archive's comment.
    pub comment: ByteStr<'a>,
    /// The claimed number of entries; `None` if the directory [is lost](Self::is_lost): there are only the headers before
    /// the files.
    pub entry_count: Option<u64>,
}

impl<'a> Directory<'a> {
    /// Finds the directory of the classic archive that ends at the end of these bytes. Searches the last 65,557 of
    /// them.
    ///
    /// # Errors
    /// Returns an error if there is no end record, if several fit, or if the one that fits does not match its
    /// directory. Returns [`Unsupported`](crate::ErrorKind::Unsupported) for zip64 and archives on several disks.
    pub fn find(data: &'a [u8]) -> Result<Self> {
        Self::find_in(Data::Whole(data))
    }

    pub(crate) fn find_in(data: Data<'a>) -> Result<Self> {
        let found = end_record(data)?.ok_or_else(no_end)?;
        let (end_offset, end, _) = found;
        if end.entries.get() == u16::MAX
            || [end.directory_bytes, end.directory_offset].contains(&U32::MAX_VALUE)
            || locator(data, end_offset)?.is_some()
        {
            return Err(Error::unsupported("zip64 archive").at(end_offset));
        }
        Self::classic(data, found)
    }

    /// Finds the directory, including that of a zip64 archive. If the end of the archive is missing, the headers before
    /// the files replace the directory, and [`is_lost`](Self::is_lost) returns true.
    ///
    /// # Errors
    /// Returns the errors of [`find`](Self::find), except for these cases.
    pub fn find_any(data: &'a [u8]) -> Result<Self> {
        Self::find_any_in(Data::Whole(data))
    }

    pub(crate) fn find_any_in(data: Data<'a>) -> Result<Self> {
        let begins_with_entry = || match data.read(0, |cursor| local_entry(*cursor)) {
            Err(error) if error.incomplete().is_some() => Err(error),
            entry => Ok(entry.is_ok()),
        };
        match end_record(data)? {
            None if begins_with_entry()? => Self::lost(data),
            None => Err(no_end()),
            Some(found) => {
                let directory = match locator(data, found.0)? {
                    Some(locator) => Self::zip64(data, found, locator),
                    None => Self::classic(data, found),
                }?;
                // An end record among the files of another archive belongs to a member, so it is not the end.
                let has_another = directory.prefix > 0 && begins_with_entry()?;
                let is_inside = has_another && directory.archive_end() < data.size();
                if is_inside { Self::lost(data) } else { Ok(directory) }
            }
        }
    }

    fn classic(data: Data<'a>, (end_offset, end, comment): Found<'a>) -> Result<Self> {
        if end.disk.get() != 0 || end.directory_disk.get() != 0 || end.disk_entries != end.entries {
            return Err(several_disks(end_offset));
        }
        let place = (end.directory_offset.get().into(), end.directory_bytes.get().into(), end.entries.get().into());
        Self::before(data, end_offset, place, (end_offset, end, comment))
    }

    fn zip64(data: Data<'a>, found: Found<'a>, locator: &Zip64Locator) -> Result<Self> {
        let locator_offset = found.0.saturating_sub(size_of::<Zip64Locator>() as u64);
        // With bytes before the archive, the record is not at its claimed offset, but it is still before its locator.
        let claimed = locator.record_offset.get();
        let near = locator_offset.saturating_sub(size_of::<Zip64EndRecord>() as u64);
        for offset in [claimed, near] {
            let end = match data.read(offset, |cursor| cursor.parse(signed::<Zip64EndRecord>())) {
                Ok(end) => end,
                Err(error) if error.incomplete().is_some() => return Err(error),
                Err(_) => continue,
            };
            if end.disk.get() != 0 || end.directory_disk.get() != 0 || end.disk_entries != end.entries {
                return Err(several_disks(offset));
            }
            let place = (end.directory_offset.get(), end.directory_bytes.get(), end.entries.get());
            return Self::before(data, offset, place, found);
        }
        Err(Error::malformed("zip64 locator that leads to no record").at(locator_offset))
    }

    /// Creates the directory that ends at `stop`, from its claimed offset, size and number of entries.
    fn before(data: Data<'a>, stop: u64, (offset, bytes, count): (u64, u64, u64), found: Found<'a>) -> Result<Self> {
        let error = |message: String| Error::malformed(message).at(stop);
        let Some(prefix) = stop.checked_sub(bytes).and_then(|start| start.checked_sub(offset)) else {
            return Err(error(format!("zip directory of {bytes} bytes at {offset:#x} runs into its end record")));
        };
        let start = prefix.saturating_add(offset);
        let (end_offset, &end, comment) = found;
        let directory = Self { data, start, stop, prefix, end, end_offset, comment, entry_count: Some(count) };
        if count.saturating_mul(size_of::<CentralHeader>() as u64) > bytes {
            return Err(error(format!("zip directory of {bytes} bytes cannot hold {count} entries")));
        }
        data.get(start..stop)?;
        if count > 0 && directory.data.cursor(start).parse(signed::<CentralHeader>()).is_err() {
            return Err(error(format!("zip directory of {bytes} bytes at {offset:#x} does not end at its end record")));
        }
        Ok(directory)
    }

    fn lost(data: Data<'a>) -> Result<Self> {
        let size = data.size();
        data.get(0..size)?;
        let (end, comment) = (EndRecord::new_zeroed(), ByteStr::default());
        Ok(Self { data, start: size, stop: size, prefix: 0, end, end_offset: size, comment, entry_count: None })
    }

    /// Returns true if there is no directory because the end of the archive is missing.
    pub fn is_lost(&self) -> bool {
        self.entry_count.is_none()
    }

    /// Returns an iterator over the entries in directory order: as many as the end record says, fewer after an error.
    /// If the directory is lost, it returns the entries of the headers before the files, and walks the whole archive.
    pub fn entries(&self) -> Entries<'a> {
        let Some(left) = self.entry_count else {
            return Entries { cursor: self.data.cursor(0), left: 0, is_lost: true };
        };
        let mut cursor = self.data.cursor(self.start);
        // Checked before: the directory is before the end record.
        let directory = up_to(self.stop.saturating_sub(self.start));
        let body = cursor.parse(directory).unwrap_or(Cursor::new(&[]));
        Entries { cursor: body, left, is_lost: false }
    }

    /// Returns the entry whose fixed part is at this offset of the bytes.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn entry_at(&self, offset: u64) -> Result<CentralEntry<'a>> {
        Entries { cursor: self.data.cursor(offset), left: 0, is_lost: false }.read()
    }

    /// Returns the local header at this offset from an entry.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn local(&self, header_offset: u64) -> Result<LocalEntry<'a>> {
        self.data.read(header_offset, |cursor| local_entry(*cursor))
    }

    /// Returns the descriptor at this offset, if there is one.
    pub(crate) fn descriptor(&self, offset: u64) -> Option<&'a Descriptor> {
        let end = self.data.size().min(offset.saturating_add(size_of::<Descriptor>() as u64));
        // A request for missing bytes is recorded.
        let bytes = self.data.get(offset.min(end)..end).unwrap_or_default();
        Descriptor::at_start(bytes)
    }

    /// Returns the offset of the end of the archive's comment.
    pub fn archive_end(&self) -> u64 {
        let record = size_of::<EndRecord>().saturating_add(self.comment.len()) as u64;
        self.end_offset.saturating_add(record).min(self.data.size())
    }
}

fn no_end() -> Error {
    Error::malformed("zip archive without an end record")
}

fn several_disks(offset: u64) -> Error {
    Error::unsupported("zip archive on several disks").at(offset)
}

/// The offset of an end record, the record, and its comment.
type Found<'a> = (u64, &'a EndRecord, ByteStr<'a>);

/// Finds the single end record whose comment ends at the end of the bytes. Without one, returns the last end record
/// before other bytes.
fn end_record(data: Data<'_>) -> Result<Option<Found<'_>>> {
    let longest = (size_of::<EndRecord>() as u64).saturating_add(u16::MAX.into());
    let tail_start = data.size().saturating_sub(longest);
    let tail = data.get(tail_start..data.size())?;
    let mut found = None;
    for (position, _) in tail.windows(4).enumerate().filter(|(_, window)| *window == EndRecord::SIGNATURE) {
        let offset = tail_start.saturating_add(position as u64);
        let mut cursor = Cursor::with_offset(tail.get(position..).unwrap_or_default(), offset);
        let Ok(End { record, comment }) = cursor.parse(End::parser()) else { continue };
        let exact = cursor.is_empty();
        match found {
            Some((earlier, _, _, true)) if exact => {
                return Err(
                    Error::malformed(format!("two zip end records fit, at {earlier:#x} and {offset:#x}")).at(earlier)
                );
            }
            Some((_, _, _, true)) => {}
            _ => found = Some((offset, record, comment, exact)),
        }
    }
    let Some((offset, record, comment, _)) = found else { return Ok(None) };
    if comment.as_bytes().windows(4).any(|window| window == EndRecord::SIGNATURE) {
        return Err(Error::malformed("zip comment holds another end record").at(offset));
    }
    Ok(Some((offset, record, comment)))
}

pub(super) fn locator(data: Data<'_>, end_offset: u64) -> Result<Option<&Zip64Locator>> {
    let Some(offset) = end_offset.checked_sub(size_of::<Zip64Locator>() as u64) else { return Ok(None) };
    Ok(Zip64Locator::at_start(data.get(offset..end_offset)?))
}
