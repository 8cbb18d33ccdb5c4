//! What a person sees while a scan runs.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use meshpeek::scan::Scan;

use crate::notes::Notes;
use crate::output::Failure;
use crate::report;

/// How often the line is drawn anew.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` beside a line on standard error, where that is a terminal and the person wants to be told. With
/// `measure`, a walk of its own finds out how much there is.
pub(crate) fn beside<T>(
    scan: &Scan,
    measure: bool,
    notes: Notes,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    if notes.is_quiet() || !std::io::stderr().is_terminal() {
        return work();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| draw(scan, measure, &done));
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

fn draw(scan: &Scan, measure: bool, done: &AtomicBool) {
    let bar = ProgressBar::new_spinner();
    let count_along = || {
        let progress = &scan.progress;
        bar.set_position(progress.bytes());
        bar.set_message(format!(
            "{} in {}",
            report::count(progress.assets(), "asset"),
            report::count(progress.files(), "file")
        ));
    };
    // Before the first frame is drawn, which a style does.
    count_along();
    bar.set_style(style("{spinner} {msg}{seen}"));
    std::thread::scope(|threads| {
        if measure {
            // How much there is takes a walk of its own, so the time left is told once that is over.
            threads.spawn(|| {
                if let Ok((files, bytes)) = scan.measure()
                    && !scan.progress.is_stopped()
                {
                    bar.set_length(bytes.max(1));
                    bar.set_prefix(report::grouped(files));
                    bar.set_style(style("{wide_bar} {msg} of {prefix}{seen}{left}"));
                }
            });
        }
        while !done.load(Ordering::Relaxed) {
            count_along();
            bar.tick();
            std::thread::sleep(TICK);
        }
        // Ends the walk that measures, if it still goes on.
        scan.progress.stop();
    });
    bar.finish_and_clear();
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    // Nothing is told before it is known. Writing into a line cannot fail.
    style
        .with_key("seen", |state: &ProgressState, line: &mut dyn Write| {
            if state.pos() > 0 {
                let (seen, speed) = (bytes(state.pos() as f64), bytes(state.per_sec()));
                let _ = match state.len() {
                    Some(all) => write!(line, ", {seen} of {} ({speed}/s)", bytes(all as f64)),
                    None => write!(line, ", {seen} ({speed}/s)"),
                };
            }
        })
        .with_key("left", |state: &ProgressState, line: &mut dyn Write| {
            if state.pos() > 0 {
                let _ = write!(line, ", {} left", HumanDuration(state.eta()));
            }
        })
}

fn bytes(number: f64) -> indicatif::HumanBytes {
    indicatif::HumanBytes(number as u64)
}
