//! The bytes of a file: mapped or read.
//!
//! A map shows the file as it is now. A file may grow, be replaced or be deleted while it is mapped: the map goes on
//! showing what was opened. But on Unix, touching what another process has cut off raises SIGBUS, which ends a process
//! that does not handle it. So nothing is mapped unasked where that could happen:
//!
//! | access | does | a file cut short meanwhile |
//! | --- | --- | --- |
//! | [`Access::Auto`] after [`guard_maps`] | maps larger files | the rest reads as zeros, [`FileMap::unchanged`] fails |
//! | [`Access::Auto`] without | reads into memory | cannot matter: the copy is the caller's own |
//! | [`Access::Read`] | reads into memory | the same |
//! | [`Access::Map`] | maps | without the guard, the caller's word that it will not happen |
//!
//! Windows refuses to cut a mapped file short; there every map counts as guarded. Whatever another process writes into
//! a mapped file while it is read may show in the answer, half old and half new; `unchanged` tells that too.
//!
//! The only unsafe code of the crate is here: making the map, and the guard.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// How to get at a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Access {
    /// The cheapest way that cannot end the process: larger files are mapped where maps are [guarded](guard_maps), all
    /// else is read, which takes memory of the file's size. Reads where mapping fails.
    #[default]
    Auto,
    /// Map it. Reads only where a map is impossible: empty files, pipes, special files. Unless maps are
    /// [guarded](guard_maps), the caller knows that nobody cuts the file short meanwhile.
    Map,
    /// Read it whole into memory.
    Read,
}

/// From this size on, setting up a map costs less than copying the bytes.
const MAP_FROM: u64 = 300_000;

/// The bytes of one file.
///
/// ```no_run
/// // Once, early in the program: larger files are mapped from here on.
/// meshpeek::source::guard_maps()?;
/// let file = meshpeek::FileMap::open("character.b3d")?;
/// let scene = meshpeek::b3d::Scene::parse(&file)?;
/// println!("version {}", scene.version());
/// file.unchanged()?;
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct FileMap(Bytes);

#[derive(Debug)]
enum Bytes {
    #[cfg(feature = "mmap")]
    Mapped(Map),
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
        let mapping = match (access, size) {
            (Access::Auto, Some(size)) => size >= MAP_FROM && are_maps_guarded(),
            (Access::Map, Some(_)) => true,
            _ => false,
        };
        let mapped = if mapping { map(file, &metadata) } else { Err(file) };
        mapped.or_else(|file| read(file, size, limits).map(Bytes::Owned)).map(Self)
    }

    /// Reads all that comes, up to [`Limits::decoded_bytes`].
    ///
    /// # Errors
    /// What the reader says; [`Limit`](ErrorKind::Limit) where there is more.
    pub fn from_reader(reader: impl Read, limits: &Limits) -> Result<Self> {
        read_all(reader, limits).map(Bytes::Owned).map(Self)
    }

    /// Whether what was read so far is what was opened: to be asked at the end, before the answer is believed. Always so
    /// for a copy. Costs a question to the operating system.
    ///
    /// # Errors
    /// Where a mapped file has been cut short, or written to, since it was opened. A write within milliseconds of the
    /// opening may go unnoticed, a cut never.
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

/// Makes maps safe from files that are cut short, for the whole process and for good.
///
/// On Unix this sets a handler for SIGBUS. A fault in one of this crate's maps puts zeros in the place of what is lost
/// and goes on; every other fault is passed on to the handler that was there before. A handler that the program sets
/// later must pass on what is not its own too. Elsewhere there is nothing to do. Further calls change nothing.
///
/// It costs nothing until a fault happens. A library should leave this call to the program around it.
///
/// # Errors
/// What the operating system says; maps are then not guarded, and [`Access::Auto`] reads.
pub fn guard_maps() -> Result<()> {
    #[cfg(all(feature = "mmap", unix))]
    guard::install()?;
    Ok(())
}

/// Whether a file that is cut short cannot end the process while it is mapped.
pub fn are_maps_guarded() -> bool {
    #[cfg(all(feature = "mmap", unix))]
    return guard::is_installed();
    #[cfg(not(all(feature = "mmap", unix)))]
    true
}

/// A mapped file. The guard forgets it before the map goes.
#[cfg(feature = "mmap")]
#[derive(Debug)]
struct Map {
    #[cfg(unix)]
    watch: guard::Watched,
    bytes: memmap2::Mmap,
    file: File,
    opened: Stamp,
}

