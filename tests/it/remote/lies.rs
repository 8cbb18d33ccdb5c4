//! Servers that lie, wait or never end: what they cost, and what the program says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::program::{Folder, code, lines, program, stderr, stdout};

const FILE: &[u8] = b"BB3D\x04\0\0\0\x01\0\0\0";
/// The keys of a bucket. Some of its folders have names that begin alike, and one has that of a file.
const FOLDERS: [&str; 7] =
    ["a.b3d", "mod.b3d", "mod.b3d/a.b3d", "mod/a.b3d", "mod/sub/a.b3d", "mod2/a.b3d", "other/mod/a.b3d"];
/// What a server without end sends before it gives up.
const ENDLESS: u64 = 256 << 20;

/// A server whose answer depends on the first part of the path. It ends with the test.
struct Liar {
    address: SocketAddr,
    /// The bytes of bodies and headers without end that it could send, for each first part.
    sent: Arc<Mutex<BTreeMap<String, u64>>>,
    /// Contacts of the port to which it redirects.
    contacts: Arc<AtomicU64>,
}

impl Liar {
    fn new(file: &'static [u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, contacts) = counted_port();
        let liar = Self { address: listener.local_addr().unwrap(), sent: Arc::default(), contacts };
        let sent = liar.sent.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                stream.set_nodelay(true).unwrap();
                let sent = sent.clone();
                std::thread::spawn(move || {
                    let mut liar =
                        Lie { stream: &stream, file, port, kind: String::new(), if_match: None, sent: &sent };
                    let _ = liar.serve();
                });
            }
        });
        liar
    }

    fn command(&self) -> Command {
        let mut command = program();
        command.envs([
            ("AWS_ACCESS_KEY_ID", "a"),
            ("AWS_SECRET_ACCESS_KEY", "b"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ALLOW_HTTP", "true"),
        ]);
        command.env("AWS_ENDPOINT", format!("http://{}", self.address));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command().args(args).output().unwrap()
    }

    /// The URL of a file of this kind, or a bucket.
    fn url(&self, kind: &str) -> String {
        match kind.strip_prefix("s3://") {
            Some(_) => kind.to_owned(),
            None => format!("http://{}/{kind}/x.b3d", self.address),
        }
    }

    fn sent(&self, kind: &str) -> u64 {
        self.sent.lock().unwrap().get(kind.trim_start_matches("s3://")).copied().unwrap_or(0)
    }
}

