//! Sends requests to servers, which are not trusted: bounds the bytes and the time of each answer.

use std::collections::HashSet;
use std::future::Future;
use std::ops::Range;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use object_store::client::{HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService};
use reqwest::header::HeaderValue;
use tokio::time::timeout;

use super::credentials;
use super::keys::without_unusable;
use super::overload::{self, Health, Repetitions, is_overload};
use super::xml;
use crate::notes::Notes;

/// After this time without a byte, a message says which server the program waits for.
const SILENT: Duration = Duration::from_secs(4);
/// How long a server may take to accept a connection, with TLS.
pub(super) const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may take to begin its answer, with redirects.
const ANSWER: Duration = Duration::from_secs(15);
/// The least that a server sends of an answer in each of these times, unless the answer ends.
const LEAST_RATE: u64 = 10 << 10;
const RATE_TIME: Duration = Duration::from_secs(10);
/// The most of the text of an error that is read.
const ERROR_TEXT: usize = 4 << 10;
/// The most of an answer that is not a range of a file, such as a page of a listing.
const PAGE: u64 = 16 << 20;
/// The most headers of an answer, and the most KiB of them. The latter is a limit of hyper.
pub(super) const HEADERS: usize = 100;
const HEAD: usize = 408;
/// The most redirects of a request, all to the same host.
pub(super) const REDIRECTS: usize = 5;

/// The requests and bytes of a run.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// All requests, including those that are repeated.
    pub(super) requests: AtomicU64,
    /// The bytes of files that were received.
    pub(super) fetched: AtomicU64,
    /// The sizes of the files that were opened.
    pub(super) present: AtomicU64,
}

impl Counts {
    pub(super) fn add(count: &AtomicU64, more: u64) {
        let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(more)));
    }
}

/// Says which servers do not answer, each once.
#[derive(Debug, Default)]
pub(super) struct Waits {
    pub(super) notes: OnceLock<Notes>,
    said: Mutex<HashSet<String>>,
}

impl Waits {
    fn say(&self, host: &str) {
        if let Some(notes) = self.notes_about(host) {
            notes.say(format_args!("waiting for {host}: no answer for {} s", SILENT.as_secs()));
        }
    }

    fn say_refused(&self, host: &str, status: &str) {
        if let Some(notes) = self.notes_about(host) {
            notes.say(format_args!("waiting for {host}: it answers {status}"));
        }
    }

    /// Returns where to write, unless something was said about this host before.
    fn notes_about(&self, host: &str) -> Option<&Notes> {
        let is_new = self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_owned());
        if is_new { self.notes.get() } else { None }
    }
}

/// The reason why an answer was not read to its end. It is the whole message for the user.
#[derive(Debug)]
pub(super) struct Refusal {
    text: String,
    /// True if the server may answer later.
    pub(super) is_temporary: bool,
}

impl Refusal {
    pub(super) fn new(text: String) -> Self {
        Self { text, is_temporary: false }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

/// Returns an error after which a request is not repeated.
fn refusal(text: String) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, Refusal::new(text))
}

/// Returns the error, or one that names the limit if it is one of the client's limits.
fn with_limit(error: HttpError, host: &str) -> HttpError {
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        if let Some(error) = inner.downcast_ref::<reqwest::Error>()
            && error.is_connect()
            && error.is_timeout()
        {
            return refusal(format!("{host} did not accept the connection within {} s", CONNECT.as_secs()));
        }
        // Of hyper, which has the method for it in servers only.
        if inner.to_string() == "message head is too large" {
            return refusal(format!("the server sent a head of more than {HEADERS} headers or {HEAD} KiB"));
        }
        cause = inner.source();
    }
    error
}

/// What a request asks for.
enum Asked {
    /// The headers alone.
    Head,
    /// These bytes of a file.
    Range(Range<u64>),
    /// A page of a listing.
    Listing,
    /// Something else, such as credentials.
    Other,
}

impl Asked {
    fn of(request: &HttpRequest) -> Self {
        if request.method().as_str() == "HEAD" {
            return Self::Head;
        }
        if let Some(range) = request.headers().get("range")
            && let Ok(range) = range.to_str()
            && let Some(range) = bytes_of(range, "bytes=")
        {
            return Self::Range(range);
        }
        match request.uri().query() {
            Some(query) if query.contains("list-type=2") || query.contains("comp=list") => Self::Listing,
            _ => Self::Other,
        }
    }
}

