//! The records of a zip, in place: what its directory says, entry by entry, before anybody believes it.
//!
//! What a zip on one disk has, zip64 included; an archive that lost its end is read by the headers before its files. Spec:
//! PKWARE APPNOTE 4.3.

use zerocopy::FromZeros;
use zerocopy::little_endian::{U16, U32, U64};

use super::array::LeArray;
use super::cursor::{Cursor, Wire};
#[cfg(feature = "bmx")]
use super::record::Record as _;
use super::record::{Fixed, Flat, Framing, Read, Schema, record, wire};
#[cfg(any(feature = "bmx", feature = "zip"))]
use super::record::{tell_fixed, tell_part};
use super::text::ByteStr;
use crate::error::{Error, Result};
#[cfg(any(feature = "bmx", feature = "zip"))]
use crate::inspect::{Outline, Part};
use crate::ranges::Data;

wire! {
    /// What stands before a file's data; its name and extra fields follow.
    LocalHeader = 30 {
        /// `PK\x03\x04`.
        signature: Framing<[u8; 4]> = "local file header signature",
        /// The version that a reader needs, times 10.
        version_needed: U16 = "version needed to extract",
        /// Bit 0: encrypted. Bit 3: sizes follow the data. Bit 11: the name is UTF-8.
        flags: U16 = "general purpose bit flag",
        /// 0: stored. 8: deflated.
        method: U16 = "compression method",
        /// Time of day, in the way of DOS.
        time: U16 = "last mod file time",
        /// Day, in the way of DOS.
        date: U16 = "last mod file date",
        /// CRC-32 of the unpacked bytes; 0 where it follows the data.
        crc32: U32 = "crc-32",
        /// Bytes in the file; 0 where they follow the data.
        packed_bytes: U32 = "compressed size",
        /// Bytes when unpacked; 0 where they follow the data.
        unpacked_bytes: U32 = "uncompressed size",
        /// Bytes of the name.
        name_bytes: Framing<U16> = "file name length",
        /// Bytes of the extra fields.
        extra_bytes: Framing<U16> = "extra field length",
    }

    /// What may follow a file's data, with its signature.
    Descriptor = 16 {
        /// `PK\x07\x08`.
        signature: Framing<[u8; 4]>,
        /// CRC-32 of the unpacked bytes.
        crc32: U32 = "crc-32",
        /// Bytes in the file.
        packed_bytes: U32 = "compressed size",
        /// Bytes when unpacked.
        unpacked_bytes: U32 = "uncompressed size",
    }

    /// The same without a signature, as old writers leave it.
    BareDescriptor = 12 {
        /// CRC-32 of the unpacked bytes.
        crc32: U32 = "crc-32",
        /// Bytes in the file.
        packed_bytes: U32 = "compressed size",
        /// Bytes when unpacked.
        unpacked_bytes: U32 = "uncompressed size",
    }

    /// One entry of the directory; its name, extra fields and comment follow.
    CentralHeader = 46 {
        /// `PK\x01\x02`.
        signature: Framing<[u8; 4]> = "central file header signature",
        /// The writer's version and system.
        version_made_by: U16 = "version made by",
        /// The version that a reader needs, times 10.
        version_needed: U16 = "version needed to extract",
        /// Bit 0: encrypted. Bit 3: sizes follow the data. Bit 11: the name is UTF-8.
        flags: U16 = "general purpose bit flag",
        /// 0: stored. 8: deflated.
        method: U16 = "compression method",
        /// Time of day, in the way of DOS.
        time: U16 = "last mod file time",
        /// Day, in the way of DOS.
        date: U16 = "last mod file date",
        /// CRC-32 of the unpacked bytes.
        crc32: U32 = "crc-32",
        /// Bytes in the file.
        packed_bytes: U32 = "compressed size",
        /// Bytes when unpacked.
        unpacked_bytes: U32 = "uncompressed size",
        /// Bytes of the name.
        name_bytes: Framing<U16> = "file name length",
        /// Bytes of the extra fields.
        extra_bytes: Framing<U16> = "extra field length",
        /// Bytes of the comment.
        comment_bytes: Framing<U16> = "file comment length",
        /// Number of the disk with the data.
        disk: U16 = "disk number start",
        /// Bit 0: said to be a text.
        internal_attributes: U16 = "internal file attributes",
        /// What the writer's system knows of the file.
        external_attributes: U32 = "external file attributes",
        /// Where the local header lies, counted from the start of the archive.
        header_offset: U32 = "relative offset of local header",
    }

    /// The end record of a zip64 archive.
    Zip64EndRecord = 56 {
        /// `PK\x06\x06`.
        signature: Framing<[u8; 4]> = "zip64 end of central dir signature",
        /// Bytes of this record after this field.
        bytes: U64 = "size of zip64 end of central directory record",
        /// The writer's version and system.
        version_made_by: U16 = "version made by",
        /// The version that a reader needs, times 10.
        version_needed: U16 = "version needed to extract",
        /// Number of this disk.
        disk: U32 = "number of this disk",
        /// Number of the disk where the directory starts.
        directory_disk: U32 = "number of the disk with the start of the central directory",
        /// Entries on this disk.
        disk_entries: U64 = "total number of entries in the central directory on this disk",
        /// Entries.
        entries: U64 = "total number of entries in the central directory",
        /// Bytes of the directory.
        directory_bytes: U64 = "size of the central directory",
        /// Where the directory starts, counted from the start of the archive.
        directory_offset: U64 = "offset of start of central directory",
    }

    /// What lies before the end record of a zip64 archive.
    Zip64Locator = 20 {
        /// `PK\x06\x07`.
        signature: Framing<[u8; 4]> = "zip64 end of central dir locator signature",
        /// Number of the disk with the record.
        disk: U32 = "number of the disk with the start of the zip64 end of central directory",
        /// Where the record lies, counted from the start of the archive.
        record_offset: U64 = "relative offset of the zip64 end of central directory record",
        /// Disks.
        disks: U32 = "total number of disks",
    }

    /// The last record, by which all others are found; a comment follows.
    EndRecord = 22 {
        /// `PK\x05\x06`.
        signature: Framing<[u8; 4]> = "end of central dir signature",
        /// Number of this disk.
        disk: U16 = "number of this disk",
        /// Number of the disk where the directory starts.
        directory_disk: U16 = "number of the disk with the start of the central directory",
        /// Entries on this disk.
        disk_entries: U16 = "total number of entries in the central directory on this disk",
        /// Entries.
        entries: U16 = "total number of entries in the central directory",
        /// Bytes of the directory.
        directory_bytes: U32 = "size of the central directory",
        /// Where the directory starts, counted from the start of the archive.
        directory_offset: U32 = "offset of start of central directory",
        /// Bytes of the comment.
        comment_bytes: Framing<U16> = ".ZIP file comment length",
    }
}

