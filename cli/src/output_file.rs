//! The file of `-o`. The old file stays until the new one is complete.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use meshpeek::scan::FileId;
use tempfile::{Builder, NamedTempFile};

use crate::failure::Failure;
use crate::lock::lock;
use crate::visible::shown;

/// The temporary files to remove if the program ends at once.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The extensions that select a format. Files with other extensions get the format of a pipe,
/// but for those of [`FOREIGN`], which are refused.
const ENDINGS: [&str; 10] = ["csv", "ndjson", "json", "npy", "parquet", "arrow", "png", "glb", "obj", "ply"];
/// The extensions of formats that no verb writes. Under such a name, results would look like a damaged file to the
/// program that opens it.
const FOREIGN: [&str; 12] =
    ["xlsx", "xls", "ods", "tsv", "feather", "sqlite", "db", "xml", "html", "yaml", "yml", "pdf"];

/// The destination of results instead of standard output.
pub(crate) struct OutputFile {
    pub(crate) path: PathBuf,
    way: Way,
    /// True if there was no such file.
    pub(crate) is_new: bool,
    /// The target as it was found and the temporary file. Neither is an input of the same run.
    pub(crate) ids: Vec<FileId>,
}

enum Way {
    /// A pipe or a device, written directly.
    Straight(File),
    /// Our own standard output by another name.
    StandardOutput,
    /// Written next to the target, which it replaces at the end.
    Beside(NamedTempFile, PathBuf),
}

impl OutputFile {
    /// Prepares to write to `path`.
    ///
    /// # Errors
    /// Returns an error if the target cannot be written, or if it is one of these inputs under any name.
    pub(crate) fn open(path: &Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let named = |error: io::Error| Failure::io(path, error);
        let file = match OpenOptions::new().write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let new = beside(path, None).map_err(named)?;
                return Self::new(path, Way::Beside(new, path.to_owned()), None);
            }
            Err(error) => return Err(named(error)),
        };
        let id = FileId::of(path)?;
        let is_regular = file.metadata().map_err(named)?.is_file();
        if is_regular {
            for input in inputs {
                if FileId::of(input).is_ok_and(|input| input == id) {
                    return Err(Self::is_input(path, input));
                }
            }
        }
        if cfg!(unix) && FileId::of(Path::new("/dev/stdout")).is_ok_and(|stdout| stdout == id) {
            return Self::new(path, Way::StandardOutput, Some(id));
        }
        if !is_regular {
            return Self::new(path, Way::Straight(file), None);
        }
        // Write through a link, so that it keeps its target.
        let target = without_link(path).map_err(named)?;
        let new = beside(&target, Some(&file)).map_err(named)?;
        Self::new(path, Way::Beside(new, target), Some(id))
    }

    /// An output that is written in this way. `existing` is the file that is at its path now.
    fn new(path: &Path, way: Way, existing: Option<FileId>) -> Result<Self, Failure> {
        // A device such as /dev/null is there already, although it has no identity.
        let is_new = existing.is_none() && matches!(way, Way::Beside(..));
        let mut ids = Vec::from_iter(existing);
        if let Way::Beside(temporary, _) = &way {
            ids.push(FileId::of(temporary.path())?);
            remove_if_interrupted(temporary.path());
        }
        Ok(Self { path: path.to_owned(), way, is_new, ids })
    }

    /// The error for writing to an input.
    pub(crate) fn is_input(output: &Path, input: &Path) -> Failure {
        Failure::at(output, format_args!("is the same file as the input {}; nothing was written", shown(input)))
    }

    /// A stream into it. `None` if it is standard output.
    pub(crate) fn stream(&self) -> Result<Option<File>, Failure> {
        let file = match &self.way {
            Way::StandardOutput => return Ok(None),
            Way::Straight(file) => file,
            Way::Beside(new, _) => new.as_file(),
        };
        match file.try_clone() {
            Ok(file) => Ok(Some(file)),
            Err(error) => Err(Failure::io(&self.path, error)),
        }
    }

    /// Replaces the old file by the new one. If this is dropped instead, the old file is unchanged.
    ///
    /// # Errors
    /// Returns the error of the operating system. The old file is then still there.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let named = |error| Failure::io(&self.path, error);
        if let Way::Beside(new, target) = self.way {
            // After a loss of power, either the old or the new file exists, not an empty one.
            new.as_file().sync_all().map_err(named)?;
            new.persist(of_any_length(&target)).map_err(|error| named(error.error))?;
        }
        Ok(())
    }
}

/// The path that a link leads to, or the path itself.
fn without_link(path: &Path) -> io::Result<PathBuf> {
    if path.symlink_metadata()?.is_symlink() { path.canonicalize() } else { Ok(path.to_owned()) }
}

/// Remembers a temporary file or folder, to remove it if the program ends at once.
pub(crate) fn remove_if_interrupted(path: &Path) {
    lock(&UNFINISHED).push(path.to_owned());
}

/// Forgets a temporary file that no longer exists.
pub(crate) fn end(path: &Path) {
    lock(&UNFINISHED).retain(|begun| begun != path);
}