/// What changes with a file's content: its size, and when it was last written to, where that is known.
#[cfg(feature = "mmap")]
#[derive(Debug, PartialEq, Eq)]
struct Stamp(u64, Option<std::time::SystemTime>);

#[cfg(feature = "mmap")]
impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self(metadata.len(), metadata.modified().ok())
    }
}

#[cfg(feature = "mmap")]
impl Map {
    fn unchanged(&self) -> Result<()> {
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

#[cfg(feature = "mmap")]
#[allow(unsafe_code)]
fn map(file: File, metadata: &Metadata) -> std::result::Result<Bytes, File> {
    // SAFETY: the map is read-only and private to this process, and lives as long as the borrows of it. Another process
    // may change the file meanwhile, see the module's docs: every view assumes no more of the bytes than that they can
    // be read, so a changed byte yields another answer, not undefined layout.
    let Ok(bytes) = (unsafe { memmap2::Mmap::map(&file) }) else { return Err(file) };
    Ok(Bytes::Mapped(Map {
        #[cfg(unix)]
        watch: guard::Watched::new(&bytes),
        bytes,
        file,
        opened: Stamp::of(metadata),
    }))
}

#[cfg(not(feature = "mmap"))]
fn map(file: File, _: &Metadata) -> std::result::Result<Bytes, File> {
    Err(file)
}

/// The handler for SIGBUS, and the list of maps that it looks into.
///
/// A handler may interrupt anything, so it takes no lock and no memory: the list only grows, by as many places as there
/// were ever maps at once, and each place says by its version whether it was read whole.
#[cfg(all(feature = "mmap", unix))]
#[allow(unsafe_code)]
mod guard {
    use std::ffi::{c_int, c_void};
    use std::io;
    use std::mem::{MaybeUninit, transmute};
    use std::ops::Range;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

    /// A place in the list.
    #[derive(Debug, Default)]
    struct Place {
        taken: AtomicBool,
        /// Odd while the range is being changed.
        version: AtomicUsize,
        start: AtomicUsize,
        end: AtomicUsize,
        torn: AtomicBool,
        next: OnceLock<&'static Place>,
    }

    static FIRST: OnceLock<&'static Place> = OnceLock::new();

    fn places() -> impl Iterator<Item = &'static Place> {
        std::iter::successors(FIRST.get().copied(), |place| place.next.get().copied())
    }

    impl Place {
        fn take() -> &'static Self {
            let mut link = &FIRST;
            loop {
                let place = *link.get_or_init(|| Box::leak(Box::default()));
                if !place.taken.swap(true, Ordering::Acquire) {
                    return place;
                }
                link = &place.next;
            }
        }

        /// Only whoever has taken the place may set its range.
        fn set(&self, range: Range<usize>) {
            self.version.fetch_add(1, Ordering::Relaxed);
            fence(Ordering::Release);
            self.start.store(range.start, Ordering::Relaxed);
            self.end.store(range.end, Ordering::Relaxed);
            self.version.fetch_add(1, Ordering::Release);
        }

        /// The range; `None` while it is being changed, which the map of a running access never is.
        fn range(&self) -> Option<Range<usize>> {
            let before = self.version.load(Ordering::Acquire);
            let range = self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed);
            fence(Ordering::Acquire);
            let after = self.version.load(Ordering::Relaxed);
            (before == after && before.is_multiple_of(2)).then_some(range)
        }
    }

    /// A map in the list.
    #[derive(Debug)]
    pub(super) struct Watched(&'static Place);

    impl Watched {
        pub(super) fn new(bytes: &[u8]) -> Self {
            let place = Place::take();
            place.torn.store(false, Ordering::Relaxed);
            let Range { start, end } = bytes.as_ptr_range();
            place.set(start.addr()..end.addr());
            Self(place)
        }

        pub(super) fn is_torn(&self) -> bool {
            self.0.torn.load(Ordering::Relaxed)
        }
    }

    impl Drop for Watched {
        fn drop(&mut self) {
            self.0.set(0..0);
            self.0.taken.store(false, Ordering::Release);
        }
    }

    /// The handler that was there before, and the size of a page.
    struct Before {
        action: libc::sigaction,
        page: usize,
    }

    static BEFORE: OnceLock<Before> = OnceLock::new();
    static INSTALLED: AtomicBool = AtomicBool::new(false);

    pub(super) fn is_installed() -> bool {
        INSTALLED.load(Ordering::Relaxed)
    }

    pub(super) fn install() -> io::Result<()> {
        if is_installed() {
            return Ok(());
        }
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let mut action = MaybeUninit::uninit();
        // SAFETY: with no new action, the current one is written to the place given.
        check(unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), action.as_mut_ptr()) })?;
        // SAFETY: the call has written it.
        let action = unsafe { action.assume_init() };
        // Who comes second and finds our handler finds this set.
        BEFORE.get_or_init(|| Before { action, page });
        // SAFETY: all zeros is an action: the default, without flags and mask.
        let mut ours: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        ours.sa_sigaction = on_bus_error as *const () as usize;
        // The alternate stack, as the handler that finds stack overflows needs it, to which faults may be passed on.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the action is whole, and its function does only what may be done in a handler.
        check(unsafe { libc::sigaction(libc::SIGBUS, &ours, ptr::null_mut()) })?;
        INSTALLED.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn check(code: c_int) -> io::Result<()> {
        if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    extern "C" fn on_bus_error(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let Some(before) = BEFORE.get() else { return };
        // SAFETY: a handler with SA_SIGINFO gets a whole record, which for this signal has an address.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr()) };
        // Codes above 0 are the kernel's own: a real fault at that address.
        if code > 0 && mend(address, before.page) {
            return;
        }
        let action = before.action.sa_sigaction;
        match action {
            libc::SIG_IGN if code <= 0 => {}
            libc::SIG_IGN | libc::SIG_DFL => {
                // SAFETY: both calls are allowed in a handler. The signal comes when this one returns.
                unsafe {
                    libc::signal(signal, libc::SIG_DFL);
                    libc::raise(signal);
                }
            }
            _ if before.action.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: an action with this flag and neither constant is such a function.
                let action: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = unsafe { transmute(action) };
                action(signal, info, context);
            }
            _ => {
                // SAFETY: an action without the flag and neither constant is such a function.
                let action: extern "C" fn(c_int) = unsafe { transmute(action) };
                action(signal);
            }
        }
    }

    /// Puts zeros in the place of a map's bytes, from the page of this address on; whether it lies in a map.
    fn mend(address: usize, page: usize) -> bool {
        let found =
            places().find_map(|place| place.range().filter(|range| range.contains(&address)).map(|r| (place, r)));
        let Some((place, range)) = found else { return false };
        let start = address & !page.saturating_sub(1);
        let len = range.end.saturating_sub(start);
        let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED);
        // SAFETY: the pages belong to a map of this crate, which the interrupted access keeps alive; they stay readable.
        let mended = unsafe { libc::mmap(ptr::with_exposed_provenance_mut(start), len, protection, flags, -1, 0) };
        place.torn.store(true, Ordering::Relaxed);
        mended != libc::MAP_FAILED
    }
}

