//! Assertions for the views of any format: the items are the same from either end and by index, and the native numbers
//! equal the stored ones.

use std::fmt::Debug;

use meshpeek::view::{Element, Strided, to_native};
use zerocopy::IntoBytes;

/// The maximum number of items that are compared.
const ENOUGH: usize = 1000;

/// Checks that the items are the same from the front, from the back and by index, and that their number is correct.
pub fn both_ways<I>(items: impl Fn() -> I)
where
    I: DoubleEndedIterator<Item: PartialEq + Debug> + ExactSizeIterator,
{
    let count = items().len();
    if count > ENOUGH {
        return;
    }
    let forth: Vec<_> = items().collect();
    let mut back: Vec<_> = items().rev().collect();
    back.reverse();
    // Compared as text, because NaN is not equal to itself.
    assert_eq!(forth.len(), count);
    assert!(forth == back || format!("{forth:?}") == format!("{back:?}"), "{forth:?} forth, {back:?} back");
    let (middle, end) = (items().nth(count / 2), items().nth(count));
    assert!(end.is_none() && format!("{middle:?}") == format!("{:?}", forth.get(count / 2)));
}

/// Checks that the native numbers equal the stored ones, byte-swapped on a big-endian machine.
pub fn native<T: Element>(native: &[T::Native], stored: &[T]) {
    let bytes: &[u8] = bytemuck::cast_slice(native);
    if cfg!(target_endian = "little") {
        assert!(bytes == stored.as_bytes(), "numbers that differ from those stored");
    }
    assert_eq!(bytes, bytemuck::cast_slice::<_, u8>(&to_native(stored)));
}

pub fn strided<T: Element + PartialEq + Debug>(column: &Strided<'_, T>) {
    if column.len() > ENOUGH {
        return;
    }
    let elements: Vec<T> = column.iter().copied().collect();
    native(&column.to_native(), &elements);
    both_ways(|| column.iter());
    assert!(column.into_iter().count() == column.len());
}
