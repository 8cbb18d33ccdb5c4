//! Typed arrays read in place, and the `Table` trait that all arrays of all formats implement.

use std::borrow::Cow;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use bytemuck::{AnyBitPattern, NoUninit};
use zerocopy::little_endian::{F32, I16, I32, U16, U32};
use zerocopy::{FromBytes, IntoBytes};

use super::batch::write_batched;
pub(crate) use super::table::{Column, InPlace, Packing, Scalar, Storage, Table};
pub(crate) use super::table::{columns, room_for_all, row_byte_len};
use super::wire::Wire;
use crate::base::error::{Error, Result};
use crate::base::sealed::Sealed;

/// One element of an array as stored: little-endian, alignment 1, so it is valid at any offset.
pub trait Element: Sealed + Wire + IntoBytes {
    /// The native number type of this element, used where byte order and alignment allow a cast.
    type Native: AnyBitPattern + NoUninit;

    /// The columns of one element, in order and without gaps. [`Table::columns`] returns them for any array.
    #[doc(hidden)]
    const COLUMNS: &'static [Column];
}

/// Implements `Element` for types: the native type of each, and its columns.
macro_rules! elements {
    ($($element:ty = $native:ty { $($name:literal $scalar:ident),* $(,)? })*) => {$(
        const _: () = assert!(
            $crate::bytes::array::row_byte_len($crate::bytes::array::columns![$($name $scalar),*]) == size_of::<$element>()
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
    /// Creates an array from bytes at `offset` of their asset.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a whole number of elements.
    pub fn new(bytes: &'a [u8], offset: u64) -> Result<Self> {
        match <[T]>::ref_from_bytes(bytes) {
            Ok(elements) => Ok(Self { elements, offset }),
            Err(_) => Err(uneven(bytes.len(), size_of::<T>(), offset)),
        }
    }

    /// Returns all elements.
    pub fn as_slice(&self) -> &'a [T] {
        self.elements
    }

    /// Returns all elements as native numbers without copying. Returns `None` if they are unaligned, or on a big-endian
    /// machine if their numbers have more than one byte.
    pub fn as_native(&self) -> Option<&'a [T::Native]> {
        as_native(self.elements)
    }

    /// Returns all elements as native numbers, copied only if they cannot be borrowed.
    pub fn to_native(&self) -> Cow<'a, [T::Native]> {
        to_native(self.elements)
    }

    /// Returns the bytes as stored.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.elements.as_bytes()
    }

    /// Returns the element at `index`.
    pub fn get(&self, index: usize) -> Option<&'a T> {
        self.elements.get(index)
    }

    /// Returns an iterator over all elements.
    pub fn iter(&self) -> std::slice::Iter<'a, T> {
        self.elements.iter()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns true if the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the offset of the first element, counted from the start of the asset.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Returns the elements as native numbers, if a cast is enough. Only numbers of one byte need no swap on a big-endian
/// machine.
fn as_native<T: Element>(elements: &[T]) -> Option<&[T::Native]> {
    if cfg!(target_endian = "big") && T::COLUMNS.iter().any(|column| column.scalar.byte_len() > 1) {
        return None;
    }
    bytemuck::try_cast_slice(elements.as_bytes()).ok()
}

/// Converts elements, such as those decoded from a [`Block`](crate::view::Block), to native numbers. Borrows them if
/// they are aligned and the machine is little-endian; otherwise copies them.
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

/// Converts rows of these columns, packed and little-endian, to native numbers in aligned memory.
fn copied<N: AnyBitPattern + NoUninit>(mut bytes: Vec<u8>, columns: &[Column]) -> Vec<N> {
    to_machine(&mut bytes, columns);
    bytemuck::pod_collect_to_vec(&bytes)
}

/// Converts rows of these columns from little-endian to native byte order, in place.
pub(crate) fn to_machine(bytes: &mut [u8], columns: &[Column]) {
    if cfg!(target_endian = "big") {
        let mut rest = bytes;
        for column in columns.iter().cycle() {
            let Some((number, after)) = rest.split_at_mut_checked(column.scalar.byte_len()) else { break };
            number.reverse();
            rest = after;
        }
    }
}

/// An empty array at the start of the asset, used for an array that is absent.
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

/// One column of fixed-size records whose size is only known at run time, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, T> {
    records: &'a [u8],
    stride: usize,
    column: usize,
    offset: u64,
    element: PhantomData<&'a T>,
}

