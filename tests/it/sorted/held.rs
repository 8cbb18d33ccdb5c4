//! More results than memory may hold.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use sha2::{Digest, Sha256};

use super::Folder;
use crate::support::program::{built, code, stderr};
use crate::writer::zip::{Entry, zip};

/// The members of each inner archive.
const MEMBERS: u32 = 50;

/// The verbs that keep results until their end.
const VERBS: [&[&str]; 6] = [
    &["scan", "--sort", "path", "--columns", "member,bytes,problems"],
    &["scan", "--sort", "-bytes", "--columns", "bytes,member", "--format", "csv"],
    &["scan", "--format", "table"],
    &["verify"],
    &["dupes"],
    &["dupes", "--format", "ndjson"],
];

/// These hold results, not what they read.
const FLAGS: [&str; 4] = ["--max-work", "1000000", "--max-output", "1000000"];

/// An archive of archives, which are in no order. It has 50 assets for each of `archives`, with addresses of 100 kB. Most
/// are damaged, and all are there more than once.
fn archive(archives: u32) -> Vec<u8> {
    let in_disorder = |index: u32, most: u32| index * 7_919 % most;
    let mut all = Vec::new();
    for index in 0..archives {
        let mut models = Vec::new();
        for member in 0..MEMBERS {
            let member = in_disorder(member, MEMBERS);
            let model = [&b"BB3D"[..], &(index % 7 * 1_000 + member / 2).to_le_bytes(), &[1, 0, 0, 0]].concat();
            models.push(Entry::stored(format!("{member}.b3d"), &model));
        }
        let inner = zip(&models, b"").to_vec();
        let middle = zip(&[Entry::stored("m".repeat(40_000) + ".zip", &inner)], b"").to_vec();
        let name = format!("{}{}.zip", "n".repeat(60_000), in_disorder(index, archives));
        all.push(Entry::deflated(name, &middle));
    }
    zip(&all, b"").to_vec()
}

/// A folder with this archive and an empty folder for temporary files.
fn folder(name: &str, archives: u32) -> Folder {
    let folder = Folder::new(name);
    folder.file("all.zip", archive(archives));
    std::fs::create_dir(folder.0.join("temporary")).unwrap();
    folder
}

fn program(folder: &Folder) -> Command {
    let mut command = built();
    command.current_dir(&folder.0).env("TMPDIR", folder.0.join("temporary"));
    command
}

/// Scans the archive in order, in as little memory as possible.
fn sorted(folder: &Folder, script: &str, flags: &[&str]) -> Output {
    Command::new("bash")
        .args(["-c", &format!(r#"{script}; exec "$0" "$@""#), env!("CARGO_BIN_EXE_meshpeek")])
        .args(["scan", "all.zip", "-q", "--sort", "path", "--max-decoded", "1M"])
        .args(FLAGS)
        .args(flags)
        .current_dir(&folder.0)
        .output()
        .unwrap()
}

fn are_none(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

/// The size and digest of what is written.
fn written(mut command: Command) -> (u64, [u8; 32]) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text[text.len().saturating_sub(1_000)..]).into_owned()
    });
    let mut digest = Sha256::new();
    let mut bytes = 0;
    let mut piece = vec![0; 1 << 16];
    while let read @ 1.. = out.read(&mut piece).unwrap() {
        digest.update(&piece[..read]);
        bytes += read as u64;
    }
    let status = child.wait().unwrap();
    let errors = errors.join().unwrap();
    assert!(matches!(status.code(), Some(0 | 1)), "{status}: {errors}");
    (bytes, digest.finalize().into())
}

