//! The bytes of a file: read, or memory-mapped if the caller accepts the risk.
//!
//! | access | action | another process truncates the file | another process writes into it |
//! | --- | --- | --- | --- |
//! | [`Access::READ`], the default | reads into memory | no effect: the copy is private | no effect |
//! | [`Access::map_large`], unsafe | after [`guard_maps`], maps larger files; otherwise reads | the rest reads as zeros | changes become visible, possibly half old and half new |
//! | [`Access::map`], unsafe | maps | after [`guard_maps`], the rest reads as zeros; otherwise SIGBUS ends the process | changes become visible, possibly half old and half new |
//!
//! A map shows the current content of the opened file. If the file is replaced, deleted or appended to, the map still
//! shows what was opened. If another process writes into the file, the map shows the new bytes. [`FileMap::unchanged`]
//! detects such changes afterwards.
//!
//! # Why mapping is unsafe
//!
//! In Rust's memory model, a change of the bytes of a `&[u8]` is undefined behaviour, no matter what makes it. No
//! operating system keeps other processes away from a mapped file. [memmap2](https://docs.rs/memmap2) therefore leaves
//! the choice to the caller, and so does this crate: only unsafe functions enable mapping. A program that maps files to
//! which others may write relies on something that Rust does not guarantee: that reading a byte during a concurrent
//! write yields some byte value. This crate needs no more than that.
//!
//! - Mapped bytes are only viewed as types for which every bit pattern is valid: numbers, and arrays and records of
//!   them. A `str`, `char` or `bool` is created from a copy or from a number already read.
//! - A length or offset is compared with the available bytes each time it is read. No unchecked read relies on an
//!   earlier check. Data that is sorted or hashed is copied first.
//! - The same applies to the crates that receive mapped bytes: memchr, nom, zerocopy, bytemuck, flate2 with zlib-rs,
//!   sha1 and sha2 treat each byte as a number.
//!
//! `tests/it/shrink.rs` has other processes and threads truncate files and write into them while they are read.
//!
//! # The guard
//!
//! On Unix, access to a truncated part of a map raises SIGBUS, which ends a process that does not handle it.
//! [`guard_maps`] installs a handler that replaces the lost part with zeros. Before each file is mapped, the crate
//! checks that the handler is still installed. If another handler was installed over it, the guard is installed again
//! on top, and passes on signals that are not its own. After several such times, and in threads that block SIGBUS,
//! files are read instead. The guard has these limits:
//!
//! - A handler that is installed while a file is mapped, and that passes nothing on, receives the faults until the next
//!   file is opened. (A handler that restores the guard and raises the signal again, such as Python's `faulthandler`,
//!   does pass it on.) If a thread blocks SIGBUS while a file is mapped, a fault in that thread ends the process.
//! - In a process that has reached its maximum number of maps (`vm.max_map_count`), the whole map is replaced with
//!   zeros, not only the lost part. If the process then takes every further map it can get, the fault is passed on.
//! - A system call that receives lost bytes returns an error (`EFAULT`) instead of zeros.
//!
//! Files on hugetlbfs, whose pages are larger than memory pages, are read. Windows refuses to truncate a mapped file,
//! so every map counts as guarded there.
//!
//! All unsafe code of the crate is in this folder: it creates maps, guards them, requests their pages, and waits for
//! pipes.

#[cfg(all(feature = "mmap", unix))]
#[allow(unsafe_code)]
mod guard;
#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
mod map;
#[allow(unsafe_code)]
pub(crate) mod pages;
#[allow(unsafe_code)]
mod pipe;

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;

/// The way to access a file's bytes. Reads by default; the unsafe functions enable mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Access(Way);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Way {
    #[default]
    Read,
    MapLarge,
    Map,
}

impl Access {
    /// Reads the whole file into memory.
    pub const READ: Self = Self(Way::Read);

