//! The input of the questions: files, and the compressed streams inside them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::inspect::{Inspect, Outline, PartArray, Visitor};
use meshpeek::view::{Packing, Storage};
use meshpeek::{Access, Asset, Error, FileMap, Limits};

use super::dense;

/// The files of a folder: those in `MESHPEEK_CORPUS`, else files that are made like real ones, else those of the
/// project's own corpus. Empty if there are none.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("corpus").is_dir());
    let root = root.expect("the project's own corpus is there");
    let folder = match std::env::var_os("MESHPEEK_CORPUS") {
        Some(outside) => Path::new(&outside).join(folder),
        None => made(root, folder).unwrap_or_else(|| root.join("corpus").join(folder)),
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == extension));
    files.sort();
    files
}

/// The folder of files that are made like real ones. They are written once, and again after a change of their maker.
fn made(root: &Path, folder: &str) -> Option<PathBuf> {
    let files = dense::files(folder);
    if files.is_empty() {
        return None;
    }
    let folder = root.join("target/dense").join(folder);
    std::fs::create_dir_all(&folder).expect("a folder for built files");
    for (name, bytes) in files {
        let path = folder.join(name);
        if std::fs::read(&path).ok().as_ref() != Some(&bytes) {
            std::fs::write(&path, bytes).expect("room for a file");
        }
    }
    Some(folder)
}

/// Opens a file in the cheapest way.
pub fn open(path: &Path) -> FileMap {
    open_by(map_large(), path)
}

/// The cheapest way.
pub fn map_large() -> Access {
    // SAFETY: nobody writes into the measured files.
    unsafe { Access::map_large() }
}

/// Mapped, whatever the size.
pub fn map() -> Access {
    // SAFETY: as above.
    unsafe { Access::map() }
}

pub fn open_by(access: Access, path: &Path) -> FileMap {
    FileMap::open_with(path, access, &Limits::default()).expect("a readable file")
}

/// One compressed stream of a file.
pub struct Stream {
    pub bytes: Vec<u8>,
    pub decoded_len: usize,
}

/// All streams of these files with this packing.
pub fn streams(files: &[PathBuf], packing: Packing) -> Vec<Stream> {
    let mut streams = Vec::new();
    for path in files {
        let file = open(path);
        let Ok(asset) = Asset::parse(&file) else { continue };
        asset.outline(&mut Outline::new(&mut Collector { file: &file, packing, streams: &mut streams }));
    }
    streams
}

struct Collector<'c> {
    file: &'c [u8],
    packing: Packing,
    streams: &'c mut Vec<Stream>,
}

impl Visitor for Collector<'_> {
    fn array(&mut self, array: &PartArray<'_>) {
        let table = array.table;
        let Storage { offset, bytes, packing, .. } = table.storage();
        if packing == self.packing {
            let mut decoded_len = 0;
            let counted = table.read(&mut |rows| {
                decoded_len += rows.len();
                ControlFlow::Continue(())
            });
            counted.expect("a stream that decodes");
            let bytes = self.file[offset as usize..][..bytes as usize].to_vec();
            self.streams.push(Stream { bytes, decoded_len });
        }
    }

    fn problem(&mut self, error: &Error) {
        panic!("{error}");
    }
}
