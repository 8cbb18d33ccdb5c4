//! Times contenders in turn in one process and prints the ratios.
//!
//! Absolute times vary by machine and by minute. Here all contenders of a question run once in each round, in short
//! turns, so that any disturbance affects all of them. The result is taken from the fastest tenth of the rounds. Time
//! is the CPU time of the process, including system calls. Wall-clock time would include the time of other processes,
//! the more the longer a contender takes.

#[path = "../../tests/it/memory.rs"]
mod memory;

use std::hint::black_box;
use std::time::Duration;

use memory::{Usage, usage_of};
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::questions::harness::{Contender, Examiner};

/// Rounds of each question, after one to warm up; fewer if they would take longer than the limit.
const ROUNDS: u128 = 101;
const AT_LEAST: u128 = 11;
const TIME: Duration = Duration::from_secs(10);
/// Each contender repeats its work in a round up to this much time.
const FILL: Duration = Duration::from_millis(1);

/// The table of all questions.
pub struct Table {
    /// The text that a question must contain to be asked.
    filter: String,
    set: usize,
    met: usize,
}

impl Table {
    /// Prints the head. The first argument that is not an option selects the questions that contain it.
    pub fn new() -> Self {
        let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
        println!(
            "{:<58} {:>11} {:>9} {:>7} {:>8} {:>9} {:>11}",
            "", "us", "ns each", "ratio", "at most", "allocs", "peak bytes"
        );
        Self { filter, set: 0, met: 0 }
    }
}

impl Examiner for Table {
    fn asks(&mut self, text: &str) -> bool {
        text.contains(&self.filter)
    }

    /// A row for each contender, with the ratio of the first one's time to its own.
    fn examine(&mut self, text: &str, mut contenders: Vec<Contender<'_>>) {
        println!("{text}");
        let runs = warm_up(text, &mut contenders);
        let round: Duration = runs.iter().map(|run| run.once * run.repeats).sum();
        let rounds = (TIME.as_nanos() / round.as_nanos()).clamp(AT_LEAST, ROUNDS);
        let mut times = vec![Vec::new(); contenders.len()];
        for _ in 0..rounds {
            for ((contender, run), times) in contenders.iter_mut().zip(&runs).zip(&mut times) {
                let start = time(contender);
                for _ in 0..run.repeats {
                    black_box(contender.run());
                }
                times.push(((time(contender) - start) / run.repeats).as_secs_f64());
            }
        }
        let fastest: Vec<f64> = times.into_iter().map(fastest_tenth).collect();
        for (row, (contender, Run { usage, .. })) in contenders.iter().zip(&runs).enumerate() {
            let ratio = fastest[0] / fastest[row];
            let ratio_text = if row == 0 { String::new() } else { format!("{ratio:.2}") };
            let each =
                contender.items.map_or_else(String::new, |items| format!("{:.1}", fastest[row] * 1e9 / items as f64));
            let target = contender.at_most.map_or_else(String::new, |at_most| {
                self.set += 1;
                self.met += usize::from(ratio <= at_most);
                format!("{at_most:.2}{}", if ratio <= at_most { ' ' } else { '!' })
            });
            println!(
                "  {:<56} {:>11.1} {each:>9} {ratio_text:>7} {target:>8} {:>9} {:>11}",
                contender.name,
                fastest[row] * 1e6,
                usage.allocations,
                usage.peak
            );
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        println!("{} of {} ratios are at most what they should be; the others have a !", self.met, self.set);
    }
}

/// The first run of a contender: its time, how often that fits into a round, and its use of the heap.
struct Run {
    once: Duration,
    repeats: u32,
    usage: Usage,
}

fn warm_up(text: &str, contenders: &mut [Contender<'_>]) -> Vec<Run> {
    let (mut runs, mut answers) = (Vec::new(), Vec::new());
    for contender in contenders {
        let start = time(contender);
        let (sum, usage) = usage_of(|| contender.run());
        let once = (time(contender) - start).max(Duration::from_nanos(50));
        let repeats = (FILL.as_nanos() / once.as_nanos()).clamp(1, 10_000) as u32;
        runs.push(Run { once, repeats, usage });
        if contender.answers {
            answers.push(sum);
        }
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{text}: contenders disagree: {answers:?}");
    runs
}

/// The clock for this work: wall-clock time for threads that work at once.
fn time(contender: &Contender<'_>) -> Duration {
    let clock = if contender.threads { ClockId::Monotonic } else { ClockId::ProcessCPUTime };
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Duration::new(tv_sec as u64, tv_nsec as u32)
}

/// The slowest of the fastest tenth.
fn fastest_tenth(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 10]
}
