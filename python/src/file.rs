//! One asset: a file, or a member of an archive.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use meshpeek::address::{Address, Names, open_member};
use meshpeek::container::{Container, Member};
use meshpeek::inspect::{self, Inspect, Selector, selector};
use meshpeek::scan::{Depth, Record, Scan, Stored};
use meshpeek::{Asset, Budget, Error, FileMap, Format, Limits, json};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::array::Array;
use crate::buffer::Buffer;
use crate::error::exception;
use crate::open::{Bytes, Owner, access};

/// An opened asset. `with` closes it; arrays and buffers that were taken from it stay.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct File {
    /// `None` once it is closed.
    open: Mutex<Option<Open>>,
    name: String,
    format: Option<Format>,
    version: Option<u32>,
}

#[derive(Clone)]
struct Open {
    /// The outer file.
    path: PathBuf,
    outer: Bytes,
    /// The way inside it, as records write it.
    member: Option<String>,
    /// The asset's own bytes.
    data: Bytes,
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
        Open::member(address.file, outer, address.member.as_deref()).map_err(|error| error.in_file(&path))
    });
    File::new(opened.map_err(|error| exception(py, &error))?).map_err(|error| exception(py, &error.in_file(&path)))
}

/// Opens bytes as a file of this name. `bytes` are viewed where they lie, everything else is copied, as it might change.
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
    let outer = Bytes::whole(Owner::Python(PyBackedBytes::from(bytes)));
    File::new(Open { path: name.into(), data: outer.clone(), outer, member: None })
        .map_err(|error| exception(py, &error))
}

impl Open {
    /// What lies in the outer file by this name.
    fn member(path: PathBuf, outer: Bytes, member: Option<&[u8]>) -> Result<Self, Error> {
        let budget = Budget::new(outer.len() as u64, &Limits::default());
        let opened = open_member(&path, &outer, member, &budget)?;
        let content = opened.content?;
        let name = opened.member.map(|name| name.text);
        let data = match outer.holding(&content).filter(|_| content.is_borrowed()) {
            Some(data) => data,
            None => Bytes::whole(Owner::Decoded(content.to_vec())),
        };
        Ok(Self { path, outer: outer.clone(), member: name, data })
    }

    /// Its name, whose end promises a format.
    fn name(&self) -> String {
        let path = self.path.to_string_lossy();
        self.member.as_ref().map_or_else(|| path.to_string(), |member| format!("{path}!/{member}"))
    }

    fn budget(&self) -> Budget {
        Budget::new(self.data.len() as u64, &Limits::default())
    }

    fn asset(&self) -> Result<Asset<'_>, Error> {
        Asset::parse_file(Path::new(&self.name()), &self.data, &Limits::default())
    }

    fn record(&self, digests: bool, depth: Depth) -> Result<Record, Error> {
        let mut scan = Scan::new([""; 0]);
        (scan.digests, scan.depth) = (digests, depth);
        let budget = Budget::new(self.outer.len() as u64, &Limits::default());
        let member = self.member.as_ref().map(|member| member.as_bytes());
        let opened = open_member(&self.path, &self.outer, member, &budget)?;
        scan.record_of(&self.path, &opened).ok_or_else(|| Error::new(meshpeek::ErrorKind::Unrecognized))
    }
}

impl File {
    fn new(open: Open) -> Result<Self, Error> {
        let name = open.name();
        let format = Format::of_file(Path::new(&name), &open.data);
        let version = open.asset().ok().and_then(|asset| asset.summarize().version);
        Ok(Self { open: Mutex::new(Some(open)), name, format, version })
    }

    fn get(&self) -> PyResult<Open> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| PyValueError::new_err("the file is closed"))
    }

    /// Works on what is open without Python's lock.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Open) -> Result<T, Error> + Send) -> PyResult<T> {
        let open = self.get()?;
        py.detach(|| work(&open)).map_err(|error| exception(py, &error.in_file(Path::new(&self.name))))
    }

    /// The same of what opens as an asset.
    fn with_asset<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Open, &Asset<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        self.with(py, |open| open.asset().and_then(|asset| work(open, &asset)))
    }
}

/// JSON as Python's own values.
fn loads<'py>(py: Python<'py>, json: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (PyBytes::new(py, json),))
}

fn io(error: std::io::Error) -> Error {
    Error::from(error)
}

/// What is known of a member by its archive.
struct Entry {
    name: String,
    stored: Stored,
    bytes: u64,
    crc32: Option<u32>,
}

fn entries(asset: &Asset<'_>) -> Vec<Entry> {
    let Some(container) = Container::of(asset) else { return Vec::new() };
    let mut names = Names::of(&container);
    let entry = |member: Member<'_>| {
        let crc32 = match &member {
            Member::Zip(member) => Some(member.entry().header.crc32.get()),
            _ => None,
        };
        Entry { name: names.next(member.name()).text, stored: Stored::of(&member), bytes: member.decoded_byte_len_hint(), crc32 }
    };
    container.members().map_while(Result::ok).map(entry).collect()
}

