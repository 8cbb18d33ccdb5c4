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
use super::credentials;
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
        self.runtime.block_on(async {
            match future::select(pin!(requests), pin!(self.stopped())).await {
                Either::Left((result, _)) => result,
                Either::Right(_) => Err(io::ErrorKind::Interrupted.into()),
            }
        })
    }

    /// Waits until the scan is stopped.
    async fn stopped(&self) {
        loop {
            if let Some(scan) = &self.scan
                && scan.is_stopped()
            {
                return;
            }
            tokio::time::sleep(PATIENCE).await;
        }
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
        let tag = self.meta.e_tag.as_ref()?;
        Some(format!("{}:{tag}", self.meta.size))
    }

    fn modified(&self) -> Option<SystemTime> {
        let seconds = u64::try_from(self.meta.last_modified.timestamp()).ok()?;
        let since = Duration::new(seconds, self.meta.last_modified.timestamp_subsec_nanos());
        // Not every system has the times that a server may name.
        let time = SystemTime::UNIX_EPOCH.checked_add(since)?;
        // Servers that do not say leave the beginning of time.
        if time == SystemTime::UNIX_EPOCH {
            return None;
        }
        Some(time)
    }

    fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let pieces = pieces(ranges);
        let largest = pieces.iter().map(|piece| length(&piece.range)).max().unwrap_or(0);
        let at_once = usize::try_from(IN_FLIGHT / largest.max(1)).unwrap_or(usize::MAX);
        let mut all = Vec::with_capacity(ranges.len());
        for range in ranges {
            let mut bytes = Vec::new();
            let length = usize::try_from(length(range)).unwrap_or(usize::MAX);
            if bytes.try_reserve_exact(length).is_err() {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            all.push(bytes);
        }
        let fetched = stream::iter(pieces).map(|piece| self.fetch_piece(piece));
        let mut fetched = fetched.buffered(self.shared.most_in_flight.min(at_once));
        let fetched = async {
            while let Some((index, bytes)) = fetched.try_next().await? {
                if let Some(whole) = all.get_mut(index) {
                    whole.extend_from_slice(&bytes);
                }
            }
            Ok(())
        };
        if let Err(error) = self.shared.run(fetched) {
            self.failure.get_or_init(|| (error.kind(), error.to_string()));
            self.alive.close();
            return Err(error);
        }
        Ok(all)
    }
}

/// A part of a range, which one request fetches.
struct Piece {
    /// The index of the range.
    index: usize,
    range: Range<u64>,
}

fn pieces(ranges: &[Range<u64>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, range) in ranges.iter().enumerate() {
        let mut start = range.start;
        while start < range.end {
            let end = start.saturating_add(MOST).min(range.end);
            pieces.push(Piece { index, range: start..end });
            start = end;
        }
    }
    pieces
}

