//! Members of a zip archive.

use std::borrow::Cow;
use std::fmt;

use flate2::Crc;

use super::archive::Archive;
use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::span::Span;
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::base::text::is_same_name;
use crate::budget::{Budget, Held};
use crate::bytes::Packing;
#[cfg(feature = "methods")]
use crate::codec::methods;
use crate::codec::{deflate, within_limit};
use crate::formats::zip_directory::extra::{self, UnicodePath};
use crate::formats::zip_directory::{CentralEntry, CentralHeader, Entries, LocalEntry};
use crate::ranges::{Data, Ranges};
use crate::record::codes::codes;

/// The maximum number of bytes inflated for each available byte of a stream, and the minimum for all of them. With one
/// more range of the stream, more is inflated.
const MOST_AHEAD: u64 = 16;
const LEAST_AHEAD: u64 = 64 << 10;

/// The most memory of a decoder for the beginning of a file alone, which is not charged.
const MOST_FOR_HEAD: u64 = 16 << 20;

/// Flag bit: the name is UTF-8.
const UTF8: u16 = 1 << 11;
/// Flag bit: the bytes are encrypted.
const ENCRYPTED: u16 = 1;

codes! {
    /// The compression method of a file.
    Method(u16) {
        0 "stored", 1 "shrunk", 6 "imploded", 8 "deflated", 9 "deflate64", 12 "bzip2", 14 "lzma", 93 "zstd", 95 "xz",
        98 "ppmd", 99 "aes",
    }
}

impl Method {
    /// Stored uncompressed.
    pub const STORED: Self = Self(0);
    /// One DEFLATE stream.
    pub const DEFLATED: Self = Self(8);
    /// Encrypted with AES; an extra field has the method.
    pub const AES: Self = Self(99);
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "method {}", self.0),
        }
    }
}

/// A file inside an archive, as described by the directory.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    pub(super) archive: Archive<'a>,
    /// Its directory record.
    pub entry: CentralEntry<'a>,
    name: ByteStr<'a>,
    /// Its index among all files, counted from 0.
    pub index: usize,
    /// True if its bytes are not read because another file has them.
    pub(super) is_shared: bool,
}

