//! The records of a zip archive exactly as stored, and with the texts after them.

use zerocopy::IntoBytes;
use zerocopy::little_endian::{U16, U32, U64};

use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::bytes::array::LeArray;
use crate::bytes::cursor::Wire;
use crate::outline::Schema;
use crate::record::parser::{array, in_place, inline, text, verify};
use crate::record::{Fixed, Framing, grammar, wire};

wire! {
    /// The header before a file's data; its name and extra fields follow.
    LocalHeader = 30 {
        /// `PK\x03\x04`.
        #[label("local file header signature")] signature: Framing<[u8; 4]>,
        /// The version that a reader needs, times 10.
        #[label("version needed to extract")] version_needed: U16,
        /// Bit 0: encrypted. Bit 3: sizes follow the data. Bit 11: the name is UTF-8.
        #[label("general purpose bit flag")] flags: U16,
        /// 0 stored, 8 deflated.
        #[label("compression method")] method: U16,
        /// Time of day in DOS format.
        #[label("last mod file time")] time: U16,
        /// Date in DOS format.
        #[label("last mod file date")] date: U16,
        /// CRC-32 of the decompressed bytes; 0 if it follows the data.
        #[label("crc-32")] crc32: U32,
        /// Size in the file; 0 if it follows the data.
        #[label("compressed size")] packed_bytes: U32,
        /// Decompressed size; 0 if it follows the data.
        #[label("uncompressed size")] unpacked_bytes: U32,
        /// Number of bytes of the name.
        #[label("file name length")] name_bytes: Framing<U16>,
        /// Number of bytes of the extra fields.
        #[label("extra field length")] extra_bytes: Framing<U16>,
    }

    /// The optional record after a file's data, with its signature.
    Descriptor = 16 {
        /// `PK\x07\x08`.
        signature: Framing<[u8; 4]>,
        /// CRC-32 of the decompressed bytes.
        #[label("crc-32")] crc32: U32,
        /// Size in the file.
        #[label("compressed size")] packed_bytes: U32,
        /// Decompressed size.
        #[label("uncompressed size")] unpacked_bytes: U32,
    }

    /// The record after a file's data without a signature, as old writers write it.
    BareDescriptor = 12 {
        /// CRC-32 of the decompressed bytes.
        #[label("crc-32")] crc32: U32,
        /// Size in the file.
        #[label("compressed size")] packed_bytes: U32,
        /// Decompressed size.
        #[label("uncompressed size")] unpacked_bytes: U32,
    }

    /// The record after the data of a file whose header has a zip64 field: its sizes have 64 bits.
    Zip64Descriptor = 24 {
        /// `PK\x07\x08`.
        signature: Framing<[u8; 4]>,
        /// CRC-32 of the decompressed bytes.
        #[label("crc-32")] crc32: U32,
        /// Size in the file.
        #[label("compressed size")] packed_bytes: U64,
        /// Decompressed size.
        #[label("uncompressed size")] unpacked_bytes: U64,
    }

    /// The record with sizes of 64 bits, without a signature.
    Zip64BareDescriptor = 20 {
        /// CRC-32 of the decompressed bytes.
        #[label("crc-32")] crc32: U32,
        /// Size in the file.
        #[label("compressed size")] packed_bytes: U64,
        /// Decompressed size.
        #[label("uncompressed size")] unpacked_bytes: U64,
    }

    /// One entry of the directory; its name, extra fields and comment follow.
    CentralHeader = 46 {
        /// `PK\x01\x02`.
        #[label("central file header signature")] signature: Framing<[u8; 4]>,
        /// The writer's version and system.
        #[label("version made by")] version_made_by: U16,
        /// The version that a reader needs, times 10.
        #[label("version needed to extract")] version_needed: U16,
        /// Bit 0: encrypted. Bit 3: sizes follow the data. Bit 11: the name is UTF-8.
        #[label("general purpose bit flag")] flags: U16,
        /// 0 stored, 8 deflated.
        #[label("compression method")] method: U16,
        /// Time of day in DOS format.
        #[label("last mod file time")] time: U16,
        /// Date in DOS format.
        #[label("last mod file date")] date: U16,
        /// CRC-32 of the decompressed bytes.
        #[label("crc-32")] crc32: U32,
        /// Size in the file.
        #[label("compressed size")] packed_bytes: U32,
        /// Decompressed size.
        #[label("uncompressed size")] unpacked_bytes: U32,
        /// Number of bytes of the name.
        #[label("file name length")] name_bytes: Framing<U16>,
        /// Number of bytes of the extra fields.
        #[label("extra field length")] extra_bytes: Framing<U16>,
        /// Number of bytes of the comment.
        #[label("file comment length")] comment_bytes: Framing<U16>,
        /// Number of the disk with the data.
        #[label("disk number start")] disk: U16,
        /// Bit 0: marked as text.
        #[label("internal file attributes")] internal_attributes: U16,
        /// File attributes of the writer's system.
        #[label("external file attributes")] external_attributes: U32,
        /// Offset of the local header, counted from the start of the archive.
        #[label("relative offset of local header")] header_offset: U32,
    }

    /// The end record of a zip64 archive.
    Zip64EndRecord = 56 {
        /// `PK\x06\x06`.
        #[label("zip64 end of central dir signature")] signature: Framing<[u8; 4]>,
        /// Number of bytes of this record after this field.
        #[label("size of zip64 end of central directory record")] bytes: U64,
        /// The writer's version and system.
        #[label("version made by")] version_made_by: U16,
        /// The version that a reader needs, times 10.
        #[label("version needed to extract")] version_needed: U16,
        /// Number of this disk.
        #[label("number of this disk")] disk: U32,
        /// Number of the disk where the directory starts.
        #[label("number of the disk with the start of the central directory")] directory_disk: U32,
        /// Number of entries on this disk.
        #[label("total number of entries in the central directory on this disk")] disk_entries: U64,
        /// Number of entries.
        #[label("total number of entries in the central directory")] entries: U64,
        /// Number of bytes of the directory.
        #[label("size of the central directory")] directory_bytes: U64,
        /// Offset of the directory, counted from the start of the archive.
        #[label("offset of start of central directory")] directory_offset: U64,
    }

    /// The record before the end record of a zip64 archive.
    Zip64Locator = 20 {
        /// `PK\x06\x07`.
        #[label("zip64 end of central dir locator signature")] signature: Framing<[u8; 4]>,
        /// Number of the disk with the record.
        #[label("number of the disk with the start of the zip64 end of central directory")] disk: U32,
        /// Offset of the record, counted from the start of the archive.
        #[label("relative offset of the zip64 end of central directory record")] record_offset: U64,
        /// Number of disks.
        #[label("total number of disks")] disks: U32,
    }

    /// The last record, from which all others are found; a comment follows.
    EndRecord = 22 {
        /// `PK\x05\x06`.
        #[label("end of central dir signature")] signature: Framing<[u8; 4]>,
        /// Number of this disk.
        #[label("number of this disk")] disk: U16,
        /// Number of the disk where the directory starts.
        #[label("number of the disk with the start of the central directory")] directory_disk: U16,
        /// Number of entries on this disk.
        #[label("total number of entries in the central directory on this disk")] disk_entries: U16,
        /// Number of entries.
        #[label("total number of entries in the central directory")] entries: U16,
        /// Number of bytes of the directory.
        #[label("size of the central directory")] directory_bytes: U32,
        /// Offset of the directory, counted from the start of the archive.
        #[label("offset of start of central directory")] directory_offset: U32,
        /// Number of bytes of the comment.
        #[label(".ZIP file comment length")] comment_bytes: Framing<U16>,
    }
}

