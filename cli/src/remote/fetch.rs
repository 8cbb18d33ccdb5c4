//! Fetches ranges of one file, as it was when it was opened.

use std::io;
use std::ops::Range;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use futures_util::future::{self, Either};
use futures_util::{StreamExt, TryStreamExt, stream};
use meshpeek::scan::Progress;
use meshpeek::scan::stores::Stored;
use object_store::{GetOptions, GetRange, ObjectMeta};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::client::Store;
use super::service::{Counts, Refusal};

/// A longer range is fetched in several requests at once.
const MOST: u64 = 8 << 20;
/// The most bytes of ranges of one read in flight.
const IN_FLIGHT: u64 = 32 << 20;
/// The most bytes of an ETag. It is kept with the file, and part of its records.
const LONGEST_TAG: usize = 1024;

/// How long a scan that was stopped may still wait for requests.
const PATIENCE: Duration = Duration::from_millis(50);

/// The state that all files share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) runtime: Runtime,
    pub(super) counts: Arc<Counts>,
    /// A permit for each request in flight.
    pub(super) in_flight: Semaphore,
    pub(super) most_in_flight: usize,
    pub(super) cache: Option<Cache>,
    /// The scan that reads, which may be stopped.
    pub(super) scan: Option<Progress>,
}

impl Shared {
    /// Waits for requests, until the scan is stopped.
    pub(super) fn run<T>(&self, requests: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        let stopped = async {
            while !self.scan.as_ref().is_some_and(Progress::is_stopped) {
                tokio::time::sleep(PATIENCE).await;
            }
        };
        self.runtime.block_on(async {
            match future::select(pin!(requests), pin!(stopped)).await {
                Either::Left((result, _)) => result,
                Either::Right(_) => Err(io::ErrorKind::Interrupted.into()),
            }
        })
    }
}

/// A file of a store.
pub(super) struct File {
    pub(super) shared: Arc<Shared>,
    pub(super) store: Store,
    pub(super) meta: ObjectMeta,
    /// The first error of a read.
    pub(super) failure: OnceLock<(io::ErrorKind, String)>,
    /// Closed when a read fails: other reads then end, too, and do not try again. It has no permits.
    pub(super) alive: Semaphore,
}

impl Stored for File {
    fn byte_len(&self) -> u64 {
        self.meta.size
    }

    fn stamp(&self) -> Option<String> {
        self.meta.e_tag.as_ref().map(|tag| format!("{}:{tag}", self.meta.size))
    }

    fn modified(&self) -> Option<SystemTime> {
        let seconds = u64::try_from(self.meta.last_modified.timestamp()).ok()?;
        let since = Duration::new(seconds, self.meta.last_modified.timestamp_subsec_nanos());
        // Servers that do not say leave the beginning of time. Not every system has the times that a server may name.
        SystemTime::UNIX_EPOCH.checked_add(since).filter(|time| *time > SystemTime::UNIX_EPOCH)
    }

    fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let pieces = ranges.iter().enumerate().flat_map(|(index, range)| {
            let starts = (range.start..range.end).step_by(usize::try_from(MOST).unwrap_or(usize::MAX));
            starts.map(move |start| (index, start..start.saturating_add(MOST).min(range.end)))
        });
        let pieces: Vec<_> = pieces.collect();
        let largest = pieces.iter().map(|(_, range)| range.end.saturating_sub(range.start)).max().unwrap_or(0);
        let at_once = usize::try_from(IN_FLIGHT / largest.max(1)).unwrap_or(usize::MAX);
        let mut all = Vec::with_capacity(ranges.len());
        for range in ranges {
            let mut bytes = Vec::new();
            let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
            bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
            all.push(bytes);
        }
        let fetch = |(index, range)| async move { Ok::<_, io::Error>((index, self.fetch(range).await?)) };
        let mut fetched = stream::iter(pieces).map(fetch).buffered(self.shared.most_in_flight.min(at_once));
        let fetched = async {
            while let Some((index, bytes)) = fetched.try_next().await? {
                if let Some(whole) = all.get_mut(index) {
                    whole.extend_from_slice(&bytes);
                }
            }
            Ok(())
        };
        self.shared.run(fetched).inspect_err(|error| {
            self.failure.get_or_init(|| (error.kind(), error.to_string()));
            self.alive.close();
        })?;
        Ok(all)
    }
}

impl File {
    async fn fetch(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let file = (&self.store.place, &self.meta.location);
        let key = self.meta.e_tag.as_ref().map(|tag| format!("{}\n{}\n{tag}\n{range:?}", file.0, file.1));
        let cached = self.shared.cache.as_ref().zip(key.as_ref()).and_then(|(cache, key)| cache.get(key));
        let length = range.end.saturating_sub(range.start);
        if let Some(bytes) = cached.filter(|bytes| bytes.len() as u64 == length) {
            return Ok(bytes);
        }
        let get = async {
            let _permit = self.shared.in_flight.acquire().await.map_err(io::Error::other)?;
            self.get(range).await
        };
        let bytes = match future::select(pin!(get), pin!(self.alive.acquire())).await {
            Either::Left((bytes, _)) => bytes?,
            // Nobody gets a permit, so this ends only when it is closed.
            Either::Right(_) => {
                let (kind, text) = self.failure.get().cloned().unwrap_or((io::ErrorKind::Other, String::new()));
                return Err(io::Error::new(kind, text));
            }
        };
        if let Some((cache, key)) = self.shared.cache.as_ref().zip(key) {
            let named = |error: io::Error| io::Error::new(error.kind(), format!("--cache: {error}"));
            cache.put(&key, &bytes).map_err(named)?;
        }
        Ok(bytes)
    }

    async fn get(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let length = range.end.saturating_sub(range.start);
        // A weak tag never matches, so it is compared below.
        let tag = self.meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        let options = GetOptions { if_match: tag, range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let found = self.store.files.get_opts(&self.meta.location, options).await.map_err(error)?;
        // Not every server knows If-Match.
        if found.meta.size != self.meta.size || self.meta.e_tag.is_some() && found.meta.e_tag != self.meta.e_tag {
            return Err(changed());
        }
        let bytes = found.bytes().await.map_err(error)?;
        if bytes.len() as u64 != length {
            let text = format!("the server sent {} of the {length} bytes of a range", bytes.len());
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        // Without a copy.
        Ok(bytes.into())
    }
}

/// Returns the metadata of a file, or an error if the server sends too much of it.
pub(super) fn bounded(meta: ObjectMeta) -> io::Result<ObjectMeta> {
    if meta.e_tag.as_ref().is_some_and(|tag| tag.len() > LONGEST_TAG) {
        return Err(io::Error::other(format!("the server sent an ETag of more than {LONGEST_TAG} bytes")));
    }
    Ok(meta)
}

fn changed() -> io::Error {
    io::Error::other("changed while it was read")
}

/// Returns the error with the text of its cause. Servers write some of these texts, so they are cut.
pub(super) fn error(error: object_store::Error) -> io::Error {
    use object_store::Error;
    const LONGEST: usize = 300;
    let kind = match &error {
        Error::Precondition { .. } => return changed(),
        Error::NotFound { .. } => return io::Error::new(io::ErrorKind::NotFound, "no such file in the store"),
        Error::NotSupported { .. } => {
            return io::Error::new(io::ErrorKind::Unsupported, "the server does not send ranges of files");
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        if let Some(refusal) = inner.downcast_ref::<Refusal>() {
            return io::Error::other(refusal.to_string());
        }
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    let mut short: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    io::Error::new(kind, short)
}
