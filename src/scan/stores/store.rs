//! What a caller implements to have its files scanned.

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::base::error::Result;

/// Opens paths that are not in the file system.
pub trait Stores: Debug + Send + Sync {
    /// Returns true if this path is in a store.
    fn has(&self, path: &Path) -> bool;

    /// Lists the file of this path, or all files below it.
    ///
    /// # Errors
    /// Returns the errors of the store, such as `NotFound` if there is no such file and nothing below.
    fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>>;

    /// Opens a file.
    ///
    /// # Errors
    /// Returns the errors of the store.
    fn open(&self, path: &Path) -> Result<Box<dyn Stored + '_>>;

    /// Returns whether a file that failed is worth another try. A scan asks this when the file fails, and again after all
    /// other files: then it reads the file once more if the answer is [`Retry::Now`].
    fn retry(&self, _path: &Path) -> Retry {
        Retry::Never
    }
}

/// Whether a file that failed is worth another try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// The same error is expected.
    Never,
    /// The store may answer later.
    Later,
    /// The store has answered since.
    Now,
}

/// A file that a store lists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Its path.
    pub path: PathBuf,
    /// True if the caller named this exact file. Then it has a record whatever it is.
    pub named: bool,
}

impl Listed {
    /// Creates a file of a listing. `named` says that the caller named this exact file.
    pub const fn new(path: PathBuf, named: bool) -> Self {
        Self { path, named }
    }
}

/// A file in a store. It stays the same while it is open, or reading fails.
pub trait Stored: Send + Sync {
    /// Returns the size of the file.
    fn byte_len(&self) -> u64;

    /// Returns a text that changes with the file, or `None` if the store has none.
    fn stamp(&self) -> Option<String>;

    /// Returns the time of the last change, if it is known.
    fn modified(&self) -> Option<SystemTime>;

    /// Reads all bytes of these ranges, which ascend and do not overlap, if possible at the same time.
    ///
    /// # Errors
    /// Returns the errors of the store, and an error if the file has changed since it was opened.
    fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>>;
}
