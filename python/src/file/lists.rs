//! Lists built from an asset: everything that may take many times its bytes.

use std::io::Write;
use std::ops::ControlFlow;

use meshpeek::address::Names;
use meshpeek::container::{Container, Member};
use meshpeek::dissect::{dissect_until, overview};
use meshpeek::inspect::{Inspect, selector};
use meshpeek::scan::{Depth, Record, Stored};
use meshpeek::{Asset, Budget, Error, json};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::{File, Open};
use crate::error::json_error;

/// Converts JSON to Python values.
pub(super) fn loads<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (PyBytes::new(py, json),))
}

/// The size of a row as a dict, without its texts.
const ROW_BYTES: u64 = 1024;
/// The size of a byte of JSON as Python values.
const JSON_BYTES: u64 = 4;

/// Lists built from an asset, which take many times its bytes. They count as results, so the limit on results bounds
/// them.
pub(super) struct Rows<T> {
    budget: Budget,
    list: Vec<T>,
    failure: Option<Error>,
}

impl<T> Rows<T> {
    pub(super) fn of(open: &Open) -> Self {
        Self { budget: open.budget(), list: Vec::new(), failure: None }
    }

    /// Charges for a row with this many bytes of text. Breaks if the limit is reached.
    pub(super) fn charge(&mut self, text_bytes: usize) -> ControlFlow<()> {
        if self.failure.is_some() {
            return ControlFlow::Break(());
        }
        if let Err(error) = self.budget.charge_output(ROW_BYTES.saturating_add(text_bytes as u64)) {
            self.failure = Some(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Adds a row that is [charged](Self::charge).
    pub(super) fn push(&mut self, row: T) {
        self.list.push(row);
    }

    pub(super) fn finish(self) -> Result<Vec<T>, Error> {
        match self.failure {
            Some(error) => Err(error),
            None => Ok(self.list),
        }
    }
}

/// JSON that counts as results.
struct Json {
    budget: Budget,
    text: Vec<u8>,
}

impl Write for Json {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let charge = (bytes.len() as u64).saturating_mul(JSON_BYTES);
        self.budget.charge_output(charge).map_err(std::io::Error::other)?;
        self.text.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Converts an error of writing. The error of the limit stays as it is.
fn written(error: std::io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => error.into(),
    }
}

/// Writes the record and all fields of an asset.
fn document(open: &Open, record: &Record, asset: &Asset<'_>) -> std::io::Result<Vec<u8>> {
    let mut document = json::Document::new(Json { budget: open.budget(), text: Vec::new() })?;
    document.record(record)?;
    document.entry("title", asset.format().title())?;
    document.outline("detail", asset)?;
    Ok(document.finish()?.text)
}

/// The archive's information about a member.
struct Entry {
    name: String,
    stored: Stored,
    bytes: u64,
    crc32: Option<u32>,
}

fn entries(open: &Open, asset: &Asset<'_>) -> Result<Vec<Entry>, Error> {
    let Some(container) = Container::of(asset) else { return Ok(Vec::new()) };
    let mut rows = Rows::of(open);
    let mut names = Names::of(&container);
    for member in container.members() {
        let Ok(member) = member else { break };
        if rows.charge(member.name().len()).is_break() {
            break;
        }
        let mut entry = Entry {
            name: names.next(member.name()).text,
            stored: Stored::of(&member),
            bytes: member.decoded_byte_len_hint(),
            crc32: None,
        };
        if let Member::Zip(member) = member {
            entry.crc32 = Some(member.entry.header.crc32.get());
        }
        rows.push(entry);
    }
    rows.finish()
}

#[pymethods]
impl File {
    /// Its record and, under `detail`, every field that its format has.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with_asset(py, |open, asset| {
            let record = open.record(false, Depth::Summary)?;
            document(open, &record, asset).map_err(written)
        })?;
        loads(py, &json)
    }

    /// Its parts, arrays, gaps and problems, in file order: a list of dicts with `depth`, `kind`, `name`, `note`,
    /// `offset` and `bytes`. The last two are `None` for items that are not one contiguous range of the file.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let lines = self.with_asset(py, |open, asset| {
            let mut lines = Rows::of(open);
            overview(&|sink| dissect_until(asset, asset.size(), sink), &mut |line| {
                lines.charge(line.name.len() + line.note.len())?;
                let kind = if line.name == "problem" { "problem" } else { line.kind.name() };
                lines.push((line.depth, kind, line.name.to_owned(), line.note.clone(), line.span));
                ControlFlow::Continue(())
            });
            lines.finish()
        })?;
        let rows = PyList::empty(py);
        for (depth, kind, name, note, span) in lines {
            let row = PyDict::new(py);
            row.set_item("depth", depth)?;
            row.set_item("kind", kind)?;
            row.set_item("name", name)?;
            row.set_item("note", note)?;
            row.set_item("offset", span.map(|span| span.offset))?;
            row.set_item("bytes", span.map(|span| span.bytes))?;
            rows.append(row)?;
        }
        Ok(rows)
    }

    /// All its problems, found by decoding every block and checking every index: a list of dicts with `severity`,
    /// `code`, `offset` and `message`.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with(py, |open| {
            let record = open.record(false, Depth::Verify)?;
            serde_json::to_vec(&record.summary.problems).map_err(json_error)
        })?;
        loads(py, &json)
    }

    /// Its arrays by their selectors, each with `rows`, `columns`, `offset`, `bytes` and `packing`.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.with_asset(py, |open, asset| {
            let mut all = Rows::of(open);
            selector::each_until(asset, &mut |selector, table| {
                all.charge(selector.len())?;
                let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
                all.push((selector.to_owned(), table.rows(), columns, table.storage()));
                ControlFlow::Continue(())
            });
            all.finish()
        })?;
        let arrays = PyDict::new(py);
        for (selector, rows, columns, storage) in all {
            let facts = PyDict::new(py);
            facts.set_item("rows", rows)?;
            facts.set_item("columns", columns)?;
            facts.set_item("offset", storage.offset)?;
            facts.set_item("bytes", storage.bytes)?;
            facts.set_item("packing", storage.packing.name())?;
            arrays.set_item(selector, facts)?;
        }
        Ok(arrays)
    }

    /// Its members, if it is an archive: a list of dicts with `index`, `name`, `method`, `stored_bytes`, `bytes`,
    /// `offset`, `crc32` and `time`. Includes members that are not assets.
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let members = self.with_asset(py, entries)?;
        let rows = PyList::empty(py);
        for (index, Entry { name, stored, bytes, crc32 }) in members.into_iter().enumerate() {
            let row = PyDict::new(py);
            row.set_item("index", index)?;
            row.set_item("name", name)?;
            row.set_item("method", stored.method)?;
            row.set_item("stored_bytes", stored.bytes)?;
            row.set_item("bytes", bytes)?;
            row.set_item("offset", stored.offset)?;
            row.set_item("crc32", crc32)?;
            row.set_item("time", stored.time)?;
            rows.append(row)?;
        }
        Ok(rows)
    }
}
