//! Shares memory with Python through the buffer protocol.

use std::ffi::{CString, c_int};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::open::Bytes;

/// Read-only bytes: of a file, mapped or read, or decoded. The `base` of arrays.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct Buffer(pub(crate) Bytes);

#[pymethods]
impl Buffer {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.Buffer of {} bytes>", self.0.len())
    }

    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes: &[u8] = &slf.get().0;
        let length = ffi::Py_ssize_t::try_from(bytes.len())?;
        // SAFETY: Python supplies the memory for the view, which takes a reference to the object. The object keeps the
        // bytes, which are never changed or moved. The call requests read-only access and refuses writers.
        let done =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), bytes.as_ptr().cast_mut().cast(), length, 1, flags) };
        if done == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// The memory layout of rows, in terms of the buffer protocol. The view of an array points into it.
pub(crate) struct Layout {
    pub(crate) format: CString,
    pub(crate) item_bytes: ffi::Py_ssize_t,
    pub(crate) shape: Vec<ffi::Py_ssize_t>,
    pub(crate) strides: Vec<ffi::Py_ssize_t>,
}

impl Layout {
    /// Returns true if the rows, and the numbers in each, are contiguous.
    fn is_contiguous(&self) -> bool {
        self.is_dense((0..self.shape.len()).rev())
    }

    /// Returns true if the columns are contiguous.
    fn is_by_column(&self) -> bool {
        self.is_dense(0..self.shape.len())
    }

    /// Checks for gaps, starting with the dimension whose neighbors are adjacent.
    fn is_dense(&self, dimensions: impl Iterator<Item = usize>) -> bool {
        if self.shape.contains(&0) {
            return true;
        }
        let mut expected = self.item_bytes;
        for dimension in dimensions {
            let count = self.shape[dimension];
            if count > 1 && self.strides[dimension] != expected {
                return false;
            }
            expected *= count;
        }
        true
    }

    /// Returns true if this layout satisfies the reader's request.
    fn suits(&self, flags: c_int) -> bool {
        let by_row = self.is_contiguous();
        let by_column = self.is_by_column();
        (by_row || wants(flags, ffi::PyBUF_STRIDES) && !wants(flags, ffi::PyBUF_C_CONTIGUOUS))
            && (by_column || !wants(flags, ffi::PyBUF_F_CONTIGUOUS))
            && (by_row || by_column || !wants(flags, ffi::PyBUF_ANY_CONTIGUOUS))
    }

    fn bytes(&self) -> ffi::Py_ssize_t {
        self.shape.iter().product::<ffi::Py_ssize_t>() * self.item_bytes
    }
}

/// Returns true if the reader's request has this flag. Some flags consist of several bits.
fn wants(flags: c_int, flag: c_int) -> bool {
    flags & flag == flag
}

/// The pointer, if the reader's request has this flag, else null.
fn if_wanted<T>(flags: c_int, flag: c_int, pointer: *const T) -> *mut T {
    if wants(flags, flag) { pointer.cast_mut() } else { ptr::null_mut() }
}

/// Fills the view of an object that keeps both the bytes and their layout, and never changes them.
///
/// # Safety
/// `view` must point to memory for a view, as supplied by Python.
pub(crate) unsafe fn fill(
    owner: &Bound<'_, PyAny>,
    bytes: &[u8],
    layout: &Layout,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if wants(flags, ffi::PyBUF_WRITABLE) {
        return Err(PyBufferError::new_err("the array cannot be written to"));
    }
    if !layout.suits(flags) {
        return Err(PyBufferError::new_err("the array does not lie in one piece as asked; numpy(copy=True) makes one"));
    }
    // SAFETY: the caller supplies the memory. Shape, strides and format live as long as the object, to which the view
    // takes a reference. By the protocol, nobody writes through these pointers.
    unsafe {
        (*view).buf = bytes.as_ptr().cast_mut().cast();
        (*view).obj = owner.clone().into_ptr();
        (*view).len = layout.bytes();
        (*view).itemsize = layout.item_bytes;
        (*view).readonly = 1;
        (*view).ndim = c_int::try_from(layout.shape.len()).unwrap_or(1);
        (*view).format = if_wanted(flags, ffi::PyBUF_FORMAT, layout.format.as_ptr());
        (*view).shape = if_wanted(flags, ffi::PyBUF_ND, layout.shape.as_ptr());
        (*view).strides = if_wanted(flags, ffi::PyBUF_STRIDES, layout.strides.as_ptr());
        (*view).suboffsets = ptr::null_mut();
        (*view).internal = ptr::null_mut();
    }
    Ok(())
}
