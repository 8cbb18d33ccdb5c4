//! An archive, opened by its directory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::base::stop;
use crate::formats::zip_directory::Directory;
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
    pub(super) data: Data<'a>,
    /// Its directory, which also lists folders.
    pub directory: Directory<'a>,
    pub(super) limits: Limits,
    /// Where members that are decoded are noted, if anybody asks for that.
    pub(super) sound: Option<&'a Sound>,
}

/// The members of an archive that were decoded without an error, each with the number of bytes after the end of its
/// stream. They need not be decoded again to check the archive.
#[derive(Debug, Default)]
pub(crate) struct Sound(Mutex<HashMap<usize, u64>>);

impl Sound {
    pub(super) fn note(&self, index: usize, after: u64) {
        self.known().insert(index, after);
    }

    pub(super) fn get(&self, index: usize) -> Option<u64> {
        self.known().get(&index).copied()
    }

    fn known(&self) -> MutexGuard<'_, HashMap<usize, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

    /// Opens an archive like [`parse`](Self::parse), with these limits, of a file that may be available only in ranges.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let directory = Directory::find_any_in(data)?;
        // A search that was stopped may have found another directory, or none.
        stop::check()?;
        Ok(Self { data, directory, limits: *limits, sound: None })
    }

    /// Returns the same archive, whose members are noted there when they are decoded.
    #[cfg(feature = "scan")]
    pub(crate) fn noting(mut self, sound: &'a Sound) -> Self {
        self.sound = Some(sound);
        self
    }
}
