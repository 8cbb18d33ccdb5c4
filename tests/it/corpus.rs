//! Assertions for every file: the project's own in `corpus/`, and those of other people if they are available.
//!
//! `MESHPEEK_BLESS=1` rewrites `corpus/` from the writers, and its golden records from the results. `MESHPEEK_CORPUS`
//! names the folder of other people's files; otherwise it is expected next to the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshpeek::scan::{Depth, Record, Scan, Subject};
use meshpeek::summary::{Code, Problems};
use meshpeek::{Asset, Format, Inspect, Limits};
use serde_json::Value as Json;

use crate::support::files::{below, blessing, expected, files, outside, root};
use crate::{any, writer};

fn record(path: &Path, bytes: &[u8]) -> Record {
    let mut scan = Scan::new([path]);
    scan.digests = true;
    let record = scan.record(path, bytes);
    if let Ok(asset) = Asset::parse_file(path, bytes, &scan.limits) {
        let of_asset = scan.record(path, Subject::Asset(bytes, &asset));
        assert_eq!(serde_json::to_value(of_asset).unwrap(), serde_json::to_value(&record).unwrap());
    }
    record
}

fn problems_of_verify(path: &Path, bytes: &[u8]) -> Json {
    let mut scan = Scan::new([path]);
    scan.depth = Depth::Verify;
    let record = scan.record(path, bytes);
    serde_json::to_value(record.summary.problems).unwrap()
}

/// The record, and the additional problems that `verify` finds.
fn golden(name: &str, bytes: &[u8]) -> Json {
    let path = Path::new(name);
    let mut json = serde_json::to_value(record(path, bytes)).unwrap();
    if let Json::Object(map) = &mut json {
        map.insert("verify".to_owned(), problems_of_verify(path, bytes));
    }
    json
}

#[test]
fn the_corpus_equals_the_output_of_the_writers() {
    for (name, bytes) in writer::corpus().into_iter().chain(writer::mods()) {
        let path = root().join("corpus").join(&name);
        if blessing() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let stored = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(stored == bytes, "{name} is not what its writer makes; MESHPEEK_BLESS=1 writes it anew");
    }
}

/// Files that are shown to people are small, and nothing else is in the folders of the mod.
#[test]
fn files_of_the_mod_are_small_and_all_are_written() {
    let mut expected: Vec<PathBuf> = Vec::new();
    for (name, bytes) in writer::mods() {
        assert!(bytes.len() < 40_000, "{name}: {} bytes", bytes.len());
        expected.push(root().join("corpus").join(name));
    }
    expected.sort();
    let stored = ["corpus/mod", "corpus/mod_before"].map(|folder| below(&root().join(folder)));
    assert_eq!(stored.concat(), expected);
}

#[test]
fn records_equal_their_goldens() {
    let path = root().join("corpus/records.ndjson");
    let records: BTreeMap<String, Json> =
        writer::corpus().iter().map(|(name, bytes)| (name.clone(), golden(name, bytes))).collect();
    if blessing() {
        let lines: Vec<String> = records.values().map(|record| format!("{record}\n")).collect();
        std::fs::write(&path, lines.concat()).unwrap();
    }
    let lines = std::fs::read_to_string(&path).unwrap();
    let stored: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(stored.len(), records.len());
    for (stored, (name, record)) in stored.iter().zip(&records) {
        assert_eq!(stored, record, "{name}");
    }
}

#[test]
fn sound_files_verify_and_hostile_ones_do_not() {
    for (name, bytes) in writer::corpus() {
        let problems = problems_of_verify(Path::new(&name), &bytes);
        let none = problems.as_array().is_some_and(Vec::is_empty);
        assert_eq!(none, !name.starts_with("hostile/"), "{name}: {problems}");
    }
}

/// Other people's files that have problems: frames cut to the bones of another skeleton, so that some numbers are NaN;
/// normals that the exporter left with z up.
const DAMAGED: [&str; 2] = ["wild/freefallLoop_relabelled.rtm", "b3d/animalia_cow.b3d"];

/// Files that another program rewrote to cover all versions, and its own additions: frames without all points,
/// materials with fewer transforms than stages.
const REWRITTEN: &str = "odol_rewritten/";
const REWRITTEN_MARKS: [&str; 3] = [" positions for ", " transforms for ", "render_flag_count: 7 is not 1"];