/// Opens a port and counts its contacts.
fn counted_port() -> (u16, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let contacts = Arc::new(AtomicU64::new(0));
    let count = contacts.clone();
    std::thread::spawn(move || {
        for _contact in listener.incoming() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    (port, contacts)
}

/// A connection.
struct Lie<'s> {
    stream: &'s TcpStream,
    file: &'static [u8],
    /// The port to which it redirects.
    port: u16,
    kind: String,
    /// The tag that the file must still have.
    if_match: Option<String>,
    sent: &'s Mutex<BTreeMap<String, u64>>,
}

type Sent = std::io::Result<()>;

impl Lie<'_> {
    fn serve(&mut self) -> Sent {
        let mut reader = BufReader::new(self.stream);
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head)? == 0 {
                    return Ok(());
                }
            }
            let mut words = head.split(' ');
            let (method, target) = (words.next().unwrap(), words.next().unwrap());
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            self.kind = path.split('/').nth(1).unwrap().to_owned();
            if self.kind == "silent" {
                std::thread::sleep(Duration::from_secs(60));
            }
            if query.contains("list-type=2") {
                self.list(query)?;
                continue;
            }
            let lower = head.to_ascii_lowercase();
            let range = lower.lines().find_map(|line| line.strip_prefix("range: bytes="));
            self.if_match = lower.lines().find_map(|line| line.strip_prefix("if-match: ")).map(str::to_owned);
            if let Some(left @ 1..) = self.kind.strip_prefix("redirects-").and_then(|left| left.parse::<u32>().ok()) {
                self.say("302 Found", &format!("location: /redirects-{}/x.b3d\r\n", left - 1), b"")?;
                continue;
            }
            match (method, range) {
                ("HEAD", _) => self.head(target)?,
                (_, Some(range)) => {
                    let (start, last) = range.split_once('-').unwrap();
                    self.range(start.parse().unwrap(), last.parse().unwrap())?;
                }
                _ => self.say("404 Not Found", "", b"")?,
            }
        }
    }

    /// Sends a whole answer.
    fn say(&mut self, status: &str, headers: &str, body: &[u8]) -> Sent {
        write!(self.stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len())?;
        self.stream.write_all(body)
    }

    /// Sends this again and again, with an answer before it.
    fn pour(&mut self, before: &str, again: &[u8]) -> Sent {
        self.stream.write_all(before.as_bytes())?;
        let block = again.repeat((1 << 16) / again.len() + 1);
        let mut all: u64 = 0;
        while all < ENDLESS {
            self.stream.write_all(&block)?;
            all += block.len() as u64;
            *self.sent.lock().unwrap().entry(self.kind.clone()).or_default() += block.len() as u64;
        }
        self.stream.shutdown(std::net::Shutdown::Both)
    }

    fn head(&mut self, target: &str) -> Sent {
        let mut size = self.file.len().to_string();
        let mut headers = "etag: \"tag\"\r\nlast-modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n".to_owned();
        match self.kind.as_str() {
            "endless-headers" => {
                return self.pour("HTTP/1.1 200 OK\r\n", format!("x: {}\r\n", "a".repeat(900)).as_bytes());
            }
            "weak-tag" => headers = "etag: W/\"tag\"\r\n".to_owned(),
            "no-tag" => headers.clear(),
            "many-headers" => headers.push_str(&"x: y\r\n".repeat(200)),
            "redirect-in-circles" => return self.say("302 Found", &format!("location: {target}\r\n"), b""),
            "redirect-to-file" => return self.say("302 Found", "location: file:///etc/passwd\r\n", b""),
            "redirect-to-port" => return self.redirect(),
            "no-length" => return write!(self.stream, "HTTP/1.1 200 OK\r\netag: \"tag\"\r\n\r\n"),
            "two-lengths" => size = format!("5\r\ncontent-length: {size}"),
            "more-answers" => headers.push_str("\r\nHTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"),
            "negative" => size = "-5".to_owned(),
            "no-number" => size = "99999999999999999999".to_owned(),
            "long-tag" => headers = format!("etag: \"{}\"\r\n", "x".repeat(2000)),
            "no-date" => headers = "last-modified: yesterday\r\n".to_owned(),
            "far-date" => headers = "last-modified: Fri, 31 Dec 9999 23:59:59 GMT\r\n".to_owned(),
            "old-date" => headers = "last-modified: Mon, 01 Jan 0001 00:00:00 GMT\r\n".to_owned(),
            "control" => return self.say("500 \x1b[31mred", "", b""),
            "huge" => size = u64::MAX.to_string(),
            "folders" if !FOLDERS.iter().any(|key| target.strip_prefix("/folders/") == Some(*key)) => {
                return write!(self.stream, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
            }
            _ => {}
        }
        write!(self.stream, "HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n{headers}\r\n")
    }

    fn redirect(&mut self) -> Sent {
        self.say("302 Found", &format!("location: http://127.0.0.1:{}/x\r\n", self.port), b"")
    }

    fn range(&mut self, start: usize, last: usize) -> Sent {
        let file = self.file;
        let mut headers = format!("etag: \"tag\"\r\ncontent-range: bytes {start}-{last}/{}\r\n", file.len());
        // The clients of some stores require it.
        headers += "last-modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n";
        let part = file.get(start..=last).unwrap_or_default();
        let chunked = |status: &str| format!("HTTP/1.1 {status}\r\n{headers}transfer-encoding: chunked\r\n\r\n");
        let chunk = format!("1000\r\n{}\r\n", "A".repeat(0x1000));
        let is_error = self.kind.strip_prefix("error-");
        match self.kind.as_str() {
            _ if is_error.is_some() => {
                return self.pour(&format!("HTTP/1.1 {} No\r\n\r\n", is_error.unwrap()), b"no \xff");
            }
            "more" => return self.pour(&chunked("206 Partial"), chunk.as_bytes()),
            "extensions" => return self.pour(&format!("{}5;", chunked("206 Partial")), b"a=b;"),
            "trailers" => {
                let body = format!("c\r\n{}\r\n0\r\n", String::from_utf8_lossy(file));
                return self.pour(&format!("{}{body}", chunked("206 Partial")), b"x: y\r\n");
            }
            "interim" => {
                for _ in 0..200 {
                    self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
            "drip" => {
                write!(self.stream, "HTTP/1.1 206 Partial\r\ncontent-length: {}\r\n{headers}\r\n", part.len())?;
                for byte in part {
                    self.stream.write_all(&[*byte])?;
                    std::thread::sleep(Duration::from_secs(3));
                }
                return Ok(());
            }
            "stops" => {
                write!(self.stream, "HTTP/1.1 206 Partial\r\ncontent-length: {}\r\n{headers}\r\nBB", part.len())?;
                std::thread::sleep(Duration::from_secs(60));
            }
            "slow" => {
                write!(self.stream, "HTTP/1.1 206 Partial\r\ncontent-length: {}\r\n{headers}\r\n", part.len())?;
                for (index, piece) in part.chunks(12 << 10).enumerate() {
                    if index > 0 {
                        std::thread::sleep(Duration::from_secs(6));
                    }
                    self.stream.write_all(piece)?;
                }
                return Ok(());
            }
            "begins" => {
                write!(self.stream, "HTTP/1.1 206 Partial\r\ncontent-length: {}\r\n{headers}\r\n", part.len())?;
                self.stream.write_all(&part[..30 << 10])?;
                std::thread::sleep(Duration::from_secs(60));
            }
            "redirect-of-range" => return self.redirect(),
            "whole" => return self.say("200 OK", "etag: \"tag\"\r\n", file),
            "short" => return self.say("206 Partial", &headers, &part[1..]),
            "gzip" => headers.push_str("content-encoding: gzip\r\n"),
            "no-total" => headers = format!("etag: \"tag\"\r\ncontent-range: bytes {start}-{last}/*\r\n"),
            "other-tag" => headers = headers.replace("tag\"", "other\""),
            "strong-tag" if self.if_match.as_deref() != Some("\"tag\"") => {
                return self.say("428 Precondition Required", "", b"");
            }
            // A weak tag never matches.
            "weak-tag" | "no-tag" if self.if_match.is_some() => return self.say("412 Precondition Failed", "", b""),
            "weak-tag" => headers = headers.replace("etag: ", "etag: W/"),
            "no-tag" => headers = headers.replace("etag: \"tag\"\r\n", ""),
            "last" => headers = format!("etag: \"tag\"\r\ncontent-range: bytes 0-{}/12\r\n", u64::MAX),
            "longer" => headers = format!("etag: \"tag\"\r\ncontent-range: bytes {start}-{}/12\r\n", last + 1),
            "no-range" => headers = "etag: \"tag\"\r\n".to_owned(),
            "another" => headers = format!("etag: \"tag\"\r\ncontent-range: bytes 4-{}/12\r\n", last + 4),
            "cut-once" if self.sent.lock().unwrap().insert(self.kind.clone(), 0).is_none() => {
                write!(self.stream, "HTTP/1.1 206 Partial\r\ncontent-length: {}\r\n{headers}\r\nBB", part.len())?;
                return self.stream.shutdown(std::net::Shutdown::Both);
            }
            _ => {}
        }
        self.say("206 Partial", &headers, part)
    }

    fn list(&mut self, query: &str) -> Sent {
        let begin = "<?xml version=\"1.0\"?><ListBucketResult>";
        let size = self.file.len();
        let entry = |key: &str, tag: &str| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified>\
                 <ETag>\"{tag}\"</ETag><Size>{size}</Size></Contents>"
            )
        };
        let token = query.split('&').find_map(|pair| pair.strip_prefix("continuation-token="));
        let number: u64 = token.map_or(0, |token| token.parse().unwrap());
        let mut next = Some(number + 1);
        let entries: String = match self.kind.as_str() {
            "endless-page" => {
                let before = format!("HTTP/1.1 200 OK\r\n\r\n{begin}");
                return self.pour(&before, entry("a.b3d", "tag").as_bytes());
            }
            // A number of a fixed width is in order.
            "ordered" => (0..1000).map(|index| entry(&format!("a{number:05}-{index:05}.b3d"), "tag")).collect(),
            "unordered" => (0..1000).map(|index| entry(&format!("a{number}-{index}.b3d"), "tag")).collect(),
            "empty" => String::new(),
            pages if pages.starts_with("pages-") => {
                // A letter for each page: empty, with a file, or with a key that no URL names.
                let pages = pages.trim_start_matches("pages-").split('-');
                let letters: String = pages.map(|run| run[..1].repeat(run[1..].parse().unwrap())).collect();
                match letters.chars().nth(usize::try_from(number).unwrap()) {
                    Some('e') => String::new(),
                    Some('k') => entry("a//b.b3d", "tag"),
                    Some(_) => entry(&format!("a{number:05}.b3d"), "tag"),
                    None => {
                        next = None;
                        entry("b.b3d", "tag")
                    }
                }
            }
            "hidden" => {
                next = None;
                [".b.b3d", ".git/c.b3d", "a.b3d", "d/.e/f/g.b3d"].map(|key| entry(key, "tag")).concat()
            }
            "folders" => {
                next = None;
                let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
                let prefix = prefix.replace("%2F", "/");
                let begins = FOLDERS.iter().filter(|key| key.starts_with(&prefix));
                begins.map(|key| entry(key, "tag")).collect()
            }
            "again" => {
                next = Some(1);
                entry(&format!("a{number}.b3d"), "tag")
            }
            "keys" => {
                next = None;
                let long = format!("{}.b3d", "x".repeat(1030));
                let keys = [
                    "/etc/a.b3d",
                    "a//b.b3d",
                    "a/../b.b3d",
                    "a/b.b3d",
                    "b\u{7f}.b3d",
                    "c\u{202e}.b3d",
                    "d\\..\\e.b3d",
                    &long,
                ];
                keys.iter().map(|key| entry(key, "tag")).collect::<String>() + &entry("y.b3d", &"t".repeat(2000))
            }
            _ => {
                next = None;
                entry("a.b3d", "tag")
            }
        };
        let next = next.map_or(String::new(), |next| {
            format!("<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>")
        });
        self.say("200 OK", "", format!("{begin}{next}{entries}</ListBucketResult>").as_bytes())
    }
}

