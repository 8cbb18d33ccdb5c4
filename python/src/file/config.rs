//! Binary configs as text.

use meshpeek::budget::Reservation;
use meshpeek::{Asset, Error};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::File;

#[pymethods]
impl File {
    /// A binary config (raP) as text, in the encoding of the file. Raises Unsupported for another format, and for what no
    /// text can express.
    fn config_text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let text = self.with_whole(py, |open, asset| {
            let Asset::Rap(config) = asset else { return Err(Error::unsupported("not a binary config")) };
            let budget = open.budget();
            let mut text = Text { bytes: Vec::new(), room: Reservation::new(&budget), failure: None };
            let written = config.write_text(&mut text, &budget);
            // The error of the memory says more than that of the writing.
            if let Some(failure) = text.failure {
                return Err(failure);
            }
            written?;
            Ok(text.bytes)
        })?;
        Ok(PyBytes::new(py, &text))
    }
}

/// A text in memory.
struct Text<'b> {
    bytes: Vec<u8>,
    room: Reservation<'b>,
    /// Why the memory ended.
    failure: Option<Error>,
}

impl std::io::Write for Text<'_> {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        if let Err(failure) = self.room.hold(piece.len() as u64) {
            self.failure = Some(failure);
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
