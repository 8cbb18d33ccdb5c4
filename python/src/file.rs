//! One asset: a file, or a member of an archive.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use meshpeek::address::{Address, Names, open_member};
use meshpeek::container::{Container, Member};
use meshpeek::dissect::{dissect_until, overview};
use meshpeek::export::{self, NoImages, Options, View};
use meshpeek::inspect::{self, Inspect, Selector, selector};
use meshpeek::scan::{Depth, Record, Scan, Stored};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Error, FileMap, Format, Limits, OwnedAsset, json};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList};

use crate::array::Array;
use crate::buffer::Buffer;
use crate::error::exception;
use crate::open::{Bytes, Owner, access};

/// An open asset, with its arrays by selector. `with` closes it; arrays and buffers taken from it stay valid.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct File {
    /// `None` once it is closed.
    open: Mutex<Option<Arc<Open>>>,
    name: String,
    format: Option<Format>,
    version: Option<u32>,
}

struct Open {
    /// The outer file.
    path: PathBuf,
    outer: Bytes,
    /// The path inside it, and how the innermost archive stores it.
    member: Option<Name>,
    stored: Option<Stored>,
    /// The asset's own bytes.
    data: Bytes,
    /// Its view, or the reason that there is none.
    asset: Result<OwnedAsset<Bytes>, Error>,
}

/// Opens a file, or a member of an archive by its address: `mods.zip!/a.pbo!/data\tree.p3d`.
///
/// `access` is "auto" (large files are mapped, others read), "map" or "read".
#[pyfunction]
#[pyo3(signature = (path, *, access="auto"))]
pub(crate) fn open(py: Python<'_>, path: PathBuf, access: &str) -> PyResult<File> {
    let access = self::access(access)?;
    let opened = py.detach(|| {
        let address = Address::parse(&path);
        let outer = Bytes::whole(Owner::File(address.open(access, &Limits::default())?));
        let file = Open::whole(address.file, outer);
        match &address.member {
            Some(member) => file.member(member).map_err(|error| error.in_file(&path)),
            None => Ok(file),
        }
    });
    Ok(File::new(opened.map_err(|error| exception(py, &error))?))
}

/// Opens bytes as a file of this name. `bytes` are read in place. Other objects are copied, because they might change.
#[pyfunction]
#[pyo3(signature = (buffer, name=""))]
pub(crate) fn from_buffer(py: Python<'_>, buffer: &Bound<'_, PyAny>, name: &str) -> PyResult<File> {
    let bytes = match buffer.cast::<PyBytes>() {
        Ok(bytes) => bytes.clone(),
        Err(_) => py
            .get_type::<PyBytes>()
            .call1((buffer.py().import("builtins")?.call_method1("memoryview", (buffer,))?,))?
            .cast_into::<PyBytes>()?,
    };
    Ok(File::new(Open::whole(name.into(), Bytes::whole(Owner::Python(PyBackedBytes::from(bytes))))))
}

impl Open {
    fn whole(path: PathBuf, outer: Bytes) -> Self {
        Self::new(path, outer.clone(), None, None, outer)
    }

    fn new(path: PathBuf, outer: Bytes, member: Option<Name>, stored: Option<Stored>, data: Bytes) -> Self {
        let asset = OwnedAsset::parse_file(own_name(&path, member.as_ref()), data.clone(), &Limits::default());
        let asset = asset.map_err(|error| error.in_file(Path::new(&address(&path, member.as_ref()))));
        Self { path, outer, member, stored, data, asset }
    }

    /// The member of this name. It starts from this asset, so decoded data is not decoded again.
    fn member(&self, name: &[u8]) -> Result<Self, Error> {
        let opened = open_member(self.own_name(), &self.data, Some(name), &self.budget())?;
        let content = opened.content?;
        let data = match self.data.holding(&content).filter(|_| content.is_borrowed()) {
            Some(data) => data,
            None => Bytes::whole(Owner::Decoded(content.to_vec())),
        };
        let member = opened.member.map(|inner| match &self.member {
            Some(outer) => Name { text: format!("{}!/{}", outer.text, inner.text), lossy: outer.lossy || inner.lossy },
            None => inner,
        });
        Ok(Self::new(self.path.clone(), self.outer.clone(), member, opened.stored, data))
    }

    fn own_name(&self) -> &Path {
        own_name(&self.path, self.member.as_ref())
    }

    fn budget(&self) -> Budget {
        Budget::new(self.data.len() as u64, &Limits::default())
    }

    fn record(&self, digests: bool, depth: Depth) -> Record {
        let mut scan = Scan::new([""; 0]);
        (scan.digests, scan.depth) = (digests, depth);
        let mut record = match &self.asset {
            Ok(asset) => scan.record_of_asset(self.own_name(), &self.data, asset.asset()),
            Err(_) => scan.record(self.own_name(), &self.data),
        };
        record.path.clone_from(&self.path);
        (record.member, record.stored) = (self.member.clone(), self.stored.clone());
        record
    }
}

