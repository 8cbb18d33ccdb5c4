use super::super::{Access, FileMap, are_maps_guarded, guard_maps};
use super::slots::Watched;
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
fn a_handler_set_over_the_guard_is_called_after_it_when_a_file_is_opened() {
    let Some(status) = alone("a_handler_set_over_the_guard_is_called_after_it_when_a_file_is_opened") else {
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
