//! A mapped file, and whether it is still what was mapped.

use std::fs::{File, Metadata};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

#[cfg(unix)]
use super::guard;
use crate::base::error;

/// A mapped file. The guard forgets it before the map goes.
#[derive(Debug)]
pub(super) struct Map {
    #[cfg(unix)]
    watch: guard::Watched,
    pub(super) bytes: memmap2::Mmap,
    file: File,
    opened: Stamp,
}

/// What changes with a file's content.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    /// When it was last written to, where that is known.
    written: Option<SystemTime>,
    /// Which file it is, and when anything of it was last changed, which nobody can set back.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            written: metadata.modified().ok(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Map {
    pub(super) fn unchanged(&self) -> error::Result<()> {
        #[cfg(unix)]
        let torn = self.watch.is_torn();
        #[cfg(not(unix))]
        let torn = false;
        if torn || Stamp::of(&self.file.metadata()?) != self.opened {
            return Err(std::io::Error::other("the file was changed while it was read").into());
        }
        Ok(())
    }
}

/// Gives the file back where it cannot be mapped.
pub(super) fn map(file: File, metadata: &Metadata) -> Result<Map, File> {
    #[cfg(target_os = "linux")]
    if has_huge_pages(&file, metadata) {
        return Err(file);
    }
    let Ok(size) = usize::try_from(metadata.len()) else { return Err(file) };
    // SAFETY: the map is read-only and private to this process, and lives as long as the borrows of it. That nobody
    // writes into the file meanwhile is the word of whoever made the `Access`.
    let Ok(bytes) = (unsafe { memmap2::MmapOptions::new().len(size).map(&file) }) else { return Err(file) };
    Ok(Map {
        #[cfg(unix)]
        watch: guard::Watched::new(&bytes, &file),
        bytes,
        file,
        opened: Stamp::of(metadata),
    })
}

/// Whether the guard could not put zeros in the place of a single page of it.
#[cfg(target_os = "linux")]
fn has_huge_pages(file: &File, metadata: &Metadata) -> bool {
    // Only then worth a question: files on networks have large blocks too.
    metadata.blksize() > guard::page_size() as u64 && is_hugetlbfs(file)
}

/// Whether the file lies where pages are larger than those that zeros can be put in the place of.
#[cfg(target_os = "linux")]
#[allow(clippy::cast_possible_truncation, reason = "32 bits, in fields whose type differs between C libraries")]
fn is_hugetlbfs(file: &File) -> bool {
    let mut facts = std::mem::MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the file is open, and its facts are written to the place given, unless the call fails.
    let kind = unsafe {
        if libc::fstatfs(std::os::fd::AsRawFd::as_raw_fd(file), facts.as_mut_ptr()) != 0 {
            return false;
        }
        facts.assume_init().f_type
    };
    kind as u32 == libc::HUGETLBFS_MAGIC as u32
}
