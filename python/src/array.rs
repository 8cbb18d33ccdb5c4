//! Arrays for NumPy and memoryview.

use std::ffi::{CString, c_int};

use meshpeek::inspect;
use meshpeek::inspect::array::Content;
use meshpeek::view::{Column, Scalar};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyTuple};

use crate::buffer::{Buffer, Layout, fill};
use crate::open::{Bytes, Owner};

/// An array of an asset: a view of the file's bytes, or decoded.
///
/// Numbers of one kind form rows x columns (only rows if there is one column). Mixed kinds form records.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Array {
    columns: Vec<Column>,
    #[pyo3(get)]
    /// How it is stored in the file: "in place", "strided", "lzo", ...
    packing: &'static str,
    #[pyo3(get)]
    /// The offset of its stored bytes, from the start of the asset.
    offset: u64,
    #[pyo3(get)]
    /// True if its bytes were decoded or assembled; otherwise they are the file's own.
    owned: bool,
    bytes: Bytes,
    layout: Layout,
}

impl Array {
    pub(crate) fn new(array: inspect::Array, data: &Bytes) -> PyResult<Self> {
        let row = array.row_byte_len();
        let (bytes, stride, owned) = match array.content {
            Content::Here { range, stride } => (data.part(range), stride, false),
            Content::Decoded(bytes) => (Bytes::whole(Owner::Decoded(bytes)), row, true),
            other => return Err(PyValueError::new_err(format!("an array of unknown form: {other:?}"))),
        };
        let rows = array.rows;
        if rows > 0 && byte_len(rows, stride as u64, row as u64) != Some(bytes.len() as u64) {
            return Err(PyValueError::new_err(format!("{rows} rows in {} bytes", bytes.len())));
        }
        let layout = layout(&array.columns, ffi::Py_ssize_t::try_from(rows)?, ffi::Py_ssize_t::try_from(stride)?)?;
        Ok(Self {
            columns: array.columns,
            packing: array.storage.packing.name(),
            offset: array.storage.offset,
            owned,
            bytes,
            layout,
        })
    }
}

/// The bytes from the first of these rows to the end of the last one.
fn byte_len(rows: u64, stride: u64, row_bytes: u64) -> Option<u64> {
    let last = (rows - 1).checked_mul(stride)?;
    last.checked_add(row_bytes)
}

fn layout(columns: &[Column], rows: ffi::Py_ssize_t, stride: ffi::Py_ssize_t) -> PyResult<Layout> {
    let Some(scalar) = one_kind(columns) else {
        let mut fields = String::new();
        let mut item_bytes = 0;
        for column in columns {
            fields += &format!("<{}:{}:", letter(column.scalar)?, column.name);
            item_bytes += ffi::Py_ssize_t::try_from(column.scalar.byte_len())?;
        }
        let format = CString::new(format!("T{{{fields}}}"))?;
        return Ok(Layout { format, item_bytes, shape: vec![rows], strides: vec![stride] });
    };
    // A letter alone means native byte order, which memoryview requires.
    let order = if cfg!(target_endian = "little") || scalar.byte_len() == 1 { "" } else { "<" };
    let format = CString::new(format!("{order}{}", letter(scalar)?))?;
    let item_bytes = ffi::Py_ssize_t::try_from(scalar.byte_len())?;
    let mut shape = vec![rows];
    let mut strides = vec![stride];
    if columns.len() > 1 {
        shape.push(ffi::Py_ssize_t::try_from(columns.len())?);
        strides.push(item_bytes);
    }
    Ok(Layout { format, item_bytes, shape, strides })
}

/// The kind of all columns, if they have the same one.
fn one_kind(columns: &[Column]) -> Option<Scalar> {
    let first = columns.first()?.scalar;
    if columns.iter().all(|column| column.scalar == first) { Some(first) } else { None }
}

/// The letter of a number type in the buffer protocol.
fn letter(scalar: Scalar) -> PyResult<char> {
    Ok(match scalar {
        Scalar::U8 => 'B',
        Scalar::I8 => 'b',
        Scalar::U16 => 'H',
        Scalar::I16 => 'h',
        Scalar::U32 => 'I',
        Scalar::I32 => 'i',
        Scalar::U64 => 'Q',
        Scalar::F16 => 'e',
        Scalar::F32 => 'f',
        other => return Err(PyValueError::new_err(format!("numbers of the kind {}", other.name()))),
    })
}

/// The type in NumPy's notation.
fn numpy_type(scalar: Scalar) -> String {
    let kind = &scalar.name()[..1];
    let size = scalar.byte_len();
    let order = if size == 1 { "|" } else { "<" };
    format!("{order}{kind}{size}")
}

#[pymethods]
impl Array {
    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.name).collect()
    }

    /// The type of its items in NumPy's notation: "<f4", or a list of names and types for records.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match one_kind(&self.columns) {
            Some(scalar) => Ok(numpy_type(scalar).into_pyobject(py)?.into_any()),
            None => {
                let mut fields = Vec::new();
                for column in &self.columns {
                    fields.push((column.name, numpy_type(column.scalar)));
                }
                fields.into_pyobject(py)
            }
        }
    }

    /// The numbers of rows and columns.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.layout.shape)
    }

    /// True if its numbers are aligned. PyTorch and others need a copy of unaligned arrays.
    #[getter]
    fn aligned(&self) -> bool {
        // In records, each field would have to be aligned. Records are packed, so only arrays of one kind count as
        // aligned.
        let Some(scalar) = one_kind(&self.columns) else { return false };
        let unit = scalar.byte_len();
        self.bytes.as_ptr().addr().is_multiple_of(unit)
            && self.layout.strides.iter().all(|stride| stride.unsigned_abs().is_multiple_of(unit))
    }

    fn __len__(&self) -> usize {
        match self.layout.shape.first() {
            Some(rows) => rows.unsigned_abs(),
            None => 0,
        }
    }

    /// Some of its rows: `array[0]`, `array[2:5]`, as those of `numpy()`.
    fn __getitem__<'py>(&self, py: Python<'py>, index: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.numpy(py, false)?.get_item(index)
    }

    /// Its rows, as those of `numpy()`.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.numpy(py, false)?.try_iter()
    }

    fn __repr__(&self) -> String {
        let columns = self.columns().join(" ");
        format!("<meshpeek.Array of {} rows, {}: {columns}>", self.__len__(), self.packing)
    }

    /// Returns a read-only NumPy array: a view of the file's bytes if it is not `owned`. It stays valid when the file
    /// is closed or dropped. With `copy`, returns a separate array, aligned and writable.
    #[pyo3(signature = (copy=false))]
    fn numpy<'py>(&self, py: Python<'py>, copy: bool) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let settings = PyDict::new(py);
        settings.set_item("shape", self.shape(py)?)?;
        let dtype = numpy.call_method1("dtype", (self.dtype(py)?,))?;
        settings.set_item("dtype", dtype)?;
        settings.set_item("buffer", Bound::new(py, Buffer(self.bytes.clone()))?)?;
        settings.set_item("strides", PyTuple::new(py, &self.layout.strides)?)?;
        let view = numpy.getattr("ndarray")?.call((), Some(&settings))?;
        if copy { view.call_method0("copy") } else { Ok(view) }
    }

    /// Implements `numpy.asarray(array)`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.numpy(py, copy.unwrap_or(false))?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    #[allow(unsafe_code)]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let array = slf.get();
        // SAFETY: Python supplies the memory for the view; the array is never changed.
        unsafe { fill(slf.as_any(), &array.bytes, &array.layout, view, flags) }
    }
}
