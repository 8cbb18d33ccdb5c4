//! Files without a known size that may keep a reader waiting: pipes and devices.

use std::fs::File;
use std::io::{self, Read};
#[cfg(unix)]
use std::os::fd::AsRawFd;
use std::time::Duration;

use crate::base::error::{Error, Result};

/// Reads a file without a known size, and waits at most this long for its next bytes.
pub(super) fn read_unsized(file: File, limit: u64, patience: Duration) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = (&file).take(limit.saturating_add(1));
    loop {
        let before = bytes.len();
        wait(&file, patience)?;
        match rest.read_to_end(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && bytes.len() > before => {}
            Ok(_) if bytes.len() as u64 > limit => return Err(too_large(limit)),
            done => return Ok(done.map(|_| bytes)?),
        }
    }
}

/// Waits until there is something to read, or the end.
#[cfg(unix)]
fn wait(file: &File, patience: Duration) -> io::Result<()> {
    let mut question = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let patience = patience.as_millis().try_into().unwrap_or(libc::c_int::MAX);
    loop {
        // SAFETY: there is one entry, and the file is open.
        return match unsafe { libc::poll(&mut question, 1, patience) } {
            0 => Err(io::Error::new(io::ErrorKind::TimedOut, "nothing is writing to this pipe")),
            1.. => Ok(()),
            _ => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => continue,
                error => Err(error),
            },
        };
    }
}

#[cfg(not(unix))]
fn wait(_: &File, _: Duration) -> io::Result<()> {
    Ok(())
}

pub(super) fn too_large(limit: u64) -> Error {
    Error::limit("bytes from a file without a size", limit, crate::base::limits::flag::DECODED)
}
