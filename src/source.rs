//! The bytes of a file: read, or mapped where the caller answers for it.
//!
//! | access | does | another process cuts the file short | another process writes into it |
//! | --- | --- | --- | --- |
//! | [`Access::READ`], the default | reads into memory | cannot matter: the copy is the caller's own | the same |
//! | [`Access::map_large`], unsafe | after [`guard_maps`] maps larger files, else reads | the rest reads as zeros | shows, half old and half new |
//! | [`Access::map`], unsafe | maps | after [`guard_maps`] the same, without it SIGBUS ends the process | the same |
//!
//! A map shows the file as it is now: it goes on showing what was opened where that is replaced, deleted or appended to,
//! and whatever is written into it. [`FileMap::unchanged`] tells afterwards.
//!
//! # Why mapping is unsafe
//!
//! The memory model of Rust calls it undefined behaviour that bytes behind a `&[u8]` change, whoever changes them, and
//! no operating system keeps other processes from a mapped file. [memmap2](https://docs.rs/memmap2) therefore leaves the
//! choice to the caller, and so does this crate: only unsafe functions give the word to map. A program that gives it for
//! files that others may write to relies on more than the language promises: that reading a byte which somebody else
//! writes yields some byte. This crate is built so that no more than that is needed.
//!
//! - Over mapped bytes lie only types for which every pattern of bits is valid: numbers, arrays and records of them. A
//!   `str`, `char` or `bool` is made of a copy or of a number that was read.
//! - A length or place is compared with the bytes that are there each time it is read. Nothing is read unchecked because
//!   it was checked before, and what is sorted or hashed is copied first.
//! - The same holds of the crates that mapped bytes are handed to: memchr, nom, zerocopy, bytemuck, flate2 with zlib-rs or
//!   miniz_oxide, sha1 and sha2 look at each byte as a number. encoding_rs does not, and gets copies.
//!
//! `tests/it/shrink.rs` has other processes and threads cut files short and write into them while they are looked at.
//!
//! # The guard
//!
//! On Unix, touching what another process has cut off raises SIGBUS, which ends a process that does not handle it.
//! [`guard_maps`] sets a handler that puts zeros in its place. Whenever a file is to be mapped, the handler is looked
//! for. Where another was set over it, it is set again before that one, and passes on what is not its own; after
//! several times, and in threads that have SIGBUS blocked, files are read instead. What it cannot hold:
//!
//! - A handler that somebody sets while a file is mapped, and that passes nothing on, gets the faults until the next file
//!   is opened. (One that puts the guard back and raises the signal again, as Python's `faulthandler` does, passes it on.) So does a thread that blocks SIGBUS meanwhile: a fault there ends the process.
//! - In a process that has as many maps as the system gives it (`vm.max_map_count`), the whole map is replaced by zeros,
//!   not only what is lost; if it goes on to take every map that it can get, the fault is passed on.
//! - A system call that is handed bytes which are no more there gives an error (`EFAULT`) in place of zeros.
//!
//! Files whose pages are larger than memory's, of hugetlbfs, are read. Windows refuses to cut a mapped file short; there
//! every map counts as guarded.
//!
//! The only unsafe code of the crate is in this folder: making the map, its guard, asking for its pages, and waiting for pipes.

#[cfg(all(feature = "mmap", unix))]
#[allow(unsafe_code)]
mod guard;
#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
mod map;
#[cfg(feature = "scan")]
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

/// How to get at a file's bytes. Reads, unless the caller answers for a map.
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
    /// Reads it whole into memory.
    pub const READ: Self = Self(Way::Read);

    /// The cheapest way that cannot end the process: larger files are mapped where maps are [guarded](guard_maps), all
    /// else is read, which takes memory of the file's size. Reads where mapping fails.
    ///
    /// # Safety
    /// While a file that was opened this way is mapped, nobody writes into it. A caller who cannot know that relies on
    /// what the [module's docs](self#why-mapping-is-unsafe) say, which is more than the language promises.
    #[allow(unsafe_code)]
    pub const unsafe fn map_large() -> Self {
        Self(Way::MapLarge)
    }

    /// Maps it, whatever its size. Reads only where a map is impossible: empty files, pipes, special files; and where
    /// maps were [guarded](guard_maps), but cannot be any more.
    ///
    /// # Safety
    /// As [`map_large`](Self::map_large); and unless maps are [guarded](guard_maps), nobody cuts the file short either.
    #[allow(unsafe_code)]
    pub const unsafe fn map() -> Self {
        Self(Way::Map)
    }
}

/// From this size on, setting up a map costs less than copying the bytes.
const MAP_FROM: u64 = 300_000;

