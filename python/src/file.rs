//! One asset: a file, or a member of an archive.

mod export;
mod geometry;
mod lists;
mod members;
mod pose;
mod walker;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use meshpeek::address::{Address, open_member};
use meshpeek::inspect::Inspect as _;
use meshpeek::scan::{Depth, Record, Scan, Stored};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Error, FileMap, Format, Limits, OwnedAsset};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

pub(crate) use self::geometry::Geometry;
use self::members::Directory;
pub(crate) use self::walker::{Walk, walk};
use crate::buffer::Buffer;
use crate::error::exception;
use crate::limits::{Given, limits};
use crate::open::{Bytes, Owner, access};

/// An open asset, with its arrays by selector. `with` closes it; arrays and buffers taken from it stay valid.
#[pyclass(frozen, module = "meshpeek")]
pub(crate) struct File {
    /// `None` once it is closed.
    open: Mutex<Option<Arc<Open>>>,
    name: String,
    format: Option<Format>,
    version: OnceLock<Option<u32>>,
}

/// An asset and its place.
struct Open {
    /// The outer file.
    path: PathBuf,
    outer: Bytes,
    /// The path inside it, and how the innermost archive stores it.
    member: Option<Name>,
    stored: Option<Stored>,
    /// The number of archives around it.
    depth: u32,
    limits: Limits,
    /// The asset's own bytes. Empty if its archive cannot decode them.
    data: Bytes,
    /// Its view, or the reason that there is none.
    asset: Result<OwnedAsset<Bytes>, Error>,
    /// False if its archive cannot decode it.
    is_decoded: bool,
    /// Its members, once they are asked for by number.
    directory: OnceLock<Directory>,
}

/// Opens a file, or a member of an archive by its address.
#[pyfunction]
pub(crate) fn open(py: Python<'_>, path: PathBuf, access: &str, limits: Given) -> PyResult<File> {
    let (access, limits) = (self::access(access)?, self::limits(&limits)?);
    let opened = py.detach(|| Open::at(&path, access, &limits));
    Ok(File::new(opened.map_err(|error| exception(py, &error))?))
}

/// Opens bytes as a file of this name. `bytes` are read in place. Other objects are copied, because they might change.
#[pyfunction]
pub(crate) fn from_buffer(py: Python<'_>, buffer: &Bound<'_, PyAny>, name: PathBuf, limits: Given) -> PyResult<File> {
    let limits = self::limits(&limits)?;
    let bytes = match buffer.cast::<PyBytes>() {
        Ok(bytes) => bytes.clone(),
        Err(_) => py
            .get_type::<PyBytes>()
            .call1((buffer.py().import("builtins")?.call_method1("memoryview", (buffer,))?,))?
            .cast_into::<PyBytes>()?,
    };
    let whole = Open::whole(name, Bytes::whole(Owner::Python(PyBackedBytes::from(bytes))), &limits);
    Ok(File::new(whole))
}

impl Open {
    /// Opens the target of an address.
    fn at(path: &Path, access: meshpeek::Access, limits: &Limits) -> Result<Self, Error> {
        let address = Address::parse(path);
        let outer = Bytes::whole(Owner::File(address.open(access, limits)?));
        let file = Self::whole(address.file, outer, limits);
        match &address.member {
            Some(member) => file.member(member).map_err(|error| error.in_file(path)),
            None => Ok(file),
        }
    }

    fn whole(path: PathBuf, outer: Bytes, limits: &Limits) -> Self {
        let asset = OwnedAsset::parse_file(&path, outer.clone(), limits).map_err(|error| error.in_file(&path));
        let (data, limits, directory) = (outer.clone(), *limits, OnceLock::new());
        Self { path, outer, member: None, stored: None, depth: 0, limits, data, asset, is_decoded: true, directory }
    }

