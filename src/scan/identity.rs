//! Identifies the file that a path leads to.

use std::path::Path;

use crate::base::error::{Error, Result};

/// The identity of a file, independent of its name: hard and symbolic links to one file are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl FileId {
    /// Identifies the file at this path, which need not be readable. Unix uses device and inode. Other systems use the
    /// path with links resolved, so hard links count as different files.
    ///
    /// # Errors
    /// Returns the error of the operating system, with the path.
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
        // Some file systems cannot resolve names, such as those of RAM disks.
        let whole = |error| path.metadata().and_then(|_| std::path::absolute(path)).map_err(|_| error);
        Ok(Self { path: path.canonicalize().or_else(whole)? })
    }

    /// Returns true if this entry of a folder may be the file, as far as that is known without a system call.
    pub(super) fn may_be(&self, entry: &ignore::DirEntry) -> bool {
        #[cfg(unix)]
        return entry.ino() == Some(self.device_and_inode.1);
        #[cfg(not(unix))]
        return self.path.file_name() == Some(entry.file_name());
    }
}
