//! Files that are no assets.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use meshpeek::FileMap;
use meshpeek::format::NoAsset;
use meshpeek::scan::{Record, Scan};

use crate::args::Common;
use crate::failure::Failure;
use crate::notes::Notes;
use crate::{map, remote, report};

/// The number of bytes that decide what a file is.
const HEAD: u64 = 4096;

const IMAGES: &str = "images";
const SOUNDS: &str = "sounds";

/// Counts files that are no assets, by what they are.
pub(super) struct Others {
    /// True if the counts are shown.
    is_shown: bool,
    files: u64,
    kinds: BTreeMap<&'static str, u64>,
}

impl Others {
    pub(super) fn new(is_shown: bool) -> Self {
        Self { is_shown, files: 0, kinds: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, path: &Path) {
        if !self.is_shown {
            return;
        }
        self.files += 1;
        *self.kinds.entry(kind(path)).or_default() += 1;
    }

    pub(super) fn say(&self, are_listed: bool, notes: Notes) {
        if self.files == 0 {
            return;
        }
        let are = if self.files == 1 { "is no asset" } else { "are no assets" };
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| counted(kind, *count)).collect();
        let hint = if are_listed { "" } else { "; `--others` lists" };
        notes.say(format_args!("{} {are} ({}){hint}", report::count(self.files, "files"), kinds.join(", ")));
    }
}

/// A number of files of a kind, such as `3 images` or `3 text`.
fn counted(kind: &str, files: u64) -> String {
    match kind {
        IMAGES | SOUNDS => report::count(files, kind),
        kind => format!("{} {kind}", report::grouped(files)),
    }
}

/// What a file is, by its beginning.
fn kind(path: &Path) -> &'static str {
    if remote::is_url(path) {
        return "not looked at";
    }
    let Ok(head) = head(path) else { return "unreadable" };
    match NoAsset::of(&head) {
        NoAsset::Image => IMAGES,
        NoAsset::Sound => SOUNDS,
        NoAsset::Rar => "RAR",
        NoAsset::LfsPointer => "Git LFS",
        other => other.name(),
    }
}

/// The beginning of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// The record of such a file.
pub(super) fn record(scan: &Scan, path: &Path, common: &Common) -> Result<Record, Failure> {
    if remote::is_url(path) {
        return Ok(scan.record(path, b""));
    }
    let file = FileMap::open_with(path, map::access(common), &common.limits.limits())?;
    Ok(scan.record(path, &file))
}
