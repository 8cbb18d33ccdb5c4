//! The files of the corpus, those of the repository and those beside it.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::writer;

pub fn root() -> &'static Path {
    // The tests are compiled as part of the program's package.
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

pub fn blessing() -> bool {
    std::env::var_os("MESHPEEK_BLESS").is_some()
}

/// The folder of other people's files, if it exists.
pub fn outside() -> Option<PathBuf> {
    let folder = std::env::var_os("MESHPEEK_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no folder {}", folder.display());
    None
}

/// One of other people's files, if it exists.
pub fn outside_file(name: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(outside()?.join(name)).unwrap())
}

/// All available files by name, in `corpus/` and outside.
pub fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> =
        writer::corpus().into_iter().map(|(name, bytes)| (Path::new("corpus").join(name), bytes)).collect();
    if let Some(folder) = outside() {
        for expected in expected(&folder) {
            let path = folder.join(expected["path"].as_str().unwrap());
            let bytes = std::fs::read(&path).unwrap();
            files.push((path, bytes));
        }
    }
    files
}

/// Every file below a folder, by name.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// True to run all cases, false to run those that fit into a minute.
pub fn full() -> bool {
    std::env::var_os("MESHPEEK_FULL").is_some()
}

pub fn expected(folder: &Path) -> Vec<Json> {
    let lines = std::fs::read_to_string(folder.join("expected.ndjson")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
