//! One asset: a file, or a member of an archive.

mod export;
mod geometry;
mod lists;
mod members;
mod pose;
mod remote;
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
use self::remote::InRanges;
pub(crate) use self::walker::{Walk, walk};
use crate::buffer::Buffer;
use crate::error::exception;
use crate::limits::{Given, limits};
use crate::open::{Bytes, Owner, access};
use crate::remote::{Named, Remote, Source};

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
    /// If only ranges are available, they; `outer`, `data` and `asset` are then empty.
    remote: Option<Box<InRanges>>,
}

/// The content of a file or member.
enum Data {
    /// All bytes, or the reason that there are none.
    Here(Result<Bytes, Error>),
    Ranges(Remote),
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
    let whole = Open::whole_file(name, Bytes::whole(Owner::Python(PyBackedBytes::from(bytes))), &limits);
    Ok(File::new(whole))
}

/// Opens a source with the name of its file, or a member in it.
#[pyfunction]
pub(crate) fn open_source(py: Python<'_>, source: Named, member: Option<&str>, limits: Given) -> PyResult<File> {
    let limits = self::limits(&limits)?;
    let opened = py.detach(|| {
        let file = Open::source(source, &limits)?;
        match member {
            Some(member) => file.member(member.as_bytes()).map_err(|error| error.in_file(Path::new(&file.address()))),
            None => Ok(file),
        }
    });
    Ok(File::new(opened.map_err(|error| exception(py, &error))?))
}

impl Open {
    /// Opens bytes, or ranges.
    fn source(Named { path, source }: Named, limits: &Limits) -> Result<Self, Error> {
        match source {
            Source::Bytes(bytes) => Ok(Self::whole_file(path, Bytes::whole(Owner::Python(bytes)), limits)),
            Source::Ranges(remote) => {
                let empty = || Bytes::whole(Owner::Decoded(Vec::new()));
                let mut open = Self::with_data(path, empty(), limits, Path::new(""));
                open.ranges(remote).map_err(|error| error.in_file(&open.path))?;
                Ok(open)
            }
        }
    }

    /// Uses ranges instead of bytes.
    fn ranges(&mut self, remote: Remote) -> Result<(), Error> {
        let format = |ranges: &meshpeek::ranges::Ranges| {
            Asset::parse_file_ranges(self.own_name(), ranges, &self.limits).map(|asset| asset.format())
        };
        let mut inside = InRanges::new(remote, self.own_name(), format)?;
        inside.format = inside.format.map_err(|error| error.in_file(Path::new(&self.address())));
        self.remote = Some(Box::new(inside));
        Ok(())
    }

    /// Opens the target of an address.
    fn at(path: &Path, access: meshpeek::Access, limits: &Limits) -> Result<Self, Error> {
        let address = Address::parse(path);
        let outer = Bytes::whole(Owner::File(address.open(access, limits)?));
        let file = Self::whole_file(address.file, outer, limits);
        match &address.member {
            Some(member) => file.member(member).map_err(|error| error.in_file(path)),
            None => Ok(file),
        }
    }

    fn whole_file(path: PathBuf, outer: Bytes, limits: &Limits) -> Self {
        let name = path.clone();
        Self::with_data(path, outer, limits, &name)
    }

    /// An asset with these bytes, whose own name is this one.
    fn with_data(path: PathBuf, outer: Bytes, limits: &Limits, name: &Path) -> Self {
        let asset = OwnedAsset::parse_file(name, outer.clone(), limits).map_err(|error| error.in_file(&path));
        let (data, limits, directory) = (outer.clone(), *limits, OnceLock::new());
        let (member, stored, depth, is_decoded, remote) = (None, None, 0, true, None);
        Self { path, outer, member, stored, depth, limits, data, asset, is_decoded, directory, remote }
    }

    fn address(&self) -> String {
        address(&self.path, self.member.as_ref())
    }

    /// A member of this archive, with its path inside it and its bytes, or the reason that there are none.
    fn inside(&self, name: Name, depth: u32, stored: Option<Stored>, data: Data) -> Result<Self, Error> {
        let member = Some(match &self.member {
            Some(outer) => Name { text: format!("{}!/{}", outer.text, name.text), lossy: outer.lossy || name.lossy },
            None => name,
        });
        let place = |error: Error| error.in_file(Path::new(&address(&self.path, member.as_ref())));
        let (data, remote) = match data {
            Data::Here(data) => (data, None),
            Data::Ranges(remote) => (Ok(Bytes::whole(Owner::Decoded(Vec::new()))), Some(remote)),
        };
        let (is_decoded, none) = (data.is_ok(), || Bytes::whole(Owner::Decoded(Vec::new())));
        let asset = data
            .clone()
            .and_then(|data| OwnedAsset::parse_file(own_name(&self.path, member.as_ref()), data, &self.limits));
        let mut open = Self {
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
            remote: None,
        };
        if let Some(remote) = remote {
            open.ranges(remote).map_err(|error| error.in_file(Path::new(&open.address())))?;
        }
        Ok(open)
    }

