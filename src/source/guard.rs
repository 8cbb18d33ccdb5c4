//! The SIGBUS handler, and its list of maps.
//!
//! A handler may interrupt any code, so it takes no lock and allocates no memory. The list only grows, up to the
//! maximum number of simultaneous maps. The version of each slot shows whether it was read consistently.
//!
//! A faulting access keeps its own map alive. Before the handler examines the maps of other threads, it pins their
//! slots. A pinned map is not unmapped, and its file not closed, until the handler is done with it.

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, transmute};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A slot of the list.
#[derive(Debug, Default)]
struct Slot {
    taken: AtomicBool,
    /// Odd while the range is being changed.
    version: AtomicUsize,
    start: AtomicUsize,
    end: AtomicUsize,
    torn: AtomicBool,
    /// The file, open as long as there is a range.
    file: AtomicI32,
    /// The number of handlers that currently examine the map.
    pins: AtomicUsize,
    /// The start of the zeros placed in the map.
    zeros: AtomicUsize,
    next: OnceLock<&'static Slot>,
}

static FIRST: OnceLock<&'static Slot> = OnceLock::new();

fn places() -> impl Iterator<Item = &'static Slot> {
    std::iter::successors(FIRST.get().copied(), |place| place.next.get().copied())
}

impl Slot {
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

    /// Call only on a taken slot.
    fn set(&self, range: Range<usize>) {
        self.version.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.start.store(range.start, Ordering::Relaxed);
        self.end.store(range.end, Ordering::Relaxed);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Returns the range, or `None` while it is being changed. The map of a running access is never being changed.
    fn range(&self) -> Option<Range<usize>> {
        let before = self.version.load(Ordering::Acquire);
        let range = self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let after = self.version.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2)).then_some(range)
    }

    /// Calls `work` with the range of the map, which stays alive during the call. Does nothing if there is no range.
    fn pinned(&self, work: impl FnOnce(Range<usize>) -> bool) -> bool {
        self.pins.fetch_add(1, Ordering::SeqCst);
        // Either this thread sees that the range is gone, or the thread that removes it sees the pin.
        fence(Ordering::SeqCst);
        let is_done = self.range().filter(|range| !range.is_empty()).is_some_and(work);
        self.pins.fetch_sub(1, Ordering::Release);
        is_done
    }

    /// Waits until no handler examines the map, whose range is gone. A handler never waits, so this is short.
    fn wait_for_handlers(&self) {
        fence(Ordering::SeqCst);
        while self.pins.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
    }
}

