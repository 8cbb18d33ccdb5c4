//! The path of every problem that `verify` prints leads `hex` to the place of the problem. The module `constraints` tests
//! the paths of files that break one constraint each.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Stdio;

use meshpeek::inspect::Selector;
use rayon::prelude::*;
use serde_json::Value as Json;

use crate::support::files::{outside, root};
use crate::support::program::{lines, program, stderr};

/// The number of problems tried for each asset. Some files have a problem in each of thousands of members.
const MOST: usize = 5;

/// The number of bytes read of what `hex` prints.
const READ: u64 = 1 << 16;

/// Folders with the project's damaged files and those of other people. Their packed files, which only cost time, are
/// left out.
fn folders() -> Vec<PathBuf> {
    let others = outside().map(|folder| folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect());
    let others: Vec<PathBuf> = others.unwrap_or_default();
    let others = others.into_iter().filter(|path| path.is_dir() && !path.ends_with("killers"));
    others.chain([root().join("corpus/hostile")]).collect()
}

/// The answer of `hex`: the offsets of its lines, and its standard error.
struct Shown {
    first: u64,
    /// After the last line. Unknown if there is much to show.
    end: Option<u64>,
    has_gap: bool,
    said: String,
}

fn shown(address: &str, path: &str) -> Result<Shown, String> {
    let mut hex = program();
    let hex = hex.args(["hex", address, path]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = hex.spawn().unwrap();
    let mut text = Vec::new();
    child.stdout.take().unwrap().take(READ).read_to_end(&mut text).unwrap();
    let (text, is_whole) = (String::from_utf8_lossy(&text), (text.len() as u64) < READ);
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    // Each line of bytes starts with its offset in eight digits.
    let offset = |line: &str| {
        let (digits, _) = line.split_once("  ")?;
        u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 8)
    };
    let offsets: Vec<u64> = text.lines().filter_map(offset).collect();
    let (Some(first), Some(last)) = (offsets.iter().min(), offsets.iter().max()) else {
        return Err(format!("{:?}: {said}", output.status.code()));
    };
    if is_whole && !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("{:?}: {said}", output.status.code()));
    }
    let end = is_whole.then_some(last + 16);
    Ok(Shown { first: *first, end, has_gap: text.contains("gap cannot be read"), said })
}

/// Returns true if the path leads to the place of the problem: to bytes with its offset, to a table that is packed,
/// to bytes that cannot be read because of it, or to a part that is described elsewhere, in a directory or a table of
/// LODs.
fn leads(shown: &Shown, path: &str, offset: Option<u64>) -> bool {
    let is_inside = |offset: u64| shown.first <= offset && shown.end.is_none_or(|end| offset <= end);
    let (list, item) = path.split_once('[').unwrap_or((path, ""));
    let is_described_elsewhere = ["members", "entries", "lods"].contains(&list) && item.ends_with(']');
    offset.is_some_and(is_inside) || shown.said.contains("is packed in") || shown.has_gap || is_described_elsewhere
}

/// Returns what is wrong with the paths of an asset's problems, and how many there are.
fn faults(record: &Json) -> (Vec<String>, usize) {
    let path = record["path"].as_str().unwrap();
    let address = record["member"].as_str().map_or_else(|| path.to_owned(), |member| format!("{path}!/{member}"));
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for problem in record["problems"].as_array().unwrap().iter().take(MOST) {
        let message = problem["message"].as_str().unwrap();
        let Some((path, _)) = message.split_once(": ") else { continue };
        let path = path.split_once(" (").map_or(path, |(path, _)| path);
        if path.contains(' ') || path.parse::<Selector>().is_err() {
            continue;
        }
        tried += 1;
        // A member that cannot be decoded has the problem of its archive.
        let archive = address.rsplit_once("!/").map(|(archive, _)| archive).filter(|_| path.starts_with("members["));
        match shown(&address, path).or_else(|error| archive.map_or(Err(error), |archive| shown(archive, path))) {
            Err(error) => wrong.push(format!("{address}: {message}: {error}")),
            Ok(shown) if leads(&shown, path, problem["offset"].as_u64()) => {}
            Ok(Shown { first, end, .. }) => {
                let offset = &problem["offset"];
                wrong.push(format!("{address}: {message}: at {offset}, hex shows {first} to {end:?}"));
            }
        }
    }
    (wrong, tried)
}

#[test]
fn each_path_of_a_problem_leads_to_its_place() {
    let output = program().args(["verify", "-q", "--format", "ndjson"]).args(folders()).output().unwrap();
    let mut records = lines(&output);
    let problems = |record: &Json| record["problems"].as_array().map_or(0, Vec::len);
    records.retain(|record| problems(record) > 0);
    // Of an archive, only the first members with problems.
    let (mut file, mut seen) = (Json::Null, 0);
    records.retain(|record| {
        seen = if record["path"] == file { seen + 1 } else { 0 };
        file = record["path"].clone();
        seen < MOST
    });
    let found: Vec<(Vec<String>, usize)> = records.par_iter().map(faults).collect();
    let tried: usize = found.iter().map(|(_, tried)| tried).sum();
    let wrong: Vec<_> = found.into_iter().flat_map(|(wrong, _)| wrong).collect();
    println!("{tried} paths");
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 200, "{tried}");
}
