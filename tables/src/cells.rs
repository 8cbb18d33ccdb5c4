//! Builders for columns.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float32Builder, Int32Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{Array, ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};
use meshpeek::Error;
use meshpeek::summary::Name;

/// A number as a table stores it. A number that does not fit is unknown.
pub(super) fn fitting(number: u64) -> Option<i64> {
    i64::try_from(number).ok()
}

/// Like [`fitting`], for columns without nulls: a number that is too large becomes the largest number.
pub(super) fn clamped(number: u64) -> i64 {
    fitting(number).unwrap_or(i64::MAX)
}

/// Returns the path that cannot be read; empty if the error has none.
pub(super) fn path_of(error: &Error) -> Name {
    error.path().unwrap_or(Path::new("")).into()
}

/// The size of a column, or of the rows of a batch.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) rows: usize,
    /// About how many bytes the rows take.
    pub(super) bytes: usize,
}

/// A column that is filled cell by cell.
pub(super) trait Column: Default {
    type Cell<'c>;

    const NULLABLE: bool = false;

    fn data_type() -> DataType;

    fn put(&mut self, cell: Option<Self::Cell<'_>>);

    /// Puts a cell in a struct that is null.
    fn put_blank(&mut self) {
        self.put(None);
    }

    fn take(&mut self) -> Result<ArrayRef, ArrowError>;

    fn size(&self) -> Size;

    fn field(name: &str) -> Field {
        Field::new(name, Self::data_type(), Self::NULLABLE)
    }
}

macro_rules! cells {
    ($($name:ident = $builder:ident of $cell:ty as $type:ident $(, and $texts:ident)?;)*) => {$(
        pub(super) type $name = $builder;

        impl Column for $builder {
            type Cell<'c> = $cell;

            fn data_type() -> DataType {
                DataType::$type
            }

            fn put(&mut self, cell: Option<Self::Cell<'_>>) {
                self.append_option(cell);
            }

            fn put_blank(&mut self) {
                self.put(Some(Default::default()));
            }

            fn take(&mut self) -> Result<ArrayRef, ArrowError> {
                Ok(Arc::new(self.finish()))
            }

            fn size(&self) -> Size {
                let rows = self.len();
                let texts = 0_usize $(.saturating_add(self.$texts().len()))?;
                Size { rows, bytes: texts.saturating_add(rows.saturating_mul(size_of::<Self::Cell<'_>>())) }
            }
        }
    )*};
}

cells! {
    Flag = BooleanBuilder of bool as Boolean;
    Float = Float32Builder of f32 as Float32;
    Int = Int32Builder of i32 as Int32;
    Long = Int64Builder of i64 as Int64;
    Text = StringBuilder of &'c str as Utf8, and values_slice;
}

/// A column of points in time.
#[derive(Default)]
pub(super) struct Time(TimestampMicrosecondBuilder);

const UTC: &str = "UTC";

impl Column for Time {
    type Cell<'c> = SystemTime;

    fn data_type() -> DataType {
        DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()))
    }

    fn put(&mut self, cell: Option<SystemTime>) {
        self.0.append_option(cell.and_then(micros));
    }

    fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(self.0.finish().with_timezone(UTC)))
    }

    fn size(&self) -> Size {
        Size { rows: self.0.len(), bytes: self.0.len().saturating_mul(size_of::<i64>()) }
    }
}

/// Microseconds since 1970. `None` if they do not fit.
fn micros(time: SystemTime) -> Option<i64> {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_micros()).ok(),
        Err(before) => i64::try_from(before.duration().as_micros()).ok()?.checked_neg(),
    }
}

/// A column with null cells.
#[derive(Default)]
pub(super) struct OrNull<C>(C);

impl<C: Column> Column for OrNull<C> {
    type Cell<'c> = Option<C::Cell<'c>>;

    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        C::data_type()
    }

    fn put(&mut self, cell: Option<Self::Cell<'_>>) {
        self.0.put(cell.flatten());
    }

    fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        self.0.take()
    }

    fn size(&self) -> Size {
        self.0.size()
    }
}

/// A column of lists.
#[derive(Default)]
pub(super) struct List<C> {
    items: C,
    ends: Ends,
}

