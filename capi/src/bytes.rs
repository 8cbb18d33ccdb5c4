//! Bytes of files, members and callers, shared between handles.

use std::ffi::c_void;
use std::ops::{Deref, Range};
use std::sync::Arc;

use meshpeek_core::FileMap;

/// Frees memory that was lent to meshpeek_open_memory. `user` is the pointer given there.
pub type meshpeek_release_fn = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Memory of the caller.
pub(crate) struct Lent {
    data: *const u8,
    size: usize,
    release: meshpeek_release_fn,
    user: *mut c_void,
}

// SAFETY: the caller promises that the memory does not change and that any thread may release it.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    /// # Safety
    /// The memory is valid and unchanged until `release` is called, which any thread may do.
    pub(crate) unsafe fn new(data: *const u8, size: usize, release: meshpeek_release_fn, user: *mut c_void) -> Self {
        Self { data, size, release, user }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: called once, after the last use.
            unsafe { release(self.user) };
        }
    }
}

/// The owner of memory.
pub(crate) enum Owner {
    File(FileMap),
    Decoded(Vec<u8>),
    Lent(Lent),
}

impl Deref for Owner {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::File(bytes) => bytes,
            Self::Decoded(bytes) => bytes,
            Self::Lent(lent) if lent.size == 0 => &[],
            // SAFETY: as promised to `Lent::new`.
            Self::Lent(lent) => unsafe { std::slice::from_raw_parts(lent.data, lent.size) },
        }
    }
}

/// A part of an owner's memory, kept alive.
#[derive(Clone)]
pub(crate) struct Bytes {
    pub(crate) owner: Arc<Owner>,
    range: Range<usize>,
}

impl Bytes {
    pub(crate) fn whole(owner: Owner) -> Self {
        let range = 0..owner.len();
        Self { owner: Arc::new(owner), range }
    }

    /// The part that consists of these bytes, if they are inside it.
    pub(crate) fn holding(&self, bytes: &[u8]) -> Option<Self> {
        let offset = if bytes.is_empty() { 0 } else { bytes.as_ptr().addr().checked_sub(self.as_ptr().addr())? };
        let start = self.range.start.checked_add(offset)?;
        let range = start..start.checked_add(bytes.len())?;
        if range.end > self.range.end {
            return None;
        }
        Some(Self { owner: self.owner.clone(), range })
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.owner.get(self.range.clone()).unwrap_or_default()
    }
}

/// An owner never moves or changes its bytes.
impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
