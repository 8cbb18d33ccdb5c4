//! Fixed-size records whose columns are only known at run time.

use crate::base::error::Result;
use crate::base::sealed::Sealed;
use crate::base::span::Span;
use crate::bytes::array::{Column, Element, InPlace, Packing, Storage, Strided, Table, uneven};
use crate::bytes::batch::RowSink;
use crate::bytes::cursor::Cursor;
use crate::outline::{Outline, Type};
use crate::record::Stored;

/// The layout of each record.
pub trait Layout: Sealed + Copy {
    /// The type of the records for a schema.
    const TYPE: Type;

    /// Returns the size of a record in bytes.
    fn stride(&self) -> usize;

    /// Returns the columns in order.
    fn columns(&self) -> Vec<Column>;
}

/// Consecutive records of one size, borrowed. A single check on creation covers every column.
#[derive(Clone, Copy, Debug)]
pub struct Interleaved<'a, L> {
    layout: L,
    records: &'a [u8],
    offset: u64,
    stride: usize,
}

impl<'a, L: Layout> Interleaved<'a, L> {
    /// Reads all bytes left at the cursor, and moves the cursor after them.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a whole number of records.
    #[inline]
    pub fn rest(cursor: &mut Cursor<'a>, layout: L) -> Result<Self> {
        let records = cursor.rest();
        let offset = cursor.offset();
        let stride = layout.stride();
        if records.len().checked_rem(stride) != Some(0) {
            return Err(uneven(records.len(), stride, offset));
        }
        cursor.skip(cursor.left())?;
        Ok(Self { layout, records, offset, stride })
    }

    /// Returns the layout of the records.
    pub fn layout(&self) -> L {
        self.layout
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.records.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the distance from one record to the next, in bytes.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the offset of the first record, counted from the start of the asset.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the records as stored.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.records
    }

    /// Returns the column that starts `column` bytes into each record.
    pub(crate) fn column<T: Element>(&self, column: usize) -> Strided<'a, T> {
        Strided::within(self.records, self.offset, self.stride, column)
    }
}

impl<L: Layout> Stored for Interleaved<'_, L> {
    const TYPE: Type = L::TYPE;

    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, self);
    }
}

impl<L: Layout> Table for Interleaved<'_, L> {
    fn rows(&self) -> u64 {
        self.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        self.layout.columns()
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.offset, bytes: self.records.len() as u64, packing: Packing::InPlace }
    }

    fn in_place(&self) -> Option<InPlace<'_>> {
        Some(InPlace { bytes: self.records, stride: self.stride() })
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        let _ = sink(self.records);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::little_endian::U16;

    use super::*;
    use crate::bytes::Scalar;

    #[derive(Clone, Copy, Debug)]
    struct Pair;

    impl crate::base::sealed::Sealed for Pair {}

    impl Layout for Pair {
        const TYPE: Type = Type::Varying("pairs", 0);

        fn stride(&self) -> usize {
            3
        }

        fn columns(&self) -> Vec<Column> {
            vec![Column::new("kind", Scalar::U8), Column::new("number", Scalar::U16)]
        }
    }

    #[test]
    fn records_must_divide_and_columns_skip_the_others() {
        let mut cursor = Cursor::with_offset(&[7, 1, 0, 8, 2, 0], 0x10);
        let pairs = Interleaved::rest(&mut cursor, Pair).unwrap();
        assert_eq!((pairs.len(), pairs.offset(), cursor.left()), (2, 0x10, 0));
        assert_eq!(pairs.column::<U16>(1).iter().map(|number| number.get()).collect::<Vec<_>>(), [1, 2]);
        let error = Interleaved::rest(&mut Cursor::new(&[0; 4]), Pair).unwrap_err();
        assert_eq!(error.to_string(), "at 0x0: 4 bytes do not divide into records of 3");
    }
}
