//! Which files of a folder a scan takes.

use std::path::{Path, PathBuf};

use super::identity::FileId;
use super::target::{Target, Use};
use super::unit::Unit;
use crate::asset::address::Address;

/// Selects the files of a folder. A path that you name is always included.
///
/// Symbolic links below a folder are skipped unless [`follow`](Self::follow) is set. Everything that is not a regular
/// file is skipped too: pipes, sockets, devices.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Selection {
    /// Include hidden files and folders.
    pub hidden: bool,
    /// Include files that `.gitignore`, `.ignore` and similar files exclude.
    pub ignored: bool,
    /// Only files whose path matches one of these patterns, ignoring ASCII case. A `!` at the start excludes matching
    /// files. Archives are opened nevertheless, and the patterns apply to the paths of their members, with the archive
    /// as the root folder. Only a `!` keeps an archive closed.
    pub globs: Vec<String>,
    /// The most levels of folders below the named one; 0 is the named path alone.
    pub folder_depth: Option<usize>,
    /// Follow symbolic links.
    pub follow: bool,
    /// Excludes these files, by whatever path they are found. Each is reported as [`Found::Excluded`](super::Found).
    pub except: Vec<FileId>,
}

impl Selection {
    /// Returns the target that the caller named.
    pub(super) fn named(&self, path: PathBuf, unit: Option<Unit>) -> Target {
        let is_excepted = !self.except.is_empty() && self.excepts(&path);
        let use_as = if is_excepted { Use::Nothing } else { Use::Whole };
        Target { path, named: true, use_as, unit }
    }

    /// Returns true if the caller excluded the file of this address.
    fn excepts(&self, path: &Path) -> bool {
        match FileId::of(&Address::parse(path).file) {
            Ok(id) => self.except.contains(&id),
            Err(_) => false,
        }
    }
}