    /// The member of this name. It starts from this asset, so decoded data is not decoded again.
    fn member(&self, name: &[u8]) -> Result<Self, Error> {
        if let Some(inside) = &self.remote {
            return self.member_in_ranges(inside, name);
        }
        let opened = open_member(self.own_name(), &self.data, Some(name), &self.budget())?;
        let content = opened.content?;
        let data = match self.data.holding(&content).filter(|_| content.is_borrowed()) {
            Some(data) => data,
            None => Bytes::whole(Owner::Decoded(content.to_vec())),
        };
        let name = opened.member.unwrap_or_else(|| Name { text: String::new(), lossy: false });
        self.inside(name, opened.depth, opened.stored, Data::Here(Ok(data)))
    }

    fn own_name(&self) -> &Path {
        own_name(&self.path, self.member.as_ref())
    }

    fn budget(&self) -> Budget {
        Budget::new(self.byte_len(), &self.limits)
    }

    fn byte_len(&self) -> u64 {
        self.remote.as_ref().map_or(self.data.len() as u64, |inside| inside.remote.byte_len())
    }

    fn format(&self) -> Option<Format> {
        match (&self.remote, &self.asset) {
            (Some(inside), _) => inside.sniffed,
            (None, Ok(asset)) => Some(asset.asset().format()),
            (None, Err(_)) => Format::of_file(self.own_name(), &self.data),
        }
    }

    fn error(&self) -> Option<&Error> {
        self.remote.as_ref().map_or(self.asset.as_ref().err(), |inside| inside.format.as_ref().err())
    }

    fn record(&self, digests: bool, depth: Depth) -> Result<Record, Error> {
        let mut scan = Scan::new([""; 0]);
        (scan.digests, scan.depth, scan.limits) = (digests, depth, self.limits);
        if let Some(inside) =
            self.remote.as_ref().filter(|inside| inside.format.is_ok() && !digests && depth < Depth::Verify)
        {
            let mut record = inside.remote.load(|ranges| {
                let asset = Asset::parse_file_ranges(self.own_name(), ranges, &self.limits)?;
                Ok(scan.record_in_ranges(self.own_name(), &asset))
            })?;
            record.path.clone_from(&self.path);
            (record.member, record.stored) = (self.member.clone(), self.stored.clone());
            return Ok(record);
        }
        if let Some(whole) = self.whole()? {
            return whole.record(digests, depth);
        }
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
        Ok(record)
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
        let (name, format) = (open.address(), open.format());
        Self { name, format, version: OnceLock::new(), open: Mutex::new(Some(open)) }
    }

    fn get(&self) -> PyResult<Arc<Open>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| PyValueError::new_err("the file is closed"))
    }

    /// The open asset with all its bytes.
    fn whole(&self, py: Python<'_>) -> PyResult<Arc<Open>> {
        let open = self.get()?;
        let whole = py.detach(|| open.whole()).map_err(|error| exception(py, &error.in_file(Path::new(&self.name))))?;
        Ok(whole.unwrap_or(open))
    }

    /// Works on the open asset without Python's lock.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Open) -> Result<T, Error> + Send) -> PyResult<T> {
        let open = self.get()?;
        py.detach(|| work(&open)).map_err(|error| exception(py, &error.in_file(Path::new(&self.name))))
    }

    /// Like `with`, for an open asset that has a view. If only ranges are available, the work is repeated until all that it
    /// needs are.
    fn with_asset<T: Send>(
        &self,
        py: Python<'_>,
        work: impl Fn(&Open, &Asset<'_>) -> Result<T, Error> + Send + Sync,
    ) -> PyResult<T> {
        let open = self.get()?;
        let Some(inside) = &open.remote else { return self.with_whole(py, work) };
        inside.format.as_ref().map_err(|error| exception(py, error))?;
        let answer = py.detach(|| {
            inside.remote.load(|ranges| work(&open, &Asset::parse_file_ranges(open.own_name(), ranges, &open.limits)?))
        });
        answer.map_err(|error| exception(py, &error.in_file(Path::new(&self.name))))
    }

    /// Like `with_asset`, with all bytes.
    fn with_whole<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Open, &Asset<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let open = self.whole(py)?;
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
    fn version(&self, py: Python<'_>) -> Option<u32> {
        *self.version.get_or_init(|| self.with_asset(py, |_, asset| Ok(asset.summarize_header().version)).ok()?)
    }

    /// The reason that it cannot be read as an asset: an exception, or None.
    #[getter]
    fn error(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let open = self.get()?;
        Ok(open.error().map(|error| exception(py, error).into_value(py).into_any()))
    }

    /// True if its bytes are those of a map, not a copy.
    #[getter]
    fn mapped(&self) -> PyResult<bool> {
        let open = self.get()?;
        Ok(matches!(&*open.data.owner, Owner::File(file) if file.is_mapped()))
    }

    /// Its bytes, for anything that accepts a buffer: `memoryview`, `numpy.frombuffer`, ...
    #[getter]
    fn buffer(&self, py: Python<'_>) -> PyResult<Buffer> {
        Ok(Buffer(self.whole(py)?.data.clone()))
    }

    /// Its record, as in a scan.
    #[pyo3(signature = (*, digests=false))]
    fn record<'py>(&self, py: Python<'py>, digests: bool) -> PyResult<Bound<'py, PyAny>> {
        let json = self.with(py, |open| {
            let record = open.record(digests, Depth::Summary)?;
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
