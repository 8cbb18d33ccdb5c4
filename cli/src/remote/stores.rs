//! Lists and opens the files of URLs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use clap::Args;
use meshpeek::scan::Progress;
use meshpeek::scan::stores::{Listed, Stored, Stores};
use meshpeek::{Error, Result};
use object_store::{ObjectMeta, ObjectStoreExt};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::client::{Store, Url};
use super::fetch::{File, Shared, bounded, error};
use super::listing::Listing;
use super::service::{Counts, Waits};
use crate::limits;
use crate::notes::Notes;

/// Options for files that are named by URLs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "URLs")]
pub(crate) struct RemoteArgs {
    /// Requests in flight at once [default: 32]
    #[arg(long, global = true, hide = true, value_name = "N", default_value_t = 32, hide_default_value = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) requests: u16,
    /// Allow http:// to other machines; without it, only to this one
    #[arg(long, global = true, hide = true)]
    allow_http: bool,
    /// Keep what is fetched in this folder, and reuse it while the file's ETag stays the same
    #[arg(long, global = true, hide = true, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Size of that folder; what is oldest is deleted [default: 1G]
    #[arg(long, global = true, hide = true, value_name = "SIZE", default_value_t = 1 << 30, hide_default_value = true, value_parser = limits::size)]
    cache_size: u64,
    /// Files listed below one URL [default: 1000000, or 20000 if the server lists them out of order]
    #[arg(long, global = true, hide = true, value_name = "N")]
    max_listed: Option<u64>,
}

/// The files of URLs. Nothing is contacted before one is used. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remote(Arc<State>);

#[derive(Debug, Default)]
struct State {
    args: OnceLock<RemoteArgs>,
    scan: OnceLock<Progress>,
    counts: Arc<Counts>,
    shared: OnceLock<std::result::Result<Arc<Shared>, String>>,
    stores: Mutex<HashMap<String, Store>>,
    waits: Arc<Waits>,
    known: Known,
}

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

    fn remove(&self, path: &Path) -> Option<ObjectMeta> {
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

impl Remote {
    pub(crate) fn set(&self, args: &RemoteArgs, notes: Notes) {
        self.0.args.get_or_init(|| args.clone());
        self.0.waits.notes.get_or_init(|| notes);
    }

    /// Ends requests when this scan is stopped.
    pub(crate) fn ends_with(&self, scan: &Progress) {
        self.0.scan.get_or_init(|| scan.clone());
    }

    pub(crate) fn stores(&self) -> Arc<dyn Stores> {
        Arc::new(self.clone())
    }

    /// Returns the requests, the bytes fetched and the bytes of all files opened, if there were requests.
    pub(crate) fn counts(&self) -> Option<[u64; 3]> {
        let Counts { requests, fetched, present } = &*self.0.counts;
        let requests = requests.load(Ordering::Relaxed);
        if requests == 0 {
            return None;
        }
        Some([requests, fetched.load(Ordering::Relaxed), present.load(Ordering::Relaxed)])
    }

    /// Returns the state that all files share. The first call makes it, and all later ones get its error, if it failed.
    fn shared(&self) -> Result<Arc<Shared>> {
        match self.0.shared.get_or_init(|| self.start()) {
            Ok(shared) => Ok(shared.clone()),
            Err(text) => Err(std::io::Error::other(text.clone()).into()),
        }
    }

    fn start(&self) -> std::result::Result<Arc<Shared>, String> {
        let args = self.0.args.get();
        let runtime = match Builder::new_multi_thread().worker_threads(2).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return Err(error.to_string()),
        };
        let mut cache = None;
        if let Some(RemoteArgs { cache: Some(folder), cache_size, .. }) = args {
            match Cache::open(folder, *cache_size) {
                Ok(opened) => cache = Some(opened),
                Err(error) => return Err(format!("--cache: {error}")),
            }
        }
        let most_in_flight = match args {
            Some(args) => args.requests.into(),
            None => 1,
        };
        Ok(Arc::new(Shared {
            runtime,
            counts: self.0.counts.clone(),
            in_flight: Semaphore::new(most_in_flight),
            most_in_flight,
            cache,
            scan: self.0.scan.get().cloned(),
        }))
    }

    /// Returns the store of a URL, and the state that all files share.
    fn store(&self, path: &Path) -> Result<(Url, Store, Arc<Shared>)> {
        let Some(text) = path.to_str() else { return Err(invalid("a URL that is not UTF-8".to_owned())) };
        let url = Url::parse(text).map_err(invalid)?;
        let shared = self.shared()?;
        let mut stores = self.0.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&url.store) {
            return Ok((url, store.clone(), shared));
        }
        let allow_http = match self.0.args.get() {
            Some(args) => args.allow_http,
            None => false,
        };
        // Some clients start tasks.
        let guard = shared.runtime.enter();
        let store = url.open(allow_http, &self.0.counts, &self.0.waits).map_err(error)?;
        drop(guard);
        stores.insert(url.store.clone(), store.clone());
        Ok((url, store, shared))
    }
}

/// Returns the error for a URL that cannot be used.
fn invalid(text: String) -> Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, text).into()
}

impl Stores for Remote {
    fn has(&self, path: &Path) -> bool {
        super::is_url(path)
    }

    fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>> {
        let (url, store, shared) = self.store(path)?;
        let named = Listed { path: path.to_owned(), named: true };
        let Some(pages) = store.pages else { return Ok(Box::new(std::iter::once(Ok(named)))) };
        if !url.is_folder {
            match shared.run(async { Ok(store.files.head(&url.key).await) })? {
                Ok(meta) => {
                    self.0.known.insert(path.to_owned(), meta);
                    return Ok(Box::new(std::iter::once(Ok(named))));
                }
                Err(object_store::Error::NotFound { .. }) => {}
                Err(other) => return Err(error(other).into()),
            }
        }
        let mut listing = Listing::new(&self.0.known, shared, pages);
        listing.store = url.store;
        if !url.key.is_root() {
            listing.prefix = Some(format!("{}/", url.key));
        }
        if let Some(args) = self.0.args.get() {
            listing.most = args.max_listed;
        }
        let mut listing = listing.peekable();
        if listing.peek().is_none() {
            let text = "no such file in the store, and none below it";
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, text).into());
        }
        Ok(Box::new(listing))
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Stored + '_>> {
        let (url, store, shared) = self.store(path)?;
        let meta = match self.0.known.remove(path) {
            Some(meta) => meta,
            None if url.is_folder => {
                let text = "a folder or bucket, which only a scan lists";
                return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, text).into());
            }
            None => shared.run(async { store.files.head(&url.key).await.map_err(error) })?,
        };
        let meta = bounded(meta)?;
        Counts::add(&shared.counts.present, meta.size);
        Ok(Box::new(File { shared, store, meta, failure: OnceLock::new(), alive: Semaphore::new(0) }))
    }
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
