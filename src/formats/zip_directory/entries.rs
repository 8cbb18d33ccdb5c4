//! The entries, from the directory or from the headers before the files.

use nom::{IResult, Parser as _};
use zerocopy::FromZeros;
use zerocopy::little_endian::U32;

use super::wire::*;
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::bytes::cursor::Cursor;
use crate::bytes::parser::part;
use crate::record::Framing;
use crate::record::parser::{le_u16, le_u64};

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

/// An iterator over the entries of a [`Directory`](super::Directory).
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) left: u64,
    pub(super) is_lost: bool,
}

impl<'a> Entries<'a> {
    /// Returns the number of bytes of the directory after the entries read so far.
    pub fn left(&self) -> u64 {
        self.cursor.left()
    }

    pub(super) fn read(&mut self) -> Result<CentralEntry<'a>> {
        let offset = self.cursor.offset();
        let CentralRecord { header, name, extra, comment } = self.cursor.parse(CentralRecord::parser())?;
        let (header, extra) = (*header, extra.as_bytes());
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
            && let Some(descriptor) = descriptor(self.cursor)
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
        let (header_offset, comment) = (offset, ByteStr::default());
        Some(CentralEntry { header, packed_bytes, unpacked_bytes, header_offset, name, extra, comment, offset, bytes })
    }
}

fn narrowed(number: u64) -> U32 {
    u32::try_from(number).unwrap_or(u32::MAX).into()
}

/// Returns numbers of a header, replaced by those of the zip64 extra field if they do not fit.
fn widened<const N: usize>(numbers: [U32; N], extra: &[u8]) -> [u64; N] {
    let mut wide = numbers.map(|number| u64::from(number.get()));
    if !numbers.contains(&U32::MAX_VALUE) {
        return wide;
    }
    let mut fields = Cursor::new(extra);
    while let Ok((id, mut field)) = fields.parse(extra_field) {
        if id == 1 {
            for number in wide.iter_mut().filter(|number| **number == u64::from(u32::MAX)) {
                *number = field.parse(le_u64()).unwrap_or(*number);
            }
            break;
        }
    }
    wide
}

/// Parses the id and the content of an extra field.
fn extra_field(input: Cursor<'_>) -> IResult<Cursor<'_>, (u16, Cursor<'_>), Error> {
    let (input, id) = le_u16().parse(input)?;
    let (input, bytes) = le_u16().parse(input)?;
    let (input, field) = part(bytes.into()).parse(input)?;
    Ok((input, (id, field)))
}

/// Finds the descriptor after the data that starts here, before the next header.
fn descriptor<'a>(data: Cursor<'a>) -> Option<&'a Descriptor> {
    let bytes = data.rest();
    for place in memchr::memmem::find_iter(bytes, b"PK") {
        let here = bytes.get(place..)?;
        if here.starts_with(&LocalHeader::SIGNATURE) || here.starts_with(&CentralHeader::SIGNATURE) {
            return None;
        }
        if let Some(descriptor) = Descriptor::at_start(here)
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

/// Returns the entry whose header is at the start of the bytes. It is the first one unless there are bytes before the
/// archive.
///
/// # Errors
/// Returns an error if there is none.
pub fn first_entry(data: &[u8]) -> Result<LocalEntry<'_>> {
    local_entry(Cursor::new(data))
}

pub(super) fn local_entry(mut cursor: Cursor<'_>) -> Result<LocalEntry<'_>> {
    let LocalRecord { header, name, extra } = cursor.parse(LocalRecord::parser())?;
    Ok(LocalEntry { header, name, extra: extra.as_bytes(), data_offset: cursor.offset() })
}
