//! Counts what a walk over folders leaves out. The walk itself passes over hidden and ignored files without a word, so
//! each folder is listed once more.

use std::path::Path;

use ignore::DirEntry;

use super::globs::Globs;
use super::selection::Selection;
use crate::base::format::Format;

/// The files and folders that a scan leaves out, as its [`Selection`] says. What a pattern excludes is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Hidden and ignored files that have the extension of a format, and hidden and ignored folders, with all that is in
    /// them. Folders called `.git` are not counted.
    pub hidden_or_ignored: u64,
    /// Symbolic links that are not followed.
    pub links: u64,
    /// Folders whose files are below [`Selection::folder_depth`].
    pub folders_too_deep: u64,
}

/// Compares the folders of a walk with what it reaches in them.
#[derive(Default)]
pub(super) struct Census {
    listed: u64,
    reached: u64,
    links: u64,
    folders_too_deep: u64,
}

impl Census {
    /// Adds a file or folder that the walk reaches. Lists a folder if the walk enters it.
    pub(super) fn add(&mut self, entry: &DirEntry, selection: &Selection, globs: &Globs) {
        let Some(kind) = entry.file_type() else { return };
        // The type of a link that is followed is that of its target, but its folder lists it as a link.
        let is_link = entry.path_is_symlink();
        if is_link && !selection.follow {
            self.links = self.links.saturating_add(1);
        }
        let is_named = entry.depth() == 0;
        if !is_named && is_counted(entry.path(), kind.is_dir() && !is_link) {
            self.reached = self.reached.saturating_add(1);
        }
        if !kind.is_dir() {
            return;
        }
        if selection.folder_depth.is_some_and(|most| entry.depth() >= most) {
            self.folders_too_deep = self.folders_too_deep.saturating_add(1);
            return;
        }
        self.listed = self.listed.saturating_add(count_listed(entry.path(), globs));
    }

    /// Adds a folder that was reported although the walk did not reach it.
    pub(super) fn add_reported(&mut self) {
        self.reached = self.reached.saturating_add(1);
    }

    pub(super) fn left_out(&self) -> LeftOut {
        LeftOut {
            // Files may appear and vanish meanwhile.
            hidden_or_ignored: self.listed.saturating_sub(self.reached),
            links: self.links,
            folders_too_deep: self.folders_too_deep,
        }
    }
}

/// Counts the files and folders in a folder that the patterns do not exclude. The walk reports a folder that cannot be
/// listed.
fn count_listed(folder: &Path, globs: &Globs) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let mut count = 0_u64;
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        if is_counted(Path::new(&name), is_folder) && globs.may_take(folder, &name, is_folder) {
            count = count.saturating_add(1);
        }
    }
    count
}

/// Returns true for a folder that may contain assets, and for a file whose extension promises one.
fn is_counted(path: &Path, is_folder: bool) -> bool {
    if is_folder { path.file_name().is_some_and(|name| name != ".git") } else { Format::from_extension(path).is_some() }
}
