//! Questions with several contenders, timed in turn in one process and told as ratios.
//!
//! Absolute times change from machine to machine and from minute to minute. Here all contenders of a question run once
//! a round, in short turns, so that whatever disturbs one disturbs all, and what counts is the fastest tenth of the
//! rounds: on a busy machine the median tells how long others had the processor.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::memory::{Usage, usage_of};

/// Rounds of each question, after one to warm up.
const ROUNDS: usize = 101;
/// Each contender repeats its work in a round until this much time is filled.
const FILL: Duration = Duration::from_millis(1);

/// One way to answer a question.
pub struct Contender<'w> {
    name: &'static str,
    /// Returns a checksum, the same for all that answer.
    work: Box<dyn FnMut() -> u64 + 'w>,
    answers: bool,
    at_most: Option<f64>,
}

impl Contender<'_> {
    /// Sets the ratio of the first contender's time to this one's that it is to keep to.
    pub fn at_most(self, ratio: f64) -> Self {
        Self { at_most: Some(ratio), ..self }
    }
}

/// A contender that answers the question.
pub fn contender<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { name, work: Box::new(work), answers: true, at_most: None }
}

/// Work that does not answer the question, but shows what the machine takes for something like it.
pub fn measure<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { answers: false, ..contender(name, work) }
}

/// The table of all questions.
pub struct Table {
    /// What a question's text has to contain to be asked.
    filter: String,
    set: usize,
    met: usize,
}

impl Table {
    /// Prints the head. The first argument that is no option picks the questions that contain it.
    pub fn new() -> Self {
        let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
        println!("{:<58} {:>11} {:>7} {:>8} {:>9} {:>11}", "", "us", "ratio", "at most", "allocs", "peak bytes");
        Self { filter, set: 0, met: 0 }
    }

    /// Asks one question: a row for each contender, with the ratio of the first one's time to its own.
    pub fn question(&mut self, text: &str, mut contenders: Vec<Contender<'_>>) {
        if !text.contains(&self.filter) {
            return;
        }
        println!("{text}");
        let (repeats, usages) = warm_up(text, &mut contenders);
        let mut times = vec![Vec::with_capacity(ROUNDS); contenders.len()];
        for _ in 0..ROUNDS {
            for ((contender, repeats), times) in contenders.iter_mut().zip(&repeats).zip(&mut times) {
                let start = Instant::now();
                for _ in 0..*repeats {
                    black_box((contender.work)());
                }
                times.push((start.elapsed() / *repeats).as_secs_f64());
            }
        }
        let fastest: Vec<f64> = times.into_iter().map(fastest_tenth).collect();
        for (row, (contender, usage)) in contenders.iter().zip(&usages).enumerate() {
            let ratio = fastest[0] / fastest[row];
            let ratio_text = if row == 0 { String::new() } else { format!("{ratio:.2}") };
            let target = contender.at_most.map_or_else(String::new, |at_most| {
                self.set += 1;
                self.met += usize::from(ratio <= at_most);
                format!("{at_most:.2}{}", if ratio <= at_most { ' ' } else { '!' })
            });
            println!(
                "  {:<56} {:>11.1} {ratio_text:>7} {target:>8} {:>9} {:>11}",
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

/// Runs each contender once: how often it fits into a round, and what it takes of the heap.
fn warm_up(text: &str, contenders: &mut [Contender<'_>]) -> (Vec<u32>, Vec<Usage>) {
    let (mut repeats, mut usages, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for contender in contenders {
        let start = Instant::now();
        let (sum, usage) = usage_of(&mut contender.work);
        let once = start.elapsed().max(Duration::from_nanos(50));
        repeats.push((FILL.as_nanos() / once.as_nanos()).clamp(1, 10_000) as u32);
        usages.push(usage);
        if contender.answers {
            answers.push(sum);
        }
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{text}: contenders disagree: {answers:?}");
    (repeats, usages)
}

/// The slowest of the fastest tenth.
fn fastest_tenth(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 10]
}
