//! Arrays: views of the asset's bytes, or decoded.

use std::ffi::{CString, c_char, c_void};
use std::iter::zip;
use std::ops::Range;
use std::ptr;

use meshpeek_core::inspect::array::Content;
use meshpeek_core::inspect::{self, Selector, selector};
use meshpeek_core::view::{Column, Scalar};

use crate::asset::meshpeek_asset;
use crate::bytes::{Bytes, Owner};
use crate::call::{borrow, call, text};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, c_text, free};

/// A type of numbers, little-endian.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum meshpeek_scalar {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    U64 = 6,
    F16 = 7,
    F32 = 8,
}

/// A column of an array.
#[repr(C)]
pub struct meshpeek_column {
    /// Its name, such as "x".
    pub name: *const c_char,
    /// The type of its numbers.
    pub scalar: meshpeek_scalar,
    /// The offset of its number in each row, in bytes.
    pub offset: usize,
}

/// An array: `rows` rows, each with one number per column. The number in a row and column is at
/// `data + row * stride + columns[column].offset`. It may be unaligned: read it with memcpy.
#[repr(C)]
pub struct meshpeek_array {
    /// The first row.
    pub data: *const u8,
    /// The number of bytes from the first row to the end of the last one.
    pub size: usize,
    /// The number of rows.
    pub rows: u64,
    /// The distance from one row to the next, in bytes.
    pub stride: usize,
    /// The columns.
    pub columns: *const meshpeek_column,
    /// The number of columns.
    pub column_count: usize,
    /// True if the rows were decoded or assembled; false if they are the asset's own bytes.
    pub is_decoded: bool,
    /// Keeps the rest alive until meshpeek_array_free.
    pub owner: *mut c_void,
}

struct Kept {
    bytes: Bytes,
    columns: Vec<meshpeek_column>,
    _names: Vec<CString>,
}

/// Facts about an array, valid during the callback.
#[repr(C)]
pub struct meshpeek_array_info {
    /// The selector, such as "lods/0/positions".
    pub selector: *const c_char,
    /// The number of rows.
    pub rows: u64,
    /// The number of columns.
    pub column_count: usize,
    /// The offset of the stored bytes in the asset.
    pub offset: u64,
    /// The number of stored bytes.
    pub stored_bytes: u64,
    /// How they are stored, such as "in place" or "lzo".
    pub packing: *const c_char,
}

/// Receives an array. A result other than 0 stops the call.
pub type meshpeek_array_fn = Option<unsafe extern "C" fn(user: *mut c_void, array: *const meshpeek_array_info) -> i32>;

fn scalar(scalar: Scalar) -> Result<meshpeek_scalar, Failure> {
    Ok(match scalar {
        Scalar::U8 => meshpeek_scalar::U8,
        Scalar::I8 => meshpeek_scalar::I8,
        Scalar::U16 => meshpeek_scalar::U16,
        Scalar::I16 => meshpeek_scalar::I16,
        Scalar::U32 => meshpeek_scalar::U32,
        Scalar::I32 => meshpeek_scalar::I32,
        Scalar::U64 => meshpeek_scalar::U64,
        Scalar::F16 => meshpeek_scalar::F16,
        Scalar::F32 => meshpeek_scalar::F32,
        _ => return Err(Failure::Argument("the array has numbers of a type that this interface does not know")),
    })
}

impl Kept {
    fn new(bytes: Bytes, columns: &[Column]) -> Result<Self, Failure> {
        let names: Vec<CString> = columns.iter().map(|column| c_text(column.name)).collect();
        let mut offset: usize = 0;
        let mut list = Vec::new();
        for (column, name) in zip(columns, &names) {
            list.push(meshpeek_column { name: name.as_ptr(), scalar: scalar(column.scalar)?, offset });
            offset = offset.saturating_add(column.scalar.byte_len());
        }
        Ok(Self { bytes, columns: list, _names: names })
    }
}

