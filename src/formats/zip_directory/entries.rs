//! The entries, from the directory or from the headers before the files.

use nom::{IResult, Parser as _};
use zerocopy::FromZeros;
use zerocopy::little_endian::U32;

use super::wire::*;
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::bytes::cursor::Cursor;
use crate::bytes::parser::part;
use crate::record::Framing;
use crate::record::parser::{le_u16, le_u64};

/// How often the bytes of an archive are searched for the ends of stored files.
const MOST_SEARCHED: u64 = 8;

/// One entry as described by the directory.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CentralEntry<'a> {
    /// The fixed part. If the directory is lost, its values are from the header before the data.
    pub header: CentralHeader,
    /// The size in the file. Unlike the fixed part, includes zip64 values.
    pub packed_bytes: u64,
    /// The decompressed size.
    pub unpacked_bytes: u64,
    /// The offset of the local header, counted from the start of the archive.
    pub header_offset: u64,
    /// The name as stored: UTF-8 if bit 11 of the flags is set and correct.
    pub name: ByteStr<'a>,
    /// The extra fields.
    pub extra: &'a [u8],
    /// The comment.
    pub comment: ByteStr<'a>,
    /// The offset of the fixed part.
    pub offset: u64,
    /// The size including name, extra fields and comment.
    pub bytes: u64,
}

/// One entry as described by the header before its data.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LocalEntry<'a> {
    /// The fixed part.
    pub header: &'a LocalHeader,
    /// The name as stored.
    pub name: ByteStr<'a>,
    /// The extra fields.
    pub extra: &'a [u8],
    /// The offset of the data.
    pub data_offset: u64,
}

/// Sizes and CRC-32 of a file, as one of its descriptions gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) crc32: u32,
    pub(crate) packed: u64,
    pub(crate) unpacked: u64,
}

/// A reading of the bytes after a file's data as a descriptor of one form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptorForm {
    /// The bytes that the descriptor takes.
    pub(crate) bytes: u64,
    pub(crate) sizes: Sizes,
}

impl CentralEntry<'_> {
    /// Returns the sizes in the directory, with those of its zip64 field.
    pub(crate) fn sizes(&self) -> Sizes {
        Sizes { crc32: self.header.crc32.get(), packed: self.packed_bytes, unpacked: self.unpacked_bytes }
    }
}

impl LocalEntry<'_> {
    /// Returns the sizes in the header, with those of its zip64 field.
    pub(crate) fn sizes(&self) -> Sizes {
        let header = self.header;
        let [unpacked, packed] = widened([header.unpacked_bytes, header.packed_bytes], self.extra);
        Sizes { crc32: header.crc32.get(), packed, unpacked }
    }
}

/// An iterator over the entries of a [`Directory`](super::Directory). It ends after the first error.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    cursor: Cursor<'a>,
    claimed: u64,
    /// The number of entries read.
    count: u64,
    is_lost: bool,
    is_broken: bool,
    /// How many bytes of stored files were searched for their ends.
    searched: Amount<u64>,
}

impl<'a> Entries<'a> {
    /// Returns the entries in a directory, of which this many are claimed.
    pub(super) fn new(cursor: Cursor<'a>, claimed: u64) -> Self {
        Self { cursor, claimed, count: 0, is_lost: false, is_broken: false, searched: Amount(0) }
    }

    /// Returns the entries that the headers before the files describe.
    pub(super) fn lost(cursor: Cursor<'a>) -> Self {
        Self { is_lost: true, ..Self::new(cursor, 0) }
    }

    /// Returns the number of bytes of the directory after the entries read so far.
    pub fn left(&self) -> u64 {
        self.cursor.left()
    }

    /// Returns the number of entries read so far.
    pub(crate) fn count_so_far(&self) -> u64 {
        self.count
    }

    /// Returns true if the entries end here: with the bytes, or with bytes that are no entry after as many entries as
    /// claimed.
    fn is_at_end(&self) -> bool {
        self.cursor.is_empty()
            || self.count >= self.claimed && !self.cursor.rest().starts_with(&CentralHeader::SIGNATURE)
    }

