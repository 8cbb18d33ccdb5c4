//! The zip archive around the tables: its entries, and decompressing them.

use std::borrow::Cow;
use std::collections::HashMap;

use bytemuck::Pod;
use flate2::Crc;

use crate::base::code::Code;
use crate::base::error::{Context, Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::limits::Limits;
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::codec::deflate::{self, Unpacked};
use crate::formats::zip_directory::{CentralEntry, Descriptor, Directory, LocalEntry};
use crate::ranges::Data;

/// A zip whose directory has been read.
pub(super) struct Archive<'a> {
    pub(super) directory: Directory<'a>,
    /// Offsets of the entries' records, in the directory's order. Of several entries with one name, the last is kept,
    /// in the position of the first.
    lines: Vec<u64>,
    by_name: HashMap<&'a [u8], usize>,
    pub(super) limits: Limits,
}

impl<'a> Archive<'a> {
    /// Reads the directory only.
    pub(super) fn parse(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let directory = Directory::find_in(data)?;
        let limit = limits.archive_members;
        let mut lines = Vec::new();
        let mut by_name = HashMap::new();
        for entry in directory.entries() {
            let entry = entry.within("zip directory")?;
            if lines.len() as u64 >= u64::from(limit) {
                return Err(Error::limit("members in an archive", limit, Code::ArchiveMembersLimit).at(entry.offset));
            }
            let index = *by_name.entry(entry.name.as_bytes()).or_insert(lines.len());
            match lines.get_mut(index) {
                Some(line) => *line = entry.offset,
                None => lines.push(entry.offset),
            }
        }
        Ok(Self { directory, lines, by_name, limits: *limits })
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.lines.len()).filter_map(|index| self.entry(index))
    }

    /// Returns the entries in the order of their headers in the file.
    pub(super) fn in_file_order(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<Entry<'_>> = self.entries().collect();
        entries.sort_by_key(Entry::header_offset);
        entries
    }

    /// Returns the entry of this name, written with `/`. If there are several, returns the last in the directory.
    pub(super) fn find(&self, path: &str) -> Option<Entry<'_>> {
        let index = self.by_name.get(path.as_bytes());
        let index = index.or_else(|| self.by_name.get(path.replace('/', "\\").as_bytes()))?;
        self.entry(*index)
    }

    fn entry(&self, index: usize) -> Option<Entry<'_>> {
        // These bytes were read before, so nothing here can fail.
        let central = self.directory.entry_at(*self.lines.get(index)?).ok()?;
        Some(Entry { archive: self, central, index })
    }
}

/// A file inside the zip.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'m> {
    archive: &'m Archive<'m>,
    /// Its directory record as stored.
    pub central: CentralEntry<'m>,
    /// The index among the entries.
    pub(super) index: usize,
}

