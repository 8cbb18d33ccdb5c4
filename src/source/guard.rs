//! The SIGBUS handler. It may interrupt any code, so it takes no lock and allocates no memory.

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, transmute};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

mod slots;
#[cfg(test)]
mod tests;
mod zeros;

#[cfg(all(feature = "scan", target_os = "linux"))]
pub(super) use slots::are_mapped;
pub(super) use slots::{Watched, is_torn};
pub(super) use zeros::page_size;

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

/// Returns true if a handler was ever installed.
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
        zeros::prepare();
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
    // Other code may have set another action since `expected` was read. A handler may be reading that one, so it is not
    // freed.
    if (found.sa_sigaction, found.sa_flags) != (expected.sa_sigaction, expected.sa_flags) {
        place.store(Box::leak(Box::new(found)), Ordering::Release);
    }
    USED.store(used.saturating_add(1), Ordering::Relaxed);
    Ok(())
}

/// Returns the action for SIGBUS.
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

/// Returns true if the action calls one of these handlers.
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

/// Replaces the lost part of a map of this crate with zeros. Passes any other signal on to the action that this handler
/// replaced, at index `TIME` of [`FOUND`].
extern "C" fn on_bus_error<const TIME: usize>(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let errno = errno();
    // SAFETY: a handler with SA_SIGINFO receives a complete record, which has an address for this signal. errno is this
    // thread's own.
    let (code, address, kept) = unsafe { ((*info).si_code, (*info).si_addr().addr(), *errno) };
    let is_mended = if is_lost_page(code) {
        zeros::mend(address)
    } else {
        // A handler that was installed over this one may have raised the signal again, without the address.
        // SAFETY: a sent signal has its sender in the record. getpid is allowed in a handler.
        let is_own = code <= 0 && unsafe { (*info).si_pid() == libc::getpid() };
        is_own && zeros::mend_cut_files()
    };
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

/// Does what the replaced action would have done. `code` says where the signal comes from: above 0 from the kernel.
fn pass_on(found: &libc::sigaction, code: c_int, signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let action = found.sa_sigaction;
    match action {
        libc::SIG_IGN if code <= 0 => {}
        // A fault cannot be ignored: it would occur again.
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
