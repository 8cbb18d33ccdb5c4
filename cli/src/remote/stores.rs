//! Lists and opens the files of URLs.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use clap::Args;
use meshpeek::scan::Progress;
use meshpeek::scan::stores::{Listed, Retry, Stored, Stores};
use meshpeek::{Error, Result};
use object_store::ObjectStoreExt;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::client::{Store, Url};
use super::fetch::{File, Shared, bounded, error, is_temporary};
use super::known::Known;
use super::listing::Listing;
use super::service::{Counts, Waits};
use super::url::is_url;
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
    /// Files that failed, whose stores may answer later.
    failed: Mutex<HashMap<PathBuf, Failed>>,
}

/// The most files that are asked for again.
const MOST_FAILED: usize = 10_000;

/// A file that could not be read.
#[derive(Clone, Copy, Debug)]
struct Failed {
    at: Instant,
    /// True if its bytes are counted.
    was_counted: bool,
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

    /// Notes that a file failed now, if its store may answer later.
    fn note_failure(&self, path: &Path, was_counted: bool, error: &io::Error) {
        if !is_temporary(error) {
            return;
        }
        let mut failed = self.0.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.len() < MOST_FAILED {
            failed.insert(path.to_owned(), Failed { at: Instant::now(), was_counted });
        }
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
        is_url(path)
    }

    fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>> {
        let (url, store, shared) = self.store(path)?;
        let named = Listed::new(path.to_owned(), true);
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
            None => {
                let meta = shared.run(async { store.files.head(&url.key).await.map_err(error) });
                meta.inspect_err(|error| self.note_failure(path, false, error))?
            }
        };
        let meta = bounded(meta)?;
        let failed = self.0.failed.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
        let was_counted = failed.is_some_and(|failed| failed.was_counted);
        if !was_counted {
            Counts::add(&shared.counts.present, meta.size);
        }
        let file = File { shared, store, meta, failure: OnceLock::new(), alive: Semaphore::new(0) };
        Ok(Box::new(Watched { remote: self, path: path.to_owned(), file }))
    }

    fn retry(&self, path: &Path) -> Retry {
        let failed = self.0.failed.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied();
        let Some(failed) = failed else { return Retry::Never };
        match self.store(path) {
            Ok((_, store, _)) if store.health.has_answered_since(failed.at) => Retry::Now,
            Ok(_) => Retry::Later,
            Err(_) => Retry::Never,
        }
    }
}

/// A file whose failures are noted.
struct Watched<'r> {
    remote: &'r Remote,
    path: PathBuf,
    file: File,
}

