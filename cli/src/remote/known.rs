//! The metadata of files that were listed but are not open yet.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use object_store::ObjectMeta;

/// The most memory for the metadata of files that were listed but not opened, about.
const MOST_KNOWN: usize = 32 << 20;

/// The metadata of files that were listed but are not open yet.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    by_path: HashMap<PathBuf, ObjectMeta>,
    bytes: usize,
}

impl Known {
    pub(super) fn insert(&self, path: PathBuf, meta: ObjectMeta) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.bytes = files.bytes.saturating_add(memory_of(&path, &meta));
        if files.bytes > MOST_KNOWN {
            // Most of them are not among the files that a glob selects. Opening one asks the server again.
            files.by_path = HashMap::new();
            files.bytes = memory_of(&path, &meta);
        }
        if let Some(old) = files.by_path.insert(path.clone(), meta) {
            files.bytes = files.bytes.saturating_sub(memory_of(&path, &old));
        }
    }

    pub(super) fn remove(&self, path: &Path) -> Option<ObjectMeta> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let meta = files.by_path.remove(path)?;
        files.bytes = files.bytes.saturating_sub(memory_of(path, &meta));
        Some(meta)
    }
}

/// Returns about how much memory a listed file takes.
fn memory_of(path: &Path, meta: &ObjectMeta) -> usize {
    let mut texts = path.as_os_str().len() + meta.location.as_ref().len();
    if let Some(tag) = &meta.e_tag {
        texts += tag.len();
    }
    texts.saturating_add(2 * (size_of::<PathBuf>() + size_of::<ObjectMeta>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_files_are_bounded() {
        let known = Known::default();
        let meta = |key: &str| ObjectMeta {
            location: key.into(),
            last_modified: std::time::SystemTime::UNIX_EPOCH.into(),
            size: 5,
            e_tag: Some("t".repeat(10_000)),
            version: None,
        };
        for number in 0..10_000 {
            let key = format!("{number}");
            known.insert(key.clone().into(), meta(&key));
            // The same file again.
            known.insert(key.clone().into(), meta(&key));
            let files = known.0.lock().unwrap();
            let sum: usize = files.by_path.iter().map(|(path, meta)| memory_of(path, meta)).sum();
            assert!(sum == files.bytes && sum <= MOST_KNOWN && !files.by_path.is_empty());
            if number > 0 && files.by_path.len() == 1 {
                return;
            }
        }
        panic!("never emptied");
    }

    #[test]
    fn files_are_known_until_they_are_opened() {
        let known = Known::default();
        let meta = |key: &str, size| ObjectMeta {
            location: key.into(),
            last_modified: std::time::SystemTime::UNIX_EPOCH.into(),
            size,
            e_tag: Some(key.repeat(3)),
            version: None,
        };
        for (size, key) in [(1, "a"), (2, "bb"), (3, "a"), (4, "c")] {
            known.insert(key.into(), meta(key, size));
        }
        let held = |files: &Files| files.by_path.iter().map(|(path, meta)| memory_of(path, meta)).sum::<usize>();
        // What was listed last counts.
        for (key, size) in
            [("a", Some(3)), ("a", None), ("none", None), ("c", Some(4)), ("bb", Some(2)), ("bb", None), ("c", None)]
        {
            assert_eq!(known.remove(Path::new(key)).map(|meta| meta.size), size, "{key}");
            let files = known.0.lock().unwrap();
            assert_eq!(files.bytes, held(&files), "{key}");
        }
        assert_eq!(known.0.lock().unwrap().bytes, 0);
    }

    #[test]
    fn the_memory_of_a_file_is_that_of_its_texts_and_little_more() {
        for path in [0, 1, 100, 5000] {
            for key in [0, 1, 100, 5000] {
                for tag in [None, Some(0), Some(1), Some(5000)] {
                    let meta = ObjectMeta {
                        location: "k".repeat(key).into(),
                        last_modified: std::time::SystemTime::UNIX_EPOCH.into(),
                        size: u64::MAX,
                        e_tag: tag.map(|tag| "t".repeat(tag)),
                        version: None,
                    };
                    let texts = path + key + tag.unwrap_or(0);
                    let memory = memory_of(Path::new(&"p".repeat(path)), &meta);
                    assert!((texts + 100..texts + 1000).contains(&memory), "{path} {key} {tag:?}: {memory}");
                }
            }
        }
    }
}
