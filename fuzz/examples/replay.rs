//! Runs every target over files, each also cut short and slightly altered: a short replay without a fuzzer.
//!
//! `replay FOLDER...`: all files below; a file goes to every target. `--only TARGET`: only to this one; `--plain`: only
//! the unchanged files. `--own FOLDER`: the files of each folder in it go to the target of its name. `replay --list`
//! prints the names of the targets. `replay --seeds FOLDER` writes small files to start from, in a folder for each target.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use meshpeek_fuzz::TARGETS;

/// Variants of each file besides the file itself.
const VARIANTS: u64 = 40;

fn main() -> std::io::Result<()> {
    let (mut files, mut targets, mut variants) = (Vec::new(), TARGETS.to_vec(), VARIANTS);
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--list") => TARGETS.iter().for_each(|(name, _)| println!("{name}")),
            Some("--plain") => variants = 0,
            Some("--own") => run_own(Path::new(&args.next().unwrap_or_default()))?,
            Some("--seeds") => write_seeds(Path::new(&args.next().unwrap_or_default()))?,
            Some("--only") => {
                let only = args.next().unwrap_or_default();
                targets.retain(|(name, _)| only == *name);
            }
            _ => collect(Path::new(&arg), &mut files)?,
        }
    }
    files.sort();
    let replay = Replay { files: &files, targets: &targets, variants, next: AtomicUsize::new(0) };
    let runs = replay.run()?;
    if !files.is_empty() {
        println!("{} files, {} targets, {runs} runs without a finding", files.len(), targets.len());
    }
    Ok(())
}

type Target = (&'static str, fn(&[u8]));

/// The files and targets, and the next file to take.
struct Replay<'r> {
    files: &'r [PathBuf],
    targets: &'r [Target],
    variants: u64,
    next: AtomicUsize,
}

impl Replay<'_> {
    /// Runs all targets over all files, with a thread for each core. After a finding, no thread takes another file. Returns
    /// the number of runs.
    fn run(&self) -> std::io::Result<u64> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| self.take_files())).collect();
            let mut runs = 0;
            for thread in threads {
                runs += thread.join().unwrap_or_else(|finding| std::panic::resume_unwind(finding))?;
            }
            Ok(runs)
        })
    }

    /// Runs the files that no other thread takes.
    fn take_files(&self) -> std::io::Result<u64> {
        let _end = End(&self.next);
        let mut runs = 0;
        while let Some(file) = self.files.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let bytes = std::fs::read(file)?;
            for variant in 0..=self.variants {
                let bytes = altered(&bytes, variant);
                for (_, run) in self.targets {
                    run(&bytes);
                    runs += 1;
                }
            }
        }
        Ok(runs)
    }
}

/// Leaves no file to the other threads when one ends, be it by a finding.
struct End<'e>(&'e AtomicUsize);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(usize::MAX / 2, Ordering::Relaxed);
    }
}

/// Runs each target over the files, as they are, of the folder with its name.
fn run_own(folder: &Path) -> std::io::Result<()> {
    let mut runs = 0_u64;
    for (name, run) in TARGETS {
        let mut files = Vec::new();
        if folder.join(name).is_dir() {
            collect(&folder.join(name), &mut files)?;
        }
        assert!(!files.is_empty(), "{name} has no seeds");
        for file in files {
            run(&std::fs::read(file)?);
            runs += 1;
        }
    }
    println!("{} targets, {runs} runs of their own files without a finding", TARGETS.len());
    Ok(())
}

fn write_seeds(folder: &Path) -> std::io::Result<()> {
    for (target, name, bytes) in meshpeek_fuzz::seeds() {
        std::fs::create_dir_all(folder.join(target))?;
        std::fs::write(folder.join(target).join(name), bytes)?;
    }
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else {
        files.push(path.to_owned());
    }
    Ok(())
}

/// Returns the file itself for variant 0, else a copy that is cut or has a few bits changed, the same in every run.
fn altered(bytes: &[u8], variant: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut state = variant.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bytes.len() as u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    if variant > 0 && !bytes.is_empty() {
        if variant.is_multiple_of(4) {
            bytes.truncate(random(bytes.len()));
        }
        for _ in 0..variant % 4 {
            let at = random(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = [0, 1, 0x7f, 0x80, 0xff, random(256) as u8][random(6)];
            }
        }
    }
    bytes
}
