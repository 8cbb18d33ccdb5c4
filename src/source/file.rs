//! The bytes of one file.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use super::access::{Access, Way};
use super::guarding::{can_guard, is_guard_wanted};
#[cfg(feature = "mmap")]
use super::map;
use super::pipe::{Patience, too_large};
use super::{pages, pipe};
use crate::base::error::Result;
use crate::base::limits::Limits;

/// From this size on, a map costs less than a copy of the bytes.
pub(super) const MAP_FROM: u64 = 300_000;

/// The bytes of one file.
///
/// ```no_run
/// # use meshpeek::{Access, FileMap, Limits};
/// let file = FileMap::open("character.b3d")?; // read
/// let scene = meshpeek::b3d::Scene::parse(&file)?;
/// println!("version {}", scene.version());
///
/// // Or mapped. Once, early in the program:
/// meshpeek::source::guard_maps()?;
/// // SAFETY: nobody writes into the files of this program.
/// let access = unsafe { Access::map_large() };
/// let file = FileMap::open_with("character.b3d", access, &Limits::default())?;
/// println!("{} bytes", file.len());
/// file.unchanged()?;
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct FileMap(Bytes);

/// Takes bytes that are in memory, without a copy.
impl From<Vec<u8>> for FileMap {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Bytes::Owned(bytes))
    }
}

#[derive(Debug)]
enum Bytes {
    #[cfg(feature = "mmap")]
    Mapped(map::Map),
    Owned(Vec<u8>),
}

impl FileMap {
    /// Reads a file into memory.
    ///
    /// # Errors
    /// Returns the errors of [`open_with`](Self::open_with).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Access::READ, &Limits::default())
    }

    /// Opens a file with the given access. A file without a size, such as a pipe, is read up to
    /// [`Limits::decoded_bytes`]. The size of a regular file is not bounded; [`open_if`](Self::open_if) can refuse it. On
    /// Unix, reading stops after ten seconds without new bytes, even if nothing has
    /// opened the other end.
    ///
    /// # Errors
    /// Returns an error of the operating system, with the path. Returns `TimedOut` for a pipe without bytes, and a
    /// [`Limit`](crate::ErrorKind::Limit) error for an endless one.
    pub fn open_with(path: impl AsRef<Path>, access: Access, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        let (file, _) = Self::open_with_metadata(path, access, limits, Some(Patience::NAMED))?;
        Ok(file)
    }

    /// Opens a file like [`open_with`](Self::open_with), but calls `check` with the size before the file is read. If
    /// the file has no size, `check` receives [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// Returns the errors of [`open_with`](Self::open_with) and of `check`.
    pub fn open_if(
        path: impl AsRef<Path>,
        access: Access,
        limits: &Limits,
        check: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Self> {
        let path = path.as_ref();
        let opened = Self::open_inner(path, access, limits, Some(Patience::NAMED), check);
        let (file, _) = opened.map_err(|error| error.in_file(path))?;
        Ok(file)
    }

    /// Opens a file like [`open_with`](Self::open_with). Also returns its metadata from before it was read. `patience`
    /// is for a file that somebody named, which may be a pipe. Without it, the file must be a regular one, and is as
    /// long as its metadata says. So files of `/proc`, some of which are endless, are empty.
    pub(crate) fn open_with_metadata(
        path: &Path,
        access: Access,
        limits: &Limits,
        patience: Option<Patience<'_>>,
    ) -> Result<(Self, Metadata)> {
        let opened = Self::open_inner(path, access, limits, patience, |_| Ok(()));
        opened.map_err(|error| error.in_file(path))
    }

    /// Opens a file for the functions above. Calls `check` as [`open_if`](Self::open_if) does. Errors do not
    /// have the path yet.
    pub(super) fn open_inner(
        path: &Path,
        access: Access,
        limits: &Limits,
        patience: Option<Patience<'_>>,
        check: impl FnOnce(u64) -> Result<()>,
    ) -> Result<(Self, Metadata)> {
        let mut options = File::options();
        // Does not wait for the other end of a pipe.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
        let file = options.read(true).open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(std::io::Error::from(std::io::ErrorKind::IsADirectory).into());
        }
        if patience.is_none() && !metadata.is_file() {
            return Err(std::io::Error::other("not a regular file any more").into());
        }
        let size = if metadata.is_file() && metadata.len() > 0 { Some(metadata.len()) } else { None };
        check(size.unwrap_or(limits.decoded_bytes))?;
        // If a guard is wanted but cannot be armed, the file is read.
        let mapping = match (access.0, size) {
            (Way::MapLarge, Some(size)) => size >= MAP_FROM && can_guard(),
            (Way::Map, Some(_)) => !is_guard_wanted() || can_guard(),
            _ => false,
        };
        // The map, or the file to read.
        let mapped = match mapping {
            #[cfg(feature = "mmap")]
            true => map::map(file, &metadata).map(Bytes::Mapped),
            _ => Err(file),
        };
        let bytes = match (mapped, size, patience) {
            (Ok(mapped), ..) => mapped,
            (Err(file), Some(size), _) => Bytes::Owned(read(file, size)?),
            (Err(file), None, Some(patience)) => {
                Bytes::Owned(pipe::read_unsized(&file, limits.decoded_bytes, patience)?)
            }
            // A regular file that claims no bytes, such as those of `/proc`.
            (Err(_), None, None) => Bytes::Owned(Vec::new()),
        };
        Ok((Self(bytes), metadata))
    }

    /// Reads all bytes of `reader`, up to [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// Returns the errors of the reader, and a [`Limit`](crate::ErrorKind::Limit) error if there is more.
    pub fn from_reader(reader: impl Read, limits: &Limits) -> Result<Self> {
        let limit = limits.decoded_bytes;
        let mut bytes = Vec::new();
        reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes.into()) }
    }

    /// Checks that the file is still the one that was opened. Call it at the end, before you rely on results. A copy
    /// always passes. Costs one system call.
    ///
    /// It cannot detect writes within milliseconds of the opening, because systems store times in such steps. It cannot
    /// detect writes that another process makes through its own map until the system updates the time, which may take
    /// seconds.
    ///
    /// # Errors
    /// Returns an error if the size or the times of a mapped file differ from when it was opened, or if zeros were read
    /// in place of truncated data. On Unix, also returns an error if the file was renamed, replaced or deleted, or if
    /// its permissions changed: these cannot be distinguished from a write whose time was set back.
    pub fn unchanged(&self) -> Result<()> {
        match &self.0 {
            #[cfg(feature = "mmap")]
            Bytes::Mapped(map) => map.unchanged(),
            Bytes::Owned(_) => Ok(()),
        }
    }

    /// Returns true if the bytes are mapped, false if they are a copy.
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
            Bytes::Mapped(map) => &map.bytes,
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

/// Reads the first `size` bytes of a file, or all if it has become shorter.
fn read(file: File, size: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let capacity = usize::try_from(size).map_err(|_| too_large(u64::MAX))?;
    bytes.try_reserve_exact(capacity).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    pages::large(bytes.spare_capacity_mut());
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}
