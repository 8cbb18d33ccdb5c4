//! The directory: found from the end of the bytes, or replaced by the local headers.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes as _, FromZeros};

use super::entries::{CentralEntry, DescriptorForm, Entries, LocalEntry, Sizes, local_entry};
use super::wire::*;
use crate::base::error::Result;
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
    /// The end record of a zip64 archive, which is at [`stop`](Self::stop).
    pub zip64: Option<&'a Zip64EndRecord>,
    /// The claimed number of entries; `None` if the directory [is lost](Self::is_lost): there are only the headers before
    /// the files.
    pub entry_count: Option<u64>,
}

impl<'a> Directory<'a> {
    /// Returns a directory without entries before the end record at this offset.
    pub(super) fn empty(data: Data<'a>, end_offset: u64) -> Self {
        Self {
            data,
            start: end_offset,
            stop: end_offset,
            prefix: 0,
            end: EndRecord::new_zeroed(),
            end_offset,
            comment: ByteStr::default(),
            zip64: None,
            entry_count: None,
        }
    }

    /// Returns true if there is no directory because the end of the archive is missing.
    pub fn is_lost(&self) -> bool {
        self.entry_count.is_none()
    }

    /// Returns an iterator over all entries that the directory holds, in its order, whatever their
    /// [claimed number](Self::entry_count). If the directory is lost, it returns the entries of the headers before the
    /// files, and walks the whole archive.
    pub fn entries(&self) -> Entries<'a> {
        let Some(claimed) = self.entry_count else { return Entries::lost(self.data.cursor(0)) };
        let mut cursor = self.data.cursor(self.start);
        // Checked before: the directory is before the end record.
        let directory = up_to(self.stop.saturating_sub(self.start));
        let body = cursor.parse(directory).unwrap_or(Cursor::new(&[]));
        Entries::new(body, claimed)
    }

    /// Returns the entry whose fixed part is at this offset of the bytes.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn entry_at(&self, offset: u64) -> Result<CentralEntry<'a>> {
        Entries::new(self.data.cursor(offset), 0).read()
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

    /// The bytes of the longest form of descriptor.
    pub(crate) const LONGEST_DESCRIPTOR: u64 = 24;

    /// Returns the forms of descriptor that the bytes at this offset may have, the likeliest first: with 4 or 8 bytes for
    /// each size, and with a signature or without. Returns none if another record is there.
    pub(crate) fn descriptors(&self, offset: u64) -> Vec<DescriptorForm> {
        let end = self.start.min(offset.saturating_add(Self::LONGEST_DESCRIPTOR));
        let bytes = self.data.get(offset.min(end)..end).unwrap_or_default();
        let mut forms = Vec::new();
        if let Some(numbers) = bytes.strip_prefix(&Descriptor::SIGNATURE) {
            add_descriptors(numbers, Descriptor::SIGNATURE.len() as u64, &mut forms);
        }
        let is_header = [LocalHeader::SIGNATURE, CentralHeader::SIGNATURE].iter().any(|start| bytes.starts_with(start));
        if !is_header {
            add_descriptors(bytes, 0, &mut forms);
        }
        forms
    }

    /// Returns the bytes that the descriptor of an entry takes after its data, which end at this offset: those of the form
    /// with the sizes of the directory, else of the likeliest one. Returns 0 if another record is there.
    pub(crate) fn descriptor_byte_len(&self, data_end: u64, entry: &CentralEntry<'_>) -> u64 {
        let forms = self.descriptors(data_end);
        for form in &forms {
            if form.sizes == entry.sizes() {
                return form.bytes;
            }
        }
        let Some(likeliest) = forms.first() else { return 0 };
        likeliest.bytes
    }

    /// Returns the offset of the end of the archive's comment.
    pub fn archive_end(&self) -> u64 {
        let record = size_of::<EndRecord>().saturating_add(self.comment.len()) as u64;
        self.end_offset.saturating_add(record).min(self.data.size())
    }
}

/// Adds the forms of descriptor that these bytes may have, after a signature of `signature_bytes` bytes.
fn add_descriptors(bytes: &[u8], signature_bytes: u64, forms: &mut Vec<DescriptorForm>) {
    let Ok((crc32, rest)) = U32::read_from_prefix(bytes) else { return };
    let crc32 = crc32.get();
    if let Ok(([packed, unpacked], _)) = <[U32; 2]>::read_from_prefix(rest) {
        let sizes = Sizes { crc32, packed: packed.get().into(), unpacked: unpacked.get().into() };
        let bytes = size_of::<BareDescriptor>() as u64;
        forms.push(DescriptorForm { bytes: bytes.saturating_add(signature_bytes), sizes });
    }
    if let Ok(([packed, unpacked], _)) = <[U64; 2]>::read_from_prefix(rest) {
        let sizes = Sizes { crc32, packed: packed.get(), unpacked: unpacked.get() };
        let bytes = size_of::<Zip64BareDescriptor>() as u64;
        forms.push(DescriptorForm { bytes: bytes.saturating_add(signature_bytes), sizes });
    }
}
