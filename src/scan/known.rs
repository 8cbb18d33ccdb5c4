//! The results of an earlier scan, used to skip files that have not changed since.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::Scan;
use super::record::hex;

/// Files with the stamps of their [records](super::Record::stamp).
#[derive(Clone, Debug, Default)]
pub struct Known(HashMap<PathBuf, Option<String>>);

impl Known {
    /// Adds a file whose records are all available. A file that is added twice counts as unknown, because its records
    /// cannot be told apart.
    pub fn add(&mut self, path: PathBuf, stamp: String) {
        self.0.entry(path).and_modify(|stamp| *stamp = None).or_insert(Some(stamp));
    }

    /// Returns true if the file is known with exactly this stamp.
    pub fn has(&self, path: &Path, stamp: &str) -> bool {
        self.0.get(path).is_some_and(|known| known.as_deref() == Some(stamp))
    }
}

/// A text that changes when the file or the options of the scan change. Returns `None` if it is not a regular file.
pub(super) fn stamp(metadata: &Metadata, question: &str) -> Option<String> {
    let metadata = Some(metadata).filter(|metadata| metadata.is_file())?;
    let time = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let mut stamp = format!("{}:{}.{:09}", metadata.len(), time.as_secs(), time.subsec_nanos());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Writing to a String cannot fail. The content's timestamp can be set back, but the time of the last change
        // cannot.
        let _ = write!(stamp, ":{}:{}.{:09}", metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
    }
    let _ = write!(stamp, ":{question}");
    Some(stamp)
}

impl Scan {
    /// The requested records, as a few letters.
    pub(super) fn question(&self) -> String {
        let Self { depth, formats, digests, archives, limits, selection, .. } = self;
        let globs = &selection.globs;
        let asked =
            format!("{} {depth:?} {formats:?} {digests} {archives} {limits:?} {globs:?}", env!("CARGO_PKG_VERSION"));
        let mut letters = hex(Sha256::digest(asked).as_slice());
        letters.truncate(8);
        letters
    }
}