/// Returns true if an answer is what was asked for, or less, because the file may have become shorter.
fn is_beginning(sent: &HeaderValue, asked: &Range<u64>) -> bool {
    let Ok(sent) = sent.to_str() else { return false };
    let Some(sent) = bytes_of(sent, "bytes ") else { return false };
    sent.start == asked.start && sent.end <= asked.end
}

/// Returns the range of a header: the first and last byte.
fn bytes_of(header: &str, unit: &str) -> Option<Range<u64>> {
    let (start, rest) = header.strip_prefix(unit)?.split_once('-')?;
    let (last, _) = rest.split_once('/').unwrap_or((rest, ""));
    Some(start.parse().ok()?..last.parse::<u64>().ok()?.checked_add(1)?)
}

#[derive(Debug)]
pub(super) struct Service {
    pub(super) client: reqwest::Client,
    pub(super) counts: Arc<Counts>,
    pub(super) waits: Arc<Waits>,
    pub(super) health: Arc<Health>,
    /// The message if a machine has no credentials for the store.
    pub(super) no_credentials: &'static str,
}

type Response<'c> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'c>>;

impl HttpService for Service {
    fn call<'s, 'c>(&'s self, request: HttpRequest) -> Response<'c>
    where
        's: 'c,
        Self: 'c,
    {
        Box::pin(self.send(request))
    }
}

impl Service {
    /// Returns an answer whose body is whole and within the limits, so that what reads it need not check them. Repeats
    /// the request while the store asks for fewer of them.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_for_credentials = credentials::is_request(&request);
        let mut repetitions = None;
        loop {
            let response = match self.send_once(request.clone()).await {
                Err(_) if is_for_credentials => return Err(refusal(self.no_credentials.to_owned())),
                response => response?,
            };
            let status = response.status();
            if is_for_credentials && status.is_client_error() {
                // Not an error yet: the client may know another way to ask.
                return Ok(HttpResponse::from_parts(response.into_parts().0, self.no_credentials.to_owned().into()));
            }
            if !is_overload(status.as_u16()) {
                if !status.is_server_error() {
                    self.health.answer();
                }
                return Ok(response);
            }
            let now = Instant::now();
            let repeated = repetitions.get_or_insert_with(|| Repetitions::new(now));
            let Some(wait) = repeated.next(now, &self.health) else {
                let text = overload::message(&status.to_string());
                return Err(HttpError::new(HttpErrorKind::Unknown, Refusal { text, is_temporary: true }));
            };
            self.waits.say_refused(&host_of(&request), &status.to_string());
            tokio::time::sleep(wait).await;
        }
    }

    async fn send_once(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Counts::add(&self.counts.requests, 1);
        let asked = Asked::of(&request);
        let url = request.uri().to_string();
        let host = host_of(&request);
        let answer = HttpService::call(&self.client, request);
        let Some(response) = self.wait(&host, ANSWER, answer).await else {
            return Err(refusal(format!("{host} did not answer within {} s", ANSWER.as_secs())));
        };
        let (mut parts, body) = response.map_err(|error| with_limit(error, &host))?.into_parts();
        if parts.status.is_redirection()
            && let Some(target) = parts.headers.get("location")
        {
            return Err(refusal(redirect(&url, target.as_bytes())));
        }
        if !parts.status.is_success() {
            let text = beginning(body).await;
            return Ok(HttpResponse::from_parts(parts, xml::readable(&String::from_utf8_lossy(&text)).into()));
        }
        let bytes = match asked {
            Asked::Range(range) if parts.status.as_u16() == 206 => {
                if let Some(sent) = parts.headers.get("content-range")
                    && !is_beginning(sent, &range)
                {
                    return Err(refusal("the server sent another range than it was asked for".to_owned()));
                }
                let length = range.end.saturating_sub(range.start);
                let most = Most { bytes: length, of: "a range", counted: Some(&self.counts.fetched) };
                self.read(&host, body, most).await?
            }
            // A file instead of a range is an error of the client.
            Asked::Head | Asked::Range(_) => Vec::new(),
            Asked::Listing => {
                let most = Most { bytes: PAGE, of: "a page of a listing", counted: None };
                let (page, left_out) = without_unusable(self.read(&host, body, most).await?);
                parts.extensions.insert(left_out);
                page
            }
            Asked::Other => self.read(&host, body, Most { bytes: PAGE, of: "an answer", counted: None }).await?,
        };
        Ok(HttpResponse::from_parts(parts, bytes.into()))
    }

