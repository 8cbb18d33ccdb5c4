//! Compares two folders file by file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::diff::{Change, Difference, Fact, Options, Paired, Side, compare_files, pair_paths};
use crate::scan::Selection;
use crate::scan::target::Use;
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
        let mut bytes = 0;
        if let Ok(path) = &content
            && let Ok(metadata) = path.metadata()
        {
            bytes = metadata.len();
        }
        Self { content, bytes }
    }

    fn open(&self, reading: &Reading) -> Result<FileMap> {
        let path = self.content.as_ref().map_err(Error::clone)?;
        FileMap::open_with(path, reading.access, &reading.limits)
    }

    /// The reason why it has no bytes.
    fn reason(&self) -> Fact {
        match &self.content {
            Ok(_) => Fact::ABSENT,
            Err(error) => Fact::Text(Name { text: error.message(), lossy: false }),
        }
    }

    /// SHA-256 of its bytes, if they can be read.
    fn digest(&self, reading: &Reading) -> Option<[u8; 32]> {
        let bytes = self.open(reading).ok()?;
        Some(Sha256::digest(&*bytes).into())
    }
}

impl Files {
    /// Lists the files below a folder. Folders that cannot be listed are reported to `errors`.
    pub fn list(folder: &Path, selection: &Selection, errors: &mut dyn FnMut(Error)) -> Self {
        let mut files = Self::default();
        let targets = match selection.walk(folder.to_owned(), false, None) {
            Ok(targets) => targets,
            Err(error) => {
                errors(error);
                return files;
            }
        };
        for target in targets {
            match target {
                Ok(target) if target.use_as == Use::Nothing => {}
                Ok(target) => {
                    let name = Name::from(target.path.strip_prefix(folder).unwrap_or(&target.path));
                    files.push(name, Ok(target.path));
                }
                Err(error) => errors(error),
            }
        }
        files
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
#[non_exhaustive]
pub struct Reading {
    /// How they are read into memory.
    pub access: Access,
    /// The limits for each file.
    pub limits: Limits,
}

impl Reading {
    /// Reads files in this way, each within these limits.
    pub const fn new(access: Access, limits: Limits) -> Self {
        Self { access, limits }
    }
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
        let mut bytes = 0_u64;
        for side in &self.sides {
            for (_, file) in &side.list {
                bytes = bytes.saturating_add(file.bytes);
            }
        }
        bytes
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
        let [a, b] = self.sides;
        let pairs = match pair_paths(a.list, b.list, |file| file.bytes, |_, file| Ok(file.digest(reading))) {
            Ok(pairs) => pairs,
            Err(error) => return errors(error),
        };
        for pair in pairs {
            let mut flow = ControlFlow::Continue(());
            match pair {
                Paired::Both([one, two]) => {
                    let mut sink = |difference| {
                        if flow.is_continue() {
                            flow = sink(difference);
                        }
                    };
                    let one = Shown::new(a.prefix.as_deref(), one);
                    let two = Shown::new(b.prefix.as_deref(), two);
                    if let Err(error) = both([one, two], reading, options, &mut sink) {
                        errors(error);
                    }
                }
                Paired::Moved([name, to]) => {
                    let mut moved = of_whole(Change::Moved, name);
                    moved.to = Some(to.text);
                    flow = sink(moved);
                }
                Paired::Removed(name) => flow = sink(of_whole(Change::Removed, name)),
                Paired::Added(name) => flow = sink(of_whole(Change::Added, name)),
            }
            if flow.is_break() {
                return;
            }
        }
    }
}

/// A difference of a file as a whole.
fn of_whole(change: Change, name: Name) -> Difference {
    Difference::of_file(change, Some(Arc::new(name)))
}

/// A file with the path that messages show.
struct Shown {
    name: Name,
    file: File,
    path: PathBuf,
}

impl Shown {
    fn new(prefix: Option<&str>, (name, file): (Name, File)) -> Self {
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
    if a.file.content.is_err() || b.file.content.is_err() {
        let reasons = [a.file.reason(), b.file.reason()];
        let difference = of_whole(Change::Changed, a.name);
        sink(Difference { place: "problems".to_owned(), values: Some(reasons), ..difference });
        return Ok(());
    }
    let of_a = a.file.open(reading)?;
    let of_b = b.file.open(reading)?;
    let one = Side { file: &a.path, data: &of_a, budget: &Budget::new(of_a.len() as u64, &reading.limits) };
    let two = Side { file: &b.path, data: &of_b, budget: &Budget::new(of_b.len() as u64, &reading.limits) };
    compare_files([one, two], Arc::new(a.name), options, sink).map_err(|error| error.in_file(&a.path))?;
    of_a.unchanged().map_err(|error| error.in_file(&a.path))?;
    of_b.unchanged().map_err(|error| error.in_file(&b.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of the temporary files, which is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("meshpeek-folders-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, bytes: &str) -> PathBuf {
            let path = self.0.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn name(text: &str) -> Name {
        Name { text: text.to_owned(), lossy: false }
    }

    /// The differences of these files, until `last` more have come, and the errors.
    fn compare(sides: [Files; 2], last: usize) -> (Vec<Difference>, Vec<Error>) {
        let (mut differences, mut errors) = (Vec::new(), Vec::new());
        let mut sink = |difference| {
            differences.push(difference);
            if differences.len() > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut other = |error| errors.push(error);
        let reading = Reading { access: Access::READ, limits: Limits::default() };
        Folders::new(sides).compare(&reading, &Options::default(), &mut sink, &mut other);
        (differences, errors)
    }

    #[test]
    fn files_on_both_sides_differ_in_their_bytes_or_in_why_there_are_none() {
        let folder = Folder::new("pairs");
        let paths =
            [folder.file("one", "1"), folder.file("same", "1"), folder.file("other", "2"), folder.file("long", "333")];
        let contents: Vec<Option<&PathBuf>> = paths.iter().map(Some).chain([None]).collect();
        for one in &contents {
            for two in &contents {
                let sides = [one, two].map(|content| {
                    let mut files = Files::with_prefix("x.zip!/".to_owned());
                    let content = content.cloned().ok_or_else(|| Error::malformed("why"));
                    files.push(name("f.txt"), content);
                    files
                });
                let bytes = |path: &Option<&PathBuf>| path.map(|path| std::fs::read(path).unwrap());
                let (a, b) = (bytes(one), bytes(two));
                let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len) as u64;
                let [first, second] = sides;
                let folders = Folders::new([first, second]);
                assert_eq!(folders.bytes(), length(&a) + length(&b));
                let (differences, errors) = compare(folders.sides, usize::MAX);
                assert!(errors.is_empty(), "{errors:?}");
                let reason = |bytes: &Option<Vec<u8>>| match bytes {
                    Some(_) => Fact::ABSENT,
                    None => Fact::Text(name("why")),
                };
                if a.is_none() || b.is_none() {
                    let [difference] = &differences[..] else { panic!("{differences:?}") };
                    assert_eq!((difference.change, difference.place.as_str()), (Change::Changed, "problems"));
                    assert_eq!(difference.values, Some([reason(&a), reason(&b)]));
                } else {
                    assert_eq!(differences.is_empty(), a == b, "{one:?} {two:?}");
                }
            }
        }
    }

    #[test]
    fn a_comparison_ends_when_its_callback_breaks() {
        let folder = Folder::new("breaks");
        // Two are changed, one is moved, two are removed and two added.
        let long = &"these bytes moved".repeat(9);
        let lists = [
            [("a", "1"), ("b", "1"), ("moved", long), ("gone", "22"), ("lost", "333")],
            [("a", "2"), ("b", "2"), ("to", long), ("new", "4444"), ("other", "55555")],
        ];
        let mut all = 0;
        for last in (0..8).rev() {
            let mut number = 0;
            let sides = lists.map(|list| {
                number += 1;
                let mut files = Files::default();
                for (path, bytes) in list {
                    files.push(name(path), Ok(folder.file(&format!("{number}{path}"), bytes)));
                }
                files
            });
            let (differences, errors) = compare(sides, last);
            if last == 7 {
                all = differences.len();
                let moved = differences.iter().find(|difference| difference.change == Change::Moved).unwrap();
                assert_eq!((&moved.path.as_ref().unwrap().text[..], moved.to.as_deref()), ("moved", Some("to")));
            }
            assert!(all == 7 && errors.is_empty(), "{errors:?}");
            assert_eq!(differences.len(), all.min(last + 1));
        }
    }

    #[test]
    fn errors_of_a_pair_name_the_file_or_the_member_by_its_prefix() {
        let content = || Ok(PathBuf::from("t/1"));
        for (prefix, content, expected) in [
            (None, content(), "t/1"),
            (None, Err(Error::malformed("why")), "d/f.p3d"),
            (Some("x.zip!/"), content(), "x.zip!/d/f.p3d"),
            (Some("x.zip!/"), Err(Error::malformed("why")), "x.zip!/d/f.p3d"),
        ] {
            let shown = Shown::new(prefix, (name("d/f.p3d"), File::new(content)));
            assert_eq!(shown.path, Path::new(expected), "{prefix:?}");
        }
    }
}