#[test]
fn other_peoples_files_read_as_other_readers_read_them() {
    let Some(folder) = outside() else { return };
    let mut checked = 0;
    for expected in expected(&folder) {
        let name = expected["path"].as_str().unwrap();
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let record = record(Path::new(name), &bytes);
        let record = serde_json::to_value(record).unwrap();
        for key in ["format", "version"] {
            if record[key] != Json::Null || expected[key] != Json::Null {
                assert_eq!(record[key], expected[key], "{name}: {key}");
            }
        }
        // The other readers do not count everything.
        for (key, count) in expected["counts"].as_object().into_iter().flatten() {
            assert_eq!(record["counts"][key], *count, "{name}: {key}");
        }
        let digests = expected["digests"].as_object().cloned().unwrap_or_default();
        for (key, digest) in digests {
            assert_eq!(record["digests"][&key], digest, "{name}: digest {key}");
        }
        let problems = problems_of_verify(Path::new(name), &bytes);
        let meant = |problem: &&Json| {
            let message = problem["message"].as_str().unwrap();
            !(name.starts_with(REWRITTEN) && REWRITTEN_MARKS.iter().any(|mark| message.contains(mark)))
        };
        let none = problems.as_array().unwrap().iter().filter(meant).count() == 0;
        assert_eq!(none, !DAMAGED.contains(&name), "{name}: {problems}");
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn everything_reported_of_a_file_is_consistent() {
    for (path, bytes) in files() {
        println!("{}", path.display());
        any::run(&bytes);
    }
}

#[test]
fn a_file_reads_the_same_at_any_address() {
    for (path, bytes) in files() {
        let straight = serde_json::to_value(record(&path, &bytes)).unwrap();
        let mut shifted = Vec::with_capacity(bytes.len() + 4);
        for shift in 1..=3 {
            shifted.clear();
            shifted.resize(shift, 0xaa);
            shifted.extend_from_slice(&bytes);
            let record = serde_json::to_value(record(&path, &shifted[shift..])).unwrap();
            assert_eq!(record, straight, "{} at byte {shift}", path.display());
        }
    }
}

/// The names of the fuzz targets.
fn fuzz_targets() -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap() {
        names.push(entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    }
    assert!(names.len() > 25);
    names
}

/// Each target is described and has a dictionary, unless README and SECURITY.md say that it has none; those lists agree.
#[test]
fn fuzz_targets_are_described_and_have_dictionaries() {
    let readme = std::fs::read_to_string(root().join("fuzz/README.md")).unwrap();
    let security = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let without = "have no dictionary";
    let sentence = |text: &str| {
        let text = text.replace('\n', " ");
        let end = text.find(without).unwrap();
        text[..end].rsplit(". ").next().unwrap().to_owned()
    };
    assert_eq!(sentence(&readme), sentence(&security));
    let (_, runs) = readme.split_once("## Runs").unwrap();
    for name in fuzz_targets() {
        let code = format!("`{name}`");
        assert!(readme.matches(&code).count() > 1, "{name} is not in fuzz/README.md");
        assert!(runs.contains(&code), "{name} has no run in fuzz/README.md");
        let has_words = root().join("fuzz/dictionaries").join(&name).with_extension("dict").exists();
        assert_eq!(has_words, !sentence(&readme).contains(&code), "{name}");
    }
}

/// A fuzzer's seeds are small. For each record, gate and version, there is a valid file.
#[test]
fn seeds_are_small_and_sound() {
    let seeds = crate::seeds::seeds();
    assert!(seeds.iter().all(|(_, _, bytes)| bytes.len() <= crate::seeds::LARGEST));
    for target in fuzz_targets() {
        assert!(seeds.iter().any(|(of, ..)| *of == target), "{target}");
    }
    let mut formats: BTreeMap<_, usize> = BTreeMap::new();
    let (mut versions, mut unsound) = (Vec::new(), Vec::new());
    for (target, name, bytes) in crate::seeds::sound() {
        let asset = Asset::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        // Two targets read two formats each.
        let of_format = match asset.format() {
            Format::Bmtr => Format::Rtm,
            Format::Bikey => Format::Bisign,
            other => other,
        };
        assert_eq!(of_format.name(), target, "{name}");
        let mut problems = Problems::new(&Limits::default());
        asset.verify(&mut problems);
        // A seed has few chunks; what they name is missing.
        let problems = problems.into_vec().into_iter().filter(|problem| problem.code != Code::Missing);
        unsound.extend(problems.map(|problem| format!("{name}: {}", problem.message)));
        *formats.entry(target).or_default() += 1;
        if let Asset::Odol(model) = asset {
            versions.push(model.version().stored());
        }
    }
    assert!(unsound.is_empty(), "{unsound:#?}");
    let mut all: Vec<_> =
        Format::ALL.iter().map(|format| format.name()).filter(|name| !["bikey", "bmtr"].contains(name)).collect();
    all.sort_unstable();
    assert_eq!(formats.into_keys().collect::<Vec<_>>(), all);
    versions.dedup();
    assert_eq!(versions, [7].into_iter().chain(40..=75).collect::<Vec<_>>());
}
