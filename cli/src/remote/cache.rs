//! A folder with ranges of files, for later runs.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// The bytes of a digest, which each file of the folder ends with.
const DIGEST: usize = 32;
const ENDING: &str = "range";

/// A folder of ranges. Several runs may use it at once.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
    most: u64,
    /// The bytes in the folder, as far as this run knows.
    bytes: Mutex<u64>,
}

impl Cache {
    pub(super) fn open(folder: &Path, most: u64) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let cache = Self { folder: folder.to_owned(), most, bytes: Mutex::default() };
        let bytes = total(&cache.files()?);
        *cache.bytes.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        Ok(cache)
    }

    /// The range that was kept under this key. A file that was damaged counts as missing.
    pub(super) fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let mut bytes = fs::read(&path).ok()?;
        let digest = bytes.split_off(bytes.len().checked_sub(DIGEST)?);
        if seal(key, &bytes) != digest.as_slice() {
            return None;
        }
        // The oldest are deleted first. If this fails, it is deleted earlier.
        if let Ok(file) = fs::File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(bytes)
    }

    pub(super) fn put(&self, key: &str, bytes: &[u8]) -> io::Result<()> {
        let size = (bytes.len() as u64).saturating_add(DIGEST as u64);
        if size > self.most {
            return Ok(());
        }
        let mut held = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if held.saturating_add(size) > self.most {
            *held = self.shrink(self.most.saturating_sub(size).min(self.most / 4 * 3))?;
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(bytes)?;
        file.write_all(&seal(key, bytes))?;
        if let Err(failed) = file.persist(self.path(key)) {
            return Err(failed.error);
        }
        *held = held.saturating_add(size);
        Ok(())
    }

    /// Deletes the oldest files until at most this many bytes remain. Returns how many do.
    fn shrink(&self, most: u64) -> io::Result<u64> {
        let mut files = self.files()?;
        files.sort_unstable();
        let mut left = total(&files);
        for (_, path, bytes) in files {
            if left <= most {
                break;
            }
            if let Err(error) = fs::remove_file(path)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(error);
            }
            left = left.saturating_sub(bytes);
        }
        Ok(left)
    }

    /// Its files, with the time of their last use and their sizes. Other files in the folder are left alone.
    fn files(&self) -> io::Result<Vec<(SystemTime, PathBuf, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            // Another run may have deleted it.
            if path.extension() == Some(OsStr::new(ENDING))
                && let Ok(metadata) = path.metadata()
            {
                files.push((metadata.modified()?, path, metadata.len()));
            }
        }
        Ok(files)
    }

    fn path(&self, key: &str) -> PathBuf {
        let mut name = String::new();
        for byte in Sha256::digest(key) {
            name += &format!("{byte:02x}");
        }
        self.folder.join(name).with_extension(ENDING)
    }
}

/// The bytes of these files.
fn total(files: &[(SystemTime, PathBuf, u64)]) -> u64 {
    let mut total = 0_u64;
    for (_, _, bytes) in files {
        total = total.saturating_add(*bytes);
    }
    total
}

/// The digest of a key and its bytes.
fn seal(key: &str, bytes: &[u8]) -> [u8; DIGEST] {
    Sha256::new().chain_update(key).chain_update([0]).chain_update(bytes).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_returns_whole_entries_and_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("notes.txt"), [0; 5000]).unwrap();
        let cache = Cache::open(folder.path(), 1000).unwrap();
        assert_eq!(cache.get("a"), None);
        cache.put("a", b"bytes").unwrap();
        assert_eq!(cache.get("a").as_deref(), Some(&b"bytes"[..]));
        fs::write(cache.path("a"), [7; 50]).unwrap();
        assert_eq!(cache.get("a"), None);
        cache.put("too large", &[0; 1000]).unwrap();
        for number in 0..20_u8 {
            cache.put(&format!("b{number}"), &[number; 100]).unwrap();
            let bytes: u64 = cache.files().unwrap().iter().map(|(_, _, bytes)| bytes).sum();
            assert!(bytes <= 1000, "{bytes}");
        }
        assert_eq!(cache.get("b19"), Some(vec![19; 100]));
        assert!(folder.path().join("notes.txt").exists());
        let again = Cache::open(folder.path(), 1000).unwrap();
        assert_eq!(again.get("b19"), Some(vec![19; 100]));
    }

    #[test]
    fn an_entry_is_kept_up_to_the_size_of_the_cache_and_read_under_its_key_alone() {
        for (length, is_kept) in [(0, true), (67, true), (68, true), (69, false), (500, false)] {
            let folder = tempfile::tempdir().unwrap();
            let cache = Cache::open(folder.path(), 100).unwrap();
            let bytes = vec![7; length];
            cache.put("a", &bytes).unwrap();
            assert_eq!(cache.get("a"), is_kept.then_some(bytes), "{length}");
            if !is_kept {
                continue;
            }
            // The file of another key, each damaged byte, and each shorter file.
            fs::copy(cache.path("a"), cache.path("b")).unwrap();
            assert_eq!(cache.get("b"), None, "{length}");
            let whole = fs::read(cache.path("a")).unwrap();
            for place in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[place] ^= 1;
                fs::write(cache.path("a"), &damaged).unwrap();
                assert_eq!(cache.get("a"), None, "{place} of {length}");
                fs::write(cache.path("a"), &whole[..place]).unwrap();
                assert_eq!(cache.get("a"), None, "{place} of {length}");
            }
        }
    }

    #[test]
    fn the_oldest_go_until_three_quarters_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 1000).unwrap();
        let now = SystemTime::now();
        // Ten of a hundred bytes fill it exactly.
        for number in 0..10_u8 {
            cache.put(&format!("{number}"), &[number; 100 - DIGEST]).unwrap();
            let file = fs::File::options().append(true).open(cache.path(&format!("{number}"))).unwrap();
            file.set_modified(now - std::time::Duration::from_secs(1_000 - u64::from(number))).unwrap();
        }
        assert_eq!(cache.files().unwrap().len(), 10);
        // The first was used.
        assert_eq!(cache.get("0"), Some(vec![0; 100 - DIGEST]));
        cache.put("new", &[0; 1]).unwrap();
        for number in 0..10_u8 {
            let is_left = cache.path(&format!("{number}")).exists();
            assert_eq!(is_left, number == 0 || number > 3, "{number}");
        }
        assert!(cache.path("new").exists());
        // An entry as large as the cache is there alone.
        cache.put("large", &[0; 1000 - DIGEST]).unwrap();
        assert_eq!(cache.files().unwrap().len(), 1);
        assert!(cache.path("large").exists());
    }
    #[test]
    fn what_earlier_runs_kept_counts() {
        let folder = tempfile::tempdir().unwrap();
        for run in 0..30_u8 {
            // Each run keeps one entry.
            let cache = Cache::open(folder.path(), 1000).unwrap();
            let held = *cache.bytes.lock().unwrap();
            assert_eq!(held, total(&cache.files().unwrap()), "{run}");
            cache.put(&format!("{run}"), &[run; 100 - DIGEST]).unwrap();
            let bytes = total(&cache.files().unwrap());
            assert!(bytes <= 1000, "{bytes} after {run}");
            assert_eq!(*cache.bytes.lock().unwrap(), bytes, "{run}");
        }
    }
}
