//! What holds for the views of any format: gone over from either end and by number they are the same, and the machine's
//! own numbers are those stored.

use std::fmt::Debug;

use meshpeek::view::{Element, LeArray, Strided, to_native};
use zerocopy::IntoBytes;

/// The most items that are gone over again.
const ENOUGH: usize = 1000;

/// From the front, from the back and by number the items are the same, and as many as told.
pub fn both_ways<I>(items: impl Fn() -> I)
where
    I: DoubleEndedIterator<Item: PartialEq + Debug> + ExactSizeIterator,
{
    let told = items().len();
    if told > ENOUGH {
        return;
    }
    let forth: Vec<_> = items().collect();
    let mut back: Vec<_> = items().rev().collect();
    back.reverse();
    // Compared as text: what is not a number is not equal to itself.
    assert_eq!(forth.len(), told);
    assert!(forth == back || format!("{forth:?}") == format!("{back:?}"), "{forth:?} forth, {back:?} back");
    let (middle, end) = (items().nth(told / 2), items().nth(told));
    assert!(end.is_none() && format!("{middle:?}") == format!("{:?}", forth.get(told / 2)));
}

/// The machine's own numbers are the stored ones, turned on a machine that counts bytes from the other end.
pub fn native<T: Element>(native: &[T::Native], stored: &[T]) {
    let bytes: &[u8] = bytemuck::cast_slice(native);
    if cfg!(target_endian = "little") {
        assert!(bytes == stored.as_bytes(), "numbers that differ from those stored");
    }
    assert_eq!(bytes, bytemuck::cast_slice::<_, u8>(&to_native(stored)));
}

pub fn array<T: Element + PartialEq + Debug>(array: &LeArray<'_, T>) {
    native(&array.to_native(), array.as_slice());
    assert!(array.as_native().is_none_or(|native| std::ptr::addr_eq(native.as_ptr(), array.as_slice().as_ptr())));
    assert!(array.get(array.len()).is_none() && array.is_empty() == array.get(0).is_none());
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