    /// Reads a body to its end.
    async fn read(&self, host: &str, body: HttpResponseBody, most: Most<'_>) -> Result<Vec<u8>, HttpError> {
        let mut pieces = body.bytes_stream();
        let mut bytes = Vec::new();
        let mut until = Instant::now() + RATE_TIME;
        let mut sent: u64 = 0;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Some(next) = self.wait(host, left, pieces.next()).await else {
                if sent < LEAST_RATE {
                    return Err(refusal(too_slow(sent)));
                }
                until = Instant::now() + RATE_TIME;
                sent = 0;
                continue;
            };
            let Some(piece) = next else { return Ok(bytes) };
            let piece = piece?;
            let length = piece.len() as u64;
            sent = sent.saturating_add(length);
            if let Some(count) = most.counted {
                Counts::add(count, length);
            }
            if length.saturating_add(bytes.len() as u64) > most.bytes {
                return Err(refusal(format!("the server sent more than the {} bytes of {}", most.bytes, most.of)));
            }
            bytes.extend_from_slice(&piece);
        }
    }

    /// Waits for an answer, at most this long. Says so if it takes some time.
    async fn wait<T>(&self, host: &str, most: Duration, answer: impl Future<Output = T>) -> Option<T> {
        let mut answer = pin!(answer);
        if let Ok(answer) = timeout(SILENT.min(most), &mut answer).await {
            return Some(answer);
        }
        let left = most.checked_sub(SILENT)?;
        self.waits.say(host);
        timeout(left, answer).await.ok()
    }
}

/// The most bytes of a body, what they are, and the count to which they are added.
struct Most<'c> {
    bytes: u64,
    of: &'static str,
    counted: Option<&'c AtomicU64>,
}

fn host_of(request: &HttpRequest) -> String {
    match request.uri().authority() {
        Some(authority) => authority.to_string(),
        None => String::new(),
    }
}

/// Reads the beginning of the text of an error.
async fn beginning(body: HttpResponseBody) -> Vec<u8> {
    let mut text = Vec::new();
    let mut pieces = body.bytes_stream();
    let read = async {
        while text.len() < ERROR_TEXT
            && let Some(Ok(piece)) = pieces.next().await
        {
            text.extend_from_slice(&piece);
        }
    };
    // What came until then is enough for a message.
    let _ = timeout(SILENT, read).await;
    text.truncate(ERROR_TEXT);
    text
}

fn too_slow(sent: u64) -> String {
    let seconds = RATE_TIME.as_secs();
    format!(
        "the server sent {sent} bytes in {seconds} s, less than the least rate of {LEAST_RATE}; \
         with --requests fewer requests share the line"
    )
}