fn length(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

impl File {
    async fn fetch_piece(&self, piece: Piece) -> io::Result<(usize, Vec<u8>)> {
        Ok((piece.index, self.fetch(piece.range).await?))
    }

    /// Takes a range from the cache, or else from the server.
    async fn fetch(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let Some(cache) = &self.shared.cache else { return self.fetch_anew(range).await };
        let Some(tag) = &self.meta.e_tag else { return self.fetch_anew(range).await };
        let key = format!("{}\n{}\n{tag}\n{range:?}", self.store.place, self.meta.location);
        if let Some(bytes) = cache.get(&key)
            && bytes.len() as u64 == length(&range)
        {
            return Ok(bytes);
        }
        let bytes = self.fetch_anew(range).await?;
        if let Err(error) = cache.put(&key, &bytes) {
            return Err(io::Error::new(error.kind(), format!("--cache: {error}")));
        }
        Ok(bytes)
    }

    /// Waits for the server, until another read of the file fails.
    async fn fetch_anew(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        match future::select(pin!(self.get(range)), pin!(self.alive.acquire())).await {
            Either::Left((bytes, _)) => bytes,
            // Nobody gets a permit, so this ends only when it is closed.
            Either::Right(_) => match self.failure.get() {
                Some((kind, text)) => Err(io::Error::new(*kind, text.clone())),
                None => Err(io::Error::other("")),
            },
        }
    }

    async fn get(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let _permit = self.shared.in_flight.acquire().await.map_err(io::Error::other)?;
        let length = length(&range);
        let mut tag = self.meta.e_tag.clone();
        if let Some(weak) = &tag
            && weak.starts_with("W/")
        {
            // It never matches, so it is compared below.
            tag = None;
        }
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
    if let Some(tag) = &meta.e_tag
        && tag.len() > LONGEST_TAG
    {
        return Err(io::Error::other(format!("the server sent an ETag of more than {LONGEST_TAG} bytes")));
    }
    Ok(meta)
}

fn changed() -> io::Error {
    io::Error::other("changed while it was read")
}

/// The error of a store that may answer later.
#[derive(Debug)]
struct Temporary(String);

impl std::fmt::Display for Temporary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Temporary {}

/// Returns true if the store may answer the same request later.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Temporary>())
}

/// The most characters of a message. Servers write some of them.
const LONGEST: usize = 300;
/// What the client writes before the status and text of an answer.
const ANSWERED: &str = "Server returned non-2xx status code: ";
/// What the client writes before the method and URL of a request.
const PERFORMING: &str = "Error performing ";

/// Returns the error with the text of its cause, which comes first.
pub(super) fn error(error: object_store::Error) -> io::Error {
    use object_store::Error;
    let kind = match &error {
        Error::Precondition { .. } => return changed(),
        Error::NotFound { .. } => return io::Error::new(io::ErrorKind::NotFound, "no such file in the store"),
        Error::NotSupported { .. } => {
            return io::Error::new(io::ErrorKind::Unsupported, "the server does not send ranges of files");
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    let mut texts = vec![error.to_string()];
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        if let Some(refusal) = inner.downcast_ref::<Refusal>() {
            if refusal.is_temporary {
                return io::Error::other(Temporary(refusal.to_string()));
            }
            return io::Error::other(refusal.to_string());
        }
        texts.push(inner.to_string());
        cause = inner.source();
    }
    let text = short(&message(&texts));
    let lacks_credentials = texts.iter().any(|text| credentials::message_in(text).is_some());
    if matches!(error, Error::Generic { .. }) && !lacks_credentials {
        return io::Error::other(Temporary(text));
    }
    io::Error::new(kind, text)
}

/// Returns one message from those of an error and its causes, the outermost first. It is the answer of the server, or
/// about credentials, if one of them is. Otherwise it is the last cause, and the request if one of them names it, or
/// else what the cause is about.
fn message(texts: &[String]) -> String {
    for text in texts {
        if let Some(text) = credentials::message_in(text) {
            return text.to_owned();
        }
        if let Some((_, answer)) = text.split_once(ANSWERED) {
            return format!("the server answered {}", answer.trim_end_matches([':', ' ']));
        }
    }
    let mut last = "";
    let mut around = "";
    let mut request = "";
    for text in texts {
        // Such as `Error performing GET http://localhost/a in 3s`.
        if let Some((_, rest)) = text.split_once(PERFORMING) {
            request = rest.split(" in ").next().unwrap_or_default();
        }
        if !text.is_empty() && text != last {
            around = last;
            last = text;
        }
    }
    if !request.is_empty() {
        return format!("{last} ({request})");
    }
    // An error often ends with the text of its cause: `cannot connect: refused`, `refused`.
    let around = around.strip_suffix(last).unwrap_or(around).trim_end_matches([':', ' ']);
    if around.is_empty() { last.to_owned() } else { format!("{last}: {around}") }
}

/// Returns the text without control characters, cut after the most characters of a message.
fn short(text: &str) -> String {
    let mut short: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use object_store::memory::InMemory;
    use object_store::path::Path as Key;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::*;

    fn shared(cache: Option<&Path>) -> Arc<Shared> {
        Arc::new(Shared {
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            counts: Arc::default(),
            in_flight: Semaphore::new(4),
            most_in_flight: 4,
            cache: cache.map(|folder| Cache::open(folder, 1 << 20).unwrap()),
            scan: None,
        })
    }

    /// A file of a store of its own, as the store lists it. Files that were put there before have the first tags.
    fn file(shared: &Arc<Shared>, place: &str, key: &str, bytes: &[u8], before: usize) -> File {
        let files = InMemory::new();
        let meta = shared.runtime.block_on(async {
            for number in 0..before {
                files.put(&Key::from(format!("before {number}")), PutPayload::new()).await.unwrap();
            }
            files.put(&Key::from(key), bytes.to_vec().into()).await.unwrap();
            files.head(&Key::from(key)).await.unwrap()
        });
        File {
            shared: shared.clone(),
            store: Store { files: Arc::new(files), pages: None, place: place.to_owned(), health: Arc::default() },
            meta,
            failure: OnceLock::new(),
            alive: Semaphore::new(0),
        }
    }

    fn read_one(file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
        Ok(file.read(std::slice::from_ref(&range))?.concat())
    }

    /// What one file left in the cache is used for itself alone.
    #[test]
    fn every_part_of_a_key_keeps_files_in_a_cache_apart() {
        let folder = tempfile::tempdir().unwrap();
        let shared = shared(Some(folder.path()));
        let first = file(&shared, "place", "a", b"first file", 0);
        let parts = |file: &File| file.read(&[0..4, 2..6]).unwrap();
        assert_eq!(parts(&first), [b"firs", b"rst "]);
        let other = b"other file";
        for (what, file, is_cached) in [
            ("the same", file(&shared, "place", "a", other, 0), true),
            ("another place", file(&shared, "place 2", "a", other, 0), false),
            ("another key", file(&shared, "place", "b", other, 0), false),
            ("another tag", file(&shared, "place", "a", other, 1), false),
        ] {
            let expected = if is_cached { [b"firs", b"rst "] } else { [b"othe", b"her "] };
            assert_eq!(parts(&file), expected, "{what}");
            // Another range of the same length is fetched.
            assert_eq!(read_one(&file, 1..5).unwrap(), b"ther", "{what}");
        }
        // Without a tag nothing is kept.
        let count = || folder.path().read_dir().unwrap().count();
        let before = count();
        for bytes in [b"first file", b"other file"] {
            let mut file = file(&shared, "no tag", "a", bytes, 0);
            file.meta.e_tag = None;
            assert_eq!(read_one(&file, 0..5).unwrap(), &bytes[..5]);
        }
        assert_eq!(count(), before);
    }

    /// Ranges are fetched in pieces of 8 MiB, and each is whole and in its place.
    #[test]
    fn ranges_of_every_length_are_whole_and_in_order() {
        let shared = shared(None);
        let piece = MOST as usize;
        let bytes: Vec<u8> = (0..2 * piece + 10).map(|place| (place % 251) as u8).collect();
        let file = file(&shared, "place", "a", &bytes, 0);
        let mut ranges = vec![0..1, 5..6, 0..10];
        for length in [piece - 1, piece, piece + 1, 2 * piece, 2 * piece + 1] {
            ranges.push(3..3 + length);
        }
        ranges.push(7..9);
        let asked: Vec<Range<u64>> = ranges.iter().map(|range| range.start as u64..range.end as u64).collect();
        let read = file.read(&asked).unwrap();
        assert_eq!(read.len(), ranges.len());
        for (read, range) in read.iter().zip(ranges) {
            assert!(read == &bytes[range.clone()], "{range:?}");
        }
        assert_eq!(file.read(&[]).unwrap(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_file_with_another_size_or_tag_has_changed() {
        let shared = shared(None);
        for (size, tag, is_same) in [
            (10, Some("\"0\""), true),
            (9, Some("\"0\""), false),
            (11, Some("\"0\""), false),
            (10, Some("\"1\""), false),
            // One that never matches is compared.
            (10, Some("W/\"0\""), false),
            (10, None, true),
            (11, None, false),
        ] {
            let mut file = file(&shared, "place", "a", b"0123456789", 0);
            assert_eq!(file.meta.e_tag.as_deref(), Some("\"0\""));
            file.meta.size = size;
            file.meta.e_tag = tag.map(str::to_owned);
            let read = read_one(&file, 2..4).map_err(|error| error.to_string());
            let expected = if is_same { Ok(b"23".to_vec()) } else { Err("changed while it was read".to_owned()) };
            assert_eq!(read, expected, "{size} {tag:?}");
            // After an error, the other reads end with it.
            if !is_same {
                assert!(file.alive.is_closed());
                assert_eq!(read_one(&file, 2..4).unwrap_err().to_string(), "changed while it was read");
            }
            assert_eq!(file.stamp(), tag.map(|tag| format!("{size}:{tag}")));
            assert_eq!(file.byte_len(), size);
        }
    }

    #[test]
    fn times_from_1970_on_are_those_of_files() {
        let shared = shared(None);
        let mut file = file(&shared, "place", "a", b"", 0);
        let epoch = SystemTime::UNIX_EPOCH;
        let (second, least) = (Duration::from_secs(1), Duration::from_nanos(100));
        for (time, expected) in [
            (epoch - second, None),
            (epoch - least, None),
            // Of servers that do not say.
            (epoch, None),
            (epoch + least, Some(epoch + least)),
            (epoch + second, Some(epoch + second)),
        ] {
            file.meta.last_modified = time.into();
            assert_eq!(file.modified(), expected, "{time:?}");
        }
    }

    #[test]
    fn tags_are_kept_up_to_1024_bytes() {
        let shared = shared(None);
        let meta = file(&shared, "place", "a", b"", 0).meta;
        for length in [0, 1, 1023, 1024, 1025, 5000] {
            let meta = ObjectMeta { e_tag: Some("é".repeat(length / 2) + &"x".repeat(length % 2)), ..meta.clone() };
            let found = bounded(meta).map(drop).map_err(|error| error.to_string());
            let said = "the server sent an ETag of more than 1024 bytes".to_owned();
            assert_eq!(found, if length <= 1024 { Ok(()) } else { Err(said) }, "{length}");
        }
        assert!(bounded(ObjectMeta { e_tag: None, ..meta }).is_ok());
    }

    #[test]
    fn messages_are_the_last_cause_and_the_request() {
        let texts = |texts: &[&str]| message(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let around = "Generic S3 error: Error performing GET http://h/x in 1s, after 4 retries - ";
        let answered = format!("{around}Server returned non-2xx status code: 403 Forbidden: AccessDenied: No.");
        assert_eq!(texts(&[&answered, "x"]), "the server answered 403 Forbidden: AccessDenied: No.");
        let bare = format!("{around}Server returned non-2xx status code: 500 Internal Server Error: ");
        assert_eq!(texts(&[&bare]), "the server answered 500 Internal Server Error");
        let refused = format!("{around}HTTP error: error sending request");
        assert_eq!(texts(&[&refused, "connect error", "refused"]), "refused (GET http://h/x)");
        let header = ["Generic: no size: Invalid length -5: bad digit", "Invalid length -5: bad digit", "bad digit"];
        assert_eq!(texts(&header), "bad digit: Invalid length -5");
        assert_eq!(texts(&["inner", "inner", ""]), "inner");
        let missing = format!("{around}Server returned non-2xx status code: 403 Forbidden: no credentials: set A");
        assert_eq!(texts(&[&missing]), "no credentials: set A");
    }

    /// The same request may be answered later, unless the store has said why not.
    #[test]
    fn errors_of_a_store_alone_are_temporary() {
        use object_store::Error;
        let path = || "p".to_owned();
        let source = || -> Box<dyn std::error::Error + Send + Sync> { "cause".into() };
        let generic = |source| Error::Generic { store: "S3", source };
        let refusal = |is_temporary| {
            let mut refusal = Refusal::new("refused".to_owned());
            refusal.is_temporary = is_temporary;
            refusal
        };
        for (found, expected, text) in [
            (generic(source()), true, "cause: Generic S3 error"),
            (generic("403: no credentials: set A".into()), false, "no credentials: set A"),
            (generic(refusal(false).into()), false, "refused"),
            (generic(refusal(true).into()), true, "refused"),
            (Error::Precondition { path: path(), source: source() }, false, "changed while it was read"),
            (Error::NotFound { path: path(), source: source() }, false, "no such file in the store"),
            (Error::NotFound { path: path(), source: refusal(true).into() }, false, "no such file in the store"),
            (Error::NotSupported { source: source() }, false, "the server does not send ranges of files"),
            (Error::PermissionDenied { path: path(), source: refusal(true).into() }, true, "refused"),
            (Error::PermissionDenied { path: path(), source: refusal(false).into() }, false, "refused"),
        ] {
            let found = error(found);
            assert_eq!((is_temporary(&found), found.to_string().as_str()), (expected, text));
        }
        let denied = error(Error::Unauthenticated { path: path(), source: source() });
        assert!(!is_temporary(&denied) && !is_temporary(&io::ErrorKind::Other.into()) && !is_temporary(&changed()));
    }

    #[test]
    fn errors_of_stores_have_a_kind_and_a_short_text() {
        use object_store::Error;
        let path = || "p".to_owned();
        let source = |text: &str| -> Box<dyn std::error::Error + Send + Sync> { text.to_owned().into() };
        for (found, kind, text) in [
            (
                Error::Precondition { path: path(), source: source("s") },
                io::ErrorKind::Other,
                "changed while it was read",
            ),
            (
                Error::NotFound { path: path(), source: source("s") },
                io::ErrorKind::NotFound,
                "no such file in the store",
            ),
            (
                Error::NotSupported { source: source("s") },
                io::ErrorKind::Unsupported,
                "the server does not send ranges of files",
            ),
            (
                Error::PermissionDenied { path: path(), source: source("no entry") },
                io::ErrorKind::PermissionDenied,
                "no entry",
            ),
            (
                Error::Unauthenticated { path: path(), source: source("no key") },
                io::ErrorKind::PermissionDenied,
                "no key",
            ),
            (Error::AlreadyExists { path: path(), source: source("cause") }, io::ErrorKind::Other, "cause"),
            (Error::Generic { store: "S3", source: source("a\nb\u{1b}c") }, io::ErrorKind::Other, "a b c"),
        ] {
            let found = error(found);
            let said = found.to_string();
            assert!(found.kind() == kind && said.contains(text), "{kind} {text}: {said}");
            assert_eq!(said.matches(text).count(), 1, "{said}");
        }
        let whole = |text: &str| error(Error::Generic { store: "S3", source: source(text) }).to_string();
        let around = ": Generic S3 error".len();
        for length in [1, 298 - around, 299 - around, 300 - around, 301 - around, 5_000] {
            let said = whole(&"é".repeat(length));
            assert_eq!(said.chars().count(), (length + around).min(301), "{length}: {said}");
            assert_eq!(said.ends_with('…'), length + around > 300, "{length}: {said}");
        }
        assert_eq!(whole(""), "Generic S3 error: ");
    }
}
