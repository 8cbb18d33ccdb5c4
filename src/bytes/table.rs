//! Tables: arrays of any element type, and how they are stored.

use std::ops::ControlFlow;

use crate::base::error::{Error, Result};
use crate::base::span::Span;
use crate::base::word_enum::word_enum;

/// One number inside an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The column's name: the format's own term if it has one.
    pub name: &'static str,
    /// The type of the number.
    pub scalar: Scalar,
}

impl Column {
    /// Creates a column with this name and type.
    pub const fn new(name: &'static str, scalar: Scalar) -> Self {
        Self { name, scalar }
    }
}

word_enum! {
    /// The number types in arrays, all little-endian.
    #[allow(missing_docs)]
    #[non_exhaustive]
    pub enum Scalar {
        U8 = "u8",
        I8 = "i8",
        U16 = "u16",
        I16 = "i16",
        U32 = "u32",
        I32 = "i32",
        U64 = "u64",
        /// IEEE half precision.
        F16 = "f16",
        F32 = "f32",
    }
}

impl Scalar {
    /// Returns the size in bytes.
    pub const fn byte_len(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 => 8,
        }
    }
}

/// Builds a `&'static [Column]`, either with one scalar type for each column or with one for all columns.
macro_rules! columns {
    ($scalar:ident: $($name:literal),*) => {
        const { &[$($crate::bytes::Column::new($name, $crate::bytes::Scalar::$scalar)),*] as &[$crate::bytes::Column] }
    };
    ($($name:literal $scalar:ident),* $(,)?) => {
        const { &[$($crate::bytes::Column::new($name, $crate::bytes::Scalar::$scalar)),*] as &[$crate::bytes::Column] }
    };
}
pub(crate) use columns;

/// Returns an empty buffer with room for all rows of a table. The caller bounds or charges its size.
///
/// # Errors
/// Returns an error if there is not enough memory.
pub(crate) fn room_for_all(table: &dyn Table) -> Result<Vec<u8>> {
    let bytes = table.rows().saturating_mul(row_byte_len(&table.columns()) as u64);
    let mut room = Vec::new();
    // If it does not fit in memory, it cannot be reserved either.
    match room.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX)) {
        Ok(()) => Ok(room),
        Err(_) => Err(Error::out_of_memory()),
    }
}

/// Returns the size of a row of these columns in bytes.
pub(crate) const fn row_byte_len(columns: &[Column]) -> usize {
    let mut rest = columns;
    let mut bytes = 0_usize;
    while let [column, after @ ..] = rest {
        bytes = bytes.saturating_add(column.scalar.byte_len());
        rest = after;
    }
    bytes
}

word_enum! {
    /// How an array is stored in its file.
    #[non_exhaustive]
    pub enum Packing {
        /// Elements one after another.
        InPlace = "in place",
        /// A column of wider records.
        Strided = "strided",
        /// One LZO1X stream.
        Lzo = "lzo",
        /// One LZSS stream with its checksum.
        Lzss = "lzss",
        /// One stream of literal and repeated bytes.
        Rle = "rle",
        /// Inside a DEFLATE stream.
        Deflate = "deflate",
        /// One bzip2 stream.
        Bzip2 = "bzip2",
        /// One Deflate64 stream.
        Deflate64 = "deflate64",
        /// One LZMA stream, as zip archives have it.
        Lzma = "lzma",
        /// One xz stream.
        Xz = "xz",
        /// Frames of zstd.
        Zstd = "zstd",
        /// A single value for all elements.
        Fill = "fill",
        /// Not stored, but computed from other bytes on access.
        Derived = "derived",
    }
}

impl Packing {
    /// Returns true if it is a stream that is decoded as a whole.
    pub(crate) const fn is_stream(self) -> bool {
        match self {
            Self::InPlace | Self::Strided | Self::Fill | Self::Derived => false,
            Self::Lzo | Self::Lzss | Self::Rle | Self::Deflate => true,
            Self::Bzip2 | Self::Deflate64 | Self::Lzma | Self::Xz | Self::Zstd => true,
        }
    }
}

/// Where and how an array is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Storage {
    /// The offset of the first byte, counted from the start of the asset (for a BMX map, from the start of the unpacked
    /// table).
    pub offset: u64,
    /// The number of bytes it takes there. For a strided column: from its first byte to its last.
    pub bytes: u64,
    /// The packing of the array.
    pub packing: Packing,
}

impl Storage {
    /// Creates the place of an array.
    pub const fn new(offset: u64, bytes: u64, packing: Packing) -> Self {
        Self { offset, bytes, packing }
    }

    /// Returns the array's byte range.
    pub fn span(&self) -> Span {
        Span { offset: self.offset, bytes: self.bytes }
    }
}

/// Rows that can be read from memory without decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InPlace<'a> {
    /// The bytes from the start of the first row to the end of the last.
    pub bytes: &'a [u8],
    /// The distance from one row to the next, in bytes.
    pub stride: usize,
}

impl<'a> InPlace<'a> {
    /// Creates rows that start `stride` bytes apart.
    pub const fn new(bytes: &'a [u8], stride: usize) -> Self {
        Self { bytes, stride }
    }
}

/// An array of any format as rows of columns, for code that does not know the element type.
pub trait Table {
    /// Returns the number of elements.
    fn rows(&self) -> u64;

    /// Returns the columns of each row, in order and without gaps.
    fn columns(&self) -> Vec<Column>;

    /// Returns where and how the array is stored.
    fn storage(&self) -> Storage;

    /// Returns the rows in place, or `None` if they have to be decoded or computed. The rows of a Ballance map may be
    /// in memory owned by the map. All others are in the asset's bytes, at the offset of the [storage](Self::storage).
    fn in_place(&self) -> Option<InPlace<'_>> {
        None
    }

    /// Returns height and width if the rows are the pixels of a picture, from the top, left to right.
    fn picture(&self) -> Option<[u64; 2]> {
        None
    }

    /// Returns the bytes of memory that [`read`](Self::read) takes for decoded rows. A [`Block`](crate::view::Block)
    /// takes 256 KiB at most. Other streams are decoded as a whole. Rows that are computed from a stream take what that
    /// takes. All other rows are in place or come in small batches.
    fn read_memory(&self) -> u64 {
        let is_stream = self.storage().packing.is_stream();
        if is_stream { self.rows().saturating_mul(row_byte_len(&self.columns()) as u64) } else { 0 }
    }

    /// Returns the bytes that [`read`](Self::read) decodes or copies: its cost in a [budget](crate::Budget::read). These are
    /// the bytes of all rows, but more if rows are computed from decoded ones that are larger.
    fn read_work(&self) -> u64 {
        self.rows().saturating_mul(row_byte_len(&self.columns()) as u64)
    }

    /// Passes the rows to `sink` in order, little-endian and packed, whole rows at a time, until it returns `Break`. The
    /// rows of a [`Block`](crate::view::Block) that is a stream come in pieces of at most 64 KiB, whatever its size.
    ///
    /// # Errors
    /// Returns an error if the array is compressed and does not decode, a [`Limit`](crate::ErrorKind::Limit) error if
    /// [`read_memory`](Self::read_memory) exceeds [`Limits::decoded_bytes`](crate::Limits::decoded_bytes), and
    /// [`Cancelled`](crate::ErrorKind::Cancelled) if the caller [stopped](crate::Until) the work. Rows passed before the
    /// error are correct, but if a checksum at the end of a stream is wrong, no rows are.
    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()>;
}