/// In the usual tests 600 assets, in all tests 10,000, of which verbs would hold up to 3 GB.
#[cfg(target_os = "linux")]
#[test]
fn results_beyond_the_memory_are_the_same() {
    let is_full = crate::support::files::full();
    let (archives, decoded, kilobytes) = if is_full { (200, "64M", 200 << 10) } else { (12, "16M", 90 << 10) };
    let folder = folder("held", archives);
    for verb in VERBS {
        let mut bounded = Command::new("sh");
        bounded.args(["-c", &format!(r#"ulimit -c 0; ulimit -d {kilobytes} && exec "$0" "$@""#)]);
        bounded.arg(env!("CARGO_BIN_EXE_meshpeek")).args(verb).args(["--max-decoded", decoded, "-j", "2"]);
        bounded.args(FLAGS).args(["-q", "all.zip"]).current_dir(&folder.0);
        bounded.env("TMPDIR", folder.0.join("temporary"));
        let mut free = program(&folder);
        // A variable that names no folder: nothing is written there.
        free.args(verb).args(["--max-decoded", "32G"]).args(FLAGS).args(["-q", "all.zip"]).env("TMPDIR", "none");
        assert_eq!(written(bounded), written(free), "{verb:?}");
    }
    assert!(are_none(&folder.0.join("temporary")));
}

#[test]
fn a_limit_bounds_temporary_files() {
    let folder = folder("temporary-limit", 6);
    let output = sorted(&folder, "export TMPDIR=temporary", &["--max-temporary", "10M"]);
    assert_eq!((code(&output), output.stdout.len()), (2, 0));
    let message =
        "more than 10485760 bytes of temporary files (10 MiB), the limit set for reading; --max-temporary raises it\n";
    assert!(stderr(&output).ends_with(message), "{}", stderr(&output));
    assert_eq!(code(&sorted(&folder, "export TMPDIR=temporary", &["--max-temporary", "100M"])), 0);
    // The first records alone need no file.
    let output = sorted(&folder, "export TMPDIR=none", &["--top", "3"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_folder_that_is_missing_or_a_full_disk_is_a_message() {
    let folder = folder("temporary-failed", 6);
    folder.file("file", "");
    for (script, cause) in [
        ("export TMPDIR=none", "none: a temporary file for results: No such file or directory"),
        ("export TMPDIR=file", "file: a temporary file for results: Not a directory"),
        // Beyond the limit for the size of a file, as on a full disk.
        ("export TMPDIR=temporary; ulimit -f 1000", "temporary: a temporary file for results: File too large"),
    ] {
        let output = sorted(&folder, script, &[]);
        let said = stderr(&output);
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{said}");
        assert!(said.contains(cause) && said.ends_with("TMPDIR names another folder\n"), "{said}");
        assert!(are_none(&folder.0.join("temporary")), "{script}");
    }
}

/// A disk of 1 MiB, if this user may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_without_space_for_temporary_files_is_a_message() {
    let folder = folder("temporary-disk", 6);
    let script = r#"mount -t tmpfs -o size=1m none temporary || exit 9
        export TMPDIR=temporary; "$0" "$@" >&2; echo $?; ls -A temporary"#;
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_meshpeek")])
        .args(["scan", "all.zip", "-q", "--sort", "path", "--max-decoded", "1M"])
        .args(FLAGS)
        .current_dir(&folder.0)
        .output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        println!("skipped: no disk can be mounted");
        return;
    };
    assert_eq!(crate::support::program::stdout(&output), "2\n", "{}", stderr(&output));
    assert!(stderr(&output).contains("temporary: a temporary file for results: No space left on device"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_killed_leaves_no_temporary_file() {
    let folder = folder("temporary-killed", 6);
    let temporary = folder.0.join("temporary");
    let mut child = program(&folder)
        .args(["scan", "--paths-from", "-", "--sort", "path", "--max-decoded", "1M"])
        .args(FLAGS)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The list stays open, so the program waits for more of it when the archive is read.
    let mut list = child.stdin.take().unwrap();
    writeln!(list, "all.zip").unwrap();
    let files = format!("/proc/{}/fd", child.id());
    let has_file = || {
        let mut files =
            std::fs::read_dir(&files).unwrap().filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        files.any(|file| file.starts_with(&temporary))
    };
    let start = std::time::Instant::now();
    while !has_file() {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "no temporary file");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(are_none(&temporary));
}
