//! Finds the directory of an archive.

use super::directory::Directory;
use super::search::{self, Search};
use crate::base::error::{Error, Result};
use crate::ranges::Data;

impl<'a> Directory<'a> {
    /// Finds the directory of the classic archive that ends at the end of these bytes. Searches the last 65,557 of
    /// them.
    ///
    /// # Errors
    /// Returns an error if there is no end record, if several fit, or if the one that fits does not match its
    /// directory. Returns [`Unsupported`](crate::ErrorKind::Unsupported) for zip64 and archives on several disks.
    pub fn find(data: &'a [u8]) -> Result<Self> {
        Self::find_in(Data::Whole(data))
    }

    /// Finds the directory as [`find`](Self::find) does, in data of which parts may be missing.
    pub(crate) fn find_in(data: Data<'a>) -> Result<Self> {
        let directory = match search::find(data)? {
            Search::Found(directory) => directory,
            Search::Nowhere(error) => return Err(error),
        };
        if directory.zip64.is_some() {
            return Err(Error::unsupported("zip64 archive").at(directory.end_offset));
        }
        Ok(directory)
    }

    /// Finds the directory, including that of a zip64 archive. If no end record leads to a directory, the headers before
    /// the files replace it, and [`is_lost`](Self::is_lost) returns true.
    ///
    /// # Errors
    /// Returns the errors of [`find`](Self::find), except for these cases.
    pub fn find_any(data: &'a [u8]) -> Result<Self> {
        Self::find_any_in(Data::Whole(data))
    }

    /// Finds the directory as [`find_any`](Self::find_any) does, in data of which parts may be missing.
    pub(crate) fn find_any_in(data: Data<'a>) -> Result<Self> {
        match search::find(data)? {
            Search::Found(directory) => Ok(directory),
            Search::Nowhere(_) if search::begins_with_entry(data)? => Self::lost(data),
            Search::Nowhere(error) => Err(error),
        }
    }

    /// Returns an empty directory at the end of an archive that has none. Needs all bytes, because only the headers
    /// before the files name them.
    fn lost(data: Data<'a>) -> Result<Self> {
        let size = data.size();
        data.get(0..size)?;
        Ok(Self::empty(data, size))
    }
}
