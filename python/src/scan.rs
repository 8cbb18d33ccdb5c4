//! Scans of many files, and the answers of other verbs.

use std::iter::zip;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::RecordBatch;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Fields};
use meshpeek_tables::Table;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyDict, PyTuple};

use crate::counted::Counted;
use crate::error::{exception, or_raise};
use crate::failure::Errors;
use crate::lock;
use crate::options::{Options, wrong};
use crate::question::{Keywords, Question};
use crate::rows::RowIterator;
use crate::stream::Stream;
use crate::task::Task;

/// A lazy scan, or the answers of another verb. It is a stream of Arrow batches for any consumer of the PyCapsule
/// interface (pyarrow, DuckDB, Polars, pandas), and an iterable of dicts. Each use runs the scan again. Nothing is
/// opened before its first row is requested. It can be pickled.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Scan {
    task: Arc<Task>,
    /// The keywords that it was created with.
    options: Py<PyDict>,
}

/// Implements the package's verbs. The options are those of [`Options`] and [`Keywords`], and `batch_rows`, `errors` and
/// `since`.
#[pyfunction]
pub(crate) fn scan(options: &Bound<'_, PyDict>) -> PyResult<Scan> {
    let kernel = options.extract::<Options>()?.kernel()?;
    let question = Question::new(options.extract::<Keywords>()?)?;
    let mut task = Task::new(kernel, question);
    if let Some(errors) = given(options, "errors")? {
        task.errors = match errors.extract()? {
            "record" => Errors::Record,
            "raise" => Errors::Raise,
            "skip" => Errors::Skip,
            _ => return Err(wrong("errors is \"record\", \"raise\" or \"skip\"")),
        };
    }
    if let Some(rows) = given(options, "batch_rows")? {
        task.batch_rows = rows.extract()?;
    }
    if let Some(old) = given(options, "since")? {
        task.old = earlier(&old, task.question.table())?;
    }
    if let Some(old) = given(options, "known")? {
        task.known = Some(earlier(&old, Table::Assets)?);
    }
    if let Some(sources) = given(options, "sources")? {
        task.sources = sources.extract()?;
    }
    Ok(Scan { task: Arc::new(task), options: options.copy()?.unbind() })
}

/// The value of an option. `None` in Python means that it is not given.
fn given<'py>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(value) = options.get_item(name)? else { return Ok(None) };
    if value.is_none() { Ok(None) } else { Ok(Some(value)) }
}

/// The batches of an earlier scan, from any producer of an Arrow stream.
fn earlier(old: &Bound<'_, PyAny>, table: Table) -> PyResult<Vec<RecordBatch>> {
    let capsule = old.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name contains such a stream. Reading it takes it out of the capsule.
    #[allow(unsafe_code)]
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) }.map_err(arrow_error)?;
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(arrow_error)?;
    let schema = table.schema();
    let mut renewed = Vec::new();
    for batch in batches {
        if !are_same(batch.schema_ref().fields(), schema.fields()) {
            return Err(wrong("since has other columns than this table"));
        }
        // Engines may mark columns as nullable that are not.
        let batch = RecordBatch::try_new(schema.clone(), batch.columns().to_vec()).map_err(arrow_error)?;
        renewed.push(batch);
    }
    Ok(renewed)
}

/// Returns true if these columns have the same names and types.
fn are_same(some: &Fields, others: &Fields) -> bool {
    if some.len() != others.len() {
        return false;
    }
    for (one, other) in zip(some, others) {
        if one.name() != other.name() || one.data_type() != other.data_type() {
            return false;
        }
    }
    true
}

fn arrow_error(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

impl Scan {
    /// A new run, with a progress bar if it is asked for.
    fn stream(&self, py: Python<'_>) -> PyResult<Stream> {
        let stream = Stream::new(self.task.clone());
        let progress = self.options.bind(py).get_item("progress")?;
        if let Some(wants) = progress
            && wants.is_truthy()?
        {
            let progress = Progress(stream.progress());
            let scan = Self { task: self.task.clone(), options: self.options.clone_ref(py) };
            py.import("meshpeek._progress")?.call_method1("show", (progress, scan))?;
        }
        Ok(stream)
    }

    /// Returns the result of an engine, or what a file object raised: an engine raises an error of its own for it.
    fn passed_on<'py>(slf: &Bound<'py, Self>, result: PyResult<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let raised = std::mem::take(&mut *lock(&slf.get().task.raised));
        match (result, raised.last()) {
            (Err(_), Some(raised)) => Err(exception(slf.py(), raised)),
            (result, _) => result,
        }
    }
}

