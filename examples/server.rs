//! A server that opens each file once, keeps its view, and answers from it on many threads.
//!
//! `cargo run --example server -- corpus`, then `curl http://127.0.0.1:4711/b3d/triangle.b3d`.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use meshpeek::summary::{Class, Code};
use meshpeek::view::ByteStr;
use meshpeek::{Error, FileMap, Inspect, Limits, OwnedAsset, Result};

/// The assets of a folder, opened when they are first asked for.
pub struct Server {
    root: PathBuf,
    kept: RwLock<HashMap<String, OwnedAsset<FileMap>>>,
}

impl Server {
    pub fn new(root: impl Into<PathBuf>) -> Arc<Self> {
        Arc::new(Self { root: root.into(), kept: RwLock::default() })
    }

    /// Returns the number of views in memory.
    pub fn kept(&self) -> usize {
        self.kept.read().unwrap().len()
    }

    pub fn serve(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming().flatten() {
            let server = self.clone();
            std::thread::spawn(move || server.answer(&stream));
        }
    }

    /// Opens an asset, or returns its existing view. The view is cloned out of the map, so that no thread waits for the
    /// answer of another.
    fn open(&self, name: &str) -> Result<OwnedAsset<FileMap>> {
        if let Some(asset) = self.kept.read().unwrap().get(name) {
            return Ok(asset.clone());
        }
        // Rejects names that lead out of the folder.
        let path = self.root.join(ByteStr::from(name).to_relative_path()?);
        let asset = OwnedAsset::parse_file(&path, FileMap::open(&path)?, &Limits::default())?;
        Ok(self.kept.write().unwrap().entry(name.to_owned()).or_insert(asset).clone())
    }

    fn answer(&self, mut stream: &TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let name = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
        let (status, body) = match self.open(name) {
            Ok(asset) => ("200 OK", describe(&asset)),
            Err(error) => (status(&error), format!("{}\n", error.message())),
        };
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
    }
}

/// Returns the status that says what kind of error it is.
fn status(error: &Error) -> &'static str {
    if error.code() == Code::NotFound {
        return "404 Not Found";
    }
    match error.code().class() {
        Class::Limit => "413 Content Too Large",
        Class::Other | Class::Unsupported | Class::Encrypted => "415 Unsupported Media Type",
        Class::Damaged | Class::Suspicious | Class::Lint => "422 Unprocessable Content",
        Class::Io | Class::Cancelled => "500 Internal Server Error",
    }
}

fn describe(asset: &OwnedAsset<FileMap>) -> String {
    let asset = asset.asset();
    let summary = asset.summarize();
    let counts = summary.counts.iter().filter_map(|(name, count)| Some(format!(", {} {name}", count?)));
    format!("{}, {} bytes{}\n", asset.format().title(), summary.bytes, counts.collect::<String>())
}

#[allow(dead_code, reason = "the test starts the server itself")]
fn main() -> io::Result<()> {
    let root = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let listener = TcpListener::bind("127.0.0.1:4711")?;
    println!("http://{}", listener.local_addr()?);
    Server::new(root).serve(&listener);
    Ok(())
}
