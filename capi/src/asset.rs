//! Assets: files, and members of archives.

use std::ffi::{CString, c_char, c_void};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use meshpeek_core::address::{Address, MemberPath, open_member};
use meshpeek_core::scan::{Depth, Record, Scan, Stored, Subject};
use meshpeek_core::summary::Name;
use meshpeek_core::{Access, Asset, Budget, FileMap, Inspect, Limits, OwnedAsset};

use crate::bytes::{Bytes, Lent, Owner, meshpeek_release_fn};
use crate::call::{self, borrow, call, optional_text};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, c_text, free};

/// An open asset.
pub struct meshpeek_asset {
    /// The outer file.
    path: PathBuf,
    /// The path inside it, and how the innermost archive stores it.
    member: Option<Name>,
    stored: Option<Stored>,
    pub(crate) limits: Limits,
    pub(crate) data: Bytes,
    pub(crate) view: OwnedAsset<Bytes>,
    format: CString,
}

/// Limits for hostile files, as the program's `meshpeek help limits` describes them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct meshpeek_limits {
    /// The most bytes decoded at a time.
    pub decoded_bytes: u64,
    /// The most bytes of names that the references of an asset take.
    pub reference_bytes: u64,
    /// The deepest nesting of chunks and classes.
    pub depth: u32,
    /// The deepest nesting of archives.
    pub archive_depth: u32,
    /// The most members of an archive.
    pub archive_members: u32,
    /// The most problems of a record.
    pub problems: u32,
    /// The most results, in multiples of the file.
    pub output: u32,
    /// The most work, in multiples of the file.
    pub work: u32,
}

impl From<Limits> for meshpeek_limits {
    fn from(limits: Limits) -> Self {
        let Limits { decoded_bytes, reference_bytes, depth, .. } = limits;
        let Limits { archive_depth, archive_members, problems, output, work, .. } = limits;
        Self { decoded_bytes, reference_bytes, depth, archive_depth, archive_members, problems, output, work }
    }
}

impl From<meshpeek_limits> for Limits {
    fn from(limits: meshpeek_limits) -> Self {
        let meshpeek_limits { decoded_bytes, reference_bytes, depth, .. } = limits;
        let meshpeek_limits { archive_depth, archive_members, problems, output, work, .. } = limits;
        Self::default()
            .with_decoded_bytes(decoded_bytes)
            .with_reference_bytes(reference_bytes)
            .with_depth(depth)
            .with_archive_depth(archive_depth)
            .with_archive_members(archive_members)
            .with_problems(problems)
            .with_output(output)
            .with_work(work)
    }
}

/// How meshpeek_open_path gets the bytes.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_access {
    /// Read the file into memory.
    Read = 0,
    /// Map large files and read small ones. No other process may write to a mapped file while it is open. On Unix, the
    /// first use installs a handler for SIGBUS, so that a file that shrinks gives zeros instead of a crash; faults of
    /// other memory are passed on.
    MapLarge = 1,
    /// Map the file.
    Map = 2,
}

/// Reads up to `size` bytes into `buffer`. Returns their number, 0 at the end, or a negative number for an error.
pub type meshpeek_read_fn = Option<unsafe extern "C" fn(user: *mut c_void, buffer: *mut u8, size: usize) -> i64>;

/// Returns the default limits.
#[unsafe(no_mangle)]
pub extern "C" fn meshpeek_limits_default() -> meshpeek_limits {
    Limits::default().into()
}

impl meshpeek_asset {
    fn open(path: PathBuf, data: Bytes, limits: Limits) -> Result<Self, Failure> {
        Self::new(path, None, None, data, limits)
    }

    pub(crate) fn new(
        path: PathBuf,
        member: Option<Name>,
        stored: Option<Stored>,
        data: Bytes,
        limits: Limits,
    ) -> Result<Self, Failure> {
        let view = OwnedAsset::parse_file(MemberPath::own_name(&path, member.as_ref()), data.clone(), &limits)
            .map_err(|error| error.in_file(Path::new(&MemberPath::address(&path, member.as_ref()))))?;
        let format = c_text(view.asset().format().name());
        Ok(Self { path, member, stored, limits, data, view, format })
    }