impl<'a, T: Element> Strided<'a, T> {
    /// Creates a view of the column that starts `column` bytes into each record of `stride` bytes. The records are at
    /// `offset` of their asset.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a whole number of records, or if the column is not inside a record.
    pub fn new(records: &'a [u8], offset: u64, stride: usize, column: usize) -> Result<Self> {
        if records.len().checked_rem(stride) != Some(0) {
            return Err(uneven(records.len(), stride, offset));
        }
        if column.checked_add(size_of::<T>()).is_none_or(|end| end > stride) {
            return Err(Error::malformed("column outside its record").at(offset));
        }
        Ok(Self::within(records, offset, stride, column))
    }

    /// Creates a view of another column of records that [`new`](Self::new) has already accepted.
    pub(crate) fn within(records: &'a [u8], offset: u64, stride: usize, column: usize) -> Self {
        Self { records, stride, column, offset, element: PhantomData }
    }

    /// Returns the element of the record at `index`.
    pub fn get(&self, index: usize) -> Option<&'a T> {
        let start = index.checked_mul(self.stride)?.checked_add(self.column)?;
        T::ref_from_prefix(self.records.get(start..)?).ok().map(|(element, _)| element)
    }

    /// Returns an iterator over the elements of all records.
    pub fn iter(&self) -> StridedIter<'a, T> {
        StridedIter {
            records: self.records.chunks_exact(self.stride.max(1)),
            column: self.column,
            element: PhantomData,
        }
    }

    /// Returns all elements as native numbers. Borrows them if they are contiguous and aligned and the machine is
    /// little-endian; otherwise copies them out of their records.
    pub fn to_native(&self) -> Cow<'a, [T::Native]> {
        if self.stride == size_of::<T>()
            && let Ok(elements) = <[T]>::ref_from_bytes(self.records)
        {
            return to_native(elements);
        }
        let bytes = self.iter().flat_map(IntoBytes::as_bytes).copied();
        copied(bytes.collect(), T::COLUMNS).into()
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.records.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the bytes of all records, other columns included. With [`stride`](Self::stride) and
    /// [`column`](Self::column), they can be uploaded to a graphics card without a copy.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.records
    }

    /// Returns the offset of the element in its record.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the distance from one record to the next, in bytes.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the offset of the first element, counted from the start of the asset. If there are no records, returns
    /// the offset where they would start.
    pub fn offset(&self) -> u64 {
        self.offset.saturating_add(if self.is_empty() { 0 } else { self.column as u64 })
    }
}

/// An iterator over the elements of a [`Strided`] column.
#[derive(Clone, Debug)]
pub struct StridedIter<'a, T> {
    records: std::slice::ChunksExact<'a, u8>,
    column: usize,
    element: PhantomData<&'a T>,
}

impl<'a, T: Element> StridedIter<'a, T> {
    /// Returns the element of a record. [`Strided::new`] has checked that each record contains the column.
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
        // From the first byte of the first element to the last byte of the last: all records less the other columns of
        // one.
        let other_columns = self.stride.saturating_sub(size_of::<T>()) as u64;
        let bytes = (self.records.len() as u64).saturating_sub(other_columns);
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

/// Returns a column of records, from the first byte of its first row to the last byte of its last. The column is
/// `width` bytes wide, and starts `column` bytes into each record. Returns `None` if it is not inside a record.
pub(crate) fn column(records: &[u8], stride: usize, column: usize, width: usize) -> Option<InPlace<'_>> {
    let bytes = match records {
        [] => records,
        _ => {
            // The bytes of a record after the column.
            let after = stride.checked_sub(column.checked_add(width)?)?;
            records.get(column..records.len().checked_sub(after)?)?
        }
    };
    Some(InPlace { bytes, stride })
}

/// Returns the error for `bytes` bytes that are not a whole number of records of `record` bytes.
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
        const { assert!(row_byte_len(WHOLE) == 6 && row_byte_len(&[]) == 0) };
        assert_ne!(row_byte_len(&WHOLE[1..]), 6);
    }

    #[test]
    fn a_native_cast_is_free_or_refused() {
        let numbers = [1_u32, 2, 3];
        let stored = numbers.map(u32::to_le);
        let bytes = bytemuck::cast_slice::<u32, u8>(&stored);
        let array = LeArray::<U32>::new(bytes, 0).unwrap();
        assert_eq!(array.as_native(), cfg!(target_endian = "little").then_some(&numbers[..]));
        let unaligned = LeArray::<U32>::new(&bytes[1..9], 1).unwrap();
        assert_eq!(unaligned.as_native(), None);
        assert_eq!(*unaligned.to_native(), [0x0200_0000, 0x0300_0000]);
        assert_eq!(*array.to_native(), numbers);
        assert_eq!(unaligned.len(), 2);
    }

    #[test]
    fn columns_skip_the_others() {
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
