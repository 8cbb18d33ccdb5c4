//! One asset: a file, or a member of an archive.

mod config;
mod export;
mod geometry;
mod lists;
mod members;
mod pose;
mod remote;
mod walker;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use meshpeek::address::{Address, MemberPath, open_member};
use meshpeek::inspect::Inspect as _;
use meshpeek::scan::{Depth, Record, Scan, Stored, Subject};
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
use crate::error::{exception, json_error, or_raise};
use crate::limits::{Given, limits};
use crate::lock;
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
    let access = self::access(access)?;
    let limits = self::limits(&limits)?;
    let opened = py.detach(|| Open::at(&path, access, &limits));
    Ok(File::new(or_raise(py, opened)?))
}

/// Opens bytes as a file of this name. `bytes` are read in place. Other objects are copied, because they might change.
#[pyfunction]
pub(crate) fn from_buffer(py: Python<'_>, buffer: &Bound<'_, PyAny>, name: PathBuf, limits: Given) -> PyResult<File> {
    let limits = self::limits(&limits)?;
    let bytes = match buffer.cast::<PyBytes>() {
        Ok(bytes) => bytes.clone(),
        Err(_) => {
            let view = py.import("builtins")?.call_method1("memoryview", (buffer,))?;
            py.get_type::<PyBytes>().call1((view,))?.cast_into::<PyBytes>()?
        }
    };
    let bytes = Bytes::whole(Owner::Python(PyBackedBytes::from(bytes)));
    Ok(File::new(Open::whole_file(name, bytes, &limits)))
}

/// Opens a source with the name of its file, or a member in it.
#[pyfunction]
pub(crate) fn open_source(py: Python<'_>, source: Named, member: Option<&str>, limits: Given) -> PyResult<File> {
    let limits = self::limits(&limits)?;
    let opened = py.detach(|| {
        let file = Open::source(source, &limits)?;
        match member {
            Some(member) => file.member(member.as_bytes()).map_err(|error| file.located(error)),
            None => Ok(file),
        }
    });
    Ok(File::new(or_raise(py, opened)?))
}

impl Open {
    /// Opens bytes, or ranges.
    fn source(Named { path, source }: Named, limits: &Limits) -> Result<Self, Error> {
        match source {
            Source::Bytes(bytes) => Ok(Self::whole_file(path, Bytes::whole(Owner::Python(bytes)), limits)),
            Source::Ranges(remote) => {
                let mut open = Self::with_data(path, Bytes::empty(), limits, Path::new(""));
                open.ranges(remote).map_err(|error| error.in_file(&open.path))?;
                Ok(open)
            }
        }
    }

    /// Uses ranges instead of bytes.
    fn ranges(&mut self, remote: Remote) -> Result<(), Error> {
        let mut inside = InRanges::new(remote, self.own_name(), &self.limits)?;
        inside.format = inside.format.map_err(|error| self.located(error));
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
        Self {
            path,
            data: outer.clone(),
            outer,
            member: None,
            stored: None,
            depth: 0,
            limits: *limits,
            asset,
            is_decoded: true,
            directory: OnceLock::new(),
            remote: None,
        }
    }

    fn address(&self) -> String {
        MemberPath::address(&self.path, self.member.as_ref())
    }

    /// Adds the address to an error.
    fn located(&self, error: Error) -> Error {
        error.in_file(Path::new(&self.address()))
    }