    /// The member of this name or path. Data that is decoded already is not decoded again.
    pub(crate) fn member(&self, name: &[u8]) -> Result<Self, Failure> {
        let opened = open_member(self.own_name(), &self.data, Some(name), &self.budget())?;
        let content = opened.content?;
        let data = if content.is_borrowed()
            && let Some(data) = self.data.holding(&content)
        {
            data
        } else {
            Bytes::whole(Owner::Decoded(content.to_vec()))
        };
        let member = opened.member.map(|inner| MemberPath::join(self.member.as_ref(), inner));
        Self::new(self.path.clone(), member, opened.stored, data, self.limits)
    }

    pub(crate) fn asset(&self) -> &Asset<'_> {
        self.view.asset()
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.data.len() as u64, &self.limits)
    }

    /// Adds the asset's address to an error.
    pub(crate) fn located(&self, failure: impl Into<Failure>) -> Failure {
        failure.into().in_file(Path::new(&MemberPath::address(&self.path, self.member.as_ref())))
    }

    pub(crate) fn record(&self, depth: Depth) -> Record {
        let mut scan = Scan::new([""; 0]);
        scan.depth = depth;
        scan.limits = self.limits;
        let mut record = scan.record(self.own_name(), Subject::Asset(&self.data, self.asset()));
        record.path.clone_from(&self.path);
        record.member = self.member.clone();
        record.stored = self.stored.clone();
        record
    }

    fn own_name(&self) -> &Path {
        MemberPath::own_name(&self.path, self.member.as_ref())
    }
}

/// # Safety
/// `limits` is null or valid for a read.
pub(crate) unsafe fn given(limits: *const meshpeek_limits) -> Limits {
    // SAFETY: as promised.
    match unsafe { limits.as_ref() } {
        Some(limits) => (*limits).into(),
        None => Limits::default(),
    }
}

/// Opens a file, or a member of an archive by its address, such as "mods.zip!/a.pbo!/data/tree.p3d". Large files need
/// no memory if they are mapped. `access` is a meshpeek_access. `limits` may be NULL. On Unix the path may have any
/// bytes, elsewhere it is UTF-8.
///
/// # Safety
/// `path` is a text; `limits` is NULL or valid for a read, `out` and `error` for a write or, `error`, NULL. With
/// MESHPEEK_ACCESS_MAP or MESHPEEK_ACCESS_MAP_LARGE, no other process writes to the file while it is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_open_path(
    path: *const c_char,
    access: i32,
    limits: *const meshpeek_limits,
    out: *mut *mut meshpeek_asset,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let path = unsafe { call::path(path) }?;
        // SAFETY: as promised.
        let limits = unsafe { given(limits) };
        let access = if access == meshpeek_access::Read as i32 {
            Access::READ
        } else if access == meshpeek_access::MapLarge as i32 {
            guard();
            // SAFETY: as promised.
            unsafe { Access::map_large() }
        } else if access == meshpeek_access::Map as i32 {
            guard();
            // SAFETY: as promised.
            unsafe { Access::map() }
        } else {
            return Err(Failure::Argument("access is no meshpeek_access"));
        };
        let address = Address::parse(path);
        let outer = Bytes::whole(Owner::File(address.open(access, &limits)?));
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        let mut asset = meshpeek_asset::open(address.file.clone(), outer, limits)?;
        if let Some(member) = &address.member {
            asset = asset.member(member).map_err(|failure| failure.in_file(&address.file))?;
        }
        place.put_handle(asset);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Installs the guard of maps once. If it cannot be installed, files are read.
fn guard() {
    static GUARD: Once = Once::new();
    GUARD.call_once(|| drop(meshpeek_core::source::guard_maps()));
}

