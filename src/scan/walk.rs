//! Which files lie below the given paths.

use std::path::{Path, PathBuf};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, WalkBuilder};

use super::ignored;
use crate::error::{Error, ErrorKind, Result};

/// Which files of a folder are looked at. A path that is named itself always is.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Hidden files and folders too.
    pub hidden: bool,
    /// Files too that `.gitignore`, `.ignore` and their like leave out.
    pub ignored: bool,
    /// Only files whose path fits one of these patterns; with a `!` in front, all that fit none of these.
    pub globs: Vec<String>,
    /// So many folders below the named one at most; 0 is the named path alone.
    pub max_depth: Option<usize>,
}

/// A file to look at.
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// Whether the caller named this very file.
    pub(super) named: bool,
}

impl Selection {
    /// Checks what the caller gave as patterns.
    ///
    /// # Errors
    /// Where one of the globs is no pattern.
    pub(super) fn check(&self) -> Result<()> {
        self.overrides(Path::new("")).map(drop)
    }

    fn overrides(&self, root: &Path) -> Result<Override> {
        let mut builder = OverrideBuilder::new(root);
        let bad = |error: ignore::Error| Error::malformed(format!("not a pattern for paths: {error}"));
        for glob in &self.globs {
            builder.add(glob).map_err(bad)?;
        }
        builder.build().map_err(bad)
    }

    /// All files below these paths, folder by folder; a path that cannot be read is an error among them.
    pub(super) fn walk(&self, paths: &[PathBuf]) -> impl Iterator<Item = Result<Target>> + Send {
        paths.iter().flat_map(move |root| self.walk_one(root))
    }

    fn walk_one(&self, root: &Path) -> Box<dyn Iterator<Item = Result<Target>> + Send> {
        if !root.is_dir() {
            return Box::new(std::iter::once(Ok(Target { path: root.to_owned(), named: true })));
        }
        let overrides = match self.overrides(root) {
            Ok(overrides) => overrides,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let root = root.to_owned();
        let mut walk = WalkBuilder::new(&root);
        let left_out = match (!self.ignored).then(|| ignored::bound(&mut walk, &root)).transpose() {
            Ok(left_out) => left_out,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let walk = walk
            .standard_filters(!self.ignored)
            .hidden(!self.hidden)
            .max_depth(self.max_depth)
            .overrides(overrides)
            .sort_by_file_name(Ord::cmp)
            .build();
        Box::new(walk.filter_map(move |entry| target(entry, &root)).chain(left_out.into_iter().flatten().map(Err)))
    }
}

fn target(entry: std::result::Result<DirEntry, ignore::Error>, root: &Path) -> Option<Result<Target>> {
    match entry {
        // A walk that does not follow links tells of a link as what it is.
        Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink()) => {
            let path = entry.into_path();
            path.is_file().then_some(Ok(Target { path, named: false }))
        }
        Ok(_) => None,
        Err(error) => Some(Err(walk_error(error, root))),
    }
}

fn walk_error(error: ignore::Error, root: &Path) -> Error {
    let path = match &error {
        ignore::Error::WithPath { path, .. } => path.clone(),
        _ => root.to_owned(),
    };
    let message = error.to_string();
    let error = error.into_io_error().unwrap_or_else(|| std::io::Error::other(message));
    Error::new(ErrorKind::Io(error)).in_file(&path)
}
