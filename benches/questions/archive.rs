//! Temporary archives for questions.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use meshpeek::FileMap;

use super::material::{files, open};
use super::writer::pbo::{Tail, Writer};

/// A PBO among the temporary files; deleted on drop.
pub struct Temporary(PathBuf);

impl Temporary {
    fn named() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        Self(std::env::temp_dir().join(format!("meshpeek-table-{process}-{number}.pbo")))
    }

    pub fn new(bytes: &[u8]) -> Self {
        let archive = Self::named();
        std::fs::write(&archive.0, bytes).expect("a place for files");
        archive
    }

    /// Creates one whose members are a sparse file's hole.
    pub fn of_holes(members: u32, member_bytes: u32) -> Self {
        let entry = |writer: Writer, index| {
            let name = format!("data\\models\\house_{index:05}.p3d");
            writer.entry(name.as_bytes(), [0, 0, 0, 1_600_000_000, member_bytes], b"")
        };
        let header = (0..members).fold(Writer::new(), entry).finish(Tail::Bytes(b""));
        let archive = Self::new(&header);
        let file = File::options().write(true).open(&archive.0).expect("the file");
        file.set_len(header.len() as u64 + u64::from(members) * u64::from(member_bytes)).expect("room for a hole");
        archive
    }

    /// Creates one of stored scenes, models and animations: the available files again and again, up to this total size.
    pub fn of_assets(bytes: u64) -> Self {
        let assets = [("b3d", "b3d"), ("lodka", "lod"), ("odol", "p3d"), ("rtm", "rtm")];
        let paths: Vec<PathBuf> = assets.iter().flat_map(|(folder, end)| files(folder, end)).collect();
        let contents: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).expect("a file")).collect();
        let mut left = bytes;
        let mut members = Vec::new();
        for (index, content) in contents.iter().enumerate().cycle() {
            members.push(index);
            match left.checked_sub(content.len() as u64) {
                Some(rest) => left = rest,
                None => break,
            }
        }
        let entry = |writer: Writer, (number, &index): (usize, &usize)| {
            let name = format!("{number}\\{}", paths[index].file_name().expect("a name").to_string_lossy());
            writer.entry(name.as_bytes(), [0, 0, 0, 0, contents[index].len() as u32], b"")
        };
        let archive = Self::named();
        let mut out = BufWriter::new(File::create(&archive.0).expect("a place for files"));
        let header = members.iter().enumerate().fold(Writer::new(), entry).finish(Tail::Bytes(b""));
        out.write_all(&header).expect("room");
        members.iter().for_each(|&index| out.write_all(&contents[index]).expect("room"));
        out.flush().expect("room");
        archive
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn open(&self) -> FileMap {
        open(&self.0)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
