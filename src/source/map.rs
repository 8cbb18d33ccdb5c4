//! A mapped file, and the check that it is still the one that was mapped.

use std::fs::{File, Metadata};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

#[cfg(unix)]
use super::guard;
use crate::base::error;

/// A mapped file. The guard forgets it before it is unmapped.
#[derive(Debug)]
pub(super) struct Map {
    #[cfg(unix)]
    watch: guard::Watched,
    pub(super) bytes: memmap2::Mmap,
    file: File,
    opened: Stamp,
}

/// Facts that change with a file's content.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    /// The time of the last write, if known.
    written: Option<SystemTime>,
    /// The identity of the file, and the time of its last change of any kind, which cannot be set back: the device,
    /// the number on it, and the seconds and nanoseconds of the time.
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    /// Returns the facts that this metadata has.
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
    /// Returns an error if the file was changed since it was mapped, or if a part was lost.
    pub(super) fn unchanged(&self) -> error::Result<()> {
        #[cfg(unix)]
        let torn = self.watch.is_torn();
        #[cfg(not(unix))]
        let torn = false;
        if torn || Stamp::of(&self.file.metadata()?) != self.opened {
            return Err(error::Error::changed("the file was changed while it was read"));
        }
        Ok(())
    }
}

/// Maps the file. Returns it if it cannot be mapped.
pub(super) fn map(file: File, metadata: &Metadata) -> Result<Map, File> {
    // The guard cannot replace a single memory page of a file on hugetlbfs, whose pages are larger. Such files have
    // large blocks, as files on networks do. All others are spared the call that asks.
    #[cfg(target_os = "linux")]
    if metadata.blksize() > guard::page_size() as u64 && is_hugetlbfs(&file) {
        return Err(file);
    }
    let Ok(size) = usize::try_from(metadata.len()) else { return Err(file) };
    // SAFETY: the map is read-only and private to this process, and lives as long as the borrows of it. The creator of
    // the `Access` guarantees that nothing writes into the file meanwhile.
    let Ok(bytes) = (unsafe { memmap2::MmapOptions::new().len(size).map(&file) }) else { return Err(file) };
    Ok(Map {
        #[cfg(unix)]
        watch: guard::Watched::new(&bytes, &file),
        bytes,
        file,
        opened: Stamp::of(metadata),
    })
}

/// Returns true if the file is on hugetlbfs.
#[cfg(target_os = "linux")]
#[allow(clippy::cast_possible_truncation, reason = "32 bits, in fields whose type differs between C libraries")]
fn is_hugetlbfs(file: &File) -> bool {
    let mut facts = std::mem::MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the file is open, and its facts are written to the given place, unless the call fails.
    let kind = unsafe {
        if libc::fstatfs(std::os::fd::AsRawFd::as_raw_fd(file), facts.as_mut_ptr()) != 0 {
            return false;
        }
        facts.assume_init().f_type
    };
    kind as u32 == libc::HUGETLBFS_MAGIC as u32
}
