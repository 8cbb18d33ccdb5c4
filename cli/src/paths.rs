//! Paths from a list, read one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use meshpeek::scan::Progress;

use crate::failure::Failure;

/// Paths read ahead of the scan.
const AHEAD: usize = 1_000;

/// How long a scan that was ended may still wait for the next path.
const PATIENCE: Duration = Duration::from_millis(50);

/// The paths of a list, read by a separate thread, so that a scan waiting for a slow list notices when it is ended.
pub(crate) struct Paths {
    paths: Receiver<meshpeek::Result<PathBuf>>,
    progress: Progress,
}

impl Paths {
    /// Starts to read this list, or standard input if its name is `-`. With `null`, paths end with NUL.
    ///
    /// # Errors
    /// Returns an error if the list cannot be opened.
    pub(crate) fn read(list: &Path, null: bool, progress: Progress) -> Result<Self, Failure> {
        let stream: Box<dyn Read + Send> = if list == Path::new("-") {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(list).map_err(|error| Failure::io(list, error))?)
        };
        let list = list.to_owned();
        let (sender, paths) = sync_channel(AHEAD);
        std::thread::spawn(move || send_paths(BufReader::new(stream), &list, null, &sender));
        Ok(Self { paths, progress })
    }
}

/// Sends the paths of a list up to its end, or to an error of reading.
fn send_paths(mut stream: impl BufRead, list: &Path, null: bool, sender: &SyncSender<meshpeek::Result<PathBuf>>) {
    let named = |error: io::Error| meshpeek::Error::from(error).in_file(list);
    loop {
        let line = match next_line(&mut stream, null) {
            Ok(Some(line)) => line,
            Ok(None) => return,
            Err(error) => {
                // If the receiver is gone, nobody waits for the error.
                let _ = sender.send(Err(named(error)));
                return;
            }
        };
        // If the receiver is gone, the scan is over.
        if sender.send(to_path(line).map_err(named)).is_err() {
            return;
        }
    }
}

impl Iterator for Paths {
    type Item = meshpeek::Result<PathBuf>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.paths.recv_timeout(PATIENCE) {
                Ok(path) => return Some(path),
                Err(RecvTimeoutError::Timeout) if !self.progress.is_stopped() => {}
                Err(_) => return None,
            }
        }
    }
}

/// The maximum length of a path, or of a unit with one.
const LONGEST: u64 = 1 << 18;

/// The next line that is not empty.
fn next_line(stream: &mut impl BufRead, null: bool) -> io::Result<Option<Vec<u8>>> {
    let end = if null { b'\0' } else { b'\n' };
    loop {
        let mut line = Vec::new();
        match stream.take(LONGEST + 1).read_until(end, &mut line)? {
            0 => return Ok(None),
            _ if line.len() as u64 > LONGEST => {
                return Err(io::Error::other(format!("a line of more than {LONGEST} bytes")));
            }
            _ => {}
        }
        line.pop_if(|last| *last == end);
        if !null {
            line.pop_if(|last| *last == b'\r');
        }
        if !line.is_empty() {
            return Ok(Some(line));
        }
    }
}

#[cfg(unix)]
fn to_path(bytes: Vec<u8>) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn to_path(bytes: Vec<u8>) -> io::Result<PathBuf> {
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("a path that is not UTF-8"))?;
    Ok(text.into())
}
