//! Divided work: all units together are the whole scan.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value as Json;

use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::b3d;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// Units of this many bytes, as lines.
fn plan(path: &Path, unit: &str) -> Vec<Json> {
    let output = run(["plan", path.to_str().unwrap(), "--unit", unit]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    lines(&output)
}

/// The results of scanning these units, one after the other, and all messages.
fn scan_units(units: &[Json], more: &[&str]) -> (Vec<String>, Vec<i32>, String) {
    let (mut records, mut codes, mut said) = (Vec::new(), Vec::new(), String::new());
    for unit in units.chunk_by(|a, b| a["unit"] == b["unit"]) {
        let mut scan = program();
        let scan = scan.args(["scan", "-q", "--units-from", "-"]).args(more);
        let mut scan = scan.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = scan.stdin.take().unwrap();
        unit.iter().for_each(|piece| writeln!(stdin, "{piece}").unwrap());
        drop(stdin);
        let output = scan.wait_with_output().unwrap();
        records.extend(stdout(&output).lines().map(str::to_owned));
        codes.push(code(&output));
        said.push_str(&stderr(&output));
    }
    records.sort();
    (records, codes, said)
}

fn scan_whole(path: &Path, more: &[&str]) -> Vec<String> {
    let output = run([&["scan", "-q", path.to_str().unwrap()], more].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut records: Vec<String> = stdout(&output).lines().map(str::to_owned).collect();
    records.sort();
    records
}

/// Checks that the union of the units is the whole. Returns the number of units and of records.
fn union_is_whole(path: &Path, unit: &str, more: &[&str]) -> (usize, usize) {
    let units = plan(path, unit);
    let (records, codes, said) = scan_units(&units, more);
    assert!(codes.iter().all(|&code| code == 0), "{codes:?}: {said}");
    let whole = scan_whole(path, more);
    assert!(records == whole, "{} records of {} units, {} of the whole", records.len(), units.len(), whole.len());
    (codes.len(), records.len())
}

#[test]
fn a_sparse_archive_of_50_gb_is_cut_by_its_directory() {
    const MEMBERS: usize = 60_000;
    const SIZE: u64 = 840_000;
    let folder = Folder::new("sparse");
    let path = folder.0.join("large.pbo");
    let scene = b3d::sound().to_vec();
    let mut file = File::create(&path).unwrap();
    let mut header = Writer::new().product(&[(b"prefix", b"large")]);
    for index in 0..MEMBERS {
        header = header.entry(format!("data\\{index:05}.bin").as_bytes(), [0, 0, 0, 0, SIZE as u32], b"");
    }
    let header = header.finish(Tail::Bytes(b""));
    file.write_all(&header).unwrap();
    for index in (0..MEMBERS as u64).step_by(20) {
        std::os::unix::fs::FileExt::write_all_at(&file, &scene, header.len() as u64 + index * SIZE).unwrap();
    }
    file.set_len(header.len() as u64 + MEMBERS as u64 * SIZE).unwrap();
    drop(file);
    let started = std::time::Instant::now();
    let units = plan(&path, "1G");
    println!("{} units in {:?}", units.len(), started.elapsed());
    assert_eq!(units.len(), 48);
    assert!(units.iter().all(|unit| unit["bytes"].as_u64().unwrap() <= 1 << 30));
    assert_eq!(union_is_whole(&path, "1G", &[]), (48, 3_001));
}

#[test]
fn members_of_nested_archives_stay_with_their_archive() {
    let folder = Folder::new("nested");
    let scene = b3d::sound().to_vec();
    let names = |count: usize| (0..count).map(|index| format!("m{index}.b3d"));
    let pbo = |count| {
        let writer = Writer::new().product(&[]);
        names(count).fold(writer, |writer, name| writer.stored(name.as_bytes(), &scene)).finish(Tail::Sha1)
    };
    let inner = zip(&[Entry::deflated("deep.pbo", &pbo(5)), Entry::stored("x.b3d", &scene)], b"").to_vec();
    let mut entries: Vec<Entry> = (0..8).map(|index| Entry::stored(format!("{index}.pbo"), &pbo(20))).collect();
    entries.push(Entry::stored("inner.zip", &inner));
    // One duplicate name, and one damaged file.
    entries.extend([Entry::stored("0.pbo", &pbo(3)), Entry::stored("bad.b3d", b"BB3D")]);
    folder.file("in/outer.zip", zip(&entries, b"").to_vec());
    folder.file("in/small.pbo", pbo(2));
    folder.file("in/scene.b3d", &scene);
    let (units, records) = union_is_whole(&folder.0.join("in"), "20k", &["--digests"]);
    assert!(units > 4, "{units} units");
    assert_eq!(records, 1 + 8 * 21 + 1 + 1 + 5 + 1 + 4 + 1 + 3 + 1);
    union_is_whole(&folder.0.join("in"), "1", &[]);
}

#[test]
fn small_files_go_together() {
    let folder = Folder::new("small");
    let scene = b3d::sound().to_vec();
    for index in 0..10_000 {
        folder.file(&format!("in/{}/{index}.b3d", index % 10), &scene);
    }
    let (units, records) = union_is_whole(&folder.0.join("in"), "1M", &[]);
    assert_eq!(records, 10_000);
    let per_file = scene.len() as u64 + 4096;
    assert_eq!(units as u64, 10_000_u64.div_ceil((1 << 20) / per_file));
}

#[test]
fn a_file_that_changed_since_is_reported_and_costs_no_other_unit() {
    let folder = Folder::new("changed");
    let scene = b3d::sound().to_vec();
    let one = folder.file("in/one.b3d", &scene);
    folder.file("in/two.b3d", &scene);
    let units = plan(&folder.0.join("in"), "1");
    assert_eq!(units.len(), 2);
    File::options().append(true).open(one).unwrap().write_all(b"more").unwrap();
    let (records, codes, said) = scan_units(&units, &[]);
    assert_eq!((records.len(), codes.as_slice()), (1, &[2, 0][..]));
    assert!(said.contains("one.b3d") && said.contains("changed since it was cut into units"), "{said}");
    // The scan also reports the path that disappeared.
    std::fs::remove_file(folder.0.join("in/two.b3d")).unwrap();
    let (records, codes, _) = scan_units(&units, &[]);
    assert_eq!((records.len(), codes.as_slice()), (0, &[2, 2][..]));
}

/// The same folder as a copy with other times: a plan by size or digest still fits it.
#[test]
fn plans_without_times_fit_copies() {
    let folder = Folder::new("by");
    let scene = b3d::sound().to_vec();
    let archive = Writer::new().product(&[]).stored(b"a.b3d", &scene).stored(b"b.b3d", &scene).finish(Tail::Sha1);
    let pbo = folder.file("in/two.pbo", archive);
    let one = folder.file("in/one.b3d", &scene);
    let path = folder.0.join("in");
    let plan = |by: &str| lines(&run(["plan", path.to_str().unwrap(), "--unit", "1", "--by", by]));
    let [by_time, by_size, by_digest] = ["time", "size", "digest"].map(plan);
    assert_eq!([by_time.len(), by_size.len(), by_digest.len()], [3, 3, 3]);
    for path in [&pbo, &one] {
        let file = File::options().append(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1)).unwrap();
    }
    assert!(scan_list(&by_time, &[]).0.is_empty());
    let whole = scan_whole(&path, &[]);
    for units in [&by_size, &by_digest] {
        let (records, code, said) = scan_list(units, &[]);
        assert!(code == 0 && records == whole, "{} of {}: {said}", records.len(), whole.len());
    }
    // Only the digest shows a change of one byte, and both show one of the size.
    let mut changed = scene.clone();
    changed.iter_mut().rev().take(1).for_each(|byte| *byte ^= 1);
    std::fs::write(&one, &changed).unwrap();
    assert_eq!(scan_list(&by_size, &[]).0.len(), whole.len());
    let (records, _, said) = scan_list(&by_digest, &[]);
    assert_eq!(records.len(), whole.len() - 1);
    assert!(said.contains("one.b3d") && said.contains("changed since it was cut into units"), "{said}");
    changed.push(0);
    std::fs::write(&one, &changed).unwrap();
    for units in [&by_size, &by_digest] {
        assert_eq!(scan_list(units, &[]).0.len(), whole.len() - 1);
    }
    // A stamp that is none of these fits no file.
    for stamp in ["", "x", "sha256:", "1:2:3"] {
        let mut units = by_size.clone();
        units.iter_mut().for_each(|unit| unit["stamp"] = stamp.into());
        assert!(scan_list(&units, &[]).0.is_empty(), "{stamp}");
    }
}

/// All of these units, by one scan; the records, the status, and everything else it says.
fn scan_list(units: &[Json], more: &[&str]) -> (Vec<String>, i32, String) {
    let mut units = units.to_vec();
    units.iter_mut().for_each(|unit| unit["unit"] = 0.into());
    let (records, codes, said) = scan_units(&units, more);
    (records, codes[0], said)
}

/// A list in the order of a plan opens each archive once for each thread. In other orders it opens archives again, as
/// often as their budget allows.
#[test]
fn units_of_one_archive_cost_no_more_than_the_archive() {
    let folder = Folder::new("one_archive");
    let scene = b3d::sound().to_vec();
    // Each name twice.
    let archive = |count: usize| {
        let entries = (0..count).map(|index| Entry::stored(format!("{}.b3d", index / 2), &scene));
        zip(&entries.collect::<Vec<_>>(), b"").to_vec()
    };
    folder.file("in/1.zip", archive(40));
    folder.file("in/2.zip", archive(30));
    let path = folder.0.join("in");
    let units = plan(&path, "1");
    assert_eq!(units.len(), 70);
    let (reversed, whole) = (units.iter().rev().cloned().collect::<Vec<_>>(), scan_whole(&path, &[]));
    let (of_1, of_2) = units.split_at(40);
    let mixed = of_1.iter().zip(of_2).flat_map(|(a, b)| [a.clone(), b.clone()]).chain(of_1[30..].to_vec());
    for list in [&units, &reversed, &mixed.collect()] {
        for jobs in ["1", "3"] {
            let (records, code, said) = scan_list(list, &["--jobs", jobs]);
            assert!(code == 0 && records == whole, "{} of {}: {said}", records.len(), whole.len());
        }
    }
    let path = folder.file("many.zip", archive(600));
    let mut changed = units.clone();
    changed[5]["stamp"] = "1:2.3".into();
    let (records, code, said) = scan_list(&changed, &["--jobs", "1"]);
    assert!((records.len(), code) == (whole.len() - 1, 1) && said.contains("changed since"), "{code} {said}");
    let few = ["--max-work", "1"];
    let units = plan(&path, "1");
    let (records, code, said) = scan_list(&units, &few);
    let is_limited = records.iter().any(|record| record.contains("\"limit."));
    assert!(code == 0 && records.len() == 601 && !is_limited, "{}: {said}", records.len());
    let (records, code, said) = scan_list(&units.iter().rev().cloned().collect::<Vec<_>>(), &few);
    assert!(records.len() < 40 && code != 0 && said.contains("--max-work"), "{}: {said}", records.len());
}

/// Each unit has a separate budget for its own bytes: units with bombs report them, and the others are complete.
#[test]
fn a_unit_pays_for_itself() {
    let folder = Folder::new("bombs");
    let scene = b3d::sound().to_vec();
    let bomb = Entry::deflated("bomb.b3d", &[&b"BB3D"[..], &vec![0; 4 << 20]].concat());
    let mut entries = vec![bomb];
    entries.extend((0..200).map(|index| Entry::stored(format!("{index}.b3d"), &scene)));
    let path = folder.file("in/bombs.zip", zip(&entries, b"").to_vec());
    let units = plan(&path, "40k");
    let (records, codes, said) = scan_units(&units, &["--max-decoded", "1M"]);
    assert!(codes.len() > 2 && codes.iter().all(|&code| code == 0), "{codes:?} {said}");
    let limited: Vec<&String> = records.iter().filter(|record| record.contains("\"limit.")).collect();
    assert_eq!((records.len(), limited.len()), (202, 1), "{limited:?}");
    // An archive that cannot even be listed within its budget is reported as such, whichever part it is.
    let (_, codes, said) = scan_units(&units[1..], &["--max-output", "0"]);
    assert!(codes.iter().all(|&code| code == 1 || code == 2) && said.contains("--max-output"), "{said}");
}

#[test]
fn invalid_units_are_errors() {
    let folder = Folder::new("wrong");
    for (line, reason) in
        [("nonsense", "not a unit"), (r#"{"unit":0,"path":"x","first":3,"last":1,"bytes":1}"#, "first and last")]
    {
        let list = folder.file("units", line);
        let output = run(["scan", "--units-from", list.to_str().unwrap()]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
    let output = run(["plan", "-"]);
    assert!(code(&output) == 2 && stderr(&output).contains("standard input"));
    let output = run(["plan", "/nowhere"]);
    assert_eq!((code(&output), lines(&output).len()), (2, 1));
}

#[test]
fn units_of_a_named_file_have_its_record_too_and_those_of_a_folder_do_not() {
    let folder = Folder::new("named_unit");
    let script = folder.file("in/script.sqf", "hint \"hello\";");
    folder.file("in/model.p3d", "hint \"hello\";");
    assert_eq!(union_is_whole(&script, "1M", &[]), (1, 1));
    assert_eq!(union_is_whole(&folder.0.join("in"), "1M", &[]), (1, 1));
}
