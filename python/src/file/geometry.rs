//! Triangles of all formats in one form.

use std::iter::zip;
use std::ops::ControlFlow;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{Array as _, RecordBatch, RecordBatchIterator};
use meshpeek::scan::Depth;
use meshpeek_tables::{Batches, Table};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use super::File;
use crate::lock;
use crate::rows::cell;

/// The triangles of a model: a sequence of dicts, one for each material in each mesh, whose arrays are NumPy arrays.
/// Also an Arrow stream, with the columns of the table "geometry".
#[pyclass(frozen, module = "meshpeek", sequence)]
pub(crate) struct Geometry(Vec<RecordBatch>);

/// The columns that become NumPy arrays, and the width of their rows.
const ARRAYS: [(&str, usize); 4] = [("positions", 3), ("normals", 3), ("uvs", 2), ("triangles", 3)];

impl Geometry {
    /// The batch with this part, and its row there. A negative index counts from the end.
    fn part(&self, index: isize) -> Option<(&RecordBatch, usize)> {
        let mut row = index.unsigned_abs();
        if index < 0 {
            row = self.__len__().checked_add_signed(index)?;
        }
        for batch in &self.0 {
            if row < batch.num_rows() {
                return Some((batch, row));
            }
            row -= batch.num_rows();
        }
        None
    }
}

#[pymethods]
impl Geometry {
    fn __len__(&self) -> usize {
        self.0.iter().map(RecordBatch::num_rows).sum()
    }

    /// A dict with the columns of the table "geometry". `positions`, `normals` and `uvs` are arrays of `float32` with a row
    /// for each vertex, `triangles` one of `int32` with three vertices in each row.
    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyDict>> {
        let Some((batch, row)) = self.part(index) else {
            return Err(PyIndexError::new_err("no such part"));
        };
        let dict = PyDict::new(py);
        let numpy = py.import("numpy")?;
        for (field, column) in zip(batch.schema_ref().fields(), batch.columns()) {
            let Some((_, width)) = ARRAYS.iter().find(|(name, _)| name == field.name()) else {
                dict.set_item(field.name(), cell(py, column, row)?)?;
                continue;
            };
            let list = column.as_list::<i32>().value(row);
            let items = list.as_fixed_size_list();
            let numbers = items.values().slice(items.value_offset_at(0), items.len() * width);
            let (numbers, kind) = match field.name().as_str() {
                "triangles" => (numbers.as_primitive::<Int32Type>().values().inner(), "=i4"),
                _ => (numbers.as_primitive::<Float32Type>().values().inner(), "=f4"),
            };
            let flat = numpy.call_method1("frombuffer", (PyBytes::new(py, numbers), kind))?;
            dict.set_item(field.name(), flat.call_method1("reshape", ((items.len(), *width),))?)?;
        }
        Ok(dict)
    }

    /// The columns and rows, as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The requested schema is optional to support.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new(self.0.clone().into_iter().map(Ok), Table::Geometry.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.Geometry of {} parts>", self.__len__())
    }
}

#[pymethods]
impl File {
    /// Its triangles, in the same form for all formats: right-handed, y up, front faces counterclockwise, v down, in world
    /// space, with a vertex for each different corner. All levels of detail are there; `lod` and `resolution` tell them
    /// apart. A part that cannot be read has a `problem` and no triangles.
    fn geometry(&self, py: Python<'_>) -> PyResult<Geometry> {
        let batches = self.with_whole(py, |open, asset| {
            let record = open.record(false, Depth::Header)?;
            let made = Mutex::new(Vec::new());
            let batches = Batches::new(&[Table::Geometry], usize::MAX, |_, batch| {
                lock(&made).push(batch);
                Ok(ControlFlow::Continue(()))
            });
            let _ = batches.geometry(&record, asset, &open.budget());
            batches.finish()?;
            Ok(std::mem::take(&mut *lock(&made)))
        })?;
        Ok(Geometry(batches))
    }
}
