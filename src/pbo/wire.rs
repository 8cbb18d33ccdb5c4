//! The header's records exactly as stored.

use std::fmt;

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What follows the name of every entry of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Fields {
    /// How the member is packed, or what else the entry is.
    pub method: Method,
    /// Size of the decoded member; for a stored one 0 or its size, by the writer.
    pub original_size: U32,
    /// 0 in every real file; no offset.
    pub reserved: U32,
    /// When the file was last changed, in seconds since 1970; 0 where the writer left it out.
    pub timestamp: U32,
    /// Size of the member in the archive.
    pub data_size: U32,
}

const _: () = assert!(size_of::<Fields>() == 20);

/// How a member is packed: four letters, stored back to front.
#[derive(Clone, Copy, PartialEq, Eq, Hash, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Method(pub U32);

impl Method {
    /// As it is.
    pub const STORED: Self = Self::new(0);
    /// One LZSS stream ("Cprs").
    pub const PACKED: Self = Self::new(0x4370_7273);
    /// Encrypted with a key that the archive does not hold ("Encr").
    pub const ENCRYPTED: Self = Self::new(0x456e_6372);
    /// No member: a product entry, which properties follow ("Vers").
    pub const PRODUCT: Self = Self::new(0x5665_7273);

    const fn new(code: u32) -> Self {
        Self(U32::from_bytes(code.to_le_bytes()))
    }

    /// The number as stored.
    pub fn code(self) -> u32 {
        self.0.get()
    }

    /// The word for it in reports; `None` for a number without a known meaning.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::STORED => Some("stored"),
            Self::PACKED => Some("lzss"),
            Self::ENCRYPTED => Some("encrypted"),
            Self::PRODUCT => Some("product"),
            _ => None,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "{:#010x}", self.code()),
        }
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