/// A record that starts with four bytes of its own.
trait Signed: Wire {
    /// What they should be.
    const SIGNATURE: [u8; 4];
    const NO_SIGNATURE: &'static str;

    fn signature(&self) -> [u8; 4];

    fn signed(&self) -> Result<()> {
        if self.signature() == Self::SIGNATURE { Ok(()) } else { Err(Error::malformed(Self::NO_SIGNATURE)) }
    }
}

macro_rules! signatures {
    ($($name:ident $signature:literal;)*) => {$(
        impl Signed for $name {
            const SIGNATURE: [u8; 4] = *$signature;
            const NO_SIGNATURE: &'static str = concat!("no ", stringify!($name));

            fn signature(&self) -> [u8; 4] {
                *self.signature
            }
        }
    )*};
}

signatures! {
    LocalHeader b"PK\x03\x04";
    Descriptor b"PK\x07\x08";
    CentralHeader b"PK\x01\x02";
    Zip64EndRecord b"PK\x06\x06";
    Zip64Locator b"PK\x06\x07";
    EndRecord b"PK\x05\x06";
}

record! {
    /// What stands before a file's data.
    LocalRecord<'a> named name {
        /// The fixed part.
        header: &'a LocalHeader as Flat<'a, LocalHeader> => |header| header.signed(),
        /// The name as stored.
        name: ByteStr<'a> = "file name" [u64::from(header.name_bytes.get())],
        /// The extra fields.
        extra: LeArray<'a, u8> = "extra field" [u64::from(header.extra_bytes.get())],
    }
}

