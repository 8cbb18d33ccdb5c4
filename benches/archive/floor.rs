//! The least that a scan has to do, done by this process.

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use meshpeek::{Access, FileMap, Limits};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};
use sha2::{Digest, Sha256};

use super::measure::of_this_process;
use super::storage::Archive;
use super::streams::Known;

/// The size of a page, of which one byte is read.
const PAGE: usize = 4096;

/// Maps the archive and reads a byte of each page.
pub fn touch(archive: &Archive<'_>) -> f64 {
    of_this_process(|| touch_pages(&map(&archive.path)))
}

/// The same, and finds the end of each LZO stream.
pub fn walk(archive: &Archive<'_>) -> f64 {
    of_this_process(|| {
        let map = map(&archive.path);
        touch_pages(&map);
        for (offset, known) in archive.members() {
            walk_streams(&map[offset..], known);
        }
    })
}

/// The same, and decodes each stream.
pub fn decode(archive: &Archive<'_>) -> f64 {
    of_this_process(|| {
        let map = map(&archive.path);
        touch_pages(&map);
        let mut out = Vec::new();
        for (offset, known) in archive.members() {
            decode_streams(&map[offset..], known, false, &mut out);
        }
    })
}

/// Touches, walks, decodes the streams whose content has a digest, and hashes the archive, each member, and the content.
pub fn digests(archive: &Archive<'_>) -> f64 {
    of_this_process(|| {
        let map = map(&archive.path);
        black_box(Sha256::digest(&map[..]));
        let mut out = Vec::new();
        for (offset, known) in archive.members() {
            hash(&map[offset..][..known.len], known, &mut out);
        }
    })
}

fn map(path: &Path) -> FileMap {
    // SAFETY: nobody writes into the bench's own files.
    #[allow(unsafe_code)]
    let access = unsafe { Access::map() };
    FileMap::open_with(path, access, &Limits::default()).expect("the archive")
}

fn touch_pages(bytes: &[u8]) {
    let mut sum = 0_u8;
    for page in bytes.chunks(PAGE) {
        sum = sum.wrapping_add(page[0]);
    }
    black_box(sum);
}

fn walk_streams(bytes: &[u8], known: &Known) {
    for stream in &known.streams {
        black_box(stream.walk(&bytes[stream.offset..]));
    }
}

fn decode_streams(bytes: &[u8], known: &Known, is_for_digests: bool, out: &mut Vec<u8>) {
    for stream in &known.streams {
        let bytes = &bytes[stream.offset..];
        let stored_len = stream.walk(bytes);
        if stream.is_content || !is_for_digests {
            stream.decode(bytes, stored_len, out);
            black_box(&out);
        }
    }
}

fn hash(bytes: &[u8], known: &Known, out: &mut Vec<u8>) {
    black_box(Sha256::digest(bytes));
    decode_streams(bytes, known, true, out);
    for content in &known.content {
        black_box(Sha256::digest(content));
    }
}

/// The system calls that a scan of a folder cannot do without: each folder is listed, and each file is opened beside its
/// folder, asked for its size and times, read and closed.
pub fn calls(folder: &Path) -> f64 {
    of_this_process(|| {
        each_file(folder, |bytes| {
            black_box(bytes);
        });
    })
}

/// The same, and SHA-256 of each file.
pub fn hashed_files(folder: &Path) -> f64 {
    of_this_process(|| {
        each_file(folder, |bytes| {
            black_box(Sha256::digest(bytes));
        });
    })
}

fn each_file(folder: &Path, mut work: impl FnMut(&[u8])) {
    let mut buffer = Vec::new();
    let top = openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).expect("a folder");
    let mut folders = vec![top];
    while let Some(folder) = folders.pop() {
        for entry in Dir::read_from(&folder).expect("a folder") {
            let entry = entry.expect("an entry");
            match entry.file_type() {
                _ if [&b"."[..], b".."].contains(&entry.file_name().to_bytes()) => {}
                FileType::Directory => folders.push(open(&folder, entry.file_name(), OFlags::DIRECTORY)),
                _ => {
                    read(open(&folder, entry.file_name(), OFlags::empty()), &mut buffer);
                    work(&buffer);
                }
            }
        }
    }
}

fn open(folder: &OwnedFd, name: &std::ffi::CStr, flags: OFlags) -> OwnedFd {
    openat(folder, name, OFlags::RDONLY | OFlags::CLOEXEC | flags, Mode::empty()).expect("a file")
}

fn read(file: OwnedFd, buffer: &mut Vec<u8>) {
    let mut file = File::from(file);
    // Asks for times too: they are in a record's stamp.
    buffer.resize(file.metadata().expect("its size").len() as usize, 0);
    file.read_exact(buffer).expect("its bytes");
}
