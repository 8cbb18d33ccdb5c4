//! Counts what a walk over folders leaves out. The crate `ignore` does not report the files that it skips, so each folder
//! is listed once more, and compared with what the walk reaches in it.

use std::ffi::OsStr;
use std::path::Path;

use ignore::DirEntry;

use super::config_names::{extension_in, is_surely_config};
use super::globs::Globs;
use super::progress::{LeftOut, Progress};
use super::selection::Selection;
use super::target::is_archive;
use crate::base::format::Format;

/// Compares the folders of a walk with what it reaches in them.
#[derive(Default)]
pub(super) struct LeftOutCounter<'p> {
    /// Where to add the numbers at the end. `None` if nobody asks for them, or once they are added: then nothing is listed.
    progress: Option<&'p Progress>,
    listed: u64,
    reached: u64,
    links: u64,
    folders_too_deep: u64,
}

/// The patterns of a walk.
pub(super) struct Patterns {
    pub(super) all: Globs,
    /// Those with a `!` alone, if archives are opened that the others do not include.
    pub(super) of_archives: Option<Globs>,
}

impl Patterns {
    /// Returns true if no pattern excludes the entry with this name in a folder. Files below it may be excluded.
    fn may_take(&self, folder: &Path, name: &OsStr, is_folder: bool) -> bool {
        // Most scans have none, and need no whole paths.
        if self.all.is_empty() {
            return true;
        }
        let path = &folder.join(name);
        if self.all.may_take(path, is_folder) {
            return true;
        }
        let Some(exclusions) = &self.of_archives else { return false };
        !is_folder && is_archive(Format::from_extension(path)) && exclusions.may_take(path, false)
    }
}

impl<'p> LeftOutCounter<'p> {
    /// Creates a counter that adds its numbers to a progress, or one that counts nothing.
    pub(super) fn new(progress: Option<&'p Progress>) -> Self {
        Self { progress, ..Self::default() }
    }

    /// Adds a file or folder that the walk reaches. Lists a folder if the walk enters it.
    pub(super) fn add(&mut self, entry: &DirEntry, selection: &Selection, patterns: &Patterns) {
        if self.progress.is_none() {
            return;
        }
        let path = entry.path();
        // A link that the caller names is followed in any case.
        if entry.depth() == 0 {
            if path.is_dir() {
                self.enter(entry, selection, patterns);
            }
            return;
        }
        let Some(kind) = entry.file_type() else { return };
        // The type of a link that is followed is that of its target, but its folder lists it as a link.
        let is_link = entry.path_is_symlink();
        if is_link && !selection.follow {
            self.links = self.links.saturating_add(1);
        }
        if is_counted(path, kind.is_dir() && !is_link) {
            self.add_reached();
        }
        if kind.is_dir() {
            self.enter(entry, selection, patterns);
        }
    }

    fn enter(&mut self, folder: &DirEntry, selection: &Selection, patterns: &Patterns) {
        if selection.folder_depth.is_some_and(|most| folder.depth() >= most) {
            self.folders_too_deep = self.folders_too_deep.saturating_add(1);
            return;
        }
        self.listed = self.listed.saturating_add(count_listed(folder.path(), patterns));
    }

    /// Adds a file or folder that is a result or an error of the walk, and that [`add`](Self::add) has not seen.
    pub(super) fn add_reached(&mut self) {
        self.reached = self.reached.saturating_add(1);
    }

    /// Adds the error of a path. The walk has no entry for a link that leads nowhere, if links are followed.
    pub(super) fn add_error(&mut self, path: &Path) {
        if path.is_symlink() && is_counted(path, false) {
            self.add_reached();
        }
    }

    /// Adds the numbers to the progress, once.
    pub(super) fn finish(&mut self) {
        let Some(progress) = self.progress.take() else { return };
        progress.add_left_out(LeftOut {
            // Files may appear and vanish meanwhile.
            hidden_or_ignored: self.listed.saturating_sub(self.reached),
            links: self.links,
            folders_too_deep: self.folders_too_deep,
        });
    }
}

/// Counts the files and folders in a folder that the patterns do not exclude. The walk reports a folder that cannot be
/// listed.
fn count_listed(folder: &Path, patterns: &Patterns) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let mut count = 0_u64;
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        if is_counted(Path::new(&name), is_folder) && patterns.may_take(folder, &name, is_folder) {
            count = count.saturating_add(1);
        }
    }
    count
}

/// Returns true for a folder that may contain assets, and for a file whose name is that of an asset or config.
fn is_counted(path: &Path, is_folder: bool) -> bool {
    if is_folder {
        return path.file_name().is_some_and(|name| name != ".git");
    }
    Format::from_extension(path).is_some() || is_surely_config(path) || extension_in(path, &["bin"])
}
