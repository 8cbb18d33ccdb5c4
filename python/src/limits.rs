//! Limits from Python: a dict with the names of the program's flags, without `--max-`.

use std::collections::HashMap;

use meshpeek::Limits;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The limits that the caller set, by name.
pub(crate) type Given = HashMap<String, u64>;

/// The names of all limits.
const NAMES: [&str; 8] =
    ["depth", "decoded", "problems", "archive_depth", "archive_members", "work", "output", "references"];

/// Parses limits. Those that are not given have their defaults.
pub(crate) fn limits(given: &Given) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, &number) in given {
        let small =
            || u32::try_from(number).map_err(|_| PyValueError::new_err(format!("limit {name}: {number} is too large")));
        match name.as_str() {
            "depth" => limits.depth = small()?,
            "decoded" => limits.decoded_bytes = number,
            "problems" => limits.problems = small()?,
            "archive_depth" => limits.archive_depth = small()?,
            "archive_members" => limits.archive_members = small()?,
            "work" => limits.work = small()?,
            "output" => limits.output = small()?,
            "references" => limits.reference_bytes = number,
            _ => return Err(PyValueError::new_err(format!("no limit {name}; there are {}", NAMES.join(", ")))),
        }
    }
    Ok(limits)
}

/// The name in Python of the limit that a flag of the program sets.
pub(crate) fn name(flag: &str) -> Option<&'static str> {
    let wanted = flag.strip_prefix("--max-")?.replace('-', "_");
    NAMES.into_iter().find(|name| *name == wanted)
}
