//! The rows: which are requested, how often they are measured, and how they are printed.

use super::measure;
use super::programs::program;
use std::path::Path;
use std::process::Command;

/// The requested rows.
pub struct Rows {
    words: Vec<String>,
    rounds: usize,
}

impl Rows {
    /// All rows, or those that start with one of these words and a colon.
    pub fn new(words: Vec<String>, rounds: usize) -> Self {
        assert!(rounds > 0, "at least one round");
        println!("| the program | compared with | ratio | least to most | wanted | s | s, compared |");
        println!("| --- | --- | --- | --- | --- | --- | --- |");
        Self { words, rounds }
    }

    /// Returns true if the rows that start with this word are requested.
    pub fn has(&self, word: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|asked| asked == word)
    }

    /// Measures both sides in turn, and prints the median of their ratio.
    pub fn row(&self, row: &Row<'_>, ours: impl Fn() -> f64, theirs: impl Fn() -> f64) {
        if !self.has(row.word()) {
            return;
        }
        // Files that were just written are slower.
        ours();
        let (mut ratios, mut our_times, mut their_times) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..self.rounds {
            // Neither side is always the first.
            let (our_time, their_time) = if round % 2 == 0 {
                let our_time = ours();
                (our_time, theirs())
            } else {
                let their_time = theirs();
                (ours(), their_time)
            };
            ratios.push(our_time / their_time);
            our_times.push(our_time);
            their_times.push(their_time);
        }
        let [least, median, most] = spread(ratios);
        let [[_, ours, _], [_, theirs, _]] = [spread(our_times), spread(their_times)];
        let ratio = row.marked(median, &format!("{median:.3}"));
        let Row { name, compared, .. } = row;
        println!(
            "| {name} | {compared} | {ratio} | {least:.3} to {most:.3} | {} | {ours:.3} | {theirs:.3} |",
            row.wanted()
        );
    }

    /// The CPU time of two programs.
    pub fn programs(&self, row: &Row<'_>, ours: impl Fn() -> Command, theirs: impl Fn() -> Command) {
        self.row(row, || measure::cpu(&mut ours()), || measure::cpu(&mut theirs()));
    }

    /// The same with another project's program, which may be missing. Its package is named so that one can install it.
    pub fn peer(&self, row: &Row<'_>, ours: impl Fn() -> Command, theirs: impl Fn() -> Command, package: &str) {
        if self.has(row.word()) && !super::programs::is_there(theirs().get_program()) {
            return self.skip(row, &format!("the package {package} is not installed"));
        }
        self.programs(row, ours, theirs);
    }

    /// Says why a row is not measured.
    pub fn skip(&self, row: &Row<'_>, reason: &str) {
        println!("| {} | {} | not measured: {reason} | | {} | | |", row.name, row.compared, row.wanted());
    }

    /// The wall-clock time of two jobs, compared with that of one.
    pub fn jobs(&self, row: &Row<'_>, words: &[&str], path: &Path) {
        let wall = |jobs| measure::wall(program(words, jobs).arg(path));
        self.row(row, || wall("2"), || wall("1"));
    }

    /// The peak of a program's memory, in units of a million bytes.
    pub fn peak(&self, row: &Row<'_>, command: &Command) {
        if self.has(row.word()) {
            let peaks = (0..self.rounds.min(3)).map(|_| measure::peak(command) / 1e6).collect();
            let [least, median, most] = spread(peaks);
            let peak = row.marked(median, &format!("{median:.0} MB"));
            println!("| {} | | {peak} | {least:.0} to {most:.0} | {} | | |", row.name, row.wanted());
        }
    }
}

/// The name of a row, what it is compared with, and the most that is wanted.
pub struct Row<'r> {
    name: &'r str,
    compared: &'r str,
    wanted: Option<f64>,
}

impl<'r> Row<'r> {
    pub fn new(name: &'r str, compared: &'r str) -> Self {
        Self { name, compared, wanted: None }
    }

    pub fn at_most(self, wanted: f64) -> Self {
        Self { wanted: Some(wanted), ..self }
    }

    /// The word before the colon, by which one requests a row.
    fn word(&self) -> &'r str {
        self.name.split(':').next().unwrap_or_default()
    }

    fn wanted(&self) -> String {
        self.wanted.map(|wanted| wanted.to_string()).unwrap_or_default()
    }

    /// The text of a value; bold if it is more than wanted.
    fn marked(&self, value: f64, text: &str) -> String {
        match self.wanted {
            Some(wanted) if value > wanted => format!("**{text}**"),
            _ => text.to_owned(),
        }
    }
}

/// The least, the median and the most.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2], values[values.len() - 1]]
}