fn address(path: &Path, member: Option<&Name>) -> String {
    let path = path.to_string_lossy();
    member.map_or_else(|| path.to_string(), |member| format!("{path}!/{}", member.text))
}

/// The innermost name, whose extension indicates a format. Members that share a name have it without the number.
fn own_name<'n>(path: &'n Path, member: Option<&'n Name>) -> &'n Path {
    let Some(member) = member else { return path };
    match member.text.rsplit_once('#') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Path::new(name)
        }
        _ => Path::new(&member.text),
    }
}

impl File {
    fn new(open: Open) -> Self {
        let format = Format::of_file(open.own_name(), &open.data);
        let version = open.asset.as_ref().ok().and_then(|asset| asset.asset().summarize_header().version);
        Self {
            name: address(&open.path, open.member.as_ref()),
            format,
            version,
            open: Mutex::new(Some(Arc::new(open))),
        }
    }

    fn get(&self) -> PyResult<Arc<Open>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| PyValueError::new_err("the file is closed"))
    }

    /// Works on the open asset without Python's lock.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Open) -> Result<T, Error> + Send) -> PyResult<T> {
        let open = self.get()?;
        py.detach(|| work(&open)).map_err(|error| exception(py, &error.in_file(Path::new(&self.name))))
    }

    /// Like `with`, for an open asset that has a view.
    fn with_asset<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Open, &Asset<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let open = self.get()?;
        let asset = open.asset.as_ref().map_err(|error| exception(py, error))?.asset();
        py.detach(|| work(&open, asset)).map_err(|error| exception(py, &error.in_file(Path::new(&self.name))))
    }
}

/// Converts JSON to Python values.
fn loads<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (PyBytes::new(py, json),))
}

fn io(error: std::io::Error) -> Error {
    Error::from(error)
}

/// The size of a row as a dict, without its texts.
const ROW_BYTES: u64 = 1024;
/// The size of a byte of JSON as Python values.
const JSON_BYTES: u64 = 4;

/// Lists built from an asset, which take many times its bytes. They count as results, so the limit on results bounds
/// them.
struct Rows<T> {
    budget: Budget,
    list: Vec<T>,
    failure: Option<Error>,
}

impl<T> Rows<T> {
    fn of(open: &Open) -> Self {
        Self { budget: open.budget(), list: Vec::new(), failure: None }
    }

    /// Adds a row with this many bytes of text, unless the limit is reached. Returns true if it was added.
    fn add(&mut self, text_bytes: usize, row: impl FnOnce() -> T) -> bool {
        if self.failure.is_none() {
            match self.budget.output(ROW_BYTES.saturating_add(text_bytes as u64)) {
                Ok(()) => self.list.push(row()),
                Err(error) => self.failure = Some(error),
            }
        }
        self.failure.is_none()
    }

    fn finish(self) -> Result<Vec<T>, Error> {
        self.failure.map_or(Ok(self.list), Err)
    }
}

/// JSON that counts as results.
struct Json {
    budget: Budget,
    text: Vec<u8>,
}

impl Write for Json {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let charged = self.budget.output((bytes.len() as u64).saturating_mul(JSON_BYTES));
        charged.map_err(std::io::Error::other)?;
        self.text.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Converts an error of writing. The error of the limit stays as it is.
fn written(error: std::io::Error) -> Error {
    error.downcast::<Error>().unwrap_or_else(Error::from)
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
    let mut entry = |member: Member<'_>| {
        let crc32 = match &member {
            Member::Zip(member) => Some(member.entry().header.crc32.get()),
            _ => None,
        };
        Entry {
            name: names.next(member.name()).text,
            stored: Stored::of(&member),
            bytes: member.decoded_byte_len_hint(),
            crc32,
        }
    };
    for member in container.members().map_while(Result::ok) {
        if !rows.add(member.name().len(), || entry(member)) {
            break;
        }
    }
    rows.finish()
}

/// The name of a member by its index.
fn name_at(asset: &Asset<'_>, index: usize) -> Option<String> {
    let container = Container::of(asset)?;
    let mut names = Names::of(&container);
    let mut members = container.members().map_while(Result::ok).map(|member| names.next(member.name()).text);
    members.nth(index)
}

