//! Lists the contents of a PBO on a web server from a few ranges of it. Has a server on the loopback address, a source
//! of bytes that sends requests to it, and a count of the received bytes.
//!
//! `cargo run --example http_ranges -- corpus/pbo/addon.pbo`

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use meshpeek::ranges::{Ranges, ReadAt};
use meshpeek::visit::visit_ranges;
use meshpeek::{Inspect, Limits, Result};

/// A file on a server.
pub struct Http {
    server: SocketAddr,
    pub read: AtomicU64,
}

impl Http {
    pub fn new(server: SocketAddr) -> Self {
        Self { server, read: AtomicU64::new(0) }
    }

    /// Sends a request. Returns the length that the server states, and the body.
    fn request(&self, method: &str, header: &str) -> io::Result<(u64, Vec<u8>)> {
        let mut stream = TcpStream::connect(self.server)?;
        write!(stream, "{method} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\r\n")?;
        let (mut reader, mut length, mut body) = (BufReader::new(stream), 0, Vec::new());
        for line in reader.by_ref().lines() {
            match line? {
                line if line.is_empty() => break,
                line => length = line.strip_prefix("Content-Length: ").map_or(Ok(length), str::parse).unwrap_or(0),
            }
        }
        self.read.fetch_add(reader.read_to_end(&mut body)? as u64, Ordering::Relaxed);
        Ok((length, body))
    }
}

impl ReadAt for Http {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.request("HEAD", "")?.0)
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let header = format!("Range: bytes={}-{}\r\n", range.start, range.end - 1);
        Ok(self.request("GET", &header)?.1)
    }
}

/// Returns a line for each asset in the archive, at any depth. Reads the headers of those that are stored uncompressed.
pub fn scan(source: &Http) -> Result<Vec<String>> {
    Ranges::new(source.byte_len()?).load(source, |ranges| {
        let mut lines = Vec::new();
        let _ = visit_ranges(ranges, &Limits::default(), &mut |visited| {
            if let (Some(member), Ok(asset)) = (visited.member, visited.asset) {
                let version = asset.summarize_header().version;
                lines.push(format!("{}: {}, version {version:?}", member.text, asset.format().title()));
            }
            ControlFlow::Continue(())
        });
        Ok(lines)
    })
}

/// Serves these bytes, whole or by range.
pub fn serve(listener: &TcpListener, bytes: &[u8]) -> io::Result<()> {
    for stream in listener.incoming() {
        let mut stream = stream?;
        let lines: Vec<_> =
            BufReader::new(&stream).lines().map_while(|line| line.ok().filter(|line| !line.is_empty())).collect();
        let range = lines.iter().find_map(|line| line.strip_prefix("Range: bytes=")?.split_once('-'));
        let number = |text: &str| text.parse::<usize>().ok();
        let part = range.and_then(|(first, last)| bytes.get(number(first)?..=number(last)?)).unwrap_or(bytes);
        write!(stream, "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\n\r\n", part.len())?;
        stream.write_all(if lines.first().is_some_and(|line| line.starts_with("HEAD")) { &[] } else { part })?;
    }
    Ok(())
}

#[allow(dead_code, reason = "the test brings an archive of its own")]
fn main() -> Result<()> {
    let file = std::fs::read(std::env::args_os().nth(1).expect("a PBO"))?;
    let (listener, size) = (TcpListener::bind("127.0.0.1:0")?, file.len());
    let source = Http::new(listener.local_addr()?);
    std::thread::spawn(move || serve(&listener, &file));
    scan(&source)?.iter().for_each(|line| println!("{line}"));
    println!("{} of {size} bytes read", source.read.into_inner());
    Ok(())
}