record! {
    /// One entry of the directory.
    CentralRecord<'a> named name {
        /// The fixed part.
        header: &'a CentralHeader as Flat<'a, CentralHeader> => |header| header.signed(),
        /// The name as stored.
        name: ByteStr<'a> = "file name" [u64::from(header.name_bytes.get())],
        /// The extra fields.
        extra: LeArray<'a, u8> = "extra field" [u64::from(header.extra_bytes.get())],
        /// The comment.
        comment: ByteStr<'a> = "file comment" [u64::from(header.comment_bytes.get())],
    }
}

record! {
    /// The end of an archive.
    End<'a> {
        /// The fixed part.
        record: &'a EndRecord as Flat<'a, EndRecord> => |record| record.signed(),
        /// The archive's comment.
        comment: ByteStr<'a> = ".ZIP file comment" [u64::from(record.comment_bytes.get())],
    }
}

fn read<'a, T: Signed>(cursor: &mut Cursor<'a>) -> Result<&'a T> {
    let offset = cursor.offset();
    let record = cursor.read::<T>()?;
    record.signed().map_err(|error| error.at(offset))?;
    Ok(record)
}

/// The records of an archive.
#[cfg_attr(not(feature = "zip"), allow(dead_code))]
pub(crate) const SCHEMA: &[&Schema] = &[
    LocalRecord::SCHEMA,
    LocalHeader::SCHEMA,
    Descriptor::SCHEMA,
    BareDescriptor::SCHEMA,
    CentralRecord::SCHEMA,
    CentralHeader::SCHEMA,
    Zip64EndRecord::SCHEMA,
    Zip64Locator::SCHEMA,
    End::SCHEMA,
    EndRecord::SCHEMA,
];

/// Where an archive's directory lies.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    data: Data<'a>,
    start: u64,
    /// Where its last entry ends.
    stop: u64,
    prefix: u64,
    end: EndRecord,
    end_offset: u64,
    comment: ByteStr<'a>,
    /// How many entries it has; `None` where there is no directory, only the headers before the files.
    entry_count: Option<u64>,
}

impl<'a> Directory<'a> {
    /// Finds the directory of the classic archive that ends at the end of these bytes. Looks at the last 65,557 of them.
    ///
    /// # Errors
    /// Where there is no end record, or several fit, or the one that fits does not meet the directory it tells of.
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for zip64 and archives on several disks.
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

    /// The same, of zip64 archives too, and of one that lost its end: there the headers before the files stand in for a
    /// directory, which [`is_lost`](Self::is_lost) tells.
    ///
    /// # Errors
    /// As [`find`](Self::find), but for these.
    pub fn find_any(data: &'a [u8]) -> Result<Self> {
        Self::find_any_in(Data::Whole(data))
    }