#[pymethods]
impl File {
    /// Its path, or its address if it is a member.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its format, such as "odol". None if the format is unknown.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.format.map(Format::name)
    }

    /// Its version as stored, if known.
    #[getter]
    fn version(&self) -> Option<u32> {
        self.version
    }

    /// True if its bytes are those of a map, not a copy.
    #[getter]
    fn mapped(&self) -> PyResult<bool> {
        let open = self.get()?;
        Ok(matches!(&*open.data.owner, Owner::File(file) if file.is_mapped()))
    }

    /// Its bytes, for anything that accepts a buffer: `memoryview`, `numpy.frombuffer`, ...
    #[getter]
    fn buffer(&self) -> PyResult<Buffer> {
        Ok(Buffer(self.get()?.data.clone()))
    }

    /// Its record, as in a scan.
    #[pyo3(signature = (*, digests=false))]
    fn record<'py>(&self, py: Python<'py>, digests: bool) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with(py, |open| {
            let record = open.record(digests, Depth::Summary);
            serde_json::to_vec(&record).map_err(|error| io(error.into()))
        })?;
        loads(py, &json)
    }

    /// The model as a file of another program, "glb", "obj" or "ply", or a picture of it, "png". Images outside of it are
    /// not read.
    #[pyo3(signature = (form = "glb"))]
    fn export<'py>(&self, py: Python<'py>, form: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with_asset(py, |open, asset| {
            let (options, budget, mut bytes) = (Options::default(), open.budget(), Vec::new());
            match form {
                "glb" => export::glb(asset, &options, &mut NoImages, &budget)?.write_to(&mut bytes)?,
                "obj" => export::obj(asset, &options, &budget)?.write_to(&mut bytes)?,
                "ply" => export::ply(asset, &options, &budget)?.write_to(&mut bytes)?,
                "png" => export::picture(asset, &View::default(), &mut NoImages, &budget)?.write_png(&mut bytes)?,
                other => return Err(Error::unsupported(format!("no form {other}: glb, obj, ply or png"))),
            }
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Its record and, under `detail`, every field that its format has.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with_asset(py, |open, asset| {
            let record = open.record(false, Depth::Summary);
            let write = || {
                let mut document = json::Document::new(Json { budget: open.budget(), text: Vec::new() })?;
                document.record(&record)?;
                document.entry("title", asset.format().title())?;
                document.outline("detail", asset)?;
                document.finish()
            };
            Ok(write().map_err(written)?.text)
        })?;
        loads(py, &json)
    }

    /// Its parts, arrays, gaps and problems, in the order of the file: a list of dicts with `depth`, `kind`, `name`,
    /// `note`, `offset` and `bytes`, the last two `None` where it does not lie in one piece of the file.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let lines = self.with_asset(py, |open, asset| {
            let mut lines = Rows::of(open);
            overview(&|sink| dissect_until(asset, asset.size(), sink), &mut |line| {
                lines.add(line.name.len() + line.note.len(), || {
                    let kind = if line.name == "problem" { "problem" } else { line.kind.name() };
                    (line.depth, kind, line.name.to_owned(), line.note.clone(), line.span)
                });
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
            let record = open.record(false, Depth::Verify);
            serde_json::to_vec(&record.summary.problems).map_err(|error| io(error.into()))
        })?;
        loads(py, &json)
    }

    /// Its arrays by their selectors, each with `rows`, `columns`, `offset`, `bytes` and `packing`.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.with_asset(py, |open, asset| {
            let mut all = Rows::of(open);
            selector::each(asset, &mut |selector, table| {
                all.add(selector.len(), || {
                    let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
                    (selector.to_owned(), table.rows(), columns, table.storage())
                });
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

    /// The array with this selector, such as `file["lods/0/positions"]`.
    fn __getitem__(&self, py: Python<'_>, selector: &str) -> PyResult<Array> {
        let wanted: Selector = selector.parse().map_err(|error| exception(py, &error))?;
        let (array, data, hint) = self.with_asset(py, |open, asset| {
            let array = inspect::Array::find(asset, &open.data, &wanted, &open.budget())?;
            let hint = if array.is_none() { selector::nearest(asset, selector) } else { None };
            Ok((array, open.data.clone(), hint))
        })?;
        match array {
            Some(array) => Array::new(array, &data),
            None => {
                let hint = hint.map(|hint| format!("; did you mean {hint}?")).unwrap_or_default();
                Err(PyKeyError::new_err(format!("no array {selector}{hint}")))
            }
        }
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

    /// A member by its index, by its name, or by its path through nested archives: `inner.pbo!/tree.p3d`.
    fn member(&self, py: Python<'_>, member: &Bound<'_, PyAny>) -> PyResult<File> {
        let name: String = match member.extract::<usize>() {
            Ok(index) => {
                let name = self.with_asset(py, |_, asset| Ok(name_at(asset, index)))?;
                name.ok_or_else(|| PyIndexError::new_err("no such member"))?
            }
            Err(_) => member.extract()?,
        };
        Ok(File::new(self.with(py, |open| open.member(name.as_bytes()))?))
    }

    /// False if the file has changed since it was opened. Check it before you trust results. Always true for a copy.
    fn unchanged(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |open| {
            Ok(match &*open.outer.owner {
                Owner::File(file) => FileMap::unchanged(file).is_ok(),
                _ => true,
            })
        })
    }

    /// Releases the bytes. Arrays and buffers taken from them stay valid.
    fn close(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    /// Returns true if there is an array with this selector.
    fn __contains__(&self, py: Python<'_>, selector: &str) -> PyResult<bool> {
        let Ok(wanted) = selector.parse::<Selector>() else { return Ok(false) };
        self.with_asset(py, |_, asset| Ok(wanted.find(asset, &mut |_| {})))
    }

    /// The selectors of its arrays.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.arrays(py)?.try_iter()
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.File {:?}, {}>", self.name, self.format().unwrap_or("no asset"))
    }
}
