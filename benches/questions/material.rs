//! The input of the questions: files, and the compressed streams inside them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::inspect::{Inspect, Outline, PartArray, Visitor};
use meshpeek::view::{Packing, Storage};
use meshpeek::{Access, Asset, Error, FileMap, Limits};

/// The files of a folder of other people's files, else of the project's own; empty if neither has it.
pub fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("corpus").is_dir());
    let root = root.expect("the project's own corpus is there");
    let outside = std::env::var_os("MESHPEEK_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let entries = [outside, root.join("corpus")].iter().find_map(|all| std::fs::read_dir(all.join(folder)).ok());
    let mut files: Vec<_> =
        entries.into_iter().flatten().map(|entry| entry.expect("a readable entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == extension));
    files.sort();
    files
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
        let Storage { offset, bytes, packing } = table.storage();
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