    #[cfg_attr(not(feature = "zip"), allow(dead_code))]
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
                // One that lies amid the files of another is a member of that, and no end of it.
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
        // With bytes before the archive, the record does not lie where it is told, but still before its locator.
        let told = locator.record_offset.get();
        let near = locator_offset.saturating_sub(size_of::<Zip64EndRecord>() as u64);
        let mut records = [told, near].into_iter().map(|offset| (offset, data.read(offset, read::<Zip64EndRecord>)));
        let (offset, end) = loop {
            match records.next() {
                Some((offset, Ok(end))) => break (offset, end),
                Some((_, Err(error))) if error.incomplete().is_some() => return Err(error),
                Some(_) => {}
                None => return Err(Error::malformed("zip64 locator that leads to no record").at(locator_offset)),
            }
        };
        if end.disk.get() != 0 || end.directory_disk.get() != 0 || end.disk_entries != end.entries {
            return Err(several_disks(offset));
        }
        let place = (end.directory_offset.get(), end.directory_bytes.get(), end.entries.get());
        Self::before(data, offset, place, found)
    }

    /// The directory that ends at `stop`, of which the offset, bytes and number of entries are told.
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
        if count > 0 && read::<CentralHeader>(&mut directory.cursor(start)).is_err() {
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

    /// Whether there is no directory: the end of the archive is missing.
    pub fn is_lost(&self) -> bool {
        self.entry_count.is_none()
    }

    /// How many entries it says it has; `None` where it [is lost](Self::is_lost).
    pub fn entry_count(&self) -> Option<u64> {
        self.entry_count
    }

    /// The entries in the directory's order: as many as the end record says, fewer after an error. Where the directory is
    /// lost, those that the headers before the files tell of: a walk over the whole archive.
    pub fn entries(&self) -> Entries<'a> {
        let Some(left) = self.entry_count else {
            return Entries { cursor: self.cursor(0), left: 0, is_lost: true };
        };
        let mut cursor = self.cursor(self.start);
        // Checked before: the directory lies before the end record.
        let body = cursor.split(self.stop.saturating_sub(self.start)).unwrap_or(Cursor::new(&[]));
        Entries { cursor: body, left, is_lost: false }
    }

    /// The entry whose fixed part lies at this offset of the bytes.
    ///
    /// # Errors
    /// Where none lies there.
    pub fn entry_at(&self, offset: u64) -> Result<CentralEntry<'a>> {
        Entries { cursor: self.cursor(offset), left: 0, is_lost: false }.read()
    }

    /// The local header that an entry points at.
    ///
    /// # Errors
    /// Where none lies there.
    pub fn local(&self, header_offset: u64) -> Result<LocalEntry<'a>> {
        self.data.read(header_offset, |cursor| local_entry(*cursor))
    }

    /// What stands at this offset, if it is a descriptor.
    #[cfg(feature = "bmx")]
    pub(crate) fn descriptor(&self, offset: u64) -> Option<&'a Descriptor> {
        let mut cursor = self.data.cursor(offset);
        // An error, even one that is dropped, takes memory.
        cursor.rest().starts_with(&Descriptor::SIGNATURE).then(|| read::<Descriptor>(&mut cursor).ok()).flatten()
    }

    /// All bytes up to the end of the archive's comment, where they are here.
    pub fn archive(&self) -> &'a [u8] {
        let bytes = self.data.from(0);
        usize::try_from(self.archive_end()).ok().and_then(|end| bytes.get(..end)).unwrap_or(bytes)
    }

    /// Where the archive's comment ends.
    pub fn archive_end(&self) -> u64 {
        let record = size_of::<EndRecord>().saturating_add(self.comment.len()) as u64;
        self.end_offset.saturating_add(record).min(self.data.size())
    }

    /// The first byte of the directory.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Bytes in front of the archive, by which its own offsets are shifted.
    pub fn prefix(&self) -> u64 {
        self.prefix
    }

    /// Where the directory ends.
    pub fn stop(&self) -> u64 {
        self.stop
    }

    /// The end record; of a zip64 archive the classic one.
    pub fn end(&self) -> &EndRecord {
        &self.end
    }

    /// Where the end record lies.
    pub fn end_offset(&self) -> u64 {
        self.end_offset
    }

    /// The archive's comment.
    pub fn comment(&self) -> ByteStr<'a> {
        self.comment
    }

    /// An offset outside is met at the end, where nothing is left: places that are told lie in the file.
    fn cursor(&self, offset: u64) -> Cursor<'a> {
        self.data.cursor(offset)
    }

    /// Tells the entries, the records of the end, and the comment, each with its place.
    #[cfg(any(feature = "bmx", feature = "zip"))]
    pub(crate) fn dissect(&self, out: &mut Outline<'_>) {
        if self.is_lost() {
            return;
        }
        out.part(Part::one("directory").spanning(self.start, self.stop.saturating_sub(self.start)), |out| {
            let mut cursor = self.cursor(self.start);
            for index in 0..self.entries().take_while(Result::is_ok).count() {
                let told = tell_part::<CentralRecord<'_>, ()>(&mut cursor, (), Part::item("entries", index), out);
                if told.is_err() {
                    break;
                }
            }
        });
        let locator_offset = self.end_offset.saturating_sub(size_of::<Zip64Locator>() as u64);
        if matches!(locator(self.data, self.end_offset), Ok(Some(_))) {
            let bytes = locator_offset.saturating_sub(self.stop);
            out.part(Part::one("zip64_end").spanning(self.stop, bytes), |out| {
                tell_fixed::<Zip64EndRecord>(&mut self.cursor(self.stop), out);
            });
            out.part(Part::one("zip64_locator").spanning(locator_offset, size_of::<Zip64Locator>() as u64), |out| {
                tell_fixed::<Zip64Locator>(&mut self.cursor(locator_offset), out);
            });
        }
        // It was read when the directory was found.
        let _ = tell_part::<End<'_>, ()>(&mut self.cursor(self.end_offset), (), Part::one("end"), out);
    }

    /// Tells the fields of the header before the data of an entry as those of the part opened last.
    #[cfg(feature = "bmx")]
    pub(crate) fn tell_local(&self, header_offset: u64, out: &mut Outline<'_>) {
        let told = LocalRecord::tell_fields(&mut self.cursor(header_offset), (), out);
        out.ok(told);
    }

    /// Tells the header before the data of an entry.
    #[cfg(feature = "zip")]
    pub(crate) fn dissect_local(&self, header_offset: u64, out: &mut Outline<'_>) {
        let told = tell_part::<LocalRecord<'_>, ()>(&mut self.cursor(header_offset), (), Part::one("header"), out);
        out.ok(told);
    }

    /// Tells what follows the data of an entry in so many bytes.
    #[cfg(feature = "zip")]
    pub(crate) fn dissect_descriptor(&self, offset: u64, bytes: u64, out: &mut Outline<'_>) {
        out.part(Part::one("descriptor").spanning(offset, bytes), |out| {
            let mut cursor = self.cursor(offset);
            match bytes {
                16.. => tell_fixed::<Descriptor>(&mut cursor, out),
                _ => tell_fixed::<BareDescriptor>(&mut cursor, out),
            }
        });
    }
}

