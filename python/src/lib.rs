//! meshpeek for Python: records as Arrow, arrays as views of the file.
//!
//! Unsafe code is in `buffer.rs`, `scan.rs` and `stream.rs`, which pass memory and signals to Python or take them from it,
//! and in `open.rs`, which maps files.

#![deny(unsafe_code)]
// `clippy.toml` has the threshold.
#![cfg_attr(not(test), deny(clippy::too_many_lines))]

mod array;
#[allow(unsafe_code)]
mod buffer;
mod counted;
mod error;
mod failure;
mod file;
mod limits;
mod open;
mod options;
mod question;
mod remote;
mod rows;
mod scan;
#[allow(unsafe_code)]
mod stream;
mod task;
mod units;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

/// Inspect 3D game assets without loading them.
#[pymodule]
mod _meshpeek {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::array::Array;
    #[pymodule_export]
    use crate::buffer::Buffer;
    #[pymodule_export]
    use crate::error::{Error, LimitError, Unsupported};
    #[pymodule_export]
    use crate::file::{File, Geometry, Walk, from_buffer, open, open_source, walk};
    #[pymodule_export]
    use crate::rows::RowIterator;
    #[pymodule_export]
    use crate::scan::{Progress, Scan, scan};
    #[pymodule_export]
    use crate::units::plan;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("SCHEMA", meshpeek_tables::SCHEMA)?;
        let tables: Vec<&str> = crate::question::tables().map(|table| table.name()).collect();
        module.add("TABLES", pyo3::types::PyTuple::new(module.py(), tables)?)?;
        crate::init(module.py())
    }
}

fn init(py: Python<'_>) -> PyResult<()> {
    // If it cannot be set, files are read.
    let _ = meshpeek::source::guard_maps();
    stream::note_main_thread(py)
}

/// Locks a mutex, even if a thread panicked while it held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