/// A map in the list.
#[derive(Debug)]
pub(super) struct Watched(&'static Slot);

impl Watched {
    /// `file` stays open until this is dropped.
    pub(super) fn new(bytes: &[u8], file: &std::fs::File) -> Self {
        let place = Slot::take();
        place.torn.store(false, Ordering::Relaxed);
        let Range { start, end } = bytes.as_ptr_range();
        place.file.store(std::os::fd::AsRawFd::as_raw_fd(file), Ordering::Relaxed);
        place.zeros.store(end.addr(), Ordering::Relaxed);
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
        self.0.wait_for_handlers();
        self.0.taken.store(false, Ordering::Release);
    }
}

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// The number of times the guard can be armed: once, and again after each handler that was installed over it.
///
/// Each time uses its own handler. A later handler may pass faults on to the previous one, which must not pass them
/// back.
const TIMES: usize = 8;

static HANDLERS: [Handler; TIMES] = [
    on_bus_error::<0>,
    on_bus_error::<1>,
    on_bus_error::<2>,
    on_bus_error::<3>,
    on_bus_error::<4>,
    on_bus_error::<5>,
    on_bus_error::<6>,
    on_bus_error::<7>,
];

/// The action that each handler replaced, and to which it passes signals that are not its own.
static FOUND: [AtomicPtr<libc::sigaction>; TIMES] = [const { AtomicPtr::new(ptr::null_mut()) }; TIMES];

/// The number of handlers in use.
static USED: AtomicUsize = AtomicUsize::new(0);

/// The size of a page.
static PAGE: AtomicUsize = AtomicUsize::new(0);

pub(super) fn is_installed() -> bool {
    USED.load(Ordering::Relaxed) > 0
}

/// Returns true if a fault in this thread would reach one of these handlers now.
pub(super) fn is_armed() -> bool {
    is_installed() && current().is_ok_and(|action| is_ours(&action)) && !is_blocked()
}

/// Arms the guard again if another handler was installed over it. Returns true if a fault in this thread would reach
/// it.
pub(super) fn is_ready() -> bool {
    is_installed() && install().is_ok() && !is_blocked()
}

/// Installs a handler, unless one of these is installed.
pub(super) fn install() -> io::Result<()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if is_ours(&current()?) {
        return Ok(());
    }
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let found = current()?;
    if is_ours(&found) {
        return Ok(());
    }
    let used = USED.load(Ordering::Relaxed);
    let (Some(&handler), Some(place)) = (HANDLERS.get(used), FOUND.get(used)) else {
        return Err(io::Error::other("the handler for SIGBUS was replaced too often"));
    };
    if used == 0 {
        PAGE.store(page_size(), Ordering::Relaxed);
        keep_spare_map();
    }
    // Stored before a fault can arrive. The action returned by the exchange itself replaces it.
    let expected: &libc::sigaction = Box::leak(Box::new(found));
    place.store(ptr::from_ref(expected).cast_mut(), Ordering::Release);
    // SAFETY: all zeros is a valid action: the default, without flags and mask.
    let mut ours: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    ours.sa_sigaction = handler as *const () as usize;
    // The alternate stack, because the handler that detects stack overflows needs it, and faults may be passed on to
    // it.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    let found = exchange(&ours)?;
    // A handler may be reading the first one, so it is not freed.
    if (found.sa_sigaction, found.sa_flags) != (expected.sa_sigaction, expected.sa_flags) {
        place.store(Box::leak(Box::new(found)), Ordering::Release);
    }
    USED.store(used.saturating_add(1), Ordering::Relaxed);
    Ok(())
}

fn current() -> io::Result<libc::sigaction> {
    exchange(ptr::null())
}

/// Sets the action for SIGBUS, unless it is null. Returns the previous one.
fn exchange(action: *const libc::sigaction) -> io::Result<libc::sigaction> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: the action is null or complete, and its function does only what a handler may do. The previous action is
    // written to the given place, unless the call fails.
    unsafe {
        if libc::sigaction(libc::SIGBUS, action, found.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(found.assume_init())
    }
}

fn is_ours(action: &libc::sigaction) -> bool {
    HANDLERS.iter().any(|&handler| handler as *const () as usize == action.sa_sigaction)
}

/// Returns true if this thread blocks SIGBUS. A fault would then end the process, whatever the handler.
fn is_blocked() -> bool {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: the mask does not change. The current one is written to the given place, unless the call fails.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), mask.as_mut_ptr()) != 0
            || libc::sigismember(mask.as_ptr(), libc::SIGBUS) != 0
    }
}