fn no_end() -> Error {
    Error::malformed("zip archive without an end record")
}

fn several_disks(offset: u64) -> Error {
    Error::unsupported("zip archive on several disks").at(offset)
}

/// One entry as the directory tells it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CentralEntry<'a> {
    /// The fixed part; where the directory is lost, what the header before the data says.
    pub header: CentralHeader,
    /// Bytes in the file, where zip64 does not fit the fixed part too.
    pub packed_bytes: u64,
    /// Bytes when unpacked.
    pub unpacked_bytes: u64,
    /// Where the local header lies, counted from the start of the archive.
    pub header_offset: u64,
    /// The name as stored: UTF-8, if bit 11 of the flags keeps its word.
    pub name: ByteStr<'a>,
    /// The extra fields.
    pub extra: &'a [u8],
    /// The comment.
    pub comment: ByteStr<'a>,
    /// Where the fixed part lies.
    pub offset: u64,
    /// How many bytes it takes with name, extra fields and comment.
    pub bytes: u64,
}

/// One entry as the header before its data tells it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LocalEntry<'a> {
    /// The fixed part.
    pub header: &'a LocalHeader,
    /// The name as stored.
    pub name: ByteStr<'a>,
    /// The extra fields.
    pub extra: &'a [u8],
    /// Where the data starts.
    pub data_offset: u64,
}

/// The entries of a [`Directory`].
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    left: u64,
    is_lost: bool,
}

impl<'a> Entries<'a> {
    /// Bytes of the directory behind the entries met so far.
    pub fn left(&self) -> u64 {
        self.cursor.left()
    }

