//! Values of vertices, in place or in new memory.

use std::borrow::Cow;
use std::sync::Arc;

use zerocopy::little_endian::F32;

use crate::bytes::by_index::{ByIndex, Indexed};
use crate::bytes::{Element, LeArray, Strided, Vec2, Vec3, to_native};

/// The vertex values of one kind: in place if the file's bytes have the right form, else in new memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Values<'a, T> {
    /// In the bytes of the asset. For a Ballance map, in the inflated table.
    InPlace(Strided<'a, T>),
    /// Decoded, or computed from stored data. Shared by the primitives of a mesh.
    Made(Arc<[T]>),
}

impl<'a, T: Element> Values<'a, T> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::InPlace(column) => column.len(),
            Self::Made(list) => list.len(),
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value at `index`.
    pub fn get(&self, index: usize) -> Option<&T> {
        match self {
            Self::InPlace(column) => column.get(index),
            Self::Made(list) => list.get(index),
        }
    }

    /// Returns the numbers of the value at `index`.
    pub fn array<const N: usize>(&self, index: usize) -> Option<[f32; N]>
    where
        T: Into<[f32; N]>,
    {
        let value = *self.get(index)?;
        Some(value.into())
    }

    /// Returns the mapped numbers of these values, in new memory. Missing values are 0.
    pub(super) fn gather<const N: usize, U>(
        &self,
        indices: impl ExactSizeIterator<Item = u32>,
        map: impl Fn([f32; N]) -> U,
    ) -> Vec<U>
    where
        T: Into<[f32; N]>,
    {
        fn numbers<const N: usize, T: Copy + Into<[f32; N]>>(value: Option<&T>) -> [f32; N] {
            match value {
                Some(&value) => value.into(),
                None => [0.0; N],
            }
        }
        // One loop for each kind, without a branch for each value.
        match self {
            Self::InPlace(column) => indices.map(|index| map(numbers(column.get(index as usize)))).collect(),
            Self::Made(list) => indices.map(|index| map(numbers(list.get(index as usize)))).collect(),
        }
    }

    /// Returns an iterator over all values in order.
    pub fn iter(&self) -> ByIndex<&Self> {
        ByIndex::new(self, self.len())
    }

    /// Returns all values as native numbers. Borrowed if they are contiguous and aligned and the machine is
    /// little-endian, else copied.
    pub fn to_native(&self) -> Cow<'_, [T::Native]> {
        match self {
            Self::InPlace(column) => column.to_native(),
            Self::Made(list) => to_native(list),
        }
    }

    /// Returns the column in place, if it is one.
    pub fn borrowed(&self) -> Option<Strided<'a, T>> {
        match self {
            Self::InPlace(column) => Some(*column),
            Self::Made(_) => None,
        }
    }
}

impl<'v, T: Element> Indexed for &'v Values<'_, T> {
    type Item = &'v T;

    fn item(&self, index: usize) -> Option<&'v T> {
        (**self).get(index)
    }
}

impl<'a, T: Element> From<LeArray<'a, T>> for Values<'a, T> {
    fn from(array: LeArray<'a, T>) -> Self {
        Self::InPlace(Strided::within(array.as_bytes(), array.offset(), size_of::<T>(), 0))
    }
}

impl<'a, T> From<Strided<'a, T>> for Values<'a, T> {
    fn from(column: Strided<'a, T>) -> Self {
        Self::InPlace(column)
    }
}

impl<T> FromIterator<T> for Values<'_, T> {
    fn from_iter<I: IntoIterator<Item = T>>(list: I) -> Self {
        Self::Made(list.into_iter().collect())
    }
}

pub(super) fn vec2([x, y]: [f32; 2]) -> Vec2 {
    Vec2 { x: F32::new(x), y: F32::new(y) }
}

pub(super) fn vec3([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3 { x: F32::new(x), y: F32::new(y), z: F32::new(z) }
}

impl<T> crate::base::sealed::Sealed for Values<'_, T> {}
