//! Bounds the cost of the ignore files of a walk.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};

use ignore::WalkBuilder;

use crate::base::error::{Error, ErrorKind, Result};

const NAMES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// The most bytes of ignore files in one folder and its parents. Their patterns take some 400 times as much memory.
const MOST: u64 = 128 << 10;

/// Makes a walk skip folders whose ignore files exceed the bound, or include one that is not a regular file and might
/// never end. After the walk, reports each such folder.
///
/// # Errors
/// Returns an error if the starting folder is itself such a folder.
pub(super) fn bound(walk: &mut WalkBuilder, root: &Path) -> Result<Receiver<Error>> {
    let absolute = root.canonicalize().map_err(|error| Error::from(error).in_file(root))?;
    let mut around = 0;
    for folder in absolute.ancestors() {
        around = add(around, folder)?;
    }
    let (sender, errors) = channel();
    // For each folder on the way to the current one, the total including its parents.
    let way = Mutex::new(vec![around]);
    walk.filter_entry(move |entry| {
        let Some(kind) = entry.file_type() else { return true };
        if !kind.is_dir() {
            return true;
        }
        let mut way = way.lock().unwrap_or_else(PoisonError::into_inner);
        way.truncate(entry.depth());
        match add(way.last().copied().unwrap_or(around), entry.path()) {
            Ok(bytes) => {
                way.push(bytes);
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

/// Returns the bytes so far plus those of this folder.
fn add(bytes: u64, folder: &Path) -> Result<u64> {
    let mut bytes = bytes;
    for name in NAMES {
        let path = folder.join(name);
        // Like the walk itself, follow links and ignore files without metadata.
        let Ok(metadata) = path.metadata() else { continue };
        if metadata.is_dir() {
            continue;
        }
        bytes = bytes.saturating_add(if metadata.is_file() { metadata.len() } else { u64::MAX });
        if bytes > MOST {
            let what = "bytes of .ignore and .gitignore files in a folder and those around it";
            return Err(Error::new(ErrorKind::Limit { what, limit: MOST }).in_file(&path));
        }
    }
    Ok(bytes)
}