fn read(file: File, size: Option<u64>, limits: &Limits) -> Result<Vec<u8>> {
    let Some(size) = size else { return read_all(file, limits) };
    let mut bytes = Vec::new();
    let size = usize::try_from(size).map_err(|_| too_large(u64::MAX))?;
    bytes.try_reserve_exact(size).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    file.take(size as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_all(reader: impl Read, limits: &Limits) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limits.decoded_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limits.decoded_bytes {
        return Err(too_large(limits.decoded_bytes));
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
        guard_maps().unwrap();
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
            auto.unchanged().unwrap();
            forced.unchanged().unwrap();
        }
        std::fs::remove_dir_all(&folder).unwrap();
        let error = FileMap::open(&path).unwrap_err();
        assert_eq!(error.path(), Some(&*path));
        assert!(FileMap::open(std::env::temp_dir()).is_err());
    }

    #[cfg(feature = "mmap")]
    #[test]
    fn what_is_cut_off_reads_as_zeros_and_is_told() {
        const PAGES: usize = 1 << 16;
        guard_maps().unwrap();
        guard_maps().unwrap();
        let path = std::env::temp_dir().join(format!("meshpeek-cut-{}", std::process::id()));
        std::fs::write(&path, [7; 8 * PAGES]).unwrap();
        let open = || FileMap::open_with(&path, Access::Map, &Limits::default()).unwrap();
        let (cut, whole) = (open(), open());
        let writer = File::options().write(true).open(&path).unwrap();
        // Systems keep the time of the last write in steps of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(30));
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
        // What is replaced or deleted stays as it was opened.
        std::fs::remove_file(&path).unwrap();
        assert_eq!(later[0], 7);
        later.unchanged().unwrap();
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