/// The compression methods that archives in use have.
pub(crate) const METHODS: [u16; 13] = [0, 1, 6, 8, 9, 12, 14, 93, 94, 95, 97, 98, 99];

/// Flag bit: sizes and CRC-32 follow the data.
pub(crate) const SIZES_FOLLOW: u16 = 1 << 3;

/// A record that starts with a signature of four bytes.
pub(crate) trait Signed: Fixed + Wire + IntoBytes {
    const SIGNATURE: [u8; 4];

    /// Returns the record at the start of these bytes, if there is one. Creates no error, which would allocate.
    fn at_start(bytes: &[u8]) -> Option<&Self> {
        if !bytes.starts_with(&Self::SIGNATURE) {
            return None;
        }
        let (record, _) = Self::ref_from_prefix(bytes).ok()?;
        Some(record)
    }
}

impl Signed for LocalHeader {
    const SIGNATURE: [u8; 4] = *b"PK\x03\x04";
}

impl Signed for Descriptor {
    const SIGNATURE: [u8; 4] = *b"PK\x07\x08";
}

impl Signed for CentralHeader {
    const SIGNATURE: [u8; 4] = *b"PK\x01\x02";
}

impl Signed for Zip64EndRecord {
    const SIGNATURE: [u8; 4] = *b"PK\x06\x06";
}

impl Signed for Zip64Locator {
    const SIGNATURE: [u8; 4] = *b"PK\x06\x07";
}

impl Signed for EndRecord {
    const SIGNATURE: [u8; 4] = *b"PK\x05\x06";
}

// The labels are those of APPNOTE.TXT, the format's own document.

grammar! {
    /// The header before a file's data.
    LocalRecord<'a> named name {
        /// The fixed part.
        header: &'a LocalHeader = verify(inline(in_place()), is_signed),
        /// The name as stored.
        #[label("file name")] name: ByteStr<'a> = text(header.name_bytes.get()),
        /// The extra fields.
        #[label("extra field")] extra: LeArray<'a, u8> = array(header.extra_bytes.get()),
    }
}

grammar! {
    /// One entry of the directory.
    CentralRecord<'a> named name {
        /// The fixed part.
        header: &'a CentralHeader = verify(inline(in_place()), is_signed),
        /// The name as stored.
        #[label("file name")] name: ByteStr<'a> = text(header.name_bytes.get()),
        /// The extra fields.
        #[label("extra field")] extra: LeArray<'a, u8> = array(header.extra_bytes.get()),
        /// The comment.
        #[label("file comment")] comment: ByteStr<'a> = text(header.comment_bytes.get()),
    }
}

grammar! {
    /// The end of an archive.
    End<'a> {
        /// The fixed part.
        record: &'a EndRecord = verify(inline(in_place()), is_signed),
        /// The archive's comment.
        #[label(".ZIP file comment")] comment: ByteStr<'a> = text(record.comment_bytes.get()),
    }
}

fn is_signed<T: Signed>(record: &&T) -> Result<()> {
    if record.as_bytes().starts_with(&T::SIGNATURE) {
        return Ok(());
    }
    Err(Error::malformed(format!("no {}", T::SCHEMA.name)))
}

/// The records of an archive.
pub(crate) const SCHEMA: &[&Schema] = &[
    LocalRecord::SCHEMA,
    LocalHeader::SCHEMA,
    Descriptor::SCHEMA,
    BareDescriptor::SCHEMA,
    Zip64Descriptor::SCHEMA,
    Zip64BareDescriptor::SCHEMA,
    CentralRecord::SCHEMA,
    CentralHeader::SCHEMA,
    Zip64EndRecord::SCHEMA,
    Zip64Locator::SCHEMA,
    End::SCHEMA,
    EndRecord::SCHEMA,
];