impl meshpeek_array {
    fn find(asset: &meshpeek_asset, name: &str) -> Result<Self, Failure> {
        let wanted: Selector = name.parse()?;
        let found = inspect::Array::find(asset.asset(), &asset.data, &wanted, &asset.budget());
        let Some(array) = found.map_err(|error| asset.located(error))? else {
            let mut message = format!("no array {name}");
            if let Some(nearest) = selector::nearest(asset.asset(), name) {
                message += &format!("; nearest: {nearest}");
            }
            return Err(Failure::NotFound(message));
        };
        let row_bytes = array.row_byte_len();
        let (bytes, stride, is_decoded) = match array.content {
            Content::Here { range, stride } => (part(&asset.data, range)?, stride, false),
            Content::Decoded(bytes) => (Bytes::whole(Owner::Decoded(bytes)), row_bytes, true),
            _ => return Err(Failure::Argument("an array of a form that this library does not know")),
        };
        let kept = Box::new(Kept::new(bytes, &array.columns)?);
        Ok(Self {
            data: kept.bytes.as_ptr(),
            size: kept.bytes.len(),
            rows: array.rows,
            stride,
            columns: kept.columns.as_ptr(),
            column_count: kept.columns.len(),
            is_decoded,
            owner: Box::into_raw(kept).cast(),
        })
    }
}

fn part(data: &Bytes, range: Range<usize>) -> Result<Bytes, Failure> {
    if let Some(bytes) = data.get(range)
        && let Some(part) = data.holding(bytes)
    {
        return Ok(part);
    }
    Err(Failure::Argument("the array is outside of its asset"))
}

/// Finds an array by its selector, such as "meshes/0/positions"; the program's `meshpeek dump FILE` lists them, and so
/// does meshpeek_each_array. Uncompressed arrays are borrowed from the asset's bytes; others are decoded. Returns
/// MESHPEEK_STATUS_NOT_FOUND if the asset has no such array. If a part that may have it cannot be read, or a limit ends
/// the search, returns the status of that error.
///
/// # Safety
/// `asset` is a live handle, `selector` a text; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_array_find(
    asset: *const meshpeek_asset,
    selector: *const c_char,
    out: *mut meshpeek_array,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        // SAFETY: as promised.
        let selector = unsafe { text(selector) }?;
        place.put(meshpeek_array::find(asset, selector)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Frees an array. It stays valid until then, even if the asset is closed. The struct is zeroed, so that freeing it
/// twice does no harm.
///
/// # Safety
/// `array` is NULL, zeroed or from meshpeek_array_find, and its data is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_array_free(array: *mut meshpeek_array) {
    // SAFETY: as promised.
    let Some(array) = (unsafe { array.as_mut() }) else { return };
    // SAFETY: it comes from `Box::into_raw` above, or is null.
    unsafe { free(array.owner.cast::<Kept>()) };
    *array = meshpeek_array {
        data: ptr::null(),
        size: 0,
        rows: 0,
        stride: 0,
        columns: ptr::null(),
        column_count: 0,
        is_decoded: false,
        owner: ptr::null_mut(),
    };
}

/// Passes every array of the asset to a callback, in the order of the file. Nothing is decoded.
///
/// # Safety
/// `asset` is a live handle; `error` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_each_array(
    asset: *const meshpeek_asset,
    each: meshpeek_array_fn,
    user: *mut c_void,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        let each = each.ok_or(Failure::Argument("the callback is NULL"))?;
        let budget = asset.budget();
        let mut failure = None;
        selector::each(asset.asset(), &mut |selector, table| {
            if failure.is_some() {
                return;
            }
            if let Err(error) = budget.charge_output(selector.len() as u64) {
                failure = Some(asset.located(error));
                return;
            }
            let storage = table.storage();
            let selector = c_text(selector);
            let packing = c_text(storage.packing.name());
            let info = meshpeek_array_info {
                selector: selector.as_ptr(),
                rows: table.rows(),
                column_count: table.columns().len(),
                offset: storage.offset,
                stored_bytes: storage.bytes,
                packing: packing.as_ptr(),
            };
            // SAFETY: the callback is the caller's.
            if unsafe { each(user, &info) } != 0 {
                failure = Some(Failure::Stopped);
            }
        });
        match failure {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}