/// Returns the size of a memory page in bytes.
pub(super) fn page_size() -> usize {
    // SAFETY: the call only returns a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

extern "C" fn on_bus_error<const TIME: usize>(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let errno = errno();
    // SAFETY: a handler with SA_SIGINFO receives a complete record, which has an address for this signal. errno is this
    // thread's own.
    let (code, address, kept) = unsafe { ((*info).si_code, (*info).si_addr().addr(), *errno) };
    // SAFETY: a sent signal has its sender in the record. getpid is allowed in a handler.
    let is_own = || code <= 0 && unsafe { (*info).si_pid() == libc::getpid() };
    let is_mended = if is_lost_page(code) { mend(address) } else { is_own() && mend_cut_files() };
    if !is_mended {
        let found = FOUND.get(TIME).map_or(ptr::null_mut(), |found| found.load(Ordering::Acquire));
        // SAFETY: null or leaked, and never changed.
        if let Some(found) = unsafe { found.as_ref() } {
            pass_on(found, code, signal, info, context);
        }
    }
    // SAFETY: as above.
    unsafe { *errno = kept };
}

/// Returns true if the code is that of an access after the end of a mapped file, not that of broken memory, misaligned
/// access or a signal from a process.
fn is_lost_page(code: c_int) -> bool {
    // On other systems the code differs. Codes above 0 come from the kernel.
    if cfg!(any(target_os = "linux", target_os = "android")) { code == libc::BUS_ADRERR } else { code > 0 }
}

fn pass_on(found: &libc::sigaction, code: c_int, signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let action = found.sa_sigaction;
    match action {
        libc::SIG_IGN if code <= 0 => {}
        libc::SIG_IGN | libc::SIG_DFL => {
            // SAFETY: both calls are allowed in a handler. The signal arrives when this one returns.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
        _ if found.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: an action with this flag that is neither constant is such a function.
            let action: Handler = unsafe { transmute(action) };
            action(signal, info, context);
        }
        _ => {
            // SAFETY: an action without the flag that is neither constant is such a function.
            let action: extern "C" fn(c_int) = unsafe { transmute(action) };
            action(signal);
        }
    }
}

/// Replaces a map with zeros, from the page of this address on. Returns true if the address is in a map and it
/// succeeded.
fn mend(address: usize) -> bool {
    let found = places().find_map(|place| place.range().filter(|range| range.contains(&address)).map(|r| (place, r)));
    found.is_some_and(|(place, range)| mend_place(place, range, address))
}

fn mend_place(place: &Slot, range: Range<usize>, address: usize) -> bool {
    place.torn.store(true, Ordering::Relaxed);
    let page = PAGE.load(Ordering::Relaxed);
    let start = address & !page.saturating_sub(1);
    place.zeros.fetch_min(start, Ordering::Relaxed);
    map_zeros(start..range.end) || {
        // A process at its maximum number of maps gets no further one, not even in place of another. With one less, it
        // may replace any number, but cannot split one in two.
        give_up_spare_map();
        map_zeros(range)
    }
}

/// Replaces everything that files have lost with zeros. Returns true if there was any. Python's `faulthandler`, for
/// example, may be installed over these handlers. It dumps its output and then raises the signal again, and the new
/// signal no longer has the address of the fault.
fn mend_cut_files() -> bool {
    let page = PAGE.load(Ordering::Relaxed);
    // All of them, not only the first.
    places().filter(|place| place.pinned(|range| mend_if_cut(place, range, page))).count() > 0
}

fn mend_if_cut(place: &Slot, range: Range<usize>, page: usize) -> bool {
    let mut facts = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: allowed in a handler. The facts are written to the given place, unless the call fails.
    let size = unsafe {
        if libc::fstat(place.file.load(Ordering::Relaxed), facts.as_mut_ptr()) != 0 {
            return false;
        }
        facts.assume_init().st_size
    };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let lost = size.checked_next_multiple_of(page).and_then(|size| range.start.checked_add(size));
    #[cfg(test)]
    tests::pause();
    let end = place.zeros.load(Ordering::Relaxed).min(range.end);
    lost.filter(|lost| *lost < end).is_some_and(|lost| mend_place(place, range, lost))
}

/// A map that exists to be given up. 0 if it is gone.
static SPARE: AtomicUsize = AtomicUsize::new(0);

fn keep_spare_map() {
    // Shared, so that the system does not merge it with another.
    let (protection, flags) = (libc::PROT_NONE, libc::MAP_SHARED | libc::MAP_ANON);
    // SAFETY: new pages that belong to nothing else.
    let start = unsafe { libc::mmap(ptr::null_mut(), page_size(), protection, flags, -1, 0) };
    if start != libc::MAP_FAILED {
        SPARE.store(start.expose_provenance(), Ordering::Relaxed);
    }
}

fn give_up_spare_map() {
    let start = SPARE.swap(0, Ordering::Relaxed);
    if start != 0 {
        // SAFETY: nothing else knows the page.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), PAGE.load(Ordering::Relaxed)) };
    }
}

/// Replaces pages of a map with zeros.
fn map_zeros(range: Range<usize>) -> bool {
    let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED);
    let (start, len) = (ptr::with_exposed_provenance_mut(range.start), range.end.saturating_sub(range.start));
    // SAFETY: the pages belong to a map of this crate, kept alive by the interrupted access or a pin. They stay
    // readable.
    unsafe { libc::mmap(start, len, protection, flags, -1, 0) != libc::MAP_FAILED }
}

