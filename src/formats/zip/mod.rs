//! Zip archives, as containers of other files.
//!
//! ```text
//! each file: a header, its name, its bytes
//! directory: an entry for each file
//! end record, comment
//! ```
//!
//! The directory is read in place and decides which files there are. In an archive that is cut before its directory, the
//! headers are read instead, and that is an error in its record. Uncompressed files are slices of the archive; deflated
//! ones are inflated on access. Spec: PKWARE APPNOTE 4.3.

#[cfg(test)]
mod claims_tests;
mod headers;
mod member;
#[cfg(feature = "names")]
pub(crate) mod names;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use member::Checksum;
pub use member::{Member, Members, Method};
#[cfg(feature = "names")]
pub use names::read_names_as;

use std::ops::Range;

use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::base::text::is_same_name;
use crate::formats::zip_directory::Directory;
pub(crate) use crate::formats::zip_directory::SCHEMA;
use crate::ranges::Data;

/// A zip archive, borrowed from its bytes.
///
/// ```
/// # let bytes = std::fs::read("corpus/zip/addons.zip").unwrap();
/// use meshpeek::zip::Archive;
/// let archive = Archive::parse(&bytes)?;
/// for member in archive.members() {
///     let member = member?;
///     println!("{}: {} of {} bytes", member.name(), member.stored_byte_len(), member.decoded_byte_len_hint());
/// }
/// let nested = archive.find(b"b.pbo")?.expect("a member of this name").decode()?;
/// assert_eq!(nested.len(), 961);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Archive<'a> {
    data: Data<'a>,
    /// Its directory, which also lists folders.
    pub directory: Directory<'a>,
    limits: Limits,
}

impl<'a> Archive<'a> {
    /// Finds the directory at the end of the archive. If the end is missing, the files are found by their local
    /// headers, and this is reported as a problem of the archive.
    ///
    /// # Errors
    /// Returns an error if several directories fit, or none and the archive does not start with a file. Returns
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for archives on several disks.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        Ok(Self { data, directory: Directory::find_any_in(data)?, limits: *limits })
    }

    /// Returns the files that are not read because they share bytes with another, as ascending indices of
    /// [members](Self::members). A file whose claimed bytes reach over the header of another gives way to that, because
    /// the header shows that the claim is false. Of files that start at one place, the one that the header there names is
    /// kept, or else the first. Claims that reach
    /// into the directory are reported by themselves, and take no bytes from others.
    ///
    /// If the files are in directory order, this uses the directory alone, and allocates nothing.
    pub fn overlapping(&self) -> Vec<usize> {
        let mut shared: Vec<usize> = Vec::new();
        for overlap in self.overlaps() {
            shared.push(overlap.index);
        }
        shared.sort_unstable();
        shared
    }

    /// Returns the overlaps, in the order of the files' places.
    fn overlaps(&self) -> Vec<Overlap> {
        let mut reached = 0;
        let mut is_apart = true;
        for member in self.members().map_while(Result::ok) {
            let Some(span) = self.claimed(&member) else { continue };
            is_apart &= span.start >= reached;
            reached = span.end;
        }
        if is_apart {
            return Vec::new();
        }
        let mut spans = Vec::new();
        for member in self.members().map_while(Result::ok) {
            if let Some(bytes) = self.claimed(&member) {
                spans.push(Claimed { bytes, index: member.index, entry_offset: member.entry.offset });
            }
        }
        spans.sort_unstable_by_key(|span| (span.bytes.start, span.index));
        let mut overlaps = Vec::new();
        let mut kept: Option<Claimed> = None;
        for span in spans {
            match &kept {
                Some(before) if span.bytes.start < before.bytes.end => {
                    let is_later = span.bytes.start > before.bytes.start;
                    let is_over = self.has_header(&span) && (is_later || !self.has_header(before));
                    let (index, other) = if is_over { (before.index, span.index) } else { (span.index, before.index) };
                    overlaps.push(Overlap { index, other, is_over });
                    if is_over {
                        kept = Some(span);
                    }
                }
                _ => kept = Some(span),
            }
        }
        overlaps
    }

    /// Returns the bytes that a file claims, header included, unless they reach into the directory.
    fn claimed(&self, member: &Member<'_>) -> Option<Range<u64>> {
        let start = member.header_offset();
        // The header before the data takes at least 30 bytes.
        let end = start.saturating_add(30).saturating_add(member.stored_byte_len());
        if end <= self.directory.start { Some(start..end) } else { None }
    }

    /// Returns true if the header of a file is where the directory says.
    fn has_header(&self, file: &Claimed) -> bool {
        if self.directory.is_lost() {
            return true;
        }
        let Ok(local) = self.directory.local(file.bytes.start) else { return false };
        let Ok(entry) = self.directory.entry_at(file.entry_offset) else { return false };
        local.name == entry.name
    }

    /// Returns an iterator over its files in directory order, including duplicates but not folders, up to
    /// [`Limits::archive_members`].
    pub fn members(&self) -> Members<'a> {
        Members::new(self)
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

/// The bytes that a file claims, its header included.
struct Claimed {
    bytes: Range<u64>,
    index: usize,
    entry_offset: u64,
}

/// A file that is not read because it shares bytes with another.
struct Overlap {
    index: usize,
    other: usize,
    /// True if its claim reaches over the header of the other.
    is_over: bool,
}
