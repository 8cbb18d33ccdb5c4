//! Rows of a scan as dicts.

use std::iter::zip;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::or_raise;
use crate::lock;
use crate::stream::{Next, Stream};

/// The rows of a scan, one dict each. It runs its own scan, which ends when this is dropped.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct RowIterator(Mutex<State>);

struct State {
    stream: Stream,
    batch: Option<RecordBatch>,
    row: usize,
}

impl RowIterator {
    pub(crate) fn new(stream: Stream) -> Self {
        Self(Mutex::new(State { stream, batch: None, row: 0 }))
    }
}

#[pymethods]
impl RowIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        loop {
            // Check for each row, because `list` runs no Python code that would check.
            py.check_signals()?;
            let step = py.detach(|| lock(&self.0).step());
            match or_raise(py, step)? {
                Step::Row(batch, row) => return Ok(Some(dict(py, &batch, row)?)),
                Step::Wait => {}
                Step::End => return Ok(None),
            }
        }
    }
}

enum Step {
    Row(RecordBatch, usize),
    Wait,
    End,
}

impl State {
    /// The next row, if it comes soon.
    fn step(&mut self) -> Result<Step, meshpeek::Error> {
        loop {
            if let Some(batch) = &self.batch
                && self.row < batch.num_rows()
            {
                let row = self.row;
                self.row += 1;
                return Ok(Step::Row(batch.clone(), row));
            }
            match self.stream.poll()? {
                Next::Batch(batch) => {
                    self.batch = Some(batch);
                    self.row = 0;
                }
                Next::Wait => return Ok(Step::Wait),
                Next::End => return Ok(Step::End),
            }
        }
    }
}

fn dict<'py>(py: Python<'py>, batch: &RecordBatch, row: usize) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (field, column) in zip(batch.schema_ref().fields(), batch.columns()) {
        dict.set_item(field.name(), cell(py, column, row)?)?;
    }
    Ok(dict)
}

/// A `datetime` in UTC. None if Python has none for it.
fn time(py: Python<'_>, microseconds: i64) -> PyResult<Bound<'_, PyAny>> {
    let datetime = py.import("datetime")?;
    let utc = datetime.getattr("timezone")?.getattr("utc")?;
    let start = datetime.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
    let elapsed = datetime.getattr("timedelta")?.call1((0, 0, microseconds))?;
    match start.add(elapsed) {
        Ok(time) => Ok(time),
        Err(_) => Ok(py.None().into_bound(py)),
    }
}

fn list<'py>(py: Python<'py>, items: &dyn Array) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for item in 0..items.len() {
        list.append(cell(py, items, item)?)?;
    }
    Ok(list)
}

/// Converts one cell of a type that tables use.
pub(crate) fn cell<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into_pyobject(py)?.into_any(),
        DataType::Boolean => column.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Timestamp(..) => time(py, column.as_primitive::<TimestampMicrosecondType>().value(row))?,
        DataType::List(_) => list(py, &column.as_list::<i32>().value(row))?.into_any(),
        DataType::FixedSizeList(..) => list(py, &column.as_fixed_size_list().value(row))?.into_any(),
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in zip(fields, column.as_struct().columns()) {
                dict.set_item(field.name(), cell(py, column, row)?)?;
            }
            dict.into_any()
        }
        other => return Err(PyTypeError::new_err(format!("no column is {other}"))),
    })
}