impl<C: Column + 'static> Column for List<C> {
    type Cell<'c> = &'c mut dyn Iterator<Item = C::Cell<'c>>;

    fn data_type() -> DataType {
        DataType::List(item(C::data_type()))
    }

    fn put(&mut self, cell: Option<Self::Cell<'_>>) {
        if let Some(items) = cell {
            for item in items {
                self.items.put(Some(item));
            }
        }
        self.ends.add(self.items.size().rows);
    }

    fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        self.ends.take(self.items.take()?)
    }

    fn size(&self) -> Size {
        Size { rows: self.ends.len(), bytes: self.items.size().bytes }
    }
}

/// A column of structs.
pub(super) struct Group<R> {
    rows: R,
    present: NullBufferBuilder,
}

impl<R: Default> Default for Group<R> {
    fn default() -> Self {
        Self { rows: R::default(), present: NullBufferBuilder::new(0) }
    }
}

impl<R: Rows + Default> Column for Group<R> {
    type Cell<'c> = R::Row<'c>;

    fn data_type() -> DataType {
        DataType::Struct(R::fields().into())
    }

    fn put(&mut self, cell: Option<Self::Cell<'_>>) {
        self.present.append(cell.is_some());
        match cell {
            Some(row) => self.rows.add(row),
            None => self.rows.add_blank(),
        }
    }

    fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        let columns = self.rows.take()?;
        Ok(Arc::new(StructArray::try_new(R::fields().into(), columns, self.present.finish())?))
    }

    fn size(&self) -> Size {
        self.rows.size()
    }
}

/// Rows that are collected for a batch.
pub(super) trait Rows: Any + Send {
    type Row<'r>
    where
        Self: Sized;

    fn fields() -> Vec<Field>
    where
        Self: Sized;

    fn add(&mut self, row: Self::Row<'_>)
    where
        Self: Sized;

    /// Adds the row of a struct that is null.
    fn add_blank(&mut self);

    fn take(&mut self) -> Result<Vec<ArrayRef>, ArrowError>;

    fn size(&self) -> Size;
}

/// Describes columns: the name of each, its type, and its value in a row; and how many bytes they take, if that is not
/// the sum of all.
macro_rules! columns {
    (
        $(#[$doc:meta])*
        $name:ident of $row:ident: $of:ty { $($column:ident: $kind:ty = $cell:expr,)* } $(sized $bytes:path)?
    ) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(super) struct $name {
            $($column: $kind,)*
        }

        impl Rows for $name {
            type Row<'r> = $of;

            fn fields() -> Vec<Field> {
                vec![$(<$kind as Column>::field(stringify!($column))),*]
            }

            fn add(&mut self, $row: Self::Row<'_>) {
                $(self.$column.put(Some($cell));)*
            }

            fn add_blank(&mut self) {
                $(self.$column.put_blank();)*
            }

            fn take(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
                Ok(vec![$(Column::take(&mut self.$column)?),*])
            }

            fn size(&self) -> $crate::cells::Size {
                let mut size = $crate::cells::Size::default();
                for column in [$(self.$column.size()),*] {
                    size.rows = column.rows;
                    size.bytes = size.bytes.saturating_add(column.bytes);
                }
                $(size.bytes = $bytes(self);)?
                size
            }
        }
    };
}
pub(super) use columns;

/// The end of each list among the items of all lists.
#[derive(Default)]
pub(super) struct Ends(Vec<i32>);

impl Ends {
    /// Ends a list after this many items of the column. The bytes of a batch are bounded, and so are its items.
    pub(super) fn add(&mut self, items: usize) {
        self.0.push(i32::try_from(items).unwrap_or(i32::MAX));
    }

    /// The number of lists.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn take(&mut self, items: ArrayRef) -> Result<ArrayRef, ArrowError> {
        let mut offsets = vec![0];
        offsets.append(&mut self.0);
        let field = item(items.data_type().clone());
        Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::new(ScalarBuffer::from(offsets)), items, None)?))
    }
}

/// The field for the items of a list.
pub(super) fn item(kind: DataType) -> Arc<Field> {
    Arc::new(Field::new("element", kind, false))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::micros;

    #[test]
    fn times_before_1970_are_negative() {
        let epoch = SystemTime::UNIX_EPOCH;
        for (seconds, nanos, expected) in
            [(0, 0, 0), (0, 1_000, 1), (7, 5_999, 7_000_005), (1 << 31, 0, 1_000_000 << 31)]
        {
            let distance = Duration::new(seconds, nanos);
            assert_eq!(micros(epoch + distance), Some(expected));
            assert_eq!(micros(epoch - distance), Some(-expected));
        }
    }
}