    /// A member of this archive, with its path inside it and its bytes, or the reason that there are none.
    fn inside(&self, name: Name, depth: u32, stored: Option<Stored>, data: Data) -> Result<Self, Error> {
        let member = Some(MemberPath::join(self.member.as_ref(), name));
        let mut bytes = Bytes::empty();
        let mut failure = None;
        let mut remote = None;
        match data {
            Data::Here(Ok(here)) => bytes = here,
            Data::Here(Err(error)) => failure = Some(error),
            Data::Ranges(ranges) => remote = Some(ranges),
        }
        let is_decoded = failure.is_none();
        let asset = match failure {
            Some(error) => Err(error),
            None => {
                OwnedAsset::parse_file(MemberPath::own_name(&self.path, member.as_ref()), bytes.clone(), &self.limits)
            }
        };
        let mut open = Self {
            path: self.path.clone(),
            outer: self.outer.clone(),
            asset: asset.map_err(|error| error.in_file(Path::new(&MemberPath::address(&self.path, member.as_ref())))),
            member,
            stored,
            depth: self.depth.saturating_add(depth),
            limits: self.limits,
            data: bytes,
            is_decoded,
            directory: OnceLock::new(),
            remote: None,
        };
        if let Some(remote) = remote {
            open.ranges(remote).map_err(|error| open.located(error))?;
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
        let data = if content.is_borrowed()
            && let Some(data) = self.data.holding(&content)
        {
            data
        } else {
            Bytes::whole(Owner::Decoded(content.to_vec()))
        };
        let name = match opened.member {
            Some(name) => name,
            None => Name::new(String::new()),
        };
        self.inside(name, opened.depth, opened.stored, Data::Here(Ok(data)))
    }

    fn own_name(&self) -> &Path {
        MemberPath::own_name(&self.path, self.member.as_ref())
    }

    fn budget(&self) -> Budget {
        Budget::new(self.byte_len(), &self.limits)
    }

    fn byte_len(&self) -> u64 {
        match &self.remote {
            Some(inside) => inside.remote.byte_len(),
            None => self.data.len() as u64,
        }
    }

    fn format(&self) -> Option<Format> {
        match (&self.remote, &self.asset) {
            (Some(inside), _) => inside.sniffed,
            (None, Ok(asset)) => Some(asset.asset().format()),
            (None, Err(_)) => Format::of_file(self.own_name(), &self.data),
        }
    }

    fn error(&self) -> Option<&Error> {
        match &self.remote {
            Some(inside) => inside.format.as_ref().err(),
            None => self.asset.as_ref().err(),
        }
    }

    /// The record of the asset. Of a remote file, its ranges are enough unless all bytes are hashed or checked.
    fn record(&self, digests: bool, depth: Depth) -> Result<Record, Error> {
        // It scans no paths, but has the options.
        let mut scan = Scan::new([""; 0]);
        scan.digests = digests;
        scan.depth = depth;
        scan.limits = self.limits;
        let needs_all_bytes = digests || depth >= Depth::Verify;
        if let Some(inside) = &self.remote
            // Of what is no asset, the record says what all of its bytes look like.
            && inside.format.is_ok()
            && !needs_all_bytes
        {
            let record = inside.remote.load(|ranges| {
                let asset = Asset::parse_file_ranges(self.own_name(), ranges, &self.limits)?;
                Ok(scan.record(self.own_name(), Subject::Ranges(&asset)))
            })?;
            return Ok(self.placed(record));
        }
        // The whole file has the same place.
        if let Some(whole) = self.whole()? {
            return whole.record(digests, depth);
        }
        let record = match &self.asset {
            Ok(asset) => scan.record(self.own_name(), Subject::Asset(&self.data, asset.asset())),
            Err(_) => self.record_without_view(&scan),
        };
        Ok(self.placed(record))
    }

    fn record_without_view(&self, scan: &Scan) -> Record {
        if let Some(member) = &self.member
            && !self.is_decoded
        {
            let budget = Budget::new(self.outer.len() as u64, &self.limits);
            if let Ok(opened) = open_member(&self.path, &self.outer, Some(member.text.as_bytes()), &budget) {
                return scan.record(&self.path, Subject::Opened(&opened));
            }
        }
        scan.record(self.own_name(), &self.data)
    }

    /// Adds the asset's place to its record.
    fn placed(&self, mut record: Record) -> Record {
        record.path.clone_from(&self.path);
        record.member = self.member.clone();
        record.stored = self.stored.clone();
        record
    }
}

impl File {
    fn new(open: Open) -> Self {
        Self::shared(Arc::new(open))
    }

    /// An asset that is open elsewhere too.
    fn shared(open: Arc<Open>) -> Self {
        Self { name: open.address(), format: open.format(), version: OnceLock::new(), open: Mutex::new(Some(open)) }
    }

    fn get(&self) -> PyResult<Arc<Open>> {
        match &*lock(&self.open) {
            Some(open) => Ok(open.clone()),
            None => Err(PyValueError::new_err("the file is closed")),
        }
    }

    /// Returns the answer, or raises the error with the file's name.
    fn or_raise<T>(&self, py: Python<'_>, answer: Result<T, Error>) -> PyResult<T> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => Err(exception(py, &error.in_file(Path::new(&self.name)))),
        }
    }

    /// The open asset with all its bytes.
    fn whole(&self, py: Python<'_>) -> PyResult<Arc<Open>> {
        let open = self.get()?;
        let whole = py.detach(|| open.whole());
        Ok(self.or_raise(py, whole)?.unwrap_or(open))
    }

    /// Works on the open asset without Python's lock.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Open) -> Result<T, Error> + Send) -> PyResult<T> {
        let open = self.get()?;
        let answer = py.detach(|| work(&open));
        self.or_raise(py, answer)
    }

    /// Does work on the asset. Raises an error if the file is closed or is none. If only ranges are available, the work is
    /// repeated until all ranges that it needs are.
    fn with_asset<T: Send>(
        &self,
        py: Python<'_>,
        work: impl Fn(&Open, &Asset<'_>) -> Result<T, Error> + Send + Sync,
    ) -> PyResult<T> {
        let open = self.get()?;
        let Some(inside) = &open.remote else { return self.with_whole(py, work) };
        if let Err(error) = &inside.format {
            return Err(exception(py, error));
        }
        let answer = py.detach(|| {
            inside.remote.load(|ranges| work(&open, &Asset::parse_file_ranges(open.own_name(), ranges, &open.limits)?))
        });
        self.or_raise(py, answer)
    }

    /// Like `with_asset`, with all bytes.
    fn with_whole<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Open, &Asset<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let open = self.whole(py)?;
        let asset = match &open.asset {
            Ok(asset) => asset.asset(),
            Err(error) => return Err(exception(py, error)),
        };
        let answer = py.detach(|| work(&open, asset));
        self.or_raise(py, answer)
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
        let Some(error) = open.error() else { return Ok(None) };
        Ok(Some(exception(py, error).into_value(py).into_any()))
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
            serde_json::to_vec(&record).map_err(json_error)
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
        lock(&self.open).take();
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