    /// A member of this archive, with its path inside it and its bytes, or the reason that there are none.
    fn inside(&self, name: Name, depth: u32, stored: Option<Stored>, data: Result<Bytes, Error>) -> Self {
        let member = Some(match &self.member {
            Some(outer) => Name { text: format!("{}!/{}", outer.text, name.text), lossy: outer.lossy || name.lossy },
            None => name,
        });
        let place = |error: Error| error.in_file(Path::new(&address(&self.path, member.as_ref())));
        let (is_decoded, none) = (data.is_ok(), || Bytes::whole(Owner::Decoded(Vec::new())));
        let asset = data
            .clone()
            .and_then(|data| OwnedAsset::parse_file(own_name(&self.path, member.as_ref()), data, &self.limits));
        Self {
            path: self.path.clone(),
            outer: self.outer.clone(),
            asset: asset.map_err(place),
            member,
            stored,
            depth: self.depth.saturating_add(depth),
            limits: self.limits,
            data: data.unwrap_or_else(|_| none()),
            is_decoded,
            directory: OnceLock::new(),
        }
    }

    /// The member of this name. It starts from this asset, so decoded data is not decoded again.
    fn member(&self, name: &[u8]) -> Result<Self, Error> {
        let opened = open_member(self.own_name(), &self.data, Some(name), &self.budget())?;
        let content = opened.content?;
        let data = match self.data.holding(&content).filter(|_| content.is_borrowed()) {
            Some(data) => data,
            None => Bytes::whole(Owner::Decoded(content.to_vec())),
        };
        let name = opened.member.unwrap_or_else(|| Name { text: String::new(), lossy: false });
        Ok(self.inside(name, opened.depth, opened.stored, Ok(data)))
    }

    fn own_name(&self) -> &Path {
        own_name(&self.path, self.member.as_ref())
    }

    fn budget(&self) -> Budget {
        Budget::new(self.data.len() as u64, &self.limits)
    }

    fn record(&self, digests: bool, depth: Depth) -> Record {
        let mut scan = Scan::new([""; 0]);
        (scan.digests, scan.depth, scan.limits) = (digests, depth, self.limits);
        let mut record = match (&self.asset, &self.member) {
            (Ok(asset), _) => scan.record_of_asset(self.own_name(), &self.data, asset.asset()),
            (Err(_), Some(member)) if !self.is_decoded => {
                let budget = Budget::new(self.outer.len() as u64, &self.limits);
                match open_member(&self.path, &self.outer, Some(member.text.as_bytes()), &budget) {
                    Ok(opened) => scan.record_of(&self.path, &opened),
                    Err(_) => scan.record(self.own_name(), &self.data),
                }
            }
            (Err(_), _) => scan.record(self.own_name(), &self.data),
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
        Self::shared(Arc::new(open))
    }

    /// An asset that is open elsewhere too.
    fn shared(open: Arc<Open>) -> Self {
        let format = match &open.asset {
            Ok(asset) => Some(asset.asset().format()),
            Err(_) => Format::of_file(open.own_name(), &open.data),
        };
        let name = address(&open.path, open.member.as_ref());
        Self { name, format, version: OnceLock::new(), open: Mutex::new(Some(open)) }
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
        let version = || {
            let open = self.get().ok()?;
            open.asset.as_ref().ok()?.asset().summarize_header().version
        };
        *self.version.get_or_init(version)
    }

    /// The reason that it cannot be read as an asset: an exception, or None.
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let open = self.get()?;
        Ok(open.asset.as_ref().err().map(|error| exception(py, error).into_value(py).into_any()))
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
            serde_json::to_vec(&record).map_err(|error| lists::io(error.into()))
        })?;
        lists::loads(py, &json)
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

    fn __repr__(&self) -> String {
        format!("<meshpeek.File {:?}, {}>", self.name, self.format().unwrap_or("no asset"))
    }

    /// For notebooks: its facts, and a picture if it is a model.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("meshpeek._html")?.call_method1("file", (slf,))
    }
}