#[pymethods]
impl File {
    /// Its path, or its address where it is a member.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its format, such as "odol"; None where it is none that is known.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.format.map(Format::name)
    }

    /// Its version as stored, where that is known.
    #[getter]
    fn version(&self) -> Option<u32> {
        self.version
    }

    /// Whether its bytes are those of a map, and not a copy.
    #[getter]
    fn mapped(&self) -> PyResult<bool> {
        let open = self.get()?;
        Ok(matches!(&*open.data.owner, Owner::File(file) if file.is_mapped()))
    }

    /// Its bytes, for everything that takes a buffer: `memoryview`, `numpy.frombuffer`, ...
    #[getter]
    fn buffer(&self) -> PyResult<Buffer> {
        Ok(Buffer(self.get()?.data))
    }

    /// Its record, as a scan gives it.
    #[pyo3(signature = (*, digests=false))]
    fn record<'py>(&self, py: Python<'py>, digests: bool) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with(py, |open| {
            let record = open.record(digests, Depth::Summary)?;
            serde_json::to_vec(&record).map_err(|error| io(error.into()))
        })?;
        loads(py, &json)
    }

    /// Its record and, under `detail`, every field that its format has.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with_asset(py, |open, asset| {
            let record = open.record(false, Depth::Summary)?;
            let write = || {
                let mut document = json::Document::new(Vec::new())?;
                document.record(&record)?;
                document.entry("title", record.summary.format.title())?;
                document.outline("detail", asset)?;
                document.finish()
            };
            write().map_err(io)
        })?;
        loads(py, &json)
    }

    /// Its parts, arrays and gaps with their places, in the order of the file: a list of dicts with `depth`, `kind`, `name`,
    /// `note`, `offset` and `bytes`.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let regions = self.with_asset(py, |_, asset| {
            let mut regions = Vec::new();
            asset.layout(&mut |region| {
                let kind = format!("{:?}", region.kind).to_lowercase();
                let (name, note) = (region.name.into_owned(), region.note.into_owned());
                regions.push((region.depth, kind, name, note, region.offset, region.bytes));
            });
            Ok(regions)
        })?;
        let rows = PyList::empty(py);
        for (depth, kind, name, note, offset, bytes) in regions {
            let row = PyDict::new(py);
            row.set_item("depth", depth)?;
            row.set_item("kind", kind)?;
            row.set_item("name", name)?;
            row.set_item("note", note)?;
            row.set_item("offset", offset)?;
            row.set_item("bytes", bytes)?;
            rows.append(row)?;
        }
        Ok(rows)
    }

    /// Everything that is wrong with it, after decoding every block and checking every index: a list of dicts with
    /// `severity`, `code`, `offset` and `message`.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with(py, |open| {
            let record = open.record(false, Depth::Verify)?;
            serde_json::to_vec(&record.summary.problems).map_err(|error| io(error.into()))
        })?;
        loads(py, &json)
    }

    /// Its arrays by their selectors, each with `rows`, `columns`, `offset`, `bytes` and `packing`.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.with_asset(py, |_, asset| {
            let mut all = Vec::new();
            selector::each(asset, &mut |selector, table| {
                let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
                all.push((selector.to_owned(), table.rows(), columns, table.storage()));
            });
            Ok(all)
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

    /// The array of this selector, such as `file["lods/0/positions"]`.
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

    /// Its members, where it is an archive: a list of dicts with `index`, `name`, `method`, `stored_bytes`, `bytes`,
    /// `offset`, `crc32` and `time`. Not only those that are assets.
    fn members<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let members = self.with_asset(py, |_, asset| Ok(entries(asset)))?;
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

    /// A member by its place among all, or by its name or the way to it: `inner.pbo!/tree.p3d`.
    fn member(&self, py: Python<'_>, member: &Bound<'_, PyAny>) -> PyResult<File> {
        let name: String = match member.extract::<usize>() {
            Ok(index) => {
                let all = self.with_asset(py, |_, asset| Ok(entries(asset)))?;
                all.into_iter()
                    .nth(index)
                    .map(|entry| entry.name)
                    .ok_or_else(|| PyIndexError::new_err("no such member"))?
            }
            Err(_) => member.extract()?,
        };
        let opened = self.with(py, |open| {
            let way = open.member.as_ref().map_or_else(|| name.clone(), |outer| format!("{outer}!/{name}"));
            let budget = Budget::new(open.data.len() as u64, &Limits::default());
            // From here, so that what is decoded already is not decoded again.
            let inner = open_member(Path::new(&open.name()), &open.data, Some(name.as_bytes()), &budget)?;
            let content = inner.content?;
            let way = inner.member.map_or(way, |found| match &open.member {
                Some(outer) => format!("{outer}!/{}", found.text),
                None => found.text,
            });
            let data = match open.data.holding(&content).filter(|_| content.is_borrowed()) {
                Some(data) => data,
                None => Bytes::whole(Owner::Decoded(content.to_vec())),
            };
            Ok(Open { path: open.path.clone(), outer: open.outer.clone(), member: Some(way), data })
        })?;
        File::new(opened).map_err(|error| exception(py, &error))
    }

    /// Whether the file is still what was opened: to be asked before results are believed. Always so for a copy.
    fn unchanged(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |open| {
            Ok(match &*open.outer.owner {
                Owner::File(file) => FileMap::unchanged(file).is_ok(),
                _ => true,
            })
        })
    }

    /// Lets go of the bytes; what was taken from them stays.
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

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.get()?.data.len())
    }

    fn __repr__(&self) -> String {
        format!("<meshpeek.File {:?}, {}>", self.name, self.format().unwrap_or("no asset"))
    }
}