impl<'a> Member<'a> {
    /// Returns its name: a path with `/`, from some writers with `\`. It is the name in UTF-8 of an extra field if
    /// there is one, else the name as stored, in any encoding that `read_names_as` does not know. See
    /// [`ByteStr::to_relative_path`] before you write to it.
    pub fn name(&self) -> ByteStr<'a> {
        self.name
    }

    /// Returns the time of its last change in seconds since 1970, in UTC, if an extra field has it.
    pub fn timestamp(&self) -> Option<i64> {
        extra::modified(self.entry.extra)
    }

    /// Returns the fixed part of its directory record.
    pub(super) fn header(&self) -> &CentralHeader {
        &self.entry.header
    }

    /// Returns its compression method.
    pub fn method(&self) -> Method {
        Method(self.header().method.get())
    }

    /// Returns true if its bytes are encrypted, in the old way or with AES.
    pub fn is_encrypted(&self) -> bool {
        self.header().flags.get() & ENCRYPTED != 0 || self.method() == Method::AES
    }

    /// Returns the word for how it is stored: that of its method, or `encrypted`.
    pub(crate) fn method_name(&self) -> String {
        if self.is_encrypted() { "encrypted".to_owned() } else { self.method().to_string() }
    }

    /// Returns true if it is a symbolic link of Unix. Its content is the path to its target.
    pub fn is_link(&self) -> bool {
        // The systems that store a mode of Unix: Unix itself and macOS.
        const UNIX: [u16; 2] = [3, 19];
        // The bits of a mode with the kind of file, and their value for a symbolic link.
        const KIND: u32 = 0o170_000;
        const LINK: u32 = 0o120_000;
        let header = self.header();
        // The mode is in the upper half of the attributes, and the system in the upper half of the version.
        let mode = header.external_attributes.get() >> 16;
        UNIX.contains(&(header.version_made_by.get() >> 8)) && mode & KIND == LINK
    }

    /// Returns the claimed size in the archive.
    pub fn stored_byte_len(&self) -> u64 {
        self.entry.packed_bytes
    }

    /// Returns the claimed decompressed size.
    pub fn decoded_byte_len_hint(&self) -> u64 {
        self.entry.unpacked_bytes
    }

    /// Returns the memory needed for decoding it: 0 if it is stored, or if no stream of its length can decompress to
    /// its claimed size.
    pub(crate) fn unpacked_bytes(&self) -> u64 {
        let ratio = match self.packing() {
            Some(Packing::Deflate) => deflate::RATIO,
            #[cfg(feature = "methods")]
            Some(packing) => methods::ratio(packing),
            // Stored content needs no memory, and that which cannot be read is not decoded.
            _ => 0,
        };
        let possible = self.decoded_byte_len_hint() <= self.stored_byte_len().saturating_mul(ratio);
        if possible { self.decoded_byte_len_hint() } else { 0 }
    }

    /// Returns the offset of the header before its bytes. May be outside the archive.
    pub fn header_offset(&self) -> u64 {
        self.archive.directory.prefix.saturating_add(self.entry.header_offset)
    }

    /// Returns the header before its bytes.
    ///
    /// # Errors
    /// Returns an error if there is none at the offset in the directory.
    pub fn local(&self) -> Result<LocalEntry<'a>> {
        // The error is in the directory's claim, which may point outside the file.
        let local = self.archive.directory.local(self.header_offset());
        local.map_err(|error| match error.incomplete() {
            Some(_) => error,
            None => self.error(format!("its header at {:#x}: {}", self.header_offset(), error.kind())),
        })
    }

    /// Returns its bytes as stored, whatever the method.
    ///
    /// # Errors
    /// Returns the errors of [`local`](Self::local), and an error if the bytes overlap the directory.
    pub fn stored_bytes(&self) -> Result<&'a [u8]> {
        let Span { offset, bytes } = self.span()?;
        self.archive.data.get(offset..offset.saturating_add(bytes))
    }

    /// Returns the range of its bytes, which need not be available. Returns an error if another file has them, or if
    /// they are not before the directory.
    pub(super) fn span(&self) -> Result<Span> {
        if self.is_shared {
            return Err(self.error("shares bytes with another member").coded(Code::Overlap));
        }
        let start = self.local()?.data_offset;
        let bytes = self.stored_byte_len();
        if start.saturating_add(bytes) > self.archive.directory.start {
            let what = if self.archive.directory.is_lost() { "over the end" } else { "into the directory" };
            return Err(self.error(format!("{bytes} bytes at {start:#x} run {what}")));
        }
        Ok(Span { offset: start, bytes })
    }

    /// Returns the offset of the content of a stored file if its header is available, no other file has these bytes,
    /// they are before the directory, and that gives the same size twice.
    #[cfg(feature = "stores")]
    pub(crate) fn content_offset(&self) -> Option<u64> {
        self.check_sizes().ok()?;
        self.span().ok().map(|span| span.offset)
    }

    /// Returns the same member with these ranges of its archive.
    #[cfg(feature = "scan")]
    pub(crate) fn in_ranges(mut self, ranges: &'a Ranges) -> Self {
        self.archive.data = Data::Parts(ranges);
        self.archive.directory.data = self.archive.data;
        self
    }

    /// Returns how its content is stored, or `None` if it cannot be read.
    pub(crate) fn packing(&self) -> Option<Packing> {
        if self.is_encrypted() {
            return None;
        }
        match self.method() {
            Method::STORED => Some(Packing::InPlace),
            Method::DEFLATED => Some(Packing::Deflate),
            method => other_packing(method),
        }
    }

    /// Charges for reading the content, and takes the memory that it needs: none if it is stored. Claims are compared
    /// with the archive first, so that only bytes that exist are charged.
    pub(crate) fn pay(&self, budget: &Budget) -> Result<Held> {
        // Content that cannot be read costs nothing.
        let Some(packing) = self.packing() else { return budget.charge_and_hold(0) };
        let stored = self.span()?.bytes;
        if packing == Packing::InPlace {
            self.check_sizes()?;
            budget.charge_work(stored)?;
        }
        budget.charge_and_hold(self.unpacked_bytes().saturating_add(self.decoder_bytes(packing)?))
    }

    /// Returns the same member, but its bytes are not read because another file has them.
    pub(crate) fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }

    /// Returns its content, with its CRC-32 not checked, if it is stored uncompressed. Returns `None` if it must be
    /// decoded or cannot be. [`decode`](Self::decode) checks the CRC-32.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes), and an error if the directory gives two different
    /// sizes.
    pub fn borrowed(&self) -> Result<Option<&'a [u8]>> {
        if self.method() != Method::STORED || self.is_encrypted() {
            return Ok(None);
        }
        self.check_sizes()?;
        self.stored_bytes().map(Some)
    }

    /// Checks that both sizes that the directory gives of a stored file are the same.
    fn check_sizes(&self) -> Result<()> {
        if self.stored_byte_len() == self.decoded_byte_len_hint() {
            return Ok(());
        }
        let sizes = format!("stored, but of {} bytes and of {}", self.stored_byte_len(), self.decoded_byte_len_hint());
        Err(self.error(sizes))
    }

    /// Returns its content as ranges if only ranges of the archive are available: those of a stored file, and the
    /// beginning of a deflated one whose stream is available in part. Returns `None` if only the whole content will do.
    pub(crate) fn ranges(&self) -> Result<Option<Ranges>> {
        let Data::Parts(outer) = self.archive.data else { return Ok(None) };
        if self.is_encrypted() {
            return Ok(None);
        }
        match self.method() {
            Method::STORED => {
                self.check_sizes()?;
                let Span { offset, bytes } = self.span()?;
                Ok(Some(outer.section(offset..offset.saturating_add(bytes))))
            }
            Method::DEFLATED => self.beginning(outer),
            _ => Ok(None),
        }
    }

    /// Inflates the available beginning of its stream. `outer` are the ranges of the archive. Returns `None` if all of
    /// the stream is needed.
    fn beginning(&self, outer: &Ranges) -> Result<Option<Ranges>> {
        let Span { offset, bytes } = self.span()?;
        let size = self.decoded_byte_len_hint();
        let stream = outer.section(offset..offset.saturating_add(bytes));
        let here = stream.beginning();
        let is_all_here = here.len() as u64 == bytes;
        let is_size_possible = self.unpacked_bytes() == size;
        if is_all_here || !is_size_possible {
            return Ok(None);
        }
        let room = size.min((here.len() as u64).saturating_mul(MOST_AHEAD).max(LEAST_AHEAD));
        let mut head = vec![0; usize::try_from(room).unwrap_or(0)];
        // An error may be one of the whole stream, which decoding all of it reports.
        let Ok(inflated) = deflate::inflate(here, &mut head) else { return Ok(None) };
        head.truncate(usize::try_from(inflated.yielded).unwrap_or(usize::MAX));
        Ok(Some(stream.decoded(size, head)))
    }

    /// Returns its content, with its CRC-32 checked: borrowed if stored, else inflated into new memory.
    ///
    /// # Errors
    /// Returns the errors of [`borrowed`](Self::borrowed). Returns an error if the content's size or CRC-32 differs
    /// from the directory's, or if the size exceeds [`Limits::decoded_bytes`](crate::Limits::decoded_bytes). Returns
    /// [`Encrypted`](crate::ErrorKind::Encrypted) for an encrypted file, and
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for another method.
    pub fn decode(&self) -> Result<Cow<'a, [u8]>> {
        let (content, after) = self.unpack()?;
        if let Some(sound) = self.archive.sound {
            sound.note(self.index, after);
        }
        Ok(content)
    }

    /// Checks its content. Returns the number of bytes after the end of its stream.
    pub(super) fn check_content(&self) -> Result<u64> {
        if let Some(sound) = self.archive.sound
            && let Some(after) = sound.get(self.index)
        {
            return Ok(after);
        }
        let (_, after) = self.unpack()?;
        Ok(after)
    }

    /// Returns its content, and the number of bytes after the end of its stream.
    fn unpack(&self) -> Result<(Cow<'a, [u8]>, u64)> {
        let (content, after) = match (self.borrowed()?, self.method()) {
            (Some(stored), _) => (Cow::Borrowed(stored), 0),
            (None, _) if self.is_encrypted() => return Err(self.located(Error::encrypted(self.message("encrypted")))),
            (None, Method::DEFLATED) => {
                let (content, after) = self.inflate()?;
                (Cow::Owned(content), after)
            }
            // The other decoders do not tell how many bytes of the stream are left.
            #[cfg(feature = "methods")]
            (None, _) if other_packing(self.method()).is_some() => (Cow::Owned(self.unpack_other()?), 0),
            (None, method) => {
                let message = format!("packed in a way that is not read: {method}");
                return Err(self.located(Error::unsupported(self.message(message))));
            }
        };
        if let Some(message) = self.checksum().compare(&content)? {
            return Err(self.error(message).coded(Code::Checksum));
        }
        Ok((content, after))
    }

    /// Returns the CRC-32 of its content, as the directory states it.
    pub(crate) fn checksum(&self) -> Checksum {
        Checksum { expected: self.header().crc32.get(), entry_offset: self.entry.offset, index: self.index }
    }

    /// Decodes the start of its content into `head`, to recognize its format. Returns the decoded bytes, fewer
    /// if the content is shorter. Only for compressed files.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes), and an error if the bytes are not a stream of its
    /// method.
    pub(crate) fn head<'h>(&self, head: &'h mut [u8]) -> Result<&'h [u8]> {
        let stream = self.stored_bytes()?;
        #[cfg(feature = "methods")]
        if let Some(packing) = other_packing(self.method()) {
            let start = methods::head(packing, stream, self.decoded_byte_len_hint(), head.len());
            let start = start.map_err(|message| self.error(message))?;
            let head = head.get_mut(..start.len()).unwrap_or_default();
            head.copy_from_slice(&start);
            return Ok(head);
        }
        let inflated = deflate::inflate(stream, head).map_err(|error| self.error(error.to_string()))?;
        let bytes = usize::try_from(inflated.yielded).unwrap_or(usize::MAX);
        Ok(head.get(..bytes).unwrap_or_default())
    }

    /// Returns true if its beginning cannot be decoded alone, or only by a decoder that takes too much memory to go
    /// uncharged.
    pub(crate) fn hides_beginning(&self) -> bool {
        match self.packing() {
            None => true,
            Some(packing) => self.decoder_bytes(packing).is_ok_and(|bytes| bytes > MOST_FOR_HEAD),
        }
    }

    /// Returns the memory that the decoder takes besides the content: its dictionary or window, and its tables. That of
    /// DEFLATE is small and counts as 0.
    fn decoder_bytes(&self, packing: Packing) -> Result<u64> {
        match packing {
            Packing::InPlace | Packing::Deflate => Ok(0),
            #[cfg(feature = "methods")]
            packing => Ok(methods::memory(packing, self.stored_bytes()?, self.decoded_byte_len_hint())),
            #[cfg(not(feature = "methods"))]
            _ => Ok(0),
        }
    }

    /// Decodes a stream of another method than DEFLATE.
    #[cfg(feature = "methods")]
    fn unpack_other(&self) -> Result<Vec<u8>> {
        // The caller has checked that there is one.
        let Some(packing) = other_packing(self.method()) else { return Ok(Vec::new()) };
        let stream = self.stored_bytes()?;
        let size = self.decoded_byte_len_hint();
        if self.unpacked_bytes() != size {
            return Err(self.error(format!("{} bytes cannot unpack to {size}", stream.len())));
        }
        let memory = self.decoder_bytes(packing)?.saturating_add(size);
        within_limit(memory, self.archive.limits.decoded_bytes).map_err(|error| self.located(error))?;
        methods::unpack(packing, stream, size).map_err(|message| self.failed(message))
    }

    /// Inflates its stream. Returns the content, and the number of bytes after the end of the stream.
    fn inflate(&self) -> Result<(Vec<u8>, u64)> {
        let stream = self.stored_bytes()?;
        let size = self.decoded_byte_len_hint();
        let limit = self.archive.limits.decoded_bytes;
        within_limit(self.unpacked_bytes(), limit).map_err(|error| self.located(error))?;
        let unpacked = deflate::unpack(stream, size).map_err(|message| self.failed(message))?;
        let trailing = unpacked.trailing;
        Ok((unpacked.into_bytes(), trailing))
    }

    /// Creates an error with the file's name, at its directory entry.
    pub(super) fn error(&self, message: impl AsRef<str>) -> Error {
        self.located(Error::malformed(self.message(message)))
    }

    /// Creates the error of a stream that did not unpack, for this reason or because the work was stopped.
    fn failed(&self, message: impl AsRef<str>) -> Error {
        match stop::is_set() {
            true => self.located(stop::error()),
            false => self.error(message),
        }
    }

    /// Adds the place of its directory entry to an error.
    fn located(&self, error: Error) -> Error {
        error.at(self.entry.offset).within_item("members", self.index)
    }

    /// Returns the message with the file's name before it.
    pub(super) fn message(&self, message: impl AsRef<str>) -> String {
        format!("{}: {}", self.name().in_message(), message.as_ref())
    }
}

