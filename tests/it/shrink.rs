//! Files that other processes truncate, empty, extend, replace and write into while they are read.

use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use meshpeek::scan::{Depth, Found, Input, Scan};
use meshpeek::source::guard_maps;
use meshpeek::summary::{Code, Problem, Problems};
use meshpeek::{Access, FileMap, Inspect, Limits};

use crate::support::files::full;
use crate::support::mutate::Random;
use crate::{any, writer};

/// Mapped, whatever the size.
fn map() -> Access {
    // SAFETY: concurrent writes are what is tested, relying on the statement in `source` that they do no harm.
    unsafe { Access::map() }
}

/// Above the size up to which files are read, not mapped.
const LARGE: usize = 1 << 19;

/// A temporary folder, deleted afterwards.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Ten files, each extended with zeros, except zips, which are found from their end.
fn ten_files(name: &str) -> (Folder, Vec<(PathBuf, Vec<u8>)>) {
    let folder = Folder(std::env::temp_dir().join(format!("meshpeek-shrink-{name}-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let wanted = [
        "b3d/everything.b3d",
        "b3d/deep.b3d",
        "bmx/full.bmx",
        "hostile/bmx_stored.bmx",
        "lodka/everything.lod",
        "lodka/index_widths.lod",
        "lodka/several_models.lod",
        "rtm/v3_packed_times.rtm",
        "rtm/v4_by_size.rtm",
        "rtm/plain.rtm",
    ];
    let files = writer::corpus().into_iter().filter(|(name, _)| wanted.contains(&&**name)).map(|(name, mut bytes)| {
        let path = folder.0.join(name.replace('/', "-"));
        if path.extension().is_none_or(|ending| ending != "bmx") {
            bytes.resize(LARGE, 0);
        }
        std::fs::write(&path, &bytes).unwrap();
        (path, bytes)
    });
    let files: Vec<_> = files.collect();
    assert_eq!(files.len(), wanted.len());
    (folder, files)
}

/// Truncates the file: to nothing, to its first pages, to any size.
fn cut(path: &Path, random: &mut Random) {
    let length = match random.below(3) {
        0 => 0,
        1 => random.below(1 << 14),
        _ => random.below(LARGE),
    };
    File::options().write(true).open(path).unwrap().set_len(length as u64).unwrap();
}

/// Changes the file in one of the ways in which other processes do.
fn disturb(path: &Path, bytes: &[u8], random: &mut Random) {
    cut(path, random);
    match random.below(8) {
        0 => {
            std::fs::remove_file(path).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        1 => {
            let other = path.with_extension("new");
            std::fs::write(&other, bytes).unwrap();
            std::fs::rename(&other, path).unwrap();
        }
        2 => File::options().append(true).open(path).unwrap().write_all(bytes).unwrap(),
        _ => std::fs::write(path, bytes).unwrap(),
    }
}

#[test]
#[cfg_attr(windows, ignore = "Windows refuses to shorten a mapped file")]
fn a_map_that_is_cut_short_is_read_to_its_end() {
    guard_maps().unwrap();
    let (_folder, files) = ten_files("map");
    let mut random = Random(0x0123_4567_89ab_cdef);
    for round in 0..if full() { 1000 } else { 30 } {
        for (path, bytes) in &files {
            let file = FileMap::open_with(path, map(), &Limits::default()).unwrap();
            assert!(file.is_mapped());
            // In half of the rounds, the structure is known before the file changes.
            let early = if round % 2 == 0 { meshpeek::Asset::parse(&file).ok() } else { None };
            File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(random.below(bytes.len().min(1 << 13)) as u64)
                .unwrap();
            if let Some(asset) = early {
                let mut problems = meshpeek::summary::Problems::new(&Limits::default());
                asset.summarize();
                asset.verify(&mut problems);
            }
            any::run(&file);
            black_box(file.iter().map(|&byte| u64::from(byte)).sum::<u64>());
            assert!(file.unchanged().is_err());
            std::fs::write(path, bytes).unwrap();
        }
    }
}

/// Of a file that was cut under its map, zeros are read, which may make a sound asset without contents. Its summary says so.
#[test]
#[cfg_attr(windows, ignore = "Windows refuses to shorten a mapped file")]
fn what_was_cut_is_a_problem_of_the_summary() {
    guard_maps().unwrap();
    let (_folder, files) = ten_files("torn");
    let codes = |problems: &[Problem]| problems.iter().filter(|problem| problem.code == Code::Changed).count();
    let mut whole = None;
    for (path, bytes) in &files {
        let file = FileMap::open_with(path, map(), &Limits::default()).unwrap();
        let asset = meshpeek::Asset::parse(&file).unwrap();
        assert!(!asset.is_torn() && codes(&asset.summarize().problems) == 0, "{}", path.display());
        File::options().write(true).open(path).unwrap().set_len(0).unwrap();
        // Nothing has noticed yet.
        assert!(!asset.is_torn());
        let mut problems = Problems::new(&Limits::default());
        asset.verify(&mut problems);
        let verified = problems.into_vec();
        let [summary, header] = [asset.summarize(), asset.summarize_header()];
        for problems in [&verified, &summary.problems, &header.problems] {
            assert_eq!(codes(problems), 1, "{}: {problems:?}", path.display());
        }
        assert!(asset.is_torn() && file.unchanged().is_err());
        // A map made later is whole again.
        std::fs::write(path, bytes).unwrap();
        let later = FileMap::open_with(path, map(), &Limits::default()).unwrap();
        assert!(!meshpeek::Asset::parse(&later).unwrap().is_torn());
        whole = Some(later);
    }
    // Bytes in memory are never torn.
    let copy = whole.unwrap().to_vec();
    assert!(!meshpeek::Asset::parse(&copy).unwrap().is_torn());
}

#[test]
#[cfg_attr(windows, ignore = "Windows refuses to shorten a mapped file")]
fn a_scan_outlives_the_files_that_it_looks_at() {
    guard_maps().unwrap();
    let (folder, files) = ten_files("scan");
    let mut scan = Scan::new([&folder.0]);
    scan.access = map();
    scan.depth = Depth::Verify;
    scan.digests = true;
    let rounds = if full() { 1000 } else { 50 };
    let over = AtomicBool::new(false);
    let scans = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                scan.run(Input::Paths, |_| (), |_, _| ControlFlow::Continue(())).unwrap();
                scans.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut random = Random(0xfedc_ba98_7654_3210);
        for _ in 0..rounds {
            files.iter().for_each(|(path, bytes)| disturb(path, bytes, &mut random));
        }
        over.store(true, Ordering::Relaxed);
    });
    println!("{} scans while {} files were cut", scans.load(Ordering::Relaxed), rounds * files.len());
    assert!(scans.load(Ordering::Relaxed) > 0);
    let mut assets = 0;
    for found in scan.iter().unwrap() {
        assets += usize::from(matches!(found, Found::Asset(_)));
    }
    assert_eq!(assets, files.len(), "all is there again");
}

#[test]
#[cfg_attr(windows, ignore = "Windows refuses to shorten a mapped file")]
fn the_program_outlives_the_files_that_it_looks_at() {
    use std::process::Stdio;

    let (folder, files) = ten_files("program");
    let mut random = Random(0x0f1e_2d3c_4b5a_6978);
    for round in 0..if full() { 1000 } else { 20 } {
        let mut program = crate::support::program::built();
        match round % 3 {
            0 => program.args(["scan", "--digests"]).arg(&folder.0),
            1 => program.arg("verify").arg(&folder.0),
            _ => program.args(["info", "--json"]).arg(&files[round % files.len()].0),
        };
        let mut child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let status = loop {
            files.iter().for_each(|(path, bytes)| disturb(path, bytes, &mut random));
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
        };
        assert!(status.code().is_some_and(|code| code <= 2), "{status}");
    }
}

/// A name repeatedly becomes one character longer or shorter while the program reads it. A `&str` over mapped bytes
/// would overrun its end.
///
/// Takes some minutes: `cargo test -p meshpeek-cli --all-features --test it -- --ignored --nocapture
/// names_that_change`.
#[cfg(unix)]
#[test]
#[ignore = "takes minutes"]
fn names_that_change_under_every_verb_end_no_program() {
    use std::os::unix::fs::FileExt;
    use std::process::Stdio;

    const RUNS: usize = 2000;
    const NAME: usize = 24 << 20;
    let folder = Folder(std::env::temp_dir().join(format!("meshpeek-shrink-names-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let path = folder.0.join("name.b3d");
    let texture = writer::b3d::chunk(b"TEXS", writer::bytes::Bytes::new().cstr(vec![b'a'; NAME]).raw([0; 28]));
    let mesh =
        writer::b3d::mesh(0, [writer::b3d::vertices(100, 0, 0, 0), writer::b3d::triangles(0, &[[0, 1, 2]; 100])]);
    let scene = writer::b3d::scene([writer::b3d::node("n", [mesh]), texture]);
    std::fs::write(&path, scene.to_vec()).unwrap();
    let last = (scene.len() - 28 - 2) as u64;
    let verbs: [&[&str]; 9] = [
        &["info"],
        &["tree"],
        &["info", "--json"],
        &["scan"],
        &["scan", "--digests", "--format", "table"],
        &["verify"],
        &["verify", "--format", "ndjson"],
        &["dump"],
        &["dump", "--format", "raw"],
    ];
    let over = AtomicBool::new(false);
    let (mut codes, mut toggles) = ([0; 3], 0_u64);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let file = File::options().write(true).open(&path).unwrap();
            let mut toggles = 0_u64;
            while !over.load(Ordering::Relaxed) {
                // One byte that is the last of the name, and one that starts a character of four bytes.
                for byte in [b"a", b"\xf0"] {
                    file.write_all_at(byte, last).unwrap();
                    toggles += 1;
                }
            }
            toggles
        });
        for round in 0..RUNS {
            let verb = verbs[round % verbs.len()];
            let mut program = crate::support::program::built();
            program.args(verb).arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
            if verb.contains(&"raw") {
                program.arg("meshes/0/triangles/0/indices");
            }
            let status = program.status().unwrap();
            match status.code() {
                Some(code @ 0..=2) => codes[code as usize] += 1,
                _ => {
                    over.store(true, Ordering::Relaxed);
                    panic!("{verb:?} in round {round}: {status}");
                }
            }
        }
        over.store(true, Ordering::Relaxed);
        toggles = writing.join().unwrap();
    });
    println!("{RUNS} runs, {toggles} writes: exit status 0, 1, 2: {codes:?}");
}

