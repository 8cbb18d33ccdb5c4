//! Finds the files below the given paths.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use ignore::{DirEntry, WalkBuilder};

use super::globs::Globs;
use super::identity::FileId;
use super::ignored;
use super::units::Unit;
use crate::asset::address::Address;
use crate::base::error::{Error, Result};
use crate::base::format::Format;

/// Selects the files of a folder. A path that you name is always included.
///
/// Symbolic links below a folder are skipped unless [`follow`](Self::follow) is set. Everything that is not a regular
/// file is skipped too: pipes, sockets, devices.
#[derive(Clone, Debug, Default)]
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
    /// Excludes these files, by whatever path they are found. Each is reported as [`Found::PassedOver`](super::Found).
    pub except: Vec<FileId>,
}

/// A file that the walk found.
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// True if the caller named this exact file.
    pub(super) named: bool,
    pub(super) use_as: Use,
    /// The part of it that belongs to a unit, if units are scanned.
    pub(super) unit: Option<Unit>,
}

/// The files below a path.
pub(super) type Targets<'t> = Box<dyn Iterator<Item = Result<Target>> + Send + 't>;

/// Takes the next unit of the list if it fits.
pub(super) type NextIf<'n> = dyn Fn(&dyn Fn(&Unit) -> bool) -> Option<Unit> + Sync + 'n;

/// How to handle a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Scan it and everything inside it.
    Whole,
    /// Scan only its contents.
    Inside,
    /// Skip it.
    Nothing,
}

impl Target {
    /// Returns the file, and the member if the caller named one.
    pub(super) fn address(&self) -> Address {
        match self.named {
            true => Address::parse(&self.path),
            false => Address { file: self.path.clone(), member: None },
        }
    }

    /// Returns true if it has a record even if it is not an asset.
    pub(super) fn is_expected(&self) -> bool {
        self.named && self.unit.as_ref().is_none_or(|unit| unit.named)
    }
}

impl Selection {
    /// Returns the file of this path, or all files below it, folder by folder. A path that cannot be read is an error in
    /// the list. With `archives`, includes archives that do not match the patterns but may contain something that does.
    pub(super) fn walk(&self, root: PathBuf, archives: bool) -> Result<Targets<'_>> {
        if !root.is_dir() {
            return Ok(Box::new(std::iter::once(Ok(self.named(root, None)))));
        }
        let (globs, exclusions) = (Globs::new(&root, &self.globs)?, Globs::exclusions(&root, &self.globs)?);
        let (entries, left_out) = self.entries(&root, &globs)?;
        // Patterns without a `!` include only matching files, and override ignore rules. So archives that they do not
        // include need a separate walk, in which hidden and ignored ones stay excluded.
        let others = (archives && globs.0.num_whitelists() > 0).then(|| self.entries(&root, &exclusions));
        let others = others
            .into_iter()
            .flatten()
            .flat_map(|(entries, _)| entries)
            .flatten()
            .filter(move |entry| is_archive(Format::from_extension(entry.path())) && !globs.take(entry.path()));
        let others = others.filter_map(|entry| self.target(entry, Use::Inside)).map(Ok);
        let entries = entries.filter_map(move |entry| match entry {
            Ok(entry) => self.target(entry, Use::Whole).map(Ok),
            Err(error) => Some(Err(walk_error(error, &root))),
        });
        Ok(Box::new(entries.chain(others).chain(left_out.into_iter().flatten().map(Err))))
    }

    pub(super) fn named(&self, path: PathBuf, unit: Option<Unit>) -> Target {
        let id = || FileId::of(&Address::parse(&path).file);
        let is_excepted = !self.except.is_empty() && id().is_ok_and(|id| self.except.contains(&id));
        let use_as = if is_excepted { Use::Nothing } else { Use::Whole };
        Target { path, named: true, use_as, unit }
    }

    /// Returns the walk, and the folders skipped for the cost of their ignore files, reported after the walk.
    fn entries(&self, root: &Path, globs: &Globs) -> Result<(ignore::Walk, Option<Receiver<Error>>)> {
        let mut walk = WalkBuilder::new(root);
        let left_out = (!self.ignored).then(|| ignored::bound(&mut walk, root)).transpose()?;
        let walk = walk
            .standard_filters(!self.ignored)
            .hidden(!self.hidden)
            .max_depth(self.folder_depth)
            .follow_links(self.follow)
            .overrides(globs.0.clone())
            // In one folder, whole paths have the order of the names at their ends, and need not be split to find them.
            .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()))
            .build();
        Ok((walk, left_out))
    }

    fn target(&self, entry: DirEntry, use_as: Use) -> Option<Target> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return None;
        }
        let is_excepted = |id: &FileId| id.may_be(&entry) && FileId::of(entry.path()).is_ok_and(|found| found == *id);
        let use_as = if self.except.iter().any(is_excepted) { Use::Nothing } else { use_as };
        Some(Target { path: entry.into_path(), named: false, use_as, unit: None })
    }
}

/// Returns true for files that are opened to find others inside them.
pub(super) fn is_archive(format: Option<Format>) -> bool {
    matches!(format, Some(Format::Pbo | Format::Zip))
}

/// Returns the system's error without the path that the walk put into its text, so that the path appears once.
fn walk_error(error: ignore::Error, root: &Path) -> Error {
    let mut path = root.to_owned();
    let mut inner = &error;
    loop {
        use ignore::Error::{Loop, WithDepth, WithLineNumber, WithPath};
        inner = match inner {
            WithPath { path: of_this, err } => {
                path.clone_from(of_this);
                err
            }
            WithDepth { err, .. } | WithLineNumber { err, .. } => err,
            Loop { child, .. } => {
                let error = std::io::Error::other("a link that leads back to a folder around it");
                return Error::from(error).in_file(child);
            }
            _ => break,
        }
    }
    let message = inner.to_string();
    let error = error.into_io_error().unwrap_or_else(|| std::io::Error::other(message));
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    let code = cause.and_then(std::io::Error::raw_os_error);
    Error::from(code.map_or(error, std::io::Error::from_raw_os_error)).in_file(&path)
}
