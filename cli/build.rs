//! Adds the commit of a checkout to the version that the program prints, such as `0.3.0-dev+1a2b3c4d`.
//!
//! The files of Git are read, because building needs no Git. A release has its number alone, and so has a program that is
//! built from a package, which has no repository, or for debugging: else each commit would build the program and its tests
//! again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// How many digits of a commit are shown.
const DIGITS: usize = 8;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut version = variable("CARGO_PKG_VERSION");
    let is_ahead = !variable("CARGO_PKG_VERSION_PRE").is_empty();
    let is_for_use = variable("PROFILE") == "release";
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
    if is_ahead
        && is_for_use
        && let Some(commit) = commit(&root)
    {
        version = format!("{version}+{commit}");
    }
    println!("cargo::rustc-env=MESHPEEK_VERSION={version}");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The first digits of the commit that is checked out in this folder.
pub fn commit(root: &Path) -> Option<String> {
    let folder = git_folder(root)?;
    let head = read(&folder.join("HEAD"))?;
    // It grows with each commit, also where a branch is packed with others.
    let log = folder.join("logs/HEAD");
    if log.exists() {
        watch(&log);
    }
    let id = match head.strip_prefix("ref: ") {
        Some(branch) => tip(&folder, branch.trim_end())?,
        None => head,
    };
    let digits = id.get(..DIGITS)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| digits.to_owned())
}

/// The folder with `HEAD`: `.git`, or for a linked worktree the folder that the file `.git` names.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let link = read(&git)?;
    Some(root.join(link.strip_prefix("gitdir: ")?.trim_end()))
}

/// The last commit of a branch. Linked worktrees share the branches of the main one.
fn tip(folder: &Path, branch: &str) -> Option<String> {
    let mut shared = folder.to_owned();
    if let Some(path) = read(&folder.join("commondir")) {
        shared.push(path.trim_end());
    }
    if let Some(id) = read(&shared.join(branch)) {
        return Some(id);
    }
    for line in read(&shared.join("packed-refs"))?.lines() {
        if let Some((id, name)) = line.split_once(' ')
            && name == branch
        {
            return Some(id.to_owned());
        }
    }
    None
}

/// Reads a file and watches it. Cargo would build again and again for one that does not exist.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    watch(path);
    Some(text)
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}