    /// Reads the entry at the cursor. Its sizes and offset are those of its zip64 field, where it has them there.
    pub(super) fn read(&mut self) -> Result<CentralEntry<'a>> {
        let offset = self.cursor.offset();
        let CentralRecord { header, name, extra, comment } = self.cursor.parse(CentralRecord::parser())?;
        let header = *header;
        let extra = extra.as_bytes();
        let [unpacked_bytes, packed_bytes, header_offset] =
            widened([header.unpacked_bytes, header.packed_bytes, header.header_offset], extra);
        let bytes = self.cursor.offset().saturating_sub(offset);
        Ok(CentralEntry { header, packed_bytes, unpacked_bytes, header_offset, name, extra, comment, offset, bytes })
    }

    /// Finds the next file by the header before its data.
    fn find(&mut self) -> Option<CentralEntry<'a>> {
        let skipped = memchr::memmem::find(self.cursor.rest(), &LocalHeader::SIGNATURE)?;
        self.cursor.bytes(skipped as u64).ok()?;
        let offset = self.cursor.offset();
        let LocalEntry { header, name, extra, data_offset } = local_entry(self.cursor).ok()?;
        let bytes = data_offset.saturating_sub(offset);
        self.cursor.bytes(bytes).ok()?;
        let [mut unpacked_bytes, mut packed_bytes] = widened([header.unpacked_bytes, header.packed_bytes], extra);
        let mut crc32 = header.crc32;
        if header.flags.get() & SIZES_FOLLOW != 0
            && packed_bytes == 0
            && let Some(descriptor) = self.descriptor(header.method.get() == 0)
        {
            crc32 = descriptor.crc32;
            (packed_bytes, unpacked_bytes) =
                (descriptor.packed_bytes.get().into(), descriptor.unpacked_bytes.get().into());
        }
        // Data beyond the end is reported when it is requested.
        let _ = self.cursor.bytes(packed_bytes.min(self.cursor.left()));
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
        let header_offset = offset;
        let comment = ByteStr::default();
        Some(CentralEntry { header, packed_bytes, unpacked_bytes, header_offset, name, extra, comment, offset, bytes })
    }

    /// Finds the descriptor after the data that starts here. The data of a stored file may be another archive, so the
    /// search goes on over its headers, as long as all such searches together are in proportion to the archive.
    fn descriptor(&mut self, is_stored: bool) -> Option<&'a Descriptor> {
        let bytes = self.cursor.rest();
        let most = (Amount(self.cursor.offset()) + self.cursor.left()) * MOST_SEARCHED;
        for place in memchr::memmem::find_iter(bytes, b"PK") {
            let here = bytes.get(place..)?;
            let is_header = here.starts_with(&LocalHeader::SIGNATURE) || here.starts_with(&CentralHeader::SIGNATURE);
            let goes_on = is_stored && self.searched + (place as u64) < most;
            if is_header && !goes_on {
                break;
            }
            if let Some(descriptor) = Descriptor::at_start(here)
                && descriptor.packed_bytes.get() as usize == place
            {
                self.searched += place as u64;
                return Some(descriptor);
            }
        }
        if is_stored {
            self.searched += bytes.len() as u64;
        }
        None
    }
}

fn narrowed(number: u64) -> U32 {
    u32::try_from(number).unwrap_or(u32::MAX).into()
}

/// Returns numbers of a header, replaced by those of the zip64 extra field if they do not fit.
#[inline]
fn widened<const N: usize>(numbers: [U32; N], extra: &[u8]) -> [u64; N] {
    let mut wide = numbers.map(|number| u64::from(number.get()));
    if numbers.contains(&U32::MAX_VALUE) {
        widen(&mut wide, extra);
    }
    wide
}

/// Replaces the numbers that do not fit into a header.
#[cold]
fn widen(wide: &mut [u64], extra: &[u8]) {
    let mut fields = Cursor::new(extra);
    while let Ok((id, mut field)) = fields.parse(extra_field) {
        if id == 1 {
            for number in wide.iter_mut().filter(|number| **number == u64::from(u32::MAX)) {
                *number = field.parse(le_u64()).unwrap_or(*number);
            }
            return;
        }
    }
}

/// Parses the id and the content of an extra field.
fn extra_field(input: Cursor<'_>) -> IResult<Cursor<'_>, (u16, Cursor<'_>), Error> {
    let (input, id) = le_u16().parse(input)?;
    let (input, bytes) = le_u16().parse(input)?;
    let (input, field) = part(bytes.into()).parse(input)?;
    Ok((input, (id, field)))
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<CentralEntry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_lost {
            return self.find().map(Ok);
        }
        if self.is_broken || self.is_at_end() {
            return None;
        }
        let start = self.cursor.offset();
        let entry = self.read();
        if stop::is_due(start, self.cursor.offset()) && stop::is_set() {
            self.is_broken = true;
            return Some(Err(stop::error()));
        }
        match entry {
            Ok(_) => self.count = self.count.wrapping_add(1),
            Err(_) => self.is_broken = true,
        }
        Some(entry)
    }
}

/// Returns the entry whose header is at the start of the bytes. It is the first one unless there are bytes before the
/// archive.
///
/// # Errors
/// Returns an error if there is none.
pub(crate) fn first_entry(data: &[u8]) -> Result<LocalEntry<'_>> {
    local_entry(Cursor::new(data))
}

pub(super) fn local_entry(mut cursor: Cursor<'_>) -> Result<LocalEntry<'_>> {
    let LocalRecord { header, name, extra } = cursor.parse(LocalRecord::parser())?;
    Ok(LocalEntry { header, name, extra: extra.as_bytes(), data_offset: cursor.offset() })
}
