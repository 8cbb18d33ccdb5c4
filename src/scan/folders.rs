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
use crate::diff::{Change, Difference, Fact, Options, Paired, Side, compare_files, pair_paths};
use crate::source::{Access, FileMap};

/// The files of two folders.
#[derive(Debug)]
pub struct Folders {
    sides: [Files; 2],
}

/// The files of one folder.
#[derive(Debug, Default)]
pub struct Files {
    list: Vec<(Name, File)>,
    prefix: Option<String>,
}

#[derive(Debug)]
struct File {
    /// Where its bytes are, or why there are none.
    content: Result<PathBuf>,
    bytes: u64,
}

impl File {
    fn new(content: Result<PathBuf>) -> Self {
        let metadata = content.as_ref().map(|path| path.metadata());
        let bytes = if let Ok(Ok(metadata)) = metadata { metadata.len() } else { 0 };
        Self { content, bytes }
    }

    fn open(&self, reading: &Reading) -> Result<FileMap> {
        let path = self.content.as_ref().map_err(Error::clone)?;
        FileMap::open_with(path, reading.access, &reading.limits)
    }
}

impl Files {
    /// Lists the files below a folder. Folders that cannot be listed are reported to `errors`.
    pub fn list(folder: &Path, selection: &Selection, errors: &mut dyn FnMut(Error)) -> Self {
        let mut list = Vec::new();
        let targets = selection.walk(folder.to_owned(), false).map_err(&mut *errors);
        for target in targets.into_iter().flatten() {
            match target {
                Ok(target) if target.use_as == Use::Nothing => {}
                Ok(target) => {
                    let name = Name::from(target.path.strip_prefix(folder).unwrap_or(&target.path));
                    list.push((name, File::new(Ok(target.path))));
                }
                Err(error) => errors(error),
            }
        }
        Self { list, prefix: None }
    }

    /// Creates an empty list, for files whose bytes are not below their folder. Errors name them by the prefix followed
    /// by the name.
    pub fn with_prefix(prefix: String) -> Self {
        Self { list: Vec::new(), prefix: Some(prefix) }
    }

    /// Adds a file by its path below the folder. `content` is a file with its bytes, or the reason why there is none.
    pub fn push(&mut self, name: Name, content: Result<PathBuf>) {
        self.list.push((name, File::new(content)));
    }
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
    /// Takes the files of two folders.
    pub fn new(sides: [Files; 2]) -> Self {
        Self { sides }
    }

    /// [Lists](Files::list) the files below two folders.
    pub fn list(folders: [&Path; 2], selection: &Selection, errors: &mut dyn FnMut(Error)) -> Self {
        Self::new(folders.map(|folder| Files::list(folder, selection, &mut *errors)))
    }

    /// Returns the total size of all files.
    pub fn bytes(&self) -> u64 {
        let files = self.sides.iter().flat_map(|side| &side.list);
        files.fold(0, |sum, (_, file)| file.bytes.saturating_add(sum))
    }

    /// Reports the differences between files of the same path: first those of exactly the same path, then those whose
    /// paths differ only in case. If both files are assets, they are compared part by part. A file with the same bytes
    /// under another path is moved. Files that cannot be compared are reported to `errors`; of files without bytes, the
    /// reasons are reported as a difference. Reads every file that exists in both folders.
    pub fn compare(
        self,
        reading: &Reading,
        options: &Options,
        sink: &mut dyn FnMut(Difference) -> ControlFlow<()>,
        errors: &mut dyn FnMut(Error),
    ) {
        let content = |_, file: &File| {
            let digest = file.open(reading).map(|bytes| Sha256::digest(&*bytes).into());
            Ok(digest.ok())
        };
        let [a, b] = self.sides;
        let pairs = match pair_paths(a.list, b.list, |file| file.bytes, content) {
            Ok(pairs) => pairs,
            Err(error) => return errors(error),
        };
        for pair in pairs {
            let mut flow = ControlFlow::Continue(());
            let whole = |change, name: Name, to| Difference { to, ..Difference::of_file(change, Some(Arc::new(name))) };
            match pair {
                Paired::Both([one, two]) => {
                    let mut sink = |difference| {
                        if flow.is_continue() {
                            flow = sink(difference);
                        }
                    };
                    let sides = [(a.prefix.as_deref(), one), (b.prefix.as_deref(), two)];
                    let pair = sides.map(|(prefix, (name, file))| Shown::new(prefix, name, file));
                    if let Err(error) = both(pair, reading, options, &mut sink) {
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

/// A file with the path that messages show.
struct Shown {
    name: Name,
    file: File,
    path: PathBuf,
}

impl Shown {
    fn new(prefix: Option<&str>, name: Name, file: File) -> Self {
        let path = match (prefix, &file.content) {
            (None, Ok(path)) => path.clone(),
            (prefix, _) => PathBuf::from(format!("{}{}", prefix.unwrap_or_default(), name.text)),
        };
        Self { name, file, path }
    }
}

/// Compares two files that have the same path.
fn both(files: [Shown; 2], reading: &Reading, options: &Options, sink: &mut dyn FnMut(Difference)) -> Result<()> {
    let [a, b] = files;
    let contents = [&a, &b].map(|side| side.file.content.as_ref());
    if contents.iter().any(|content| content.is_err()) {
        let reasons = contents.map(|content| match content {
            Ok(_) => Fact::ABSENT,
            Err(error) => Fact::Text(Name { text: error.message(), lossy: false }),
        });
        let difference = Difference::of_file(Change::Changed, Some(Arc::new(a.name)));
        sink(Difference { place: "problems".to_owned(), values: Some(reasons), ..difference });
        return Ok(());
    }
    let [of_a, of_b] = [a.file.open(reading)?, b.file.open(reading)?];
    let budgets = [&of_a, &of_b].map(|bytes| Budget::new(bytes.len() as u64, &reading.limits));
    let [one, two] = &budgets;
    let sides = [Side { file: &a.path, data: &of_a, budget: one }, Side { file: &b.path, data: &of_b, budget: two }];
    compare_files(sides, Arc::new(a.name), options, sink).map_err(|error| error.in_file(&a.path))?;
    of_a.unchanged().map_err(|error| error.in_file(&a.path))?;
    of_b.unchanged().map_err(|error| error.in_file(&b.path))
}
