//! Which file a path leads to.

use std::path::Path;

use crate::base::error::{Error, Result};

/// A file by what it is, not by what it is called: hard and symbolic links to one file give the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl FileId {
    /// The file behind this path, which need not be readable. On Unix by device and inode; elsewhere by the path without
    /// links, which does not tell hard links apart from other files.
    ///
    /// # Errors
    /// What the operating system says, with the path.
    pub fn of(path: &Path) -> Result<Self> {
        Self::ask(path).map_err(|error| Error::from(error).in_file(path))
    }

    #[cfg(unix)]
    fn ask(path: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata()?;
        Ok(Self { device_and_inode: (metadata.dev(), metadata.ino()) })
    }

    #[cfg(not(unix))]
    fn ask(path: &Path) -> std::io::Result<Self> {
        Ok(Self { path: path.canonicalize()? })
    }

    /// Whether this entry of a folder may be the file: what can be told without asking the system.
    pub(super) fn may_be(&self, entry: &ignore::DirEntry) -> bool {
        #[cfg(unix)]
        return entry.ino() == Some(self.device_and_inode.1);
        #[cfg(not(unix))]
        return self.path.file_name() == Some(entry.file_name());
    }
}