/// Opens bytes in memory. `name` may be NULL; its extension tells apart formats without a signature, and records name
/// it. With a `release` function the memory is lent: it must stay valid and unchanged until `release` is called with
/// `user`, which happens once, from any thread, after the last handle that needs it is freed, or at once if opening
/// fails. Without one, the bytes are copied.
///
/// # Safety
/// `data` is valid for reads of `size` bytes, as above; `name` is NULL or a text; `limits` is NULL or valid for a read,
/// `out` and `error` for a write or, `error`, NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_open_memory(
    data: *const u8,
    size: usize,
    name: *const c_char,
    release: meshpeek_release_fn,
    user: *mut c_void,
    limits: *const meshpeek_limits,
    out: *mut *mut meshpeek_asset,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    // SAFETY: as promised. It is made first, so that it is released whatever happens.
    let lent = unsafe { Lent::new(data, size, release, user) };
    let work = || {
        if data.is_null() && size > 0 {
            return Err(Failure::Argument("the data is NULL"));
        }
        if isize::try_from(size).is_err() {
            return Err(Failure::Argument("the size is out of range"));
        }
        // SAFETY: as promised.
        let name = unsafe { optional_text(name) }?.unwrap_or_default();
        // SAFETY: as promised.
        let limits = unsafe { given(limits) };
        let mut owner = Owner::Lent(lent);
        if release.is_none() {
            owner = Owner::Decoded(owner.to_vec());
        }
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        place.put_handle(meshpeek_asset::open(name.into(), Bytes::whole(owner), limits)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Reads from a callback of the caller.
struct Reader {
    read: meshpeek_read_fn,
    user: *mut c_void,
}

impl io::Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(read) = self.read else { return Err(io::ErrorKind::InvalidInput.into()) };
        // SAFETY: as promised to meshpeek_open_callback.
        let count = unsafe { read(self.user, buffer.as_mut_ptr(), buffer.len()) };
        let Ok(count) = usize::try_from(count) else {
            return Err(io::Error::other("the read function failed"));
        };
        if count > buffer.len() {
            return Err(io::Error::other("the read function returned more bytes than requested"));
        }
        Ok(count)
    }
}

/// Opens the bytes that a callback returns, from start to end, such as a file of an engine's virtual file system. They
/// are read into memory before the call returns, at most meshpeek_limits.decoded_bytes. `name` is as for
/// meshpeek_open_memory. For a large archive, meshpeek_source_open reads only ranges.
///
/// # Safety
/// `read` fills the buffer it is given; the rest is as for meshpeek_open_memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_open_callback(
    read: meshpeek_read_fn,
    user: *mut c_void,
    name: *const c_char,
    limits: *const meshpeek_limits,
    out: *mut *mut meshpeek_asset,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let name = unsafe { optional_text(name) }?.unwrap_or_default();
        // SAFETY: as promised.
        let limits = unsafe { given(limits) };
        let bytes = FileMap::from_reader(Reader { read, user }, &limits)?;
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        place.put_handle(meshpeek_asset::open(name.into(), Bytes::whole(Owner::File(bytes)), limits)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Closes an asset. Arrays, meshes and rigs taken from it stay valid.
///
/// # Safety
/// `asset` is NULL or a live handle, not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_close(asset: *mut meshpeek_asset) {
    // SAFETY: as promised.
    unsafe { free(asset) }
}

/// Returns the name of the format, such as "odol". Valid until the asset is closed.
///
/// # Safety
/// `asset` is a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_format(asset: *const meshpeek_asset) -> *const c_char {
    // SAFETY: as promised.
    let Some(asset) = (unsafe { asset.as_ref() }) else { return c"".as_ptr() };
    asset.format.as_ptr()
}

/// Stores the version of the format, as the file has it, and returns true if the format has versions.
///
/// # Safety
/// `asset` is a live handle; `version` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_format_version(asset: *const meshpeek_asset, version: *mut u32) -> bool {
    let mut found = None;
    let work = || {
        // SAFETY: as promised.
        found = unsafe { borrow(asset) }?.asset().summarize_header().version;
        Ok(())
    };
    // SAFETY: a null error is allowed.
    let _ = unsafe { call(std::ptr::null_mut(), work) };
    let Some(found) = found else { return false };
    // SAFETY: as promised.
    let Ok(place) = (unsafe { Place::new(version) }) else { return false };
    place.put(found);
    true
}

/// Fails with MESHPEEK_STATUS_IO if the file has changed since it was opened, so that answers may mix old and new
/// bytes. Copies never change.
///
/// # Safety
/// `asset` is a live handle; `error` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_check_unchanged(
    asset: *const meshpeek_asset,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        match &*asset.data.owner {
            Owner::File(file) => file.unchanged().map_err(|error| asset.located(error)),
            _ => Ok(()),
        }
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}
