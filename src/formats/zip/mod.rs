//! Zip archives, as containers of other files.
//!
//! ```text
//! each file: a header, its name, its bytes
//! directory: a line for each file
//! end record, comment
//! ```
//!
//! Only the directory is believed, and it is walked in place. Files stored as they are lie in the archive as slices;
//! deflated ones are inflated when asked for. Spec: PKWARE APPNOTE 4.3.

mod member;
mod summary;
#[cfg(test)]
mod tests;

pub use member::{Member, Members, Method};

use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::base::text::is_same_name;
use crate::formats::zip_directory::Directory;
use crate::ranges::{Data, Ranges};

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
    directory: Directory<'a>,
    limits: Limits,
}

impl<'a> Archive<'a> {
    /// Finds the directory at the end of the archive. One that lost its end is read by the headers before its files, which
    /// is a problem of the archive.
    ///
    /// # Errors
    /// Where several directories fit, or none and the archive does not start with a file.
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for archives on several disks.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::open(Data::Whole(data), limits)
    }

    /// The same of [ranges](crate::ranges): takes the last 65,557 bytes and the directory; all bytes where that is lost.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); [`Incomplete`](crate::ErrorKind::Incomplete) where these are not all here.
    pub fn parse_ranges(ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
        Self::open(Data::Parts(ranges), limits)
    }

    fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        Ok(Self { data, directory: Directory::find_any_in(data)?, limits: *limits })
    }

    /// Its directory as it lies at the end: folders among the files.
    pub fn directory(&self) -> &Directory<'a> {
        &self.directory
    }

    /// The files that share bytes with one that starts before them, by their places among the
    /// [members](Self::members), ascending. Goes by the directory alone; takes no memory where the files lie in its
    /// order.
    pub fn overlapping(&self) -> Vec<usize> {
        // The header before the data takes 30 bytes at least.
        let span = |member: Member<'_>| {
            let start = member.header_offset();
            (start, start.saturating_add(30).saturating_add(member.stored_byte_len()), member.index())
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

    /// Its files in the directory's order, duplicates included, folders left out; up to
    /// [`Limits::archive_members`].
    pub fn members(&self) -> Members<'a> {
        Members::new(self)
    }

    /// The first file of this name; either slash stands for both, and case plays no part. Linear in the directory.
    ///
    /// # Errors
    /// Where there is none before the directory breaks off.
    pub fn find(&self, name: &[u8]) -> Result<Option<Member<'a>>> {
        let mut members = self.members();
        members.find(|found| found.as_ref().map_or(true, |it| is_same_name(it.name().as_bytes(), name))).transpose()
    }
}
