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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_new_unless_it_is_given_or_below_a_given_one() {
        let hash = RandomState::new();
        let given = GivenPaths::of(&Scan::new(["none/a", "none/b/c.pbo", "none/d/"]), &hash);
        for (path, is_new) in [
            ("none/a", false),
            ("none/a/", false),
            ("none/a/x", false),
            ("none/a/b/c/x", false),
            ("none/ab", true),
            ("none/ab/x", true),
            ("none/x", true),
            ("none", true),
            ("a", true),
            ("x/none/a", true),
            ("none/b/c.pbo", false),
            ("none/b/x", true),
            ("none/b", true),
            ("none/d", false),
            ("none/d/x", false),
        ] {
            assert_eq!(given.is_new(Path::new(path)), is_new, "{path}");
        }
        let none = GivenPaths::of(&Scan::new([""; 0]), &hash);
        assert!(none.is_new(Path::new("a")) && none.is_new(Path::new("/")));
        // The folder that has no name contains every relative path.
        let here = GivenPaths::of(&Scan::new([""]), &hash);
        assert!(!here.is_new(Path::new("a/x")) && here.is_new(Path::new("/none/a")));
    }
}
