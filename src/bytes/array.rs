//! Arrays in place, and the one face that all arrays of all formats share.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use bytemuck::{AnyBitPattern, NoUninit};
use zerocopy::little_endian::{F32, I16, I32, U16, U32};
use zerocopy::{FromBytes, IntoBytes};

use super::batch::write_batched;
use super::cursor::Wire;
use crate::base::error::{Error, Result};
use crate::base::named::named;
use crate::base::sealed::Sealed;
use crate::base::span::Span;

/// One element of an array as stored: little-endian, alignment 1, so that it may lie at any offset.
pub trait Element: Sealed + Wire + IntoBytes {
    /// The same bytes as the machine's own numbers, where byte order and alignment allow a cast.
    type Native: AnyBitPattern + NoUninit;

    /// What the element's bytes are, in order and without gaps.
    const COLUMNS: &'static [Column];
}

/// A number inside an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, in the format's own words where it has any.
    pub name: &'static str,
    /// What kind of number it is.
    pub scalar: Scalar,
}

impl Column {
    /// A column of this name and kind.
    pub const fn new(name: &'static str, scalar: Scalar) -> Self {
        Self { name, scalar }
    }
}

named! {
    /// The kinds of numbers in arrays, all little-endian.
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
    /// How many bytes one takes.
    pub const fn byte_len(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 => 8,
        }
    }
}

/// Columns, as a `&'static [Column]`: the name and the scalar of each, or in front the scalar of all.
macro_rules! columns {
    ($scalar:ident: $($name:literal),*) => { $crate::bytes::array::columns![$($name $scalar),*] };
    ($($name:literal $scalar:ident),* $(,)?) => {
        const { &[$($crate::bytes::Column::new($name, $crate::bytes::Scalar::$scalar)),*] as &[$crate::bytes::Column] }
    };
}
pub(crate) use columns;

/// Whether the columns together take exactly so many bytes.
pub(crate) const fn fill(columns: &[Column], element: usize) -> bool {
    let (mut rest, mut bytes) = (columns, 0_usize);
    while let [column, after @ ..] = rest {
        bytes = bytes.saturating_add(column.scalar.byte_len());
        rest = after;
    }
    bytes == element
}

/// Describes elements: the machine's own number or numbers for each, and its columns.
macro_rules! elements {
    ($($element:ty = $native:ty { $($name:literal $scalar:ident),* $(,)? })*) => {$(
        const _: () = assert!(
            $crate::bytes::array::fill($crate::bytes::array::columns![$($name $scalar),*], size_of::<$element>())
                && size_of::<$native>() == size_of::<$element>(),
            concat!("the columns and the native type of ", stringify!($element), " have to be as long as it is"),
        );

        impl $crate::base::sealed::Sealed for $element {}

        impl $crate::bytes::Element for $element {
            type Native = $native;
            const COLUMNS: &'static [$crate::bytes::Column] = $crate::bytes::array::columns![$($name $scalar),*];
        }
    )*};
}
pub(crate) use elements;

elements! {
    u8 = u8 { "value" U8 }
    U16 = u16 { "value" U16 }
    I16 = i16 { "value" I16 }
    U32 = u32 { "value" U32 }
    I32 = i32 { "value" I32 }
    F32 = f32 { "value" F32 }
}

named! {
    /// How an array lies in its file.
    #[non_exhaustive]
    pub enum Packing {
        /// Element behind element.
        InPlace = "in place",
        /// A column of wider records.
        Strided = "strided",
        /// One LZO1X stream.
        Lzo = "lzo",
        /// One LZSS stream with its checksum.
        Lzss = "lzss",
        /// Inside a DEFLATE stream.
        Deflate = "deflate",
        /// One element that stands for all.
        Fill = "fill",
        /// Not stored as such: worked out from other bytes on reading.
        Derived = "derived",
    }
}

/// Where an array lies and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Its first byte, counted from the start of the asset (of the table inside it, for a BMX map).
    pub offset: u64,
    /// The bytes it takes there; for a strided column those from its first to its last byte.
    pub bytes: u64,
    /// How it is stored.
    pub packing: Packing,
}

impl Storage {
    /// The bytes that it takes.
    pub fn span(&self) -> Span {
        Span { offset: self.offset, bytes: self.bytes }
    }
}

/// Rows that lie in memory as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InPlace<'a> {
    /// From the first byte of the first row to the last of the last.
    pub bytes: &'a [u8],
    /// From one row to the next, in bytes.
    pub stride: usize,
}

/// Any array of any format, for programs that do not know which: rows of columns.
pub trait Table {
    /// How many elements.
    fn rows(&self) -> u64;

