//! Bytes of files, members and Python objects.

use std::ops::{Deref, Range};
use std::sync::Arc;

use meshpeek::{Access, FileMap};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Parses the name of an access method in Python.
#[allow(unsafe_code)]
pub(crate) fn access(name: &str) -> PyResult<Access> {
    Ok(match name {
        // SAFETY: as in the program `meshpeek`, nobody can promise that no other process writes to the files that a
        // user names. Only the library and NumPy use mapped bytes. The library creates no type over them that a write
        // could make invalid, and NumPy treats them as numbers. The guard for maps is installed when the module is
        // imported, and again whenever a file is opened.
        "auto" => unsafe { Access::map_large() },
        "map" => unsafe { Access::map() },
        "read" => Access::READ,
        _ => return Err(pyo3::exceptions::PyValueError::new_err("access is \"auto\", \"map\" or \"read\"")),
    })
}

/// The owner of the memory.
pub(crate) enum Owner {
    File(FileMap),
    Decoded(Vec<u8>),
    Python(PyBackedBytes),
}

impl Deref for Owner {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::File(bytes) => bytes,
            Self::Decoded(bytes) => bytes,
            Self::Python(bytes) => bytes,
        }
    }
}

/// A part of an owner's memory, kept alive.
#[derive(Clone)]
pub(crate) struct Bytes {
    pub(crate) owner: Arc<Owner>,
    pub(crate) range: Range<usize>,
}

impl Bytes {
    pub(crate) fn whole(owner: Owner) -> Self {
        let range = 0..owner.len();
        Self { owner: Arc::new(owner), range }
    }

    pub(crate) fn empty() -> Self {
        Self::whole(Owner::Decoded(Vec::new()))
    }

    /// A part of this part.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        Self { owner: self.owner.clone(), range: start + range.start..start + range.end }
    }

    /// The part that contains exactly these bytes, which must be inside it.
    pub(crate) fn holding(&self, bytes: &[u8]) -> Option<Self> {
        let start = if bytes.is_empty() { 0 } else { bytes.as_ptr().addr().checked_sub(self.as_ptr().addr())? };
        let range = start..start.checked_add(bytes.len())?;
        self.get(range.clone())?;
        Some(self.part(range))
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