/// Returns the packing of a method besides DEFLATE, if this build can decode it. [`Method`] has the numbers' names.
fn other_packing(method: Method) -> Option<Packing> {
    if !cfg!(feature = "methods") {
        return None;
    }
    match method {
        Method(9) => Some(Packing::Deflate64),
        Method(12) => Some(Packing::Bzip2),
        Method(14) => Some(Packing::Lzma),
        Method(93) => Some(Packing::Zstd),
        Method(95) => Some(Packing::Xz),
        _ => None,
    }
}

/// The CRC-32 of a file's content, and the place of the directory entry that states it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum {
    expected: u32,
    entry_offset: u64,
    index: usize,
}

impl Checksum {
    /// Checks that the content has it.
    pub(crate) fn check(&self, content: &[u8]) -> Result<()> {
        let Some(message) = self.compare(content)? else { return Ok(()) };
        let error = Error::malformed(message).coded(Code::Checksum);
        Err(error.at(self.entry_offset).within_item("members", self.index))
    }

    /// Compares it with that of the content. Returns a message if they differ.
    fn compare(&self, content: &[u8]) -> Result<Option<String>> {
        let mut crc = Crc::new();
        stop::in_pieces(content, |piece| crc.update(piece))?;
        if crc.sum() == self.expected {
            return Ok(None);
        }
        Ok(Some(format!("CRC-32 is {:08x}, the directory says {:08x}", crc.sum(), self.expected)))
    }
}