    /// What each row's bytes are, in order and without gaps.
    fn columns(&self) -> Vec<Column>;

    /// Where it lies and how.
    fn storage(&self) -> Storage;

    /// The rows where they lie; `None` where they have to be decoded or put together. Those of a Ballance map may lie in
    /// memory that the map keeps, all others lie in the asset's bytes, at the [storage](Self::storage)'s offset.
    fn in_place(&self) -> Option<InPlace<'_>> {
        None
    }

    /// Hands out the rows in order, little-endian and packed, whole rows at a time, until the sink breaks off.
    ///
    /// # Errors
    /// Where the array is compressed and does not decode. Rows handed out before that are as stored.
    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()>;
}

/// An array of little-endian elements inside a file, borrowed.
///
/// ```
/// use meshpeek::view::Cursor;
/// use zerocopy::little_endian::U16;
/// let array = Cursor::new(&[1, 0, 2, 0]).array::<U16>(2)?;
/// assert_eq!(array.iter().map(|n| n.get()).collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LeArray<'a, T> {
    elements: &'a [T],
    offset: u64,
}

impl<'a, T: Element> LeArray<'a, T> {
    /// Bytes that lie at `offset` of their asset, as elements.
    ///
    /// # Errors
    /// Where the bytes do not divide into whole elements.
    pub fn new(bytes: &'a [u8], offset: u64) -> Result<Self> {
        match <[T]>::ref_from_bytes(bytes) {
            Ok(elements) => Ok(Self { elements, offset }),
            Err(_) => Err(uneven(bytes.len(), size_of::<T>(), offset)),
        }
    }

    /// All elements.
    pub fn as_slice(&self) -> &'a [T] {
        self.elements
    }

    /// All elements as the machine's own numbers, for free; `None` where they lie unaligned or the machine is
    /// big-endian.
    pub fn as_native(&self) -> Option<&'a [T::Native]> {
        as_native(self.elements)
    }

    /// The same, copied where they cannot be had for free.
    pub fn to_native(&self) -> Cow<'a, [T::Native]> {
        to_native(self.elements)
    }

    /// The bytes as stored.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.elements.as_bytes()
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&'a T> {
        self.elements.get(index)
    }

    /// All elements in order.
    pub fn iter(&self) -> std::slice::Iter<'a, T> {
        self.elements.iter()
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Where the first element lies, counted from the start of the asset.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

fn as_native<T: Element>(elements: &[T]) -> Option<&[T::Native]> {
    if cfg!(target_endian = "big") {
        return None;
    }
    bytemuck::try_cast_slice(elements.as_bytes()).ok()
}

/// Elements, such as those that a [`Block`](crate::view::Block) decodes to, as the machine's own numbers: for free where they
/// lie aligned and the machine is little-endian, else copied.
///
/// ```
/// use meshpeek::view::to_native;
/// use zerocopy::little_endian::F32;
/// assert_eq!(*to_native(&[F32::new(0.5), F32::new(2.0)]), [0.5, 2.0]);
/// ```
pub fn to_native<T: Element>(elements: &[T]) -> Cow<'_, [T::Native]> {
    match as_native(elements) {
        Some(native) => native.into(),
        None => copied(elements.as_bytes().to_vec(), T::COLUMNS).into(),
    }
}

/// Numbers that are stored little-endian, one behind the other.
fn copied<N: AnyBitPattern + NoUninit>(mut bytes: Vec<u8>, columns: &[Column]) -> Vec<N> {
    to_machine(&mut bytes, columns);
    bytemuck::pod_collect_to_vec(&bytes)
}

/// Turns little-endian numbers into the machine's own.
pub(crate) fn to_machine(bytes: &mut [u8], columns: &[Column]) {
    if cfg!(target_endian = "big") {
        let mut rest = bytes;
        for column in columns.iter().cycle() {
            let Some((number, behind)) = rest.split_at_mut_checked(column.scalar.byte_len()) else { break };
            number.reverse();
            rest = behind;
        }
    }
}

/// Without elements, at the start of the asset: what stands for an array that is not there.
impl<T> Default for LeArray<'_, T> {
    fn default() -> Self {
        Self { elements: &[], offset: 0 }
    }
}

impl<'a, T: Element> IntoIterator for LeArray<'a, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Element> Table for LeArray<'_, T> {
    fn rows(&self) -> u64 {
        self.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        T::COLUMNS.to_vec()
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.offset, bytes: self.as_bytes().len() as u64, packing: Packing::InPlace }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        Some(InPlace { bytes: self.as_bytes(), stride: size_of::<T>() })
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        let _ = sink(self.as_bytes());
        Ok(())
    }
}

