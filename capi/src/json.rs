//! Answers as JSON: records, outlines, problems.

use std::ffi::{c_char, c_void};
use std::io::{self, Write};
use std::ptr;

use meshpeek_core::scan::{Depth, Record};
use meshpeek_core::schema::records;
use meshpeek_core::{Budget, Error, Format, json};

use crate::asset::meshpeek_asset;
use crate::call::{borrow, call, optional_text};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, free};

/// The answers that meshpeek_json writes.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum meshpeek_json_kind {
    /// The record of a scan: counts, references and problems.
    Record = 0,
    /// The record and, under "detail", every field, as `meshpeek info --json` writes them.
    Info = 1,
    /// The record with the problems that `meshpeek verify` finds: everything is decoded and checked.
    Verify = 2,
}

/// Bytes that belong to the caller.
#[repr(C)]
pub struct meshpeek_buffer {
    /// The bytes. A final NUL follows them, so that a text can be used as such.
    pub data: *const u8,
    /// Their number, without the NUL.
    pub size: usize,
    /// Keeps them until meshpeek_buffer_free.
    pub owner: *mut c_void,
}

/// Collects bytes that count as results.
struct Charged<'b> {
    bytes: Vec<u8>,
    budget: &'b Budget,
}

impl Write for Charged<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.budget.charge_output(bytes.len() as u64).map_err(io::Error::other)?;
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl meshpeek_buffer {
    fn new(mut bytes: Vec<u8>) -> Self {
        let size = bytes.len();
        bytes.push(0);
        let kept = Box::new(bytes);
        let data = kept.as_ptr();
        Self { data, size, owner: Box::into_raw(kept).cast() }
    }
}

fn write(asset: &meshpeek_asset, kind: i32) -> Result<meshpeek_buffer, Failure> {
    let (depth, detail) = if kind == meshpeek_json_kind::Record as i32 {
        (Depth::Summary, false)
    } else if kind == meshpeek_json_kind::Info as i32 {
        (Depth::Summary, true)
    } else if kind == meshpeek_json_kind::Verify as i32 {
        (Depth::Verify, false)
    } else {
        return Err(Failure::Argument("kind is no meshpeek_json_kind"));
    };
    let record = asset.record(depth);
    let budget = asset.budget();
    match document(asset, &record, detail, &budget) {
        Ok(bytes) => Ok(meshpeek_buffer::new(bytes)),
        Err(error) => Err(asset.located(library_error(error))),
    }
}

/// Writes the record and, with `detail`, every field.
fn document(asset: &meshpeek_asset, record: &Record, detail: bool, budget: &Budget) -> io::Result<Vec<u8>> {
    let mut document = json::Document::new(Charged { bytes: Vec::new(), budget })?;
    document.record(record)?;
    if detail {
        document.entry("title", asset.asset().format().title())?;
        document.outline("detail", asset.asset())?;
    }
    Ok(document.finish()?.bytes)
}

/// The error of the limit that [`Charged`] passed on, or one of writing.
fn library_error(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => error.into(),
    }
}

/// Writes an answer as JSON. `kind` is a meshpeek_json_kind.
///
/// # Safety
/// `asset` is a live handle; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_json(
    asset: *const meshpeek_asset,
    kind: i32,
    out: *mut meshpeek_buffer,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        place.put(write(asset, kind)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

fn write_schema(name: Option<&str>) -> Result<meshpeek_buffer, Failure> {
    let mut only = None;
    if let Some(name) = name {
        let Ok(format) = name.parse::<Format>() else {
            return Err(Failure::NotFound(format!("no format {name}")));
        };
        only = Some(format);
    }
    let mut rows = Vec::new();
    for &format in Format::ALL {
        if only.is_some_and(|only| only != format) {
            continue;
        }
        for record in records(format) {
            for field in record.fields {
                rows.push(json::FieldRow::new(format, record, field));
            }
        }
    }
    match serde_json::to_vec(&rows) {
        Ok(bytes) => Ok(meshpeek_buffer::new(bytes)),
        Err(error) => Err(Error::from(io::Error::from(error)).into()),
    }
}

/// Writes the fields of all records of a format as a JSON array, as `meshpeek schema --format ndjson` does. `format` is
/// a name such as "odol", or NULL for all formats.
///
/// # Safety
/// `format` is NULL or a text; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_schema(
    format: *const c_char,
    out: *mut meshpeek_buffer,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let format = unsafe { optional_text(format) }?;
        place.put(write_schema(format)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Frees a buffer. The struct is zeroed, so that freeing it twice does no harm.
///
/// # Safety
/// `buffer` is NULL, zeroed or from this library, and its data is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_buffer_free(buffer: *mut meshpeek_buffer) {
    // SAFETY: as promised.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else { return };
    // SAFETY: it comes from `Box::into_raw` above, or is null.
    unsafe { free(buffer.owner.cast::<Vec<u8>>()) };
    *buffer = meshpeek_buffer { data: ptr::null(), size: 0, owner: ptr::null_mut() };
}