    fn read(&mut self) -> Result<CentralEntry<'a>> {
        let offset = self.cursor.offset();
        let CentralRecord { header, name, extra, comment } = CentralRecord::read(&mut self.cursor, ())?;
        let (header, extra) = (*header, extra.as_bytes());
        let [unpacked_bytes, packed_bytes, header_offset] =
            widened([header.unpacked_bytes, header.packed_bytes, header.header_offset], extra);
        let bytes = self.cursor.offset().saturating_sub(offset);
        Ok(CentralEntry { header, packed_bytes, unpacked_bytes, header_offset, name, extra, comment, offset, bytes })
    }

    /// The next file by the header before its data.
    fn find(&mut self) -> Option<CentralEntry<'a>> {
        let skipped = memchr::memmem::find(self.cursor.rest(), &LocalHeader::SIGNATURE)?;
        self.cursor.take(skipped as u64).ok()?;
        let offset = self.cursor.offset();
        let LocalEntry { header, name, extra, data_offset } = local_entry(self.cursor).ok()?;
        let bytes = data_offset.saturating_sub(offset);
        self.cursor.take(bytes).ok()?;
        let [mut unpacked_bytes, mut packed_bytes] = widened([header.unpacked_bytes, header.packed_bytes], extra);
        let mut crc32 = header.crc32;
        if header.flags.get() & SIZES_FOLLOW != 0
            && packed_bytes == 0
            && let Some(descriptor) = descriptor(self.cursor)
        {
            crc32 = descriptor.crc32;
            (packed_bytes, unpacked_bytes) =
                (descriptor.packed_bytes.get().into(), descriptor.unpacked_bytes.get().into());
        }
        // What lies behind the end is told when the data is asked for.
        let _ = self.cursor.take(packed_bytes.min(self.cursor.left()));
        let header = CentralHeader {
            signature: Framing(CentralHeader::SIGNATURE),
            version_needed: header.version_needed,
            flags: header.flags,
            method: header.method,
            time: header.time,
            date: header.date,
            crc32,
            packed_bytes: narrowed(packed_bytes),
            unpacked_bytes: narrowed(unpacked_bytes),
            name_bytes: header.name_bytes,
            extra_bytes: header.extra_bytes,
            header_offset: narrowed(offset),
            ..CentralHeader::new_zeroed()
        };
        let (header_offset, comment) = (offset, ByteStr::default());
        Some(CentralEntry { header, packed_bytes, unpacked_bytes, header_offset, name, extra, comment, offset, bytes })
    }
}

/// Bit of the flags: sizes and CRC-32 follow the data.
const SIZES_FOLLOW: u16 = 1 << 3;

fn narrowed(number: u64) -> U32 {
    u32::try_from(number).unwrap_or(u32::MAX).into()
}

/// Numbers of a header, those that do not fit it taken from the zip64 field among the extra ones.
fn widened<const N: usize>(numbers: [U32; N], extra: &[u8]) -> [u64; N] {
    let mut wide = numbers.map(|number| u64::from(number.get()));
    if !numbers.contains(&U32::MAX_VALUE) {
        return wide;
    }
    let mut fields = Cursor::new(extra);
    while let (Ok(id), Ok(bytes)) = (fields.read::<U16>(), fields.read::<U16>()) {
        let Ok(field) = fields.take(bytes.get().into()) else { break };
        if id.get() == 1 {
            let mut field = Cursor::new(field);
            for number in wide.iter_mut().filter(|number| **number == u64::from(u32::MAX)) {
                *number = field.read::<U64>().map_or(*number, |wide| wide.get());
            }
            break;
        }
    }
    wide
}

/// What follows the data that starts here, looked for up to the next header.
fn descriptor<'a>(data: Cursor<'a>) -> Option<&'a Descriptor> {
    let bytes = data.rest();
    for place in memchr::memmem::find_iter(bytes, b"PK") {
        let here = bytes.get(place..)?;
        if here.starts_with(&LocalHeader::SIGNATURE) || here.starts_with(&CentralHeader::SIGNATURE) {
            return None;
        }
        if here.starts_with(&Descriptor::SIGNATURE)
            && let Ok(descriptor) = read::<Descriptor>(&mut Cursor::new(here))
            && descriptor.packed_bytes.get() as usize == place
        {
            return Some(descriptor);
        }
    }
    None
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<CentralEntry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_lost {
            return self.find().map(Ok);
        }
        self.left = self.left.checked_sub(1)?;
        let entry = self.read();
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }
}

/// The entry whose header the bytes start with, which is the first unless something lies before the archive.
///
/// # Errors
/// Where they start with none.
pub fn first_entry(data: &[u8]) -> Result<LocalEntry<'_>> {
    local_entry(Cursor::new(data))
}

