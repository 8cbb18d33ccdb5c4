//! Files that are read by ranges: only what an answer needs.

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use meshpeek_core::address::{Names, open_member_ranges};
use meshpeek_core::container::Container;
use meshpeek_core::ranges::{Ranges, ReadAt};
use meshpeek_core::scan::Stored;
use meshpeek_core::summary::{Code, Name};
use meshpeek_core::{Asset, Budget, Error, Limits};

use crate::asset::{given, meshpeek_asset, meshpeek_limits};
use crate::bytes::{Bytes, Owner};
use crate::call::{borrow, bytes, call, optional_text};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, free};
use crate::member::{Listed, meshpeek_member_fn};

/// Reads up to `size` bytes from `offset` on into `buffer`. Returns their number, 0 at the end, or a negative number
/// for an error. Any thread that uses the source may call it, several at a time.
pub type meshpeek_read_at_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, offset: u64, buffer: *mut u8, size: usize) -> i64>;

/// A file of which only ranges are read, such as one of an engine's virtual file system or of a server. It keeps the
/// ranges that lists of members need.
pub struct meshpeek_source {
    path: PathBuf,
    reader: Reader,
    limits: Limits,
    held: Mutex<Ranges>,
}

struct Reader {
    read: meshpeek_read_at_fn,
    user: *mut c_void,
    size: u64,
    /// The most bytes to read for one answer.
    most: u64,
}

// SAFETY: the caller promises that any thread may call the function.
unsafe impl Send for Reader {}
// SAFETY: as above.
unsafe impl Sync for Reader {}

impl ReadAt for Reader {
    fn byte_len(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let Some(read) = self.read else { return Err(io::ErrorKind::InvalidInput.into()) };
        let wanted = range.end.saturating_sub(range.start);
        let size = usize::try_from(wanted).unwrap_or(usize::MAX);
        let mut data = Vec::new();
        if data.try_reserve_exact(size).is_err() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        data.resize(size, 0);
        let mut done: usize = 0;
        while let Some(rest) = data.get_mut(done..)
            && !rest.is_empty()
        {
            let offset = range.start.saturating_add(done as u64);
            // SAFETY: as promised to meshpeek_source_open.
            let count = unsafe { read(self.user, offset, rest.as_mut_ptr(), rest.len()) };
            match usize::try_from(count) {
                Err(_) => return Err(io::Error::other("the read function failed")),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) if count > rest.len() => {
                    return Err(io::Error::other("the read function returned more bytes than requested"));
                }
                Ok(count) => done = done.saturating_add(count),
            }
        }
        Ok(data)
    }
}

/// An asset of a source, read whole.
struct Loaded {
    data: Vec<u8>,
    member: Option<Name>,
    stored: Option<Stored>,
}

/// The file for one answer, which may read a limited number of bytes in all.
struct Question<'s> {
    reader: &'s Reader,
    left: Cell<u64>,
    /// True if it needs more bytes than that.
    is_over: Cell<bool>,
}

impl ReadAt for Question<'_> {
    fn byte_len(&self) -> io::Result<u64> {
        self.reader.byte_len()
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let wanted = range.end.saturating_sub(range.start);
        let Some(left) = self.left.get().checked_sub(wanted) else {
            self.is_over.set(true);
            return Err(io::Error::other("more bytes than meshpeek_limits.decoded_bytes"));
        };
        self.left.set(left);
        self.reader.read_at(range)
    }
}

impl meshpeek_source {
    /// Answers a question about the file. Asks the caller's function for the bytes that are missing.
    fn ask<T>(&self, ranges: &mut Ranges, answer: impl Fn(&Ranges) -> Result<T, Error>) -> Result<T, Error> {
        let most = self.reader.most;
        let question = Question { reader: &self.reader, left: Cell::new(most), is_over: Cell::new(false) };
        match ranges.load(&question, answer) {
            Err(_) if question.is_over.get() => {
                Err(Error::limit("bytes for one answer", most, Code::DecodedBytesLimit))
            }
            answered => answered,
        }
    }