/// Returns the location of this thread's errno.
fn errno() -> *mut c_int {
    #[cfg(any(target_os = "illumos", target_os = "solaris"))]
    use libc::___errno as place;
    #[cfg(any(target_os = "android", target_os = "cygwin", target_os = "netbsd", target_os = "openbsd"))]
    use libc::__errno as place;
    #[cfg(any(
        target_os = "linux",
        target_os = "l4re",
        target_os = "hurd",
        target_os = "dragonfly",
        target_os = "emscripten",
        target_os = "redox"
    ))]
    use libc::__errno_location as place;
    #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
    use libc::__error as place;
    // SAFETY: returns a place that lives as long as the thread.
    unsafe { place() }
}

#[cfg(test)]
mod tests {
    use super::super::{Access, FileMap, are_maps_guarded, guard_maps};
    use super::*;
    use crate::base::limits::Limits;
    use std::fs::File;
    use std::path::PathBuf;
    use std::process::{Command, ExitStatus};

    /// At least two pages on any system.
    const LARGE: usize = 1 << 17;

    /// Signals affect the whole process, so these tests run in a child. Returns `None` in the child, else its exit
    /// status.
    fn alone(test: &str) -> Option<ExitStatus> {
        let test = format!("source::guard::tests::{test}");
        if std::env::var("MESHPEEK_ALONE").is_ok_and(|alone| alone == test) {
            return None;
        }
        // As in `tests/it/cli.rs`: for another machine.
        let runner = std::env::var("MESHPEEK_RUNNER").unwrap_or_default();
        let this = std::env::current_exe().unwrap().into_os_string();
        let mut words = runner.split_whitespace().map(Into::into).chain([this]);
        let mut program = Command::new(words.next().unwrap());
        let output =
            program.args(words).args([&test, "--exact", "--nocapture"]).env("MESHPEEK_ALONE", &test).output().unwrap();
        println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        Some(output.status)
    }

    fn file() -> PathBuf {
        let path = std::env::temp_dir().join(format!("meshpeek-guard-{}", std::process::id()));
        std::fs::write(&path, [7; LARGE]).unwrap();
        path
    }

    fn open(path: &PathBuf) -> FileMap {
        // SAFETY: the truncation is what is tested, and the bytes are read as numbers only.
        FileMap::open_with(path, unsafe { Access::map() }, &Limits::default()).unwrap()
    }

    fn cut(path: &PathBuf, len: usize) {
        File::options().write(true).open(path).unwrap().set_len(len as u64).unwrap();
    }

    extern "C" fn ends_the_process(_: c_int) {
        // SAFETY: allowed in a handler.
        unsafe { libc::_exit(7) };
    }

    fn set_handler(handler: extern "C" fn(c_int)) {
        // SAFETY: such a function is a handler.
        unsafe { libc::signal(libc::SIGBUS, handler as *const () as usize) };
    }

    #[test]
    fn a_handler_set_over_the_guard_is_set_behind_it_when_a_file_is_opened() {
        let Some(status) = alone("a_handler_set_over_the_guard_is_set_behind_it_when_a_file_is_opened") else {
            guard_maps().unwrap();
            assert!(are_maps_guarded());
            set_handler(ends_the_process);
            assert!(!are_maps_guarded());
            let path = file();
            let map = open(&path);
            assert!(map.is_mapped() && are_maps_guarded());
            cut(&path, 0);
            assert_eq!(map[LARGE - 1], 0);
            assert!(map.unchanged().is_err());
            drop(map);
            std::fs::remove_file(path).unwrap();
            // Signals that are not the guard's own reach the other handler.
            // SAFETY: a signal to this process.
            unsafe { libc::raise(libc::SIGBUS) };
            unreachable!("ended by the handler");
        };
        assert_eq!(status.code(), Some(7), "{status}");
    }

    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

