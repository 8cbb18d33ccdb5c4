//! The results of an earlier scan, used to skip files that have not changed since.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files with the stamps of their [records](super::Record::stamp).
///
/// Only a scan that ends by itself has passed on all records of its files. The record of an archive comes before those
/// of its members, so after a scan that was stopped, add none of its stamps. A file without a record
/// ([`Found::NoAsset`](super::Found::NoAsset)) has no stamp, and a member that is named by its address has none either:
/// both are read each time.
#[derive(Clone, Debug, Default)]
pub struct Known(HashMap<PathBuf, Option<String>>);

impl Known {
    /// Adds a file whose records are all available. A file that is added twice counts as unknown, because its records
    /// cannot be distinguished.
    pub fn add(&mut self, path: PathBuf, stamp: String) {
        match self.0.entry(path) {
            Entry::Occupied(mut known) => *known.get_mut() = None,
            Entry::Vacant(unknown) => {
                unknown.insert(Some(stamp));
            }
        }
    }

    /// Returns true if the file is known with exactly this stamp.
    pub fn has(&self, path: &Path, stamp: &str) -> bool {
        match self.0.get(path) {
            Some(Some(known)) => known == stamp,
            _ => false,
        }
    }
}

/// Returns a text that changes when the file or the options of the scan change. Returns `None` if it is not a regular
/// file.
pub(super) fn stamp(metadata: &Metadata, question: &str) -> Option<String> {
    if !metadata.is_file() {
        return None;
    }
    let time = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    // A scan makes one for each file, and `format!` takes several times as long.
    let mut stamp = String::with_capacity(128);
    let mut number = itoa::Buffer::new();
    stamp.push_str(number.format(metadata.len()));
    stamp.push(':');
    stamp.push_str(number.format(time.as_secs()));
    push_nanos(&mut stamp, time.subsec_nanos().into());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // The content's timestamp can be set back, but the time of the last change cannot.
        stamp.push(':');
        stamp.push_str(number.format(metadata.ino()));
        stamp.push(':');
        stamp.push_str(number.format(metadata.ctime()));
        push_nanos(&mut stamp, metadata.ctime_nsec());
    }
    stamp.push(':');
    stamp.push_str(question);
    Some(stamp)
}

/// Adds a dot and nine digits.
fn push_nanos(stamp: &mut String, nanos: i64) {
    let mut number = itoa::Buffer::new();
    let digits = number.format(nanos);
    stamp.push('.');
    stamp.push_str("000000000".get(digits.len()..).unwrap_or_default());
    stamp.push_str(digits);
}
