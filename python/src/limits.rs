//! Limits from Python: a dict with the names of the program's flags, without `--max-`.

use std::collections::HashMap;

use meshpeek::Limits;
use meshpeek::summary::Code;
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
        match name.as_str() {
            "depth" => limits.depth = small(name, number)?,
            "decoded" => limits.decoded_bytes = number,
            "problems" => limits.problems = small(name, number)?,
            "archive_depth" => limits.archive_depth = small(name, number)?,
            "archive_members" => limits.archive_members = small(name, number)?,
            "work" => limits.work = small(name, number)?,
            "output" => limits.output = small(name, number)?,
            "references" => limits.reference_bytes = number,
            _ => return Err(PyValueError::new_err(format!("no limit {name}; there are {}", NAMES.join(", ")))),
        }
    }
    Ok(limits)
}

/// The number of a limit with 32 bits.
fn small(name: &str, number: u64) -> PyResult<u32> {
    match u32::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => Err(PyValueError::new_err(format!("limit {name}: {number} is too large"))),
    }
}

/// The name in Python of the limit that a code is about, or `None` if it is about none that can be set.
pub(crate) fn name(code: Code) -> Option<&'static str> {
    match code {
        Code::ArchiveDepthLimit => Some("archive_depth"),
        Code::ArchiveMembersLimit => Some("archive_members"),
        Code::DecodedBytesLimit => Some("decoded"),
        Code::DepthLimit => Some("depth"),
        Code::OutputLimit => Some("output"),
        Code::ProblemsLimit => Some("problems"),
        Code::ReferenceBytesLimit => Some("references"),
        Code::WorkLimit => Some("work"),
        _ => None,
    }
}