    /// Like Python's faulthandler: restores the previous action, reports, and raises the signal again.
    extern "C" fn dumps_and_raises(_: c_int) {
        // SAFETY: the action was returned by the system. All calls are allowed in a handler.
        unsafe {
            libc::sigaction(libc::SIGBUS, BEFORE.load(Ordering::Relaxed), ptr::null_mut());
            libc::raise(libc::SIGBUS);
        }
    }

    #[test]
    fn a_fault_that_comes_by_way_of_a_later_handler_is_mended() {
        let Some(status) = alone("a_fault_that_comes_by_way_of_a_later_handler_is_mended") else {
            guard_maps().unwrap();
            let path = file();
            let map = open(&path);
            // Installed while the file is mapped. The file is truncated only after that.
            BEFORE.store(Box::leak(Box::new(current().unwrap())), Ordering::Relaxed);
            // SAFETY: an action without flags. The function does only what is allowed.
            unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                action.sa_sigaction = dumps_and_raises as *const () as usize;
                action.sa_flags = libc::SA_NODEFER | libc::SA_ONSTACK;
                exchange(&action).unwrap();
            }
            cut(&path, page_size());
            assert_eq!([map[0], map[LARGE - 1]], [7, 0]);
            assert!(map.unchanged().is_err());
            drop(map);
            std::fs::remove_file(path).unwrap();
            // A signal raised for other reasons still has its old effect: Rust's own handler removes itself, and the
            // next signal ends the process.
            // SAFETY: signals to this process.
            unsafe {
                libc::raise(libc::SIGBUS);
                libc::raise(libc::SIGBUS);
            }
            unreachable!("ended by the signal");
        };
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGBUS), "{status}");
    }

    /// Makes the handler wait before it places zeros, until this is 0 again or a second has passed.
    static PAUSE: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn pause() {
        let _ = PAUSE.compare_exchange(1, 2, Ordering::SeqCst, Ordering::SeqCst);
        for _ in 0..1000 {
            if PAUSE.load(Ordering::SeqCst) != 2 {
                return;
            }
            // SAFETY: allowed in a handler.
            unsafe { libc::usleep(1000) };
        }
    }

    extern "C" fn does_nothing(_: c_int) {}

    /// A thread drops its map while the handler of another thread is about to place zeros there.
    #[test]
    fn a_map_stays_until_a_handler_on_another_thread_is_done_with_it() {
        let Some(status) = alone("a_map_stays_until_a_handler_on_another_thread_is_done_with_it") else {
            set_handler(does_nothing);
            guard_maps().unwrap();
            let path = file();
            let map = open(&path);
            let start = map.as_ptr().expose_provenance();
            cut(&path, page_size());
            PAUSE.store(1, Ordering::SeqCst);
            std::thread::scope(|scope| {
                // SAFETY: a signal to this thread, as raised by handlers installed over the guard.
                scope.spawn(|| unsafe { libc::raise(libc::SIGBUS) });
                while PAUSE.load(Ordering::SeqCst) != 2 {
                    std::thread::yield_now();
                }
                drop(map);
                // The address is free for others.
                let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
                let wanted = ptr::with_exposed_provenance_mut(start);
                // SAFETY: new pages. Nothing else was mapped there since.
                let bytes = unsafe {
                    let given = libc::mmap(wanted, LARGE, protection, flags, -1, 0);
                    assert_eq!(given, wanted);
                    std::slice::from_raw_parts_mut(given.cast::<u8>(), LARGE)
                };
                bytes.fill(9);
                PAUSE.store(0, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(200));
                assert!(bytes.iter().all(|byte| *byte == 9), "zeros in memory of others");
            });
            return std::fs::remove_file(path).unwrap();
        };
        assert!(status.success(), "{status}");
    }

    /// Zeros are reported even if the file's times show no change, as within one step of the clock.
    #[test]
    fn a_fault_is_noted_with_its_map_alone() {
        guard_maps().unwrap();
        let [path, whole] = ["torn", "whole"].map(|name| {
            let path = std::env::temp_dir().join(format!("meshpeek-{name}-{}", std::process::id()));
            std::fs::write(&path, [7; LARGE]).unwrap();
            path
        });
        let [(map, watched), (other_map, other)] = [&path, &whole].map(|path| {
            let file = File::open(path).unwrap();
            // SAFETY: the bytes are read as numbers only.
            let map = unsafe { memmap2::Mmap::map(&file).unwrap() };
            let watched = Watched::new(&map, &file);
            (map, (watched, file))
        });
        cut(&path, 0);
        assert!(!watched.0.is_torn() && !other.0.is_torn());
        assert_eq!((map[LARGE - 1], other_map[0]), (0, 7));
        assert!(watched.0.is_torn() && !other.0.is_torn());
        drop((watched, other));
        [path, whole].iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }

    #[test]
    fn files_are_read_where_the_guard_is_replaced_again_and_again() {
        let Some(status) = alone("files_are_read_where_the_guard_is_replaced_again_and_again") else {
            guard_maps().unwrap();
            let path = file();
            for time in 1..TIMES + 2 {
                assert_eq!(open(&path).is_mapped(), time <= TIMES, "{time}");
                set_handler(ends_the_process);
            }
            assert!(guard_maps().is_err());
            return std::fs::remove_file(path).unwrap();
        };
        assert!(status.success(), "{status}");
    }

    #[test]
    fn files_are_read_in_a_thread_that_has_the_signal_blocked() {
        let Some(status) = alone("files_are_read_in_a_thread_that_has_the_signal_blocked") else {
            guard_maps().unwrap();
            let path = file();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    // SAFETY: an empty set, one more signal, and the mask of this thread.
                    unsafe {
                        let mut set = MaybeUninit::uninit();
                        libc::sigemptyset(set.as_mut_ptr());
                        libc::sigaddset(set.as_mut_ptr(), libc::SIGBUS);
                        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut());
                    }
                    let copy = open(&path);
                    cut(&path, 0);
                    assert!(!copy.is_mapped() && !are_maps_guarded());
                    assert_eq!(copy[LARGE - 1], 7);
                });
            });
            cut(&path, LARGE);
            assert!(open(&path).is_mapped());
            return std::fs::remove_file(path).unwrap();
        };
        assert!(status.success(), "{status}");
    }

    #[test]
    fn a_fault_leaves_errno_as_it_was() {
        guard_maps().unwrap();
        let path = std::env::temp_dir().join(format!("meshpeek-errno-{}", std::process::id()));
        std::fs::write(&path, [7; LARGE]).unwrap();
        let map = open(&path);
        cut(&path, 0);
        // SAFETY: this thread's own.
        let (byte, kept) = unsafe {
            *errno() = 77;
            (map[0], *errno())
        };
        assert_eq!((byte, kept), (0, 77));
        std::fs::remove_file(path).unwrap();
    }

    /// A process has a maximum number of maps, 65,530 by default. A process that reaches it still gets zeros.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_cut_is_mended_where_no_further_map_can_be_had() {
        let Some(status) = alone("a_cut_is_mended_where_no_further_map_can_be_had") else {
            guard_maps().unwrap();
            let path = file();
            let map = open(&path);
            let page = page_size();
            let most = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
            let most: usize = most.trim().parse().unwrap();
            let other = open(&path);
            // Shared pages, which are not merged.
            let further = || {
                let flags = libc::MAP_SHARED | libc::MAP_ANON;
                // SAFETY: new unused pages.
                unsafe { libc::mmap(ptr::null_mut(), page, libc::PROT_NONE, flags, -1, 0) }
            };
            assert!((0..most + 2).any(|_| further() == libc::MAP_FAILED));
            cut(&path, page);
            // The first page still exists, but cannot be kept.
            let seen = [map[LARGE - 1], map[0], other[0], other[LARGE - 1]];
            assert_eq!(seen, [0, 0, 7, 0]);
            assert!(map.unchanged().is_err());
            return std::fs::remove_file(path).unwrap();
        };
        assert!(status.success(), "{status}");
    }
}
