//! Files that somebody else cuts short, empties, fills and replaces while they are looked at.

use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use meshpeek::scan::{Depth, Found, Scan};
use meshpeek::source::guard_maps;
use meshpeek::{Access, FileMap, Limits};

use crate::budgets::full;
use crate::mutate::Random;
use crate::{any, writer};

/// Larger than what is read rather than mapped.
const LARGE: usize = 1 << 19;

/// A folder of its own, gone afterwards.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Ten files, each made large by zeros behind it, except zips, which are found from their end.
fn ten_files(name: &str) -> (Folder, Vec<(PathBuf, Vec<u8>)>) {
    let folder = Folder(std::env::temp_dir().join(format!("meshpeek-shrink-{name}-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let wanted = [
        "b3d/everything.b3d",
        "b3d/deep.b3d",
        "bmx/full.bmx",
        "bmx/stored.bmx",
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

/// Cuts the file short: to nothing, to its first pages, to anything.
fn cut(path: &Path, random: &mut Random) {
    let length = match random.below(3) {
        0 => 0,
        1 => random.below(1 << 14),
        _ => random.below(LARGE),
    };
    File::options().write(true).open(path).unwrap().set_len(length as u64).unwrap();
}

/// Does one of the things that others do to files.
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
fn a_map_that_is_cut_short_is_read_to_its_end() {
    guard_maps().unwrap();
    let (_folder, files) = ten_files("map");
    let mut random = Random(0x0123_4567_89ab_cdef);
    for round in 0..if full() { 1000 } else { 30 } {
        for (path, bytes) in &files {
            let file = FileMap::open_with(path, Access::Map, &Limits::default()).unwrap();
            assert!(file.is_mapped());
            // Half of the rounds the structure is known before the file goes.
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

#[test]
fn a_scan_outlives_the_files_that_it_looks_at() {
    guard_maps().unwrap();
    let (folder, files) = ten_files("scan");
    let mut scan = Scan::new([&folder.0]);
    scan.access = Access::Map;
    scan.depth = Depth::Verify;
    scan.digests = true;
    let rounds = if full() { 1000 } else { 50 };
    let over = AtomicBool::new(false);
    let scans = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                scan.run(|_| ControlFlow::Continue(())).unwrap();
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
    scan.run(|found| {
        assets += usize::from(matches!(found, Found::Asset(_)));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(assets, files.len(), "all is there again");
}

#[cfg(feature = "cli")]
#[test]
fn the_program_outlives_the_files_that_it_looks_at() {
    use std::process::{Command, Stdio};

    let (folder, files) = ten_files("program");
    let mut random = Random(0x0f1e_2d3c_4b5a_6978);
    for round in 0..if full() { 1000 } else { 20 } {
        let mut program = Command::new(env!("CARGO_BIN_EXE_meshpeek"));
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
