//! Compares two folders file by file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::walk::{Selection, Use};
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::diff::{Change, Difference, Options, Paired, Side, compare_files, pair_paths};
use crate::source::{Access, FileMap};

/// The files of two folders.
#[derive(Debug)]
pub struct Folders {
    files: [Vec<(Name, File)>; 2],
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    bytes: u64,
}

/// How the files of folders are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// How they are read into memory.
    pub access: Access,
    /// The limits for each file.
    pub limits: Limits,
}

impl Folders {
    /// Lists the files below two folders. Folders that cannot be listed are reported to `errors`.
    pub fn list(folders: [&Path; 2], selection: &Selection, errors: &mut dyn FnMut(Error)) -> Self {
        let mut list = |folder: &Path| {
            let mut files = Vec::new();
            let targets = selection.walk(folder.to_owned(), false).map_err(&mut *errors);
            for target in targets.into_iter().flatten() {
                match target {
                    Ok(target) if target.use_as == Use::Nothing => {}
                    Ok(target) => {
                        let path = target.path;
                        let below = path.strip_prefix(folder).unwrap_or(&path);
                        let name = Name::from(below);
                        let bytes = path.metadata().map_or(0, |metadata| metadata.len());
                        files.push((name, File { path, bytes }));
                    }
                    Err(error) => errors(error),
                }
            }
            files
        };
        Self { files: folders.map(&mut list) }
    }

    /// Returns the total size of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().flatten().fold(0, |sum, (_, file)| file.bytes.saturating_add(sum))
    }

    /// Reports the differences between files of the same path, ignoring case. If both files are assets, they are
    /// compared part by part. A file with the same bytes under another path is moved. Files that cannot be compared are
    /// reported to `errors`. Reads every file that exists in both folders.
    pub fn compare(
        self,
        reading: &Reading,
        options: &Options,
        sink: &mut dyn FnMut(Difference) -> ControlFlow<()>,
        errors: &mut dyn FnMut(Error),
    ) {
        let open = |file: &File| FileMap::open_with(&file.path, reading.access, &reading.limits);
        let content = |_, file: &File| {
            let digest = open(file).map(|bytes| Sha256::digest(&*bytes).into());
            Ok(digest.ok())
        };
        let [a, b] = self.files;
        let pairs = match pair_paths(a, b, |file| file.bytes, content) {
            Ok(pairs) => pairs,
            Err(error) => return errors(error),
        };
        for pair in pairs {
            let mut flow = ControlFlow::Continue(());
            let whole = |change, name: Name, to| Difference { to, ..Difference::of_file(change, Some(Arc::new(name))) };
            match pair {
                Paired::Both([(name, a), (_, b)]) => {
                    let mut sink = |difference| {
                        if flow.is_continue() {
                            flow = sink(difference);
                        }
                    };
                    if let Err(error) = both([&a, &b], name, reading, options, &mut sink) {
                        errors(error);
                    }
                }
                Paired::Moved([name, to]) => flow = sink(whole(Change::Moved, name, Some(to.text))),
                Paired::Removed(name) => flow = sink(whole(Change::Removed, name, None)),
                Paired::Added(name) => flow = sink(whole(Change::Added, name, None)),
            }
            if flow.is_break() {
                return;
            }
        }
    }
}

/// Compares two files that have the same path.
fn both(
    files: [&File; 2],
    name: Name,
    reading: &Reading,
    options: &Options,
    sink: &mut dyn FnMut(Difference),
) -> Result<()> {
    let [a, b] = files;
    let open = |file: &File| FileMap::open_with(&file.path, reading.access, &reading.limits);
    let [of_a, of_b] = [open(a)?, open(b)?];
    let budgets = [&of_a, &of_b].map(|bytes| Budget::new(bytes.len() as u64, &reading.limits));
    let [one, two] = &budgets;
    let sides = [Side { file: &a.path, data: &of_a, budget: one }, Side { file: &b.path, data: &of_b, budget: two }];
    compare_files(sides, Arc::new(name), options, sink).map_err(|error| error.in_file(&a.path))?;
    of_a.unchanged().map_err(|error| error.in_file(&a.path))?;
    of_b.unchanged().map_err(|error| error.in_file(&b.path))
}
