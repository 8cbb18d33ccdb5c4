//! The header's records exactly as stored.

use std::fmt;

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::base::span::Span;
use crate::outline::{Outline, StoredField, Type, Value};
use crate::record::{Framing, Stored, plain, wire};

wire! {
    /// What follows the name of every entry of the header.
    Fields = 20 {
        /// How the member is packed, or what else the entry is.
        method: Method = "method",
        /// Size of the decoded member; for a stored one 0 or its size, by the writer.
        original_size: U32 = "originalSize",
        /// 0 in every real file; no offset.
        reserved: U32 = "reserved",
        /// When the file was last changed; 0 where the writer left it out.
        timestamp: Timestamp = "timestamp",
        /// Size of the member in the archive.
        data_size: U32 = "dataSize",
    }

    /// What later games write after the members.
    Sha1Tail = 21 {
        /// 0.
        mark: Framing<u8>,
        /// The SHA-1 of all bytes before the mark.
        sha1: Hex<20>,
    }

    /// What Operation Flashpoint Elite writes after the members.
    ShortTail = 5 {
        /// 0.
        mark: Framing<u8>,
        /// A checksum of an unknown kind.
        checksum: Hex<4>,
    }
}

plain! {
    Method: Number("u32", 4) => |method| Value::Coded(method.code().into(), method.name().map(Into::into));
    Timestamp: Number("u32", 4) => |time| time.seconds();
}

/// Seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Timestamp(pub U32);

impl Timestamp {
    /// The number; `None` where the writer left it out.
    pub fn seconds(self) -> Option<u32> {
        Some(self.0.get()).filter(|&seconds| seconds > 0)
    }
}

/// Bytes that are shown as hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> Stored for Hex<N> {
    const TYPE: Type = <[u8; N]>::TYPE;

    fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        out.stored(&StoredField { name, kind: Self::TYPE, span, framing: false }, digits.as_str());
    }
}

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
