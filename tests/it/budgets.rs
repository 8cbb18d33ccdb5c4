//! The cost of any bytes: at most 200 milliseconds, and memory of twice the file's size and 32 megabytes.
//!
//! The usual run tries some of the cases. To run all of them, in a release build with overflow checks:
//!
//! ```sh
//! MESHPEEK_FULL=1 cargo test --profile full --workspace --all-features budgets
//! ```

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use meshpeek::summary::{Problem, Problems};
use meshpeek::{Asset, Format, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::files::{files, full};
use crate::support::mutate::{Random, Source, altered};
use crate::{any, writer};

const TIME: Duration = Duration::from_millis(200);

/// Parses, summarizes and verifies these bytes. Returns the problems, if they open.
fn look(bytes: &[u8]) -> Option<Vec<Problem>> {
    let limits = Limits::default();
    let asset = Asset::parse_with(bytes, &limits).ok()?;
    let summary = asset.summarize();
    let mut problems = Problems::new(&limits);
    asset.verify(&mut problems);
    let problems = problems.into_vec();
    assert!(summary.problems.is_empty() || !problems.is_empty(), "verify misses {:?}", summary.problems);
    Some(problems)
}

/// Does the same within the budget.
fn within_budget(bytes: &[u8], what: impl Fn() -> String) -> Option<Vec<Problem>> {
    let start = Instant::now();
    let (found, usage) = usage_of(|| look(bytes));
    let mut time = start.elapsed();
    // On a busy machine, wall-clock time includes other processes.
    for _ in 0..5 {
        if time > TIME {
            let start = Instant::now();
            look(bytes);
            time = time.min(start.elapsed());
        }
    }
    assert!(time <= TIME, "{} takes {time:?}", what());
    let most = 2 * bytes.len() + (32 << 20);
    assert!(usage.peak <= most as i64, "{} of {} bytes takes memory: {usage:?}", what(), bytes.len());
    found
}

/// All files with one of these extensions.
fn files_of(endings: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let wanted = |path: &Path| path.extension().and_then(OsStr::to_str).is_some_and(|ending| endings.contains(&ending));
    let files: Vec<_> = files().into_iter().filter(|(path, _)| wanted(path)).collect();
    assert!(!files.is_empty());
    files
}

/// The lengths to cut a file to: all up to 64 kB, then 2,000 spread over the rest.
fn lengths(size: usize) -> Vec<usize> {
    let (all, spread) = if full() { (64 << 10, 2000) } else { (1 << 10, 200) };
    let step = (size.saturating_sub(all) / spread).max(1);
    (0..size.min(all)).chain((all..size).step_by(step)).collect()
}

/// Returns true if a cut leaves a valid file: it is between sibling chunks, or removes an archive's checksum.
fn is_a_whole_file(cut: &[u8]) -> bool {
    if writer::pbo::is_whole_without_checksum(cut) {
        return true;
    }
    // A signature up to the end of its key is a key.
    let is_key = Format::sniff(cut) == Some(Format::Bikey) && look(cut).is_some_and(|problems| problems.is_empty());
    is_key || ends_after_a_chunk(cut)
}

/// Returns true for a LODka3D model that ends where one of its outermost chunks does.
fn ends_after_a_chunk(cut: &[u8]) -> bool {
    if meshpeek::lodka::Model::parse(cut).is_err() {
        return false;
    }
    let mut rest = &cut[8..];
    while let Some((head, after)) = rest.split_first_chunk::<12>() {
        let size = i32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let Some(left) = usize::try_from(size).ok().and_then(|size| after.get(size..)) else { return false };
        rest = left;
    }
    rest.is_empty()
}

fn cut_anywhere(endings: &[&str]) {
    let limits = Limits::default();
    for (path, bytes) in files_of(endings) {
        let sound = !path.starts_with("corpus/hostile");
        for length in lengths(bytes.len()) {
            let cut = &bytes[..length];
            let Some(problems) = within_budget(cut, || format!("{} cut at {length}", path.display())) else { continue };
            let noticed = !problems.is_empty() || is_a_whole_file(cut);
            assert!(!sound || noticed, "{} cut at {length} is not noticed", path.display());
            if length % 17 == 0 {
                any::walk(&Asset::parse(cut).unwrap(), cut, &limits);
            }
        }
    }
}

fn bent_anyhow(endings: &[&str], ask: fn(&[u8])) {
    let count = if full() { 20_000 } else { 1_000 };
    // In the usual run, large files would take most of the time.
    let largest = if full() { usize::MAX } else { 64 << 10 };
    let files = files_of(endings).into_iter().map(|(_, bytes)| bytes).filter(|bytes| bytes.len() <= largest);
    let sources: Vec<_> = files.map(Source::new).collect();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..count {
        let (source, other) = (random.below(sources.len()), random.below(sources.len()));
        let bytes = sources[source].mutated(&sources[other], &mut random);
        within_budget(&bytes, || format!("{} {round}", endings[0]));
        if round % 8 == 0 {
            ask(&bytes);
        }
    }
}

fn three_bytes_altered(endings: &[&str]) {
    let files = files_of(endings);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..1000 {
        let (path, bytes) = &files[round % files.len()];
        let bytes = altered(bytes, 3, &mut random);
        within_budget(&bytes, || format!("{} {round}", path.display()));
        any::run(&bytes[..bytes.len().min(1 << 16)]);
    }
}

fn model(bytes: &[u8]) {
    crate::mlod::fuzz::run(bytes);
    crate::fuzz_odol::run(bytes);
}

fn binary(bytes: &[u8]) {
    crate::rap::fuzz::run(bytes);
    crate::texheaders::fuzz::run(bytes);
}

macro_rules! budgets {
    ($($format:ident $($ending:literal)* => $ask:path;)*) => {$(
        mod $format {
            #[test]
            fn every_truncation_is_noticed_within_the_budget() {
                super::cut_anywhere(&[$($ending),*]);
            }

            #[test]
            fn mutations_stay_within_the_budget() {
                super::bent_anyhow(&[$($ending),*], $ask);
            }

            #[test]
            fn a_thousand_files_with_three_altered_bytes_stay_within_the_budget() {
                super::three_bytes_altered(&[$($ending),*]);
            }
        }
    )*};
}

// The assertions of the format's fuzz target must hold too.
budgets! {
    b3d "b3d" => crate::fuzz_b3d::run;
    bisign "bikey" "bisign" => crate::bisign::fuzz::run;
    bmx "bmx" => crate::any::run;
    lodka "lod" => crate::fuzz_lodka::run;
    p3d "p3d" => super::model;
    paa "paa" "pac" => crate::paa::fuzz::run;
    pbo "pbo" => crate::pbo::fuzz::run;
    bin "bin" "rvmat" => super::binary;
    rtm "rtm" => crate::fuzz_rtm::run;
    zip "zip" => crate::zip::fuzz::run;
}