impl<'m> Entry<'m> {
    /// Returns the name as stored; some writers use `\` as separator.
    pub(crate) fn name(&self) -> ByteStr<'m> {
        self.central.name
    }

    /// Returns the name with `/` as separator. Copies only if the stored one differs.
    pub(crate) fn path(&self) -> Cow<'m, [u8]> {
        path(self.name())
    }

    /// Returns the header before the data.
    ///
    /// # Errors
    /// Returns an error if there is none at the offset in the directory.
    pub(crate) fn local(&self) -> Result<LocalEntry<'m>> {
        let offset = self.header_offset();
        self.archive.directory.local(offset).map_err(|error| match error.incomplete() {
            Some(_) => error,
            None => self.error(format!("at {offset:#x}: {}", error.kind())).at(self.central.offset),
        })
    }

    /// Returns the offset of the header before the data.
    pub(crate) fn header_offset(&self) -> u64 {
        self.archive.directory.prefix.saturating_add(self.central.header_offset)
    }

    /// Returns the number of bytes it takes in the file.
    pub(crate) fn stored_byte_len(&self) -> u64 {
        self.central.packed_bytes
    }

    /// Returns the decompressed size that the directory claims.
    pub(crate) fn decoded_byte_len_hint(&self) -> u64 {
        self.central.unpacked_bytes
    }

    /// Returns the bytes as stored, compressed or not.
    ///
    /// # Errors
    /// Returns an error if they are not before the directory, or are encrypted.
    pub(crate) fn stored_bytes(&self) -> Result<&'m [u8]> {
        let local = self.local()?;
        let room = self.archive.directory.start.checked_sub(local.data_offset);
        if room.is_none_or(|room| room < self.stored_byte_len()) {
            return Err(self
                .error(format!("{} bytes of data run into the directory", self.stored_byte_len()))
                .at(local.data_offset));
        }
        if self.central.header.flags.get() & 1 != 0 {
            return Err(self.located(Error::encrypted(self.message("encrypted"))).at(self.central.offset));
        }
        let end = local.data_offset.saturating_add(self.stored_byte_len());
        self.archive.directory.data.get(local.data_offset..end)
    }

    /// Returns the descriptor after the data, used if the header before it does not have the sizes. Returns `None` if
    /// there is no such record with its signature.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes).
    pub(super) fn descriptor(&self) -> Result<Option<&'m Descriptor>> {
        let end = self.local()?.data_offset.saturating_add(self.stored_bytes()?.len() as u64);
        Ok(self.archive.directory.descriptor(end))
    }

    /// Returns the content if it is stored uncompressed.
    ///
    /// # Errors
    /// Returns the errors of [`stored_bytes`](Self::stored_bytes), and an error if the directory gives two different
    /// sizes. Does not check the CRC-32.
    pub(crate) fn borrowed(&self) -> Result<Option<&'m [u8]>> {
        if self.central.header.method.get() != 0 {
            return Ok(None);
        }
        if self.stored_byte_len() != self.decoded_byte_len_hint() {
            let sizes =
                format!("stored, but of {} bytes and of {}", self.stored_byte_len(), self.decoded_byte_len_hint());
            return Err(self.error(sizes).at(self.central.offset));
        }
        self.stored_bytes().map(Some)
    }

    /// Returns the content: borrowed if stored, else inflated, with its CRC-32 checked.
    ///
    /// # Errors
    /// Returns an error if the entry cannot be decompressed, or if its size or CRC-32 differs from the directory.
    /// Returns [`Limit`](crate::ErrorKind::Limit) if it exceeds [`Limits::decoded_bytes`], and
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if it is encrypted or uses another method.
    pub(crate) fn decode(&self) -> Result<Cow<'m, [u8]>> {
        if let Some(stored) = self.borrowed()? {
            return Ok(stored.into());
        }
        Ok(self.inflate::<u8>()?.into_bytes().into())
    }

    /// Inflates into memory aligned for `T`, and checks the CRC-32.
    pub(super) fn inflate<T: Pod>(&self) -> Result<Unpacked<T>> {
        let data = self.stored_bytes()?;
        if self.central.header.method.get() != 8 {
            let method = format!("packed with method {}, which maps do not use", self.central.header.method);
            return Err(self.located(Error::unsupported(self.message(&method))).at(self.central.offset));
        }
        let limit = self.archive.limits.decoded_bytes;
        if self.inflated_bytes() > limit {
            let what = "unpacked bytes in one zip entry";
            return Err(self.located(Error::limit(what, limit, Code::DecodedBytesLimit)).at(self.central.offset));
        }
        let unpacked = match deflate::unpack(data, self.decoded_byte_len_hint()) {
            Ok(unpacked) => unpacked,
            Err(_) if stop::is_set() => return Err(stop::error()),
            Err(trouble) => return Err(self.error(trouble).at(self.local()?.data_offset)),
        };
        self.check_crc(unpacked.as_bytes()).map(|()| unpacked)
    }

    /// Returns an error if these inflated bytes of the entry do not have the CRC-32 that the directory claims.
    pub(super) fn check_crc(&self, bytes: &[u8]) -> Result<()> {
        let mut crc = Crc::new();
        stop::in_pieces(bytes, |piece| crc.update(piece))?;
        let sum = crc.sum();
        let claimed = self.central.header.crc32.get();
        if sum == claimed {
            return Ok(());
        }
        let sums = format!("its bytes have CRC-32 {sum:08x}, the directory says {claimed:08x}");
        Err(self.error(sums).at(self.header_offset()).coded(Code::Checksum))
    }

    /// Returns the memory needed for inflating it: 0 if it is stored, or if no stream of its length can inflate to its
    /// claimed size.
    pub(super) fn inflated_bytes(&self) -> u64 {
        let possible = self.decoded_byte_len_hint() <= self.stored_byte_len().saturating_mul(deflate::RATIO);
        if self.central.header.method.get() == 8 && possible { self.decoded_byte_len_hint() } else { 0 }
    }

    /// Creates an error with the name of the entry.
    pub(super) fn error(&self, message: impl AsRef<str>) -> Error {
        self.located(Error::malformed(self.message(message.as_ref())))
    }

    fn located(&self, error: Error) -> Error {
        error.within_item("entries", self.index)
    }

    fn message(&self, message: &str) -> String {
        format!("{}: {message}", self.name())
    }
}

impl_fmt!([] Debug for Entry<'_>,
    |entry| "Entry({:?}, {} of {} bytes)", entry.name(), entry.stored_byte_len(), entry.decoded_byte_len_hint());

/// Returns the name of a zip entry with `/` as separator.
pub(super) fn path(name: ByteStr<'_>) -> Cow<'_, [u8]> {
    if name.as_bytes().contains(&b'\\') {
        name.as_bytes().iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect::<Vec<u8>>().into()
    } else {
        name.as_bytes().into()
    }
}