    fn held(&self) -> MutexGuard<'_, Ranges> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists the members of the file, if it is an archive. Keeps the ranges of the list.
    fn members(&self) -> Result<Vec<Listed>, Error> {
        // No lock is held while the caller's function runs.
        let mut ranges = self.held().clone();
        let listed = self.ask(&mut ranges, |ranges| {
            let asset = Asset::parse_file_ranges(&self.path, ranges, &self.limits)?;
            let Some(container) = Container::of(&asset) else { return Ok(Vec::new()) };
            let budget = Budget::new(self.reader.size, &self.limits);
            let mut names = Names::of(&container);
            let mut listed = Vec::new();
            for member in container.members() {
                let member = member?;
                budget.charge_output(member.name().len() as u64)?;
                listed.push(Listed::new(&member, &mut names));
            }
            Ok(listed)
        })?;
        let mut held = self.held();
        if ranges.held() > held.held() {
            *held = ranges;
        }
        Ok(listed)
    }

    /// Reads the file, or a member of it. The bytes of a member are not kept.
    fn load(&self, member: Option<&[u8]>) -> Result<Loaded, Error> {
        let mut ranges = self.held().clone();
        self.ask(&mut ranges, |ranges| {
            let budget = Budget::new(self.reader.size, &self.limits);
            let opened = open_member_ranges(&self.path, ranges, member, &budget)?;
            let data = opened.whole()?.content?.to_vec();
            Ok(Loaded { data, member: opened.member, stored: opened.stored })
        })
    }

    fn open(&self, member: Option<&[u8]>) -> Result<meshpeek_asset, Failure> {
        let loaded = self.load(member).map_err(|error| error.in_file(&self.path))?;
        let data = Bytes::whole(Owner::Decoded(loaded.data));
        meshpeek_asset::new(self.path.clone(), loaded.member, loaded.stored, data, self.limits)
    }
}

/// Prepares to read a file of `size` bytes by ranges. Reads nothing yet. `name` and `limits` are as for
/// meshpeek_open_memory. `read` is called with `user` until the source is freed, for at most
/// meshpeek_limits.decoded_bytes at a time.
///
/// # Safety
/// `read` fills the buffer it is given, with the same bytes each time; the rest is as for meshpeek_open_memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_source_open(
    read: meshpeek_read_at_fn,
    user: *mut c_void,
    size: u64,
    name: *const c_char,
    limits: *const meshpeek_limits,
    out: *mut *mut meshpeek_source,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        if read.is_none() {
            return Err(Failure::Argument("the callback is NULL"));
        }
        // SAFETY: as promised.
        let name = unsafe { optional_text(name) }?.unwrap_or_default();
        // SAFETY: as promised.
        let limits = unsafe { given(limits) };
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        let reader = Reader { read, user, size, most: limits.decoded_bytes };
        place.put_handle(meshpeek_source { path: name.into(), reader, limits, held: Mutex::new(Ranges::new(size)) });
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Passes every member of an archive to a callback, as meshpeek_each_member does. Reads the list of members, and keeps
/// it.
///
/// # Safety
/// `source` is a live handle; `error` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_source_each_member(
    source: *const meshpeek_source,
    each: meshpeek_member_fn,
    user: *mut c_void,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let source = unsafe { borrow(source) }?;
        let each = each.ok_or(Failure::Argument("the callback is NULL"))?;
        for member in source.members().map_err(|error| error.in_file(&source.path))? {
            // SAFETY: the callback is the caller's.
            unsafe { member.pass(each, user) }?;
        }
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Opens a member by its name, or by its path through nested archives, such as "inner.pbo!/tree.p3d". Reads the lists
/// of members on the way, and the bytes of this member. `name` may be NULL: then opens the file itself, and reads all
/// of it. The asset has its own copy, and stays valid when the source is freed.
///
/// # Safety
/// `source` is a live handle, `name` is NULL or ends with a NUL; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_source_open_member(
    source: *const meshpeek_source,
    name: *const c_char,
    out: *mut *mut meshpeek_asset,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let source = unsafe { borrow(source) }?;
        let mut member = None;
        if !name.is_null() {
            // SAFETY: as promised.
            member = Some(unsafe { bytes(name) }?);
        }
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        place.put_handle(source.open(member)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Frees a source. Assets that were opened from it stay valid.
///
/// # Safety
/// `source` is NULL or a live handle, not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_source_free(source: *mut meshpeek_source) {
    // SAFETY: as promised.
    unsafe { free(source) }
}