/// What the program may say about a kind of server.
struct Expected {
    kind: &'static str,
    status: i32,
    message: &'static str,
}

fn expected(kind: &'static str, status: i32, message: &'static str) -> Expected {
    Expected { kind, status, message }
}

/// What the buffers of the systems on both sides hold: this much is sent without being read.
const BUFFERS: u64 = 24 << 20;

#[test]
fn lies_of_servers_are_errors_that_cost_little() {
    let liar = Liar::new(FILE);
    let mut wrong = String::new();
    for Expected { kind, status, message } in [
        expected("sound", 0, ""),
        expected("cut-once", 0, ""),
        expected("endless-headers", 2, "the server sent a head of more than 100 headers or 408 KiB"),
        expected("many-headers", 2, "the server sent a head of more than 100 headers or 408 KiB"),
        expected("redirect-in-circles", 2, "more than 5 redirects by 127.0.0.1"),
        expected("redirect-to-file", 2, "a redirect to another place, which is not followed"),
        expected("redirect-to-port", 2, "a redirect to 127.0.0.1, which is not followed"),
        expected("redirect-of-range", 2, "a redirect to 127.0.0.1, which is not followed"),
        expected("no-length", 2, "length"),
        expected("two-lengths", 2, "changed while it was read"),
        expected("more-answers", 0, ""),
        expected("whole", 2, "the server does not send ranges of files"),
        expected("short", 2, "the server sent 11 of the 12 bytes of a range"),
        expected("gzip", 0, ""),
        expected("no-total", 2, "CONTENT_RANGE"),
        expected("other-tag", 2, "changed while it was read"),
        expected("negative", 2, "length"),
        expected("no-number", 2, "length"),
        expected("long-tag", 2, "the server sent an ETag of more than 1024 bytes"),
        expected("no-date", 2, "last modified 'yesterday'"),
        expected("far-date", 0, ""),
        expected("old-date", 0, ""),
        expected("control", 2, "status"),
        expected("huge", 2, "huge/x.b3d: "),
        expected("error-400", 2, "400 Bad Request: no "),
        expected("error-404", 2, "no such file"),
        expected("error-403", 2, "403 Forbidden"),
        expected("error-500", 2, "500 Internal Server Error"),
        expected("more", 2, "the server sent more than the 12 bytes of a range"),
        expected("extensions", 2, "chunk extension"),
        expected("trailers", 2, "chunk trailers"),
        expected("last", 2, "the server sent another range than it was asked for"),
        expected("another", 2, "the server sent another range than it was asked for"),
        expected("longer", 2, "the server sent another range than it was asked for"),
        expected("no-range", 2, "Content-Range header not present"),
        expected("s3://endless-page", 2, "the server sent more than the 16777216 bytes of a page of a listing"),
        expected("s3://empty", 2, "more than 100 pages of a listing without a file"),
        expected("s3://again", 1, "the server sent a page of a listing again"),
    ] {
        for verb in ["scan", "verify", "info"] {
            if verb == "info" && kind.starts_with("s3://") || verb != "scan" && kind == "cut-once" {
                continue;
            }
            let begun = Instant::now();
            let output = liar.run(&[verb, &liar.url(kind)]);
            let text = stderr(&output);
            let is_short = begun.elapsed() < Duration::from_secs(10) && text.len() < 1200;
            if code(&output) != status || !text.contains(message) || text.contains('\x1b') || !is_short {
                wrong += &format!("{verb} {kind}: status {}, {:?}: {text}\n", code(&output), begun.elapsed());
            }
        }
        // Of each error that is repeated, the buffers fill again.
        let times = if kind == "error-500" { 3 * 5 } else { 3 };
        if liar.sent(kind) >= times * BUFFERS {
            wrong += &format!("{kind}: {} bytes were sent\n", liar.sent(kind));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(liar.sent("endless-page") > 16 << 20 && liar.sent("more") > 0);
    assert_eq!(liar.contacts.load(Ordering::Relaxed), 0);
}

#[test]
fn listings_without_end_are_limited() {
    let liar = Liar::new(FILE);
    for (bucket, args, files, message) in [
        ("ordered", ["--max-listed", "2500"].as_slice(), 2_500, "more than 2500 files below a URL, the"),
        ("unordered", &["--max-listed", "30500"], 30_500, "more than 30500 files below a URL, listed out of order"),
        ("unordered", &[], 20_000, "more than 20000 files below a URL, listed out of order"),
    ] {
        // The glob selects none of the files, so that they are not requested.
        let output = liar.run(&[&["scan", "-g", "*0.x"], args, &[&format!("s3://{bucket}")]].concat());
        let text = stderr(&output);
        assert!(code(&output) == 2 && text.contains(message) && text.contains("--max-listed"), "{bucket}: {text}");
        let pages = files / 1000;
        assert!(
            text.contains(&format!(" {} requests", pages + 1)) || text.contains(&format!(" {pages} requests")),
            "{text}"
        );
    }
}

/// Pages that hold a file, or a key that is reported, show that a listing goes on.
#[test]
fn a_listing_ends_after_many_empty_pages_that_follow_each_other() {
    let liar = Liar::new(FILE);
    for (pages, files, unusable, is_whole) in [
        ("e100", 1, 0, true),
        ("e101", 0, 0, false),
        ("k101", 1, 101, true),
        ("f101", 102, 0, true),
        ("e100-k1-e100", 1, 1, true),
        ("e100-f1-e100", 2, 0, true),
        ("f1-e101", 1, 0, false),
        ("k2-e101", 0, 2, false),
    ] {
        let output = liar.run(&["scan", &format!("s3://pages-{pages}")]);
        let text = stderr(&output);
        assert_eq!(lines(&output).len(), files, "{pages}: {text}");
        assert_eq!(text.matches("a key that no URL names").count(), unusable, "{pages}: {text}");
        let is_cut = text.contains("more than 100 pages of a listing without a file");
        assert_eq!(is_cut, !is_whole, "{pages}: {text}");
        let status = if is_whole && unusable == 0 {
            0
        } else if files > 0 {
            1
        } else {
            2
        };
        assert_eq!(code(&output), status, "{pages}: {text}");
    }
}

#[test]
fn redirects_are_followed_up_to_the_limit() {
    let liar = Liar::new(FILE);
    for count in 0..8 {
        let output = liar.run(&["cat", &liar.url(&format!("redirects-{count}"))]);
        let text = stderr(&output);
        if count <= 5 {
            assert_eq!((code(&output), output.stdout.as_slice()), (0, FILE), "{count}: {text}");
        } else {
            assert!(code(&output) == 2 && text.contains("more than 5 redirects by 127.0.0.1"), "{count}: {text}");
        }
    }
}

/// Servers compare tags as the standard of HTTP says: a strong tag is required to match, and a weak one never does.
#[test]
fn tags_are_sent_back_unless_they_are_weak() {
    let liar = Liar::new(FILE);
    for kind in ["strong-tag", "weak-tag", "no-tag"] {
        let output = liar.run(&["cat", &liar.url(kind)]);
        assert_eq!((code(&output), output.stdout.as_slice()), (0, FILE), "{kind}: {}", stderr(&output));
    }
}

#[test]
fn keys_that_no_url_names_end_no_scan() {
    let liar = Liar::new(FILE);
    for verb in ["scan", "verify"] {
        let output = liar.run(&[verb, "s3://keys"]);
        let text = stderr(&output);
        assert_eq!(code(&output), 1, "{text}");
        for key in ["/etc/a.b3d", "a//b.b3d", "a/../b.b3d", "b\\u{7f}.b3d"] {
            assert!(text.contains(&format!("s3://keys/{key}: a key that no URL names")), "{verb} {key}: {text}");
        }
        assert!(text.contains("a key of more than 1024 characters") && text.contains("an ETag of more than"), "{text}");
        assert!(text.contains("3 assets") && text.contains("6 unreadable"), "{text}");
        assert!(!text.contains('\u{202e}') && !text.contains('\u{7f}'), "{text}");
    }
    let output = liar.run(&["scan", "s3://keys"]);
    let mut paths: Vec<_> = lines(&output).iter().map(|line| line["path"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    assert_eq!(paths, ["s3://keys/a/b.b3d", "s3://keys/c\u{202e}.b3d", "s3://keys/d\\..\\e.b3d"]);
}

#[test]
fn a_url_names_a_file_or_the_files_below_it() {
    let liar = Liar::new(FILE);
    for path in ["", "mod", "mod/", "mod/sub", "mo", "mod2/", "mod.b3d", "mod.b3d/", "other", "other/mod", "none", "a"]
    {
        // The names of folders are compared whole.
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let is_below = |key: &&&str| {
            let names: Vec<&str> = key.split('/').collect();
            names.len() > parts.len() && names.starts_with(&parts)
        };
        let expected: Vec<&str> = match FOLDERS.iter().find(|key| **key == path) {
            Some(file) => vec![*file],
            None => FOLDERS.iter().filter(is_below).copied().collect(),
        };
        let output = liar.run(&["scan", &format!("s3://folders/{path}")]);
        let mut found: Vec<String> = Vec::new();
        for line in lines(&output) {
            found.push(line["path"].as_str().unwrap().replace("s3://folders/", ""));
        }
        found.sort();
        assert_eq!(found, expected, "{path:?}: {}", stderr(&output));
        assert_eq!(code(&output), if expected.is_empty() { 2 } else { 0 }, "{path:?}: {}", stderr(&output));
    }
}

/// As in the file system, a file is hidden if its name or that of a folder around it begins with a dot.
#[test]
fn hidden_files_of_buckets_are_found_if_asked_for() {
    let liar = Liar::new(FILE);
    for (args, expected) in [
        (&["scan", "s3://hidden"][..], &["s3://hidden/a.b3d"][..]),
        (
            &["scan", "--hidden", "s3://hidden"],
            &["s3://hidden/.b.b3d", "s3://hidden/.git/c.b3d", "s3://hidden/a.b3d", "s3://hidden/d/.e/f/g.b3d"],
        ),
    ] {
        let output = liar.run(args);
        let mut paths: Vec<_> = lines(&output).iter().map(|line| line["path"].as_str().unwrap().to_owned()).collect();
        paths.sort();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(paths, expected, "{}", stderr(&output));
    }
}

/// Each of these ends by a time limit, so they run at the same time.
#[test]
fn servers_that_wait_are_named_and_end() {
    let liar = Liar::new(FILE);
    // Accepts and says nothing, not even for TLS.
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let https = format!("https://{}/x.b3d", mute.local_addr().unwrap());
    std::thread::scope(|threads| {
        let liar = &liar;
        for (url, is_silent, message) in [
            (liar.url("silent"), true, "did not answer within 15 s"),
            (https.clone(), true, "did not accept the connection within 10 s"),
            (liar.url("interim"), true, "did not answer within 15 s"),
            (liar.url("stops"), true, "the server sent 2 bytes in 10 s, less than the least rate of 10240"),
            (liar.url("drip"), false, "bytes in 10 s, less than the least rate of 10240"),
            ("s3://silent".to_owned(), true, "did not answer within 15 s"),
        ] {
            for quiet in [false, true] {
                let url = url.clone();
                threads.spawn(move || {
                    let begun = Instant::now();
                    let args = if quiet { ["scan", "-q"].as_slice() } else { &["scan"] };
                    let output = liar.run(&[args, &[&url]].concat());
                    let text = stderr(&output);
                    assert!(begun.elapsed() < Duration::from_secs(25), "{url}: {:?}", begun.elapsed());
                    assert!(code(&output) == 2 && text.contains(message), "{url}: {text}");
                    let waits = text.matches("waiting for 127.0.0.1").count();
                    assert_eq!(waits, usize::from(is_silent && !quiet), "{url}: {text}");
                });
            }
        }
        // A server is named once, however many of its files are waited for.
        threads.spawn(|| {
            let urls = [liar.url("silent"), liar.url("interim")];
            let output = liar.run(&["scan", "--jobs", "2", &urls[0], &urls[1]]);
            let text = stderr(&output);
            assert_eq!(text.matches("did not answer within 15 s").count(), 2, "{text}");
            assert_eq!(text.matches("waiting for 127.0.0.1").count(), 1, "{text}");
        });
        // A slow server that keeps the least rate may take longer than the time of that rate.
        threads.spawn(|| {
            let file: &[u8] = vec![7; 36 << 10].leak();
            let slow = Liar::new(file);
            let begun = Instant::now();
            let output = slow.run(&["cat", &slow.url("slow")]);
            assert!(code(&output) == 0 && output.stdout == file, "{}", stderr(&output));
            assert!(begun.elapsed() > Duration::from_secs(11), "{:?}", begun.elapsed());
        });
        // What was sent in an earlier time of the rate does not count for the next one.
        threads.spawn(|| {
            let begins = Liar::new(vec![7; 36 << 10].leak());
            let begun = Instant::now();
            let output = begins.run(&["cat", &begins.url("begins")]);
            let text = stderr(&output);
            assert!(code(&output) == 2 && text.contains("the server sent 0 bytes in 10 s, less than"), "{text}");
            assert!(begun.elapsed() < Duration::from_secs(35), "{:?}", begun.elapsed());
        });
        // The message comes soon.
        threads.spawn(|| {
            let mut child = liar.command();
            let mut child = child.args(["info", &https]).stderr(std::process::Stdio::piped()).spawn().unwrap();
            let begun = Instant::now();
            let mut line = String::new();
            BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
            assert_eq!(line, format!("waiting for {}: no answer for 4 s\n", mute.local_addr().unwrap()));
        });
    });
}

#[test]
fn a_file_in_memory_may_have_as_many_bytes_as_the_limit() {
    let liar = Liar::new(FILE);
    for limit in 10..15 {
        let output = liar.run(&["cat", "--max-decoded", &limit.to_string(), &liar.url("sound")]);
        let text = stderr(&output);
        if limit >= FILE.len() {
            assert_eq!((code(&output), output.stdout.as_slice()), (0, FILE), "{limit}: {text}");
        } else {
            let said = format!("more than {limit} bytes of a file in memory");
            assert!(code(&output) == 2 && text.contains(&said) && text.contains("--max-decoded"), "{limit}: {text}");
        }
    }
}

/// Two stores may have buckets of the same name.
#[test]
fn caches_keep_endpoints_apart() {
    let other: &[u8] = b"BB3D\x04\0\0\0\x02\0\0\0";
    let folder = Folder::new("remote-endpoints");
    let cache = folder.0.join("cache");
    for (variable, file) in
        [("AWS_ENDPOINT", FILE), ("AWS_ENDPOINT", other), ("AWS_ENDPOINT_URL_S3", FILE), ("AWS_ENDPOINT_URL_S3", other)]
    {
        let liar = Liar::new(file);
        let mut command = liar.command();
        // Only this variable differs between the runs.
        command.env("AWS_ENDPOINT", "http://127.0.0.1:9").env(variable, format!("http://{}", liar.address));
        let output = command.args(["cat", "--cache", cache.to_str().unwrap(), "s3://bucket/a.b3d"]).output().unwrap();
        assert_eq!((code(&output), output.stdout.as_slice()), (0, file), "{}", stderr(&output));
    }
}

/// A bucket of the same name may be in another region, at the same address.
#[test]
fn caches_keep_regions_apart() {
    let liar = Liar::new(FILE);
    let folder = Folder::new("remote-regions");
    let cache = folder.0.join("cache");
    let mut ranges = Vec::new();
    for region in ["us-east-1", "us-east-1", "eu-west-2"] {
        let mut command = liar.command();
        command.env("AWS_REGION", region);
        let output = command.args(["cat", "--cache", cache.to_str().unwrap(), "s3://bucket/a.b3d"]).output().unwrap();
        assert_eq!((code(&output), output.stdout.as_slice()), (0, FILE), "{}", stderr(&output));
        ranges.push(std::fs::read_dir(&cache).unwrap().count());
    }
    assert!(ranges[0] > 0 && ranges[1] == ranges[0] && ranges[2] == ranges[0] * 2, "{ranges:?}");
}

/// The same for the other stores, and every variable that says where they are.
#[test]
fn caches_keep_stores_of_google_and_azure_apart() {
    let other: &[u8] = b"BB3D\x04\0\0\0\x02\0\0\0";
    let key = r#"{"gcs_base_url":"URL","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}"#;
    let account = [("AZURE_STORAGE_ACCOUNT_NAME", "a"), ("AZURE_SKIP_SIGNATURE", "true")];
    for (url, variable, value, others) in [
        ("gs://bucket/a.b3d", "GOOGLE_SERVICE_ACCOUNT_KEY", key, &[][..]),
        ("gs://bucket/a.b3d", "GOOGLE_BASE_URL", "URL", &[("GOOGLE_SKIP_SIGNATURE", "true")]),
        ("az://bucket/a.b3d", "AZURE_ENDPOINT", "URL", &account),
        ("az://bucket/a.b3d", "AZURITE_BLOB_STORAGE_URL", "URL", &[("AZURE_STORAGE_USE_EMULATOR", "true")]),
    ] {
        let folder = Folder::new("remote-places");
        let cache = folder.0.join("cache");
        for file in [FILE, other] {
            let liar = Liar::new(file);
            let mut command = liar.command();
            command
                .env(variable, value.replace("URL", &format!("http://{}", liar.address)))
                .envs(others.iter().copied());
            let output =
                command.args(["cat", "--allow-http", "--cache", cache.to_str().unwrap(), url]).output().unwrap();
            assert_eq!((code(&output), output.stdout.as_slice()), (0, file), "{variable}: {}", stderr(&output));
        }
    }
}

#[test]
fn requests_to_this_machine_pass_no_proxy() {
    let (port, contacts) = counted_port();
    let address = format!("http://127.0.0.1:{port}");
    let liar = Liar::new(FILE);
    let variables = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, &address));
    let output = liar.command().envs(variables).args(["scan", &liar.url("sound")]).output().unwrap();
    assert_eq!((code(&output), contacts.load(Ordering::Relaxed)), (0, 0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("/sound/x.b3d"));
    // Nor the proxy of a store.
    let mut command = liar.command();
    command.env("AWS_PROXY_URL", &address).args(["cat", "s3://bucket/a.b3d"]);
    let output = command.output().unwrap();
    assert_eq!((code(&output), contacts.load(Ordering::Relaxed)), (0, 0), "{}", stderr(&output));
    assert_eq!(output.stdout, FILE);
}
