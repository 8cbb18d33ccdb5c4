//! Scans of many files.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::ffi::FFI_ArrowSchema;
use meshpeek::Format;
use meshpeek::scan::{Depth, Scan as Kernel, Unit};
use meshpeek_tables::Table;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::exception;
use crate::open::access;
use crate::rows::RowIterator;
use crate::stream::Stream;
use crate::task::{Errors, Task};

/// A lazy scan. It is a stream of Arrow batches for any consumer of the PyCapsule interface (pyarrow, DuckDB, Polars,
/// pandas), and an iterable of dicts. Each use runs the scan again. Nothing is opened before its first row is
/// requested.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Scan(Arc<Task>);

/// Implements the package's `scan`, with units as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are keywords to its callers")]
pub(crate) fn scan(
    paths: Vec<PathBuf>,
    units: Option<&str>,
    digests: bool,
    verify: bool,
    formats: Option<Vec<String>>,
    archives: bool,
    jobs: Option<usize>,
    batch_rows: usize,
    table: &str,
    errors: &str,
) -> PyResult<Scan> {
    let wrong = |message: String| PyValueError::new_err(message);
    let mut kernel = Kernel::new(paths);
    kernel.access = access("auto")?;
    kernel.digests = digests;
    kernel.depth = if verify { Depth::Verify } else { Depth::Summary };
    kernel.archives = archives;
    kernel.jobs = jobs;
    for name in formats.unwrap_or_default() {
        let format = Format::ALL.iter().find(|format| format.name() == name);
        kernel.formats.push(*format.ok_or_else(|| wrong(format!("{name} is no format")))?);
    }
    let units = units.map(serde_json::from_str::<Vec<Unit>>).transpose();
    let units = units.map_err(|error| wrong(format!("not a unit: {error}")))?;
    let table =
        Table::ALL.iter().find(|known| known.name() == table).ok_or_else(|| wrong(format!("no table {table}")))?;
    let errors = match errors {
        "record" => Errors::Record,
        "raise" => Errors::Raise,
        "skip" => Errors::Skip,
        _ => return Err(wrong("errors is \"record\", \"raise\" or \"skip\"".to_owned())),
    };
    Ok(Scan(Arc::new(Task { kernel, units, table: *table, batch_rows, errors, runs: Mutex::new(Vec::new()) })))
}

#[pymethods]
impl Scan {
    /// The columns, as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.0.table.schema());
        PyCapsule::new_with_value(
            py,
            schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?,
            c"arrow_schema",
        )
    }

    /// The rows, as an Arrow stream. The scan starts with its first batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The requested schema is optional to support.
        let _ = requested_schema;
        let stream = FFI_ArrowArrayStream::new(Box::new(Stream::new(self.0.clone())));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __iter__(&self) -> RowIterator {
        RowIterator::new(Stream::new(self.0.clone()))
    }

    /// The progress of the latest run.
    #[getter]
    fn progress(&self) -> Progress {
        Progress(self.0.runs.lock().unwrap_or_else(PoisonError::into_inner).last().cloned().unwrap_or_default())
    }

    /// The number of files to scan and their total size: the `total` of a progress bar. Walks all folders.
    fn measure(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        if let Some(units) = &self.0.units {
            return Ok((units.len() as u64, units.iter().map(|unit| unit.bytes).sum()));
        }
        let mut kernel = self.0.kernel.clone();
        kernel.progress = meshpeek::scan::Progress::default();
        py.detach(|| kernel.measure()).map_err(|error| exception(py, &error))
    }

    /// Ends all runs early. Their streams end with the results so far.
    fn stop(&self) {
        let mut runs = self.0.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().for_each(meshpeek::scan::Progress::stop);
        let keep = runs.len().saturating_sub(1);
        runs.drain(..keep);
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.Scan of {}>", self.0.table.name())
    }
}

/// The progress of a run.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Progress(meshpeek::scan::Progress);

#[pymethods]
impl Progress {
    /// Files processed so far.
    #[getter]
    fn files(&self) -> u64 {
        self.0.files()
    }

    /// Bytes processed so far, of files and of members of archives.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Assets found so far.
    #[getter]
    fn assets(&self) -> u64 {
        self.0.assets()
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.Progress: {} assets in {} files, {} bytes>", self.assets(), self.files(), self.bytes())
    }
}