impl Stored for Watched<'_> {
    fn byte_len(&self) -> u64 {
        self.file.byte_len()
    }

    fn stamp(&self) -> Option<String> {
        self.file.stamp()
    }

    fn modified(&self) -> Option<SystemTime> {
        self.file.modified()
    }

    fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let read = self.file.read(ranges);
        read.inspect_err(|error| self.remote.note_failure(&self.path, true, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a store that may answer later, or of one that will not.
    fn failure(is_temporary: bool) -> io::Error {
        let source = "cause".to_owned().into();
        error(match is_temporary {
            true => object_store::Error::Generic { store: "S3", source },
            false => object_store::Error::NotFound { path: "p".to_owned(), source },
        })
    }

    #[test]
    fn a_file_is_asked_for_again_if_its_store_has_answered_since_it_failed() {
        let remote = Remote::default();
        let path = Path::new("http://127.0.0.1:9/x");
        // Another file of the same store, and one of another store.
        let others = ["http://127.0.0.1:9/y", "http://127.0.0.1:10/x"].map(Path::new);
        assert_eq!(remote.retry(path), Retry::Never);
        remote.note_failure(path, false, &failure(false));
        assert_eq!(remote.retry(path), Retry::Never);
        let answer = |path: &Path| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            remote.store(path).unwrap().1.health.answer();
        };
        for _ in 0..2 {
            // An answer before the failure is none since.
            answer(path);
            std::thread::sleep(std::time::Duration::from_millis(2));
            remote.note_failure(path, false, &failure(true));
            assert_eq!(remote.retry(path), Retry::Later);
            answer(others[1]);
            assert_eq!(remote.retry(path), Retry::Later);
            answer(others[0]);
            assert_eq!(remote.retry(path), Retry::Now);
            assert_eq!(others.map(|other| remote.retry(other)), [Retry::Never; 2]);
        }
        // A failure of another kind does not undo it.
        remote.note_failure(path, false, &failure(false));
        assert_eq!(remote.retry(path), Retry::Now);
    }

    #[test]
    fn files_that_failed_are_remembered_up_to_a_limit() {
        let remote = Remote::default();
        for number in 0..MOST_FAILED + 5 {
            let path = PathBuf::from(format!("http://127.0.0.1:9/{number}"));
            remote.note_failure(&path, false, &failure(true));
            let expected = if number < MOST_FAILED { Retry::Later } else { Retry::Never };
            if number < 3 || number + 3 > MOST_FAILED {
                assert_eq!(remote.retry(&path), expected, "{number}");
            }
        }
        assert_eq!(remote.0.failed.lock().unwrap().len(), MOST_FAILED);
    }

    #[test]
    fn counts_are_those_of_the_run_once_there_was_a_request() {
        let remote = Remote::default();
        let counts = &remote.0.counts;
        Counts::add(&counts.fetched, 5);
        Counts::add(&counts.present, 7);
        assert_eq!(remote.counts(), None);
        Counts::add(&counts.requests, 2);
        Counts::add(&counts.present, 1);
        assert_eq!(remote.clone().counts(), Some([2, 5, 8]));
        Counts::add(&counts.fetched, u64::MAX);
        assert_eq!(remote.counts(), Some([2, u64::MAX, 8]));
    }

    /// A file that was listed is opened without another question, once.
    #[test]
    fn the_size_of_a_file_that_failed_after_it_was_opened_counts_once() {
        let remote = Remote::default();
        let path = Path::new("http://127.0.0.1:9/x");
        let meta = || object_store::ObjectMeta {
            location: "x".into(),
            last_modified: SystemTime::UNIX_EPOCH.into(),
            size: 100,
            e_tag: None,
            version: None,
        };
        let open = || {
            remote.0.known.insert(path.to_owned(), meta());
            drop(remote.open(path).unwrap());
            remote.0.counts.present.load(Ordering::Relaxed)
        };
        assert_eq!(open(), 100);
        // It failed while it was read.
        remote.note_failure(path, true, &failure(true));
        assert_eq!(open(), 100);
        // It has not failed again, so this is another one.
        assert_eq!(open(), 200);
        // It failed before it was open.
        remote.note_failure(path, false, &failure(true));
        assert_eq!(open(), 300);
        assert_eq!(remote.retry(path), Retry::Never);
    }

    #[test]
    fn urls_that_cannot_be_opened_say_why() {
        let remote = Remote::default();
        for (path, kind, said) in [
            ("s3://bucket", io::ErrorKind::IsADirectory, "a folder or bucket, which only a scan lists"),
            ("s3://bucket/folder/", io::ErrorKind::IsADirectory, "a folder or bucket, which only a scan lists"),
            ("s3:///key", io::ErrorKind::InvalidInput, "a URL without a host or bucket"),
            ("ftp://h/x", io::ErrorKind::InvalidInput, "ftp: a scheme that is not read"),
        ] {
            let Err(error) = remote.open(Path::new(path)) else { panic!("{path}") };
            assert!(error.to_string().contains(said), "{path}: {error}");
            let meshpeek::ErrorKind::Io(error) = error.kind() else { panic!("{path}") };
            assert_eq!(error.kind(), kind, "{path}");
        }
        // HTTP has no listings, so a URL is that of one file, and nothing is asked.
        let path = Path::new("http://127.0.0.1:9/a/x.b3d");
        let listed: Vec<_> = remote.list(path).unwrap().map(Result::unwrap).collect();
        assert_eq!(listed, [Listed::new(path.to_owned(), true)]);
        assert!(remote.list(Path::new("http://127.0.0.1:9/a/")).is_err());
        assert_eq!(remote.counts(), None);
    }
}