/// A system call that receives mapped bytes fails if these are gone, so a copy is written.
#[cfg(target_os = "linux")]
#[test]
fn a_file_cut_while_it_is_written_out_is_reported_as_changed() {
    use std::io::Read;
    use std::process::Stdio;

    let folder = Folder(std::env::temp_dir().join(format!("meshpeek-shrink-dump-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let path = folder.0.join("long.b3d");
    let weights: Vec<_> = (0..200_000).map(|vertex| (vertex, 1.0)).collect();
    let scene = writer::b3d::scene([writer::b3d::node("n", [writer::b3d::bone(&weights)])]);
    std::fs::write(&path, scene.to_vec()).unwrap();
    let mut program = crate::support::program::built();
    program.args(["dump", "--format", "raw"]).arg(&path).arg("bones/0/weights");
    // Not standard output, in whose bytes Rust first searches for the end of a line.
    let pipe = folder.0.join("out");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = program.arg("-o").arg(&pipe).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = File::open(&pipe).unwrap();
    // The program has the file open, and waits for the pipe to be emptied.
    let mut first = [0; 8];
    out.read_exact(&mut first).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!((first.len() + rest.len(), ended.status.code()), (weights.len() * 8, Some(2)));
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(errors.contains("long.b3d: the file was changed while it was read"), "{errors}");
}