fn local_entry(mut cursor: Cursor<'_>) -> Result<LocalEntry<'_>> {
    let LocalRecord { header, name, extra } = LocalRecord::read(&mut cursor, ())?;
    Ok(LocalEntry { header, name, extra: extra.as_bytes(), data_offset: cursor.offset() })
}

/// Where an end record lies, the record, and its comment.
type Found<'a> = (u64, &'a EndRecord, ByteStr<'a>);

/// Finds the one end record whose comment ends with the bytes; failing that, the last one before other bytes.
fn end_record(data: Data<'_>) -> Result<Option<Found<'_>>> {
    let longest = (size_of::<EndRecord>() as u64).saturating_add(u16::MAX.into());
    let tail_start = data.size().saturating_sub(longest);
    let tail = data.get(tail_start..data.size())?;
    let mut found = None;
    for (position, _) in tail.windows(4).enumerate().filter(|(_, window)| *window == EndRecord::SIGNATURE) {
        let offset = tail_start.saturating_add(position as u64);
        let mut cursor = Cursor::with_offset(tail.get(position..).unwrap_or_default(), offset);
        let Ok(End { record, comment }) = End::read(&mut cursor, ()) else { continue };
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

fn locator(data: Data<'_>, end_offset: u64) -> Result<Option<&Zip64Locator>> {
    let Some(offset) = end_offset.checked_sub(size_of::<Zip64Locator>() as u64) else { return Ok(None) };
    let bytes = data.get(offset..end_offset)?;
    // An error, even one that is dropped, takes memory.
    let is_there = bytes.starts_with(&Zip64Locator::SIGNATURE);
    Ok(is_there.then(|| read::<Zip64Locator>(&mut Cursor::with_offset(bytes, offset)).ok()).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stored entry, its line of the directory and the end record, with a comment of two bytes.
    fn archive() -> Vec<u8> {
        let mut bytes = b"PK\x03\x04\x14\0\0\x08\0\0\0\0\x20\0\0\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\0\0nhi".to_vec();
        bytes.extend(b"PK\x01\x02\0\0\x14\0\0\x08\0\0\0\0\x20\0\0\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\0\0\0\0");
        bytes.extend(b"\0\0\0\0\0\0\0\0\0\0\0\0n");
        bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x2f\0\0\0\x21\0\0\0\x02\0ok");
        bytes
    }

    #[test]
    fn a_directory_is_found_from_the_end_and_read_in_place() {
        let bytes = archive();
        let directory = Directory::find(&bytes).unwrap();
        assert_eq!((directory.start(), directory.end_offset(), directory.prefix()), (33, 80, 0));
        assert_eq!(directory.comment(), "ok");
        let mut entries = directory.entries();
        let entry = entries.next().unwrap().unwrap();
        assert!(entries.next().is_none() && entries.left() == 0);
        assert_eq!(entry.name, "n");
        assert_eq!((entry.offset, entry.header.packed_bytes.get()), (33, 2));
        let local = directory.local(0).unwrap();
        assert_eq!(local.name, "n");
        assert_eq!(local.data_offset, 31);
        assert_eq!(first_entry(&bytes).unwrap().name, "n");
        assert_eq!(directory.local(1).unwrap_err().to_string(), "header at 0x1: no LocalHeader");
        // Outside, the place told is the end of the file.
        assert_eq!(bytes.len(), 0x68);
        assert_eq!(directory.local(u64::MAX).unwrap_err().to_string(), "header at 0x68: needs 30 bytes, 0 left");
    }

    #[test]
    fn bytes_around_the_archive_shift_it_or_are_left_out() {
        let bytes = [b"before", &archive()[..], b"behind"].concat();
        let directory = Directory::find(&bytes).unwrap();
        assert_eq!((directory.prefix(), directory.start()), (6, 39));
        assert_eq!(directory.archive().len(), bytes.len() - 6);
        assert_eq!(directory.entries().count(), 1);
    }

    #[test]
    fn an_error_ends_the_entries() {
        let mut bytes = archive();
        // One more entry than there is; the directory's size says there could be.
        bytes[88..92].copy_from_slice(&[2, 0, 2, 0]);
        bytes[92] = 92;
        assert!(Directory::find(&bytes).is_err());
        let mut bytes = archive();
        // A name longer than the directory.
        bytes[33 + 28] = 200;
        let mut entries = Directory::find(&bytes).unwrap().entries();
        assert_eq!(entries.next().unwrap().unwrap_err().to_string(), "name at 0x4f: needs 200 bytes, 1 left");
        assert!(entries.next().is_none());
    }
}
