//! Units of work.

use std::ops::ControlFlow;
use std::path::PathBuf;

use meshpeek::scan::Scan;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::exception;
use crate::open::access;

/// The pieces of work for a scan of these paths, as JSON. The package groups them by unit.
#[pyfunction]
pub(crate) fn plan<'py>(py: Python<'py>, paths: Vec<PathBuf>, unit_bytes: u64) -> PyResult<Bound<'py, PyBytes>> {
    let mut scan = Scan::new(paths);
    scan.access = access("auto")?;
    let json = py.detach(|| {
        let mut units = Vec::new();
        scan.plan(unit_bytes, |unit| {
            units.push(unit);
            ControlFlow::Continue(())
        })?;
        serde_json::to_vec(&units).map_err(|error| meshpeek::Error::from(std::io::Error::from(error)))
    });
    Ok(PyBytes::new(py, &json.map_err(|error| exception(py, &error))?))
}
