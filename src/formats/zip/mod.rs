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

mod member;
mod summary;
#[cfg(test)]
mod tests;

pub use member::{Member, Members, Method};

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

    /// Returns the files that overlap one that starts before them, as ascending indices of [members](Self::members).
    /// Uses only the directory. Allocates nothing if the files are in directory order.
    pub fn overlapping(&self) -> Vec<usize> {
        // The header before the data takes at least 30 bytes.
        let span = |member: Member<'_>| {
            let start = member.header_offset();
            (start, start.saturating_add(30).saturating_add(member.stored_byte_len()), member.index)
        };
        let members = || self.members().map_while(Result::ok).map(span);
        let apart = |reached: u64, (start, end, _)| (start >= reached).then_some(end);
        if members().try_fold(0, apart).is_some() {
            return Vec::new();
        }
        let mut spans: Vec<_> = members().collect();
        spans.sort_unstable();
        let mut reached = 0;
        let mut shared = Vec::new();
        for (start, end, index) in spans {
            if start < reached {
                shared.push(index);
            } else {
                reached = end;
            }
        }
        shared.sort_unstable();
        shared
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
        let mut members = self.members();
        members.find(|found| found.as_ref().map_or(true, |it| is_same_name(it.name().as_bytes(), name))).transpose()
    }
}
