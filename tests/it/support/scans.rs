//! Scans of temporary files and of trees of files.

use std::path::{Path, PathBuf};

use meshpeek::Format;
use meshpeek::scan::{Found, Record, Scan};

use super::files::files;
use crate::writer::pbo::{Tail, Writer};

/// A temporary file for one test, deleted afterwards.
pub struct TempFile(pub PathBuf);

impl TempFile {
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("meshpeek-scan-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn scanned(path: &Path, change: impl FnOnce(&mut Scan)) -> Vec<Record> {
    let mut scan = Scan::new([path]);
    scan.digests = true;
    change(&mut scan);
    let mut records = Vec::new();
    for found in scan.iter().unwrap() {
        match found {
            Found::Asset(record) => records.push(*record),
            other => panic!("{other:?}"),
        }
    }
    records
}

/// The available files that are not archives, by a name without folders.
pub fn tree() -> Vec<(String, Vec<u8>)> {
    let is_container = |bytes: &[u8]| Format::sniff(bytes).is_some_and(|format| matches!(format.name(), "pbo" | "zip"));
    let name = |path: &Path| path.display().to_string().replace(['/', '\\'], "_").replace("..", "");
    files().into_iter().filter(|(_, bytes)| !is_container(bytes)).map(|(path, bytes)| (name(&path), bytes)).collect()
}

pub fn packed_into_pbo(tree: &[(String, Vec<u8>)]) -> Vec<u8> {
    let writer = Writer::new().product(&[(b"prefix", b"test\\tree")]);
    tree.iter()
        .enumerate()
        .fold(writer, |writer, (index, (name, bytes))| {
            // Packed members are handled like stored ones.
            if index % 16 == 0 { writer.packed(name.as_bytes(), bytes) } else { writer.stored(name.as_bytes(), bytes) }
        })
        .finish(Tail::Sha1)
}