/// One column of records whose length is only known at run time, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, T> {
    records: &'a [u8],
    stride: usize,
    column: usize,
    offset: u64,
    element: PhantomData<&'a T>,
}

impl<'a, T: Element> Strided<'a, T> {
    /// The column that begins `column` bytes into each record of `stride` bytes. The records lie at `offset` of their
    /// asset.
    ///
    /// # Errors
    /// Where the records do not divide into whole ones, or the column does not lie inside one.
    pub fn new(records: &'a [u8], offset: u64, stride: usize, column: usize) -> Result<Self> {
        if records.len().checked_rem(stride) != Some(0) {
            return Err(uneven(records.len(), stride, offset));
        }
        if column.checked_add(size_of::<T>()).is_none_or(|end| end > stride) {
            return Err(Error::malformed("column outside its record").at(offset));
        }
        Ok(Self::within(records, offset, stride, column))
    }

    /// A column of records that [`new`](Self::new) has accepted before, for another column.
    pub(crate) fn within(records: &'a [u8], offset: u64, stride: usize, column: usize) -> Self {
        Self { records, stride, column, offset, element: PhantomData }
    }

    /// The element of record `index`.
    pub fn get(&self, index: usize) -> Option<&'a T> {
        let start = index.checked_mul(self.stride)?.checked_add(self.column)?;
        T::ref_from_prefix(self.records.get(start..)?).ok().map(|(element, _)| element)
    }

    /// The elements of all records in order.
    pub fn iter(&self) -> StridedIter<'a, T> {
        StridedIter {
            records: self.records.chunks_exact(self.stride.max(1)),
            column: self.column,
            element: PhantomData,
        }
    }

    /// All elements as the machine's own numbers: for free where nothing lies between them, they lie aligned and the
    /// machine is little-endian, else copied out of their records.
    pub fn to_native(&self) -> Cow<'a, [T::Native]> {
        if self.stride == size_of::<T>()
            && let Ok(elements) = <[T]>::ref_from_bytes(self.records)
        {
            return to_native(elements);
        }
        let bytes = self.iter().flat_map(IntoBytes::as_bytes).copied();
        copied(bytes.collect(), T::COLUMNS).into()
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.records.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The bytes of all records, other columns included. With [`stride`](Self::stride) and [`column`](Self::column),
    /// they can be uploaded to a graphics card without a copy.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.records
    }

    /// The offset of the element in its record.
    pub fn column(&self) -> usize {
        self.column
    }

    /// From one record to the next, in bytes.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Where the first element lies, counted from the start of the asset; where the records would, if there are none.
    pub fn offset(&self) -> u64 {
        self.offset.saturating_add(if self.is_empty() { 0 } else { self.column as u64 })
    }
}

/// The elements of a [`Strided`] column in order.
#[derive(Clone, Debug)]
pub struct StridedIter<'a, T> {
    records: std::slice::ChunksExact<'a, u8>,
    column: usize,
    element: PhantomData<&'a T>,
}

impl<'a, T: Element> StridedIter<'a, T> {
    /// Each record holds the column: that was checked for all of them.
    #[inline]
    fn element(&self, record: &'a [u8]) -> Option<&'a T> {
        Some(T::ref_from_prefix(record.get(self.column..)?).ok()?.0)
    }
}

impl<'a, T: Element> Iterator for StridedIter<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        let record = self.records.next()?;
        self.element(record)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }

    #[inline]
    fn nth(&mut self, index: usize) -> Option<&'a T> {
        let record = self.records.nth(index)?;
        self.element(record)
    }
}

impl<T: Element> DoubleEndedIterator for StridedIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let record = self.records.next_back()?;
        self.element(record)
    }
}

impl<T: Element> ExactSizeIterator for StridedIter<'_, T> {}

impl<T: Element> FusedIterator for StridedIter<'_, T> {}

impl<'a, T: Element> IntoIterator for Strided<'a, T> {
    type Item = &'a T;
    type IntoIter = StridedIter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Element> Table for Strided<'_, T> {
    fn rows(&self) -> u64 {
        self.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        T::COLUMNS.to_vec()
    }

    fn storage(&self) -> Storage {
        let behind = self.stride.saturating_sub(size_of::<T>()) as u64;
        let bytes = (self.records.len() as u64).saturating_sub(behind);
        Storage { offset: self.offset(), bytes, packing: Packing::Strided }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        column(self.records, self.stride, self.column, size_of::<T>())
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        write_batched(self.iter().map(IntoBytes::as_bytes), sink);
        Ok(())
    }
}

