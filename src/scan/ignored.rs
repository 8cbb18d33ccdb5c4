//! Bounds the cost of the ignore files of a walk.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};

use ignore::WalkBuilder;
#[cfg(unix)]
use rustix::fd::OwnedFd;
#[cfg(unix)]
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

use crate::base::error::{Error, ErrorKind, Result};

const NAMES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// The most bytes of ignore files in one folder and its parents. Their patterns take some 400 times as much memory.
const MOST: u64 = 128 << 10;

/// Only to find files in it, which needs no right to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const TO_FIND: OFlags = OFlags::PATH;
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const TO_FIND: OFlags = OFlags::RDONLY;

/// Fails for all that is no folder, so that no pipe is waited for.
#[cfg(unix)]
const AS_FOLDER: OFlags = TO_FIND.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Makes a walk skip folders whose ignore files exceed the bound, or include one that is not a regular file and might
/// never end. After the walk, reports each such folder.
///
/// # Errors
/// Returns an error if the starting folder is itself such a folder.
pub(super) fn bound(walk: &mut WalkBuilder, root: &Path) -> Result<Receiver<Error>> {
    let absolute = root.canonicalize().map_err(|error| Error::from(error).in_file(root))?;
    let mut around = 0;
    for folder in absolute.ancestors() {
        around = add(around, &Folder::new(folder))?;
    }
    let (sender, errors) = channel();
    let way = Mutex::new(Way { bytes: vec![around], last: Folder::new(root) });
    walk.filter_entry(move |entry| {
        let Some(kind) = entry.file_type() else { return true };
        if !kind.is_dir() {
            return true;
        }
        let mut way = way.lock().unwrap_or_else(PoisonError::into_inner);
        way.bytes.truncate(entry.depth());
        way.last = way.last.open_after(entry.path());
        match add(way.bytes.last().copied().unwrap_or(around), &way.last) {
            Ok(bytes) => {
                way.bytes.push(bytes);
                true
            }
            Err(error) => {
                // The receiver of an aborted walk is gone.
                let _ = sender.send(error);
                false
            }
        }
    });
    Ok(errors)
}

/// The way to the current folder of a walk.
struct Way {
    /// For each folder on it, the bytes including those of its parents.
    bytes: Vec<u64>,
    /// The folder that was looked at last.
    last: Folder,
}

/// Returns the bytes so far plus those of this folder.
fn add(bytes: u64, folder: &Folder) -> Result<u64> {
    let mut bytes = bytes;
    for name in NAMES {
        let Some(size) = folder.size_of(name) else { continue };
        bytes = bytes.saturating_add(size);
        if bytes > MOST {
            let what = "bytes of .ignore and .gitignore files in a folder and those around it";
            return Err(Error::new(ErrorKind::Limit { what, limit: MOST }).in_file(&folder.path.join(name)));
        }
    }
    Ok(bytes)
}

/// A folder in which files are looked up. On Unix it is kept open, because the system goes through all folders of a whole
/// path for each file.
struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    opened: Option<OwnedFd>,
}

impl Folder {
    /// Opens the folder. If that fails, files in it are looked up by their whole paths.
    fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            #[cfg(unix)]
            opened: openat(CWD, path, AS_FOLDER, Mode::empty()).ok(),
        }
    }

    /// Opens the folder of this path, by its name alone if it is inside this one.
    fn open_after(&self, path: &Path) -> Self {
        #[cfg(unix)]
        if let (Some(opened), Some(name)) = (&self.opened, path.file_name())
            && path.parent() == Some(&self.path)
        {
            return Self { path: path.to_owned(), opened: openat(opened, name, AS_FOLDER, Mode::empty()).ok() };
        }
        Self::new(path)
    }

    /// Returns the size of a file in it, or `u64::MAX` for a pipe or device. Follows links, as the walk itself does. Returns
    /// `None` for folders, and for files without metadata.
    fn size_of(&self, name: &str) -> Option<u64> {
        #[cfg(unix)]
        if let Some(opened) = &self.opened {
            let found = statat(opened, name, AtFlags::empty()).ok()?;
            return match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => None,
                FileType::RegularFile => u64::try_from(found.st_size).ok(),
                _ => Some(u64::MAX),
            };
        }
        let metadata = self.path.join(name).metadata().ok()?;
        if metadata.is_dir() {
            return None;
        }
        Some(if metadata.is_file() { metadata.len() } else { u64::MAX })
    }
}
