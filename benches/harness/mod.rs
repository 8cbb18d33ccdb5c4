//! Questions with several contenders, timed in turn in one process and told as ratios.
//!
//! Absolute times change from machine to machine and from minute to minute. Here all contenders of a question run once
//! a round, so that whatever disturbs one disturbs all, and the medians are compared.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Rounds of each question, after one to warm up.
const ROUNDS: usize = 31;
/// Each contender repeats its work in a round until this much time is filled.
const FILL: Duration = Duration::from_millis(4);

/// One way to answer a question: its name and its work, which returns a checksum.
pub struct Contender<'w> {
    pub name: &'static str,
    pub work: Box<dyn FnMut() -> u64 + 'w>,
}

pub fn contender<'w>(name: &'static str, work: impl FnMut() -> u64 + 'w) -> Contender<'w> {
    Contender { name, work: Box::new(work) }
}

/// Prints the medians of all contenders, as ratios to the first. All must come to the same checksum.
pub fn question(text: &str, mut contenders: Vec<Contender<'_>>) {
    let mut repeats = Vec::new();
    let mut sums = Vec::new();
    for contender in &mut contenders {
        let start = Instant::now();
        sums.push((contender.work)());
        let once = start.elapsed().max(Duration::from_nanos(50));
        repeats.push((FILL.as_nanos() / once.as_nanos()).clamp(1, 10_000) as u32);
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{text}: contenders disagree: {sums:?}");
    let mut times = vec![Vec::with_capacity(ROUNDS); contenders.len()];
    for _ in 0..ROUNDS {
        for ((contender, repeats), times) in contenders.iter_mut().zip(&repeats).zip(&mut times) {
            let start = Instant::now();
            for _ in 0..*repeats {
                black_box((contender.work)());
            }
            times.push(start.elapsed() / *repeats);
        }
    }
    println!("\n{text}");
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    for (contender, time) in contenders.iter().zip(&medians) {
        let ratio = time.as_secs_f64() / medians[0].as_secs_f64();
        println!("  {:<44} {:>12.1} us {ratio:>8.2}", contender.name, time.as_secs_f64() * 1e6);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The files of a folder of other people's files, else of the project's own.
pub fn files(folder: &str, extension: &str) -> Vec<std::path::PathBuf> {
    let outside =
        std::env::var_os("MESHPEEK_CORPUS").map_or_else(|| "../shared/corpus".into(), std::path::PathBuf::from);
    let folder = [outside.join(folder), std::path::Path::new("corpus").join(folder)].into_iter().find(|f| f.is_dir());
    let folder = folder.expect("the project's own corpus is there");
    println!("files of {}", folder.display());
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == extension));
    files.sort();
    files
}
