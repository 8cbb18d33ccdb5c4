//! Files without a known size that may keep a reader waiting: pipes and devices.

use std::fs::File;
use std::io::{self, Read};
#[cfg(unix)]
use std::os::fd::AsRawFd;
use std::time::Duration;

use crate::base::error::{Error, Result};

/// How long to wait for the next bytes of a pipe.
#[derive(Clone, Copy)]
#[cfg_attr(not(unix), allow(dead_code, reason = "only on Unix a wait for a pipe can end early"))]
pub(crate) struct Patience<'p> {
    /// `None`: until they come.
    pub(crate) most: Option<Duration>,
    /// Returns true if the bytes are not wanted any more. Asked several times a second.
    pub(crate) is_over: &'p dyn Fn() -> bool,
}

impl Patience<'_> {
    /// For a pipe that somebody named: ten seconds.
    pub(crate) const NAMED: Self = Self { most: Some(Duration::from_secs(10)), is_over: &|| false };
}

/// How often to ask whether bytes are still wanted.
#[cfg(unix)]
const SLICE: Duration = Duration::from_millis(100);
/// The most bytes of one read.
const PIECE: usize = 1 << 16;

/// Reads a file without a known size to its end. Returns an error if it has more bytes than `limit`.
pub(super) fn read_unsized(file: &File, limit: u64, patience: Patience<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut file = file;
    loop {
        wait(file, patience)?;
        let read = match file.read(&mut piece) {
            Ok(read) => read,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => continue,
            Err(error) => return Err(error.into()),
        };
        if read == 0 {
            return Ok(bytes);
        }
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
        if bytes.len() as u64 > limit {
            return Err(too_large(limit));
        }
    }
}

/// Reads standard input to its end. Returns an error if it has more bytes than `limit`. On Unix, bytes that the process
/// has read into its buffer before are left out.
#[cfg(feature = "scan")]
pub(crate) fn read_standard_input(limit: u64, patience: Patience<'_>) -> Result<Vec<u8>> {
    #[cfg(unix)]
    {
        let input = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
        read_unsized(&File::from(input), limit, patience)
    }
    #[cfg(not(unix))]
    {
        let _ = patience;
        let mut bytes = Vec::new();
        io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
    }
}

/// Waits until there is something to read, or the end. Returns an error if the patience ends first.
#[cfg(unix)]
fn wait(file: &File, patience: Patience<'_>) -> io::Result<()> {
    let mut question = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut left = patience.most.unwrap_or(Duration::MAX);
    loop {
        let slice = SLICE.min(left);
        let milliseconds = slice.as_millis().try_into().unwrap_or(libc::c_int::MAX);
        // SAFETY: there is one entry, and the file is open.
        match unsafe { libc::poll(&mut question, 1, milliseconds) } {
            // Nothing came in this time.
            0 => {}
            1.. => return Ok(()),
            _ => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
        }
        if (patience.is_over)() {
            return Err(io::Error::other("stopped"));
        }
        left = left.saturating_sub(slice);
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "nothing is writing to this pipe"));
        }
    }
}

/// Does nothing: the read itself waits.
#[cfg(not(unix))]
fn wait(_: &File, _: Patience<'_>) -> io::Result<()> {
    Ok(())
}

/// Returns the error for a file without a size that has more bytes than this limit.
pub(super) fn too_large(limit: u64) -> Error {
    Error::limit("bytes from a file without a size", limit, crate::base::code::Code::DecodedBytesLimit)
}
