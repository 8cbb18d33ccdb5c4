//! The programs that are measured.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

const MESHPEEK: &str = env!("CARGO_BIN_EXE_meshpeek");

/// This project's program with this many jobs.
pub fn program(words: &[&str], jobs: &str) -> Command {
    with_jobs(MESHPEEK, words, jobs)
}

/// This project's program on a file or folder, with one job.
pub fn alone(words: &[&str], path: &Path) -> Command {
    let mut command = program(words, "1");
    command.arg(path);
    command
}

/// One of its verbs that has no jobs, such as `info`.
pub fn verb(words: &[&str], path: &Path) -> Command {
    other(MESHPEEK, words, path)
}

/// An older build of the program with one job, which `MESHPEEK_BEFORE` names.
pub fn before(words: &[&str], path: &Path) -> Option<Command> {
    let mut command = with_jobs(&std::env::var("MESHPEEK_BEFORE").ok()?, words, "1");
    command.arg(path);
    Some(command)
}

/// Another program on a file.
pub fn other(name: &str, words: &[&str], path: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(words).arg(path);
    command
}

/// Returns true if the system can start a program with this name.
pub fn is_there(name: &OsStr) -> bool {
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Without arguments, what it says does not matter.
    child.wait().is_ok()
}

fn with_jobs(program: &str, words: &[&str], jobs: &str) -> Command {
    let mut command = Command::new(program);
    command.args(words).args(["--quiet", "--jobs", jobs]);
    command
}
