//! The records of a zip, in place: what its directory says, entry by entry, before anybody believes it.
//!
//! Only what a classic zip on one disk has; zip64 is named as such and refused. Spec: PKWARE APPNOTE 4.3.

use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::cursor::Cursor;
use super::text::ByteStr;
use crate::error::{Error, Result};

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident = $size:literal $signature:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
        #[repr(C)]
        pub struct $name {
            /// The record's first four bytes.
            pub signature: [u8; 4],
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            /// What the first four bytes should be.
            pub const SIGNATURE: [u8; 4] = *$signature;

            fn read<'a>(cursor: &mut Cursor<'a>) -> Result<&'a Self> {
                let at = *cursor;
                let record: &Self = cursor.read()?;
                if record.signature == Self::SIGNATURE { Ok(record) } else { Err(at.error(concat!("no ", stringify!($name)))) }
            }
        }

        const _: () = assert!(size_of::<$name>() == $size);
    )*};
}

records! {
    /// The last record, by which all others are found.
    EndRecord = 22 b"PK\x05\x06" {
        /// Number of this disk.
        disk: U16,
        /// Number of the disk where the directory starts.
        directory_disk: U16,
        /// Entries on this disk.
        disk_entries: U16,
        /// Entries.
        entries: U16,
        /// Bytes of the directory.
        directory_bytes: U32,
        /// Where the directory starts, counted from the start of the archive.
        directory_offset: U32,
        /// Bytes of the comment behind this record.
        comment_bytes: U16,
    }
    /// One entry of the directory; its name, extra fields and comment follow.
    CentralHeader = 46 b"PK\x01\x02" {
        /// The writer's version and system.
        version_made_by: U16,
        /// The version that a reader needs, times 10.
        version_needed: U16,
        /// Bit 0: encrypted. Bit 3: sizes follow the data. Bit 11: the name is UTF-8.
        flags: U16,
        /// 0: stored. 8: deflated.
        method: U16,
        /// Time of day, in the way of DOS.
        time: U16,
        /// Day, in the way of DOS.
        date: U16,
        /// CRC-32 of the unpacked bytes.
        crc32: U32,
        /// Bytes in the file.
        packed_bytes: U32,
        /// Bytes when unpacked.
        unpacked_bytes: U32,
        /// Bytes of the name.
        name_bytes: U16,
        /// Bytes of the extra fields.
        extra_bytes: U16,
        /// Bytes of the comment.
        comment_bytes: U16,
        /// Number of the disk with the data.
        disk: U16,
        /// Bit 0: said to be a text.
        internal_attributes: U16,
        /// What the writer's system knows of the file.
        external_attributes: U32,
        /// Where the local header lies, counted from the start of the archive.
        header_offset: U32,
    }
    /// What stands before an entry's data; its name and extra fields follow.
    LocalHeader = 30 b"PK\x03\x04" {
        /// The version that a reader needs, times 10.
        version_needed: U16,
        /// As in [`CentralHeader`].
        flags: U16,
        /// As in [`CentralHeader`].
        method: U16,
        /// As in [`CentralHeader`].
        time: U16,
        /// As in [`CentralHeader`].
        date: U16,
        /// As in [`CentralHeader`]; 0 where it follows the data.
        crc32: U32,
        /// As in [`CentralHeader`]; 0 where it follows the data.
        packed_bytes: U32,
        /// As in [`CentralHeader`]; 0 where it follows the data.
        unpacked_bytes: U32,
        /// Bytes of the name.
        name_bytes: U16,
        /// Bytes of the extra fields.
        extra_bytes: U16,
    }
}

/// Where an archive's directory lies.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    data: &'a [u8],
    start: u64,
    prefix: u64,
    end: &'a EndRecord,
    end_offset: u64,
    comment: ByteStr<'a>,
}

