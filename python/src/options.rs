//! The options of a scan, as the package passes them.

use std::path::PathBuf;

use meshpeek::Format;
use meshpeek::scan::{Depth, Scan as Kernel};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::limits::{self, limits};
use crate::open::access;

/// The keywords that `scan` and the other verbs share: paths, filters and limits.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    paths: Vec<PathBuf>,
    digests: bool,
    depth: String,
    formats: Vec<String>,
    globs: Vec<String>,
    folder_depth: Option<usize>,
    follow: bool,
    hidden: bool,
    ignored: bool,
    archives: bool,
    jobs: Option<usize>,
    access: String,
    read_ahead: bool,
    limits: limits::Given,
}

impl Options {
    pub(crate) fn kernel(self) -> PyResult<Kernel> {
        let mut kernel = Kernel::new(self.paths);
        kernel.access = access(&self.access)?;
        kernel.digests = self.digests;
        kernel.depth = match self.depth.as_str() {
            "header" => Depth::Header,
            "summary" => Depth::Summary,
            "verify" => Depth::Verify,
            _ => return Err(wrong("depth is \"header\", \"summary\" or \"verify\"")),
        };
        for name in self.formats {
            let Some(format) = Format::ALL.iter().find(|format| format.name() == name) else {
                return Err(wrong(format!("{name} is no format")));
            };
            kernel.formats.push(*format);
        }
        kernel.selection.hidden = self.hidden;
        kernel.selection.ignored = self.ignored;
        kernel.selection.globs = self.globs;
        kernel.selection.folder_depth = self.folder_depth;
        kernel.selection.follow = self.follow;
        kernel.archives = self.archives;
        kernel.jobs = self.jobs;
        kernel.read_ahead = self.read_ahead;
        kernel.limits = limits(&self.limits)?;
        Ok(kernel)
    }
}

pub(crate) fn wrong(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
