//! Units of work.

use std::ops::ControlFlow;

use meshpeek::scan::UnitsBy;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{json_error, or_raise};
use crate::options::{Options, wrong};

/// The pieces of work for a scan with these options, as JSON. The package groups them by unit.
#[pyfunction]
pub(crate) fn plan<'py>(py: Python<'py>, options: Options, unit_bytes: u64, by: &str) -> PyResult<Bound<'py, PyBytes>> {
    let mut scan = options.kernel()?;
    scan.units_by = match by {
        "time" => UnitsBy::Time,
        "size" => UnitsBy::Size,
        "digest" => UnitsBy::Digest,
        _ => return Err(wrong("by is \"time\", \"size\" or \"digest\"")),
    };
    let json = py.detach(|| {
        let mut units = Vec::new();
        scan.plan(unit_bytes, |unit| {
            units.push(unit);
            ControlFlow::Continue(())
        })?;
        serde_json::to_vec(&units).map_err(json_error)
    });
    Ok(PyBytes::new(py, &or_raise(py, json)?))
}
