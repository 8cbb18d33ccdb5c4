//! Members: files inside the archive.

use std::borrow::Cow;

use super::archive::Archive;
use super::entry::{Entries, Entry, EntryKind};
use super::wire::{Fields, Method};
use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::base::text::is_same_name;
use crate::blocks::Block;
use crate::bytes::batch::Bytes;
use crate::bytes::{Cursor, Packing, Storage, Table};
use crate::codec::{Codec, lzss};
use crate::ranges::{Data, Ranges};

/// A file inside an archive.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    pub(super) archive: Data<'a>,
    pub(super) limits: Limits,
    /// Its entry in the header.
    pub entry: Entry<'a>,
    /// Its index among all members, counted from 0.
    pub index: usize,
    /// The offset of its bytes: the sum of the sizes before it. May be outside the file.
    pub offset: u64,
}

impl<'a> Member<'a> {
    /// Returns its name as stored: usually a path with `\`, in hostile archives any bytes except NUL. See
    /// [`ByteStr::to_relative_path`] before you write to it.
    pub fn name(&self) -> ByteStr<'a> {
        self.entry.name()
    }

    /// Returns the fields of its entry.
    pub fn fields(&self) -> &'a Fields {
        self.entry.fields()
    }

    /// Returns its packing method.
    pub fn method(&self) -> Method {
        self.fields().method
    }

    /// Returns the time of the file's last change, in seconds since 1970, or `None` if the writer left it out.
    pub fn timestamp(&self) -> Option<u32> {
        Some(self.fields().timestamp.get()).filter(|&seconds| seconds > 0)
    }

    /// Returns its claimed size in the archive (dataSize).
    pub fn stored_byte_len(&self) -> u64 {
        self.fields().data_size.get().into()
    }

    /// Returns the claimed size of the content that [`decode`](Self::decode) returns: originalSize for a packed member,
    /// the stored size for all others. Some writers store a size that differs from the stream's; see
    /// [`decoded_byte_len`](Self::decoded_byte_len).
    pub fn decoded_byte_len_hint(&self) -> u64 {
        match self.method() {
            Method::PACKED => self.fields().original_size.get().into(),
            _ => self.stored_byte_len(),
        }
    }

    /// Returns the size of the content that [`decode`](Self::decode) returns. Walks the stream of a packed member, and
    /// decodes it if it does not match the header's claim.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes), and an error if a packed member does not decode.
    pub fn decoded_byte_len(&self) -> Result<u64> {
        match self.method() {
            Method::PACKED => match self.stream(self.part()?) {
                Ok((size, None)) => Ok(size),
                _ => Ok(self.decode()?.len() as u64),
            },
            _ => self.span().map(|span| span.bytes),
        }
    }

    /// Returns its bytes as stored, whatever the method.
    ///
    /// # Errors
    /// Returns an error if they exceed the end of the archive.
    pub fn stored_bytes(&self) -> Result<&'a [u8]> {
        self.part().map(|part| part.rest())
    }

    /// Returns its content if it is stored uncompressed. Returns `None` if it must be decoded or cannot be.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes).
    pub fn borrowed(&self) -> Result<Option<&'a [u8]>> {
        match self.method() {
            Method::STORED => self.stored_bytes().map(Some),
            _ => Ok(None),
        }
    }

    /// Returns its ranges if it is stored uncompressed in an archive that is available only in ranges.
    pub(crate) fn ranges(&self) -> Result<Option<Ranges>> {
        match (self.archive, self.method()) {
            (Data::Parts(outer), Method::STORED) => {
                let Span { offset, bytes } = self.span()?;
                Ok(Some(outer.section(offset..offset.saturating_add(bytes))))
            }
            _ => Ok(None),
        }
    }

    /// Returns its content: borrowed if stored, else decoded into new memory.
    ///
    /// A stream that is valid up to its own end and checksum takes precedence over the header's claimed size. A packed
    /// member with equal sizes may be stored nevertheless: its bytes are returned unchanged if they are not a stream
    /// with a correct checksum.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes). Returns an error if a packed member does not decode,
    /// or decodes to more than [`Limits::decoded_bytes`]. Returns [`Encrypted`](crate::ErrorKind::Encrypted) for an encrypted
    /// member, and [`Unsupported`](crate::ErrorKind::Unsupported) for an unknown method.
    pub fn decode(&self) -> Result<Cow<'a, [u8]>> {
        self.decode_after(|_| Ok(()))
    }

    /// Returns its content. Calls `pay` with the memory needed before it decodes a packed member.
    pub(crate) fn decode_after(&self, pay: impl FnOnce(u64) -> Result<()>) -> Result<Cow<'a, [u8]>> {
        let part = self.part()?;
        let decoded = match self.method() {
            Method::STORED => return Ok(part.rest().into()),
            Method::PACKED => self.expand(part, pay),
            Method::ENCRYPTED => Err(Error::encrypted("encrypted member")),
            method => Err(Error::unsupported(format!("member packed with unknown method {method}"))),
        };
        match decoded {
            Err(error) if !self.may_be_stored(&error) => Err(error.at(self.offset).within_item("members", self.index)),
            // The entry may wrongly call a stored member packed.
            Err(_) => Ok(part.rest().into()),
            decoded => decoded,
        }
    }

    /// Returns true if a packed member that failed to decode with this error may be stored: its two sizes are equal,
    /// and it did not fail because of a limit or a stop.
    fn may_be_stored(&self, error: &Error) -> bool {
        self.method() == Method::PACKED
            && self.decoded_byte_len_hint() == self.stored_byte_len()
            && !error.is_from_outside()
    }

    /// Returns the decoded size of the LZSS stream that fills `part`, and `None` if it is the size in the entry,
    /// otherwise the mismatch as an error.
    ///
    /// # Errors
    /// Returns the mismatch if the bytes are not a stream of any size.
    fn stream(&self, part: Cursor<'a>) -> Result<(u64, Option<Error>)> {
        let claimed = self.decoded_byte_len_hint();
        let mismatch = match lzss::stored_byte_len(part, claimed) {
            Ok(taken) if taken == part.left() => return Ok((claimed, None)),
            Ok(taken) => Error::malformed(format!("LZSS stream of {taken} bytes in {}", part.left())),
            Err(error) => error,
        };
        match lzss::decoded_byte_len(part) {
            Ok(size) => Ok((size, Some(mismatch))),
            // A stop says nothing about the bytes.
            Err(error) if error.is_from_outside() => Err(error),
            Err(_) => Err(mismatch),
        }
    }

    /// Returns true if its stored bytes are an LZSS stream that decodes to this size.
    pub(super) fn is_stream_of(&self, size: u64) -> bool {
        let Ok(part) = self.part() else { return false };
        lzss::stored_byte_len(part, size).is_ok_and(|taken| taken == part.left())
    }

    /// Decodes the stream that fills `part`. Calls `pay` with the decoded size first, which the walk over the stream
    /// bounds.
    fn expand(&self, part: Cursor<'a>, pay: impl FnOnce(u64) -> Result<()>) -> Result<Cow<'a, [u8]>> {
        let (size, mismatch) = self.stream(part)?;
        pay(size)?;
        let decoded = Block::<u8>::exactly(part, size, Codec::Lzss, &self.limits)?.decode();
        decoded.map_err(|error| match mismatch {
            // Without a correct checksum, the stream's own end proves nothing.
            Some(mismatch) if !error.is_from_outside() => mismatch,
            _ => error,
        })
    }

    /// Returns its stored bytes, at their offset in the archive.
    ///
    /// # Errors
    /// Returns an error if they are not inside the archive or not available.
    fn part(&self) -> Result<Cursor<'a>> {
        let Span { offset, bytes } = self.span()?;
        let bytes = self.archive.get(offset..offset.saturating_add(bytes))?;
        Ok(Cursor::with_offset(bytes, offset))
    }

    /// Returns the range of its bytes, which need not be available.
    ///
    /// # Errors
    /// Returns an error if they are not inside the archive.
    pub(super) fn span(&self) -> Result<Span> {
        // The error is in the header's claim, which may point far outside the file.
        self.claimed_span().map_err(|error| error.at(self.entry.offset).within_item("members", self.index))
    }

    /// Returns the range of its bytes, or an error without a location if it is not inside the archive.
    fn claimed_span(&self) -> Result<Span> {
        let size = self.stored_byte_len();
        let Some(rest) = self.archive.size().checked_sub(self.offset) else {
            return Err(Error::malformed("starts after the end of the archive"));
        };
        if size > rest {
            return Err(Error::truncated(size, rest));
        }
        Ok(Span { offset: self.offset, bytes: size })
    }

    /// Returns the offset of its bytes if they are inside the archive.
    #[cfg(feature = "stores")]
    pub(crate) fn content_offset(&self) -> Option<u64> {
        if self.is_inside() { Some(self.offset) } else { None }
    }

    /// Returns the same member with these ranges of its archive.
    #[cfg(feature = "scan")]
    pub(crate) fn in_ranges(self, ranges: &'a Ranges) -> Self {
        Self { archive: Data::Parts(ranges), ..self }
    }

    /// Returns its content as a table of bytes. For one that cannot be decoded, the stored bytes. Counting the rows of a
    /// packed member walks its stream.
    pub(super) fn content(self) -> impl Table + use<'a> {
        let is_packed = self.method() == Method::PACKED;
        let packing = if is_packed { Packing::Lzss } else { Packing::InPlace };
        let storage = Storage { offset: self.offset, bytes: self.stored_byte_len(), packing };
        // Each closure runs only when its value is requested.
        let rows = move || self.decoded_byte_len().unwrap_or_else(|_| self.decoded_byte_len_hint());
        let here = move || if is_packed { None } else { self.stored_bytes().ok() };
        let read = move || if is_packed { self.decode() } else { self.stored_bytes().map(Cow::from) };
        Bytes::new("byte", storage, rows, here, read)
    }

    /// Returns true if its bytes are inside the archive.
    pub(crate) fn is_inside(&self) -> bool {
        self.offset.checked_add(self.stored_byte_len()).is_some_and(|end| end <= self.archive.size())
    }
}