impl<'a> Directory<'a> {
    /// Finds the directory of the archive that ends at the end of these bytes. Looks at the last 65,557 of them.
    ///
    /// # Errors
    /// Where there is no end record, or several fit, or the one that fits does not meet the directory it tells of.
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for zip64 and archives on several disks.
    pub fn find(data: &'a [u8]) -> Result<Self> {
        let (end_offset, end, comment) = end_record(data)?;
        let error = |message: String| Error::malformed(message).at(end_offset);
        let unsupported = |message| Err(Error::unsupported(message).at(end_offset));
        if end.entries.get() == u16::MAX
            || [end.directory_bytes, end.directory_offset].contains(&U32::MAX_VALUE)
            || data.get(..usize::try_from(end_offset).unwrap_or(0)).is_some_and(has_zip64_locator)
        {
            return unsupported("zip64 archive");
        }
        if end.disk.get() != 0 || end.directory_disk.get() != 0 || end.disk_entries != end.entries {
            return unsupported("zip archive on several disks");
        }
        let (offset, bytes) = (u64::from(end.directory_offset.get()), u64::from(end.directory_bytes.get()));
        let Some(prefix) = end_offset.checked_sub(bytes).and_then(|start| start.checked_sub(offset)) else {
            return Err(error(format!("zip directory of {bytes} bytes at {offset:#x} runs into its end record")));
        };
        let start = prefix.saturating_add(offset);
        let directory = Self { data, start, prefix, end, end_offset, comment };
        let least = u64::from(end.entries.get()).saturating_mul(size_of::<CentralHeader>() as u64);
        if least > bytes {
            return Err(error(format!("zip directory of {bytes} bytes cannot hold {} entries", end.entries)));
        }
        if end.entries.get() > 0 && CentralHeader::read(&mut directory.cursor(start)).is_err() {
            return Err(error(format!("zip directory of {bytes} bytes at {offset:#x} does not end at its end record")));
        }
        Ok(directory)
    }

    /// The entries in the directory's order: as many as the end record says, fewer after an error.
    pub fn entries(&self) -> Entries<'a> {
        let mut cursor = self.cursor(self.start);
        // Checked by `find`: the directory lies before the end record.
        let body = cursor.split(self.end_offset.saturating_sub(self.start)).unwrap_or(Cursor::new(&[]));
        Entries { cursor: body, left: self.end.entries.get() }
    }

    /// The entry whose fixed part lies at this offset of the bytes.
    ///
    /// # Errors
    /// Where none lies there.
    pub fn entry_at(&self, offset: u64) -> Result<CentralEntry<'a>> {
        Entries { cursor: self.cursor(offset), left: 0 }.read()
    }

    /// The local header that an entry points at.
    ///
    /// # Errors
    /// Where none lies there.
    pub fn local(&self, header_offset: u64) -> Result<LocalEntry<'a>> {
        local_entry(self.cursor(header_offset))
    }

    /// All bytes up to the end of the archive's comment.
    pub fn archive(&self) -> &'a [u8] {
        let end = self.end_offset.saturating_add(size_of::<EndRecord>() as u64);
        let end = usize::try_from(end).unwrap_or(usize::MAX).saturating_add(self.comment.len());
        self.data.get(..end).unwrap_or(self.data)
    }

    /// The first byte of the directory.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Bytes in front of the archive, by which its own offsets are shifted.
    pub fn prefix(&self) -> u64 {
        self.prefix
    }

    /// The end record.
    pub fn end(&self) -> &'a EndRecord {
        self.end
    }

    /// Where the end record lies.
    pub fn end_offset(&self) -> u64 {
        self.end_offset
    }

    /// The archive's comment.
    pub fn comment(&self) -> ByteStr<'a> {
        self.comment
    }

    fn cursor(&self, offset: u64) -> Cursor<'a> {
        // An offset outside is met at the end, where nothing is left: places that are told lie in the file.
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.data.len());
        Cursor::with_offset(self.data.get(start..).unwrap_or_default(), start as u64)
    }
}

/// One entry as the directory tells it.
#[derive(Clone, Copy, Debug)]
pub struct CentralEntry<'a> {
    /// The fixed part.
    pub header: &'a CentralHeader,
    /// The name as stored: UTF-8, if bit 11 of the flags keeps its word.
    pub name: ByteStr<'a>,
    /// The extra fields.
    pub extra: &'a [u8],
    /// The comment.
    pub comment: ByteStr<'a>,
    /// Where the fixed part lies.
    pub offset: u64,
}

