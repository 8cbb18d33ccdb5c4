//! The progress display of a scan.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use meshpeek::scan::{Progress, Scan};

use crate::failure::Failure;
use crate::notes::Notes;
use crate::report;

const TICK: Duration = Duration::from_millis(100);
/// Nothing is drawn before this.
const FIRST: Duration = Duration::from_millis(300);

/// Runs `work` and shows a line on standard error, if that is a terminal and the user wants it. With `measure`, a
/// separate walk measures the total.
pub(crate) fn beside<T>(
    scan: &Scan,
    measure: bool,
    notes: Notes,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    if notes.quiet || !std::io::stderr().is_terminal() {
        return work();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let line = threads.spawn(|| draw(scan, measure, &done));
        let result = work();
        done.store(true, Ordering::Relaxed);
        line.thread().unpark();
        result
    })
}

/// Draws only after some time, so that short runs do not flicker.
fn draw(scan: &Scan, measure: bool, done: &AtomicBool) {
    let start = Instant::now();
    let bar = ProgressBar::new_spinner().with_style(style("{spinner} {msg}{seen}"));
    // The total needs a separate walk, so the remaining time is shown once that is over.
    let measured = OnceLock::new();
    std::thread::scope(|threads| {
        if measure {
            threads.spawn(|| measured.set(scan.measure()));
        }
        // The end of the walk wakes this thread too.
        while start.elapsed() < FIRST && !done.load(Ordering::Relaxed) {
            std::thread::park_timeout(FIRST.saturating_sub(start.elapsed()));
        }
        while !done.load(Ordering::Relaxed) {
            let progress = &scan.progress;
            let mut all = None;
            if let Some(Ok(measured)) = measured.get()
                && !progress.is_stopped()
            {
                all = Some(*measured);
            }
            bar.set_message(message(progress, all));
            if let Some((_, bytes)) = all
                && bar.length().is_none()
            {
                bar.set_style(style("{wide_bar} {msg}{seen}{left}"));
                bar.set_length(bytes.max(1));
            }
            bar.set_position(progress.bytes().min(bar.length().unwrap_or(u64::MAX)));
            bar.tick();
            std::thread::park_timeout(TICK);
        }
        // Ends the measuring walk, if it is still running.
        scan.progress.stop();
    });
    bar.finish_and_clear();
}

/// The assets and files so far, and the number of all files once the total is known.
fn message(progress: &Progress, all: Option<(u64, u64)>) -> String {
    let assets = report::count(progress.assets(), "assets");
    let Some((all, _)) = all else {
        return format!("{assets}, {}", report::count(progress.files(), "files"));
    };
    // More may have come since.
    let seen = report::grouped(progress.files().min(all));
    format!("{assets}, {seen} of {}", report::count(all, "files"))
}

/// Returns the style of a template, which may have the keys `seen` and `left`.
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.with_key("seen", write_seen).with_key("left", write_left)
}

/// Writes the bytes seen so far, once there are some. Writing into a line cannot fail.
fn write_seen(state: &ProgressState, line: &mut dyn Write) {
    if state.pos() == 0 {
        return;
    }
    let _ = match state.len() {
        Some(all) => write!(line, ", {} of {}", HumanBytes(state.pos()), HumanBytes(all)),
        None => write!(line, ", {}", HumanBytes(state.pos())),
    };
}

/// Writes the time left, once it can be estimated. Writing into a line cannot fail.
fn write_left(state: &ProgressState, line: &mut dyn Write) {
    if state.pos() > 0 {
        let _ = write!(line, ", {:#} left", HumanDuration(state.eta()));
    }
}
