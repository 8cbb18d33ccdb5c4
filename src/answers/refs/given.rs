//! The paths that the user named.

use std::collections::HashSet;
use std::hash::RandomState;
use std::path::Path;

use super::keys::{Key, folders_around, path_key};
use crate::scan::Scan;

/// The paths that the user named.
pub(super) struct GivenPaths {
    hash: RandomState,
    folders: HashSet<Key>,
}

impl GivenPaths {
    pub(super) fn of(scan: &Scan, hash: &RandomState) -> Self {
        let mut folders: HashSet<Key> = HashSet::new();
        for path in &scan.paths {
            folders.insert(path_key(hash, path));
            if let Ok(whole) = path.canonicalize() {
                folders.insert(path_key(hash, &whole));
            }
        }
        Self { hash: hash.clone(), folders }
    }

    /// Returns true if a path is not below any of them.
    pub(super) fn is_new(&self, path: &Path) -> bool {
        let around = folders_around(&self.hash, path);
        !self.folders.contains(&path_key(&self.hash, path))
            && !around.iter().any(|folder| self.folders.contains(folder))
    }
}
