//! Answers as JSON: records, outlines, problems.

use std::ffi::{c_char, c_void};
use std::io::{self, Write};
use std::ptr;

use meshpeek_core::scan::Depth;
use meshpeek_core::schema::records;
use meshpeek_core::{Budget, Error, Format, json};

use crate::asset::meshpeek_asset;
use crate::call::{Failure, borrow, call, free, meshpeek_status, optional_text, put};
use crate::error::meshpeek_error;

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
        self.budget.output(bytes.len() as u64).map_err(io::Error::other)?;
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
    let written = || {
        let mut document = json::Document::new(Charged { bytes: Vec::new(), budget: &budget })?;
        document.record(&record)?;
        if detail {
            document.entry("title", asset.asset().format().title())?;
            document.outline("detail", asset.asset())?;
        }
        document.finish()
    };
    let written = written().map_err(|error: io::Error| error.downcast::<Error>().unwrap_or_else(Error::from));
    Ok(meshpeek_buffer::new(written.map_err(|error| asset.located(error))?.bytes))
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
    // SAFETY: as promised.
    unsafe { call(error, || put(out, || write(borrow(asset)?, kind))) }
}

fn write_schema(name: Option<&str>) -> Result<meshpeek_buffer, Failure> {
    let unknown = |_| Failure::NotFound(format!("no format {}", name.unwrap_or_default()));
    let only: Option<Format> = name.map(str::parse).transpose().map_err(unknown)?;
    let mut rows = Vec::new();
    for &format in Format::ALL.iter().filter(|format| only.is_none_or(|only| only == **format)) {
        for record in records(format) {
            rows.extend(record.fields.iter().map(|field| json::FieldRow { format, record, field }));
        }
    }
    let bytes = serde_json::to_vec(&rows).map_err(|error| Error::from(io::Error::from(error)))?;
    Ok(meshpeek_buffer::new(bytes))
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
    // SAFETY: as promised.
    unsafe { call(error, || put(out, || write_schema(optional_text(format)?))) }
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