/// An iterator over the members of an archive in header order, including duplicates. It ends after the first error.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    archive: Archive<'a>,
    entries: Entries<'a>,
    /// The offset of the next member's bytes.
    offset: u64,
    /// The index of the next member.
    index: usize,
    /// True after an error.
    ended: bool,
}

impl<'a> Archive<'a> {
    /// Returns an iterator over all members in header order, including duplicates, up to [`Limits::archive_members`].
    pub fn members(&self) -> Members<'a> {
        Members::new(self)
    }

    /// Returns the first member with this name, ignoring case and the kind of slash. It is not known which of several
    /// members with one name a game uses. Linear in the header: names are not always sorted.
    ///
    /// # Errors
    /// Returns the header's error if it occurs before such a member.
    pub fn find(&self, name: &[u8]) -> Result<Option<Member<'a>>> {
        for member in self.members() {
            let member = member?;
            if is_same_name(member.name().as_bytes(), name) {
                return Ok(Some(member));
            }
        }
        Ok(None)
    }
}

impl<'a> Members<'a> {
    /// Creates an iterator over all members of this archive.
    fn new(archive: &Archive<'a>) -> Self {
        Self { archive: *archive, entries: archive.entries(), offset: archive.data_offset, index: 0, ended: false }
    }

    /// Returns the member of the next entry, whose bytes follow those of the member before it.
    ///
    /// # Errors
    /// Returns an error if there are more members than [`Limits::archive_members`].
    fn member(&mut self, entry: Entry<'a>) -> Result<Member<'a>> {
        let Archive { data, limits, .. } = self.archive;
        let limit = u64::from(limits.archive_members);
        if self.index as u64 >= limit {
            let error = Error::limit("members in an archive", limit, Code::ArchiveMembersLimit);
            return Err(error.at(entry.offset));
        }
        let member = Member { archive: data, limits, entry, index: self.index, offset: self.offset };
        self.offset = self.offset.saturating_add(member.stored_byte_len());
        self.index = self.index.saturating_add(1);
        Ok(member)
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        // Passes over product entries and the end of the header.
        let entry = loop {
            match self.entries.next()? {
                Ok(entry) if entry.kind() != EntryKind::Member => {}
                entry => break entry.within_item("members", self.index),
            }
        };
        let member = match entry {
            Ok(entry) => self.member(entry),
            Err(error) => Err(error),
        };
        self.ended = member.is_err();
        Some(member)
    }
}