/// A column of records, from the first byte of the first row to the last of the last.
pub(crate) fn column(records: &[u8], stride: usize, column: usize, width: usize) -> Option<InPlace<'_>> {
    let bytes = match records {
        [] => records,
        _ => {
            let after = stride.checked_sub(column.checked_add(width)?)?;
            records.get(column..records.len().checked_sub(after)?)?
        }
    };
    Some(InPlace { bytes, stride })
}

#[cold]
pub(crate) fn uneven(bytes: usize, record: usize, offset: u64) -> Error {
    Error::malformed(format!("{bytes} bytes do not divide into records of {record}")).at(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_their_element_or_do_not_compile() {
        const WHOLE: &[Column] = columns!["a" U16, "b" U16, "c" U16];
        const { assert!(fill(WHOLE, 6) && fill(&[], 0)) };
        assert!(!fill(&WHOLE[1..], 6) && !fill(WHOLE, 5) && !fill(&[], 6));
    }

    #[test]
    fn a_native_cast_is_free_or_refused() {
        let numbers = [1_u32, 2, 3];
        let bytes = bytemuck::cast_slice::<u32, u8>(&numbers);
        let array = LeArray::<U32>::new(bytes, 0).unwrap();
        if cfg!(target_endian = "little") {
            assert_eq!(array.as_native(), Some(&numbers[..]));
        }
        let unaligned = LeArray::<U32>::new(&bytes[1..9], 1).unwrap();
        assert_eq!(unaligned.as_native(), None);
        assert_eq!(*unaligned.to_native(), [0x0200_0000, 0x0300_0000]);
        assert_eq!(*array.to_native(), numbers);
        assert_eq!(unaligned.len(), 2);
    }

    #[test]
    fn columns_skip_what_lies_beside_them() {
        let bytes: Vec<u8> = (0..12).collect();
        let column = Strided::<U16>::new(&bytes, 0x40, 4, 1).unwrap();
        let seen: Vec<u16> = column.iter().map(|n| n.get()).collect();
        assert_eq!(seen, [0x0201, 0x0605, 0x0a09]);
        assert_eq!(*column.to_native(), seen);
        let dense = Strided::<u8>::new(&bytes, 0, 1, 0).unwrap();
        assert!(matches!(dense.to_native(), Cow::Borrowed(all) if all == bytes));
        let mut both = column.into_iter();
        assert_eq!((both.len(), both.next_back().map(|n| n.get()), both.len()), (3, Some(0x0a09), 2));
        assert_eq!((both.nth(1).map(|n| n.get()), both.next()), (Some(0x0605), None));
        assert_eq!(
            (0..4).map(|i| column.get(i).map(|n| n.get())).collect::<Vec<_>>(),
            [Some(0x0201), Some(0x0605), Some(0x0a09), None]
        );
        let mut rows = Vec::new();
        column
            .read(&mut |batch| {
                rows.extend_from_slice(batch);
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(rows, [1, 2, 5, 6, 9, 10]);
        assert_eq!(column.storage(), Storage { offset: 0x41, bytes: 10, packing: Packing::Strided });
        assert_eq!(column.in_place(), Some(InPlace { bytes: &bytes[1..11], stride: 4 }));
        assert_eq!(Strided::<U16>::new(&[], 0, 4, 1).unwrap().in_place(), Some(InPlace { bytes: &[], stride: 4 }));
    }

    #[test]
    fn records_must_divide_and_columns_must_fit() {
        assert!(Strided::<U16>::new(&[0; 9], 0, 4, 0).is_err());
        assert!(Strided::<U16>::new(&[0; 8], 0, 4, 3).is_err());
        assert!(Strided::<U16>::new(&[], 0, 0, 0).is_err());
        assert!(LeArray::<U16>::new(&[0; 3], 0).is_err());
    }

    #[test]
    fn gathering_keeps_order_across_batches_and_stops_on_demand() {
        let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let column = Strided::<[u8; 3]>::new(&bytes, 0, 5, 1).unwrap();
        let mut rows = Vec::new();
        column
            .read(&mut |batch| {
                assert_eq!(batch.len() % 3, 0);
                rows.extend_from_slice(batch);
                ControlFlow::Continue(())
            })
            .unwrap();
        let expected: Vec<u8> = bytes.chunks(5).flat_map(|record| record[1..4].to_vec()).collect();
        assert_eq!(rows, expected);
        let mut calls = 0;
        column
            .read(&mut |_| {
                calls += 1;
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(calls, 1);
    }

    impl crate::base::sealed::Sealed for [u8; 3] {}

    impl Element for [u8; 3] {
        type Native = [u8; 3];
        const COLUMNS: &'static [Column] =
            &[Column::new("a", Scalar::U8), Column::new("b", Scalar::U8), Column::new("c", Scalar::U8)];
    }
}