/// How long a file that the caller named may keep a reader waiting for its next bytes.
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
    /// As [`open_with`](Self::open_with).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Access::READ, &Limits::default())
    }

    /// Opens a file the given way. A file without a size, such as a pipe, is read up to [`Limits::decoded_bytes`]; on
    /// Unix no longer than until nothing has come for ten seconds, be it that nobody has opened the other end.
    ///
    /// # Errors
    /// What the operating system says, with the path; `TimedOut` for a pipe without bytes,
    /// [`Limit`](crate::ErrorKind::Limit) for one without end.
    pub fn open_with(path: impl AsRef<Path>, access: Access, limits: &Limits) -> Result<Self> {
        let path = path.as_ref();
        Self::open_told(path, access, limits, true).map(|(file, _)| file)
    }

    /// As [`open_with`](Self::open_with), asking `check` with the size before the file is read; with
    /// [`Limits::decoded_bytes`] where it has none.
    ///
    /// # Errors
    /// As [`open_with`](Self::open_with), and that of the check.
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

    /// The same with what the system told of it before it was read. One that nobody `named` is a regular file, and as
    /// long as it says, so those of `/proc`, some of which have no end, are empty.
    pub(crate) fn open_told(path: &Path, access: Access, limits: &Limits, named: bool) -> Result<(Self, Metadata)> {
        let opened = Self::open_inner(path, access, limits, named.then_some(PATIENCE), |_| Ok(()));
        opened.map_err(|error| error.in_file(path))
    }

    /// `patience` is for a file that was named.
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

    /// Reads all that comes, up to [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// What the reader says; [`Limit`](crate::ErrorKind::Limit) where there is more.
    pub fn from_reader(reader: impl Read, limits: &Limits) -> Result<Self> {
        read_all(reader, limits.decoded_bytes).map(Bytes::Owned).map(Self)
    }

    /// Whether what was read so far is what was opened: to be asked at the end, before the answer is believed. Always so
    /// for a copy. Costs a question to the operating system.
    ///
    /// What cannot be seen: what was written within milliseconds of the opening, as systems keep times in such steps; and
    /// what another process writes through a map of its own, until the system notes the time, which may take seconds.
    ///
    /// # Errors
    /// Where a mapped file has another size or other times than when it was opened, or zeros were read in the place of
    /// what was cut off. On Unix also where it was renamed, replaced, deleted or given other rights: that cannot be told
    /// from a write whose time was set back.
    pub fn unchanged(&self) -> Result<()> {
        match &self.0 {
            #[cfg(feature = "mmap")]
            Bytes::Mapped(map) => map.unchanged(),
            Bytes::Owned(_) => Ok(()),
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

/// Guards maps from files that are cut short, for the whole process and for good.
///
/// On Unix this sets a handler for SIGBUS. A fault in one of this crate's maps puts zeros in the place of what is lost
/// and goes on; every other fault is passed on to the handler that was there before. Elsewhere there is nothing to do.
/// Further calls set it again where another handler was set over it; so does opening a file to map it. The
/// [module's docs](self#the-guard) tell what it cannot hold.
///
/// It costs nothing until a fault happens. A library should leave this call to the program around it.
///
/// # Errors
/// What the operating system says; maps are then not guarded, and [`Access::map_large`] reads.
pub fn guard_maps() -> Result<()> {
    #[cfg(all(feature = "mmap", unix))]
    guard::install()?;
    Ok(())
}

/// Whether a file that is cut short cannot end the process now while this thread looks at a map of it. Costs two
/// questions to the operating system.
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

/// Whether maps are guarded, or could be again.
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
    use crate::base::error::ErrorKind;
    use std::io::Write;
    use std::path::PathBuf;

    /// A file that goes when the test is over.
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

    /// SAFETY, of all tests: that files are written to meanwhile is what is tested, and bytes are read as numbers only.
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

    /// Systems keep the times of files in steps of some milliseconds.
    #[cfg(feature = "mmap")]
    fn wait_for_another_time() {
        std::thread::sleep(Duration::from_millis(30));
    }

    #[cfg(feature = "mmap")]
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
        // Another map of the file is torn apart from it, and a later one is whole.
        writer.set_len(8 * PAGES as u64).unwrap();
        assert_eq!(whole[8 * PAGES - 1], 0);
        assert!(whole.unchanged().is_err());
        drop(cut);
        let later = open();
        later.unchanged().unwrap();
        // What is deleted stays as it was opened, but that it was only deleted cannot be told.
        wait_for_another_time();
        std::fs::remove_file(&file.0).unwrap();
        assert_eq!(later[0], 7);
        #[cfg(unix)]
        assert!(later.unchanged().is_err());
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
        assert!(matches!(error.kind(), ErrorKind::Limit { .. }), "{error}");
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
                // More than a pipe holds at once, in two goes.
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