    /// Uses the cheapest way that cannot end the process. Larger files are mapped if maps are [guarded](guard_maps).
    /// All others are read, which takes memory of the file's size. Reads if mapping fails.
    ///
    /// # Safety
    /// While a file opened this way is mapped, nothing may write into it. A caller who cannot guarantee that relies on
    /// the behaviour described in the [module's docs](self#why-mapping-is-unsafe), which Rust does not guarantee.
    #[allow(unsafe_code)]
    pub const unsafe fn map_large() -> Self {
        Self(Way::MapLarge)
    }

    /// Maps files of any size. Reads only if a map is impossible: for empty files, pipes and special files, and if maps
    /// were [guarded](guard_maps) but no longer can be.
    ///
    /// # Safety
    /// The conditions of [`map_large`](Self::map_large) apply. In addition, nothing may truncate the file unless maps
    /// are [guarded](guard_maps).
    #[allow(unsafe_code)]
    pub const unsafe fn map() -> Self {
        Self(Way::Map)
    }
}

/// From this size on, a map costs less than a copy of the bytes.
const MAP_FROM: u64 = 300_000;

/// How long a file named by the caller may keep a reader waiting for its next bytes.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// [`Limits::decoded_bytes`]. On Unix, reading it stops after ten seconds without new bytes, even if nothing has
    /// opened the other end.
    ///
    /// # Errors
    /// Returns an error of the operating system, with the path. Returns `TimedOut` for a pipe without bytes, and a
    /// [`Limit`](crate::ErrorKind::Limit) error for an endless one.
    pub fn open_with(path: impl AsRef<Path>, access: Access, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        Self::open_told(path, access, limits, true).map(|(file, _)| file)
    }

    /// Opens a file like [`open_with`](Self::open_with), but calls `check` with the size before the file is read. If
    /// the file has no size, `check` receives [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// Returns the errors of [`open_with`](Self::open_with) and of `check`.
    pub fn open_checked(
        path: impl AsRef<Path>,
        access: Access,
        limits: &Limits,
        check: impl FnOnce(u64) -> Result<()>,
    ) -> Result<Self> {
        let path = path.as_ref();
        let opened = Self::open_inner(path, access, limits, Some(PATIENCE), check);
        opened.map(|(file, _)| file).map_err(|error| error.in_file(path))
    }

    /// Also returns the metadata from before the file was read. A file that is not `named` must be a regular file and
    /// is as long as its metadata says. So files of `/proc`, some of which are endless, are empty.
    pub(crate) fn open_told(path: &Path, access: Access, limits: &Limits, named: bool) -> Result<(Self, Metadata)> {
        let opened = Self::open_inner(path, access, limits, named.then_some(PATIENCE), |_| Ok(()));
        opened.map_err(|error| error.in_file(path))
    }

    /// `patience` is for a named file.
    fn open_inner(
        path: &Path,
        access: Access,
        limits: &Limits,
        patience: Option<Duration>,
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
        let size = metadata.is_file().then_some(metadata.len()).filter(|&size| size > 0);
        check(size.unwrap_or(limits.decoded_bytes))?;
        let mapping = match (access.0, size) {
            (Way::MapLarge, Some(size)) => size >= MAP_FROM && can_guard(),
            (Way::Map, Some(_)) => !is_guard_wanted() || can_guard(),
            _ => false,
        };
        let mapped = match mapping {
            #[cfg(feature = "mmap")]
            true => map::map(file, &metadata).map(Bytes::Mapped),
            _ => Err(file),
        };
        let read = |file| match (size, patience) {
            (Some(size), _) => read(file, size),
            (None, Some(patience)) => pipe::read_unsized(file, limits.decoded_bytes, patience),
            (None, None) => Ok(Vec::new()),
        };
        let bytes = mapped.or_else(|file| read(file).map(Bytes::Owned))?;
        Ok((Self(bytes), metadata))
    }

    /// Reads all bytes of `reader`, up to [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// Returns the errors of the reader, and a [`Limit`](crate::ErrorKind::Limit) error if there is more.
    pub fn from_reader(reader: impl Read, limits: &Limits) -> Result<Self> {
        read_all(reader, limits.decoded_bytes).map(Bytes::Owned).map(Self)
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

/// Guards maps against files that are truncated, for the whole process and permanently.
///
/// On Unix this installs a handler for SIGBUS. A fault in one of this crate's maps replaces the lost part with zeros,
/// and the program continues. Every other fault goes to the previous handler. On other systems there is nothing to do.
/// Further calls install the guard again if another handler was installed over it. Opening a file to map it does the
/// same. The [module's docs](self#the-guard) list the limits.
///
/// It costs nothing until a fault occurs. A library should leave this call to the program that uses it.
///
/// # Errors
/// Returns an error of the operating system. Maps are then not guarded, and [`Access::map_large`] reads.
pub fn guard_maps() -> Result<()> {
    #[cfg(all(feature = "mmap", unix))]
    guard::install()?;
    Ok(())
}

/// Returns true if a truncated file cannot end the process now while this thread reads a map of it. Costs two system
/// calls.
pub fn are_maps_guarded() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_armed();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}