impl CentralEntry<'_> {
    /// The bytes it takes in the directory: the fixed part, name, extra fields and comment.
    pub fn bytes(&self) -> u64 {
        let texts = [self.name.len(), self.extra.len(), self.comment.len()].into_iter();
        texts.fold(size_of::<CentralHeader>(), usize::saturating_add) as u64
    }
}

/// One entry as the header before its data tells it.
#[derive(Clone, Copy, Debug)]
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
    left: u16,
}

impl<'a> Entries<'a> {
    /// Bytes of the directory behind the entries met so far.
    pub fn left(&self) -> u64 {
        self.cursor.left()
    }

    fn read(&mut self) -> Result<CentralEntry<'a>> {
        let offset = self.cursor.offset();
        let header = CentralHeader::read(&mut self.cursor)?;
        let mut take = |bytes: U16| self.cursor.take(bytes.get().into());
        let name = ByteStr::new(take(header.name_bytes)?);
        let extra = take(header.extra_bytes)?;
        let comment = ByteStr::new(take(header.comment_bytes)?);
        Ok(CentralEntry { header, name, extra, comment, offset })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<CentralEntry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
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
    let header = LocalHeader::read(&mut cursor)?;
    let name = ByteStr::new(cursor.take(header.name_bytes.get().into())?);
    let extra = cursor.take(header.extra_bytes.get().into())?;
    Ok(LocalEntry { header, name, extra, data_offset: cursor.offset() })
}

/// Finds the one end record whose comment ends with the bytes; failing that, the last one before other bytes.
fn end_record(data: &[u8]) -> Result<(u64, &EndRecord, ByteStr<'_>)> {
    let tail_start = data.len().saturating_sub(size_of::<EndRecord>().saturating_add(u16::MAX.into()));
    let tail = data.get(tail_start..).unwrap_or_default();
    let mut found = None;
    for (position, _) in tail.windows(4).enumerate().filter(|(_, window)| *window == EndRecord::SIGNATURE) {
        let offset = tail_start.saturating_add(position) as u64;
        let mut cursor = Cursor::with_offset(tail.get(position..).unwrap_or_default(), offset);
        let Ok(record) = EndRecord::read(&mut cursor) else { continue };
        let Ok(comment) = cursor.take(record.comment_bytes.get().into()) else { continue };
        let exact = cursor.is_empty();
        match found {
            Some((earlier, _, _, true)) if exact => {
                return Err(
                    Error::malformed(format!("two zip end records fit, at {earlier:#x} and {offset:#x}")).at(earlier)
                );
            }
            Some((_, _, _, true)) => {}
            _ => found = Some((offset, record, ByteStr::new(comment), exact)),
        }
    }
    let (offset, record, comment, _) = found.ok_or_else(|| Error::malformed("zip archive without an end record"))?;
    if comment.as_bytes().windows(4).any(|window| window == EndRecord::SIGNATURE) {
        return Err(Error::malformed("zip comment holds another end record").at(offset));
    }
    Ok((offset, record, comment))
}

fn has_zip64_locator(before_end: &[u8]) -> bool {
    before_end
        .len()
        .checked_sub(20)
        .and_then(|start| before_end.get(start..))
        .is_some_and(|l| l.starts_with(b"PK\x06\x07"))
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
        assert_eq!(directory.local(1).unwrap_err().to_string(), "at 0x1: no LocalHeader");
        // Outside, the place told is the end of the file.
        assert_eq!(bytes.len(), 0x68);
        assert_eq!(directory.local(u64::MAX).unwrap_err().to_string(), "at 0x68: needs 30 bytes, 0 left");
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
        assert_eq!(entries.next().unwrap().unwrap_err().to_string(), "at 0x4f: needs 200 bytes, 1 left");
        assert!(entries.next().is_none());
    }
}
