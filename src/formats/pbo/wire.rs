//! The header's records exactly as stored.

use std::fmt;

use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::base::impl_fmt::impl_fmt;
use crate::base::span::Span;
use crate::outline::{Outline, StoredAt, Type, Value};
use crate::record::{Framing, Stored, plain, wire};

wire! {
    /// The fields after the name of every entry of the header.
    Fields = 20 {
        /// Packing method, or kind of entry.
        #[label("method")] method: Method,
        /// Size of the decoded member; for a stored one 0 or its size, depending on the writer.
        #[label("originalSize")] original_size: U32,
        /// 0 in all real files; not an offset.
        #[label("reserved")] reserved: U32,
        /// Time of the file's last change; 0 if the writer left it out.
        #[label("timestamp")] timestamp: U32,
        /// Size of the member in the archive.
        #[label("dataSize")] data_size: U32,
    }

    /// The tail that later games write after the members.
    Sha1Tail = 21 {
        /// 0.
        mark: Framing<u8>,
        /// The SHA-1 of all bytes before the mark.
        sha1: Hex<20>,
    }

    /// The tail that Operation Flashpoint Elite writes after the members.
    ShortTail = 5 {
        /// 0.
        mark: Framing<u8>,
        /// A checksum of an unknown kind.
        checksum: Hex<4>,
    }
}

plain! {
    Method: Number("u32", 4) => |method| Value::Coded(method.code().into(), method.name().map(Into::into));
}

/// Bytes displayed as hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> Stored for Hex<N> {
    const TYPE: Type = <[u8; N]>::TYPE;

    fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        out.stored(name, StoredAt::new(Self::TYPE, span), digits.as_str());
    }
}

/// The packing method of a member: four letters, stored in reverse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Method(pub U32);

impl Method {
    /// Stored uncompressed.
    pub const STORED: Self = Self::new(0);
    /// One LZSS stream ("Cprs").
    pub const PACKED: Self = Self::new(0x4370_7273);
    /// Encrypted with a key that is not in the archive ("Encr").
    pub const ENCRYPTED: Self = Self::new(0x456e_6372);
    /// Not a member: a product entry, followed by properties ("Vers").
    pub const PRODUCT: Self = Self::new(0x5665_7273);

    /// Creates the method of this number.
    const fn new(code: u32) -> Self {
        Self(U32::from_bytes(code.to_le_bytes()))
    }

    /// Returns the number as stored.
    pub fn code(self) -> u32 {
        self.0.get()
    }

    /// Returns the name for reports, or `None` for a number without a known meaning.
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

impl_fmt!([] Debug for Method, |method| "{method}");
