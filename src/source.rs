//! The bytes of a file: mapped or read.
//!
//! The only unsafe code of the crate is here: making the map. A map shows the file as it is now, so a file that another
//! process cuts short while it is mapped ends this process with a signal when the lost pages are touched. Where that
//! can happen, read the file instead ([`Access::Read`]): an owned copy cannot change.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// How to get at a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Access {
    /// By size: small files are read, larger ones mapped. Reads where mapping fails.
    #[default]
    Auto,
    /// Map it. Reads only where a map is impossible: empty files, pipes, special files.
    Map,
    /// Read it whole into memory.
    Read,
}

/// From this size on, setting up a map costs less than copying the bytes.
const MAP_FROM: u64 = 300_000;

/// The bytes of one file.
///
/// ```no_run
/// let file = meshpeek::FileMap::open("character.b3d")?;
/// let scene = meshpeek::b3d::Scene::parse(&file)?;
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct FileMap(Bytes);

#[derive(Debug)]
enum Bytes {
    #[cfg(feature = "mmap")]
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
}

impl FileMap {
    /// Opens a file the cheapest way for its size.
    ///
    /// # Errors
    /// What the operating system says, with the path.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Access::Auto, &Limits::default())
    }

    /// Opens a file the given way. A file without a size, such as a pipe, is read up to
    /// [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// What the operating system says, with the path; [`Limit`](ErrorKind::Limit) for a pipe without end.
    pub fn open_with(path: impl AsRef<Path>, access: Access, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        Self::open_inner(path, access, limits).map_err(|error| error.in_file(path))
    }

    fn open_inner(path: &Path, access: Access, limits: &Limits) -> Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory).into());
        }
        let size = metadata.is_file().then_some(metadata.len()).filter(|&size| size > 0);
        let mapped = match (access, size) {
            (Access::Auto, Some(size)) if size >= MAP_FROM => map(&file),
            (Access::Map, Some(_)) => map(&file),
            _ => None,
        };
        match mapped {
            Some(bytes) => Ok(Self(bytes)),
            None => read(file, size, limits).map(|bytes| Self(Bytes::Owned(bytes))),
        }
    }

    /// Whether the bytes are mapped and not a copy.
    pub fn is_mapped(&self) -> bool {
        match &self.0 {
            #[cfg(feature = "mmap")]
            Bytes::Mapped(_) => true,
            Bytes::Owned(_) => false,
        }
    }
}

impl AsRef<[u8]> for FileMap {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            #[cfg(feature = "mmap")]
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl std::ops::Deref for FileMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_ref()
    }
}

#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn map(file: &File) -> Option<Bytes> {
    // SAFETY: the map is read-only and private to this process, and lives as long as the borrows of it. The caller's
    // part, stated in the module's docs, is that no other process changes the file meanwhile: every view assumes no
    // more of the bytes than that they can be read, so a changed byte yields another answer, not undefined layout.
    unsafe { memmap2::Mmap::map(file) }.ok().map(Bytes::Mapped)
}

#[cfg(not(feature = "mmap"))]
fn map(_: &File) -> Option<Bytes> {
    None
}

fn read(file: File, size: Option<u64>, limits: &Limits) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match size {
        Some(size) => {
            let size = usize::try_from(size).map_err(|_| too_large(u64::MAX))?;
            bytes.try_reserve_exact(size).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
            file.take(size as u64).read_to_end(&mut bytes)?;
        }
        None => {
            file.take(limits.decoded_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > limits.decoded_bytes {
                return Err(too_large(limits.decoded_bytes));
            }
        }
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> Error {
    Error::new(ErrorKind::Limit { what: "bytes from a file without a size", limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_way_is_chosen_by_size_and_can_be_forced() {
        let folder = std::env::temp_dir().join(format!("meshpeek-source-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        for (size, mapped) in [(0, false), (10, false), (MAP_FROM as usize, cfg!(feature = "mmap"))] {
            let bytes: Vec<u8> = (0..size).map(|i| i as u8).collect();
            File::create(&path).unwrap().write_all(&bytes).unwrap();
            let limits = Limits::default();
            let auto = FileMap::open(&path).unwrap();
            assert_eq!(auto.is_mapped(), mapped);
            assert!(!FileMap::open_with(&path, Access::Read, &limits).unwrap().is_mapped());
            let forced = FileMap::open_with(&path, Access::Map, &limits).unwrap();
            assert_eq!(forced.is_mapped(), size > 0 && cfg!(feature = "mmap"));
            assert_eq!((&*auto, &*forced), (&bytes[..], &bytes[..]));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        let error = FileMap::open(&path).unwrap_err();
        assert_eq!(error.path(), Some(&*path));
        assert!(FileMap::open(std::env::temp_dir()).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_end_stops_at_the_limit() {
        let limits = Limits { decoded_bytes: 1 << 16, ..Limits::default() };
        let error = FileMap::open_with("/dev/zero", Access::Auto, &limits).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
        assert!(FileMap::open("/dev/null").unwrap().is_empty());
    }
}
