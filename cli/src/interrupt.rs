//! Handles Ctrl-C, SIGTERM and SIGHUP. The first signal ends the current work in an orderly way; the second ends the
//! program.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use meshpeek::scan::Progress;

use crate::lock::lock;
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
    // Beyond the largest size of a file, writing then fails instead of ending the program.
    #[cfg(unix)]
    ignore(libc::SIGXFSZ);
    // Without a handler, these signals still end the program, but less cleanly.
    keeping_ignored(|| drop(ctrlc::set_handler(move || end(notes))));
}

/// Ends the running scan, or the program if there is none.
fn end(notes: Notes) {
    let running = lock(&RUNNING).take();
    if let Some(scan) = running {
        scan.stop();
        return;
    }
    output_file::discard();
    match CAN_GO_ON.load(Ordering::Relaxed) {
        true => notes.error("interrupted; the same command writes the rest"),
        false => notes.error("interrupted"),
    }
    std::process::exit(STATUS.into());
}

/// Keeps ignoring the signals that the program was started to ignore, as `nohup` and shells do.
#[cfg(unix)]
fn keeping_ignored(set_handlers: impl FnOnce()) {
    let mut ignored = Vec::new();
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        if is_ignored(signal) {
            ignored.push(signal);
        }
    }
    set_handlers();
    for signal in ignored {
        ignore(signal);
    }
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action, the call only fills in the old one, for which there is memory. All of its fields
    // may be zero.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
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
    *lock(&RUNNING) = Some(scan.clone());
}

/// From now on, the next signal ends the program, because no scan is left to end.
pub(crate) fn ends_the_program() {
    lock(&RUNNING).take();
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