/// The message for a redirect that is not followed. Keeps only its host: the rest may have a signature.
fn redirect(asked: &str, target: &[u8]) -> String {
    let target = String::from_utf8_lossy(target);
    let Ok(asked) = url::Url::parse(asked) else { return "a redirect to nowhere".to_owned() };
    // A target may lack the host.
    let Ok(target) = asked.join(&target) else { return "a redirect to nowhere".to_owned() };
    match target.host_str() {
        Some(host) if target.origin() == asked.origin() => format!("more than {REDIRECTS} redirects by {host}"),
        Some(host) => format!("a redirect to {host}, which is not followed"),
        None => "a redirect to another place, which is not followed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use object_store::client::HttpRequestBody;
    use reqwest::redirect::Policy;
    use tokio::runtime::{Builder, Runtime};

    use super::*;

    #[test]
    fn ranges_of_headers_do_not_overflow() {
        assert_eq!(bytes_of("bytes=0-99", "bytes="), Some(0..100));
        assert_eq!(bytes_of("bytes 5-9/700", "bytes "), Some(5..10));
        assert_eq!(bytes_of("bytes 5-9/*", "bytes "), Some(5..10));
        for header in ["bytes 0-18446744073709551615/7", "bytes */7", "items 0-1/2", "bytes 0-", "bytes -5/9"] {
            assert_eq!(bytes_of(header, "bytes "), None, "{header}");
        }
    }

    /// A service, and the runtime of its requests.
    struct Asker {
        service: Service,
        runtime: Runtime,
    }

    impl Asker {
        fn new() -> Self {
            let _ = rustls::crypto::ring::default_provider().install_default();
            let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build().unwrap();
            let service = Service {
                client,
                counts: Arc::default(),
                waits: Arc::default(),
                health: Arc::default(),
                no_credentials: "no credentials",
            };
            Self { service, runtime: Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap() }
        }

        /// What comes of a request if the server sends this: the status and body, or the message.
        fn ask(
            &self,
            method: &str,
            query: &str,
            range: Option<&str>,
            answer: Vec<u8>,
        ) -> Result<(u16, Vec<u8>), String> {
            self.ask_path(&format!("x{query}"), method, range, answer)
        }

        /// The same for another path, with its query.
        fn ask_path(
            &self,
            path: &str,
            method: &str,
            range: Option<&str>,
            answer: Vec<u8>,
        ) -> Result<(u16, Vec<u8>), String> {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let server = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
                // The client may have enough before the end.
                let _ = stream.write_all(&answer);
            });
            let mut request = HttpRequest::new(HttpRequestBody::empty());
            *request.method_mut() = method.parse().unwrap();
            *request.uri_mut() = format!("http://{address}/{path}").parse().unwrap();
            if let Some(range) = range {
                request.headers_mut().insert("range", range.parse().unwrap());
            }
            let result = self.runtime.block_on(async {
                let (parts, body) = self.service.send(request).await?.into_parts();
                Ok::<_, HttpError>((parts.status.as_u16(), body.bytes().await?.to_vec()))
            });
            server.join().unwrap();
            result.map_err(|error| {
                let refusal = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<Refusal>());
                refusal.map_or_else(|| format!("no refusal: {error}"), ToString::to_string)
            })
        }
    }

    fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
        [head.as_bytes(), body].concat()
    }

    #[test]
    fn a_part_that_is_sent_is_in_the_range_that_was_asked_for() {
        let asker = Asker::new();
        let another = || Err("the server sent another range than it was asked for".to_owned());
        let body = b"0123456789";
        let asked = 5..15;
        // Every place of the first and last byte around those that were asked for.
        for start in 4..=6_u64 {
            for last in 12..=16_u64 {
                for total in ["15", "100", "*"] {
                    let header = format!("content-range: bytes {start}-{last}/{total}\r\n");
                    let found = asker.ask("GET", "", Some("bytes=5-14"), answer("206 Part", &header, body));
                    // A file that has become shorter is found out later.
                    let is_inside = start == asked.start && last < asked.end;
                    let expected = if is_inside { Ok((206, body.to_vec())) } else { another() };
                    assert_eq!(found, expected, "{header}");
                }
            }
        }
        for (header, is_accepted) in [
            // Without it, the client misses it.
            ("", true),
            ("content-range: bytes 5-18446744073709551615/15\r\n", false),
            ("content-range: bytes */15\r\n", false),
            ("content-range: bytes 5-/15\r\n", false),
            ("content-range: bytes -10/15\r\n", false),
            ("content-range: 5-14/15\r\n", false),
            ("content-range: items 5-14/15\r\n", false),
            ("content-range: bytes=5-14/15\r\n", false),
            ("content-range: bytes 0-14/15\r\n", false),
            ("content-range: \r\n", false),
            ("content-range: \u{e9}\r\n", false),
        ] {
            let found = asker.ask("GET", "", Some("bytes=5-14"), answer("206 Part", header, body));
            assert_eq!(found, if is_accepted { Ok((206, body.to_vec())) } else { another() }, "{header}");
        }
    }

    #[test]
    fn a_body_is_bounded_by_what_was_asked_for() {
        let asker = Asker::new();
        let header = "content-range: bytes 5-14/15\r\n";
        let mut counted = 0;
        for length in [0, 1, 9, 10, 11, 100] {
            let body = vec![b'x'; length];
            let found = asker.ask("GET", "", Some("bytes=5-14"), answer("206 Part", header, &body));
            let expected = match length {
                11.. => Err("the server sent more than the 10 bytes of a range".to_owned()),
                _ => Ok((206, body)),
            };
            assert_eq!(found, expected, "{length}");
            counted += length as u64;
        }
        // Those that were received for nothing count, too.
        assert_eq!(asker.service.counts.fetched.load(Ordering::Relaxed), counted);
        // A whole file instead of a range is not read, and what is not asked for by a range does not count.
        for (method, range) in [("GET", Some("bytes=5-14")), ("HEAD", None), ("HEAD", Some("bytes=5-14"))] {
            let body = if method == "HEAD" { &b""[..] } else { b"a whole file" };
            assert_eq!(
                asker.ask(method, "", range, answer("200 OK", "", body)),
                Ok((200, Vec::new())),
                "{method} {range:?}"
            );
        }
        let page = b"<List><Contents><Key>a//b</Key></Contents>.</List>";
        for (query, body) in [
            ("?list-type=2", &b"<List>.</List>"[..]),
            ("?restype=container&comp=list", b"<List>.</List>"),
            ("?list-type=1", page),
            ("?comp=other", page),
            ("", page),
        ] {
            assert_eq!(asker.ask("GET", query, None, answer("200 OK", "", page)), Ok((200, body.to_vec())), "{query}");
        }
        for more in [0, 1] {
            let body = vec![b'x'; PAGE as usize + more];
            let found = asker.ask("GET", "", None, answer("200 OK", "", &body));
            let said = "the server sent more than the 16777216 bytes of an answer";
            assert!(if more == 0 { found == Ok((200, body)) } else { found == Err(said.to_owned()) }, "{more}");
        }
        assert_eq!(asker.service.counts.fetched.load(Ordering::Relaxed), counted);
        assert_eq!(asker.service.counts.requests.load(Ordering::Relaxed), 6 + 3 + 5 + 2);
    }

    #[test]
    fn the_text_of_an_error_is_cut_at_4_kib_whatever_was_asked_for() {
        let asker = Asker::new();
        // Not those that ask for fewer requests, which are repeated.
        for status in [400, 403, 404, 412, 416, 500, 502] {
            for length in [0, 10, ERROR_TEXT - 1, ERROR_TEXT, ERROR_TEXT + 1, 3 * ERROR_TEXT] {
                for range in [None, Some("bytes=5-14")] {
                    let body = vec![b'x'; length];
                    let found = asker.ask("GET", "", range, answer(&format!("{status} No"), "", &body));
                    assert_eq!(found, Ok((status, vec![b'x'; length.min(4_096)])), "{status} {length} {range:?}");
                }
            }
        }
        assert_eq!(asker.service.counts.fetched.load(Ordering::Relaxed), 0);
    }

    /// An error of the server is no answer: it may be the same for all requests.
    #[test]
    fn a_store_has_answered_unless_it_failed_itself() {
        for status in [200, 204, 206, 304, 400, 403, 404, 412, 416, 428, 430, 499, 500, 501, 502, 504, 599] {
            let asker = Asker::new();
            let before = Instant::now();
            std::thread::sleep(Duration::from_millis(2));
            let found = asker.ask("GET", "", None, answer(&format!("{status} Text"), "", b""));
            assert_eq!(found, Ok((status, Vec::new())));
            assert_eq!(asker.service.health.has_answered_since(before), status < 500, "{status}");
        }
        // A redirect that is not followed, and an answer that is refused, are none.
        let asker = Asker::new();
        let before = Instant::now();
        let redirect = answer("302 Moved", "location: http://other.invalid/\r\n", b"");
        assert!(asker.ask("GET", "", None, redirect).is_err());
        assert!(!asker.service.health.has_answered_since(before));
    }

    /// Refused by a service for credentials, the client may know another way, but the text says what to set.
    #[test]
    fn a_cloud_without_credentials_says_what_to_set() {
        for (path, is_for_credentials) in [("latest/api/token", true), ("metadata/identity/x", true), ("x", false)] {
            for (status, is_refusal) in [(200, false), (400, true), (401, true), (404, true), (500, false)] {
                let asker = Asker::new();
                let found = asker.ask_path(path, "GET", None, answer(&format!("{status} Text"), "", b"text"));
                let text = if is_for_credentials && is_refusal { &b"no credentials"[..] } else { b"text" };
                assert_eq!(found, Ok((status, text.to_vec())), "{path} {status}");
            }
            // One that is not there.
            let found = Asker::new().ask_path(path, "GET", None, Vec::new());
            let is_said = found == Err("no credentials".to_owned());
            assert!(found.is_err() && is_said == is_for_credentials, "{path}: {found:?}");
        }
    }

    #[test]
    fn each_host_is_named_once() {
        let waits = Waits::default();
        waits.notes.get_or_init(|| Notes { quiet: true, verbose: false });
        for (host, is_new) in
            [("a", true), ("a", false), ("b", true), ("a:80", true), ("b", false), ("a", false), ("A", true)]
        {
            assert_eq!(waits.notes_about(host).is_some(), is_new, "{host}");
        }
        // Without a place to write there is nothing to say.
        assert!(Waits::default().notes_about("a").is_none());
    }

    #[test]
    fn ranges_that_were_asked_for_are_known_in_requests() {
        let asked = |method: &str, query: &str, range: Option<&str>| {
            let mut request = HttpRequest::new(HttpRequestBody::empty());
            *request.method_mut() = method.parse().unwrap();
            *request.uri_mut() = format!("http://h/x{query}").parse().unwrap();
            if let Some(range) = range {
                request.headers_mut().insert("range", range.parse().unwrap());
            }
            match Asked::of(&request) {
                Asked::Head => "head".to_owned(),
                Asked::Range(range) => format!("{range:?}"),
                Asked::Listing => "listing".to_owned(),
                Asked::Other => "other".to_owned(),
            }
        };
        for query in
            ["", "?list-type=2&prefix=a", "?prefix=a&list-type=2", "?comp=list", "?list-type=1", "?comp=lis", "?x"]
        {
            let without =
                if query.contains("list-type=2") || query.contains("comp=list") { "listing" } else { "other" };
            for (range, expected) in [
                (None, without),
                (Some("bytes=0-0"), "0..1"),
                (Some("bytes=5-14"), "5..15"),
                (Some("bytes=0-18446744073709551614"), "0..18446744073709551615"),
                (Some("bytes=0-18446744073709551615"), without),
                (Some("bytes=5-"), without),
                (Some("bytes=-5"), without),
                (Some("bytes 5-14"), without),
                (Some("items=5-14"), without),
            ] {
                assert_eq!(asked("GET", query, range), expected, "{query} {range:?}");
                assert_eq!(asked("PUT", query, range), expected, "{query} {range:?}");
                assert_eq!(asked("HEAD", query, range), "head", "{query} {range:?}");
            }
        }
    }

    #[test]
    fn a_redirect_is_named_by_its_host_alone() {
        let limit = |host: &str| format!("more than 5 redirects by {host}");
        let other = |host: &str| format!("a redirect to {host}, which is not followed");
        for (asked, target, expected) in [
            ("http://h/a", "/b?signature=s", limit("h")),
            ("http://h/a", "b", limit("h")),
            ("http://h/a", "http://h/b", limit("h")),
            ("http://h/a", "HTTP://H:80/b", limit("h")),
            ("https://h/a", "//h/b", limit("h")),
            ("http://h:81/a", "http://h:81/b", limit("h")),
            ("http://h/a", "http://h:81/b?signature=s", other("h")),
            ("http://h/a", "https://h/b", other("h")),
            ("https://h/a", "http://h/b", other("h")),
            ("http://h/a", "http://user:secret@other/b", other("other")),
            ("http://h/a", "//other/b", other("other")),
            ("http://h/a", "http://127.0.0.1/b", other("127.0.0.1")),
            ("http://h/a", "file:///etc/passwd", other("another place")),
            ("http://h/a", "data:,secret", other("another place")),
            ("http://h/a", "http://", "a redirect to nowhere".to_owned()),
            ("http://h/a", "http://[/secret", "a redirect to nowhere".to_owned()),
        ] {
            let found = redirect(asked, target.as_bytes());
            assert_eq!(found, expected, "{asked} {target}");
        }
        assert_eq!(redirect("http://h/a", b"\xff"), limit("h"));
        // As a whole answer, whatever was asked for.
        let asker = Asker::new();
        for status in [301, 302, 303, 307, 308] {
            for range in [None, Some("bytes=5-14")] {
                let headers = "location: http://other.invalid/x?signature=s\r\n";
                let found = asker.ask("GET", "", range, answer(&format!("{status} Moved"), headers, b"text"));
                assert_eq!(found, Err(other("other.invalid")), "{status}");
            }
        }
        // One that leads nowhere is the text of an error.
        assert_eq!(asker.ask("GET", "", None, answer("304 Same", "", b"")), Ok((304, Vec::new())));
    }
}
