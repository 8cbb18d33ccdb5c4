//! A server of files over HTTP, with faults.

use std::collections::{BTreeMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How the server treats requests for ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The first request for each range fails.
    Flaky,
    /// Ends the connection in the middle of the bytes.
    Cut,
    /// Answers 500, always.
    Broken,
    /// The ETag and the file change after the first range.
    Changing,
    /// Like `Changing`, and ignores `If-Match`.
    ChangingQuietly,
    /// Sends all bytes of the file.
    NoRanges,
    /// Says that the file is longer than it is.
    Longer,
    /// Names the right range, and sends fewer bytes.
    Short,
    /// Redirects to a host that must not be contacted.
    Redirect,
    /// The file is gone after the first look at it.
    Gone,
    /// Answers 500 from the ninth range on.
    Later,
    /// Never answers a request for a range.
    Silent,
    /// Answers all requests with 503 Slow Down, until this time.
    SlowDown(Instant),
    /// Answers those for the file `late.b3d` with 500, until this time; and those for others after 50 ms.
    Late(Instant),
    /// Answers 403 with an error of S3.
    Forbidden,
}

/// A server of some files, which ends with the test.
pub struct Server {
    pub address: std::net::SocketAddr,
    pub requests: Arc<AtomicU64>,
    /// The bytes of ranges that it sent.
    pub sent: Arc<AtomicU64>,
}

type Files = Arc<BTreeMap<String, Vec<u8>>>;
/// Ranges that were requested.
type Seen = Arc<Mutex<HashSet<(usize, usize)>>>;

impl Server {
    pub fn new(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>, fault: Fault) -> Self {
        let files: Files = Arc::new(files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, requests) = (listener.local_addr().unwrap(), Arc::new(AtomicU64::new(0)));
        let sent = Arc::new(AtomicU64::new(0));
        let (counter, sent_counter) = (requests.clone(), sent.clone());
        std::thread::spawn(move || {
            let (ranges, seen) = (Arc::new(AtomicU64::new(0)), Seen::default());
            for stream in listener.incoming().map_while(Result::ok) {
                let (files, counter, ranges, seen) = (files.clone(), counter.clone(), ranges.clone(), seen.clone());
                let sent = sent_counter.clone();
                std::thread::spawn(move || {
                    let _ = serve(&stream, &files, fault, &counter, &ranges, &seen, &sent);
                });
            }
        });
        Self { address, requests, sent }
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }
}

fn serve(
    stream: &TcpStream,
    files: &Files,
    fault: Fault,
    counter: &AtomicU64,
    ranges: &AtomicU64,
    seen: &Seen,
    sent: &AtomicU64,
) -> std::io::Result<()> {
    let (mut reader, mut out) = (BufReader::new(stream), stream);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_owned());
        }
        counter.fetch_add(1, Ordering::Relaxed);
        let mut words = head[0].split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap().trim_start_matches('/'));
        let header = |name: &str| {
            let values = head[1..].iter().filter_map(|line| line.split_once(": "));
            values.clone().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        if let Some(answer) = answer(fault, path) {
            out.write_all(answer.as_bytes())?;
            continue;
        }
        let Some(file) = files.get(path) else {
            out.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        };
        let size = file.len() + if fault == Fault::Longer { 1_000_000 } else { 0 };
        let range = header("range").map(|text| {
            let (start, end) = text.trim_start_matches("bytes=").split_once('-').unwrap();
            (start.parse::<usize>().unwrap(), end.parse::<usize>().unwrap() + 1)
        });
        let number = if range.is_some() { ranges.fetch_add(1, Ordering::Relaxed) } else { 0 };
        let is_new = matches!(fault, Fault::Changing | Fault::ChangingQuietly) && number > 0;
        let tag = if is_new { "\"new\"" } else { "\"old\"" };
        let Some((start, end)) = range else {
            write!(out, "HTTP/1.1 200 OK\r\ncontent-length: {size}\r\netag: {tag}\r\n\r\n")?;
            if method == "GET" {
                out.write_all(file)?;
            }
            continue;
        };
        let status = |mut out: &TcpStream, text: &str| write!(out, "HTTP/1.1 {text}\r\ncontent-length: 0\r\n\r\n");
        let is_other = header("if-match").is_some_and(|wanted| wanted != tag);
        match fault {
            Fault::Broken => status(out, "500 Internal Server Error")?,
            Fault::Later if number >= 8 => status(out, "500 Internal Server Error")?,
            Fault::Silent => std::thread::sleep(Duration::from_secs(600)),
            Fault::Flaky if seen.lock().unwrap().insert((start, end)) => status(out, "503 Service Unavailable")?,
            Fault::Gone => status(out, "404 Not Found")?,
            Fault::Redirect => {
                write!(out, "HTTP/1.1 302 Found\r\nlocation: http://elsewhere.invalid/x\r\ncontent-length: 0\r\n\r\n")?;
            }
            Fault::Changing if is_other => status(out, "412 Precondition Failed")?,
            Fault::NoRanges => {
                write!(out, "HTTP/1.1 200 OK\r\ncontent-length: {size}\r\netag: {tag}\r\n\r\n")?;
                out.write_all(file)?;
            }
            _ => {
                let bytes = file.get(start.min(file.len())..end.min(file.len())).unwrap();
                let cut = if matches!(fault, Fault::Cut | Fault::Short) { bytes.len() / 2 } else { bytes.len() };
                let length = if fault == Fault::Short { cut } else { end - start };
                let range = format!("bytes {start}-{}/{size}", end - 1);
                write!(
                    out,
                    "HTTP/1.1 206 Partial Content\r\ncontent-range: {range}\r\ncontent-length: {length}\r\netag: {tag}\r\n\r\n"
                )?;
                out.write_all(&bytes[..cut])?;
                sent.fetch_add(cut as u64, Ordering::Relaxed);
                if length != cut {
                    return stream.shutdown(std::net::Shutdown::Both);
                }
            }
        }
    }
}

const ERROR: &str = "<?xml version=\"1.0\"?>\n<Error><Code>InvalidAccessKeyId</Code><Message>The AWS Access Key Id you \
                     provided does not exist in our records.</Message><AWSAccessKeyId>a</AWSAccessKeyId></Error>";

/// Returns the whole answer of a server that refuses this path now.
fn answer(fault: Fault, path: &str) -> Option<String> {
    let is_late = path.ends_with("late.b3d");
    let (status, body) = match fault {
        Fault::SlowDown(until) if Instant::now() < until => ("503 Slow Down", ""),
        Fault::Late(until) if is_late && Instant::now() < until => ("500 Internal Server Error", ""),
        Fault::Late(_) if !is_late => {
            std::thread::sleep(Duration::from_millis(50));
            return None;
        }
        Fault::Forbidden => ("403 Forbidden", ERROR),
        _ => return None,
    };
    Some(format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}