/// Returns the name of an entry: that in UTF-8 of its extra field, or decoded as the caller chose, or as stored.
pub(super) fn name_of<'a>(entry: &CentralEntry<'a>) -> ByteStr<'a> {
    if entry.header.flags.get() & UTF8 != 0 {
        return entry.name;
    }
    if !entry.extra.is_empty()
        && let Some(UnicodePath::Name(name)) = extra::unicode_path(entry.extra, entry.name)
    {
        return name;
    }
    #[cfg(feature = "names")]
    if !entry.name.as_bytes().is_ascii()
        && let Some(name) = super::names::decoded(entry.name.as_bytes())
    {
        return name.into();
    }
    entry.name
}

/// Returns true for an entry of a folder, whose name ends with a slash of either kind.
pub(super) fn is_folder(entry: &CentralEntry<'_>) -> bool {
    matches!(entry.name.as_bytes(), [.., b'/' | b'\\'])
}

/// An iterator over the files of an archive. It ends after the first error.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    archive: Archive<'a>,
    entries: Entries<'a>,
    /// The index of the next file.
    index: usize,
    /// True after an error.
    ended: bool,
}

impl<'a> Archive<'a> {
    /// Returns an iterator over its files in directory order, including duplicates but not folders, up to
    /// [`Limits::archive_members`](crate::Limits::archive_members).
    pub fn members(&self) -> Members<'a> {
        Members::new(self)
    }

    /// Returns the entries of its [members](Self::members), up to the first error, for what is needed of every member
    /// but takes no more than its entry.
    pub(super) fn file_entries(&self) -> impl Iterator<Item = CentralEntry<'a>> + use<'a> {
        let most = usize::try_from(self.limits.archive_members).unwrap_or(usize::MAX);
        self.directory.entries().map_while(Result::ok).filter(|entry| !is_folder(entry)).take(most)
    }

    /// Returns the first file with this name, ignoring case and the kind of slash. Linear in the directory.
    ///
    /// # Errors
    /// Returns the directory's error if it occurs before such a file.
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
    /// Creates an iterator that starts at the first entry.
    fn new(archive: &Archive<'a>) -> Self {
        Self { archive: *archive, entries: archive.directory.entries(), index: 0, ended: false }
    }

    /// Returns the entries that are left, those of folders included.
    pub(super) fn entries(&self) -> &Entries<'a> {
        &self.entries
    }

    /// Creates the next member from its entry. Returns an error if that is one more than the limit allows.
    fn member(&mut self, entry: CentralEntry<'a>) -> Result<Member<'a>> {
        let index = self.index;
        let limit = u64::from(self.archive.limits.archive_members);
        if index as u64 >= limit {
            return Err(Error::limit("members in an archive", limit, Code::ArchiveMembersLimit).at(entry.offset));
        }
        self.index = index.saturating_add(1);
        Ok(Member { archive: self.archive, name: name_of(&entry), entry, index, is_shared: false })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        loop {
            let member = match self.entries.next()? {
                Ok(entry) if is_folder(&entry) => continue,
                Ok(entry) => self.member(entry),
                Err(error) => Err(error).within_item("members", self.index),
            };
            self.ended = member.is_err();
            return Some(member);
        }
    }
}
