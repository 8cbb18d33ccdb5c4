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
use tokio::time::timeout;

use super::keys::without_unusable;
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
        let is_new = self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_owned());
        if is_new && let Some(notes) = self.notes.get() {
            notes.say(format_args!("waiting for {host}: no answer for {} s", SILENT.as_secs()));
        }
    }
}

/// The reason why an answer was not read to its end. It is the whole message for the user.
#[derive(Debug)]
pub(super) struct Refusal(String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Returns an error after which a request is not repeated.
fn refusal(text: String) -> HttpError {
    HttpError::new(HttpErrorKind::Unknown, Refusal(text))
}

/// Returns the error, or one that names the limit if it is one of the client's limits.
fn with_limit(error: HttpError, host: &str) -> HttpError {
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        let client_error = inner.downcast_ref::<reqwest::Error>();
        if client_error.is_some_and(|error| error.is_connect() && error.is_timeout()) {
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
        let range = request.headers().get("range").and_then(|range| bytes_of(range.to_str().ok()?, "bytes="));
        if let Some(range) = range {
            return Self::Range(range);
        }
        match request.uri().query() {
            Some(query) if query.contains("list-type=2") || query.contains("comp=list") => Self::Listing,
            _ => Self::Other,
        }
    }
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
    /// Returns an answer whose body is whole and within the limits, so that what reads it need not check them.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Counts::add(&self.counts.requests, 1);
        let asked = Asked::of(&request);
        let url = request.uri().to_string();
        let host = request.uri().authority().map(ToString::to_string).unwrap_or_default();
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
            return Ok(HttpResponse::from_parts(parts, String::from_utf8_lossy(&text).into_owned().into()));
        }
        let bytes = match asked {
            Asked::Range(range) if parts.status.as_u16() == 206 => {
                if let Some(sent) = parts.headers.get("content-range") {
                    let sent = sent.to_str().ok().and_then(|sent| bytes_of(sent, "bytes "));
                    // The file may have become shorter.
                    if !sent.is_some_and(|sent| sent.start == range.start && sent.end <= range.end) {
                        return Err(refusal("the server sent another range than it was asked for".to_owned()));
                    }
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
    // A target may lack the host.
    let target = url::Url::parse(asked).and_then(|asked| Ok((asked.join(&target)?, asked)));
    let Ok((target, asked)) = target else { return "a redirect to nowhere".to_owned() };
    match target.host_str() {
        Some(host) if target.origin() == asked.origin() => format!("more than {REDIRECTS} redirects by {host}"),
        Some(host) => format!("a redirect to {host}, which is not followed"),
        None => "a redirect to another place, which is not followed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
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
}
