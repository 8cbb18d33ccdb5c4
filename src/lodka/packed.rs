//! Records that the description's offset column stretches.

use crate::view::{Element, LeArray, Table};

/// Records in place, packed as every other chunk is, or with the gap that the description's offset column leaves: told
/// from which of the two comes out exactly at the chunk's size.
#[derive(Debug)]
pub enum Records<'a, T, W> {
    /// Field behind field.
    Packed(LeArray<'a, T>),
    /// With the gap. No such file was ever seen.
    Wide(LeArray<'a, W>),
}

impl<'a, T: Element, W: Element> Records<'a, T, W>
where
    T: From<&'a W>,
{
    /// The record at `index`, without the bytes of a gap.
    pub fn get(&self, index: usize) -> Option<T> {
        match self {
            Self::Packed(array) => array.get(index).copied(),
            Self::Wide(array) => array.get(index).map(T::from),
        }
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone + use<'a, T, W> {
        let all = *self;
        (0..self.len()).map_while(move |index| all.get(index))
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Packed(array) => array.len(),
            Self::Wide(array) => array.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the records have the gap.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// As an array of whatever format.
    pub fn table(&self) -> &dyn Table {
        match self {
            Self::Packed(array) => array,
            Self::Wide(array) => array,
        }
    }
}

impl<T, W> Clone for Records<'_, T, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, W> Copy for Records<'_, T, W> {}
