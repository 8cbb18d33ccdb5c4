//! Members of archives.

use std::ffi::{CString, c_char, c_void};

use meshpeek_core::address::Names;
use meshpeek_core::container::{Container, Member};
use meshpeek_core::scan::Stored;

use crate::asset::meshpeek_asset;
use crate::call::{borrow, bytes, call};
use crate::error::meshpeek_error;
use crate::failure::{Failure, meshpeek_status};
use crate::handle::{Place, c_text};

/// Facts about a member, valid during the callback.
#[repr(C)]
pub struct meshpeek_member {
    /// The name to open it by. Members of one name have a number after `#`.
    pub name: *const c_char,
    /// The number of bytes that it takes in the archive.
    pub stored_bytes: u64,
    /// The number of its bytes, as the archive states it.
    pub bytes: u64,
    /// How it is stored, such as "stored" or "deflated".
    pub method: *const c_char,
}

/// Receives a member. A result other than 0 stops the call.
pub type meshpeek_member_fn = Option<unsafe extern "C" fn(user: *mut c_void, member: *const meshpeek_member) -> i32>;

/// A callback that is not null.
pub(crate) type Each = unsafe extern "C" fn(user: *mut c_void, member: *const meshpeek_member) -> i32;

/// A member of an archive, with the texts that C sees.
pub(crate) struct Listed {
    name: CString,
    method: CString,
    stored_bytes: u64,
    bytes: u64,
}

impl Listed {
    pub(crate) fn new(member: &Member<'_>, names: &mut Names) -> Self {
        let stored = Stored::of(member);
        Self {
            name: c_text(&names.next(member.name()).text),
            method: c_text(&stored.method),
            stored_bytes: stored.bytes,
            bytes: member.decoded_byte_len_hint(),
        }
    }

    /// Passes it to a callback.
    ///
    /// # Safety
    /// The callback may be called with this pointer.
    pub(crate) unsafe fn pass(&self, each: Each, user: *mut c_void) -> Result<(), Failure> {
        let facts = meshpeek_member {
            name: self.name.as_ptr(),
            stored_bytes: self.stored_bytes,
            bytes: self.bytes,
            method: self.method.as_ptr(),
        };
        // SAFETY: as promised.
        if unsafe { each(user, &facts) } != 0 {
            return Err(Failure::Stopped);
        }
        Ok(())
    }
}

/// Passes every member of an archive to a callback, in the order of the archive. Nothing is decoded. Other assets have
/// no members.
///
/// # Safety
/// `asset` is a live handle; `error` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_each_member(
    asset: *const meshpeek_asset,
    each: meshpeek_member_fn,
    user: *mut c_void,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        let each = each.ok_or(Failure::Argument("the callback is NULL"))?;
        let Some(container) = Container::of(asset.asset()) else { return Ok(()) };
        let budget = asset.budget();
        let mut names = Names::of(&container);
        for member in container.members() {
            let member = member.map_err(|error| asset.located(error))?;
            budget.charge_output(member.name().len() as u64).map_err(|error| asset.located(error))?;
            let listed = Listed::new(&member, &mut names);
            // SAFETY: the callback is the caller's.
            unsafe { listed.pass(each, user) }?;
        }
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}

/// Opens a member by its name, or by its path through nested archives, such as "inner.pbo!/tree.p3d". The name may have
/// the bytes that the archive has. Only a compressed member is decoded, into memory. Fails with
/// MESHPEEK_STATUS_NOT_FOUND if there is no such member.
///
/// # Safety
/// `asset` is a live handle, `name` ends with a NUL; `out` is valid for a write, `error` too or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meshpeek_open_member(
    asset: *const meshpeek_asset,
    name: *const c_char,
    out: *mut *mut meshpeek_asset,
    error: *mut *mut meshpeek_error,
) -> meshpeek_status {
    let work = || {
        // SAFETY: as promised.
        let asset = unsafe { borrow(asset) }?;
        // SAFETY: as promised.
        let name = unsafe { bytes(name) }?;
        // SAFETY: as promised.
        let place = unsafe { Place::new(out) }?;
        place.put_handle(asset.member(name)?);
        Ok(())
    };
    // SAFETY: as promised.
    unsafe { call(error, work) }
}