#[pymethods]
impl Scan {
    /// The columns, as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.task.question.table().schema()).map_err(arrow_error)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
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
        let stream = FFI_ArrowArrayStream::new(Box::new(self.stream(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<RowIterator> {
        Ok(RowIterator::new(self.stream(py)?))
    }

    /// The progress of the latest run.
    #[getter]
    fn progress(&self) -> Progress {
        Progress(lock(&self.task.runs).last().cloned().unwrap_or_default())
    }

    /// The number of files to scan and their total size: the `total` of a progress bar. Walks all folders.
    fn measure(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        if let Some(units) = self.task.question.units() {
            return Ok((units.len() as u64, units.iter().map(|unit| unit.bytes).sum()));
        }
        let mut kernel = self.task.kernel.clone();
        kernel.progress = meshpeek::scan::Progress::default();
        let measured = py.detach(|| kernel.measure());
        let (mut files, mut bytes) = or_raise(py, measured)?;
        for source in &self.task.sources {
            files += 1;
            bytes += source.byte_len();
        }
        Ok((files, bytes))
    }

    /// Ends all runs early. Their streams end with the results so far.
    fn stop(&self) {
        let mut runs = lock(&self.task.runs);
        for run in runs.iter() {
            run.counts.stop();
        }
        let keep = runs.len().saturating_sub(1);
        runs.drain(..keep);
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.Scan of {}>", self.table())
    }

    /// The name of the table whose rows it gives.
    #[getter]
    fn table(&self) -> &'static str {
        self.task.question.table().name()
    }

    /// All rows as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let frame = slf.py().import("polars")?.getattr("DataFrame")?.call1((slf,));
        Self::passed_on(slf, frame)
    }

    /// All rows as a `pyarrow.Table`.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let table = slf.py().import("pyarrow")?.call_method1("table", (slf,));
        Self::passed_on(slf, table)
    }

    /// All rows as a `pandas.DataFrame`, by way of pyarrow.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::to_arrow(slf)?.call_method0("to_pandas")
    }

    /// Writes all rows as Parquet, and returns the paths of the files: `path`, or `TABLE.parquet` in this folder.
    /// `partition` divides a table in a folder: a number of bytes, into files of about this size, or "format", into
    /// folders such as `format=odol/`. The files replace earlier ones at the end, and `since` continues from them.
    /// Needs pyarrow.
    #[pyo3(signature = (path, *, partition=None))]
    fn to_parquet<'py>(
        slf: &Bound<'py, Self>,
        path: &Bound<'py, PyAny>,
        partition: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let path = slf.py().import("os")?.call_method1("fsdecode", (path,))?;
        let paths = slf.py().import("meshpeek._dataset")?.call_method1("write", (slf, path, partition));
        Self::passed_on(slf, paths)
    }

    /// For notebooks: the first rows, as a table. Runs the scan until it has them.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("meshpeek._html")?.call_method1("scan", (slf,))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let remake = py.import("meshpeek._meshpeek")?.getattr("scan")?;
        Ok((remake, PyTuple::new(py, [self.options.bind(py)])?))
    }
}

/// The progress of a run.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Progress(Counted);

#[pymethods]
impl Progress {
    /// Files processed so far.
    #[getter]
    fn files(&self) -> u64 {
        self.0.counts.files()
    }

    /// Bytes processed so far, of files and of members of archives.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.counts.bytes()
    }

    /// Assets found so far.
    #[getter]
    fn assets(&self) -> u64 {
        self.0.counts.assets()
    }

    /// The numbers of files and folders that the run left out below those of its paths whose walk has ended:
    /// `hidden_or_ignored`, `links` that are not followed, and `folders_too_deep`.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let left_out = self.0.counts.left_out();
        let numbers = PyDict::new(py);
        numbers.set_item("hidden_or_ignored", left_out.hidden_or_ignored)?;
        numbers.set_item("links", left_out.links)?;
        numbers.set_item("folders_too_deep", left_out.folders_too_deep)?;
        Ok(numbers)
    }

    /// True once the run has ended, or nobody asks for more rows.
    #[getter]
    fn done(&self) -> bool {
        self.0.is_done.load(Ordering::Relaxed)
    }

    /// True if the run was ended early.
    #[getter]
    fn stopped(&self) -> bool {
        self.0.counts.is_stopped()
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.Progress: {} assets in {} files, {} bytes>", self.assets(), self.files(), self.bytes())
    }
}