fn is_guard_wanted() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_installed();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}

/// Returns true if maps are guarded, or can be guarded again.
fn can_guard() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_ready();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}

fn read(file: File, size: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let capacity = usize::try_from(size).map_err(|_| too_large(u64::MAX))?;
    bytes.try_reserve_exact(capacity).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    pages::large(bytes.spare_capacity_mut());
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_all(reader: impl Read, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> Error {
    Error::limit("bytes from a file without a size", limit, crate::base::limits::flag::DECODED)
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::PathBuf;

    /// A file that is deleted at the end of the test.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("meshpeek-source-{name}-{}", std::process::id())))
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    /// SAFETY, for all tests: the concurrent writes are what is tested, and bytes are read as numbers only.
    fn map() -> Access {
        unsafe { Access::map() }
    }

    #[test]
    fn the_way_is_chosen_by_size_and_can_be_forced() {
        let file = Temporary::new("way");
        let path = &file.0;
        guard_maps().unwrap();
        for (size, mapped) in [(0, false), (10, false), (MAP_FROM as usize, cfg!(feature = "mmap"))] {
            let bytes: Vec<u8> = (0..size).map(|i| i as u8).collect();
            File::create(path).unwrap().write_all(&bytes).unwrap();
            let limits = Limits::default();
            let large = FileMap::open_with(path, unsafe { Access::map_large() }, &limits).unwrap();
            assert_eq!(large.is_mapped(), mapped);
            assert!(!FileMap::open(path).unwrap().is_mapped());
            assert!(!FileMap::open_with(path, Access::READ, &limits).unwrap().is_mapped());
            let forced = FileMap::open_with(path, map(), &limits).unwrap();
            assert_eq!(forced.is_mapped(), size > 0 && cfg!(feature = "mmap"));
            assert_eq!((&*large, &*forced), (&bytes[..], &bytes[..]));
            large.unchanged().unwrap();
            forced.unchanged().unwrap();
        }
        std::fs::remove_file(path).unwrap();
        let error = FileMap::open(path).unwrap_err();
        assert_eq!(error.path(), Some(&**path));
        assert!(FileMap::open(std::env::temp_dir()).is_err());
    }

    /// Systems store the times of files in steps of a few milliseconds.
    #[cfg(all(feature = "mmap", unix))]
    fn wait_for_another_time() {
        std::thread::sleep(Duration::from_millis(30));
    }

    #[cfg(all(feature = "mmap", unix))]
    #[test]
    fn what_is_cut_off_reads_as_zeros_and_is_told() {
        const PAGES: usize = 1 << 16;
        guard_maps().unwrap();
        guard_maps().unwrap();
        let file = Temporary::new("cut");
        std::fs::write(&file.0, [7; 8 * PAGES]).unwrap();
        let open = || FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
        let (cut, whole) = (open(), open());
        let writer = File::options().write(true).open(&file.0).unwrap();
        wait_for_another_time();
        writer.set_len(4 * PAGES as u64).unwrap();
        assert_eq!((cut[0], cut[4 * PAGES - 1], cut[4 * PAGES], cut[8 * PAGES - 1]), (7, 7, 0, 0));
        assert_eq!(cut.unchanged().unwrap_err().to_string(), "the file was changed while it was read");
        // The file has its old size again. The earlier map still reports a change; a later map does not.
        writer.set_len(8 * PAGES as u64).unwrap();
        assert_eq!(whole[8 * PAGES - 1], 0);
        assert!(whole.unchanged().is_err());
        drop(cut);
        let later = open();
        later.unchanged().unwrap();
        // A deleted file stays as it was opened, but a deletion cannot be distinguished from other changes.
        wait_for_another_time();
        std::fs::remove_file(&file.0).unwrap();
        assert_eq!(later[0], 7);
        assert!(later.unchanged().is_err());
    }

    /// Windows refuses to shorten a file while it is mapped.
    #[cfg(all(feature = "mmap", windows))]
    #[test]
    fn what_is_mapped_cannot_be_cut_off() {
        let file = Temporary::new("cut");
        std::fs::write(&file.0, [7; 1 << 16]).unwrap();
        let opened = FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
        let writer = File::options().write(true).open(&file.0).unwrap();
        assert!(writer.set_len(0).is_err());
        assert_eq!(opened[(1 << 16) - 1], 7);
        opened.unchanged().unwrap();
        drop(opened);
        writer.set_len(0).unwrap();
    }

    #[cfg(all(feature = "mmap", unix))]
    #[test]
    fn a_file_cut_and_regrown_with_its_time_set_back_is_told_as_changed() {
        let file = Temporary::new("regrown");
        std::fs::write(&file.0, [7; 1 << 16]).unwrap();
        let opened = FileMap::open_with(&file.0, map(), &Limits::default()).unwrap();
        opened.unchanged().unwrap();
        wait_for_another_time();
        let writer = File::options().write(true).open(&file.0).unwrap();
        let written = writer.metadata().unwrap().modified().unwrap();
        writer.set_len(0).unwrap();
        writer.set_len(1 << 16).unwrap();
        writer.set_modified(written).unwrap();
        assert_eq!(opened[0], 0, "no fault has told");
        assert_eq!(writer.metadata().unwrap().modified().unwrap(), written);
        assert!(opened.unchanged().is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_end_stops_at_the_limit() {
        let limits = Limits { decoded_bytes: 1 << 16, ..Limits::default() };
        let error = FileMap::open_with("/dev/zero", map(), &limits).unwrap_err();
        assert!(matches!(error.kind(), crate::ErrorKind::Limit { .. }), "{error}");
        assert!(FileMap::open("/dev/null").unwrap().is_empty());
        assert!(FileMap::open("/proc/self/status").unwrap().starts_with(b"Name:"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_named_pipe_is_read_to_its_end_and_not_waited_for_without() {
        let pipe = Temporary::new("pipe");
        let status = std::process::Command::new("mkfifo").arg(&pipe.0).status().unwrap();
        assert!(status.success());
        let open = |patience| {
            FileMap::open_inner(&pipe.0, map(), &Limits::default(), Some(patience), |_| Ok(())).map(|(file, _)| file)
        };
        let patience = Duration::from_millis(50);
        let error = open(patience).unwrap_err();
        assert_eq!(error.to_string(), "nothing is writing to this pipe");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut writer = File::options().write(true).open(&pipe.0).unwrap();
                // More than a pipe holds at once, in two parts.
                for _ in 0..2 {
                    writer.write_all(&[7; 100_000]).unwrap();
                    std::thread::sleep(patience);
                }
            });
            assert_eq!(&*open(PATIENCE).unwrap(), [7; 200_000]);
        });
        let silent = File::options().read(true).write(true).open(&pipe.0).unwrap();
        (&silent).write_all(b"then nothing").unwrap();
        assert!(open(patience).is_err());
        #[cfg(feature = "scan")]
        {
            let found = |path| FileMap::open_told(path, map(), &Limits::default(), false).map(|(file, _)| file);
            assert!(found(&pipe.0).is_err());
            assert!(found(Path::new("/proc/self/status")).unwrap().is_empty());
        }
    }
}
