//! Temporary files without a name: the system removes them when the program ends, in whatever way.

use std::error::Error as _;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use meshpeek::ErrorKind;

use crate::visible::shown;

/// The variable that names the folder of temporary files.
const VARIABLE: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// The bytes that temporary files may take, all together: `--max-temporary`. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space(Arc<State>);

#[derive(Debug, Default)]
struct State {
    most: OnceLock<u64>,
    taken: AtomicU64,
}

impl Space {
    /// Sets how many bytes may be taken.
    pub(crate) fn limit(&self, most: u64) {
        self.0.most.get_or_init(|| most);
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        let limit = self.0.most.get().copied().unwrap_or(0);
        if self.0.taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > limit {
            let what = "bytes of temporary files";
            return Err(io::Error::other(ErrorKind::Limit { what, limit, flag: Some("--max-temporary") }.to_string()));
        }
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        self.0.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A file that is written once, from the start to the end, and then read.
pub(crate) struct Temporary {
    file: Arc<File>,
    pub(crate) end: u64,
    /// The bytes that were taken for it.
    taken: u64,
    space: Space,
}

impl Temporary {
    pub(crate) fn new(space: &Space) -> io::Result<Self> {
        let file = tempfile::tempfile().map_err(failed)?;
        Ok(Self { file: Arc::new(file), end: 0, taken: 0, space: space.clone() })
    }

    pub(crate) fn section(&self, start: u64, end: u64) -> Section {
        Section { file: self.file.clone(), start, end }
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.taken += bytes.len() as u64;
        self.space.take(bytes.len() as u64)?;
        let written = (&*self.file).write(bytes).map_err(failed)?;
        self.end += written as u64;
        let unwritten = (bytes.len() - written) as u64;
        self.space.give_back(unwritten);
        self.taken -= unwritten;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.space.give_back(self.taken);
    }
}

/// A part of a file.
pub(crate) struct Section {
    file: Arc<File>,
    start: u64,
    end: u64,
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.start).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let mut file = &*self.file;
        file.seek(SeekFrom::Start(self.start)).map_err(failed)?;
        let read = file.read(&mut buffer[..most]).map_err(failed)?;
        self.start += read as u64;
        Ok(read)
    }
}

/// Names the folder and the variable that selects another.
fn failed(error: io::Error) -> io::Error {
    // Without the path that may be in the text.
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>()).unwrap_or(&error);
    let folder = shown(&std::env::temp_dir());
    let message = format!("{folder}: a temporary file for results: {cause}; {VARIABLE} names another folder");
    io::Error::new(error.kind(), message)
}
