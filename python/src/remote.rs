//! Sources of bytes by range: Python objects that read from a file object, an object store, or HTTP.

use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use meshpeek::Error;
use meshpeek::ranges::{Ranges, ReadAt};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::error::Raised;
use crate::lock;

/// A Python object with `size` and `read(start, end)`.
struct Reader {
    object: Py<PyAny>,
    size: u64,
}

impl Reader {
    fn read(&self, py: Python<'_>, range: Range<u64>) -> PyResult<Vec<u8>> {
        let bytes = self.object.bind(py).call_method1("read", (range.start, range.end))?;
        Ok(bytes.extract::<PyBackedBytes>().map_err(PyErr::from)?.to_vec())
    }
}

impl ReadAt for Reader {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        Python::attach(|py| self.read(py, range).map_err(|exception| Raised::new(py, exception).into_io(py)))
    }
}

/// Something to scan or open that is not a path: bytes, or a reader of ranges.
pub(crate) enum Source {
    Bytes(PyBackedBytes),
    Ranges(Remote),
}

/// A source with the name of its file.
pub(crate) struct Named {
    pub(crate) path: PathBuf,
    pub(crate) source: Source,
}

impl Named {
    pub(crate) fn byte_len(&self) -> u64 {
        match &self.source {
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::Ranges(remote) => remote.byte_len(),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Named {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (path, source): (PathBuf, Bound<'py, PyAny>) = object.extract()?;
        let source = match source.cast::<PyBytes>() {
            Ok(bytes) => Source::Bytes(PyBackedBytes::from(bytes.clone())),
            Err(_) => Source::Ranges(Remote::new(&source)?),
        };
        Ok(Self { path, source })
    }
}

/// A source, and those of its bytes that were read. A clone shares them.
pub(crate) struct Remote {
    source: Arc<dyn ReadAt + Send + Sync>,
    held: Mutex<Ranges>,
}

impl Remote {
    pub(crate) fn new(reader: &Bound<'_, PyAny>) -> PyResult<Self> {
        let size = reader.getattr("size")?.extract()?;
        let source = Arc::new(Reader { object: reader.clone().unbind(), size });
        Ok(Self { source, held: Mutex::new(Ranges::new(size)) })
    }

    /// A part of it as a file of its own.
    pub(crate) fn section(&self, range: Range<u64>) -> Self {
        Self { source: self.source.clone(), held: Mutex::new(self.ranges().section(range)) }
    }

    /// A copy of the ranges that were read so far.
    pub(crate) fn ranges(&self) -> Ranges {
        lock(&self.held).clone()
    }

    pub(crate) fn source(&self) -> &(dyn ReadAt + Send + Sync) {
        &*self.source
    }

    pub(crate) fn byte_len(&self) -> u64 {
        self.ranges().byte_len()
    }

    /// Asks a question, which is repeated until all ranges that it needs are here. Keeps them.
    pub(crate) fn load<T>(&self, question: impl Fn(&Ranges) -> Result<T, Error>) -> Result<T, Error> {
        // Other threads may ask meanwhile.
        let mut ranges = self.ranges();
        let answer = ranges.load(self.source(), question);
        let mut held = lock(&self.held);
        if ranges.held() > held.held() {
            *held = ranges;
        }
        answer
    }

    /// Reads all bytes, without keeping them.
    pub(crate) fn all(&self) -> Result<Vec<u8>, Error> {
        let mut ranges = self.ranges();
        let size = ranges.byte_len();
        ranges.load(self.source(), |ranges| ranges.get(0..size).map(<[u8]>::to_vec))
    }
}
