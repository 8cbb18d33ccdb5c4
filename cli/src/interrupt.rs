//! Handles Ctrl-C, SIGTERM and SIGHUP. The first signal ends the current work in an orderly way; the second ends the
//! program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use meshpeek::scan::Progress;

use crate::notes::Notes;
use crate::output_file::{self, OutputFile};
use crate::visible::shown;

/// Exit status of an interrupted program, as in a shell.
pub(crate) const STATUS: u8 = 130;

/// The scan that the next signal ends.
static RUNNING: Mutex<Option<Progress>> = Mutex::new(None);

/// True if the same command goes on where this one ends.
static CAN_GO_ON: AtomicBool = AtomicBool::new(false);

/// Starts to listen. Without a running scan, and at the second signal, the program ends at once and leaves no partly
/// written file.
pub(crate) fn listen(notes: Notes) {
    let end = move || {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
        match running {
            Some(scan) => scan.stop(),
            None => {
                output_file::discard();
                match CAN_GO_ON.load(Ordering::Relaxed) {
                    true => notes.error("interrupted; the same command writes the rest"),
                    false => notes.error("interrupted"),
                }
                std::process::exit(STATUS.into());
            }
        }
    };
    // Beyond the largest size of a file, writing then fails instead of ending the program.
    #[cfg(unix)]
    ignore(libc::SIGXFSZ);
    // Without a handler, these signals still end the program, but less cleanly.
    keeping_ignored(|| drop(ctrlc::set_handler(end)));
}

/// Keeps ignoring the signals that the program was started to ignore, as `nohup` and shells do.
#[cfg(unix)]
#[allow(unsafe_code)]
fn keeping_ignored(set_handlers: impl FnOnce()) {
    let is_ignored = |signal: &libc::c_int| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action, the call only fills in the old one, for which there is memory. All of its
        // fields may be zero.
        unsafe {
            libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction == libc::SIG_IGN
        }
    };
    let ignored: Vec<_> = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_ignored).collect();
    set_handlers();
    ignored.into_iter().for_each(ignore);
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn ignore(signal: libc::c_int) {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

#[cfg(not(unix))]
fn keeping_ignored(set_handlers: impl FnOnce()) {
    set_handlers();
}

/// From now on, the first signal ends only this scan. Its results so far are written.
pub(crate) fn ends_scan(scan: &Progress) {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(scan.clone());
}

/// From now on, the next signal ends the program, because no scan is left to end.
pub(crate) fn ends_the_program() {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// From now on, the message of a signal says that the same command does the rest.
pub(crate) fn can_go_on() {
    CAN_GO_ON.store(true, Ordering::Relaxed);
}

/// The exit status, after a message about the state of the results.
pub(crate) fn status(notes: Notes, output: Option<&OutputFile>) -> ExitCode {
    match output {
        Some(file) if file.is_new => notes.error(format_args!("interrupted; {} is not written", shown(&file.path))),
        Some(file) => notes.error(format_args!("interrupted; {} is left as it was", shown(&file.path))),
        None => notes.error("interrupted"),
    }
    ExitCode::from(STATUS)
}
