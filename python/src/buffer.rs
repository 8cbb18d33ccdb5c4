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
        self.is_dense(self.shape.iter().zip(&self.strides).rev())
    }

    /// Returns true if the columns are contiguous.
    fn is_by_column(&self) -> bool {
        self.is_dense(self.shape.iter().zip(&self.strides))
    }

    /// Checks for gaps, starting with the dimension whose neighbors are adjacent.
    fn is_dense<'a>(&self, mut dimensions: impl Iterator<Item = (&'a ffi::Py_ssize_t, &'a ffi::Py_ssize_t)>) -> bool {
        let mut expected = self.item_bytes;
        dimensions.all(|(&count, &stride)| {
            let fits = count < 2 || stride == expected;
            expected *= count;
            fits
        }) || self.shape.contains(&0)
    }

    /// Returns true if this layout satisfies the reader's request.
    fn suits(&self, flags: c_int) -> bool {
        let wants = |flag| flags & flag == flag;
        let (by_row, by_column) = (self.is_contiguous(), self.is_by_column());
        (by_row || wants(ffi::PyBUF_STRIDES) && !wants(ffi::PyBUF_C_CONTIGUOUS))
            && (by_column || !wants(ffi::PyBUF_F_CONTIGUOUS))
            && (by_row || by_column || !wants(ffi::PyBUF_ANY_CONTIGUOUS))
    }

    fn bytes(&self) -> ffi::Py_ssize_t {
        self.shape.iter().product::<ffi::Py_ssize_t>() * self.item_bytes
    }
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
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return Err(PyBufferError::new_err("the array cannot be written to"));
    }
    let wants = |flag| flags & flag == flag;
    if !layout.suits(flags) {
        return Err(PyBufferError::new_err("the array does not lie in one piece as asked; numpy(copy=True) makes one"));
    }
    let is_wanted = |flag, pointer: *mut ffi::Py_ssize_t| if wants(flag) { pointer } else { ptr::null_mut() };
    // SAFETY: the caller supplies the memory. Shape, strides and format live as long as the object, to which the view
    // takes a reference. By the protocol, nobody writes through these pointers.
    unsafe {
        (*view).buf = bytes.as_ptr().cast_mut().cast();
        (*view).obj = owner.clone().into_ptr();
        (*view).len = layout.bytes();
        (*view).itemsize = layout.item_bytes;
        (*view).readonly = 1;
        (*view).ndim = c_int::try_from(layout.shape.len()).unwrap_or(1);
        (*view).format = if wants(ffi::PyBUF_FORMAT) { layout.format.as_ptr().cast_mut() } else { ptr::null_mut() };
        (*view).shape = is_wanted(ffi::PyBUF_ND, layout.shape.as_ptr().cast_mut());
        (*view).strides = is_wanted(ffi::PyBUF_STRIDES, layout.strides.as_ptr().cast_mut());
        (*view).suboffsets = ptr::null_mut();
        (*view).internal = ptr::null_mut();
    }
    Ok(())
}