/// Removes the temporary files before the program exits abruptly.
pub(crate) fn discard() {
    for path in lock(&UNFINISHED).drain(..) {
        // It may have just replaced the target.
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}

/// Creates a file in the folder of the target, with the permissions of the old one.
pub(crate) fn beside(target: &Path, old: Option<&File>) -> io::Result<NamedTempFile> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".meshpeek-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let new = builder.tempfile_in(of_any_length(folder)).map_err(without_path)?;
    if let Some(old) = old {
        let metadata = old.metadata()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only root can change the owner. For other users the file is already their own, or becomes so.
            let _ = fchown(new.as_file(), Some(metadata.uid()), Some(metadata.gid()));
        }
        new.as_file().set_permissions(metadata.permissions())?;
    }
    Ok(new)
}

/// Leaves out the name of a temporary file, which says nothing to a user. The error keeps it in its text alone.
pub(crate) fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}

/// The path in a form that may be longer than 260 characters on Windows, for functions that do not add it themselves:
/// `\\?\C:\folder`.
#[cfg(windows)]
pub(crate) fn of_any_length(path: &Path) -> PathBuf {
    use std::path::{Component, Prefix};
    let Ok(whole) = std::path::absolute(path) else { return path.to_owned() };
    let start = match whole.components().next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::Disk(_) => r"\\?\",
            Prefix::UNC(..) => r"\\?\UNC\",
            _ => return whole,
        },
        _ => return whole,
    };
    match whole.to_str() {
        Some(text) => format!("{start}{}", text.trim_start_matches('\\')).into(),
        // Not representable: names with lone surrogates.
        None => whole,
    }
}

#[cfg(not(windows))]
pub(crate) fn of_any_length(path: &Path) -> PathBuf {
    path.to_owned()
}

/// The extension of a path, if it selects a format or is that of one that no verb writes.
pub(crate) fn ending(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?;
    if is_folder(path) {
        return None;
    }
    ENDINGS.into_iter().chain(FOREIGN).find(|known| ending.eq_ignore_ascii_case(known))
}

/// Returns true if this is the name of a folder to write tables into.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_ending_is_found_in_any_case_unless_the_path_is_a_folder() {
        let place = tempfile::tempdir().unwrap();
        for known in ENDINGS.into_iter().chain(FOREIGN) {
            let (first, rest) = known.split_at(1);
            for written in [known.to_owned(), known.to_uppercase(), first.to_uppercase() + rest] {
                for (name, is_found) in [
                    (format!("x.{written}"), true),
                    (format!("a/b.c/x.y.{written}"), true),
                    (format!(".x.{written}"), true),
                    // A name alone has no ending, and neither has a folder.
                    (format!(".{written}"), false),
                    (written.clone(), false),
                    (format!("x.{written}/"), false),
                    (format!("x.{written}."), false),
                    (format!("x.{written}.gz"), false),
                    (format!("x.{written}q"), false),
                ] {
                    let found = ending(&place.path().join(&name));
                    assert_eq!(found, is_found.then_some(known), "{name}");
                }
            }
            let folder = place.path().join(format!("there.{known}"));
            std::fs::create_dir(&folder).unwrap();
            assert_eq!(ending(&folder), None, "{known}");
        }
        for other in ["x", "x.txt", "x.md", "x.", "x.jso", "x.arro", ""] {
            assert_eq!(ending(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn folders_are_named_with_a_slash_or_are_there() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("folder")).unwrap();
        std::fs::write(place.path().join("file"), "").unwrap();
        for (name, expected) in
            [("folder", true), ("folder/", true), ("file", false), ("none", false), ("none/", true), ("none/x", false)]
        {
            // `join` would keep the slash, too.
            let path = PathBuf::from(format!("{}/{name}", place.path().display()));
            assert_eq!(is_folder(&path), expected, "{name}");
        }
    }

    #[test]
    fn errors_of_temporary_files_keep_their_kind_and_cause_alone() {
        for (text, expected) in [
            ("No such file at path \"/tmp/.meshpeek-x\"", "No such file"),
            ("cause at path one at path two", "cause"),
            ("cause", "cause"),
            ("cause at pathx", "cause at pathx"),
            ("", ""),
        ] {
            for kind in [io::ErrorKind::NotFound, io::ErrorKind::StorageFull, io::ErrorKind::Other] {
                let found = without_path(io::Error::new(kind, text));
                assert_eq!((found.kind(), found.to_string().as_str()), (kind, expected), "{text}");
            }
        }
    }

    /// In the folder of the target, and with the rights of the old file.
    #[test]
    fn a_new_file_is_beside_its_target() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("folder")).unwrap();
        for target in ["x", "folder/x", "folder/none"] {
            let target = place.path().join(target);
            let new = beside(&target, None).unwrap();
            assert_eq!(new.path().parent(), target.parent());
            assert!(new.path().file_name().unwrap().to_str().unwrap().starts_with(".meshpeek-"));
        }
        assert!(beside(&place.path().join("none/x"), None).is_err());
        let mut old = Vec::new();
        for is_readonly in [false, true] {
            let path = place.path().join(format!("old-{is_readonly}"));
            let file = File::create(&path).unwrap();
            let mut rights = file.metadata().unwrap().permissions();
            rights.set_readonly(is_readonly);
            std::fs::set_permissions(&path, rights).unwrap();
            let new = beside(&path, Some(&file)).unwrap();
            old.push(new.as_file().metadata().unwrap().permissions().readonly());
        }
        assert_eq!(old, [false, true]);
    }
}
