//! What a person sees while a scan runs, and Ctrl-C.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use meshpeek::scan::Scan;

use crate::output::{Failure, Notes};

/// How often the line is drawn anew.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` beside a line on standard error, where that is a terminal and the person wants to be told. Ctrl-C ends
/// the scan; what was found until then is written out.
pub(crate) fn beside<T>(scan: &Scan, notes: Notes, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let stop = scan.progress.clone();
    // Without a handler Ctrl-C still ends the program, only less cleanly.
    let _ = ctrlc::set_handler(move || stop.stop());
    if notes.is_quiet() || !std::io::stderr().is_terminal() {
        return work();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| draw(scan, &done));
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

fn draw(scan: &Scan, done: &AtomicBool) {
    let line = |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(line("{spinner} {msg}, {bytes} ({bytes_per_sec}), {elapsed}"));
    std::thread::scope(|threads| {
        // How much there is takes a walk of its own, so the time left is told once that is over.
        threads.spawn(|| {
            if let Ok((files, bytes)) = scan.measure()
                && !scan.progress.is_stopped()
            {
                bar.set_length(bytes.max(1));
                bar.set_prefix(files.to_string());
                bar.set_style(line(
                    "{wide_bar} {msg} of {prefix}, {bytes} of {total_bytes} ({bytes_per_sec}), {eta} left",
                ));
            }
        });
        while !done.load(Ordering::Relaxed) {
            let progress = &scan.progress;
            bar.set_position(progress.bytes());
            bar.set_message(format!("{} assets in {} files", progress.assets(), progress.files()));
            bar.tick();
            std::thread::sleep(TICK);
        }
        // Ends the walk that measures, if it still goes on.
        scan.progress.stop();
    });
    bar.finish_and_clear();
}
