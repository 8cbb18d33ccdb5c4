//! Finds the files below the given paths.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use ignore::{DirEntry, WalkBuilder};

use super::globs::Globs;
use super::identity::FileId;
use super::ignored;
use super::left_out::{LeftOutCounter, Patterns};
use super::options::Scan;
use super::progress::Progress;
use super::selection::Selection;
use super::target::{Target, Targets, Use, is_archive};
use crate::base::error::{Error, Result};
use crate::base::format::Format;

impl Scan {
    /// Returns all files below these paths, in folders and in stores.
    pub(crate) fn walk<'w>(
        &'w self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send + 'w,
    ) -> impl Iterator<Item = Result<Target>> + Send + 'w {
        paths.flat_map(|root| self.below(root, None))
    }

    /// Returns all files below these paths. Counts in the scan's progress what is left out of each folder.
    pub(super) fn counting_walk<'w>(
        &'w self,
        paths: impl Iterator<Item = Result<PathBuf>> + Send + 'w,
    ) -> impl Iterator<Item = Result<Target>> + Send + 'w {
        paths.flat_map(|root| self.below(root, Some(&self.progress)))
    }

    /// Returns the files below a path. An error in place of them is in the list.
    fn below<'w>(&'w self, root: Result<PathBuf>, progress: Option<&'w Progress>) -> Targets<'w> {
        let targets = match root {
            Ok(root) => self.list(root, progress),
            Err(error) => Err(error),
        };
        match targets {
            Ok(targets) => targets,
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    fn list<'w>(&'w self, root: PathBuf, progress: Option<&'w Progress>) -> Result<Targets<'w>> {
        #[cfg(feature = "stores")]
        if let Some(stores) = self.store_of(&root) {
            return self.selection.walk_store(root, self.archives, stores);
        }
        self.selection.walk(root, self.archives, progress)
    }
}

impl Selection {
    /// Returns the file of this path, or all files below it, folder by folder. A path that cannot be read is an error in
    /// the list. With `archives`, includes archives that do not match the patterns but may contain something that does.
    /// Adds what it leaves out to the progress, if there is one.
    pub(crate) fn walk<'w>(
        &'w self,
        root: PathBuf,
        archives: bool,
        progress: Option<&'w Progress>,
    ) -> Result<Targets<'w>> {
        if !root.is_dir() {
            return Ok(Box::new(std::iter::once(Ok(self.named(root, None)))));
        }
        let all = Globs::new(&root, &self.globs)?;
        let (entries, oversized) = self.entries(&root, &all)?;
        // Patterns without a `!` include only matching files, and override ignore rules. So archives that they do not
        // include need a separate walk, in which hidden and ignored ones stay excluded.
        let mut others = None;
        let mut of_archives = None;
        if archives && all.0.num_whitelists() > 0 {
            let exclusions = Globs::exclusions(&root, &self.globs)?;
            let (entries, _) = self.entries(&root, &exclusions)?;
            others = Some(entries);
            of_archives = Some(exclusions);
        }
        let patterns = Patterns { all, of_archives };
        let left_out = LeftOutCounter::new(progress);
        Ok(Box::new(Below { selection: self, root, patterns, entries: Some(entries), others, oversized, left_out }))
    }

    /// Returns the walk, and the folders skipped for the cost of their ignore files, reported after the walk.
    fn entries(&self, root: &Path, globs: &Globs) -> Result<(ignore::Walk, Option<Receiver<Error>>)> {
        let mut walk = WalkBuilder::new(root);
        let oversized = if self.ignored { None } else { Some(ignored::bound(&mut walk, root)?) };
        let walk = walk
            .standard_filters(!self.ignored)
            .hidden(!self.hidden)
            .max_depth(self.folder_depth)
            .follow_links(self.follow)
            .overrides(globs.0.clone())
            // In one folder, whole paths have the order of the names at their ends, and need not be split to find them.
            .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()))
            .build();
        Ok((walk, oversized))
    }

    fn target(&self, entry: DirEntry, use_as: Use) -> Option<Target> {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return None;
        }
        let use_as = if self.excludes(&entry) { Use::Nothing } else { use_as };
        Some(Target { path: entry.into_path(), named: false, use_as, unit: None })
    }

    /// Returns true if the caller excluded this file.
    fn excludes(&self, entry: &DirEntry) -> bool {
        for id in &self.except {
            if id.may_be(entry) && FileId::of(entry.path()).is_ok_and(|found| found == *id) {
                return true;
            }
        }
        false
    }
}

/// The files below a folder.
struct Below<'s> {
    selection: &'s Selection,
    root: PathBuf,
    patterns: Patterns,
    /// The walk, until its end. It then sends no more errors to `oversized`.
    entries: Option<ignore::Walk>,
    /// A second walk, for archives that the patterns do not include.
    others: Option<ignore::Walk>,
    /// The folders that the walk skipped because of the size of their ignore files.
    oversized: Option<Receiver<Error>>,
    left_out: LeftOutCounter<'s>,
}

impl Iterator for Below<'_> {
    type Item = Result<Target>;

    fn next(&mut self) -> Option<Result<Target>> {
        for entry in self.entries.iter_mut().flatten() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let error = walk_error(error, &self.root);
                    if let Some(path) = error.path() {
                        self.left_out.add_error(path);
                    }
                    return Some(Err(error));
                }
            };
            self.left_out.add(&entry, self.selection, &self.patterns);
            if let Some(target) = self.selection.target(entry, Use::Whole) {
                return Some(Ok(target));
            }
        }
        self.entries = None;
        // The first walk has reported the errors.
        for entry in self.others.iter_mut().flatten().flatten() {
            let is_other = is_archive(Format::from_extension(entry.path())) && !self.patterns.all.take(entry.path());
            if is_other && let Some(target) = self.selection.target(entry, Use::Inside) {
                self.left_out.add_reached();
                return Some(Ok(target));
            }
        }
        self.others = None;
        if let Some(oversized) = &self.oversized
            && let Ok(error) = oversized.recv()
        {
            self.left_out.add_reached();
            return Some(Err(error));
        }
        self.left_out.finish();
        None
    }
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
