//! Counts the instructions that each question takes in meshpeek, which a busy machine does not affect.
//!
//! `cargo bench --bench instructions` prints them next to those in `benches/instructions.txt`, and writes them there
//! with `-- --record`; a word after `--` selects questions. Needs valgrind: each question runs in a separate process
//! under callgrind, once to warm up and once to be counted.

// This benchmark does not use ratios and the like.
#[allow(dead_code)]
mod questions;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use questions::harness::{Contender, Examiner};

/// The record: one line for each question, so that a change shows as a change of that line.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");
const HEAD: &str = "\
# Instructions of meshpeek by question: cargo bench --bench instructions -- --record
# They depend on the compiler and the files at hand too: compare counts made on one machine, before and after.
";
/// Questions with threads, and those that others already ask on a small scale.
const LEFT_OUT: [&str; 2] = ["scan:", "growth:"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, text] = arguments.as_slice()
        && flag == "--answer"
    {
        return questions::ask(&mut Answering(text));
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        return eprintln!("counts nothing: there is no valgrind here");
    }
    let word = arguments.iter().find(|argument| !argument.starts_with('-')).map_or("", String::as_str);
    let mut questions = Listing(Vec::new());
    questions::ask(&mut questions);
    let recorded = read_recorded();
    println!("{:>15} {:>15} {:>9}", "recorded", "now", "change");
    let mut counts = BTreeMap::new();
    for text in questions.0 {
        let before = recorded.get(&text);
        if !text.contains(word) {
            counts.extend(before.map(|&before| (text, before)));
            continue;
        }
        let now = count(&text);
        let [before, change] = before.map_or_else(Default::default, |&before| {
            [before.to_string(), format!("{:+.2} %", (now as f64 / before as f64 - 1.0) * 100.0)]
        });
        println!("{before:>15} {now:>15} {change:>9}  {text}");
        counts.insert(text, now);
    }
    if arguments.iter().any(|argument| argument == "--record") {
        let lines: String = counts.iter().map(|(text, count)| format!("{count:>12}  {text}\n")).collect();
        std::fs::write(RECORDED, HEAD.to_owned() + &lines).expect("a writable repository");
    }
}

fn read_recorded() -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(RECORDED).unwrap_or_default();
    let line = |line: &str| {
        let (count, text) = line.trim_start().split_once("  ")?;
        Some((text.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// Asks one question in a process under callgrind.
fn count(text: &str) -> u64 {
    let out = std::env::temp_dir().join(format!("meshpeek-instructions-{}.out", std::process::id()));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted_by_callgrind*"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().expect("this program"))
        .args(["--answer", text])
        .output()
        .expect("valgrind is installed");
    let errors = String::from_utf8_lossy(&output.stderr);
    let count = totals(&out).filter(|_| output.status.success());
    std::fs::remove_file(&out).ok();
    count.unwrap_or_else(|| panic!("{text}: {errors}"))
}

/// Returns the sum that callgrind writes at the end of its file.
fn totals(out: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(out).ok()?;
    text.lines().rev().find_map(|line| line.strip_prefix("totals:"))?.trim().parse().ok()
}

/// Lists the questions without asking any.
struct Listing(Vec<String>);

impl Examiner for Listing {
    fn asks(&mut self, text: &str) -> bool {
        if !LEFT_OUT.iter().any(|start| text.starts_with(start)) {
            self.0.push(text.to_owned());
        }
        false
    }

    fn examine(&mut self, _: &str, _: Vec<Contender<'_>>) {}
}

/// Asks meshpeek one question.
struct Answering<'t>(&'t str);

impl Examiner for Answering<'_> {
    fn asks(&mut self, text: &str) -> bool {
        text == self.0
    }

    fn examine(&mut self, _: &str, mut contenders: Vec<Contender<'_>>) {
        contenders[0].run();
        std::hint::black_box(counted_by_callgrind(&mut contenders[0]));
    }
}

/// Callgrind counts from the call of this function, which it finds by name, to its return.
#[inline(never)]
fn counted_by_callgrind(contender: &mut Contender<'_>) -> u64 {
    contender.run()
}
