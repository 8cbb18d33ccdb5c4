//! Ctrl-C: the first ends what is under way in good order, the second ends the program.

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use meshpeek::scan::Progress;

use crate::notes::Notes;
use crate::output_file;
use crate::visible::shown;

/// Exit status of a program that was interrupted, as a shell would give it.
pub(crate) const STATUS: u8 = 130;

/// The scan that the next Ctrl-C ends.
static RUNNING: Mutex<Option<Progress>> = Mutex::new(None);

/// Listens from now on. Where no scan runs, and at the second time, the program ends at once and leaves nothing half
/// written behind.
pub(crate) fn listen(notes: Notes) {
    let end = move || {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
        match running {
            Some(scan) => scan.stop(),
            None => {
                output_file::discard();
                notes.error("interrupted");
                std::process::exit(STATUS.into());
            }
        }
    };
    // Without a handler Ctrl-C still ends the program, only less cleanly.
    let _ = ctrlc::set_handler(end);
}

/// The first Ctrl-C from now on ends this scan only: what it has found is written out.
pub(crate) fn ends_scan(scan: &Progress) {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(scan.clone());
}

/// The next Ctrl-C ends the program, no scan being left to end.
pub(crate) fn ends_the_program() {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// The status to end with, after saying what became of the results.
pub(crate) fn status(notes: Notes, output: Option<&Path>) -> ExitCode {
    match output {
        Some(path) => notes.error(format_args!("interrupted; {} is left as it was", shown(path))),
        None => notes.error("interrupted"),
    }
    ExitCode::from(STATUS)
}
